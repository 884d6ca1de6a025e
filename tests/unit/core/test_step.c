/* SPDX-License-Identifier: Apache-2.0 */
/* The events of the core: what is refused without a trace, starts, budgets, recovery, retries. */
#include "core_case.h"

static const char one_task[] = "<startEvent id='s'/>"
                               "<sequenceFlow id='f1' sourceRef='s' targetRef='t'/>"
                               "<userTask id='t'/>"
                               "<sequenceFlow id='f2' sourceRef='t' targetRef='e'/>"
                               "<endEvent id='e'/>";

static stf_status try_event(core_case *c, stf__event event)
{
    return core_case_step(c, &event);
}

STF_TEST(a_task_runs_from_start_to_end)
{
    core_case *c = core_case_load(one_task);
    core_case_start(c, "{\"a\": 1}");
    core_case_expect_waiting(c, "t");
    core_case_expect_status(c, STF_RECORD_ACTIVE);
    core_case_task(c, "t", "{\"b\": 2}");
    core_case_expect_waiting(c, "");
    core_case_expect_status(c, STF_RECORD_COMPLETED);
    core_case_expect_variable(c, "a", "1");
    core_case_expect_variable(c, "b", "2");
    ck_assert_uint_eq(core_case_count(c, STF_FACT_INSTANCE_CREATED, NULL), 1);
    ck_assert_uint_eq(core_case_count(c, STF_FACT_INSTANCE_COMPLETED, NULL), 1);
    core_case_expect_one_end_each(c);
    core_case_free(c);
}

STF_TEST(refusals_leave_the_document_as_it_was)
{
    core_case *c = core_case_load(one_task);
    stf_value *text = core_case_json("\"no context\"");
    ck_assert_int_eq(try_event(c, (stf__event){.kind = STF__EVENT_START, .variables = text}),
                     STF_INVALID_ARGUMENT);
    ck_assert_int_eq(
        try_event(c, (stf__event){.kind = STF__EVENT_START, .element = stf_str_of("t")}),
        STF_NOT_FOUND);
    core_case_start(c, NULL);
    ck_assert_int_eq(try_event(c, (stf__event){.kind = STF__EVENT_START}), STF_INVALID_STATE);
    ck_assert_int_eq(try_event(c, (stf__event){.kind = STF__EVENT_TASK}), STF_NOT_FOUND);
    ck_assert_int_eq(
        try_event(c, (stf__event){.kind = STF__EVENT_TASK, .element = stf_str_of("s")}),
        STF_NOT_FOUND);
    ck_assert_int_eq(try_event(c, (stf__event){.kind = STF__EVENT_TASK,
                                               .activation = 2,
                                               .element = stf_str_of("other")}),
                     STF_NOT_FOUND);
    ck_assert_int_eq(try_event(c, (stf__event){.kind = STF__EVENT_TASK,
                                               .element = stf_str_of("t"),
                                               .variables = text}),
                     STF_INVALID_ARGUMENT);
    ck_assert_int_eq(try_event(c, (stf__event){.kind = STF__EVENT_RETRY}), STF_NOT_FOUND);
    ck_assert_int_eq(try_event(c, (stf__event){.kind = STF__EVENT_WORK}), STF_INVALID_ARGUMENT);
    ck_assert_int_eq(try_event(c, (stf__event){.kind = (stf__event_kind)99}), STF_INVALID_ARGUMENT);
    core_case_task(c, "t", NULL);
    ck_assert_int_eq(
        try_event(c, (stf__event){.kind = STF__EVENT_TASK, .element = stf_str_of("t")}),
        STF_INVALID_STATE);
    ck_assert_int_eq(try_event(c, (stf__event){.kind = STF__EVENT_RETRY}), STF_INVALID_STATE);
    stf_value_unref(text);
    core_case_free(c);
}

STF_TEST(a_task_is_found_by_activation_or_as_the_only_one_at_its_element)
{
    core_case *c =
        core_case_load("<startEvent id='s'/><sequenceFlow id='f1' sourceRef='s' targetRef='t'/>"
                       "<sequenceFlow id='f2' sourceRef='s' targetRef='t'/><userTask id='t'/>");
    core_case_start(c, NULL);
    core_case_expect_waiting(c, "t t");
    ck_assert_int_eq(
        try_event(c, (stf__event){.kind = STF__EVENT_TASK, .element = stf_str_of("t")}),
        STF_INVALID_STATE);
    ck_assert_int_eq(try_event(c, (stf__event){.kind = STF__EVENT_TASK, .activation = 3}), STF_OK);
    core_case_expect_waiting(c, "t");
    core_case_task(c, "t", NULL);
    core_case_expect_status(c, STF_RECORD_COMPLETED);
    core_case_free(c);
}

