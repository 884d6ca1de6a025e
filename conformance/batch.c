/* SPDX-License-Identifier: Apache-2.0 */
/* Cases of batches. They hold with and without the capability: the wrappers loop where it is
 * missing. */
#include "harness.h"

#define BATCH 4

typedef struct batch_of {
    stf__conf_draft drafts[BATCH];
    stf_save saves[BATCH];
    stf_save_result results[BATCH];
} batch_of;

/* Creations of "a", "b", "c", "d". */
static void make_batch(stf__conf *t, batch_of *batch)
{
    static const char *const ids[BATCH] = {"a", "b", "c", "d"};
    memset(batch, 0, sizeof(*batch));
    for (size_t i = 0; i < BATCH; i++) {
        stf__conf_draft_init(t, &batch->drafts[i], ids[i]);
        batch->saves[i] = batch->drafts[i].save;
    }
}

static stf_status save_batch(stf__conf *t, batch_of *batch)
{
    return stf_repository_save_many(t->repo, NULL, batch->saves, BATCH, batch->results,
                                    stf__conf_error(t));
}

static void expect_result(stf__conf *t, const batch_of *batch, size_t i, stf_status status,
                          int64_t version)
{
    EXPECT(t, batch->results[i].status == status, "record %zu: %s instead of %s", i,
           stf_status_name((stf_status)batch->results[i].status), stf_status_name(status));
    if (status == STF_OK) {
        EXPECT(t, batch->results[i].rec_version == version, "record %zu: version %lld", i,
               (long long)batch->results[i].rec_version);
        EXPECT(t, stf__conf_is_attempt(batch->results[i].attempt, batch->saves[i].attempt),
               "record %zu: attempt", i);
    }
}

static void all_saved(stf__conf *t)
{
    batch_of batch;
    STEP(t, make_batch(t, &batch));
    stf__conf_set_lease(&batch.drafts[1], "engine-1", 1, stf_wall_none());
    batch.saves[1].flags = STF_SAVE_LEASE_DURATION;
    batch.saves[1].lease_duration_us = 77;
    EXPECT_OK(t, save_batch(t, &batch));
    for (size_t i = 0; i < BATCH; i++) {
        STEP(t, expect_result(t, &batch, i, STF_OK, 1));
    }
    EXPECT(t, batch.results[1].lease_expiry.us == stf__conf_after(t, 77).us, "the lease's expiry");
    STEP(t, stf__conf_expect_in_flight(t, "g", stf__conf_now(t), "a c d"));
}

static void losing_row(stf__conf *t)
{
    batch_of batch;
    stf__conf_draft winner;
    const stf_record *record = NULL;
    stf__conf_draft_init(t, &winner, "b");
    winner.record.head = stf__conf_bytes("winner");
    STEP(t, stf__conf_save(t, &winner));
    STEP(t, make_batch(t, &batch));
    EXPECT_OK(t, save_batch(t, &batch));
    STEP(t, expect_result(t, &batch, 0, STF_OK, 1));
    STEP(t, expect_result(t, &batch, 1, STF_CONCURRENT_UPDATE, 0));
    STEP(t, expect_result(t, &batch, 2, STF_OK, 1));
    STEP(t, expect_result(t, &batch, 3, STF_OK, 1));
    STEP(t, stf__conf_must_load(t, "b", &record));
    EXPECT(t, stf__conf_is_bytes(record->head, "winner") && record->rec_version == 1,
           "the losing row was written");
    STEP(t, stf__conf_expect_in_flight(t, "g", stf__conf_now(t), "a b c d"));
}

/* One of each refusal, and neighbours that are saved. */
static void refused_rows(stf__conf *t)
{
    batch_of batch;
    STEP(t, make_batch(t, &batch));
    batch.drafts[0].record.id = stf_str_of("");
    batch.drafts[1].record.group = stf_str_of("nobody");
    batch.saves[2].expected_version = -1;
    EXPECT_OK(t, save_batch(t, &batch));
    STEP(t, expect_result(t, &batch, 0, STF_EMPTY_NOT_ALLOWED, 0));
    STEP(t, expect_result(t, &batch, 1, STF_NOT_FOUND, 0));
    STEP(t, expect_result(t, &batch, 2, STF_INVALID_ARGUMENT, 0));
    STEP(t, expect_result(t, &batch, 3, STF_OK, 1));
    STEP(t, stf__conf_expect_in_flight(t, "g", stf__conf_now(t), "d"));
}

