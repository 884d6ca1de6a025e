/* SPDX-License-Identifier: Apache-2.0 */
/* BPMN errors: who catches them, what goes with it, and what becomes of those that nobody catches.
 */
#include "core_case.h"

#define FLOW(id, from, to) "<sequenceFlow id='" id "' sourceRef='" from "' targetRef='" to "'/>"
#define ERRORS "<error id='E1' errorCode='one'/><error id='E2' errorCode='two'/>"
/* definition: errorRef='E1' ..., or nothing for the catch-all. */
#define CATCH(id, host, definition)                                                                \
    "<boundaryEvent id='" id "' attachedToRef='" host "'><errorEventDefinition " definition        \
    "/></boundaryEvent>" FLOW("out_" id, id, "after_" id) "<userTask id='after_" id "'/>"
#define THROW(id, definition)                                                                      \
    "<endEvent id='" id "'><errorEventDefinition " definition "/></endEvent>"

/* A task in a sub-process in a sub-process, which then throws what a variable says. */
#define BOMB                                                                                       \
    "<startEvent id='s'/>" FLOW("f1", "s", "outer") FLOW("f2", "outer", "ok") "<endEvent "         \
                                                                              "id='ok'/>"
#define INNER(end)                                                                                 \
    "<subProcess id='inner'><userTask id='a'/>" FLOW("h1", "a", "bang") end "</subProcess>"

static core_case *load(const char *body)
{
    core_case *c = core_case_load_in(ERRORS, body);
    core_case_start(c, NULL);
    return c;
}

static void expect_end(core_case *c, const char *element, const char *code)
{
    core_case_expect_status(c, STF_RECORD_TERMINATED);
    ck_assert_uint_eq(c->doc->end_how, STF__END_FAILED);
    STF_CHECK_STR(c->doc->end_element, element);
    STF_CHECK_STR(c->doc->end_code, code);
    ck_assert_uint_eq(core_case_count(c, STF_FACT_INSTANCE_FAILED, element), 1);
    ck_assert_uint_eq(core_case_count(c, STF_FACT_INSTANCE_COMPLETED, NULL), 0);
    core_case_expect_one_end_each(c);
}

STF_TEST(an_error_end_event_is_caught_at_its_sub_process_and_never_completes)
{
    core_case *c = load(
        BOMB "<subProcess id='outer'><userTask id='a'/>" FLOW("g1", "a", "bang")
            THROW("bang", "errorRef='E1'") "</subProcess>" CATCH("c", "outer", "errorRef='E1'"));
    core_case_task(c, "a", NULL);
    core_case_expect_waiting(c, "after_c");
    core_case_expect_completed(c, "c", 1);
    core_case_expect_completed(c, "bang", 0);
    core_case_expect_completed(c, "outer", 0);
    ck_assert_uint_eq(core_case_count(c, STF_FACT_ERROR_THROWN, "bang"), 1);
    ck_assert_uint_eq(core_case_count(c, STF_FACT_ERROR_CAUGHT, "c"), 1);
    ck_assert_uint_eq(c->doc->scope_count, 1);
    core_case_task(c, "after_c", NULL);
    core_case_expect_status(c, STF_RECORD_COMPLETED);
    core_case_expect_one_end_each(c);
    core_case_free(c);
}

/* Item 47: the order of boundary events in the file decides nothing between a code and all. */
STF_TEST(trap_47_a_specific_code_goes_before_the_catch_all_at_one_activity)
{
    static const char *const bodies[] = {
        BOMB "<subProcess id='outer'><userTask id='a'/>" FLOW("g1", "a", "bang")
            THROW("bang", "errorRef='E1'") "</subProcess>" CATCH("all", "outer", "")
                CATCH("two", "outer", "errorRef='E2'") CATCH("one", "outer", "errorRef='E1'"),
        BOMB "<subProcess id='outer'><userTask id='a'/>" FLOW("g1", "a", "bang")
            THROW("bang", "errorRef='E1'") "</subProcess>" CATCH("one", "outer", "errorRef='E1'")
                CATCH("two", "outer", "errorRef='E2'") CATCH("all", "outer", ""),
    };
    for (size_t i = 0; i < 2; i++) {
        core_case *c = load(bodies[i]);
        core_case_task(c, "a", NULL);
        core_case_expect_waiting(c, "after_one");
        core_case_free(c);
    }
}

