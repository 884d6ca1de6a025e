/* SPDX-License-Identifier: Apache-2.0 */
/* Cases of the lost reply (R3): the answer of a save does not arrive, whether the store applied it
 * or not, and the caller repeats the identical save until it has an answer. These are what that
 * rests on: a save that was applied is refused the second time and its attempt is in the record;
 * one that was not is simply saved. */
#include "harness.h"

/* What the caller does whose answer is lost: the store may have applied the save, the caller knows
 * nothing of it. */
static void lose_answer(stf__conf *t, const stf__conf_draft *draft)
{
    stf_save_result lost;
    EXPECT_OK(t, stf_repository_save(t->repo, NULL, &draft->save, &lost, stf__conf_error(t)));
}

/* The record carries our save, once. */
static void expect_ours(stf__conf *t, const stf__conf_draft *draft)
{
    const stf_record *record = NULL;
    STEP(t, stf__conf_must_load(t, "a", &record));
    EXPECT(t, stf__conf_is_attempt(record->attempt, draft->save.attempt),
           "the record does not show the attempt of the applied save");
    EXPECT(t, record->rec_version == draft->save.expected_version + 1,
           "version %lld instead of %lld", (long long)record->rec_version,
           (long long)draft->save.expected_version + 1);
    EXPECT(t, stf__conf_is_bytes(record->head, "ours"), "the head is not that of the save");
}

static void prepare(stf__conf *t, stf__conf_draft *draft)
{
    stf__conf_draft_init(t, draft, "a");
    STEP(t, stf__conf_save(t, draft));
    stf__conf_draft_next(t, draft);
    draft->record.head = stf__conf_bytes("ours");
}

static void applied(stf__conf *t)
{
    stf__conf_draft draft;
    STEP(t, prepare(t, &draft));
    STEP(t, lose_answer(t, &draft));
    for (size_t repeats = 0; repeats < 3; repeats++) {
        STEP(t, stf__conf_save_refused(t, &draft, STF_CONCURRENT_UPDATE));
        STEP(t, expect_ours(t, &draft));
    }
}

static void applied_create(stf__conf *t)
{
    stf__conf_draft draft;
    stf__conf_draft_init(t, &draft, "a");
    draft.record.head = stf__conf_bytes("ours");
    STEP(t, lose_answer(t, &draft));
    STEP(t, stf__conf_save_refused(t, &draft, STF_CONCURRENT_UPDATE));
    STEP(t, expect_ours(t, &draft));
}

static void not_applied(stf__conf *t)
{
    stf__conf_draft draft;
    const stf_record *record = NULL;
    STEP(t, prepare(t, &draft));
    STEP(t, stf__conf_must_load(t, "a", &record));
    EXPECT(t, !stf__conf_is_attempt(record->attempt, draft.save.attempt),
           "an attempt that was never saved");
    STEP(t, stf__conf_save(t, &draft)); /* the repeat is the first that arrives */
    STEP(t, expect_ours(t, &draft));
    STEP(t, stf__conf_save_refused(t, &draft, STF_CONCURRENT_UPDATE));
    STEP(t, expect_ours(t, &draft));
}

/* Somebody saved over it before the repeat: the repeat must not win by its attempt. */
static void overtaken(stf__conf *t)
{
    stf__conf_draft draft;
    stf__conf_draft theirs;
    const stf_record *record = NULL;
    STEP(t, stf__conf_open_second(t));
    STEP(t, prepare(t, &draft));
    STEP(t, lose_answer(t, &draft));
    stf__conf_draft_init(t, &theirs, "a");
    theirs.result.rec_version = draft.save.expected_version + 1;
    theirs.result.attempt = draft.save.attempt;
    stf__conf_draft_next(t, &theirs);
    theirs.record.head = stf__conf_bytes("theirs");
    EXPECT_OK(
        t, stf_repository_save(t->second, NULL, &theirs.save, &theirs.result, stf__conf_error(t)));
    STEP(t, stf__conf_save_refused(t, &draft, STF_CONCURRENT_UPDATE));
    STEP(t, stf__conf_must_load(t, "a", &record));
    EXPECT(t, stf__conf_is_bytes(record->head, "theirs"), "the later save was written over");
    EXPECT(t, record->rec_version == 3, "version %lld", (long long)record->rec_version);
}

