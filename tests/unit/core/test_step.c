/* SPDX-License-Identifier: Apache-2.0 */
/* The token machine: what is refused without a trace, who takes which event, budgets. */
#include "core_case.h"
#include "unit/base/faulty.h"

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

/* Each kind of event, to each kind of record: what it does not take is refused before anything. */
STF_TEST(an_instance_and_a_queue_take_only_their_own_events)
{
    core_case *queue = core_case_queue();
    core_case *instance = core_case_load(one_task);
    core_case_start(instance, NULL);
    for (int kind = STF__EVENT_START; kind <= STF__EVENT_POISON; kind++) {
        stf__event event = {.kind = (stf__event_kind)kind, .outcome = STF__WORK_COMPLETED};
        bool is_of_queue =
            kind == STF__EVENT_PUBLISH || kind == STF__EVENT_WAKE || kind == STF__EVENT_ACK;
        if (!is_of_queue) {
            ck_assert_int_eq(try_event(queue, event), STF_INVALID_STATE);
        }
        if (kind == STF__EVENT_PUBLISH) {
            ck_assert_int_eq(try_event(instance, event), STF_INVALID_STATE);
        }
    }
    ck_assert_int_eq(try_event(queue, (stf__event){.kind = STF__EVENT_WAKE}), STF_OK);
    ck_assert_int_eq(try_event(queue, (stf__event){.kind = STF__EVENT_ACK}), STF_OK);
    core_case_free(queue);
    core_case_free(instance);
}

/* Whatever came after it: a repeated delivery gets the answer of the first one. */
STF_TEST(r5_what_was_heard_before_is_said_first_on_an_ended_instance_too)
{
    core_case *c = core_case_load(one_task);
    stf__event start = {.kind = STF__EVENT_START, .sender = core_case_sender(3)};
    core_case_event(c, start, NULL);
    ck_assert_int_eq(try_event(c, start), STF_ALREADY_EXISTS);
    stf__event cancel = {.kind = STF__EVENT_CANCEL, .sender = core_case_sender(4)};
    core_case_event(c, cancel, NULL);
    ck_assert_int_eq(try_event(c, cancel), STF_ALREADY_EXISTS);
    ck_assert_int_eq(try_event(c, start), STF_ALREADY_EXISTS);
    cancel.sender.sequence = 5;
    ck_assert_int_eq(try_event(c, cancel), STF_INVALID_STATE);
    ck_assert_uint_eq(c->doc->heard_count, 1);
    ck_assert_uint_eq(c->doc->heard[0].sequence, 4); /* a refused event was not heard */
    core_case_free(c);
}

/* ---- out of memory, in every event */

#define FLOW(from, to) "<sequenceFlow id='" from to "' sourceRef='" from "' targetRef='" to "'/>"

static const char all_messages[] = "<message id='M' name='m' stepfast:correlationKey='=key'/>";
static const char all_kinds[] = "<startEvent id='s'/>" FLOW("s", "a") FLOW("s", "b") FLOW("s", "t")
    FLOW("s", "w") FLOW("s", "c") FLOW("s", "u") FLOW(
        "s",
        "x") "<serviceTask id='a' stepfast:handler='h' stepfast:retries='1'/>"
             "<serviceTask id='b' stepfast:handler='k'/>"
             "<sendTask id='t' messageRef='M'><extensionElements><stepfast:in variables='all'/>"
             "</extensionElements></sendTask><receiveTask id='w' messageRef='M'/>"
             "<callActivity id='c' calledElement='=\"q\"'><extensionElements>"
             "<stepfast:in source='key' target='key'/><stepfast:out "
             "variables='all'/></extensionElements>"
             "</callActivity><userTask id='u'/><exclusiveGateway id='x'/>"
             "<sequenceFlow id='xu' sourceRef='x' targetRef='u'><conditionExpression>=false"
             "</conditionExpression></sequenceFlow>";

