/* SPDX-License-Identifier: Apache-2.0 */
/* Marks every public declaration: visibility, checked results, format strings, C linkage. */
#ifndef STEPFAST_API_H
#define STEPFAST_API_H

#if defined(__GNUC__)
#define STF_API __attribute__((visibility("default")))
#define STF_MUST_CHECK __attribute__((warn_unused_result))
#define STF_PRINTF(format_index, first_index)                                                      \
    __attribute__((format(printf, format_index, first_index)))
#else
#define STF_API
#define STF_MUST_CHECK
#define STF_PRINTF(format_index, first_index)
#endif

#ifdef __cplusplus
#define STF_BEGIN_DECLS extern "C" {
#define STF_END_DECLS }
#else
#define STF_BEGIN_DECLS
#define STF_END_DECLS
#endif

#endif
