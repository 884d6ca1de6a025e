/* SPDX-License-Identifier: Apache-2.0 */
/* Cases of the wake calls: due and orphaned records, the next due. Every store has them: a store
 * without the capability through the port's index, which needs its lists and loads to be right. */
#include "harness.h"

static void create_due(stf__conf *t, const char *id, int64_t due_in_us, uint32_t status,
                       const char *owner, int64_t lease_in_us)
{
    stf__conf_draft draft;
    stf__conf_draft_init(t, &draft, id);
    draft.record.due = stf__conf_after(t, due_in_us);
    draft.record.status = status;
    if (owner != NULL) {
        stf__conf_set_lease(&draft, owner, 1, stf__conf_after(t, lease_in_us));
    }
    stf__conf_save(t, &draft);
}

static stf_due_query due_query(stf__conf *t, const char *asker)
{
    return (stf_due_query){.group = stf_str_of("g"),
                           .asker = stf_str_of(asker),
                           .now = stf__conf_now(t),
                           .after_due = stf_wall_none(),
                           .limit = 50};
}

/* None is the store's clock. Where the wake pages are the port's, they need a store that tells the
 * time to say what is due "now". */
static stf_wall now_or_none(stf__conf *t)
{
    bool can_tell = stf_repository_has(t->repo, STF_REPOSITORY_WAKE) ||
                    stf_repository_has(t->repo, STF_REPOSITORY_CLOCK);
    return can_tell ? stf_wall_none() : stf__conf_now(t);
}

static void expect_due(stf__conf *t, const stf_due_query *query, const char *expected)
{
    stf__conf_page page;
    stf__conf_page_init(t, &page);
    EXPECT_OK(t, stf_repository_due_page(t->repo, NULL, query, stf__conf_visit_row, &page,
                                         stf__conf_error(t)));
    STEP(t, stf__conf_expect_ids(t, &page, expected));
}

static void due_at(stf__conf *t)
{
    STEP(t, create_due(t, "now", 0, STF_RECORD_ACTIVE, NULL, 0));
    STEP(t, create_due(t, "past", -1, STF_RECORD_INCIDENT, NULL, 0));
    STEP(t, create_due(t, "future", 1, STF_RECORD_ACTIVE, NULL, 0));
    STEP(t, stf__conf_create(t, "never", "g", STF_RECORD_ACTIVE, NULL, stf_wall_none()));
    stf_due_query query = due_query(t, "");
    STEP(t, expect_due(t, &query, "past now"));
    stf__conf_advance(t, 1);
    query.now = now_or_none(t);
    STEP(t, expect_due(t, &query, "past now future"));
}

static void due_rows(stf__conf *t)
{
    stf__conf_draft draft;
    stf__conf_draft_init(t, &draft, "a");
    draft.record.due = stf__conf_after(t, -7);
    STEP(t, stf__conf_save(t, &draft));
    stf__conf_draft_next(t, &draft);
    STEP(t, stf__conf_save(t, &draft));
    stf_due_query query = due_query(t, "");
    stf__conf_page page;
    stf__conf_page_init(t, &page);
    EXPECT_OK(t, stf_repository_due_page(t->repo, NULL, &query, stf__conf_visit_row, &page,
                                         stf__conf_error(t)));
    STEP(t, stf__conf_expect_ids(t, &page, "a"));
    EXPECT(t, page.rows[0].rec_version == 2, "version %lld", (long long)page.rows[0].rec_version);
    EXPECT(t, page.rows[0].at.us == stf__conf_after(t, -7).us, "the due of the row");
}

static void due_statuses(stf__conf *t)
{
    STEP(t, create_due(t, "active", -1, STF_RECORD_ACTIVE, NULL, 0));
    STEP(t, create_due(t, "completed", -1, STF_RECORD_COMPLETED, NULL, 0));
    STEP(t, create_due(t, "suspended", -1, STF_RECORD_SUSPENDED, NULL, 0));
    STEP(t, create_due(t, "terminated", -1, STF_RECORD_TERMINATED, NULL, 0));
    STEP(t, create_due(t, "unknown", -1, 99, NULL, 0));
    stf_due_query query = due_query(t, "");
    STEP(t, expect_due(t, &query, "active suspended unknown"));
}

static void due_owners(stf__conf *t)
{
    STEP(t, create_due(t, "lapsed", -1, STF_RECORD_ACTIVE, "other", 0));
    STEP(t, create_due(t, "live", -1, STF_RECORD_ACTIVE, "other", 1));
    STEP(t, create_due(t, "mine", -1, STF_RECORD_ACTIVE, "me", 1));
    STEP(t, create_due(t, "unowned", -1, STF_RECORD_ACTIVE, NULL, 0));
    stf_due_query query = due_query(t, "me");
    STEP(t, expect_due(t, &query, "lapsed mine unowned"));
    query.asker = stf_str_of("");
    STEP(t, expect_due(t, &query, "lapsed unowned"));
}