STF_TEST(several_none_starts_need_a_name)
{
    core_case *c = core_case_load("<startEvent id='s1'/><startEvent id='s2'/>"
                                  "<sequenceFlow id='f1' sourceRef='s1' targetRef='a'/>"
                                  "<sequenceFlow id='f2' sourceRef='s2' targetRef='b'/>"
                                  "<userTask id='a'/><userTask id='b'/>");
    ck_assert_int_eq(try_event(c, (stf__event){.kind = STF__EVENT_START}), STF_INVALID_ARGUMENT);
    ck_assert_int_eq(
        try_event(c, (stf__event){.kind = STF__EVENT_START, .element = stf_str_of("s2")}), STF_OK);
    core_case_expect_waiting(c, "b");
    core_case_free(c);
}

STF_TEST(without_a_start_event_the_run_begins_at_the_nodes_without_an_incoming_flow)
{
    core_case *c = core_case_load("<userTask id='a'/><userTask id='b'/><endEvent id='e'/>"
                                  "<sequenceFlow id='f1' sourceRef='a' targetRef='e'/>");
    ck_assert_int_eq(
        try_event(c, (stf__event){.kind = STF__EVENT_START, .element = stf_str_of("a")}),
        STF_NOT_FOUND);
    core_case_start(c, NULL);
    core_case_expect_waiting(c, "a b");
    core_case_free(c);
}

STF_TEST(data_objects_and_properties_are_null_until_given)
{
    core_case *c = core_case_load("<property id='p1' name='total'/><dataObject id='order'/>"
                                  "<startEvent id='s'/><userTask id='t'/>"
                                  "<sequenceFlow id='f1' sourceRef='s' targetRef='t'/>");
    core_case_start(c, "{\"order\": 7}");
    core_case_expect_variable(c, "total", "null");
    core_case_expect_variable(c, "order", "7");
    core_case_free(c);
}

static const char endless[] =
    "<startEvent id='s'/><sequenceFlow id='f1' sourceRef='s' targetRef='merge'/>"
    "<exclusiveGateway id='merge'/>"
    "<sequenceFlow id='f2' sourceRef='merge' targetRef='step'/><task id='step'/>"
    "<sequenceFlow id='f3' sourceRef='step' targetRef='split'/>"
    "<exclusiveGateway id='split' default='f4'/>"
    "<sequenceFlow id='f4' sourceRef='split' targetRef='merge'/>"
    "<sequenceFlow id='f5' sourceRef='split' targetRef='e'>"
    "<conditionExpression>${done}</conditionExpression></sequenceFlow><endEvent id='e'/>";

/* Item 56: yields, then an incident, and nothing but this instance is held up. */
STF_TEST(trap_56_a_loop_without_a_wait_yields_and_then_is_an_incident)
{
    core_case *c = core_case_load(endless);
    core_case_start(c, "{\"done\": false}");
    for (unsigned turn = 0; turn < STF_LIMIT_YIELDS + 1; turn++) { /* one for the model's size */
        ck_assert(c->effects.has_yielded);
        core_case_expect_status(c, STF_RECORD_ACTIVE);
        ck_assert_int_eq(core_case_summary(c).due.us, c->now.us);
        core_case_wake(c);
    }
    ck_assert(!c->effects.has_yielded);
    core_case_expect_status(c, STF_RECORD_INCIDENT);
    ck_assert_uint_eq(c->doc->incident_count, 1);
    core_case_expect_completed(c, "e", 0);
    ck_assert_uint_eq(core_case_count(c, STF_FACT_NODE_COMPLETED, NULL),
                      STF_LIMIT_STEP_MOVES * (STF_LIMIT_YIELDS + 2));
    core_case_set(c, "{\"done\": true}");
    core_case_retry(c);
    core_case_expect_status(c, STF_RECORD_COMPLETED);
    core_case_expect_one_end_each(c);
    core_case_free(c);
}