/* Each record of a batch is settled by itself: one had been applied, the other had not. */
static void batch(stf__conf *t)
{
    stf__conf_draft drafts[2];
    stf_save_result results[2];
    STEP(t, prepare(t, &drafts[0]));
    STEP(t, lose_answer(t, &drafts[0]));
    stf__conf_draft_init(t, &drafts[1], "b");
    stf_save saves[2] = {drafts[0].save, drafts[1].save};
    for (size_t repeats = 0; repeats < 2; repeats++) {
        EXPECT_OK(t,
                  stf_repository_save_many(t->repo, NULL, saves, 2, results, stf__conf_error(t)));
        EXPECT(t, results[0].status == STF_CONCURRENT_UPDATE, "%s for the applied one",
               stf_status_name((stf_status)results[0].status));
        stf_status expected = repeats == 0 ? STF_OK : STF_CONCURRENT_UPDATE;
        EXPECT(t, results[1].status == (uint32_t)expected, "%s for the other one",
               stf_status_name((stf_status)results[1].status));
        STEP(t, expect_ours(t, &drafts[0]));
    }
}

/* Journal rows come with the save that won, and not again with its repeat. */
static stf_status count_row(void *user, int64_t version, uint64_t position,
                            const stf_journal_row *row, stf_error *error)
{
    (void)version;
    (void)position;
    (void)row;
    (void)error;
    ++*(size_t *)user;
    return STF_OK;
}

static void journal(stf__conf *t)
{
    stf__conf_draft draft;
    size_t rows = 0;
    stf__conf_draft_init(t, &draft, "a");
    draft.record.head = stf__conf_bytes("ours");
    draft.journal[0] = (stf_journal_row){.fact = 1, .at = stf__conf_now(t)};
    draft.save.journal_count = 1;
    STEP(t, lose_answer(t, &draft));
    STEP(t, stf__conf_save_refused(t, &draft, STF_CONCURRENT_UPDATE));
    stf_journal_query query = {.id = stf_str_of("a"), .limit = 10};
    EXPECT_OK(t, stf_repository_journal_page(t->repo, NULL, &query, count_row, &rows,
                                             stf__conf_error(t)));
    EXPECT(t, rows == 1, "%zu journal rows of one save", rows);
}

static void applied_delete(stf__conf *t)
{
    STEP(t, stf__conf_create(t, "a", "g", STF_RECORD_ACTIVE, NULL, stf_wall_none()));
    stf_delete request = {.struct_size = sizeof(request),
                          .abi = STF_DELETE_ABI,
                          .id = stf_str_of("a"),
                          .expected_version = 1};
    for (size_t repeats = 0; repeats < 2; repeats++) {
        EXPECT_OK(t, stf_repository_delete(t->repo, NULL, &request, stf__conf_error(t)));
        STEP(t, stf__conf_expect_absent(t, "a"));
    }
}

static const stf__conf_case cases[] = {
    {"settlement.applied",
     "the identical repeat of an applied save is CONCURRENT_UPDATE, and the "
     "record shows its attempt",
     NULL, 0, applied},
    {"settlement.applied-create", "so it is for a creation", NULL, 0, applied_create},
    {"settlement.not-applied", "the repeat of a save that was not applied is saved, once", NULL, 0,
     not_applied},
    {"settlement.overtaken", "a repeat never writes over a later save", NULL, 0, overtaken},
    {"settlement.batch", "the records of a repeated batch are settled each by itself", NULL, 0,
     batch},
    {"settlement.journal", "a repeat writes no journal row again", STF_REPOSITORY_JOURNAL, 0,
     journal},
    {"settlement.delete", "the repeat of an applied delete is OK", NULL, 0, applied_delete},
};

STF__CONF_FAMILY(settlement, cases);
