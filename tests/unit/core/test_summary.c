/* SPDX-License-Identifier: Apache-2.0 */
/* Status, due and waits of the record, and R8. */
#include "core_case.h"
#include "doc_case.h"

STF_TEST(r8_an_active_document_that_nothing_would_find_is_an_internal_error)
{
    core_case *c = core_case_load("<startEvent id='s'/>");
    stf__doc_summary summary = {.status = 99};
    ck_assert_int_eq(stf__doc_summarise(c->doc, &c->arena, &summary, &c->error), STF_INTERNAL);
    ck_assert_uint_eq(summary.status, 99);
    core_case_free(c);
}

STF_TEST(due_is_the_earliest_of_all_deadlines)
{
    core_case *c = core_case_load(
        "<startEvent id='s'/><sequenceFlow id='f1' sourceRef='s' targetRef='a'/>"
        "<sequenceFlow id='f2' sourceRef='s' targetRef='b'/>"
        "<intermediateCatchEvent id='a'><timerEventDefinition><timeDuration>PT2H</timeDuration>"
        "</timerEventDefinition></intermediateCatchEvent>"
        "<intermediateCatchEvent id='b'><timerEventDefinition><timeDuration>PT1H</timeDuration>"
        "</timerEventDefinition></intermediateCatchEvent>");
    core_case_start(c, NULL);
    ck_assert_int_eq(core_case_summary(c).due.us, CORE_CASE_BEGIN_US + SECONDS(3600));
    ck_assert_uint_eq(core_case_summary(c).wait_count, 0);
    core_case_advance(c, SECONDS(3600));
    ck_assert_int_eq(core_case_summary(c).due.us, CORE_CASE_BEGIN_US + SECONDS(7200));
    core_case_free(c);
}

STF_TEST(a_token_at_a_join_is_no_deadlock_while_something_else_lives)
{
    core_case *c = core_case_load(
        "<startEvent id='s'/><sequenceFlow id='f1' sourceRef='s' targetRef='a'/>"
        "<sequenceFlow id='f2' sourceRef='s' targetRef='j'/><userTask id='a'/>"
        "<sequenceFlow id='f3' sourceRef='a' targetRef='j'/><parallelGateway id='j'/>");
    core_case_start(c, NULL);
    stf__doc_summary summary = core_case_summary(c);
    ck_assert_uint_eq(summary.wait_count, 1);
    ck_assert_uint_eq(summary.waits[0].kind, STF_WAIT_TASK);
    core_case_free(c);
}

static stf__doc_summary summarise(const stf__doc *doc, stf__arena *arena)
{
    stf__doc_summary summary;
    stf_error error = STF_ERROR_INIT;
    stf__arena_reset(arena);
    STF_CHECK_OK(stf__doc_summarise(doc, arena, &summary, &error), &error);
    return summary;
}

STF_TEST(each_thing_that_waits_is_a_wait_with_its_key_and_time)
{
    static const struct {
        uint32_t kind;
        stf_str key;
        int64_t since_us;
    } rows[] = {
        {STF_WAIT_TASK, {"task", 4}, 0},         {STF_WAIT_CHILD, {"child-1", 7}, 0},
        {STF_WAIT_MESSAGE, {"stop\0", 5}, 1},    {STF_WAIT_MESSAGE, {"news\0k", 6}, 2},
        {STF_WAIT_MESSAGE, {"paid\0o-1", 8}, 3},
    };
    stf__arena arena;
    stf__arena_init(&arena, NULL);
    stf__doc *doc = doc_case_rich();
    stf__doc_summary summary = summarise(doc, &arena);
    ck_assert_uint_eq(summary.wait_count, STF_COUNT_OF(rows));
    for (size_t i = 0; i < STF_COUNT_OF(rows); i++) {
        ck_assert_uint_eq(summary.waits[i].kind, rows[i].kind);
        ck_assert(stf_str_equal(summary.waits[i].key, rows[i].key));
        ck_assert_int_eq(summary.waits[i].since.us, DOC_CASE_NOW_US + rows[i].since_us);
        ck_assert(stf_wall_is_none(summary.waits[i].until));
    }
    ck_assert(summary.has_started && summary.has_outbox && !summary.has_unstarted);
    stf__doc_free(doc);
    stf__arena_done(&arena);
}