STF_TEST(trap_47_an_inner_catch_all_goes_before_an_outer_specific_code)
{
    core_case *c = load(BOMB "<subProcess id='outer'>" INNER(THROW("bang", "errorRef='E1'")) CATCH(
        "all", "inner", "") "</subProcess>" CATCH("one", "outer", "errorRef='E1'"));
    core_case_task(c, "a", NULL);
    core_case_expect_waiting(c, "after_all");
    core_case_expect_completed(c, "one", 0);
    core_case_task(c, "after_all", NULL); /* inside the outer one, which goes on */
    core_case_expect_completed(c, "outer", 1);
    core_case_expect_status(c, STF_RECORD_COMPLETED);
    core_case_free(c);
}

STF_TEST(an_inner_catcher_of_another_code_lets_the_error_pass_outward)
{
    core_case *c = load(BOMB "<subProcess id='outer'>" INNER(THROW("bang", "errorRef='E1'")) CATCH(
        "two", "inner", "errorRef='E2'") "</subProcess>" CATCH("one", "outer", "errorRef='E1'"));
    core_case_task(c, "a", NULL);
    core_case_expect_waiting(c, "after_one");
    core_case_expect_completed(c, "two", 0);
    ck_assert_uint_eq(core_case_count(c, STF_FACT_NODE_CANCELLED, "inner"), 1);
    core_case_free(c);
}

STF_TEST(an_error_without_a_code_is_caught_by_the_catch_all_only)
{
    core_case *c =
        load(BOMB "<subProcess id='outer'><serviceTask id='w' stepfast:handler='h'/>" CATCH(
            "one", "w", "errorRef='E1'") "</subProcess>" CATCH("all", "outer", ""));
    core_case_answer(c, "w", STF__WORK_BPMN_ERROR, "");
    core_case_expect_waiting(c, "after_all");
    core_case_free(c);
}

/* Item 45: whichever of several branches throws, all that is inside goes. */
STF_TEST(trap_45_an_error_from_any_branch_ends_everything_in_its_scope)
{
    core_case *c = load(
        BOMB "<subProcess id='outer'><startEvent id='i'/>" FLOW("g1", "i", "a") FLOW("g2", "i", "w")
            FLOW("g3", "i", "j") FLOW("g4", "i", "deep") "<userTask id='a'/>" FLOW("g5", "a",
                                                                                   "bang")
                THROW("bang", "errorRef='E1'") "<serviceTask id='w' stepfast:handler='h'/>" FLOW(
                    "g6", "w", "j") "<parallelGateway id='j'/>"
                                    "<subProcess id='deep'><intermediateCatchEvent id='t'>"
                                    "<timerEventDefinition><timeDuration>PT1H</timeDuration>"
                                    "</timerEventDefinition></intermediateCatchEvent></subProcess>"
                                    "</subProcess>" CATCH("c", "outer", "errorRef='E1'"));
    core_case_start_work(c, "w");
    uint64_t running = core_case_find_work(c, "w").activation;
    ck_assert_uint_eq(c->doc->parked_count, 1);
    ck_assert_uint_eq(c->doc->timer_count, 1);
    core_case_task(c, "a", NULL);
    core_case_expect_waiting(c, "after_c");
    ck_assert_uint_eq(c->effects.cancelled_count, 1);
    ck_assert_uint_eq(c->effects.cancelled[0], running);
    ck_assert_uint_eq(c->doc->parked_count, 0);
    ck_assert_uint_eq(c->doc->timer_count, 0);
    ck_assert_uint_eq(c->doc->scope_count, 1);
    core_case_task(c, "after_c", NULL);
    core_case_expect_one_end_each(c);
    core_case_free(c);
}

/* Item 18: what an error ended does not happen any more, though it was on its way. */
STF_TEST(trap_18_what_was_due_or_answered_after_the_error_finds_its_target_gone)
{
    core_case *c = load(
        BOMB "<subProcess id='outer'><startEvent id='i'/>" FLOW("g1", "i", "a")
            FLOW("g2", "i", "w") "<userTask id='a'/>" FLOW("g3", "a", "bang")
                THROW("bang", "errorRef='E1'") "<serviceTask id='w' stepfast:handler='h'/>"
                                               "</subProcess>"
                                               "<boundaryEvent id='late' attachedToRef='outer'>"
                                               "<timerEventDefinition><timeDuration>PT1H"
                                               "</timeDuration></timerEventDefinition>"
                                               "</boundaryEvent>" CATCH("c", "outer", ""));
    core_case_start_work(c, "w");
    stf__work_item item = core_case_find_work(c, "w");
    core_case_task(c, "a", NULL);
    stf__event answer = {.kind = STF__EVENT_WORK,
                         .outcome = STF__WORK_BPMN_ERROR,
                         .activation = item.activation,
                         .attempt = item.attempt,
                         .code = stf_str_of("one")};
    STF_CHECK_OK(core_case_step(c, &answer), &c->error);
    ck_assert_uint_eq(core_case_count(c, STF_FACT_RESULT_DROPPED, NULL), 1);
    core_case_advance(c, SECONDS(7200));
    core_case_expect_waiting(c, "after_c");
    core_case_expect_completed(c, "c", 1);
    core_case_expect_completed(c, "late", 0);
    core_case_free(c);
}

