/* SPDX-License-Identifier: Apache-2.0 */
/* Immutable values with atomic reference counts: what variables, handlers and expressions exchange.
 * Numbers are IEEE 754-2008 decimal128 (34 digits), always in canonical form, so equal numbers have
 * equal bytes. Contexts (maps) are sorted by the bytes of their keys. */
#ifndef STEPFAST_VALUE_H
#define STEPFAST_VALUE_H

#include <stepfast/alloc.h>
#include <stepfast/buf.h>

STF_BEGIN_DECLS

typedef struct stf_value stf_value;

typedef enum stf_value_kind {
    STF_VALUE_NULL = 0,
    STF_VALUE_BOOL = 1,
    STF_VALUE_NUMBER = 2,
    STF_VALUE_STRING = 3,
    STF_VALUE_LIST = 4,
    STF_VALUE_CONTEXT = 5
} stf_value_kind;

/* decimal128 in the binary integer (BID) encoding; low word first. Only finite numbers occur. */
typedef struct stf_decimal {
    uint64_t low;
    uint64_t high;
} stf_decimal;

/* "-12.50", "1e400": OK, PARSE, LIMIT_EXCEEDED (over 34 significant digits or out of range: never
 * rounded silently). */
STF_API STF_MUST_CHECK stf_status stf_decimal_parse(stf_str text, stf_decimal *ret_number,
                                                    stf_error *error);
STF_API stf_decimal stf_decimal_from_int(int64_t number);
STF_API bool stf_decimal_to_int(stf_decimal number, int64_t *ret_int); /* false: not an int64 */
STF_API int stf_decimal_compare(stf_decimal a, stf_decimal b);
#define STF_DECIMAL_TEXT_BYTES 48
/* Plain digits where that takes at most 40 characters, else "1.5e+300". */
STF_API void stf_decimal_format(stf_decimal number, char ret_text[STF_DECIMAL_TEXT_BYTES]);

/* Constructors give one reference. NULL allocator means the default. OK, NO_MEMORY, LIMIT_EXCEEDED,
 * PARSE (text that is not UTF-8). Thread: any. */
STF_API stf_value *stf_value_null(void);         /* immortal; ref and unref are allowed */
STF_API stf_value *stf_value_bool(bool is_true); /* immortal */
STF_API STF_MUST_CHECK stf_status stf_value_new_int(const stf_allocator *alloc, int64_t number,
                                                    stf_value **ret_value, stf_error *error);
STF_API STF_MUST_CHECK stf_status stf_value_new_number(const stf_allocator *alloc,
                                                       stf_decimal number, stf_value **ret_value,
                                                       stf_error *error);
STF_API STF_MUST_CHECK stf_status stf_value_new_string(const stf_allocator *alloc, stf_str text,
                                                       stf_value **ret_value, stf_error *error);
/* Items are referenced, not taken. */
STF_API STF_MUST_CHECK stf_status stf_value_new_list(const stf_allocator *alloc,
                                                     stf_value *const *items, size_t count,
                                                     stf_value **ret_value, stf_error *error);
/* Keys may come in any order; of two equal keys the later wins. */
STF_API STF_MUST_CHECK stf_status stf_value_new_context(const stf_allocator *alloc,
                                                        const stf_str *keys,
                                                        stf_value *const *values, size_t count,
                                                        stf_value **ret_value, stf_error *error);
/* A copy of a context with one entry set; base may be NULL (empty). */
STF_API STF_MUST_CHECK stf_status stf_value_with(const stf_allocator *alloc, const stf_value *base,
                                                 stf_str key, stf_value *value,
                                                 stf_value **ret_value, stf_error *error);

STF_API stf_value *stf_value_ref(const stf_value *value);
STF_API stf_value *stf_value_unref(stf_value *value); /* NULL is fine; returns NULL */

/* Readers; borrowed results live as long as the value. A value of another kind gives false, the
 * empty text, 0 or NULL. Thread: any. */
STF_API stf_value_kind stf_value_get_kind(const stf_value *value); /* NULL pointer: NULL kind */
STF_API bool stf_value_is_true(const stf_value *value);
STF_API bool stf_value_get_number(const stf_value *value, stf_decimal *ret_number);
STF_API bool stf_value_get_int(const stf_value *value, int64_t *ret_int);
STF_API stf_str stf_value_peek_string(const stf_value *value);
STF_API size_t stf_value_count(const stf_value *value); /* items or entries */
STF_API const stf_value *stf_value_peek_item(const stf_value *value, size_t index);
STF_API stf_str stf_value_peek_key(const stf_value *value, size_t index);
STF_API const stf_value *stf_value_peek(const stf_value *value, stf_str key); /* NULL: none */
STF_API bool stf_value_equal(const stf_value *a, const stf_value *b);

/* JSON (RFC 8259). Numbers keep all digits. Bounded by the limits of limits.h. OK, PARSE,
 * LIMIT_EXCEEDED, NO_MEMORY. */
STF_API STF_MUST_CHECK stf_status stf_value_parse_json(const stf_allocator *alloc, stf_str text,
                                                       stf_value **ret_value, stf_error *error);
/* Appends. pretty indents by two blanks. OK, NO_MEMORY. */
STF_API STF_MUST_CHECK stf_status stf_value_write_json(const stf_value *value, bool pretty,
                                                       stf_buf *buf, stf_error *error);

STF_END_DECLS

#endif
