/* SPDX-License-Identifier: Apache-2.0 */
/* Random values for property tests. The seed is drawn, or given by STF_TEST_SEED, and printed, so
 * that a failing run can be repeated. */
#ifndef UNIT_VALUE_GEN_H
#define UNIT_VALUE_GEN_H

#include <inttypes.h>
#include <stepfast/clock.h>
#include <stepfast/value.h>

#include "support/stf_test.h"

/* For inner loops: Check writes to a pipe for every ck_assert that holds. */
#define REQUIRE(condition)                                                                         \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            ck_abort_msg("%s", #condition);                                                        \
        }                                                                                          \
    } while (0)

typedef struct gen {
    uint64_t state;
} gen;

static inline gen gen_start(void)
{
    gen self;
    const char *given = getenv("STF_TEST_SEED");
    const stf_random *source = stf_random_system();
    source->fill(source->user, &self.state, sizeof(self.state));
    if (given != NULL) {
        self.state = strtoull(given, NULL, 10);
    }
    self.state |= 1; /* xorshift has no way out of 0 */
    printf("STF_TEST_SEED=%" PRIu64 "\n", self.state);
    fflush(stdout);
    return self;
}

static inline uint64_t gen_bits(gen *self)
{
    self->state ^= self->state << 13;
    self->state ^= self->state >> 7;
    self->state ^= self->state << 17;
    return self->state * UINT64_C(0x2545F4914F6CDD1D);
}

static inline uint32_t gen_below(gen *self, uint32_t limit)
{
    return (uint32_t)((gen_bits(self) >> 33) % limit);
}

/* A number as text: any length of digits, a point anywhere, small and extreme exponents. */
static inline void gen_number_text(gen *self, char ret_text[80])
{
    char *at = ret_text;
    if (gen_below(self, 2) == 0) {
        *at++ = '-';
    }
    uint32_t digits = 1 + gen_below(self, gen_below(self, 2) == 0 ? 5 : 34);
    uint32_t point = gen_below(self, digits + 3);
    *at++ = (char)('1' + gen_below(self, 9));
    for (uint32_t i = 1; i < digits; i++) {
        if (i == point) {
            *at++ = '.';
        }
        *at++ = (char)('0' + (gen_below(self, 3) == 0 ? 0 : gen_below(self, 10)));
    }
    *at = '\0';
    if (gen_below(self, 3) == 0) {
        int range = gen_below(self, 2) == 0 ? 45 : 6100;
        snprintf(at, 10, "e%d", (int)gen_below(self, (uint32_t)(2 * range)) - range);
    }
}

static inline stf_decimal gen_number(gen *self)
{
    char text[80];
    stf_decimal number;
    if (gen_below(self, 4) == 0) {
        return stf_decimal_from_int((int64_t)(gen_bits(self) >> gen_below(self, 64)));
    }
    do {
        gen_number_text(self, text);
    } while (stf_decimal_parse(stf_str_of(text), &number, NULL) != STF_OK);
    return number;
}

static inline stf_str gen_text(gen *self, char room[64])
{
    static const char *const pieces[] = {
        "a",
        "b",
        "key",
        "\"",
        "\\",
        "\n",
        "\x01",
        "\x1f",
        "/",
        "\xc3\xa4",
        "\xe2\x82\xac",
        "0",
        "\t",
        "\r",
        "\b",
        "\f",
        " ",
        "{",
        "\x7f",
        "z9",
        "\xf0\x9f\x92\xa9",
    };
    size_t size = 0;
    for (uint32_t left = gen_below(self, 12); left > 0; left--) {
        const char *piece = pieces[gen_below(self, sizeof(pieces) / sizeof(pieces[0]))];
        memcpy(room + size, piece, strlen(piece));
        size += strlen(piece);
    }
    return (stf_str){room, size};
}

static inline stf_value *gen_scalar(gen *self)
{
    char room[64];
    stf_value *value = NULL;
    switch (gen_below(self, 5)) {
    case 0:
        return stf_value_null();
    case 1:
        return stf_value_bool(gen_below(self, 2) == 0);
    case 2:
        REQUIRE(stf_value_new_string(NULL, gen_text(self, room), &value, NULL) == STF_OK);
        return value;
    default:
        REQUIRE(stf_value_new_number(NULL, gen_number(self), &value, NULL) == STF_OK);
        return value;
    }
}

/* One reference. Recursion: depth at most. */
static inline stf_value *gen_value(gen *self, int depth)
{
    if (depth == 0 || gen_below(self, 4) == 0) {
        return gen_scalar(self);
    }
    stf_value *items[50];
    stf_str keys[50];
    static char rooms[50][64];
    /* Now and then more entries than the writer sorts on its stack. */
    uint32_t count = gen_below(self, gen_below(self, 20) == 0 ? 50 : 6);
    for (uint32_t i = 0; i < count; i++) {
        items[i] = gen_value(self, depth - 1);
    }
    for (uint32_t i = 0; i < count; i++) {
        keys[i] = gen_text(self, rooms[i]);
    }
    stf_value *value = NULL;
    stf_status status = gen_below(self, 2) == 0
                            ? stf_value_new_list(NULL, items, count, &value, NULL)
                            : stf_value_new_context(NULL, keys, items, count, &value, NULL);
    REQUIRE(status == STF_OK);
    for (uint32_t i = 0; i < count; i++) {
        (void)stf_value_unref(items[i]);
    }
    return value;
}

/* A value from JSON that must parse. */
static inline stf_value *value_of(const char *json)
{
    stf_error error = STF_ERROR_INIT;
    stf_value *value = NULL;
    STF_CHECK_OK(stf_value_parse_json(NULL, stf_str_of(json), &value, &error), &error);
    return value;
}

static inline void check_json(const stf_value *value, const char *expected)
{
    stf_buf buf;
    stf_buf_init(&buf, NULL);
    ck_assert_int_eq(stf_value_write_json(value, false, &buf, NULL), STF_OK);
    STF_CHECK_STR(stf_buf_str(&buf), expected);
    stf_buf_done(&buf);
}

#endif
