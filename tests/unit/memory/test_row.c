/* SPDX-License-Identifier: Apache-2.0 */
/* A row keeps what was saved last, whatever its size was before. */
#include <stepfast/sys/repository_wake.h>

#include "support/stf_test.h"
#include "unit/memory/memory_case.h"

#define LARGEST 3000
#define WAITS 40

static uint8_t pattern[LARGEST];
static stf_wait waits[WAITS];

static void fill_pattern(void)
{
    for (size_t i = 0; i < LARGEST; i++) {
        pattern[i] = (uint8_t)('a' + i % 26);
    }
}

typedef struct expectation {
    const memory_save *saved;
    bool is_same;
} expectation;

static bool is_part(stf_bytes actual, stf_bytes expected)
{
    return actual.size == expected.size &&
           (actual.size == 0 || memcmp(actual.data, expected.data, actual.size) == 0);
}

static stf_status compare(void *user, const stf_record *record, stf_error *error)
{
    (void)error;
    expectation *wanted = user;
    const stf_record *saved = &wanted->saved->record;
    wanted->is_same = is_part(record->head, saved->head) && is_part(record->bulk, saved->bulk) &&
                      stf_str_equal(record->lease.owner, saved->lease.owner) &&
                      stf_str_equal(record->label_key, saved->label_key) &&
                      record->wait_count == saved->wait_count;
    for (size_t i = 0; i < record->wait_count && wanted->is_same; i++) {
        wanted->is_same = stf_str_equal(record->waits[i].key, saved->waits[i].key) &&
                          record->waits[i].since.us == saved->waits[i].since.us;
    }
    return STF_OK;
}

static void expect_stored(memory_case *self, const memory_save *saved)
{
    bool is_found = false;
    expectation wanted = {saved, false};
    STF_CHECK_OK(stf_repository_load(self->repository, NULL, saved->record.id, compare, &wanted,
                                     &is_found, &self->error),
                 &self->error);
    ck_assert(is_found && wanted.is_same);
}

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static stf_str random_text(uint32_t *state, size_t limit)
{
    size_t size = next_random(state) % (limit + 1);
    return (stf_str){(const char *)pattern + next_random(state) % 100, size};
}

static void randomise(memory_save *save, uint32_t *state)
{
    save->record.head = (stf_bytes){pattern, next_random(state) % LARGEST};
    save->record.bulk = (stf_bytes){pattern, next_random(state) % 2 * LARGEST};
    save->record.lease.owner = random_text(state, 200);
    save->record.label_key = random_text(state, 200);
    save->record.waits = waits;
    save->record.wait_count = next_random(state) % WAITS;
    for (size_t i = 0; i < save->record.wait_count; i++) {
        waits[i] = (stf_wait){.kind = STF_WAIT_TASK,
                              .key = random_text(state, 50),
                              .since = {next_random(state) % 5}};
    }
}

static stf_status count_row(void *user, const stf_wake_row *row, stf_error *error)
{
    (void)row;
    (void)error;
    ++*(size_t *)user;
    return STF_OK;
}

/* What the tree of waits holds is what the record holds. */
static void expect_indexed(memory_case *self, size_t expected)
{
    size_t count = 0;
    stf_waiting_query query = {
        .group = {"g", 1}, .kind = STF_WAIT_TASK, .after_since = stf_wall_none(), .limit = 1000};
    STF_CHECK_OK(stf_repository_waiting_page(self->repository, NULL, &query, count_row, &count,
                                             &self->error),
                 &self->error);
    ck_assert_uint_eq(count, expected);
}

STF_TEST(sizes_that_grow_and_shrink_never_mix_contents)
{
    memory_case self;
    uint32_t state = 7;
    memory_case_open(&self, 0);
    fill_pattern();
    for (int64_t version = 0; version < 2000; version++) {
        memory_save save;
        memory_save_init(&save, "a", version);
        randomise(&save, &state);
        STF_CHECK_OK(memory_save_run(&self, &save), &self.error);
        expect_stored(&self, &save);
        expect_indexed(&self, save.record.wait_count);
    }
    memory_case_close(&self);
}

STF_TEST(a_wait_that_stays_is_compared_where_it_lies_after_its_neighbour_grew)
{
    memory_case self;
    memory_save save;
    fill_pattern();
    memory_case_open(&self, 0);
    for (size_t size = 1; size < 500; size += 83) {
        waits[0] = (stf_wait){.kind = STF_WAIT_TASK, .key = {"stays", 5}};
        waits[1] = (stf_wait){.kind = STF_WAIT_TASK, .key = {(const char *)pattern, size}};
        memory_save_init(&save, "a", memory_version(&self, "a"));
        save.record.waits = waits;
        save.record.wait_count = 2;
        STF_CHECK_OK(memory_save_run(&self, &save), &self.error);
        expect_stored(&self, &save);
    }
    memory_case_close(&self);
}

/* ---- Out of memory ----------------------------------------------------------------------- */

static memory_save before;

static stf_status save_larger(memory_case *self)
{
    memory_save save;
    uint32_t state = 99;
    memory_save_init(&save, "a", 1);
    randomise(&save, &state);
    save.record.head.size = save.record.bulk.size = LARGEST;
    save.record.lease.owner = (stf_str){(const char *)pattern, 250};
    save.record.label_key = (stf_str){(const char *)pattern, 240};
    save.record.wait_count = WAITS;
    for (size_t i = 0; i < WAITS; i++) {
        waits[i] = (stf_wait){.kind = STF_WAIT_TASK, .key = random_text(&state, 50)};
    }
    return memory_save_run(self, &save);
}

static void nothing_changed(memory_case *self)
{
    static stf_wait small[2] = {{.kind = STF_WAIT_TASK, .key = {"one", 3}, .since = {1}},
                                {.kind = STF_WAIT_TASK, .key = {"two", 3}, .since = {2}}};
    before.record.waits = small;
    ck_assert_int_eq(memory_version(self, "a"), 1);
    expect_stored(self, &before);
    expect_indexed(self, 2);
}

STF_TEST(a_save_without_memory_leaves_the_record_and_its_indexes)
{
    memory_case self;
    static stf_wait small[2] = {{.kind = STF_WAIT_TASK, .key = {"one", 3}, .since = {1}},
                                {.kind = STF_WAIT_TASK, .key = {"two", 3}, .since = {2}}};
    fill_pattern();
    memory_case_open(&self, 0);
    memory_save_init(&before, "a", 0);
    before.record.waits = small;
    before.record.wait_count = 2;
    STF_CHECK_OK(memory_save_run(&self, &before), &self.error);
    memory_fail_each(&self, save_larger, nothing_changed);
    ck_assert_int_eq(memory_version(&self, "a"), 2);
    expect_indexed(&self, WAITS);
    memory_case_close(&self);
}

static const stf_test_case cases[] = {
    STF_CASE(sizes_that_grow_and_shrink_never_mix_contents),
    STF_CASE(a_wait_that_stays_is_compared_where_it_lies_after_its_neighbour_grew),
    STF_CASE(a_save_without_memory_leaves_the_record_and_its_indexes),
};

STF_TEST_MAIN("memory/row", cases)
