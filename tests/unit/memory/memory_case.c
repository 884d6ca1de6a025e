/* SPDX-License-Identifier: Apache-2.0 */
/* The fixture of the memory store's tests. */
#include "unit/memory/memory_case.h"

#include "support/stf_test.h"

static stf_wall read_wall(void *user)
{
    return (stf_wall){((memory_case *)user)->now_us};
}

static stf_mono read_mono(void *user)
{
    return (stf_mono){((memory_case *)user)->now_us};
}

static void note_eviction(void *user, stf_str id)
{
    memory_case *self = user;
    size_t used = strlen(self->evicted);
    ck_assert_uint_lt(used + id.size + 1, sizeof(self->evicted));
    memcpy(self->evicted + used, id.data, id.size);
    self->evicted[used + id.size] = ' ';
}

void memory_case_open(memory_case *self, uint64_t max_terminal)
{
    *self = (memory_case){.now_us = 1000, .error = STF_ERROR_INIT};
    faulty_init(&self->allocator, 0);
    self->clock = (stf_clock){.struct_size = sizeof(self->clock),
                              .abi = STF_CLOCK_ABI,
                              .user = self,
                              .wall = read_wall,
                              .mono = read_mono};
    stf_memory_options options = {.struct_size = sizeof(options),
                                  .abi = STF_MEMORY_ABI,
                                  .alloc = &self->allocator.port,
                                  .clock = &self->clock,
                                  .max_terminal = max_terminal,
                                  .on_evict = note_eviction,
                                  .user = self};
    STF_CHECK_OK(stf_memory_new(&options, &self->memory, &self->error), &self->error);
    STF_CHECK_OK(stf_memory_open_repository(self->memory, &self->repository, &self->error),
                 &self->error);
    STF_CHECK_OK(
        stf_repository_register_group(self->repository, NULL, stf_str_of("g"), &self->error),
        &self->error);
}

void memory_case_close(memory_case *self)
{
    stf_repository_close(self->repository);
    stf_memory_unref(self->memory);
    ck_assert_int_eq(self->allocator.live, 0);
}

void memory_save_init(memory_save *self, const char *id, int64_t expected_version)
{
    *self = (memory_save){.record = STF_RECORD_INIT, .save = STF_SAVE_INIT};
    self->record.id = stf_str_of(id);
    self->record.group = stf_str_of("g");
    self->record.head = (stf_bytes){(const uint8_t *)"head", 4};
    self->save.expected_version = expected_version;
    self->save.attempt.bytes[0] = (uint8_t)(expected_version + 1);
}

stf_status memory_save_run(memory_case *self, memory_save *save)
{
    stf_save_result result;
    save->save.record = &save->record;
    return stf_repository_save(self->repository, NULL, &save->save, &result, &self->error);
}

void memory_put(memory_case *self, const char *id, int64_t expected_version, uint32_t status)
{
    memory_save save;
    memory_save_init(&save, id, expected_version);
    save.record.status = status;
    STF_CHECK_OK(memory_save_run(self, &save), &self->error);
}

static stf_status note_version(void *user, const stf_record *record, stf_error *error)
{
    (void)error;
    *(int64_t *)user = record->rec_version;
    return STF_OK;
}

int64_t memory_version(memory_case *self, const char *id)
{
    int64_t version = 0;
    bool is_found = false;
    STF_CHECK_OK(stf_repository_load(self->repository, NULL, stf_str_of(id), note_version, &version,
                                     &is_found, &self->error),
                 &self->error);
    return version;
}

void memory_fail_each(memory_case *self, stf_status (*operation)(memory_case *self),
                      void (*unchanged)(memory_case *self))
{
    stf_status status = STF_NO_MEMORY;
    long failures = -1;
    for (long n = 1; status == STF_NO_MEMORY; n++, failures++) {
        ck_assert_int_lt(n, 1000);
        self->allocator.fail_at = self->allocator.calls + n;
        status = operation(self);
        self->allocator.fail_at = 0;
        if (status == STF_NO_MEMORY && unchanged != NULL) {
            unchanged(self);
        }
    }
    STF_CHECK_STATUS(status, STF_OK, &self->error);
    ck_assert_msg(failures > 0, "the operation allocates nothing");
}
