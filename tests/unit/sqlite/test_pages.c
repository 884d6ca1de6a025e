/* SPDX-License-Identifier: Apache-2.0 */
/* Who is in flight, due, orphaned, waiting: over one small population. */
#include "fixture.h"

#define NOW FIXTURE_NOW

typedef struct person {
    const char *id;
    uint32_t status;
    const char *owner;
    int64_t expiry;
    int64_t due;
    const char *topic; /* of a job; NULL: no wait */
    int64_t since;
} person;

static const person people[] = {
    {"done", STF_RECORD_COMPLETED, "", 0, NOW - 9, "mail", 1},
    {"dead", STF_RECORD_ACTIVE, "gone", NOW + 50, NOW - 2, NULL, 0},
    {"held", STF_RECORD_ACTIVE, "other", NOW + 50, NOW - 3, "mail", 5},
    {"late", STF_RECORD_ACTIVE, "other", NOW, NOW - 3, NULL, 0},
    {"mine", STF_RECORD_ACTIVE, "me", NOW + 50, NOW - 1, "mail", 3},
    {"rest", STF_RECORD_INCIDENT, "", 0, NOW - 5, "post", 2},
    {"soon", 99, "", 0, NOW + 1, "mail", 3},
    {"stop", STF_RECORD_SUSPENDED, "", 0, NOW - 4, "mail", 0},
};

#define PEOPLE (sizeof(people) / sizeof(people[0]))

static void settle(sqlite_fixture *f)
{
    fixture_init(f);
    for (size_t i = 0; i < PEOPLE; i++) {
        stf_record record = fixture_record(people[i].id);
        stf_wait waits[2];
        record.status = people[i].status;
        record.lease = (stf_lease){fixture_str(people[i].owner), 1, {people[i].expiry}};
        record.due.us = people[i].due;
        if (people[i].topic != NULL) {
            waits[0] = (stf_wait){.kind = STF_WAIT_JOB,
                                  .key = fixture_str(people[i].topic),
                                  .since = {people[i].since},
                                  .until = stf_wall_none()};
            waits[1] = waits[0];
            record.waits = waits;
            record.wait_count = strcmp(people[i].id, "mine") == 0 ? 2 : 1;
        }
        STF_CHECK_OK(fixture_put(f->repository, &record, 0, &f->error), &f->error);
    }
}

#define CHECK_SEEN(call, expected)                                                                 \
    do {                                                                                           \
        stf_buf seen;                                                                              \
        stf_buf_init(&seen, NULL);                                                                 \
        STF_CHECK_OK(call, &f.error);                                                              \
        STF_CHECK_STR(stf_buf_str(&seen), expected);                                               \
        stf_buf_done(&seen);                                                                       \
    } while (0)

STF_TEST(in_flight_lists_what_is_claimable_by_id)
{
    sqlite_fixture f;
    settle(&f);
    stf_in_flight_query query = {.group = fixture_str("g"), .now = stf_wall_none(), .limit = 10};
#define LIST()                                                                                     \
    stf_repository_list_in_flight(f.repository, NULL, &query, fixture_note_id, &seen, &f.error)
    CHECK_SEEN(LIST(), "late rest soon ");
    query.now.us = NOW + 50;
    CHECK_SEEN(LIST(), "dead held late mine rest soon ");
    query.after_id = fixture_str("held");
    query.limit = 2;
    CHECK_SEEN(LIST(), "late mine ");
    query.group = fixture_str("unknown");
    CHECK_SEEN(LIST(), "");
    fixture_done(&f);
}

STF_TEST(due_pages_are_ordered_by_due_and_id_and_leave_live_leases_alone)
{
    sqlite_fixture f;
    settle(&f);
    stf_due_query query = {.group = fixture_str("g"),
                           .asker = fixture_str("me"),
                           .now = stf_wall_none(),
                           .after_due = stf_wall_none(),
                           .limit = 10};
#define DUE()                                                                                      \
    stf_repository_due_page(f.repository, NULL, &query, fixture_note_wake, &seen, &f.error)
    CHECK_SEEN(DUE(), "rest stop late mine ");
    query.after_due.us = NOW - 4;
    query.after_id = fixture_str("stop");
    CHECK_SEEN(DUE(), "late mine ");
    query.asker = fixture_str("");
    query.limit = 1;
    CHECK_SEEN(DUE(), "late ");
    query.now.us = NOW + 50;
    query.limit = 10;
    CHECK_SEEN(DUE(), "held late dead mine soon ");
    fixture_done(&f);
}

STF_TEST(the_next_due_is_of_what_nobody_else_holds)
{
    sqlite_fixture f;
    settle(&f);
    stf_wall due;
    STF_CHECK_OK(stf_repository_next_due(f.repository, NULL, fixture_str("g"), fixture_str("me"),
                                         &due, &f.error),
                 &f.error);
    ck_assert_int_eq(due.us, NOW - 5);
    stf_delete request = {.struct_size = sizeof(request),
                          .abi = STF_DELETE_ABI,
                          .flags = STF_DELETE_ANY,
                          .id = fixture_str("rest")};
    STF_CHECK_OK(stf_repository_delete(f.repository, NULL, &request, &f.error), &f.error);
    request.id = fixture_str("stop");
    STF_CHECK_OK(stf_repository_delete(f.repository, NULL, &request, &f.error), &f.error);
    STF_CHECK_OK(stf_repository_next_due(f.repository, NULL, fixture_str("g"), fixture_str("me"),
                                         &due, &f.error),
                 &f.error);
    ck_assert_int_eq(due.us, NOW - 1);
    STF_CHECK_OK(stf_repository_next_due(f.repository, NULL, fixture_str("unknown"),
                                         fixture_str("me"), &due, &f.error),
                 &f.error);
    ck_assert(stf_wall_is_none(due));
    fixture_done(&f);
}

