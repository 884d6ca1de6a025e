/* SPDX-License-Identifier: Apache-2.0 */
/* Characters of texts that are known to be valid UTF-8 (compile checks it once). */
#ifndef STF_EXPR_UTF8_H
#define STF_EXPR_UTF8_H

#include <stepfast/buf.h>

/* The character at a byte offset; gives its size. at < text.size. */
size_t stf__utf8_decode(stf_str text, size_t at, uint32_t *ret_code);
/* Writes 1..4 bytes; the code is a scalar value. */
size_t stf__utf8_encode(uint32_t code, char ret_bytes[4]);
bool stf__utf8_is_scalar(uint32_t code); /* no surrogate, at most U+10FFFF, not NUL */

size_t stf__utf8_length(stf_str text);                    /* characters */
size_t stf__utf8_offset(stf_str text, size_t characters); /* bytes of that many; clamped */
/* Bytes of the white space character at an offset, as FEEL counts them; 0: none there. */
size_t stf__utf8_space(stf_str text, size_t at);
stf_str stf__utf8_trim(stf_str text);

/* Simple case mapping of the Latin, Greek and Cyrillic letters, in every locale the same. */
uint32_t stf__utf8_upper(uint32_t code);
uint32_t stf__utf8_lower(uint32_t code);

#endif