/* R16: the first save of an id in a batch counts, the later ones are refused. */
static void one_id_twice(stf__conf *t)
{
    batch_of batch;
    const stf_record *record = NULL;
    STEP(t, make_batch(t, &batch));
    batch.drafts[0].record.head = stf__conf_bytes("first");
    batch.drafts[2].record.id = stf_str_of("a");
    batch.saves[2].expected_version = 1; /* would fit if the first had been saved before */
    EXPECT_OK(t, save_batch(t, &batch));
    STEP(t, expect_result(t, &batch, 0, STF_OK, 1));
    STEP(t, expect_result(t, &batch, 1, STF_OK, 1));
    STEP(t, expect_result(t, &batch, 2, STF_INVALID_ARGUMENT, 0));
    STEP(t, expect_result(t, &batch, 3, STF_OK, 1));
    STEP(t, stf__conf_must_load(t, "a", &record));
    EXPECT(t, stf__conf_is_bytes(record->head, "first") && record->rec_version == 1,
           "the second save of the id was written");
}

static void mixed(stf__conf *t)
{
    batch_of batch;
    const stf_record *record = NULL;
    STEP(t, make_batch(t, &batch));
    batch.drafts[0].record.bulk = stf__conf_bytes("bulk 1");
    EXPECT_OK(t, save_batch(t, &batch));
    for (size_t i = 0; i < 2; i++) {
        batch.drafts[i].result = batch.results[i];
        stf__conf_draft_next(t, &batch.drafts[i]);
        batch.saves[i] = batch.drafts[i].save;
    }
    batch.drafts[0].record.head = stf__conf_bytes("head 2");
    batch.saves[0].flags |= STF_SAVE_KEEP_BULK;
    batch.drafts[2].record.id = stf_str_of("e");
    batch.drafts[3].record.id = stf_str_of("f");
    EXPECT_OK(t, save_batch(t, &batch));
    STEP(t, expect_result(t, &batch, 0, STF_OK, 2));
    STEP(t, expect_result(t, &batch, 1, STF_OK, 2));
    STEP(t, expect_result(t, &batch, 2, STF_OK, 1));
    STEP(t, stf__conf_must_load(t, "a", &record));
    EXPECT(t,
           stf__conf_is_bytes(record->head, "head 2") && stf__conf_is_bytes(record->bulk, "bulk 1"),
           "the parts of the update");
    STEP(t, stf__conf_expect_in_flight(t, "g", stf__conf_now(t), "a b c d e f"));
}

static void nothing(stf__conf *t)
{
    EXPECT_OK(t, stf_repository_save_many(t->repo, NULL, NULL, 0, NULL, stf__conf_error(t)));
    EXPECT_OK(t, stf_repository_load_many(t->repo, NULL, NULL, 0, stf_wall_none(),
                                          stf__conf_visit_record, NULL, stf__conf_error(t)));
}

static void many(stf__conf *t)
{
    enum {
        COUNT = 1000
    };
    stf__conf_draft *drafts = stf__conf_memory(t, COUNT * sizeof(*drafts));
    stf_save *saves = stf__conf_memory(t, COUNT * sizeof(*saves));
    stf_save_result *results = stf__conf_memory(t, COUNT * sizeof(*results));
    EXPECT(t, drafts != NULL && saves != NULL && results != NULL, "memory");
    for (size_t i = 0; i < COUNT; i++) {
        /* Not in the order of the ids. */
        char id[] = "r0000";
        for (size_t digit = 4, rest = (i * 617) % COUNT; digit > 0; digit--, rest /= 10) {
            id[digit] = (char)('0' + rest % 10);
        }
        stf__conf_draft_init(t, &drafts[i], "");
        drafts[i].record.id = stf__conf_long_text(t, id, 5);
        saves[i] = drafts[i].save;
        saves[i].expected_version = i % 10 == 9 ? 5 : 0;
    }
    EXPECT_OK(t,
              stf_repository_save_many(t->repo, NULL, saves, COUNT, results, stf__conf_error(t)));
    for (size_t i = 0; i < COUNT; i++) {
        stf_status expected = i % 10 == 9 ? STF_CONCURRENT_UPDATE : STF_OK;
        EXPECT(t, results[i].status == expected, "record %zu: %s", i,
               stf_status_name((stf_status)results[i].status));
    }
    const stf_record *record = NULL;
    STEP(t, stf__conf_load(t, t->repo, drafts[0].record.id, &record));
    EXPECT(t, record != NULL, "record 0 is absent");
    STEP(t, stf__conf_load(t, t->repo, drafts[9].record.id, &record));
    EXPECT(t, record == NULL, "a losing record was created");
}

