/* SPDX-License-Identifier: Apache-2.0 */
/* FEEL's built-in functions: one table (builtins.def) of name, number of arguments, function. */
#ifndef STF_EXPR_BUILTINS_H
#define STF_EXPR_BUILTINS_H

#include "expr/eval.h"

/* The arguments are borrowed; count is within the table's bounds. Gives one reference. A failing
 * operation is null, not an error. */
typedef stf_status (*stf__builtin_fn)(stf__eval *eval, const stf__node *at,
                                      stf_value *const *arguments, size_t count,
                                      stf_value **ret_value);

#define STF__BUILTIN_ANY 255u /* as many arguments as one likes */

typedef struct stf__builtin {
    stf_str name;
    uint32_t count_min;
    uint32_t count_max;
    stf__builtin_fn call;
} stf__builtin;

/* NULL: no such function. */
const stf__builtin *stf__builtin_find(stf_str name);

#define STF__BUILTIN_DECLARE(name, count_min, count_max, function)                                 \
    stf_status stf__builtin_##function(stf__eval *eval, const stf__node *at,                       \
                                       stf_value *const *arguments, size_t count,                  \
                                       stf_value **ret_value);
#define STF__BUILTIN STF__BUILTIN_DECLARE
#include "expr/builtins.def"
#undef STF__BUILTIN

#endif