STF_TEST(a_handlers_error_is_caught_at_its_own_task_first)
{
    core_case *c =
        load(BOMB "<subProcess id='outer'><serviceTask id='w' stepfast:handler='h'/>" CATCH(
            "own", "w", "errorRef='E1'") "</subProcess>" CATCH("around", "outer", "errorRef='E1'"));
    core_case_start_work(c, "w");
    core_case_answer(c, "w", STF__WORK_BPMN_ERROR, "one");
    core_case_expect_waiting(c, "after_own");
    core_case_expect_completed(c, "w", 0);
    ck_assert_uint_eq(core_case_count(c, STF_FACT_NODE_CANCELLED, "w"), 1);
    ck_assert_uint_eq(core_case_count(c, STF_FACT_INCIDENT_OPENED, NULL), 0);
    core_case_task(c, "after_own", NULL);
    core_case_expect_completed(c, "outer", 1);
    core_case_expect_one_end_each(c);
    core_case_free(c);
}

STF_TEST(a_handlers_error_that_nobody_catches_is_an_incident_that_can_be_retried)
{
    core_case *c =
        load(BOMB "<subProcess id='outer'><serviceTask id='w' stepfast:handler='h'/>" CATCH(
            "two", "w", "errorRef='E2'") "</subProcess>");
    core_case_answer(c, "w", STF__WORK_BPMN_ERROR, "one");
    core_case_expect_incident(c, "w", "bpmn_error", "\"one\"");
    core_case_retry(c);
    core_case_work(c, "w", NULL);
    core_case_expect_status(c, STF_RECORD_COMPLETED);
    core_case_expect_one_end_each(c);
    core_case_free(c);
}

STF_TEST(an_error_end_event_that_nobody_catches_ends_the_whole_instance_with_its_code)
{
    core_case *c = load("<startEvent id='s'/>" FLOW("f1", "s", "outer")
                            FLOW("f2", "s", "b") "<userTask id='b'/><subProcess id='outer'>" INNER(
                                THROW("bang", "errorRef='E2'"))
                                CATCH("one", "inner", "errorRef='E1'") "</subProcess>");
    core_case_task(c, "a", NULL);
    expect_end(c, "bang", "two");
    ck_assert_uint_eq(c->doc->scope_count, 1);
    ck_assert_uint_eq(c->doc->outbox_count, 0); /* nobody called it */
    core_case_free(c);
}

#define CODES "stepfast:errorCodeVariable='code' stepfast:errorMessageVariable='text'"

STF_TEST(what_was_caught_is_written_by_the_rule_of_the_nearest_scope)
{
    core_case *c = load(BOMB "<subProcess id='outer'><property id='code'/>"
                             "<serviceTask id='w' stepfast:handler='h'/>" CATCH(
                                 "c", "w", "errorRef='E1' " CODES) "</subProcess>");
    stf__work_item item = core_case_find_work(c, "w");
    stf__event answer = {.kind = STF__EVENT_WORK,
                         .outcome = STF__WORK_BPMN_ERROR,
                         .activation = item.activation,
                         .attempt = item.attempt,
                         .code = stf_str_of("one"),
                         .message = stf_str_of("out of stock")};
    STF_CHECK_OK(core_case_step(c, &answer), &c->error);
    core_case_expect_waiting(c, "after_c");
    core_case_expect_variable(c, "text", "\"out of stock\"");
    stf_value *outer = NULL;
    STF_CHECK_OK(stf__doc_copy_variables(c->doc, 0, &outer, &c->error), &c->error);
    ck_assert_ptr_null(stf_value_peek(outer, stf_str_of("code"))); /* the sub-process has it */
    stf_value_unref(outer);
    core_case_free(c);
}

/* Makes the case's instance one that another called. */
static void be_called(core_case *c)
{
    STF_CHECK_OK(stf__doc_intern(c->doc, stf_str_of("caller-1"), &c->doc->caller.id, &c->error),
                 &c->error);
    c->doc->caller.activation = 7;
}

