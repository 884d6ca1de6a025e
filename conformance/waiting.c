/* SPDX-License-Identifier: Apache-2.0 */
/* Cases of the waiting pages; as those of wake.c they are every store's. */
#include "harness.h"

static void create_waiting(stf__conf *t, const char *id, uint32_t kind, const char *key,
                           int64_t since_in_us)
{
    stf__conf_draft draft;
    stf__conf_draft_init(t, &draft, id);
    stf__conf_add_wait(&draft, kind, key, stf__conf_after(t, since_in_us));
    stf__conf_save(t, &draft);
}

static stf_waiting_query query_for(uint32_t kind, const char *key)
{
    return (stf_waiting_query){.group = stf_str_of("g"),
                               .key = stf_str_of(key),
                               .kind = kind,
                               .after_since = stf_wall_none(),
                               .limit = 50};
}

static void read_page(stf__conf *t, const stf_waiting_query *query, stf__conf_page *page)
{
    stf__conf_page_init(t, page);
    EXPECT_OK(t, stf_repository_waiting_page(t->repo, NULL, query, stf__conf_visit_row, page,
                                             stf__conf_error(t)));
}

static void expect_waiting(stf__conf *t, const stf_waiting_query *query, const char *expected)
{
    stf__conf_page page;
    STEP(t, read_page(t, query, &page));
    STEP(t, stf__conf_expect_ids(t, &page, expected));
}

static void by_kind_and_key(stf__conf *t)
{
    STEP(t, create_waiting(t, "a", STF_WAIT_TASK, "approve", -1));
    STEP(t, create_waiting(t, "b", STF_WAIT_TASK, "Approve", -2));
    STEP(t, create_waiting(t, "c", STF_WAIT_JOB, "approve", -3));
    STEP(t, create_waiting(t, "d", STF_WAIT_TASK, "approve", -4));
    STEP(t, stf__conf_create(t, "e", "g", STF_RECORD_ACTIVE, NULL, stf_wall_none()));
    stf_waiting_query query = query_for(STF_WAIT_TASK, "");
    STEP(t, expect_waiting(t, &query, "d b a"));
    query = query_for(STF_WAIT_TASK, "approve");
    STEP(t, expect_waiting(t, &query, "d a"));
    query = query_for(STF_WAIT_JOB, "approve");
    STEP(t, expect_waiting(t, &query, "c"));
    query = query_for(STF_WAIT_SIGNAL, "approve");
    STEP(t, expect_waiting(t, &query, ""));
}

/* The key of a message wait: name, NUL, correlation key. */
static void key_with_nul(stf__conf *t)
{
    static const stf_str keys[] = {{"paid\0order-1", 12}, {"paid\0order-2", 12}, {"paid", 4}};
    static const char *const ids[] = {"a", "b", "c"};
    for (size_t i = 0; i < 3; i++) {
        stf__conf_draft draft;
        stf__conf_draft_init(t, &draft, ids[i]);
        stf__conf_add_wait(&draft, STF_WAIT_MESSAGE, "", stf__conf_now(t));
        draft.waits[0].key = keys[i];
        STEP(t, stf__conf_save(t, &draft));
    }
    for (size_t i = 0; i < 3; i++) {
        stf__conf_page page;
        stf_waiting_query query = query_for(STF_WAIT_MESSAGE, "");
        query.key = keys[i];
        STEP(t, read_page(t, &query, &page));
        STEP(t, stf__conf_expect_ids(t, &page, ids[i]));
        EXPECT(t, stf_str_equal(page.rows[0].wait.key, keys[i]), "the key of the row");
    }
}

static void rows(stf__conf *t)
{
    stf__conf_draft draft;
    stf__conf_draft_init(t, &draft, "a");
    stf__conf_add_wait(&draft, STF_WAIT_TASK, "approve", stf__conf_after(t, -3));
    draft.waits[0].until = stf__conf_after(t, 11);
    STEP(t, stf__conf_save(t, &draft));
    stf__conf_page page;
    stf_waiting_query query = query_for(STF_WAIT_TASK, "");
    STEP(t, read_page(t, &query, &page));
    STEP(t, stf__conf_expect_ids(t, &page, "a"));
    const stf_wake_row *row = &page.rows[0];
    EXPECT(t, row->rec_version == 1, "the version");
    EXPECT(t, row->at.us == stf__conf_after(t, -3).us, "the time");
    EXPECT(t, row->wait.kind == STF_WAIT_TASK && row->wait.since.us == row->at.us, "the wait");
    EXPECT(t, row->wait.until.us == stf__conf_after(t, 11).us, "until");
    EXPECT(t, stf_str_equal(row->wait.key, stf_str_of("approve")), "the key");
}