/* ---- Loading ----------------------------------------------------------------------------- */

/* Any order is right, so the page is made comparable. */
static void sort_page(stf__conf_page *page)
{
    for (size_t i = 1; i < page->count; i++) {
        for (size_t k = i; k > 0 && stf_str_compare(page->rows[k - 1].id, page->rows[k].id) > 0;
             k--) {
            stf_wake_row row = page->rows[k];
            page->rows[k] = page->rows[k - 1];
            page->rows[k - 1] = row;
        }
    }
}

static void expect_loaded(stf__conf *t, const char *const *ids, size_t count, stf_wall due_before,
                          const char *expected)
{
    stf_str views[8];
    stf__conf_page page;
    stf__conf_page_init(t, &page);
    for (size_t i = 0; i < count; i++) {
        views[i] = stf_str_of(ids[i]);
    }
    EXPECT_OK(t, stf_repository_load_many(t->repo, NULL, views, count, due_before,
                                          stf__conf_visit_record, &page, stf__conf_error(t)));
    sort_page(&page);
    STEP(t, stf__conf_expect_ids(t, &page, expected));
}

static void load_many(stf__conf *t)
{
    batch_of batch;
    STEP(t, make_batch(t, &batch));
    EXPECT_OK(t, save_batch(t, &batch));
    static const char *const some[] = {"d", "absent", "a", "b"};
    STEP(t, expect_loaded(t, some, 4, stf_wall_none(), "a b d"));
    static const char *const twice[] = {"b", "a", "b"};
    STEP(t, expect_loaded(t, twice, 3, stf_wall_none(), "a b"));
}

static void load_many_due(stf__conf *t)
{
    batch_of batch;
    STEP(t, make_batch(t, &batch));
    batch.drafts[0].record.due = stf__conf_after(t, -5);
    batch.drafts[1].record.due = stf__conf_now(t);
    batch.drafts[2].record.due = stf__conf_after(t, 1);
    EXPECT_OK(t, save_batch(t, &batch));
    static const char *const ids[] = {"a", "b", "c", "d"};
    STEP(t, expect_loaded(t, ids, 4, stf__conf_now(t), "a b"));
    STEP(t, expect_loaded(t, ids, 4, stf__conf_after(t, 1), "a b c"));
    STEP(t, expect_loaded(t, ids, 4, stf_wall_none(), "a b c d"));
}

static void load_many_refusals(stf__conf *t)
{
    stf_str ids[] = {stf_str_of("a"), stf_str_of("")};
    stf__conf_page page;
    stf__conf_page_init(t, &page);
    EXPECT_STATUS(t,
                  stf_repository_load_many(t->repo, NULL, ids, 2, stf_wall_none(),
                                           stf__conf_visit_record, &page, stf__conf_error(t)),
                  STF_EMPTY_NOT_ALLOWED);
    EXPECT(t, page.count == 0, "a refused call visited");
}

static const stf__conf_case cases[] = {
    {"batch.all-saved", "every record of a batch has its own result", NULL, 0, all_saved},
    {"batch.losing-row", "a lost comparison never aborts its neighbours", NULL, 0, losing_row},
    {"batch.refused-rows", "a refused record never aborts its neighbours", NULL, 0, refused_rows},
    {"batch.one-id-twice", "the later saves of one id in a batch are INVALID_ARGUMENT", NULL, 0,
     one_id_twice},
    {"batch.mixed", "creations and updates with unchanged parts share a batch", NULL, 0, mixed},
    {"batch.nothing", "an empty batch is OK", NULL, 0, nothing},
    {"batch.many", "a thousand records in no order, every tenth a loser", NULL, 0, many},
    {"batch.load-many", "load_many visits each record that exists once", NULL, 0, load_many},
    {"batch.load-many-due", "load_many visits only what is still due when asked to", NULL, 0,
     load_many_due},
    {"batch.load-many-refusals", "an empty id refuses the whole call", NULL, 0, load_many_refusals},
};

STF__CONF_FAMILY(batch, cases);