static void expect_result(core_case *c, stf__child_how how, const char *code)
{
    stf__send_item item;
    ck_assert(stf__doc_get_send(c->doc, 0, &item));
    ck_assert_uint_eq(item.kind, STF__SEND_RESULT);
    ck_assert_uint_eq(item.how, how);
    ck_assert_uint_eq(item.target_activation, 7);
    STF_CHECK_STR(item.target, "caller-1");
    STF_CHECK_STR(item.code, code);
    ck_assert(!stf__doc_get_send(c->doc, 1, &item));
}

STF_TEST(trap_47_an_error_that_leaves_a_called_instance_goes_on_at_its_caller)
{
    core_case *c = core_case_load_in(ERRORS, BOMB "<subProcess id='outer'>" INNER(
                                                 THROW("bang", "errorRef='E1'")) "</subProcess>");
    be_called(c);
    core_case_start(c, NULL);
    core_case_task(c, "a", NULL);
    ck_assert_uint_eq(c->doc->end_how, STF__END_FAILED);
    STF_CHECK_STR(c->doc->end_code, "one");
    expect_result(c, STF__CHILD_ERROR, "one");
    core_case_expect_one_end_each(c);
    core_case_free(c);
}

STF_TEST(a_handlers_error_leaves_a_called_instance_too)
{
    core_case *c = core_case_load_in(
        ERRORS, "<startEvent id='s'/>" FLOW("f1", "s", "w") FLOW(
                    "f2", "s", "u") "<userTask id='u'/><serviceTask id='w' stepfast:handler='h'/>");
    be_called(c);
    core_case_start(c, NULL);
    core_case_answer(c, "w", STF__WORK_BPMN_ERROR, "one");
    ck_assert_uint_eq(c->doc->end_how, STF__END_FAILED);
    ck_assert_uint_eq(core_case_count(c, STF_FACT_INCIDENT_OPENED, NULL), 0);
    expect_result(c, STF__CHILD_WORK_ERROR, "one");
    core_case_expect_one_end_each(c);
    core_case_free(c);
}

STF_TEST(a_caught_error_in_a_called_instance_stays_there)
{
    core_case *c = core_case_load_in(
        ERRORS, BOMB "<subProcess id='outer'>" INNER(
                    THROW("bang", "errorRef='E1'")) "</subProcess>" CATCH("c", "outer", ""));
    be_called(c);
    core_case_start(c, NULL);
    core_case_task(c, "a", NULL);
    core_case_expect_waiting(c, "after_c");
    ck_assert_uint_eq(c->doc->outbox_count, 0);
    core_case_free(c);
}

#define CALL                                                                                       \
    "<subProcess id='outer'><callActivity id='call' calledElement='q'/>" CATCH(                    \
        "two", "call", "errorRef='E2'") "</subProcess>"

STF_TEST(trap_47_at_the_caller_the_error_climbs_from_the_call_activity)
{
    core_case *c = load(BOMB CALL CATCH("all", "outer", "") CATCH("one", "outer", "errorRef='E1'"));
    core_case_child(c, "call", STF__CHILD_ERROR, "two", NULL);
    core_case_expect_waiting(c, "after_two");
    core_case_free(c);

    c = load(BOMB CALL CATCH("all", "outer", "") CATCH("one", "outer", "errorRef='E1'"));
    core_case_child(c, "call", STF__CHILD_ERROR, "one", NULL);
    core_case_expect_waiting(c, "after_one");
    ck_assert_uint_eq(core_case_count(c, STF_FACT_NODE_CANCELLED, "call"), 1);
    /* It has ended already: nobody is told to end it. */
    ck_assert_uint_eq(core_case_count_sends(c, STF__SEND_CANCEL), 0);
    core_case_free(c);
}

STF_TEST(trap_47_with_nobody_at_the_caller_either_it_ends_there_as_it_began)
{
    core_case *c = load(BOMB CALL);
    core_case_child(c, "call", STF__CHILD_ERROR, "one", NULL);
    ck_assert_uint_eq(c->doc->end_how, STF__END_FAILED);
    STF_CHECK_STR(c->doc->end_element, "call");
    STF_CHECK_STR(c->doc->end_code, "one");
    core_case_expect_one_end_each(c);
    core_case_free(c);

    c = load(BOMB CALL);
    core_case_child(c, "call", STF__CHILD_WORK_ERROR, "one", NULL);
    core_case_expect_incident(c, "call", "bpmn_error", "\"one\"");
    core_case_free(c);
}