STF_TEST(orphan_pages_hold_lapsed_leases_and_dead_owners)
{
    sqlite_fixture f;
    settle(&f);
    stf_orphan_query query = {
        .group = fixture_str("g"), .asker = fixture_str("me"), .now = stf_wall_none(), .limit = 10};
#define ORPHANS()                                                                                  \
    stf_repository_orphan_page(f.repository, NULL, &query, fixture_note_wake, &seen, &f.error)
    CHECK_SEEN(ORPHANS(), "late ");
    stf_str dead[2] = {fixture_str("nobody"), fixture_str("gone")};
    query.dead_owners = dead;
    query.dead_owner_count = 2;
    CHECK_SEEN(ORPHANS(), "dead late ");
    query.limit = 1;
    CHECK_SEEN(ORPHANS(), "dead ");
    query.after_id = fixture_str("dead");
    CHECK_SEEN(ORPHANS(), "late ");
    query.limit = 10;
    query.after_id = fixture_str("");
    query.now.us = NOW + 50;
    CHECK_SEEN(ORPHANS(), "dead held late "); /* never the asker's */
    fixture_done(&f);
}

STF_TEST(a_lease_without_an_expiry_has_lapsed)
{
    sqlite_fixture f;
    fixture_init(&f);
    stf_record record = fixture_record("a");
    record.lease = (stf_lease){fixture_str("other"), 1, stf_wall_none()};
    STF_CHECK_OK(fixture_put(f.repository, &record, 0, &f.error), &f.error);
    stf_in_flight_query query = {.group = fixture_str("g"), .now = {1}, .limit = 10};
    CHECK_SEEN(LIST(), "a ");
    fixture_done(&f);
}

static stf_status check_owner(void *user, const stf_wake_row *row, stf_error *error)
{
    (void)error;
    STF_CHECK_STR(row->owner, "other");
    ck_assert_int_eq(row->at.us, NOW);
    ck_assert_int_eq(row->rec_version, 1);
    ++*(int *)user;
    return STF_OK;
}

static stf_status check_wait(void *user, const stf_wake_row *row, stf_error *error)
{
    (void)error;
    STF_CHECK_STR(row->wait.key, "post");
    ck_assert_int_eq(row->at.us, 2);
    ck_assert_int_eq(row->wait.since.us, 2);
    ck_assert_uint_eq(row->wait.kind, STF_WAIT_JOB);
    ck_assert(stf_wall_is_none(row->wait.until));
    ++*(int *)user;
    return STF_OK;
}

STF_TEST(rows_say_who_and_what)
{
    sqlite_fixture f;
    settle(&f);
    int seen = 0;
    stf_orphan_query orphans = {.group = fixture_str("g"), .now = stf_wall_none(), .limit = 10};
    STF_CHECK_OK(
        stf_repository_orphan_page(f.repository, NULL, &orphans, check_owner, &seen, &f.error),
        &f.error);
    stf_waiting_query waiting = {.group = fixture_str("g"),
                                 .key = fixture_str("post"),
                                 .kind = STF_WAIT_JOB,
                                 .after_since = stf_wall_none(),
                                 .limit = 10};
    STF_CHECK_OK(
        stf_repository_waiting_page(f.repository, NULL, &waiting, check_wait, &seen, &f.error),
        &f.error);
    ck_assert_int_eq(seen, 2);
    fixture_done(&f);
}

STF_TEST(waiting_pages_are_ordered_by_since_and_never_split_a_records_ties)
{
    sqlite_fixture f;
    settle(&f);
    stf_waiting_query query = {.group = fixture_str("g"),
                               .key = fixture_str("mail"),
                               .kind = STF_WAIT_JOB,
                               .after_since = stf_wall_none(),
                               .limit = 10};
#define WAITING()                                                                                  \
    stf_repository_waiting_page(f.repository, NULL, &query, fixture_note_wake, &seen, &f.error)
    CHECK_SEEN(WAITING(), "mine mine soon held ");
    query.limit = 1;
    CHECK_SEEN(WAITING(), "mine mine ");
    query.after_since.us = 3;
    query.after_id = fixture_str("mine");
    CHECK_SEEN(WAITING(), "soon ");
    query.limit = 10;
    query.tenant = fixture_str("t");
    CHECK_SEEN(WAITING(), "soon held ");
    query.tenant = fixture_str("another");
    CHECK_SEEN(WAITING(), "");
    query = (stf_waiting_query){.group = fixture_str("g"),
                                .kind = STF_WAIT_JOB,
                                .after_since = stf_wall_none(),
                                .limit = 10};
    CHECK_SEEN(WAITING(), "rest mine mine soon held ");
    query.tenant = fixture_str("t");
    query.limit = 1;
    CHECK_SEEN(WAITING(), "rest ");
    query.kind = STF_WAIT_SIGNAL;
    CHECK_SEEN(WAITING(), "");
    fixture_done(&f);
}

static const stf_test_case cases[] = {
    STF_CASE(in_flight_lists_what_is_claimable_by_id),
    STF_CASE(due_pages_are_ordered_by_due_and_id_and_leave_live_leases_alone),
    STF_CASE(the_next_due_is_of_what_nobody_else_holds),
    STF_CASE(orphan_pages_hold_lapsed_leases_and_dead_owners),
    STF_CASE(a_lease_without_an_expiry_has_lapsed),
    STF_CASE(rows_say_who_and_what),
    STF_CASE(waiting_pages_are_ordered_by_since_and_never_split_a_records_ties),
};

STF_TEST_MAIN("sqlite pages", cases)
