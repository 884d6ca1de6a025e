/* SPDX-License-Identifier: Apache-2.0 */
/* Cases of save: the comparison, the lease, the incarnation. */
#include "harness.h"

static void creates(stf__conf *t)
{
    stf__conf_draft draft;
    const stf_record *record = NULL;
    stf__conf_draft_init(t, &draft, "a");
    STEP(t, stf__conf_save(t, &draft));
    EXPECT(t, draft.result.rec_version == 1, "version %lld", (long long)draft.result.rec_version);
    EXPECT(t, stf__conf_is_attempt(draft.result.attempt, draft.save.attempt), "returned attempt");
    EXPECT(t, draft.result.status == STF_OK, "result status %u", draft.result.status);
    STEP(t, stf__conf_must_load(t, "a", &record));
    EXPECT(t, record->rec_version == 1, "stored version %lld", (long long)record->rec_version);
    EXPECT(t, stf__conf_is_attempt(record->attempt, draft.save.attempt), "stored attempt");
    EXPECT(t, stf__conf_is_bytes(record->head, "head"), "stored head");
}

static void updates(stf__conf *t)
{
    stf__conf_draft draft;
    const stf_record *record = NULL;
    stf__conf_draft_init(t, &draft, "a");
    STEP(t, stf__conf_save(t, &draft));
    for (int64_t version = 2; version < 6; version++) {
        stf__conf_draft_next(t, &draft);
        draft.record.head = stf__conf_bytes("other head");
        STEP(t, stf__conf_save(t, &draft));
        EXPECT(t, draft.result.rec_version == version, "version %lld instead of %lld",
               (long long)draft.result.rec_version, (long long)version);
        EXPECT(t, stf__conf_is_attempt(draft.result.attempt, draft.save.attempt), "attempt");
    }
    STEP(t, stf__conf_must_load(t, "a", &record));
    EXPECT(t, record->rec_version == 5, "stored version");
    EXPECT(t, stf__conf_is_attempt(record->attempt, draft.save.attempt), "stored attempt");
    EXPECT(t, stf__conf_is_bytes(record->head, "other head"), "stored head");
}

static void stale_version(stf__conf *t)
{
    stf__conf_draft draft;
    stf__conf_draft_init(t, &draft, "a");
    STEP(t, stf__conf_save(t, &draft));
    stf__conf_draft_next(t, &draft);
    STEP(t, stf__conf_save(t, &draft));
    /* Version 2 is stored; 1 is the past and 3 the future. */
    draft.save.flags = 0;
    draft.record.head = stf__conf_bytes("lost");
    draft.save.expected_version = 1;
    STEP(t, stf__conf_save_refused(t, &draft, STF_CONCURRENT_UPDATE));
    draft.save.expected_version = 3;
    STEP(t, stf__conf_save_refused(t, &draft, STF_CONCURRENT_UPDATE));
}

static void create_existing(stf__conf *t)
{
    stf__conf_draft draft;
    stf__conf_draft_init(t, &draft, "a");
    STEP(t, stf__conf_save(t, &draft));
    stf__conf_draft_init(t, &draft, "a");
    draft.record.head = stf__conf_bytes("lost");
    STEP(t, stf__conf_save_refused(t, &draft, STF_CONCURRENT_UPDATE));
}

/* R9: the version alone does not tell a record from its successor of the same id. */
static void stale_attempt(stf__conf *t)
{
    stf__conf_draft first;
    stf__conf_draft second;
    stf__conf_draft_init(t, &first, "a");
    STEP(t, stf__conf_save(t, &first));
    stf_delete gone = {.struct_size = sizeof(gone),
                       .abi = STF_DELETE_ABI,
                       .id = stf_str_of("a"),
                       .expected_version = 1};
    EXPECT_OK(t, stf_repository_delete(t->repo, NULL, &gone, stf__conf_error(t)));
    stf__conf_draft_init(t, &second, "a");
    second.record.head = stf__conf_bytes("second life");
    STEP(t, stf__conf_save(t, &second));
    stf__conf_draft_next(t, &first);
    STEP(t, stf__conf_save_refused(t, &first, STF_CONCURRENT_UPDATE));
    stf__conf_draft_next(t, &second);
    STEP(t, stf__conf_save(t, &second));
}

static void without_attempt(stf__conf *t)
{
    stf__conf_draft draft;
    stf__conf_draft_init(t, &draft, "a");
    STEP(t, stf__conf_save(t, &draft));
    stf__conf_draft_next(t, &draft);
    draft.save.flags = 0;
    memset(&draft.save.attempt_seen, 0xee, sizeof(draft.save.attempt_seen));
    STEP(t, stf__conf_save(t, &draft));
}

