/* SPDX-License-Identifier: Apache-2.0 */
/* Cases of the catalog capability. */
#include "harness.h"

static void create(stf__conf *t, const char *id, const char *group, const char *tenant,
                   const char *label, int64_t label_version, uint32_t status)
{
    stf__conf_draft draft;
    stf__conf_draft_init(t, &draft, id);
    draft.record.group = stf_str_of(group);
    draft.record.tenant = stf_str_of(tenant);
    draft.record.label_key = stf_str_of(label);
    draft.record.label_version = label_version;
    draft.record.status = status;
    draft.record.head = stf__conf_bytes(id);
    stf__conf_save(t, &draft);
}

static void create_some(stf__conf *t)
{
    STEP(t, create(t, "a", "g", "t1", "order", 1, STF_RECORD_ACTIVE));
    STEP(t, create(t, "b", "g", "t1", "order", 2, STF_RECORD_COMPLETED));
    STEP(t, create(t, "c", "g", "t2", "order", 2, STF_RECORD_SUSPENDED));
    STEP(t, create(t, "d", "g", "t2", "bill", 1, STF_RECORD_INCIDENT));
    STEP(t, create(t, "e", "h", "t1", "order", 1, STF_RECORD_ACTIVE));
    STEP(t, create(t, "f", "g", "t1", "Order", 1, STF_RECORD_TERMINATED));
}

static stf_catalog_query query_all(void)
{
    return (stf_catalog_query){.group = stf_str_of("g"), .limit = 50};
}

/* The page and the count agree. */
static void expect_page(stf__conf *t, const stf_catalog_query *query, const char *expected)
{
    stf__conf_page page;
    uint64_t count = 0;
    stf__conf_page_init(t, &page);
    EXPECT_OK(t, stf_repository_page(t->repo, NULL, query, stf__conf_visit_record, &page,
                                     stf__conf_error(t)));
    STEP(t, stf__conf_expect_ids(t, &page, expected));
    EXPECT_OK(t, stf_repository_count(t->repo, NULL, query, &count, stf__conf_error(t)));
    EXPECT(t, count == page.count, "counted %llu, listed %zu", (unsigned long long)count,
           page.count);
}

static void filters(stf__conf *t)
{
    STEP(t, create_some(t));
    stf_catalog_query query = query_all();
    STEP(t, expect_page(t, &query, "a b c d f"));
    query.tenant = stf_str_of("t2");
    STEP(t, expect_page(t, &query, "c d"));
    query = query_all();
    query.label_key = stf_str_of("order");
    STEP(t, expect_page(t, &query, "a b c"));
    query.label_version = 2;
    STEP(t, expect_page(t, &query, "b c"));
    query = query_all();
    query.status_mask = 1u << STF_RECORD_ACTIVE | 1u << STF_RECORD_SUSPENDED;
    STEP(t, expect_page(t, &query, "a c"));
    query.tenant = stf_str_of("t1");
    query.label_key = stf_str_of("order");
    STEP(t, expect_page(t, &query, "a"));
    query.group = stf_str_of("nobody");
    STEP(t, expect_page(t, &query, ""));
}

static void records(stf__conf *t)
{
    STEP(t, create_some(t));
    stf_catalog_query query = query_all();
    stf__conf_page page;
    stf__conf_page_init(t, &page);
    EXPECT_OK(t, stf_repository_page(t->repo, NULL, &query, stf__conf_visit_record, &page,
                                     stf__conf_error(t)));
    EXPECT(t, page.count == 5, "%zu records", page.count);
    const stf_record *record = page.records[1];
    EXPECT(t, record->rec_version == 1 && record->status == STF_RECORD_COMPLETED, "b's status");
    EXPECT(t, stf__conf_is_bytes(record->head, "b"), "b's head");
    EXPECT(t, stf_str_equal(record->label_key, stf_str_of("order")) && record->label_version == 2,
           "b's label");
    EXPECT(t, stf_str_equal(record->tenant, stf_str_of("t1")), "b's tenant");
    EXPECT(t, record->created.us == STF__CONF_START_US, "b's time of creation");
}

static void pages(stf__conf *t)
{
    STEP(t, create_some(t));
    static const char *const wanted[] = {"a b", "c d", "f", ""};
    stf_catalog_query query = query_all();
    query.limit = 2;
    for (size_t i = 0; i < 4; i++) {
        stf__conf_page page;
        stf__conf_page_init(t, &page);
        EXPECT_OK(t, stf_repository_page(t->repo, NULL, &query, stf__conf_visit_record, &page,
                                         stf__conf_error(t)));
        STEP(t, stf__conf_expect_ids(t, &page, wanted[i]));
        if (page.count != 0) {
            query.after_id = page.rows[page.count - 1].id;
        }
    }
    uint64_t count = 0;
    EXPECT_OK(t, stf_repository_count(t->repo, NULL, &query, &count, stf__conf_error(t)));
    EXPECT(t, count == 5, "the count of a page's query is %llu", (unsigned long long)count);
}

