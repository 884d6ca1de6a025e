/* SPDX-License-Identifier: Apache-2.0 */
/* Cases of list_in_flight: what is out, what is in, order and pages. */
#include "harness.h"

static void terminal(stf__conf *t)
{
    STEP(t, stf__conf_create(t, "active", "g", STF_RECORD_ACTIVE, NULL, stf_wall_none()));
    STEP(t, stf__conf_create(t, "completed", "g", STF_RECORD_COMPLETED, NULL, stf_wall_none()));
    STEP(t, stf__conf_create(t, "incident", "g", STF_RECORD_INCIDENT, NULL, stf_wall_none()));
    STEP(t, stf__conf_create(t, "terminated", "g", STF_RECORD_TERMINATED, NULL, stf_wall_none()));
    STEP(t, stf__conf_expect_in_flight(t, "g", stf__conf_now(t), "active incident"));
}

static void suspended(stf__conf *t)
{
    STEP(t, stf__conf_create(t, "active", "g", STF_RECORD_ACTIVE, NULL, stf_wall_none()));
    STEP(t, stf__conf_create(t, "suspended", "g", STF_RECORD_SUSPENDED, NULL, stf_wall_none()));
    STEP(t, stf__conf_create(t, "suspended-owned", "g", STF_RECORD_SUSPENDED, "e",
                             stf__conf_after(t, -1)));
    STEP(t, stf__conf_expect_in_flight(t, "g", stf__conf_now(t), "active"));
}

static void live_lease(stf__conf *t)
{
    STEP(t, stf__conf_create(t, "free", "g", STF_RECORD_ACTIVE, NULL, stf_wall_none()));
    STEP(t, stf__conf_create(t, "live", "g", STF_RECORD_ACTIVE, "e", stf__conf_after(t, 1)));
    STEP(t, stf__conf_expect_in_flight(t, "g", stf__conf_now(t), "free"));
}

static void lapsed_lease(stf__conf *t)
{
    STEP(t, stf__conf_create(t, "now", "g", STF_RECORD_ACTIVE, "e", stf__conf_now(t)));
    STEP(t, stf__conf_create(t, "past", "g", STF_RECORD_INCIDENT, "e", stf__conf_after(t, -1)));
    STEP(t, stf__conf_create(t, "released", "g", STF_RECORD_ACTIVE, NULL, stf_wall_none()));
    STEP(t, stf__conf_expect_in_flight(t, "g", stf__conf_now(t), "now past released"));
}

static void unknown_status(stf__conf *t)
{
    STEP(t, stf__conf_create(t, "a", "g", 99, NULL, stf_wall_none()));
    STEP(t, stf__conf_create(t, "b", "g", 5, "e", stf__conf_after(t, -1)));
    STEP(t, stf__conf_create(t, "c", "g", 99, "e", stf__conf_after(t, 1)));
    STEP(t, stf__conf_expect_in_flight(t, "g", stf__conf_now(t), "a b"));
}

static void store_clock(stf__conf *t)
{
    STEP(t, stf__conf_create(t, "a", "g", STF_RECORD_ACTIVE, "e", stf__conf_after(t, 10)));
    STEP(t, stf__conf_expect_in_flight(t, "g", stf_wall_none(), ""));
    STEP(t, stf__conf_expect_in_flight(t, "g", stf__conf_after(t, 10), "a"));
    stf__conf_advance(t, 10);
    STEP(t, stf__conf_expect_in_flight(t, "g", stf_wall_none(), "a"));
}

static void groups_never_cross(stf__conf *t)
{
    STEP(t, stf__conf_create(t, "a", "g", STF_RECORD_ACTIVE, NULL, stf_wall_none()));
    STEP(t, stf__conf_create(t, "b", "h", STF_RECORD_ACTIVE, NULL, stf_wall_none()));
    STEP(t, stf__conf_create(t, "c", "g", STF_RECORD_ACTIVE, "e", stf__conf_now(t)));
    STEP(t, stf__conf_create(t, "d", "h", STF_RECORD_ACTIVE, "e", stf__conf_now(t)));
    STEP(t, stf__conf_expect_in_flight(t, "g", stf__conf_now(t), "a c"));
    STEP(t, stf__conf_expect_in_flight(t, "h", stf__conf_now(t), "b d"));
}

/* Upper before lower case, a prefix before what it begins, umlauts behind all of ASCII, and the
 * high surrogate range of UTF-16 does not matter: U+FF5E is before U+1F600. */
static void order_by_bytes(stf__conf *t)
{
    static const char *const ids[] = {"b",   "a",        "ab",           "B",
                                      "a.b", "\xc3\xa4", "\xef\xbd\x9e", "\xf0\x9f\x98\x80",
                                      "Z",   "z",        "a0",           "a-"};
    for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
        STEP(t, stf__conf_create(t, ids[i], "g", STF_RECORD_ACTIVE, NULL, stf_wall_none()));
    }
    STEP(t, stf__conf_expect_in_flight(t, "g", stf__conf_now(t),
                                       "B Z a a- a.b a0 ab b z \xc3\xa4 \xef\xbd\x9e "
                                       "\xf0\x9f\x98\x80"));
}