static void version_for_absent_id(stf__conf *t)
{
    stf__conf_draft draft;
    stf__conf_draft_init(t, &draft, "a");
    draft.save.expected_version = 1;
    STEP(t, stf__conf_save_refused(t, &draft, STF_CONCURRENT_UPDATE));
    STEP(t, stf__conf_expect_absent(t, "a"));
}

static void lease_duration(stf__conf *t)
{
    stf__conf_draft draft;
    const stf_record *record = NULL;
    stf__conf_draft_init(t, &draft, "a");
    stf__conf_advance(t, 7 * STF__CONF_SECOND_US + 1);
    stf__conf_set_lease(&draft, "engine-1", 1, stf_wall_none());
    draft.save.flags = STF_SAVE_LEASE_DURATION;
    draft.save.lease_duration_us = 30 * STF__CONF_SECOND_US;
    STEP(t, stf__conf_save(t, &draft));
    int64_t wanted = stf__conf_after(t, 30 * STF__CONF_SECOND_US).us;
    EXPECT(t, draft.result.lease_expiry.us == wanted, "returned expiry %lld instead of %lld",
           (long long)draft.result.lease_expiry.us, (long long)wanted);
    STEP(t, stf__conf_must_load(t, "a", &record));
    EXPECT(t, record->lease.expiry.us == wanted, "stored expiry %lld instead of %lld",
           (long long)record->lease.expiry.us, (long long)wanted);
}

static void lease_instant(stf__conf *t)
{
    stf__conf_draft draft;
    const stf_record *record = NULL;
    stf_wall expiry = {STF__CONF_START_US + 654321};
    stf__conf_draft_init(t, &draft, "a");
    stf__conf_set_lease(&draft, "engine-1", 1, expiry);
    draft.save.lease_duration_us = 5; /* without the flag it means nothing */
    STEP(t, stf__conf_save(t, &draft));
    EXPECT(t, draft.result.lease_expiry.us == expiry.us, "returned expiry %lld",
           (long long)draft.result.lease_expiry.us);
    STEP(t, stf__conf_must_load(t, "a", &record));
    EXPECT(t, record->lease.expiry.us == expiry.us, "stored expiry %lld",
           (long long)record->lease.expiry.us);
    EXPECT(t, stf_str_equal(record->lease.owner, stf_str_of("engine-1")), "stored owner");
}

static void lease_released(stf__conf *t)
{
    stf__conf_draft draft;
    const stf_record *record = NULL;
    stf__conf_draft_init(t, &draft, "a");
    stf__conf_set_lease(&draft, "engine-1", 1, stf__conf_after(t, STF__CONF_SECOND_US));
    STEP(t, stf__conf_save(t, &draft));
    stf__conf_draft_next(t, &draft);
    stf__conf_set_lease(&draft, "", 1, stf_wall_none());
    draft.save.flags |= STF_SAVE_LEASE_DURATION;
    draft.save.lease_duration_us = STF__CONF_SECOND_US;
    STEP(t, stf__conf_save(t, &draft));
    EXPECT(t, stf_wall_is_none(draft.result.lease_expiry), "an expiry without an owner");
    STEP(t, stf__conf_must_load(t, "a", &record));
    EXPECT(t, record->lease.owner.size == 0, "the owner is still there");
    EXPECT(t, record->lease.incarnation == 1, "the incarnation went with the owner");
}

static void incarnation_never_down(stf__conf *t)
{
    stf__conf_draft draft;
    const stf_record *record = NULL;
    stf__conf_draft_init(t, &draft, "a");
    stf__conf_set_lease(&draft, "engine-1", 5, stf__conf_after(t, STF__CONF_SECOND_US));
    STEP(t, stf__conf_save(t, &draft));
    stf__conf_draft_next(t, &draft);
    draft.record.lease.incarnation = 3;
    STEP(t, stf__conf_save(t, &draft));
    STEP(t, stf__conf_must_load(t, "a", &record));
    EXPECT(t, record->lease.incarnation == 5, "the incarnation went from 5 to %lld",
           (long long)record->lease.incarnation);
    stf__conf_draft_next(t, &draft);
    draft.record.lease.incarnation = 6;
    STEP(t, stf__conf_save(t, &draft));
    STEP(t, stf__conf_must_load(t, "a", &record));
    EXPECT(t, record->lease.incarnation == 6, "the incarnation is %lld instead of 6",
           (long long)record->lease.incarnation);
}