STF_TEST(an_error_beside_a_call_ends_the_call_and_tells_the_called_instance)
{
    core_case *c =
        load(BOMB "<subProcess id='outer'><userTask id='a'/>" FLOW("g1", "a", "bang")
                 THROW("bang", "errorRef='E1'") "<callActivity id='call' calledElement='q'/>"
                                                "</subProcess>" CATCH("c", "outer", ""));
    stf__send_item create = core_case_find_send(c, STF__SEND_CREATE);
    core_case_ack(c, &create, STF__ACK_DELIVERED);
    core_case_task(c, "a", NULL);
    core_case_expect_waiting(c, "after_c");
    ck_assert_uint_eq(core_case_count_sends(c, STF__SEND_CANCEL), 1);
    core_case_free(c);
}

STF_TEST(texts_of_an_error_from_outside_are_made_fit_to_be_stored)
{
    char code[STF_LIMIT_ID_BYTES + 10];
    memset(code, 'x', sizeof(code));
    core_case *c = load("<callActivity id='call' calledElement='q'/>" CATCH("c", "call", CODES));
    stf__event event = {.how = STF__CHILD_ERROR,
                        .code = {code, sizeof(code)},
                        .message = stf_str_of("a\xff"
                                              "b")};
    STF_CHECK_OK(core_case_try_child(c, "call", event), &c->error);
    core_case_expect_waiting(c, "after_c");
    core_case_expect_variable(c, "text", "\"a?b\"");
    const stf_value *value = stf__doc_peek_variable(c->doc, 0, stf_str_of("code"));
    ck_assert_uint_eq(stf_value_peek_string(value).size, STF_LIMIT_ID_BYTES);
    core_case_free(c);
}

/* A loop through an error: the second round can fail and be caught again. */
STF_TEST(trap_19_a_sub_process_that_an_error_left_is_entered_and_guarded_anew)
{
    core_case *c =
        load("<startEvent id='s'/>" FLOW(
            "f1", "s", "sub") "<subProcess id='sub'><userTask id='a'/>" FLOW("g1", "a", "bang")
                 THROW("bang", "errorRef='E1'") "<userTask id='b'/></subProcess>"
                                                "<boundaryEvent id='c' "
                                                "attachedToRef='sub'>"
                                                "<errorEventDefinition/>"
                                                "</boundaryEvent>" FLOW("f2", "c", "sub"));
    for (size_t round = 1; round <= 3; round++) {
        core_case_expect_waiting(c, "a b");
        ck_assert_uint_eq(c->doc->scope_count, 2);
        core_case_task(c, "a", NULL);
        core_case_expect_completed(c, "c", round);
    }
    core_case_free(c);
}

static const stf_test_case cases[] = {
    STF_CASE(an_error_end_event_is_caught_at_its_sub_process_and_never_completes),
    STF_CASE(trap_47_a_specific_code_goes_before_the_catch_all_at_one_activity),
    STF_CASE(trap_47_an_inner_catch_all_goes_before_an_outer_specific_code),
    STF_CASE(an_inner_catcher_of_another_code_lets_the_error_pass_outward),
    STF_CASE(an_error_without_a_code_is_caught_by_the_catch_all_only),
    STF_CASE(trap_45_an_error_from_any_branch_ends_everything_in_its_scope),
    STF_CASE(trap_18_what_was_due_or_answered_after_the_error_finds_its_target_gone),
    STF_CASE(a_handlers_error_is_caught_at_its_own_task_first),
    STF_CASE(a_handlers_error_that_nobody_catches_is_an_incident_that_can_be_retried),
    STF_CASE(an_error_end_event_that_nobody_catches_ends_the_whole_instance_with_its_code),
    STF_CASE(what_was_caught_is_written_by_the_rule_of_the_nearest_scope),
    STF_CASE(trap_47_an_error_that_leaves_a_called_instance_goes_on_at_its_caller),
    STF_CASE(a_handlers_error_leaves_a_called_instance_too),
    STF_CASE(a_caught_error_in_a_called_instance_stays_there),
    STF_CASE(trap_47_at_the_caller_the_error_climbs_from_the_call_activity),
    STF_CASE(trap_47_with_nobody_at_the_caller_either_it_ends_there_as_it_began),
    STF_CASE(an_error_beside_a_call_ends_the_call_and_tells_the_called_instance),
    STF_CASE(texts_of_an_error_from_outside_are_made_fit_to_be_stored),
    STF_CASE(trap_19_a_sub_process_that_an_error_left_is_entered_and_guarded_anew),
};

STF_TEST_MAIN("core/throw", cases)