/* Taken away one by one, earliest first. */
STF_TEST(due_is_the_earliest_of_yields_retries_timers_and_the_outbox)
{
    stf__arena arena;
    stf__arena_init(&arena, NULL);
    stf__doc *doc = doc_case_rich();
    ck_assert_int_eq(summarise(doc, &arena).due.us, DOC_CASE_NOW_US);
    stf__token token;
    ck_assert(stf__doc_take_ready(doc, &token));
    ck_assert_int_eq(summarise(doc, &arena).due.us, DOC_CASE_NOW_US + 3000);
    doc->incidents[0].retry_at = stf_wall_none();
    ck_assert_int_eq(summarise(doc, &arena).due.us, DOC_CASE_NOW_US + 4000);
    while (doc->timer_count > 0) {
        stf__doc_remove_timer(doc, 0);
    }
    ck_assert_int_eq(summarise(doc, &arena).due.us, DOC_CASE_NOW_US + STF__OUTBOX_FIRST_US);
    stf__doc_clear_outbox(doc);
    ck_assert(stf_wall_is_none(summarise(doc, &arena).due));
    stf__doc_free(doc);
    stf__arena_done(&arena);
}

STF_TEST(only_an_open_incident_makes_the_record_one_that_people_must_look_at)
{
    stf__arena arena;
    stf__arena_init(&arena, NULL);
    stf__doc *doc = doc_case_rich();
    ck_assert_uint_eq(summarise(doc, &arena).status, STF_RECORD_ACTIVE);
    doc->incidents[0].retry_at = stf_wall_none();
    ck_assert_uint_eq(summarise(doc, &arena).status, STF_RECORD_INCIDENT);
    stf__doc_free(doc);
    stf__arena_done(&arena);
}

STF_TEST(r15_an_incident_of_the_instance_itself_stops_all_but_its_outbox)
{
    stf__arena arena;
    stf__arena_init(&arena, NULL);
    stf__doc *doc = doc_case_rich();
    doc_case_add_incident(doc, 0, STF__INCIDENT_POISON, stf_wall_none());
    doc_case_find(doc, "run")->work.is_started = false;
    stf__doc_summary summary = summarise(doc, &arena);
    ck_assert_uint_eq(summary.status, STF_RECORD_INCIDENT);
    ck_assert_uint_eq(summary.wait_count, 0);
    ck_assert(!summary.has_unstarted);
    ck_assert_int_eq(summary.due.us, doc->outbox_due.us);
    stf__doc_clear_outbox(doc);
    ck_assert(stf_wall_is_none(summarise(doc, &arena).due));
    stf__doc_free(doc);
    stf__arena_done(&arena);
}

STF_TEST(an_ended_record_ends_with_the_last_acknowledgement)
{
    static const struct {
        uint32_t how;
        uint32_t status;
    } rows[] = {{STF__END_COMPLETED, STF_RECORD_COMPLETED},
                {STF__END_TERMINATED, STF_RECORD_TERMINATED},
                {STF__END_FAILED, STF_RECORD_TERMINATED},
                {STF__END_CANCELLED, STF_RECORD_TERMINATED}};
    stf__arena arena;
    stf__arena_init(&arena, NULL);
    for (size_t i = 0; i < STF_COUNT_OF(rows); i++) {
        stf__doc *doc = doc_case_rich();
        stf__doc_clear_flow(doc);
        doc->end_how = rows[i].how;
        doc_case_check(doc);
        stf__doc_summary summary = summarise(doc, &arena);
        ck_assert_uint_eq(summary.status, STF_RECORD_ACTIVE);
        ck_assert_int_eq(summary.due.us, doc->outbox_due.us);
        ck_assert_uint_eq(summary.wait_count, 0);
        while (doc->outbox_count > 0) {
            ck_assert_uint_eq(summarise(doc, &arena).status, STF_RECORD_ACTIVE);
            stf__doc_remove_send(doc, doc->outbox[0].number);
        }
        summary = summarise(doc, &arena);
        ck_assert_uint_eq(summary.status, rows[i].status);
        ck_assert(stf_wall_is_none(summary.due) && !summary.has_outbox);
        stf__doc_free(doc);
    }
    stf__arena_done(&arena);
}