/* A split into so many tasks, and their join. */
static core_case *load_wide(unsigned branches)
{
    stf_buf body;
    stf_buf_init(&body, NULL);
    ck_assert_int_eq(stf_buf_printf(&body, "%s",
                                    "<startEvent id='s'/><parallelGateway id='split'/>"
                                    "<parallelGateway id='join'/><endEvent id='e'/>"
                                    "<sequenceFlow id='f1' sourceRef='s' targetRef='split'/>"
                                    "<sequenceFlow id='f2' sourceRef='join' targetRef='e'/>"),
                     STF_OK);
    for (unsigned i = 0; i < branches; i++) {
        ck_assert_int_eq(stf_buf_printf(&body,
                                        "<task id='t%u'/>"
                                        "<sequenceFlow id='a%u' sourceRef='split' targetRef='t%u'/>"
                                        "<sequenceFlow id='b%u' sourceRef='t%u' targetRef='join'/>",
                                        i, i, i, i, i),
                         STF_OK);
    }
    ck_assert_int_eq(stf_buf_append(&body, "", 1), STF_OK);
    core_case *c = core_case_load((const char *)body.data);
    stf_buf_done(&body);
    return c;
}

STF_TEST(a_wide_process_without_a_loop_is_not_taken_for_one)
{
    static const struct {
        unsigned branches;
        uint32_t step_budget;
    } wide[] = {{1000, 50}, {100, 1}, {100, 7}};
    for (size_t i = 0; i < STF_COUNT_OF(wide); i++) {
        core_case *c = load_wide(wide[i].branches);
        c->step_budget = wide[i].step_budget;
        core_case_start(c, NULL);
        while (c->effects.has_yielded) {
            core_case_wake(c);
        }
        core_case_expect_status(c, STF_RECORD_COMPLETED);
        core_case_expect_completed(c, "join", 1);
        core_case_free(c);
    }
}

STF_TEST(a_turn_that_yields_loses_no_token_and_comes_to_the_same_end)
{
    core_case *c = core_case_load(endless);
    c->step_budget = 1;
    core_case_start(c, "{\"done\": true}");
    unsigned turns = 1;
    while (c->effects.has_yielded) {
        core_case_wake(c);
        turns++;
    }
    ck_assert_uint_eq(turns, 5);
    core_case_expect_status(c, STF_RECORD_COMPLETED);
    core_case_expect_completed(c, "step", 1);
    core_case_free(c);
}

STF_TEST(waking_an_instance_with_nothing_due_changes_nothing)
{
    core_case *c = core_case_load(one_task);
    core_case_wake(c); /* before it began */
    ck_assert(!stf__doc_has_ended(c->doc));
    core_case_start(c, NULL);
    size_t facts = c->fact_count;
    core_case_wake(c);
    ck_assert_uint_eq(c->fact_count, facts);
    core_case_task(c, "t", NULL);
    facts = c->fact_count;
    core_case_wake(c);
    ck_assert_uint_eq(c->fact_count, facts);
    core_case_free(c);
}

STF_TEST(a_document_of_another_model_is_corrupt_not_a_crash)
{
    core_case *c = core_case_load(one_task);
    core_case *other = core_case_load("<startEvent id='s'/><task id='x'/>"
                                      "<sequenceFlow id='f' sourceRef='s' targetRef='x'/>");
    core_case_start(c, NULL);
    const stf__process *own = c->process;
    c->process = other->process;
    ck_assert_int_eq(
        try_event(c, (stf__event){.kind = STF__EVENT_TASK, .element = stf_str_of("t")}),
        STF_CORRUPT);
    c->process = own;
    core_case_free(other);
    core_case_free(c);
}

static const stf_test_case cases[] = {
    STF_CASE(a_task_runs_from_start_to_end),
    STF_CASE(refusals_leave_the_document_as_it_was),
    STF_CASE(a_task_is_found_by_activation_or_as_the_only_one_at_its_element),
    STF_CASE(several_none_starts_need_a_name),
    STF_CASE(without_a_start_event_the_run_begins_at_the_nodes_without_an_incoming_flow),
    STF_CASE(data_objects_and_properties_are_null_until_given),
    STF_CASE(trap_56_a_loop_without_a_wait_yields_and_then_is_an_incident),
    STF_CASE(a_wide_process_without_a_loop_is_not_taken_for_one),
    STF_CASE(a_turn_that_yields_loses_no_token_and_comes_to_the_same_end),
    STF_CASE(waking_an_instance_with_nothing_due_changes_nothing),
    STF_CASE(a_document_of_another_model_is_corrupt_not_a_crash),
};

STF_TEST_MAIN("core/step", cases)