static void expect_pruned(stf__conf *t, const stf_prune_request *request, uint64_t expected)
{
    uint64_t count = 77;
    EXPECT_OK(t, stf_repository_prune(t->repo, NULL, request, &count, stf__conf_error(t)));
    EXPECT(t, count == expected, "%llu pruned instead of %llu", (unsigned long long)count,
           (unsigned long long)expected);
}

static void prune(stf__conf *t)
{
    STEP(t, create_some(t));
    stf__conf_advance(t, 10);
    STEP(t, create(t, "young", "g", "t1", "order", 1, STF_RECORD_COMPLETED));
    STEP(t, create(t, "other", "g", "t2", "order", 1, STF_RECORD_COMPLETED));
    stf_prune_request request = {.group = stf_str_of("g"),
                                 .tenant = stf_str_of("t1"),
                                 .ended_before = stf__conf_now(t),
                                 .limit = 1};
    STEP(t, expect_pruned(t, &request, 1));
    STEP(t, expect_pruned(t, &request, 1));
    STEP(t, expect_pruned(t, &request, 0));
    stf_catalog_query query = query_all();
    STEP(t, expect_page(t, &query, "a c d other young"));
    request.ended_before = stf__conf_after(t, 1);
    request.tenant = stf_str_of("");
    request.limit = 100;
    STEP(t, expect_pruned(t, &request, 2));
    STEP(t, expect_page(t, &query, "a c d"));
    query.group = stf_str_of("h");
    STEP(t, expect_page(t, &query, "e"));
}

/* Whatever its age: what has not ended stays, and so does what was taken back. */
static void prune_spares_the_living(stf__conf *t)
{
    stf__conf_draft draft;
    STEP(t, create_some(t));
    stf__conf_draft_init(t, &draft, "back");
    draft.record.status = STF_RECORD_COMPLETED;
    STEP(t, stf__conf_save(t, &draft));
    stf__conf_draft_next(t, &draft);
    draft.record.status = STF_RECORD_ACTIVE;
    STEP(t, stf__conf_save(t, &draft));
    STEP(t, create(t, "unknown", "g", "t1", "", 0, 63));
    stf__conf_advance(t, 1000 * STF__CONF_SECOND_US);
    stf_prune_request request = {
        .group = stf_str_of("g"), .ended_before = stf__conf_now(t), .limit = 100};
    STEP(t, expect_pruned(t, &request, 2));
    stf_catalog_query query = query_all();
    STEP(t, expect_page(t, &query, "a back c d unknown"));
}

static void refusals(stf__conf *t)
{
    stf__conf_page page;
    uint64_t count = 0;
    stf__conf_page_init(t, &page);
    stf_catalog_query query = query_all();
    query.group = stf_str_of("");
    EXPECT_STATUS(t,
                  stf_repository_page(t->repo, NULL, &query, stf__conf_visit_record, &page,
                                      stf__conf_error(t)),
                  STF_EMPTY_NOT_ALLOWED);
    EXPECT_STATUS(t, stf_repository_count(t->repo, NULL, &query, &count, stf__conf_error(t)),
                  STF_EMPTY_NOT_ALLOWED);
    stf_prune_request request = {.ended_before = stf__conf_now(t), .limit = 1};
    EXPECT_STATUS(t, stf_repository_prune(t->repo, NULL, &request, &count, stf__conf_error(t)),
                  STF_EMPTY_NOT_ALLOWED);
}

static const stf__conf_case cases[] = {
    {"catalog.filters", "pages and counts keep to group, tenant, label and status",
     STF_REPOSITORY_CATALOG, 0, filters},
    {"catalog.records", "pages have the records with their heads", STF_REPOSITORY_CATALOG, 0,
     records},
    {"catalog.pages", "pages follow each other by id; a count ignores the page",
     STF_REPOSITORY_CATALOG, 0, pages},
    {"catalog.prune", "prune deletes ended records of the group and tenant by age, up to a limit",
     STF_REPOSITORY_CATALOG, 0, prune},
    {"catalog.prune-spares-the-living", "prune never deletes a record that has not ended",
     STF_REPOSITORY_CATALOG, 0, prune_spares_the_living},
    {"catalog.refusals", "an empty group is refused", STF_REPOSITORY_CATALOG, 0, refusals},
};

STF__CONF_FAMILY(catalog, cases);
