/* SPDX-License-Identifier: Apache-2.0 */
/* A wake set by itself: an entry stands in the trees that its fields name, a page has what its
 * query asks for in the order that pages go on, and no failing allocation loses a row silently. */
#include "port/wake_set.h"

#include <string.h>

#include "support/stf_test.h"
#include "unit/base/faulty.h"

enum {
    ENTRIES = 5,
    WAITS = 2
};

#define NONE STF_WALL_NONE_US

static const stf_str tenants[] = {{"t", 1}, {"u", 1}};

/* id, owner, expiry, due, status, since of both waits, tenant. */
static const struct {
    const char *id;
    const char *owner;
    int64_t expiry_us;
    int64_t due_us;
    uint32_t status;
    int64_t since_us;
    size_t tenant;
} rows[ENTRIES] = {
    {"a", "", NONE, 30, STF_RECORD_ACTIVE, 5, 0},   {"b", "x", 50, 10, STF_RECORD_ACTIVE, 5, 1},
    {"c", "y", 200, 20, STF_RECORD_ACTIVE, 3, 0},   {"d", "x", 50, 20, STF_RECORD_SUSPENDED, 1, 0},
    {"e", "x", 50, 10, STF_RECORD_COMPLETED, 1, 0},
};

static faulty allocator;
static stf__wake_set set;
static stf__wake_entry entries[ENTRIES];
static stf__wake_wait waits[ENTRIES][WAITS];

static void fill(void)
{
    faulty_init(&allocator, 0);
    stf__wake_set_init(&set);
    memset(waits, 0, sizeof(waits));
    for (size_t i = ENTRIES; i-- > 0;) {
        entries[i] = (stf__wake_entry){.id = stf_str_of(rows[i].id),
                                       .tenant = &tenants[rows[i].tenant],
                                       .owner = stf_str_of(rows[i].owner),
                                       .expiry = {rows[i].expiry_us},
                                       .due = {rows[i].due_us},
                                       .version = (int64_t)i + 1,
                                       .waits = waits[i],
                                       .wait_count = WAITS,
                                       .status = rows[i].status};
        for (size_t k = 0; k < WAITS; k++) {
            waits[i][k].entry = &entries[i];
            waits[i][k].wait = (stf_wait){.kind = 1, .since = {rows[i].since_us}};
            waits[i][k].wait.key = stf_str_of(k == 0 ? "k" : "l");
        }
        stf__wake_set_place(&set, &entries[i]);
    }
}

typedef struct listing {
    char text[64];
    size_t size;
} listing;

static stf_status list_row(void *user, const stf_wake_row *row, stf_error *error)
{
    (void)error;
    listing *self = user;
    ck_assert_uint_lt(self->size + row->id.size + row->wait.key.size, sizeof(self->text));
    memcpy(self->text + self->size, row->id.data, row->id.size);
    self->size += row->id.size;
    if (row->wait.key.size != 0) {
        memcpy(self->text + self->size, row->wait.key.data, row->wait.key.size);
        self->size += row->wait.key.size;
    }
    return STF_OK;
}

typedef enum look {
    IN_FLIGHT,
    DUE,
    ORPHANS,
    WAITS_OF_KIND
} look;

typedef struct asked {
    look look;
    int64_t now_us;
    const char *asker; /* of waits: the tenant */
    const char *key;   /* of orphans: a dead owner */
    int64_t after_us;
    const char *after_id;
    size_t limit;
} asked;

static stf_status take(stf__wake_page *page, const stf__wake_set *from, const asked *query)
{
    stf_wall now = {query->now_us};
    stf_str asker = stf_str_of(query->asker);
    stf_str key = stf_str_of(query->key);
    stf_str after_id = stf_str_of(query->after_id);
    stf_in_flight_query in_flight = {.after_id = after_id, .limit = query->limit};
    stf_due_query due = {.asker = asker,
                         .after_due = {query->after_us},
                         .after_id = after_id,
                         .limit = query->limit};
    stf_orphan_query orphans = {.asker = asker,
                                .dead_owners = &key,
                                .dead_owner_count = key.size != 0 ? 1 : 0,
                                .after_id = after_id,
                                .limit = query->limit};
    stf_waiting_query waiting = {.tenant = asker,
                                 .key = key,
                                 .kind = 1,
                                 .after_since = {query->after_us},
                                 .after_id = after_id,
                                 .limit = query->limit};
    switch (query->look) {
    case IN_FLIGHT:
        return stf__wake_page_take_in_flight(page, from, &in_flight, now);
    case DUE:
        return stf__wake_page_take_due(page, from, &due, now);
    case ORPHANS:
        return stf__wake_page_take_orphans(page, from, &orphans, now);
    case WAITS_OF_KIND:
        return stf__wake_page_take_waits(page, from, &waiting);
    }
    return STF_INTERNAL;
}

static stf_status look_at(const stf__wake_set *from, const asked *query, listing *ret_listing)
{
    *ret_listing = (listing){.size = 0};
    stf__wake_page page;
    stf__wake_page_init(&page, &allocator.port);
    stf_status taken = take(&page, from, query);
    stf_status status = stf__wake_page_visit(&page, taken, list_row, ret_listing, NULL);
    ck_assert_int_eq(allocator.live, 0);
    return status;
}