/* Activations are numbered by their entry: s 1, then a 2, b 3, t 4, w 5, c 6, u 7, x 8. */
static stf_status play_all(faulty *memory, const core_case *c, const stf_value *variables)
{
    static const stf__ack ack = {.number = 2, .sequence = 1, .answer = STF__ACK_DELIVERED};
    stf__sender child = {
        .is_given = true, .sequence = 1, .id = stf_str_of("00000000000000000000000000000000-6-2")};
    const stf__event events[] = {
        {.kind = STF__EVENT_START, .variables = variables},
        {.kind = STF__EVENT_JOB,
         .outcome = STF__WORK_FAILED,
         .element = stf_str_of("a"),
         .message = stf_str_of("no"),
         .retries = -1},
        {.kind = STF__EVENT_WAKE},
        {.kind = STF__EVENT_JOB, .outcome = STF__WORK_COMPLETED, .topic = stf_str_of("h")},
        {.kind = STF__EVENT_JOB, .outcome = STF__WORK_UNKNOWN, .element = stf_str_of("b")},
        {.kind = STF__EVENT_DROP, .incident = 1},
        {.kind = STF__EVENT_RESOLVE,
         .outcome = STF__WORK_BPMN_ERROR,
         .code = stf_str_of("E"),
         .variables = variables},
        {.kind = STF__EVENT_MESSAGE,
         .name = stf_str_of("m"),
         .key = stf_str_of("k"),
         .variables = variables},
        {.kind = STF__EVENT_VARIABLES, .variables = variables},
        {.kind = STF__EVENT_ACK, .acks = &ack, .ack_count = 1},
        {.kind = STF__EVENT_CHILD,
         .how = STF__CHILD_COMPLETED,
         .activation = 6,
         .variables = variables,
         .sender = child},
        {.kind = STF__EVENT_DROP},
        {.kind = STF__EVENT_TASK, .activation = 7, .variables = variables},
    };
    stf__doc_identity identity = {
        .id = stf_str_of("i-1"), .process = c->process->id, .version = 3, .created = c->now};
    stf__arena arena;
    stf__effects effects;
    stf__doc *doc = NULL;
    stf__arena_init(&arena, &memory->port);
    stf_status status = stf__doc_new(&memory->port, &identity, &doc, NULL);
    for (size_t i = 0; status == STF_OK && i < STF_COUNT_OF(events); i++) {
        stf__core_inputs inputs = {.now = c->now};
        stf_error error = STF_ERROR_INIT;
        stf__arena_reset(&arena);
        stf__effects_init(&effects, &arena);
        status = stf__core_step(doc, c->process, &events[i], &inputs, &effects, &error);
        ck_assert_msg(status == STF_OK || status == STF_NO_MEMORY, "event %zu: %s", i,
                      error.message);
    }
    ck_assert(status != STF_OK || stf__doc_has_ended(doc));
    stf__doc_free(doc);
    stf__arena_done(&arena);
    ck_assert_int_eq(memory->live, 0);
    return status;
}

STF_TEST(out_of_memory_is_told_and_leaks_nothing_at_every_allocation_of_every_event)
{
    core_case *c = core_case_load_in(all_messages, all_kinds);
    stf_value *variables = core_case_json("{\"key\": \"k\", \"text\": \"some\"}");
    stf_status status = STF_NO_MEMORY;
    long n = 0;
    while (status == STF_NO_MEMORY) {
        faulty memory;
        faulty_init(&memory, ++n);
        status = play_all(&memory, c, variables);
    }
    ck_assert_int_eq(status, STF_OK);
    ck_assert_int_gt(n, 50);
    stf_value_unref(variables);
    core_case_free(c);
}

static const stf_test_case cases[] = {
    STF_CASE(out_of_memory_is_told_and_leaks_nothing_at_every_allocation_of_every_event),
    STF_CASE(an_instance_and_a_queue_take_only_their_own_events),
    STF_CASE(r5_what_was_heard_before_is_said_first_on_an_ended_instance_too),
    STF_CASE(a_task_runs_from_start_to_end),
    STF_CASE(refusals_leave_the_document_as_it_was),
    STF_CASE(trap_56_a_loop_without_a_wait_yields_and_then_is_an_incident),
    STF_CASE(a_wide_process_without_a_loop_is_not_taken_for_one),
    STF_CASE(a_turn_that_yields_loses_no_token_and_comes_to_the_same_end),
    STF_CASE(waking_an_instance_with_nothing_due_changes_nothing),
    STF_CASE(a_document_of_another_model_is_corrupt_not_a_crash),
};

STF_TEST_MAIN("core/step", cases)
