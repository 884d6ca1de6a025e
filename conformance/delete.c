/* SPDX-License-Identifier: Apache-2.0 */
/* Cases of delete. */
#include "harness.h"

static stf_delete request_for(const char *id, int64_t version)
{
    return (stf_delete){.struct_size = sizeof(stf_delete),
                        .abi = STF_DELETE_ABI,
                        .id = stf_str_of(id),
                        .expected_version = version};
}

static stf_status run_delete(stf__conf *t, const stf_delete *request)
{
    return stf_repository_delete(t->repo, NULL, request, stf__conf_error(t));
}

static void idempotent(stf__conf *t)
{
    STEP(t, stf__conf_create(t, "a", "g", STF_RECORD_ACTIVE, NULL, stf_wall_none()));
    STEP(t, stf__conf_create(t, "b", "g", STF_RECORD_ACTIVE, NULL, stf_wall_none()));
    stf_delete gone = request_for("a", 1);
    EXPECT_OK(t, run_delete(t, &gone));
    STEP(t, stf__conf_expect_absent(t, "a"));
    EXPECT_OK(t, run_delete(t, &gone));
    stf_delete never = request_for("never", 7);
    EXPECT_OK(t, run_delete(t, &never));
    const stf_record *record = NULL;
    STEP(t, stf__conf_must_load(t, "b", &record));
    STEP(t, stf__conf_expect_in_flight(t, "g", stf__conf_now(t), "b"));
}

static void compares_version(stf__conf *t)
{
    const stf_record *record = NULL;
    STEP(t, stf__conf_create(t, "a", "g", STF_RECORD_ACTIVE, NULL, stf_wall_none()));
    static const int64_t others[] = {0, 2};
    for (size_t i = 0; i < 2; i++) {
        stf_delete stale = request_for("a", others[i]);
        EXPECT_STATUS(t, run_delete(t, &stale), STF_CONCURRENT_UPDATE);
        STEP(t, stf__conf_must_load(t, "a", &record));
    }
}

static void compares_attempt(stf__conf *t)
{
    const stf_record *record = NULL;
    STEP(t, stf__conf_create(t, "a", "g", STF_RECORD_ACTIVE, NULL, stf_wall_none()));
    STEP(t, stf__conf_must_load(t, "a", &record));
    stf_delete request = request_for("a", 1);
    request.flags = STF_DELETE_HAS_ATTEMPT_SEEN;
    stf__conf_draw_attempt(t, &request.attempt_seen);
    EXPECT_STATUS(t, run_delete(t, &request), STF_CONCURRENT_UPDATE);
    request.attempt_seen = record->attempt;
    EXPECT_OK(t, run_delete(t, &request));
    STEP(t, stf__conf_expect_absent(t, "a"));
}

static void any_version(stf__conf *t)
{
    STEP(t, stf__conf_create(t, "a", "g", STF_RECORD_ACTIVE, NULL, stf_wall_none()));
    stf_delete request = request_for("a", 0);
    request.flags = STF_DELETE_ANY;
    EXPECT_OK(t, run_delete(t, &request));
    STEP(t, stf__conf_expect_absent(t, "a"));
}

static void refusals(stf__conf *t)
{
    stf_delete request = request_for("", 1);
    EXPECT_STATUS(t, run_delete(t, &request), STF_EMPTY_NOT_ALLOWED);
    request.id = stf__conf_long_text(t, "", STF_LIMIT_ID_BYTES + 1);
    EXPECT_STATUS(t, run_delete(t, &request), STF_LIMIT_EXCEEDED);
    request = request_for("a", -1);
    EXPECT_STATUS(t, run_delete(t, &request), STF_INVALID_ARGUMENT);
}

static void starts_anew(stf__conf *t)
{
    stf__conf_draft draft;
    const stf_record *record = NULL;
    stf__conf_draft_init(t, &draft, "a");
    draft.record.bulk = stf__conf_bytes("old bulk");
    stf__conf_set_lease(&draft, "engine-1", 9, stf__conf_now(t));
    STEP(t, stf__conf_save(t, &draft));
    stf_delete request = request_for("a", 1);
    EXPECT_OK(t, run_delete(t, &request));
    stf__conf_advance(t, STF__CONF_SECOND_US);
    stf__conf_draft_init(t, &draft, "a");
    draft.record.group = stf_str_of("h");
    STEP(t, stf__conf_save(t, &draft));
    STEP(t, stf__conf_must_load(t, "a", &record));
    EXPECT(t, record->rec_version == 1, "version %lld", (long long)record->rec_version);
    EXPECT(t, record->lease.incarnation == 0, "the incarnation survived the delete");
    EXPECT(t, record->bulk.size == 0, "the bulk survived the delete");
    EXPECT(t, record->created.us == stf__conf_now(t).us, "the time of creation survived");
    EXPECT(t, stf_str_equal(record->group, stf_str_of("h")), "the group survived the delete");
}

static const stf__conf_case cases[] = {
    {"delete.idempotent", "a deleted record is gone, and deleting what is absent is OK", NULL, 0,
     idempotent},
    {"delete.compares-version", "another version is CONCURRENT_UPDATE and nothing goes", NULL, 0,
     compares_version},
    {"delete.compares-attempt", "another attempt is CONCURRENT_UPDATE and nothing goes", NULL, 0,
     compares_attempt},
    {"delete.any-version", "a flag deletes whatever the version", NULL, 0, any_version},
    {"delete.refusals", "empty and too long ids and negative versions are refused", NULL, 0,
     refusals},
    {"delete.starts-anew", "an id that is made again has nothing of its predecessor", NULL, 0,
     starts_anew},
};

STF__CONF_FAMILY(delete, cases);
