/* SPDX-License-Identifier: Apache-2.0 */
/* Cases of load: fidelity of every field. */
#include "harness.h"

static void absent(stf__conf *t)
{
    STEP(t, stf__conf_expect_absent(t, "nothing"));
}

static stf_status load_any(stf__conf *t, stf_str id)
{
    stf__conf_page page;
    stf__conf_page_init(t, &page);
    bool is_found = false;
    return stf_repository_load(t->repo, NULL, id, stf__conf_visit_record, &page, &is_found,
                               stf__conf_error(t));
}

static void refusals(stf__conf *t)
{
    EXPECT_STATUS(t, load_any(t, stf_str_of("")), STF_EMPTY_NOT_ALLOWED);
    EXPECT_STATUS(t, load_any(t, stf__conf_long_text(t, "", STF_LIMIT_ID_BYTES + 1)),
                  STF_LIMIT_EXCEEDED);
    EXPECT_STATUS(t, load_any(t, (stf_str){"\xff", 1}), STF_INVALID_ARGUMENT);
}

static void fill(stf__conf *t, stf__conf_draft *draft)
{
    static const stf_wait waits[] = {
        {.kind = STF_WAIT_MESSAGE,
         .key = {"paid\0order-7", 12},
         .since = {STF__CONF_START_US - 1},
         .until = {STF__CONF_START_US + 999999}},
        {.kind = STF_WAIT_TASK,
         .key = {"Pr\xc3\xbc"
                 "fung",
                 8},
         .since = {STF__CONF_START_US},
         .until = {STF_WALL_NONE_US}},
        {.kind = 77, .key = {NULL, 0}, .since = {0}, .until = {1}},
    };
    stf__conf_draft_init(t, draft, "id \xe2\x9c\x93 with 'quotes\"; --");
    memcpy(draft->waits, waits, sizeof(waits));
    draft->record.wait_count = 3;
    draft->record.tenant = stf_str_of("T\xc3\xa4nant");
    draft->record.bulk = stf__conf_bytes("bulk");
    draft->record.lease = (stf_lease){
        stf_str_of("engine/1#n0nce"), INT64_C(9007199254740993), {STF__CONF_START_US + 1}};
    draft->record.due = (stf_wall){STF__CONF_START_US + 123457};
    draft->record.label_key = stf_str_of("order process");
    draft->record.label_version = 4711;
    draft->record.status = STF_RECORD_INCIDENT;
}

/* What a load must give after this draft was saved. */
static stf_record expected_of(const stf__conf_draft *draft)
{
    stf_record expected = draft->record;
    expected.rec_version = draft->result.rec_version;
    expected.attempt = draft->save.attempt;
    return expected;
}

static void fidelity(stf__conf *t)
{
    stf__conf_draft draft;
    const stf_record *record = NULL;
    STEP(t, fill(t, &draft));
    STEP(t, stf__conf_save(t, &draft));
    stf_record expected = expected_of(&draft);
    STEP(t, stf__conf_load(t, t->repo, draft.record.id, &record));
    EXPECT(t, record != NULL, "absent");
    STEP(t, stf__conf_expect_same(t, record, &expected));
    EXPECT(t, record->created.us == STF__CONF_START_US, "created %lld",
           (long long)record->created.us);
    EXPECT(t, record->updated.us == STF__CONF_START_US, "updated %lld",
           (long long)record->updated.us);
}

static void fidelity_of_updates(stf__conf *t)
{
    stf__conf_draft draft;
    const stf_record *record = NULL;
    stf__conf_draft_init(t, &draft, "id \xe2\x9c\x93 with 'quotes\"; --");
    draft.record.tenant = stf_str_of("T\xc3\xa4nant");
    stf__conf_add_wait(&draft, STF_WAIT_JOB, "old", stf__conf_now(t));
    STEP(t, stf__conf_save(t, &draft));
    stf_save_result result = draft.result;
    stf__conf_advance(t, 3 * STF__CONF_SECOND_US + 1);
    STEP(t, fill(t, &draft));
    draft.result = result;
    stf__conf_draft_next(t, &draft);
    STEP(t, stf__conf_save(t, &draft));
    stf_record expected = expected_of(&draft);
    STEP(t, stf__conf_load(t, t->repo, draft.record.id, &record));
    EXPECT(t, record != NULL, "absent");
    STEP(t, stf__conf_expect_same(t, record, &expected));
    /* And back to nothing: what is gone must not linger. */
    stf__conf_draft_next(t, &draft);
    draft.record.wait_count = 0;
    draft.record.due = stf_wall_none();
    draft.record.label_key = stf_str_of("");
    draft.record.label_version = 0;
    draft.record.status = STF_RECORD_ACTIVE;
    draft.record.bulk = (stf_bytes){NULL, 0};
    draft.record.lease.owner = stf_str_of("");
    STEP(t, stf__conf_save(t, &draft));
    expected = expected_of(&draft);
    STEP(t, stf__conf_load(t, t->repo, draft.record.id, &record));
    STEP(t, stf__conf_expect_same(t, record, &expected));
}

static void created_and_updated(stf__conf *t)
{
    stf__conf_draft draft;
    const stf_record *record = NULL;
    stf__conf_draft_init(t, &draft, "a");
    draft.record.created = (stf_wall){1};
    draft.record.updated = (stf_wall){2};
    STEP(t, stf__conf_save(t, &draft));
    stf__conf_advance(t, 90 * STF__CONF_SECOND_US + 7);
    stf__conf_draft_next(t, &draft);
    STEP(t, stf__conf_save(t, &draft));
    STEP(t, stf__conf_must_load(t, "a", &record));
    EXPECT(t, record->created.us == STF__CONF_START_US, "created moved to %lld",
           (long long)record->created.us);
    EXPECT(t, record->updated.us == stf__conf_now(t).us, "updated %lld instead of %lld",
           (long long)record->updated.us, (long long)stf__conf_now(t).us);
}

