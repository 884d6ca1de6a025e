/* SPDX-License-Identifier: Apache-2.0 */
/* Borrowed text: comparison by bytes, and the one UTF-8 check of the library. */
#include <stepfast/buf.h>
#include <string.h>

stf_str stf_str_of(const char *text)
{
    return (stf_str){text, text != NULL ? strlen(text) : 0};
}

bool stf_str_equal(stf_str a, stf_str b)
{
    return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

int stf_str_compare(stf_str a, stf_str b)
{
    size_t common = a.size < b.size ? a.size : b.size;
    int order = common != 0 ? memcmp(a.data, b.data, common) : 0;
    if (order != 0) {
        return order < 0 ? -1 : 1;
    }
    return (a.size > b.size) - (a.size < b.size);
}

/* The bytes of the sequence that starts at text (2 to 4), or 0 when it is not valid, NUL included.
 * The second byte's narrower ranges keep out overlong forms, surrogates and what lies over
 * U+10FFFF. */
static size_t utf8_sequence(const unsigned char *text, size_t left)
{
    unsigned char first = text[0];
    size_t size = first >= 0xF0u ? 4 : first >= 0xE0u ? 3 : 2;
    if (first < 0xC2u || first > 0xF4u || left < size) {
        return 0;
    }
    unsigned char low = 0x80u;
    unsigned char high = 0xBFu;
    if (first == 0xE0u) {
        low = 0xA0u;
    } else if (first == 0xEDu) {
        high = 0x9Fu;
    } else if (first == 0xF0u) {
        low = 0x90u;
    } else if (first == 0xF4u) {
        high = 0x8Fu;
    }
    if (text[1] < low || text[1] > high) {
        return 0;
    }
    for (size_t i = 2; i < size; i++) {
        if ((text[i] & 0xC0u) != 0x80u) {
            return 0;
        }
    }
    return size;
}

/* Eight bytes of ASCII without NUL, which is nearly all that comes. The subtraction sets the high
 * bit of a byte that was 0, and of no byte before the first such one. */
static bool is_plain_word(const unsigned char *text)
{
    uint64_t word;
    memcpy(&word, text, sizeof(word));
    return ((word | (word - UINT64_C(0x0101010101010101))) & UINT64_C(0x8080808080808080)) == 0;
}

bool stf_str_is_utf8(stf_str text)
{
    const unsigned char *bytes = (const unsigned char *)text.data;
    size_t at = 0;
    for (;;) {
        while (text.size - at >= 8 && is_plain_word(bytes + at)) {
            at += 8;
        }
        while (at < text.size && bytes[at] - 1u < 0x7Fu) { /* the end of it, or a few bytes more */
            at++;
        }
        if (at == text.size) {
            return true;
        }
        size_t step = utf8_sequence(bytes + at, text.size - at);
        if (step == 0) {
            return false;
        }
        at += step;
    }
}