static void statuses(stf__conf *t)
{
    static const uint32_t all[] = {STF_RECORD_ACTIVE,     STF_RECORD_COMPLETED,
                                   STF_RECORD_TERMINATED, STF_RECORD_SUSPENDED,
                                   STF_RECORD_INCIDENT,   99};
    static const char *const ids[] = {"active",    "completed", "terminated",
                                      "suspended", "incident",  "unknown"};
    for (size_t i = 0; i < 6; i++) {
        stf__conf_draft draft;
        stf__conf_draft_init(t, &draft, ids[i]);
        draft.record.status = all[i];
        stf__conf_add_wait(&draft, STF_WAIT_SIGNAL, "s", stf__conf_now(t));
        STEP(t, stf__conf_save(t, &draft));
    }
    stf_waiting_query query = query_for(STF_WAIT_SIGNAL, "");
    STEP(t, expect_waiting(t, &query, "active incident unknown"));
}

/* An owner, live or not, does not matter: anybody may step. */
static void owned(stf__conf *t)
{
    stf__conf_draft draft;
    stf__conf_draft_init(t, &draft, "a");
    stf__conf_set_lease(&draft, "other", 1, stf__conf_after(t, 100));
    stf__conf_add_wait(&draft, STF_WAIT_TASK, "k", stf__conf_now(t));
    STEP(t, stf__conf_save(t, &draft));
    stf_waiting_query query = query_for(STF_WAIT_TASK, "k");
    STEP(t, expect_waiting(t, &query, "a"));
}

static void groups_and_tenants(stf__conf *t)
{
    static const char *const ids[] = {"a", "b", "c"};
    static const char *const groups[] = {"g", "g", "h"};
    static const char *const tenants[] = {"t1", "t2", "t1"};
    for (size_t i = 0; i < 3; i++) {
        stf__conf_draft draft;
        stf__conf_draft_init(t, &draft, ids[i]);
        draft.record.group = stf_str_of(groups[i]);
        draft.record.tenant = stf_str_of(tenants[i]);
        stf__conf_add_wait(&draft, STF_WAIT_TASK, "k", stf__conf_now(t));
        STEP(t, stf__conf_save(t, &draft));
    }
    stf_waiting_query query = query_for(STF_WAIT_TASK, "k");
    STEP(t, expect_waiting(t, &query, "a b"));
    query.tenant = stf_str_of("t2");
    STEP(t, expect_waiting(t, &query, "b"));
    query.tenant = stf_str_of("t1");
    STEP(t, expect_waiting(t, &query, "a"));
    query.group = stf_str_of("h");
    STEP(t, expect_waiting(t, &query, "c"));
    query.group = stf_str_of("nobody");
    STEP(t, expect_waiting(t, &query, ""));
}

static void several_waits(stf__conf *t)
{
    stf__conf_draft draft;
    stf__conf_draft_init(t, &draft, "a");
    stf__conf_add_wait(&draft, STF_WAIT_TASK, "k", stf__conf_after(t, -1));
    stf__conf_add_wait(&draft, STF_WAIT_TASK, "k", stf__conf_after(t, -3));
    stf__conf_add_wait(&draft, STF_WAIT_JOB, "k", stf__conf_after(t, -2));
    stf__conf_add_wait(&draft, STF_WAIT_TASK, "other", stf__conf_after(t, -2));
    STEP(t, stf__conf_save(t, &draft));
    STEP(t, create_waiting(t, "b", STF_WAIT_TASK, "k", -2));
    stf_waiting_query query = query_for(STF_WAIT_TASK, "k");
    STEP(t, expect_waiting(t, &query, "a b a"));
    query = query_for(STF_WAIT_TASK, "");
    STEP(t, expect_waiting(t, &query, "a a b a"));
}