/* Times before the epoch and in the far future, the largest numbers. */
static void extremes(stf__conf *t)
{
    static const int64_t times[] = {-1, 0, INT64_C(-62135596800000000),
                                    INT64_C(253402300799999999)};
    for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
        char id[] = "a0";
        stf__conf_draft draft;
        const stf_record *record = NULL;
        id[1] = (char)('0' + i);
        stf__conf_draft_init(t, &draft, id);
        draft.record.due = (stf_wall){times[i]};
        stf__conf_set_lease(&draft, "e", INT64_MAX, (stf_wall){times[i]});
        stf__conf_add_wait(&draft, UINT32_C(0x7fffffff), "k", (stf_wall){times[i]});
        draft.waits[0].until = (stf_wall){times[i]};
        draft.record.label_version = INT64_MAX;
        draft.record.status = 99;
        STEP(t, stf__conf_save(t, &draft));
        stf_record expected = expected_of(&draft);
        STEP(t, stf__conf_must_load(t, id, &record));
        /* The tenant "" became the default. */
        expected.tenant = record->tenant;
        STEP(t, stf__conf_expect_same(t, record, &expected));
    }
}

static void many_waits(stf__conf *t)
{
    enum {
        COUNT = 1000
    };
    stf_wait *waits = stf__conf_memory(t, COUNT * sizeof(*waits));
    EXPECT(t, waits != NULL, "memory");
    for (size_t i = 0; i < COUNT; i++) {
        /* Neither the keys nor the times are in the order of the list. */
        char start[2] = {(char)('a' + (i * 7) % 26), '\0'};
        waits[i] = (stf_wait){.kind = STF_WAIT_TASK,
                              .key = stf__conf_long_text(t, start, 1 + i % 200),
                              .since = {(int64_t)((i * 31) % COUNT)},
                              .until = stf_wall_none()};
    }
    stf__conf_draft draft;
    const stf_record *record = NULL;
    stf__conf_draft_init(t, &draft, "a");
    draft.record.waits = waits;
    draft.record.wait_count = COUNT;
    draft.record.tenant = stf_str_of("t");
    STEP(t, stf__conf_save(t, &draft));
    stf_record expected = expected_of(&draft);
    STEP(t, stf__conf_must_load(t, "a", &record));
    STEP(t, stf__conf_expect_same(t, record, &expected));
}

static void ids_by_bytes(stf__conf *t)
{
    static const char *const ids[] = {"a",         "A", "a ", " a", "\xc3\xa4",
                                      "a\xcc\x88", "%", "_",  "a%"};
    enum {
        COUNT = sizeof(ids) / sizeof(ids[0])
    };
    for (size_t i = 0; i < COUNT; i++) {
        STEP(t, stf__conf_create(t, ids[i], "g", STF_RECORD_ACTIVE, NULL, stf_wall_none()));
    }
    for (size_t i = 0; i < COUNT; i++) {
        const stf_record *record = NULL;
        STEP(t, stf__conf_must_load(t, ids[i], &record));
        EXPECT(t, stf_str_equal(record->id, stf_str_of(ids[i])), "another id came back");
    }
}

static stf_status refuse(void *user, const stf_record *record, stf_error *error)
{
    (void)user;
    (void)record;
    return stf_error_set(error, STF_CALLBACK, "CONFORMANCE", "the visitor refused");
}

static void visitor_status(stf__conf *t)
{
    bool is_found = false;
    STEP(t, stf__conf_create(t, "a", "g", STF_RECORD_ACTIVE, NULL, stf_wall_none()));
    EXPECT_STATUS(t,
                  stf_repository_load(t->repo, NULL, stf_str_of("a"), refuse, NULL, &is_found,
                                      stf__conf_error(t)),
                  STF_CALLBACK);
    EXPECT(t, !is_found, "an output was set on failure");
    const stf_record *record = NULL;
    STEP(t, stf__conf_must_load(t, "a", &record));
}

static void second_handle(stf__conf *t)
{
    const stf_record *record = NULL;
    STEP(t, stf__conf_open_second(t));
    STEP(t, stf__conf_create(t, "a", "g", STF_RECORD_ACTIVE, NULL, stf_wall_none()));
    STEP(t, stf__conf_load(t, t->second, stf_str_of("a"), &record));
    EXPECT(t, record != NULL, "the second handle does not see what the first one saved");
}

static const stf__conf_case cases[] = {
    {"load.absent", "an absent id is not found and no error", NULL, 0, absent},
    {"load.refusals", "empty, too long and malformed ids are refused", NULL, 0, refusals},
    {"load.fidelity", "every field comes back as it was given, times to the microsecond", NULL, 0,
     fidelity},
    {"load.fidelity-of-updates", "every field of an update replaces the one before", NULL, 0,
     fidelity_of_updates},
    {"load.created-and-updated", "the store keeps the time of creation and of the last save", NULL,
     0, created_and_updated},
    {"load.extremes", "times before the epoch and far ahead, the largest numbers", NULL, 0,
     extremes},
    {"load.many-waits", "a thousand waits come back in their order", NULL, 0, many_waits},
    {"load.ids-by-bytes", "ids differ when their bytes differ", NULL, 0, ids_by_bytes},
    {"load.visitor-status", "what the visitor answers is the answer of the load", NULL, 0,
     visitor_status},
    {"load.second-handle", "another handle sees what was saved", NULL, 0, second_handle},
};

STF__CONF_FAMILY(load, cases);