/* What is after nothing begins at the none of times, which is before all of them. */
static const struct {
    asked query;
    const char *expected;
} pages[] = {
    {{IN_FLIGHT, 100, "", "", NONE, "", 9}, "ab"},
    {{IN_FLIGHT, 100, "", "", NONE, "a", 1}, "b"},
    {{DUE, 100, "", "", NONE, "", 9}, "bda"},
    {{DUE, 100, "y", "", NONE, "", 9}, "bcda"},
    {{DUE, 25, "x", "", NONE, "", 9}, "bd"},
    {{DUE, 25, "x", "", 20, "c", 9}, "d"},
    {{DUE, 100, "y", "", NONE, "", 2}, "bc"},
    {{ORPHANS, 100, "z", "", NONE, "", 9}, "b"},
    {{ORPHANS, 100, "x", "y", NONE, "", 9}, "c"},
    {{ORPHANS, 40, "z", "", NONE, "", 9}, ""},
    {{ORPHANS, 250, "z", "", NONE, "b", 9}, "c"},
    {{WAITS_OF_KIND, 0, "", "", NONE, "", 9}, "ckclakalbkbl"},
    {{WAITS_OF_KIND, 0, "", "", NONE, "", 1}, "ckcl"},
    {{WAITS_OF_KIND, 0, "", "", 3, "c", 2}, "akal"},
    {{WAITS_OF_KIND, 0, "", "l", NONE, "", 2}, "clal"},
    {{WAITS_OF_KIND, 0, "u", "l", NONE, "", 2}, "bl"},
};

static void expect_page(const asked *query, const char *expected)
{
    listing seen;
    ck_assert_uint_eq(look_at(&set, query, &seen), STF_OK);
    STF_CHECK_STR(((stf_str){seen.text, seen.size}), expected);
}

STF_TEST(a_page_has_what_its_query_asks_for_in_order)
{
    fill();
    for (size_t i = 0; i < sizeof(pages) / sizeof(pages[0]); i++) {
        expect_page(&pages[i].query, pages[i].expected);
    }
}

STF_TEST(a_group_that_is_not_there_has_empty_pages)
{
    fill();
    for (size_t i = 0; i < sizeof(pages) / sizeof(pages[0]); i++) {
        listing seen;
        ck_assert_uint_eq(look_at(NULL, &pages[i].query, &seen), STF_OK);
        ck_assert_uint_eq(seen.size, 0);
    }
    ck_assert(stf_wall_is_none(stf__wake_set_next_due(NULL, stf_str_of(""))));
}

STF_TEST(the_next_due_is_of_what_nobody_or_the_asker_owns)
{
    fill();
    ck_assert_int_eq(stf__wake_set_next_due(&set, stf_str_of("")).us, 30);
    ck_assert_int_eq(stf__wake_set_next_due(&set, stf_str_of("y")).us, 20);
    ck_assert_int_eq(stf__wake_set_next_due(&set, stf_str_of("x")).us, 10);
}

STF_TEST(an_entry_that_is_placed_again_stands_where_its_fields_say_now)
{
    fill();
    entries[0].status = STF_RECORD_SUSPENDED;
    stf__wake_set_place(&set, &entries[0]);
    expect_page(&(asked){WAITS_OF_KIND, 0, "", "", NONE, "", 9}, "ckclbkbl");
    expect_page(&(asked){DUE, 100, "", "", NONE, "", 9}, "bda");
    entries[1].status = STF_RECORD_TERMINATED;
    stf__wake_set_place(&set, &entries[1]);
    expect_page(&(asked){ORPHANS, 100, "z", "", NONE, "", 9}, "");
    stf__wake_set_remove_waits(&set, &entries[2]);
    expect_page(&(asked){WAITS_OF_KIND, 0, "", "", NONE, "", 9}, "");
    stf__wake_set_place(&set, &entries[2]);
    expect_page(&(asked){WAITS_OF_KIND, 0, "", "", NONE, "", 9}, "ckcl");
    for (size_t i = 0; i < ENTRIES; i++) {
        stf__wake_set_remove(&set, &entries[i]);
    }
    ck_assert_ptr_null(stf__wake_set_after_id(&set, stf_str_of("")));
    ck_assert_ptr_null(stf__tree_first(&set.due));
    ck_assert_ptr_null(stf__tree_first(&set.owned));
    ck_assert_ptr_null(stf__tree_first(&set.waits));
    ck_assert_ptr_null(stf__tree_first(&set.waits_by_key));
}

STF_TEST(every_failing_allocation_of_a_page_is_said_and_visits_nothing)
{
    for (size_t i = 0; i < sizeof(pages) / sizeof(pages[0]); i++) {
        stf_status status = STF_NO_MEMORY;
        for (long n = 1; status == STF_NO_MEMORY; n++) {
            fill();
            allocator.fail_at = n;
            listing seen;
            status = look_at(&set, &pages[i].query, &seen);
            ck_assert(status == STF_OK || seen.size == 0);
            ck_assert(status == STF_NO_MEMORY || n > 1 || pages[i].expected[0] == 0);
        }
        ck_assert_uint_eq(status, STF_OK);
    }
}

static const stf_test_case cases[] = {
    STF_CASE(a_page_has_what_its_query_asks_for_in_order),
    STF_CASE(a_group_that_is_not_there_has_empty_pages),
    STF_CASE(the_next_due_is_of_what_nobody_or_the_asker_owns),
    STF_CASE(an_entry_that_is_placed_again_stands_where_its_fields_say_now),
    STF_CASE(every_failing_allocation_of_a_page_is_said_and_visits_nothing),
};

STF_TEST_MAIN("port/wake_set", cases)
