/* SPDX-License-Identifier: Apache-2.0 */
/* Cases of what a save refuses, and of the order in which it refuses. */
#include "harness.h"

static void empty_id(stf__conf *t)
{
    stf__conf_draft draft;
    stf__conf_draft_init(t, &draft, "");
    STEP(t, stf__conf_save_refused(t, &draft, STF_EMPTY_NOT_ALLOWED));
}

static void empty_group(stf__conf *t)
{
    stf__conf_draft draft;
    stf__conf_draft_init(t, &draft, "a");
    draft.record.group = stf_str_of("");
    STEP(t, stf__conf_save_refused(t, &draft, STF_EMPTY_NOT_ALLOWED));
    STEP(t, stf__conf_expect_absent(t, "a"));
}

static void unregistered_group(stf__conf *t)
{
    stf__conf_draft draft;
    bool exists = true;
    stf__conf_draft_init(t, &draft, "a");
    draft.record.group = stf_str_of("nobody");
    STEP(t, stf__conf_save_refused(t, &draft, STF_NOT_FOUND));
    STEP(t, stf__conf_expect_absent(t, "a"));
    EXPECT_OK(t, stf_repository_group_exists(t->repo, NULL, stf_str_of("nobody"), &exists,
                                             stf__conf_error(t)));
    EXPECT(t, !exists, "a refused save registered its group");
}

static void negative_version(stf__conf *t)
{
    stf__conf_draft draft;
    stf__conf_draft_init(t, &draft, "a");
    draft.save.expected_version = -1;
    STEP(t, stf__conf_save_refused(t, &draft, STF_INVALID_ARGUMENT));
    STEP(t, stf__conf_expect_absent(t, "a"));
}

static void negative_duration(stf__conf *t)
{
    stf__conf_draft draft;
    stf__conf_draft_init(t, &draft, "a");
    stf__conf_set_lease(&draft, "engine-1", 1, stf_wall_none());
    draft.save.flags = STF_SAVE_LEASE_DURATION;
    draft.save.lease_duration_us = -1;
    STEP(t, stf__conf_save_refused(t, &draft, STF_INVALID_ARGUMENT));
}

static void unchanged_on_create(stf__conf *t)
{
    stf__conf_draft draft;
    stf__conf_draft_init(t, &draft, "a");
    draft.save.flags = STF_SAVE_KEEP_HEAD;
    STEP(t, stf__conf_save_refused(t, &draft, STF_INVALID_ARGUMENT));
    draft.save.flags = STF_SAVE_KEEP_BULK;
    STEP(t, stf__conf_save_refused(t, &draft, STF_INVALID_ARGUMENT));
    STEP(t, stf__conf_expect_absent(t, "a"));
}

/* A continuation byte alone, an overlong slash, a surrogate, a cut sequence, a NUL. */
static void not_utf8(stf__conf *t)
{
    static const stf_str bad[] = {
        {"\x80", 1}, {"\xc0\xaf", 2}, {"\xed\xa0\x80", 3}, {"\xe2\x82", 2}, {"a\0b", 3}};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        stf__conf_draft draft;
        stf__conf_draft_init(t, &draft, "a");
        draft.record.id = bad[i];
        STEP(t, stf__conf_save_refused(t, &draft, STF_INVALID_ARGUMENT));
        stf__conf_draft_init(t, &draft, "a");
        draft.record.tenant = bad[i];
        STEP(t, stf__conf_save_refused(t, &draft, STF_INVALID_ARGUMENT));
        stf__conf_draft_init(t, &draft, "a");
        draft.record.lease.owner = bad[i];
        STEP(t, stf__conf_save_refused(t, &draft, STF_INVALID_ARGUMENT));
        stf__conf_draft_init(t, &draft, "a");
        draft.record.label_key = bad[i];
        STEP(t, stf__conf_save_refused(t, &draft, STF_INVALID_ARGUMENT));
    }
    STEP(t, stf__conf_expect_absent(t, "a"));
}

/* One over the limit is refused, the limit itself is stored. */
static void name_limits(stf__conf *t)
{
    stf_str over = stf__conf_long_text(t, "", STF_LIMIT_ID_BYTES + 1);
    for (int i = 0; i < 5; i++) {
        stf__conf_draft draft;
        stf__conf_draft_init(t, &draft, "a");
        stf_str *fields[] = {&draft.record.id, &draft.record.group, &draft.record.tenant,
                             &draft.record.lease.owner, &draft.record.label_key};
        *fields[i] = over;
        STEP(t, stf__conf_save_refused(t, &draft, STF_LIMIT_EXCEEDED));
    }
    STEP(t, stf__conf_expect_absent(t, "a"));
    stf__conf_draft draft;
    const stf_record *record = NULL;
    stf__conf_draft_init(t, &draft, "a");
    stf_str longest = {over.data, STF_LIMIT_ID_BYTES};
    draft.record.id = draft.record.tenant = longest;
    draft.record.label_key = draft.record.lease.owner = longest;
    STEP(t, stf__conf_save(t, &draft));
    STEP(t, stf__conf_load(t, t->repo, longest, &record));
    EXPECT(t,
           record != NULL && stf_str_equal(record->tenant, longest) &&
               stf_str_equal(record->lease.owner, longest) &&
               stf_str_equal(record->label_key, longest),
           "the longest names did not come back");
}

