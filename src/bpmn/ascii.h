/* SPDX-License-Identifier: Apache-2.0 */
/* Comparing names without case, for ASCII letters only and in every locale alike. */
#ifndef STF_BPMN_ASCII_H
#define STF_BPMN_ASCII_H

#include <stepfast/buf.h>

static inline char stf__ascii_lower(char byte)
{
    return byte >= 'A' && byte <= 'Z' ? (char)(byte - 'A' + 'a') : byte;
}

/* part is in lower case. */
static inline bool stf__ascii_has_at(stf_str text, size_t at, stf_str part)
{
    if (at > text.size || text.size - at < part.size) {
        return false;
    }
    for (size_t i = 0; i < part.size; i++) {
        if (stf__ascii_lower(text.data[at + i]) != part.data[i]) {
            return false;
        }
    }
    return true;
}

static inline bool stf__ascii_contains(stf_str text, stf_str part)
{
    for (size_t at = 0; at < text.size; at++) {
        if (stf__ascii_has_at(text, at, part)) {
            return true;
        }
    }
    return false;
}

#endif
