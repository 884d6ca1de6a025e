/* SPDX-License-Identifier: Apache-2.0 */
/* Borrowed views and one growable buffer. */
#ifndef STEPFAST_BUF_H
#define STEPFAST_BUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stepfast/alloc.h>
#include <stepfast/error.h>

STF_BEGIN_DECLS

/* Borrowed UTF-8 text, not terminated. {NULL, 0} is the empty text. */
typedef struct stf_str {
    const char *data;
    size_t size;
} stf_str;

/* Borrowed bytes. {NULL, 0} is empty. */
typedef struct stf_bytes {
    const uint8_t *data;
    size_t size;
} stf_bytes;

/* A growable byte buffer, embedded by its user: init, use, done. */
typedef struct stf_buf {
    const stf_allocator *alloc;
    uint8_t *data;
    size_t size;
    size_t capacity;
} stf_buf;

/* A view of a terminated string; NULL gives the empty text. Borrows. Thread: any. */
STF_API stf_str stf_str_of(const char *text);

/* Equal bytes. Thread: any. */
STF_API bool stf_str_equal(stf_str a, stf_str b);

/* Order by bytes, as memcmp with the shorter first. Thread: any. */
STF_API int stf_str_compare(stf_str a, stf_str b);

/* Valid UTF-8 (no surrogates, no overlong forms, no NUL). Thread: any. */
STF_API bool stf_str_is_utf8(stf_str text);

/* NULL allocator means the default one. Allocates nothing yet. */
STF_API void stf_buf_init(stf_buf *buf, const stf_allocator *alloc);
STF_API void stf_buf_done(stf_buf *buf);
STF_API void stf_buf_clear(stf_buf *buf); /* keeps the memory */

/* Append. OK or NO_MEMORY (the buffer is unchanged). */
STF_API STF_MUST_CHECK stf_status stf_buf_append(stf_buf *buf, const void *data, size_t size);
STF_API STF_MUST_CHECK stf_status stf_buf_append_str(stf_buf *buf, stf_str text);
STF_API STF_MUST_CHECK stf_status stf_buf_printf(stf_buf *buf, const char *format, ...)
    STF_PRINTF(2, 3);
STF_API STF_MUST_CHECK stf_status stf_buf_reserve(stf_buf *buf, size_t more);

/* Views of the content, valid until the next change. */
STF_API stf_str stf_buf_str(const stf_buf *buf);
STF_API stf_bytes stf_buf_bytes(const stf_buf *buf);

/* Terminated content for C interfaces, valid until the next change; NULL when out of memory. */
STF_API const char *stf_buf_c_str(stf_buf *buf);

STF_END_DECLS

#endif
