/* SPDX-License-Identifier: Apache-2.0 */
/* Cases of the zombie: an engine that held a record, slept past its lease, and comes back after
 * another engine has claimed it through its own handle. Whatever it still sends is refused, and
 * nothing of it shows. */
#include "harness.h"

#define LEASE_US (30 * STF__CONF_SECOND_US)

/* Two engines and the record "a" that both have saved: first A, then B with the next incarnation.
 */
typedef struct zombie {
    stf__conf_draft a; /* what A knows: its own save */
    stf__conf_draft b;
    const stf_record *claimed; /* as B left it */
} zombie;

static void save_by_b(stf__conf *t, zombie *z)
{
    EXPECT_OK(t,
              stf_repository_save(t->second, NULL, &z->b.save, &z->b.result, stf__conf_error(t)));
}

static void prepare(stf__conf *t, zombie *z)
{
    STEP(t, stf__conf_open_second(t));
    stf__conf_draft_init(t, &z->a, "a");
    z->a.record.head = stf__conf_bytes("A before");
    z->a.record.bulk = stf__conf_bytes("A's bulk");
    stf__conf_set_lease(&z->a, "engine-a", 1, stf_wall_none());
    z->a.save.flags |= STF_SAVE_LEASE_DURATION;
    z->a.save.lease_duration_us = LEASE_US;
    STEP(t, stf__conf_save(t, &z->a));
    STEP(t, stf__conf_expect_in_flight(t, "g", stf__conf_now(t), ""));
    stf__conf_advance(t, LEASE_US);
    STEP(t, stf__conf_expect_in_flight(t, "g", stf__conf_now(t), "a"));

    stf__conf_draft_init(t, &z->b, "a");
    z->b.result = z->a.result;
    stf__conf_draft_next(t, &z->b);
    z->b.record.head = stf__conf_bytes("B's head");
    z->b.record.bulk = stf__conf_bytes("B's bulk");
    z->b.record.due = stf__conf_after(t, 5);
    stf__conf_set_lease(&z->b, "engine-b", 2, stf__conf_after(t, LEASE_US));
    stf__conf_add_wait(&z->b, STF_WAIT_TASK, "approve", stf__conf_now(t));
    STEP(t, save_by_b(t, z));
    STEP(t, stf__conf_must_load(t, "a", &z->claimed));
    EXPECT(t, z->claimed->lease.incarnation == 2, "incarnation %lld after the claim",
           (long long)z->claimed->lease.incarnation);
}

/* Through both handles. */
static void expect_as_claimed(stf__conf *t, const zombie *z)
{
    stf_repository *const handles[] = {t->repo, t->second};
    for (size_t i = 0; i < 2; i++) {
        const stf_record *record = NULL;
        STEP(t, stf__conf_load(t, handles[i], stf_str_of("a"), &record));
        EXPECT(t, record != NULL, "the record is gone");
        STEP(t, stf__conf_expect_same(t, record, z->claimed));
        EXPECT(t, stf__conf_is_bytes(record->bulk, "B's bulk"), "the bulk is not B's");
    }
}

static void zombie_save(stf__conf *t)
{
    zombie z;
    STEP(t, prepare(t, &z));
    stf__conf_draft_next(t, &z.a);
    z.a.record.head = stf__conf_bytes("A after");
    z.a.record.due = stf_wall_none();
    STEP(t, stf__conf_save_refused(t, &z.a, STF_CONCURRENT_UPDATE));
    STEP(t, expect_as_claimed(t, &z));
    /* Again, without the attempt, and with parts unchanged: no way around the comparison. */
    static const uint32_t flags[] = {0, STF_SAVE_KEEP_BULK, STF_SAVE_KEEP_HEAD,
                                     STF_SAVE_LEASE_DURATION};
    for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
        z.a.save.flags = flags[i];
        STEP(t, stf__conf_save_refused(t, &z.a, STF_CONCURRENT_UPDATE));
    }
    STEP(t, expect_as_claimed(t, &z));
    /* B goes on as if nothing had been. */
    stf__conf_draft_next(t, &z.b);
    STEP(t, save_by_b(t, &z));
    EXPECT(t, z.b.result.rec_version == 3, "version %lld", (long long)z.b.result.rec_version);
}

static void zombie_batch(stf__conf *t)
{
    zombie z;
    stf__conf_draft other;
    stf_save_result results[2];
    const stf_record *record = NULL;
    STEP(t, prepare(t, &z));
    stf__conf_draft_init(t, &other, "other");
    stf__conf_draft_next(t, &z.a);
    z.a.record.head = stf__conf_bytes("A after");
    stf_save saves[2] = {z.a.save, other.save};
    EXPECT_OK(t, stf_repository_save_many(t->repo, NULL, saves, 2, results, stf__conf_error(t)));
    EXPECT(t, results[0].status == STF_CONCURRENT_UPDATE, "%s for the zombie's save",
           stf_status_name((stf_status)results[0].status));
    EXPECT(t, results[1].status == STF_OK, "%s for its neighbour",
           stf_status_name((stf_status)results[1].status));
    STEP(t, expect_as_claimed(t, &z));
    STEP(t, stf__conf_must_load(t, "other", &record));
}

static void zombie_delete(stf__conf *t)
{
    zombie z;
    STEP(t, prepare(t, &z));
    stf_delete request = {.struct_size = sizeof(request),
                          .abi = STF_DELETE_ABI,
                          .flags = STF_DELETE_HAS_ATTEMPT_SEEN,
                          .id = stf_str_of("a"),
                          .expected_version = z.a.result.rec_version,
                          .attempt_seen = z.a.result.attempt};
    EXPECT_STATUS(t, stf_repository_delete(t->repo, NULL, &request, stf__conf_error(t)),
                  STF_CONCURRENT_UPDATE);
    STEP(t, expect_as_claimed(t, &z));
}

/* Even a save that wins, because its sender has loaded, brings no old incarnation back. */
static void incarnation(stf__conf *t)
{
    zombie z;
    const stf_record *record = NULL;
    STEP(t, prepare(t, &z));
    z.a.result = z.b.result;
    stf__conf_draft_next(t, &z.a);
    STEP(t, stf__conf_save(t, &z.a));
    STEP(t, stf__conf_must_load(t, "a", &record));
    EXPECT(t, record->lease.incarnation == 2, "the incarnation went from 2 to %lld",
           (long long)record->lease.incarnation);
    stf__conf_set_lease(&z.a, "", 0, stf_wall_none());
    z.a.save.flags = 0;
    stf__conf_draft_next(t, &z.a);
    STEP(t, stf__conf_save(t, &z.a));
    STEP(t, stf__conf_must_load(t, "a", &record));
    EXPECT(t, record->lease.owner.size == 0 && record->lease.incarnation == 2,
           "a release took the incarnation from 2 to %lld", (long long)record->lease.incarnation);
}

static const stf__conf_case cases[] = {
    {"fencing.zombie", "a holder whose record was claimed after its lease writes nothing any more",
     NULL, 0, zombie_save},
    {"fencing.zombie-batch", "nor in a batch, whose other records are saved", NULL, 0,
     zombie_batch},
    {"fencing.zombie-delete", "nor can it delete the record", NULL, 0, zombie_delete},
    {"fencing.incarnation", "no save of an earlier holder takes the incarnation down", NULL, 0,
     incarnation},
};

STF__CONF_FAMILY(fencing, cases);