static void wait_limits(stf__conf *t)
{
    stf__conf_draft draft;
    stf__conf_draft_init(t, &draft, "a");
    stf__conf_add_wait(&draft, STF_WAIT_MESSAGE, "", stf__conf_now(t));
    draft.waits[0].key = stf__conf_long_text(t, "", STF_LIMIT_WAIT_KEY_BYTES + 1);
    STEP(t, stf__conf_save_refused(t, &draft, STF_LIMIT_EXCEEDED));
    draft.waits[0].key.size = STF_LIMIT_WAIT_KEY_BYTES;
    STEP(t, stf__conf_save(t, &draft));

    stf_wait *waits = stf__conf_memory(t, (STF_LIMIT_WAITS + 1) * sizeof(*waits));
    EXPECT(t, waits != NULL, "memory");
    stf__conf_draft_init(t, &draft, "b");
    draft.record.waits = waits;
    draft.record.wait_count = STF_LIMIT_WAITS + 1;
    STEP(t, stf__conf_save_refused(t, &draft, STF_LIMIT_EXCEEDED));
    STEP(t, stf__conf_expect_absent(t, "b"));
}

/* Each save has two faults; the earlier class of the contract is the answer. */
static void order_without_record(stf__conf *t)
{
    stf_str over = stf__conf_long_text(t, "", STF_LIMIT_ID_BYTES + 1);
    stf__conf_draft draft;
    stf__conf_draft_init(t, &draft, "");
    draft.record.tenant = over;
    STEP(t, stf__conf_save_refused(t, &draft, STF_EMPTY_NOT_ALLOWED));
    stf__conf_draft_init(t, &draft, "a");
    draft.record.group = stf_str_of("");
    draft.record.id = over;
    STEP(t, stf__conf_save_refused(t, &draft, STF_EMPTY_NOT_ALLOWED));
    stf__conf_draft_init(t, &draft, "a");
    draft.record.group = stf_str_of("nobody");
    draft.record.label_key = over;
    STEP(t, stf__conf_save_refused(t, &draft, STF_LIMIT_EXCEEDED));
    stf__conf_draft_init(t, &draft, "a");
    draft.record.group = stf_str_of("nobody");
    draft.save.expected_version = -1;
    STEP(t, stf__conf_save_refused(t, &draft, STF_NOT_FOUND));
    stf__conf_draft_init(t, &draft, "a");
    draft.record.group = stf_str_of("nobody");
    draft.save.flags = STF_SAVE_KEEP_BULK;
    STEP(t, stf__conf_save_refused(t, &draft, STF_NOT_FOUND));
    stf__conf_draft_init(t, &draft, "a");
    draft.record.group = stf_str_of("nobody");
    draft.save.expected_version = 4;
    STEP(t, stf__conf_save_refused(t, &draft, STF_NOT_FOUND));
    STEP(t, stf__conf_expect_absent(t, "a"));
}

static void order_with_record(stf__conf *t)
{
    stf__conf_draft draft;
    stf__conf_draft_init(t, &draft, "a");
    draft.record.tenant = stf_str_of("t1");
    STEP(t, stf__conf_save(t, &draft));
    /* A stale version throughout: the record's identity is looked at first. */
    stf__conf_draft_init(t, &draft, "a");
    draft.record.group = stf_str_of("nobody");
    draft.save.expected_version = 9;
    STEP(t, stf__conf_save_refused(t, &draft, STF_NOT_FOUND));
    draft.record.group = stf_str_of("h");
    STEP(t, stf__conf_save_refused(t, &draft, STF_INVALID_ARGUMENT));
    draft.record.group = stf_str_of("g");
    draft.record.tenant = stf_str_of("t2");
    STEP(t, stf__conf_save_refused(t, &draft, STF_INVALID_ARGUMENT));
    draft.record.tenant = stf_str_of("t1");
    STEP(t, stf__conf_save_refused(t, &draft, STF_CONCURRENT_UPDATE));
}

static const stf__conf_case cases[] = {
    {"save.empty-id", "an empty id is EMPTY_NOT_ALLOWED", NULL, 0, empty_id},
    {"save.empty-group", "an empty group is EMPTY_NOT_ALLOWED", NULL, 0, empty_group},
    {"save.unregistered-group", "a group that is not registered is NOT_FOUND and stays so", NULL, 0,
     unregistered_group},
    {"save.negative-version", "a negative version is INVALID_ARGUMENT", NULL, 0, negative_version},
    {"save.negative-duration", "a negative lease duration is INVALID_ARGUMENT", NULL, 0,
     negative_duration},
    {"save.unchanged-on-create", "a record that is created has no unchanged part", NULL, 0,
     unchanged_on_create},
    {"save.not-utf8", "names that are not UTF-8 are INVALID_ARGUMENT", NULL, 0, not_utf8},
    {"save.name-limits", "names over 255 bytes are LIMIT_EXCEEDED, those of 255 are stored", NULL,
     0, name_limits},
    {"save.wait-limits", "too many waits and too long keys are LIMIT_EXCEEDED", NULL, 0,
     wait_limits},
    {"save.refusal-order", "of several faults the earlier class of the contract is the answer",
     NULL, 0, order_without_record},
    {"save.refusal-order-of-a-stored-record", "identity is looked at before the comparison", NULL,
     0, order_with_record},
};

STF__CONF_FAMILY(refusals, cases);