static void due_groups(stf__conf *t)
{
    STEP(t, create_due(t, "a", -1, STF_RECORD_ACTIVE, NULL, 0));
    stf__conf_draft draft;
    stf__conf_draft_init(t, &draft, "b");
    draft.record.group = stf_str_of("h");
    draft.record.due = stf__conf_after(t, -1);
    STEP(t, stf__conf_save(t, &draft));
    stf_due_query query = due_query(t, "");
    STEP(t, expect_due(t, &query, "a"));
    query.group = stf_str_of("h");
    STEP(t, expect_due(t, &query, "b"));
    query.group = stf_str_of("nobody");
    STEP(t, expect_due(t, &query, ""));
}

/* Ordered by (due, id); several of one due across the edge of a page. */
static void due_pages(stf__conf *t)
{
    STEP(t, create_due(t, "z", -9, STF_RECORD_ACTIVE, NULL, 0));
    STEP(t, create_due(t, "b", -5, STF_RECORD_ACTIVE, NULL, 0));
    STEP(t, create_due(t, "a", -5, STF_RECORD_ACTIVE, NULL, 0));
    STEP(t, create_due(t, "C", -5, STF_RECORD_ACTIVE, NULL, 0));
    STEP(t, create_due(t, "y", -4, STF_RECORD_ACTIVE, NULL, 0));
    static const char *const wanted[] = {"z C", "a b", "y", ""};
    stf_due_query query = due_query(t, "");
    query.limit = 2;
    for (size_t i = 0; i < 4; i++) {
        stf__conf_page page;
        stf__conf_page_init(t, &page);
        EXPECT_OK(t, stf_repository_due_page(t->repo, NULL, &query, stf__conf_visit_row, &page,
                                             stf__conf_error(t)));
        STEP(t, stf__conf_expect_ids(t, &page, wanted[i]));
        if (page.count != 0) {
            query.after_due = page.rows[page.count - 1].at;
            query.after_id = page.rows[page.count - 1].id;
        }
    }
}

static void due_follows_saves(stf__conf *t)
{
    stf__conf_draft draft;
    stf__conf_draft_init(t, &draft, "a");
    draft.record.due = stf__conf_after(t, -1);
    STEP(t, stf__conf_save(t, &draft));
    stf_due_query query = due_query(t, "");
    STEP(t, expect_due(t, &query, "a"));
    stf__conf_draft_next(t, &draft);
    draft.record.due = stf__conf_after(t, 100);
    STEP(t, stf__conf_save(t, &draft));
    STEP(t, expect_due(t, &query, ""));
    stf__conf_draft_next(t, &draft);
    draft.record.due = stf__conf_after(t, -1);
    STEP(t, stf__conf_save(t, &draft));
    STEP(t, expect_due(t, &query, "a"));
    stf__conf_draft_next(t, &draft);
    draft.record.status = STF_RECORD_COMPLETED;
    STEP(t, stf__conf_save(t, &draft));
    STEP(t, expect_due(t, &query, ""));
    stf_delete gone = {.struct_size = sizeof(gone),
                       .abi = STF_DELETE_ABI,
                       .flags = STF_DELETE_ANY,
                       .id = stf_str_of("a")};
    EXPECT_OK(t, stf_repository_delete(t->repo, NULL, &gone, stf__conf_error(t)));
    STEP(t, expect_due(t, &query, ""));
}

/* The first look of a handle has what another handle saved before it. */
static void second_handle(stf__conf *t)
{
    stf__conf_draft draft;
    stf__conf_page page;
    STEP(t, stf__conf_open_second(t));
    stf__conf_draft_init(t, &draft, "a");
    draft.record.due = stf__conf_after(t, -1);
    stf__conf_add_wait(&draft, STF_WAIT_TASK, "k", stf__conf_now(t));
    EXPECT_OK(t,
              stf_repository_save(t->second, NULL, &draft.save, &draft.result, stf__conf_error(t)));
    stf_due_query query = due_query(t, "");
    STEP(t, expect_due(t, &query, "a"));
    stf_waiting_query waiting = {.group = stf_str_of("g"),
                                 .key = stf_str_of("k"),
                                 .kind = STF_WAIT_TASK,
                                 .after_since = stf_wall_none(),
                                 .limit = 50};
    stf__conf_page_init(t, &page);
    EXPECT_OK(t, stf_repository_waiting_page(t->repo, NULL, &waiting, stf__conf_visit_row, &page,
                                             stf__conf_error(t)));
    STEP(t, stf__conf_expect_ids(t, &page, "a"));
}