static void pages(stf__conf *t)
{
    static const char *const ids[] = {"a", "b", "c", "d", "e", "f", "g"};
    for (size_t i = 0; i < 7; i++) {
        STEP(t, stf__conf_create(t, ids[i], "g", i == 2 ? STF_RECORD_COMPLETED : STF_RECORD_ACTIVE,
                                 NULL, stf_wall_none()));
    }
    static const char *const wanted[] = {"a b", "d e", "f g", ""};
    stf_in_flight_query query = {.group = stf_str_of("g"), .now = stf__conf_now(t), .limit = 2};
    for (size_t i = 0; i < 4; i++) {
        stf__conf_page page;
        stf__conf_page_init(t, &page);
        EXPECT_OK(t, stf_repository_list_in_flight(t->repo, NULL, &query, stf__conf_visit_id, &page,
                                                   stf__conf_error(t)));
        STEP(t, stf__conf_expect_ids(t, &page, wanted[i]));
        if (page.count != 0) {
            query.after_id = page.rows[page.count - 1].id;
        }
    }
    /* A page may start behind an id that is not there. */
    stf__conf_page page;
    stf__conf_page_init(t, &page);
    query.after_id = stf_str_of("dd");
    EXPECT_OK(t, stf_repository_list_in_flight(t->repo, NULL, &query, stf__conf_visit_id, &page,
                                               stf__conf_error(t)));
    STEP(t, stf__conf_expect_ids(t, &page, "e f"));
}

static void refusals(stf__conf *t)
{
    stf__conf_page page;
    stf__conf_page_init(t, &page);
    stf_in_flight_query query = {.group = stf_str_of(""), .now = stf__conf_now(t), .limit = 1};
    EXPECT_STATUS(t,
                  stf_repository_list_in_flight(t->repo, NULL, &query, stf__conf_visit_id, &page,
                                                stf__conf_error(t)),
                  STF_EMPTY_NOT_ALLOWED);
    query.group = stf_str_of("g");
    query.limit = 0;
    EXPECT_STATUS(t,
                  stf_repository_list_in_flight(t->repo, NULL, &query, stf__conf_visit_id, &page,
                                                stf__conf_error(t)),
                  STF_INVALID_ARGUMENT);
    query.limit = STF_LIMIT_PAGE + 1;
    EXPECT_STATUS(t,
                  stf_repository_list_in_flight(t->repo, NULL, &query, stf__conf_visit_id, &page,
                                                stf__conf_error(t)),
                  STF_LIMIT_EXCEEDED);
}

static void unregistered_group(stf__conf *t)
{
    STEP(t, stf__conf_create(t, "a", "g", STF_RECORD_ACTIVE, NULL, stf_wall_none()));
    STEP(t, stf__conf_expect_in_flight(t, "nobody", stf__conf_now(t), ""));
}

static stf_status stop_at_second(void *user, stf_str id, stf_error *error)
{
    (void)id;
    int *visited = user;
    return ++*visited == 2 ? stf_error_set(error, STF_CALLBACK, "CONFORMANCE", "stop") : STF_OK;
}

static void visitor_stops(stf__conf *t)
{
    static const char *const ids[] = {"a", "b", "c"};
    for (size_t i = 0; i < 3; i++) {
        STEP(t, stf__conf_create(t, ids[i], "g", STF_RECORD_ACTIVE, NULL, stf_wall_none()));
    }
    int visited = 0;
    stf_in_flight_query query = {.group = stf_str_of("g"), .now = stf__conf_now(t), .limit = 10};
    EXPECT_STATUS(t,
                  stf_repository_list_in_flight(t->repo, NULL, &query, stop_at_second, &visited,
                                                stf__conf_error(t)),
                  STF_CALLBACK);
    EXPECT(t, visited == 2, "visited %d after the visitor stopped at 2", visited);
}

/* A record leaves and enters the listing as its fields change. */
static void follows_saves(stf__conf *t)
{
    stf__conf_draft draft;
    stf__conf_draft_init(t, &draft, "a");
    STEP(t, stf__conf_save(t, &draft));
    static const uint32_t statuses[] = {STF_RECORD_SUSPENDED, STF_RECORD_ACTIVE,
                                        STF_RECORD_COMPLETED, STF_RECORD_INCIDENT};
    for (size_t i = 0; i < 4; i++) {
        stf__conf_draft_next(t, &draft);
        draft.record.status = statuses[i];
        STEP(t, stf__conf_save(t, &draft));
        STEP(t, stf__conf_expect_in_flight(t, "g", stf__conf_now(t), i % 2 == 0 ? "" : "a"));
    }
    stf__conf_draft_next(t, &draft);
    stf__conf_set_lease(&draft, "e", 1, stf__conf_after(t, STF__CONF_SECOND_US));
    STEP(t, stf__conf_save(t, &draft));
    STEP(t, stf__conf_expect_in_flight(t, "g", stf__conf_now(t), ""));
}

static const stf__conf_case cases[] = {
    {"listing.terminal", "ended records are not in flight, those with incidents are", NULL, 0,
     terminal},
    {"listing.suspended", "suspended records are not in flight", NULL, 0, suspended},
    {"listing.live-lease", "a record under a live lease is not in flight", NULL, 0, live_lease},
    {"listing.lapsed-lease", "a lease is over at its expiry, and no owner is no lease", NULL, 0,
     lapsed_lease},
    {"listing.unknown-status", "a status that the store has never heard of is in flight", NULL, 0,
     unknown_status},
    {"listing.store-clock", "without a time the store's clock decides", NULL, 0, store_clock},
    {"listing.groups-never-cross", "a listing never has another group's record", NULL, 0,
     groups_never_cross},
    {"listing.order-by-bytes", "ids are ordered by bytes", NULL, 0, order_by_bytes},
    {"listing.pages", "pages follow each other without loss or repetition", NULL, 0, pages},
    {"listing.refusals", "an empty group, no rows and too many rows are refused", NULL, 0,
     refusals},
    {"listing.unregistered-group", "an unregistered group's listing is empty", NULL, 0,
     unregistered_group},
    {"listing.visitor-stops", "the visitor's answer ends the page", NULL, 0, visitor_stops},
    {"listing.follows-saves", "a record enters and leaves with its fields", NULL, 0, follows_saves},
};

STF__CONF_FAMILY(listing, cases);