STF_TEST(a_queue_is_due_with_its_outbox_and_with_what_expires_in_it)
{
    stf__arena arena;
    stf__arena_init(&arena, NULL);
    stf__doc *doc = doc_case_queue(); /* until 3000 (aimed), 2000, 1000 */
    stf__doc_summary summary = summarise(doc, &arena);
    ck_assert_uint_eq(summary.status, STF_RECORD_ACTIVE);
    ck_assert_int_eq(summary.due.us, DOC_CASE_NOW_US + 1000);
    stf__doc_remove_send(doc, 3);
    ck_assert_int_eq(summarise(doc, &arena).due.us, DOC_CASE_NOW_US + 2000);
    stf__doc_remove_send(doc, 2);
    ck_assert_int_eq(summarise(doc, &arena).due.us, DOC_CASE_NOW_US + STF__OUTBOX_FIRST_US);
    stf__doc_remove_send(doc, 1);
    summary = summarise(doc, &arena);
    ck_assert_uint_eq(summary.status, STF_RECORD_COMPLETED);
    ck_assert(stf_wall_is_none(summary.due));
    stf__doc_free(doc);
    stf__arena_done(&arena);
}

/* What holds a token but moves by itself is no hope for it. */
STF_TEST(r8_tokens_at_joins_inside_sub_processes_and_nothing_else_are_stuck)
{
    stf__arena arena;
    stf__arena_init(&arena, NULL);
    stf__doc *doc = doc_case_new(STF__DOC_INSTANCE);
    doc_case_add(doc, 0, "sub", STF__FOR_SCOPE);
    doc_case_add(doc, 1, "inner", STF__FOR_SCOPE);
    stf__token token = {.scope = 2,
                        .node = stf_str_of("j"),
                        .flow = stf_str_of("f"),
                        .count = 1,
                        .since = {DOC_CASE_NOW_US}};
    STF_CHECK_OK(stf__doc_park(doc, &token, NULL), (stf_error *)NULL);
    doc_case_check(doc);
    stf__doc_summary summary = summarise(doc, &arena);
    ck_assert_uint_eq(summary.wait_count, 1);
    ck_assert_uint_eq(summary.waits[0].kind, STF_WAIT_STUCK);
    STF_CHECK_STR(summary.waits[0].key, "j");
    doc_case_add_subscription(doc, 1, "boundary", "m", "", DOC_CASE_NOW_US);
    summary = summarise(doc, &arena);
    ck_assert_uint_eq(summary.wait_count, 1);
    ck_assert_uint_eq(summary.waits[0].kind, STF_WAIT_MESSAGE);
    stf__doc_free(doc);
    stf__arena_done(&arena);
}

static const stf_test_case cases[] = {
    STF_CASE(each_thing_that_waits_is_a_wait_with_its_key_and_time),
    STF_CASE(due_is_the_earliest_of_yields_retries_timers_and_the_outbox),
    STF_CASE(only_an_open_incident_makes_the_record_one_that_people_must_look_at),
    STF_CASE(r15_an_incident_of_the_instance_itself_stops_all_but_its_outbox),
    STF_CASE(an_ended_record_ends_with_the_last_acknowledgement),
    STF_CASE(a_queue_is_due_with_its_outbox_and_with_what_expires_in_it),
    STF_CASE(r8_tokens_at_joins_inside_sub_processes_and_nothing_else_are_stuck),
    STF_CASE(r8_an_active_document_that_nothing_would_find_is_an_internal_error),
    STF_CASE(due_is_the_earliest_of_all_deadlines),
    STF_CASE(a_token_at_a_join_is_no_deadlock_while_something_else_lives),
};

STF_TEST_MAIN("core/summary", cases)