/* ---- Orphans ----------------------------------------------------------------------------- */

static stf_orphan_query orphan_query(stf__conf *t, const char *asker)
{
    return (stf_orphan_query){
        .group = stf_str_of("g"), .asker = stf_str_of(asker), .now = stf__conf_now(t), .limit = 50};
}

static void expect_orphans(stf__conf *t, const stf_orphan_query *query, const char *expected)
{
    stf__conf_page page;
    stf__conf_page_init(t, &page);
    EXPECT_OK(t, stf_repository_orphan_page(t->repo, NULL, query, stf__conf_visit_row, &page,
                                            stf__conf_error(t)));
    STEP(t, stf__conf_expect_ids(t, &page, expected));
}

static void create_owned(stf__conf *t, const char *id, uint32_t status, const char *owner,
                         int64_t lease_in_us)
{
    stf__conf_create(t, id, "g", status, owner, stf__conf_after(t, lease_in_us));
}

static void orphans(stf__conf *t)
{
    STEP(t, create_owned(t, "completed", STF_RECORD_COMPLETED, "x", -1));
    STEP(t, create_owned(t, "lapsed", STF_RECORD_ACTIVE, "x", 0));
    STEP(t, create_owned(t, "live", STF_RECORD_ACTIVE, "x", 1));
    STEP(t, create_owned(t, "mine", STF_RECORD_ACTIVE, "me", -1));
    STEP(t, create_owned(t, "suspended", STF_RECORD_SUSPENDED, "x", -1));
    STEP(t, create_owned(t, "unknown", 99, "x", -1));
    STEP(t, stf__conf_create(t, "unowned", "g", STF_RECORD_ACTIVE, NULL, stf_wall_none()));
    stf_orphan_query query = orphan_query(t, "me");
    STEP(t, expect_orphans(t, &query, "lapsed unknown"));
    query.asker = stf_str_of("");
    STEP(t, expect_orphans(t, &query, "lapsed mine unknown"));
    query.asker = stf_str_of("me");
    stf__conf_advance(t, 1);
    query.now = now_or_none(t);
    STEP(t, expect_orphans(t, &query, "lapsed live unknown"));
}

static void orphan_rows(stf__conf *t)
{
    STEP(t, create_owned(t, "a", STF_RECORD_ACTIVE, "engine-7", -3));
    stf_orphan_query query = orphan_query(t, "me");
    stf__conf_page page;
    stf__conf_page_init(t, &page);
    EXPECT_OK(t, stf_repository_orphan_page(t->repo, NULL, &query, stf__conf_visit_row, &page,
                                            stf__conf_error(t)));
    STEP(t, stf__conf_expect_ids(t, &page, "a"));
    EXPECT(t, stf_str_equal(page.rows[0].owner, stf_str_of("engine-7")), "the owner of the row");
    EXPECT(t, page.rows[0].at.us == stf__conf_after(t, -3).us, "the expiry of the row");
    EXPECT(t, page.rows[0].rec_version == 1, "the version of the row");
}

static void dead_owners(stf__conf *t)
{
    static const stf_str dead[] = {{"dead-1", 6}, {"dead-2", 6}, {"me", 2}};
    STEP(t, create_owned(t, "a", STF_RECORD_ACTIVE, "dead-1", 100));
    STEP(t, create_owned(t, "b", STF_RECORD_ACTIVE, "alive", 100));
    STEP(t, create_owned(t, "c", STF_RECORD_ACTIVE, "dead-2", 100));
    STEP(t, create_owned(t, "d", STF_RECORD_ACTIVE, "me", 100));
    STEP(t, create_owned(t, "e", STF_RECORD_COMPLETED, "dead-1", 100));
    STEP(t, create_owned(t, "f", STF_RECORD_SUSPENDED, "dead-1", 100));
    stf_orphan_query query = orphan_query(t, "me");
    STEP(t, expect_orphans(t, &query, ""));
    query.dead_owners = dead;
    query.dead_owner_count = 3;
    STEP(t, expect_orphans(t, &query, "a c"));
}

static void orphan_pages(stf__conf *t)
{
    static const char *const ids[] = {"b", "A", "a", "c", "d"};
    for (size_t i = 0; i < 5; i++) {
        STEP(t, create_owned(t, ids[i], STF_RECORD_ACTIVE, "x", i == 3 ? 100 : -1));
    }
    static const char *const wanted[] = {"A a", "b d", ""};
    stf_orphan_query query = orphan_query(t, "");
    query.limit = 2;
    for (size_t i = 0; i < 3; i++) {
        stf__conf_page page;
        stf__conf_page_init(t, &page);
        EXPECT_OK(t, stf_repository_orphan_page(t->repo, NULL, &query, stf__conf_visit_row, &page,
                                                stf__conf_error(t)));
        STEP(t, stf__conf_expect_ids(t, &page, wanted[i]));
        if (page.count != 0) {
            query.after_id = page.rows[page.count - 1].id;
        }
    }
}

