/* SPDX-License-Identifier: Apache-2.0 */
/* The fixture of the wake index's tests. */
#include "unit/port/index_case.h"

#include <string.h>

#include "conformance/without_wake.h"
#include "port/index.h"
#include "support/stf_test.h"

static stf_wall read_wall(void *user)
{
    return (stf_wall){((index_case *)user)->now_us};
}

static stf_mono read_mono(void *user)
{
    return (stf_mono){((index_case *)user)->now_us};
}

static void open_case(index_case *self, bool has_threads)
{
    *self = (index_case){.now_us = 1000, .error = STF_ERROR_INIT};
    faulty_init(&self->allocator, 0);
    self->clock = (stf_clock){.struct_size = sizeof(self->clock),
                              .abi = STF_CLOCK_ABI,
                              .user = self,
                              .wall = read_wall,
                              .mono = read_mono};
    stf_memory_options options = {
        .struct_size = sizeof(options), .abi = STF_MEMORY_ABI, .clock = &self->clock};
    STF_CHECK_OK(stf_memory_new(&options, &self->memory, &self->error), &self->error);
    STF_CHECK_OK(stf_memory_open_repository(self->memory, &self->below, &self->error),
                 &self->error);
    STF_CHECK_OK(stf_memory_open_repository(self->memory, &self->other, &self->error),
                 &self->error);
    stf_repository *failing = faulty_repository_new(&self->faults, self->below);
    STF_CHECK_OK(without_wake_new(has_threads ? NULL : &self->allocator.port, failing, NULL,
                                  &self->mine, &self->error),
                 &self->error);
    STF_CHECK_OK(stf_repository_register_group(self->other, NULL, stf_str_of("g"), &self->error),
                 &self->error);
}

void index_case_open(index_case *self)
{
    open_case(self, false);
}

void index_case_open_for_threads(index_case *self)
{
    open_case(self, true);
}

void index_case_close(index_case *self)
{
    stf_repository_close(self->mine);
    stf_repository_close(self->other);
    stf_repository_close(self->below);
    stf_memory_unref(self->memory);
    ck_assert_int_eq(self->allocator.live, 0);
}

void index_save_init(index_save *self, const char *id, int64_t expected_version, int64_t due_us)
{
    *self = (index_save){.record = STF_RECORD_INIT, .save = STF_SAVE_INIT};
    self->wait = (stf_wait){
        .kind = STF_WAIT_MESSAGE, .key = stf_str_of("key"), .since = {5}, .until = stf_wall_none()};
    self->record.id = stf_str_of(id);
    self->record.group = stf_str_of("g");
    self->record.tenant = stf_str_of("t");
    self->record.due = (stf_wall){due_us};
    self->record.wait_count = 1;
    self->save.expected_version = expected_version;
    self->save.attempt.bytes[0] = (uint8_t)(expected_version + 1);
}

stf_status index_save_run(index_case *self, stf_repository *repository, index_save *save)
{
    save->record.waits = &save->wait;
    save->save.record = &save->record;
    return stf_repository_save(repository, NULL, &save->save, &save->result, &self->error);
}

void index_put(index_case *self, stf_repository *repository, const char *id,
               int64_t expected_version, int64_t due_us)
{
    index_save save;
    index_save_init(&save, id, expected_version, due_us);
    STF_CHECK_OK(index_save_run(self, repository, &save), &self->error);
}

void index_delete(index_case *self, stf_repository *repository, const char *id)
{
    stf_delete gone = {.struct_size = sizeof(gone),
                       .abi = STF_DELETE_ABI,
                       .flags = STF_DELETE_ANY,
                       .id = stf_str_of(id)};
    STF_CHECK_OK(stf_repository_delete(repository, NULL, &gone, &self->error), &self->error);
}

void index_pass_period(index_case *self)
{
    self->now_us += STF__INDEX_PERIOD_US;
}

static stf_status append_id(void *user, const stf_wake_row *row, stf_error *error)
{
    (void)error;
    char *text = user;
    ck_assert_uint_lt(strlen(text) + row->id.size + 2, 256);
    strncat(text, row->id.data, row->id.size);
    strncat(text, " ", 2);
    return STF_OK;
}

void index_expect_due(index_case *self, const char *expected)
{
    char ids[256] = "";
    stf_due_query query = {
        .group = {"g", 1}, .now = {self->now_us}, .after_due = stf_wall_none(), .limit = 10};
    STF_CHECK_OK(stf_repository_due_page(self->mine, NULL, &query, append_id, ids, &self->error),
                 &self->error);
    ck_assert_str_eq(ids, expected);
}

void index_expect_waiting(index_case *self, const char *key, const char *expected)
{
    char ids[256] = "";
    stf_waiting_query query = {.group = {"g", 1},
                               .kind = STF_WAIT_MESSAGE,
                               .key = stf_str_of(key),
                               .after_since = stf_wall_none(),
                               .limit = 10};
    STF_CHECK_OK(
        stf_repository_waiting_page(self->mine, NULL, &query, append_id, ids, &self->error),
        &self->error);
    ck_assert_str_eq(ids, expected);
}

void index_expect_orphans(index_case *self, const char *expected)
{
    char ids[256] = "";
    stf_orphan_query query = {.group = {"g", 1}, .now = {self->now_us}, .limit = 10};
    STF_CHECK_OK(stf_repository_orphan_page(self->mine, NULL, &query, append_id, ids, &self->error),
                 &self->error);
    ck_assert_str_eq(ids, expected);
}

stf_status index_count_row(void *user, const stf_wake_row *row, stf_error *error)
{
    (void)row;
    (void)error;
    ++*(size_t *)user;
    return STF_OK;
}
