/* SPDX-License-Identifier: Apache-2.0 */
/* Two engines with handles of their own on one SQLite file that deliver the same outbox: whatever
 * they share is in the file (R5, R18). */
#include "unit/engine/message_case.h"

#include <stepfast/sqlite.h>

static char folder[32];
static char path[64];

static void make_folder(void)
{
    snprintf(folder, sizeof(folder), "/tmp/stepfast-sends-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/store.db", folder);
}

static void remove_folder(void)
{
    char name[128];
    snprintf(name, sizeof(name), "rm -rf %s", folder);
    ck_assert_int_eq(system(name), 0);
}

static engine_case *open_case(const char *id)
{
    engine_case *c = engine_case_new();
    stf_sqlite *sqlite = NULL;
    stf_repository *store = NULL;
    stf_definition_store *definitions = NULL;
    stf_sqlite_options options = {.struct_size = sizeof(options),
                                  .abi = STF_SQLITE_ABI,
                                  .flags = STF_SQLITE_SYNC_NORMAL,
                                  .clock = &c->clock.port,
                                  .path = path};
    STF_CHECK_OK(stf_sqlite_open(NULL, &options, &sqlite, &c->error), &c->error);
    STF_CHECK_OK(stf_sqlite_open_repository(sqlite, &store, &c->error), &c->error);
    STF_CHECK_OK(stf_sqlite_open_definitions(sqlite, &definitions, &c->error), &c->error);
    stf_sqlite_unref(sqlite);
    engine_case_use(c, store, definitions);
    c->options.id = id;
    atomic_store(&c->seed, (uint64_t)id[0]);
    engine_case_open(c, NULL);
    return c;
}

static void play(const char *process, const char *json, stf_status status, bool applies)
{
    for (int turns = 0; turns < 9; turns++) {
        message_case_meeting plan = {.process = process,
                                     .json = json,
                                     .first_turns = turns / 3,
                                     .second_turns = turns % 3,
                                     .status = status,
                                     .applies = applies};
        make_folder();
        engine_case *c = open_case("one");
        engine_case *other = open_case("two");
        message_case_meet(c, other, &plan);
        engine_case_free(other);
        engine_case_free(c);
        remove_folder();
    }
}

STF_TEST(r5_two_engines_that_deliver_one_message_deliver_it_once)
{
    play("s", "{\"key\": \"k\"}", STF_UNAVAILABLE, false);
    play("s", "{\"key\": \"k\"}", STF_OUTCOME_UNKNOWN, false);
    play("s", "{\"key\": \"k\"}", STF_OUTCOME_UNKNOWN, true);
}

STF_TEST(r18_two_engines_that_deliver_one_call_make_one_child)
{
    play("top", "{\"fails\": false}", STF_UNAVAILABLE, false);
    play("top", "{\"fails\": false}", STF_OUTCOME_UNKNOWN, true);
}

static const stf_test_case cases[] = {
    STF_CASE(r5_two_engines_that_deliver_one_message_deliver_it_once),
    STF_CASE(r18_two_engines_that_deliver_one_call_make_one_child),
};

STF_TEST_MAIN("engine_sends", cases)