static void terminal_is_not_absorbing(stf__conf *t)
{
    stf__conf_draft draft;
    const stf_record *record = NULL;
    stf__conf_draft_init(t, &draft, "a");
    draft.record.status = STF_RECORD_COMPLETED;
    STEP(t, stf__conf_save(t, &draft));
    stf__conf_draft_next(t, &draft);
    draft.record.status = STF_RECORD_ACTIVE;
    STEP(t, stf__conf_save(t, &draft));
    STEP(t, stf__conf_must_load(t, "a", &record));
    EXPECT(t, record->status == STF_RECORD_ACTIVE, "status %u", record->status);
    STEP(t, stf__conf_expect_in_flight(t, "g", stf__conf_now(t), "a"));
}

static void group_immutable(stf__conf *t)
{
    stf__conf_draft draft;
    stf__conf_draft_init(t, &draft, "a");
    STEP(t, stf__conf_save(t, &draft));
    stf__conf_draft_next(t, &draft);
    draft.record.group = stf_str_of("h");
    STEP(t, stf__conf_save_refused(t, &draft, STF_INVALID_ARGUMENT));
}

static void tenant_immutable(stf__conf *t)
{
    stf__conf_draft draft;
    stf__conf_draft_init(t, &draft, "a");
    draft.record.tenant = stf_str_of("t1");
    STEP(t, stf__conf_save(t, &draft));
    stf__conf_draft_next(t, &draft);
    draft.record.tenant = stf_str_of("t2");
    STEP(t, stf__conf_save_refused(t, &draft, STF_INVALID_ARGUMENT));
    draft.record.tenant = stf_str_of("t1");
    STEP(t, stf__conf_save(t, &draft));
}

static void cancelled(stf__conf *t)
{
    stf__conf_draft draft;
    stf_save_result result;
    stf_ctx late = STF_CTX_INIT;
    late.clock = &t->clock;
    late.flags = STF_CTX_HAS_DEADLINE;
    late.deadline = (stf_mono){-1};
    stf__conf_draft_init(t, &draft, "a");
    EXPECT_STATUS(t, stf_repository_save(t->repo, &late, &draft.save, &result, stf__conf_error(t)),
                  STF_DEADLINE_EXCEEDED);
    STEP(t, stf__conf_expect_absent(t, "a"));
    stf_cancel *cancel = NULL;
    EXPECT_OK(t, stf_cancel_new(NULL, &cancel, stf__conf_error(t)));
    stf_cancel_request(cancel);
    stf_ctx stopped = STF_CTX_INIT;
    stopped.cancel = cancel;
    stf_status status =
        stf_repository_save(t->repo, &stopped, &draft.save, &result, stf__conf_error(t));
    stf_cancel_unref(cancel);
    EXPECT_STATUS(t, status, STF_CANCELLED);
    STEP(t, stf__conf_expect_absent(t, "a"));
}

static const stf__conf_case cases[] = {
    {"save.create", "version 0 creates a record at version 1 with the attempt that was given", NULL,
     0, creates},
    {"save.update", "each accepted save stores the version plus one and its own attempt", NULL, 0,
     updates},
    {"save.stale-version", "another version than the stored one is CONCURRENT_UPDATE", NULL, 0,
     stale_version},
    {"save.create-existing", "version 0 for an id that exists is CONCURRENT_UPDATE", NULL, 0,
     create_existing},
    {"save.stale-attempt", "an id that was deleted and made again never matches an old attempt",
     NULL, 0, stale_attempt},
    {"save.without-attempt", "an attempt is compared only where it is given", NULL, 0,
     without_attempt},
    {"save.version-for-absent-id", "a version for an absent id is CONCURRENT_UPDATE", NULL, 0,
     version_for_absent_id},
    {"save.lease-duration", "a lease given as a duration ends at the store's now plus it", NULL, 0,
     lease_duration},
    {"save.lease-instant", "a lease given as an instant ends at that microsecond", NULL, 0,
     lease_instant},
    {"save.lease-released", "a record without an owner has no expiry and keeps its incarnation",
     NULL, 0, lease_released},
    {"save.incarnation-never-down", "the stored incarnation never goes down", NULL, 0,
     incarnation_never_down},
    {"save.terminal-is-not-absorbing", "an ended record may be saved back to a live status", NULL,
     0, terminal_is_not_absorbing},
    {"save.group-immutable", "a record stays in its group", NULL, 0, group_immutable},
    {"save.tenant-immutable", "a record stays with its tenant", NULL, 0, tenant_immutable},
    {"save.cancelled", "CANCELLED and DEADLINE_EXCEEDED mean that nothing was written", NULL, 0,
     cancelled},
};

STF__CONF_FAMILY(save, cases);
