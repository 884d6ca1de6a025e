/* SPDX-License-Identifier: Apache-2.0 */
/* Drawn identities: time-ordered ids (UUID version 7, RFC 9562, with the sub-millisecond fraction
 * in rand_a so that ids of one engine sort by time of creation) and the attempts of saves. */
#include "engine/private.h"

void stf__hex(const uint8_t *bytes, size_t size, char *ret_text)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < size; i++) {
        ret_text[2 * i] = digits[bytes[i] >> 4];
        ret_text[2 * i + 1] = digits[bytes[i] & 15u];
    }
    ret_text[2 * size] = '\0';
}

void stf__id_draw(stf_engine *engine, char ret_text[STF__ID_TEXT_BYTES])
{
    static const uint8_t groups[] = {4, 2, 2, 2, 6};
    uint8_t bytes[16];
    int64_t now = stf__engine_now(engine).us;
    uint64_t us = now > 0 ? (uint64_t)now : 0;
    uint64_t ms = us / 1000;
    uint64_t fraction = us % 1000 * 4096 / 1000;
    stf__random_fill(&engine->random, bytes, sizeof(bytes));
    for (size_t i = 0; i < 6; i++) {
        bytes[i] = (uint8_t)(ms >> (40 - 8 * i));
    }
    bytes[6] = (uint8_t)(0x70u | (fraction >> 8));
    bytes[7] = (uint8_t)fraction;
    bytes[8] = (uint8_t)(0x80u | (bytes[8] & 0x3fu));
    size_t from = 0;
    size_t to = 0;
    for (size_t i = 0; i < sizeof(groups); i++) {
        if (i != 0) {
            ret_text[to++] = '-';
        }
        stf__hex(bytes + from, groups[i], ret_text + to);
        from += groups[i];
        to += 2 * (size_t)groups[i];
    }
}

stf_attempt stf__attempt_draw(stf_engine *engine)
{
    stf_attempt attempt;
    stf__random_fill(&engine->random, attempt.bytes, sizeof(attempt.bytes));
    return attempt;
}