/* Reads all pages of the kind and counts the rows of each record. */
static void count_rows(stf__conf *t, stf_waiting_query *query, size_t counts[3])
{
    memset(counts, 0, 3 * sizeof(counts[0]));
    for (size_t pages = 0; pages < 20; pages++) {
        stf__conf_page page;
        STEP(t, read_page(t, query, &page));
        if (page.count == 0) {
            return;
        }
        for (size_t i = 0; i < page.count; i++) {
            counts[page.rows[i].id.data[0] - 'a']++;
        }
        query->after_since = page.rows[page.count - 1].at;
        query->after_id = page.rows[page.count - 1].id;
    }
    EXPECT(t, false, "the pages do not end");
}

/* Three records of which one has three equal waits: pages of any size lose and repeat nothing. */
static void pages(stf__conf *t)
{
    STEP(t, create_waiting(t, "a", STF_WAIT_TASK, "k", -5));
    stf__conf_draft draft;
    stf__conf_draft_init(t, &draft, "b");
    for (size_t i = 0; i < 3; i++) {
        stf__conf_add_wait(&draft, STF_WAIT_TASK, "k", stf__conf_after(t, -5));
    }
    STEP(t, stf__conf_save(t, &draft));
    STEP(t, create_waiting(t, "c", STF_WAIT_TASK, "k", -5));
    for (size_t limit = 1; limit < 7; limit++) {
        size_t counts[3];
        stf_waiting_query query = query_for(STF_WAIT_TASK, limit % 2 == 0 ? "k" : "");
        query.limit = limit;
        STEP(t, count_rows(t, &query, counts));
        EXPECT(t, counts[0] == 1 && counts[1] == 3 && counts[2] == 1,
               "pages of %zu rows: %zu, %zu, %zu instead of 1, 3, 1", limit, counts[0], counts[1],
               counts[2]);
    }
}

static void follows_saves(stf__conf *t)
{
    stf__conf_draft draft;
    stf__conf_draft_init(t, &draft, "a");
    stf__conf_add_wait(&draft, STF_WAIT_TASK, "k", stf__conf_now(t));
    STEP(t, stf__conf_save(t, &draft));
    stf_waiting_query on_task = query_for(STF_WAIT_TASK, "");
    stf_waiting_query on_job = query_for(STF_WAIT_JOB, "");
    STEP(t, expect_waiting(t, &on_task, "a"));
    stf__conf_draft_next(t, &draft);
    draft.record.wait_count = 0;
    stf__conf_add_wait(&draft, STF_WAIT_JOB, "j", stf__conf_now(t));
    STEP(t, stf__conf_save(t, &draft));
    STEP(t, expect_waiting(t, &on_task, ""));
    STEP(t, expect_waiting(t, &on_job, "a"));
    stf__conf_draft_next(t, &draft);
    draft.record.status = STF_RECORD_SUSPENDED;
    STEP(t, stf__conf_save(t, &draft));
    STEP(t, expect_waiting(t, &on_job, ""));
    stf__conf_draft_next(t, &draft);
    draft.record.status = STF_RECORD_ACTIVE;
    STEP(t, stf__conf_save(t, &draft));
    STEP(t, expect_waiting(t, &on_job, "a"));
    stf_delete gone = {.struct_size = sizeof(gone),
                       .abi = STF_DELETE_ABI,
                       .flags = STF_DELETE_ANY,
                       .id = stf_str_of("a")};
    EXPECT_OK(t, stf_repository_delete(t->repo, NULL, &gone, stf__conf_error(t)));
    STEP(t, expect_waiting(t, &on_job, ""));
}

static const stf__conf_case cases[] = {
    {"waiting.by-kind-and-key", "waiting pages have the records with a wait of that kind and key",
     NULL, 0, by_kind_and_key},
    {"waiting.key-with-nul", "keys may hold NUL and are compared whole", NULL, 0, key_with_nul},
    {"waiting.rows", "waiting rows carry the version and the wait", NULL, 0, rows},
    {"waiting.statuses", "ended and suspended records wait for nothing", NULL, 0, statuses},
    {"waiting.owned", "an owned record waits as any other", NULL, 0, owned},
    {"waiting.groups-and-tenants", "waiting pages keep to the group and the tenant", NULL, 0,
     groups_and_tenants},
    {"waiting.several-waits", "a record is visited once for each of its waits, by since and id",
     NULL, 0, several_waits},
    {"waiting.pages", "waits of one since and id are never split between pages", NULL, 0, pages},
    {"waiting.follows-saves", "a record enters and leaves waiting pages with its fields", NULL, 0,
     follows_saves},
};

STF__CONF_FAMILY(waiting, cases);
