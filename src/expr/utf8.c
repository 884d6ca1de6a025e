/* SPDX-License-Identifier: Apache-2.0 */
/* Characters of valid UTF-8: decoding, white space and case, without the C library's locale. */
#include "expr/utf8.h"

#include "base/mem.h"

size_t stf__utf8_decode(stf_str text, size_t at, uint32_t *ret_code)
{
    uint8_t first = (uint8_t)text.data[at];
    size_t size = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    uint32_t code = size == 1 ? first : (uint32_t)first & (0x7Fu >> size);
    for (size_t i = 1; i < size && at + i < text.size; i++) {
        code = code << 6 | ((uint8_t)text.data[at + i] & 0x3Fu);
    }
    *ret_code = code;
    return size < text.size - at ? size : text.size - at;
}

size_t stf__utf8_encode(uint32_t code, char ret_bytes[4])
{
    size_t size = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    static const uint8_t heads[5] = {0, 0, 0xC0, 0xE0, 0xF0};
    for (size_t i = size - 1; i > 0; i--) {
        ret_bytes[i] = (char)(0x80u | (code & 0x3Fu));
        code >>= 6;
    }
    ret_bytes[0] = (char)(heads[size] | code);
    return size;
}

bool stf__utf8_is_scalar(uint32_t code)
{
    return code != 0 && code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF);
}

size_t stf__utf8_length(stf_str text)
{
    size_t count = 0;
    for (size_t i = 0; i < text.size; i++) {
        count += ((uint8_t)text.data[i] & 0xC0u) != 0x80u;
    }
    return count;
}

size_t stf__utf8_offset(stf_str text, size_t characters)
{
    size_t at = 0;
    uint32_t code = 0;
    while (characters > 0 && at < text.size) {
        at += stf__utf8_decode(text, at, &code);
        characters--;
    }
    return at;
}

size_t stf__utf8_space(stf_str text, size_t at)
{
    /* FEEL grammar rules 61 and 62. */
    static const struct {
        uint32_t first, last;
    } spaces[] = {
        {0x09, 0x0D},     {0x20, 0x20},     {0x85, 0x85},     {0xA0, 0xA0},
        {0x1680, 0x1680}, {0x180E, 0x180E}, {0x2000, 0x200B}, {0x2028, 0x2029},
        {0x202F, 0x202F}, {0x205F, 0x205F}, {0x3000, 0x3000}, {0xFEFF, 0xFEFF},
    };
    if (at >= text.size) {
        return 0;
    }
    uint32_t code = 0;
    size_t size = stf__utf8_decode(text, at, &code);
    for (size_t i = 0; i < STF_COUNT_OF(spaces); i++) {
        if (code >= spaces[i].first && code <= spaces[i].last) {
            return size;
        }
    }
    return 0;
}

stf_str stf__utf8_trim(stf_str text)
{
    size_t start = 0;
    for (size_t size = stf__utf8_space(text, 0); size != 0; size = stf__utf8_space(text, start)) {
        start += size;
    }
    size_t end = start;
    for (size_t at = start; at < text.size;) {
        uint32_t code = 0;
        bool is_space = stf__utf8_space(text, at) != 0;
        at += stf__utf8_decode(text, at, &code);
        end = is_space ? end : at;
    }
    if (start == end) {
        return (stf_str){NULL, 0};
    }
    return (stf_str){text.data + start, end - start};
}

/* Letters in runs: lower case from first to last, each `away` from its capital. Where capitals and
 * small letters alternate, away is 1 and only every second code is a small letter. */
static const struct case_run {
    uint32_t first, last, away, stride;
} case_runs[] = {
    {'a', 'z', 32, 1},     {0xE0, 0xF6, 32, 1},   {0xF8, 0xFE, 32, 1},    {0x101, 0x12F, 1, 2},
    {0x133, 0x137, 1, 2},  {0x13A, 0x148, 1, 2},  {0x14B, 0x177, 1, 2},   {0x17A, 0x17E, 1, 2},
    {0x3B1, 0x3C1, 32, 1}, {0x3C3, 0x3CB, 32, 1}, {0x430, 0x44F, 32, 1},  {0x450, 0x45F, 80, 1},
    {0x461, 0x481, 1, 2},  {0x48B, 0x4BF, 1, 2},  {0x1E01, 0x1E95, 1, 2}, {0x1EA1, 0x1EFF, 1, 2},
};

uint32_t stf__utf8_upper(uint32_t code)
{
    for (size_t i = 0; i < STF_COUNT_OF(case_runs); i++) {
        const struct case_run *run = &case_runs[i];
        if (code >= run->first && code <= run->last && (code - run->first) % run->stride == 0) {
            return code - run->away;
        }
    }
    return code;
}

uint32_t stf__utf8_lower(uint32_t code)
{
    for (size_t i = 0; i < STF_COUNT_OF(case_runs); i++) {
        const struct case_run *run = &case_runs[i];
        uint32_t small = code + run->away;
        if (small >= run->first && small <= run->last && (small - run->first) % run->stride == 0) {
            return small;
        }
    }
    return code;
}