/* ---- The next due ------------------------------------------------------------------------ */

static void expect_next(stf__conf *t, const char *group, const char *asker, stf_wall expected)
{
    stf_wall due = {12345};
    EXPECT_OK(t, stf_repository_next_due(t->repo, NULL, stf_str_of(group), stf_str_of(asker), &due,
                                         stf__conf_error(t)));
    EXPECT(t, due.us == expected.us, "%lld instead of %lld", (long long)due.us,
           (long long)expected.us);
}

static void next_due(stf__conf *t)
{
    STEP(t, expect_next(t, "g", "me", stf_wall_none()));
    STEP(t, create_due(t, "a", 50, STF_RECORD_ACTIVE, NULL, 0));
    STEP(t, expect_next(t, "g", "me", stf__conf_after(t, 50)));
    STEP(t, create_due(t, "b", 40, STF_RECORD_ACTIVE, "me", 100));
    STEP(t, expect_next(t, "g", "me", stf__conf_after(t, 40)));
    STEP(t, expect_next(t, "g", "you", stf__conf_after(t, 50)));
    STEP(t, create_due(t, "c", -5, STF_RECORD_SUSPENDED, NULL, 0));
    STEP(t, expect_next(t, "g", "me", stf__conf_after(t, -5)));
    STEP(t, create_due(t, "d", -9, STF_RECORD_COMPLETED, NULL, 0));
    STEP(t, expect_next(t, "g", "me", stf__conf_after(t, -5)));
    STEP(t, expect_next(t, "h", "me", stf_wall_none()));
    STEP(t, expect_next(t, "nobody", "me", stf_wall_none()));
}

static void refusals(stf__conf *t)
{
    stf__conf_page page;
    stf_wall due = stf_wall_none();
    stf__conf_page_init(t, &page);
    stf_due_query of_due = due_query(t, "");
    stf_orphan_query of_orphans = orphan_query(t, "");
    of_due.group = of_orphans.group = stf_str_of("");
    EXPECT_STATUS(t,
                  stf_repository_due_page(t->repo, NULL, &of_due, stf__conf_visit_row, &page,
                                          stf__conf_error(t)),
                  STF_EMPTY_NOT_ALLOWED);
    EXPECT_STATUS(t,
                  stf_repository_orphan_page(t->repo, NULL, &of_orphans, stf__conf_visit_row, &page,
                                             stf__conf_error(t)),
                  STF_EMPTY_NOT_ALLOWED);
    EXPECT_STATUS(t,
                  stf_repository_next_due(t->repo, NULL, stf_str_of(""), stf_str_of(""), &due,
                                          stf__conf_error(t)),
                  STF_EMPTY_NOT_ALLOWED);
    of_due = due_query(t, "");
    of_due.limit = 0;
    EXPECT_STATUS(t,
                  stf_repository_due_page(t->repo, NULL, &of_due, stf__conf_visit_row, &page,
                                          stf__conf_error(t)),
                  STF_INVALID_ARGUMENT);
}

static const stf__conf_case cases[] = {
    {"wake.due", "due pages have what is due at or before now", NULL, 0, due_at},
    {"wake.due-rows", "due rows carry the version and the due", NULL, 0, due_rows},
    {"wake.due-statuses", "due pages have suspended records and no ended ones", NULL, 0,
     due_statuses},
    {"wake.due-owners", "due pages have what is unowned, lapsed or the asker's", NULL, 0,
     due_owners},
    {"wake.due-groups", "due pages never have another group's record", NULL, 0, due_groups},
    {"wake.due-pages", "due pages follow each other by due and id", NULL, 0, due_pages},
    {"wake.due-follows-saves", "a record enters and leaves due pages with its fields", NULL, 0,
     due_follows_saves},
    {"wake.second-handle", "the first look of a handle has what another one saved before it", NULL,
     0, second_handle},
    {"wake.orphans", "orphans have a lapsed owner who is not the asker", NULL, 0, orphans},
    {"wake.orphan-rows", "orphan rows carry the version, the owner and the expiry", NULL, 0,
     orphan_rows},
    {"wake.dead-owners", "the records of owners known dead are orphans under a live lease", NULL, 0,
     dead_owners},
    {"wake.orphan-pages", "orphan pages follow each other by id", NULL, 0, orphan_pages},
    {"wake.next-due", "the earliest due of what is unowned or the asker's", NULL, 0, next_due},
    {"wake.refusals", "an empty group and no rows are refused", NULL, 0, refusals},
};

STF__CONF_FAMILY(wake, cases);
