/* SPDX-License-Identifier: Apache-2.0 */
/* Records that cannot be decoded: marked as an incident once, with every byte kept, unless their
 * owner lives and may know better. */
#include "unit/engine/engine_case.h"

static const char garbage[] = "nonsense";

/* A damaged record that is due. */
static void plant(engine_case *c, uint32_t status, const char *owner, int64_t incarnation)
{
    stf_wait wait = {.kind = STF_WAIT_TASK, .key = stf_str_of("approve")};
    stf_save save = STF_SAVE_INIT;
    stf_record record = STF_RECORD_INIT;
    stf_save_result result;
    record.id = stf_str_of("i1");
    record.group = stf_str_of("g");
    record.status = status;
    record.head = (stf_bytes){(const uint8_t *)garbage, sizeof(garbage) - 1};
    record.due = (stf_wall){CASE_BEGIN_US};
    record.waits = &wait;
    record.wait_count = 1;
    record.lease.owner = stf_str_of(owner);
    record.lease.incarnation = incarnation;
    record.lease.expiry = (stf_wall){CASE_BEGIN_US + SECONDS(30)};
    save.record = &record;
    STF_CHECK_OK(stf_repository_save(c->store, NULL, &save, &result, &c->error), &c->error);
}

/* Whoever asks for it makes the engine load it. */
static void touch(engine_case *c)
{
    STF_CHECK_STATUS(stf_engine_complete_task(c->engine, NULL, stf_str_of("i1"), 0,
                                              stf_str_of("approve"), NULL, &c->error),
                     STF_CORRUPT, &c->error);
}

static stf_status compare_head(void *user, const stf_record *record, stf_error *error)
{
    (void)error;
    *(bool *)user = stf_str_equal((stf_str){(const char *)record->head.data, record->head.size},
                                  stf_str_of(garbage)) &&
                    record->wait_count == 0;
    return STF_OK;
}

STF_TEST(a_damaged_record_is_marked_once_and_keeps_its_bytes_and_its_incarnation)
{
    engine_case *c = engine_case_new();
    bool is_same = false;
    bool is_found = false;
    engine_case_open(c, NULL);
    plant(c, STF_RECORD_ACTIVE, "", 7);
    for (int i = 0; i < 3; i++) {
        touch(c);
        engine_case_advance(c, SECONDS(60));
        case_record record = engine_case_record(c, "i1");
        ck_assert_uint_eq(record.status, STF_RECORD_INCIDENT);
        ck_assert_int_eq(record.version, 2);
        ck_assert_int_eq(record.incarnation, 7);
        ck_assert(stf_wall_is_none(record.due));
        ck_assert_uint_eq(engine_case_facts_of(c, STF_FACT_RECORD_CORRUPT), 1);
    }
    STF_CHECK_OK(stf_repository_load(c->store, NULL, stf_str_of("i1"), compare_head, &is_same,
                                     &is_found, &c->error),
                 &c->error);
    ck_assert(is_found && is_same);
    engine_case_free(c);
}

STF_TEST(a_damaged_record_is_left_alone_while_its_owner_lives)
{
    engine_case *c = engine_case_new();
    engine_case_open(c, NULL);
    plant(c, STF_RECORD_ACTIVE, "another/1", 3);
    touch(c);
    atomic_fetch_add(&c->clock.us, SECONDS(30) - 1);
    touch(c);
    ck_assert_int_eq(engine_case_record(c, "i1").version, 1);
    atomic_fetch_add(&c->clock.us, 1);
    touch(c);
    case_record record = engine_case_record(c, "i1");
    ck_assert_int_eq(record.version, 2);
    ck_assert_str_eq(record.owner, "");
    ck_assert_uint_eq(record.status, STF_RECORD_INCIDENT);
    engine_case_free(c);
}

STF_TEST(an_ended_record_that_is_damaged_stays_ended)
{
    static const uint32_t ended[] = {STF_RECORD_COMPLETED, STF_RECORD_TERMINATED};
    for (size_t i = 0; i < 2; i++) {
        engine_case *c = engine_case_new();
        engine_case_open(c, NULL);
        plant(c, ended[i], "", 0);
        touch(c);
        ck_assert_int_eq(engine_case_record(c, "i1").version, 1);
        ck_assert_uint_eq(engine_case_record(c, "i1").status, ended[i]);
        engine_case_free(c);
    }
}

/* The mark is a compare-and-set like any other: who was faster is right. */
static void mend(void *user, const char *name)
{
    engine_case *c = user;
    if (strcmp(name, "save") == 0) {
        stf_delete request = {.struct_size = sizeof(request),
                              .abi = STF_DELETE_ABI,
                              .flags = STF_DELETE_ANY,
                              .id = stf_str_of("i1")};
        STF_CHECK_OK(stf_repository_delete(c->store, NULL, &request, &c->error), &c->error);
    }
}

STF_TEST(a_damaged_record_that_changed_meanwhile_is_not_marked)
{
    engine_case *c = engine_case_new();
    engine_case_open(c, NULL);
    plant(c, STF_RECORD_ACTIVE, "", 0);
    c->faulty.user = c;
    c->faulty.on_call = mend;
    touch(c);
    c->faulty.on_call = NULL;
    ck_assert(!engine_case_record(c, "i1").is_found);
    ck_assert_uint_eq(engine_case_facts_of(c, STF_FACT_RECORD_CORRUPT), 0);
    engine_case_free(c);
}

static const stf_test_case cases[] = {
    STF_CASE(a_damaged_record_is_marked_once_and_keeps_its_bytes_and_its_incarnation),
    STF_CASE(a_damaged_record_is_left_alone_while_its_owner_lives),
    STF_CASE(an_ended_record_that_is_damaged_stays_ended),
    STF_CASE(a_damaged_record_that_changed_meanwhile_is_not_marked),
};

STF_TEST_MAIN("load", cases)
