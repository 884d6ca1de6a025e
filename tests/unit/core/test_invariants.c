/* SPDX-License-Identifier: Apache-2.0 */
/* Each promise of doc.h about the lists, broken on purpose. */
#include "core_case.h"
#include "doc_case.h"

static const char body[] =
    "<startEvent id='s'/><sequenceFlow id='f1' sourceRef='s' targetRef='u'/>"
    "<sequenceFlow id='f2' sourceRef='s' targetRef='w'/>"
    "<sequenceFlow id='f3' sourceRef='s' targetRef='c'/>"
    "<userTask id='u'/><serviceTask id='w' stepfast:handler='h'/>"
    "<intermediateCatchEvent id='c'><timerEventDefinition><timeDuration>PT1H</timeDuration>"
    "</timerEventDefinition></intermediateCatchEvent>"
    "<boundaryEvent id='b' attachedToRef='u'><timerEventDefinition><timeDuration>PT2H"
    "</timeDuration></timerEventDefinition></boundaryEvent>";

static stf__activation *of(stf__doc *doc, const char *element)
{
    for (size_t i = 0; i < doc->activation_count; i++) {
        if (stf_str_equal(doc->activations[i]->element, stf_str_of(element))) {
            return doc->activations[i];
        }
    }
    ck_abort_msg("no activation of %s", element);
    return NULL;
}

static void leave_a_task(stf__doc *doc)
{
    of(doc, "u")->phase = STF__PHASE_LEAVING;
    of(doc, "u")->active_for = STF__FOR_NOTHING;
}
static void wait_for_nothing(stf__doc *doc)
{
    of(doc, "u")->active_for = STF__FOR_NOTHING;
}
static void wait_for_a_timer_without_one(stf__doc *doc)
{
    of(doc, "u")->active_for = STF__FOR_TIMER;
}
static void wait_for_work_without_any(stf__doc *doc)
{
    of(doc, "u")->active_for = STF__FOR_WORK;
}
static void have_work_at_a_task(stf__doc *doc)
{
    of(doc, "u")->work.state = STF__DURABLE_COMPLETED;
}
static void fail_without_an_incident(stf__doc *doc)
{
    of(doc, "w")->work.state = STF__DURABLE_FAILED;
}
static void complete_and_wait(stf__doc *doc)
{
    of(doc, "w")->work.state = STF__DURABLE_COMPLETED;
}
static void keep_a_flow(stf__doc *doc)
{
    of(doc, "u")->flow = stf_str_of("f1");
}
static void own_a_timer_twice(stf__doc *doc)
{
    stf__timer timer = {.number = 9, .activation = of(doc, "c")->number};
    timer.element = of(doc, "c")->element;
    ck_assert_int_eq(stf__doc_add_timer(doc, &timer, NULL), STF_OK);
}
static void arm_a_timer_for_nobody(stf__doc *doc)
{
    doc->timers[0].activation = 77;
}
static void open_an_incident_for_nobody(stf__doc *doc)
{
    stf__incident incident = {.number = 1, .activation = 77, .kind = STF__INCIDENT_LOOP};
    ck_assert_int_eq(stf__doc_add_incident(doc, &incident, stf_str_of(""), stf_str_of("x"), NULL),
                     STF_OK);
}
static void open_an_incident_where_nothing_is_wrong(stf__doc *doc)
{
    stf__incident incident = {.number = 1, .activation = of(doc, "u")->number};
    ck_assert_int_eq(stf__doc_add_incident(doc, &incident, stf_str_of(""), stf_str_of("x"), NULL),
                     STF_OK);
}
static void end_and_go_on(stf__doc *doc)
{
    doc->end_how = STF__END_COMPLETED;
}
static void vanish(stf__doc *doc)
{
    stf__doc_clear_flow(doc);
}
static void count_yields_at_rest(stf__doc *doc)
{
    doc->counters.yields = 1;
}

/* ---- Of documents made by hand (doc_case.h) */

static void open_a_scope_of_a_task(stf__doc *doc)
{
    doc_case_find(doc, "sub")->active_for = STF__FOR_TASK;
}
static void wait_for_a_scope_without_one(stf__doc *doc)
{
    doc_case_find(doc, "task")->active_for = STF__FOR_SCOPE;
}
static void move_a_scope_elsewhere(stf__doc *doc)
{
    stf__doc_find_scope(doc, 4)->parent = 0;
}
static void put_a_scope_inside_itself(stf__doc *doc)
{
    stf__doc_find_scope(doc, 4)->parent = 4;
}
static void lose_the_activation_of_a_scope(stf__doc *doc)
{
    stf__doc_find_scope(doc, 4)->number = 5;
}
static void send_a_token_to_no_scope(stf__doc *doc)
{
    doc->ready[doc->ready_first].scope = 2;
}
static void park_a_token_in_no_scope(stf__doc *doc)
{
    doc->parked[0].scope = 77;
}
static void be_active_in_no_scope(stf__doc *doc)
{
    doc_case_find(doc, "call")->scope = 2;
}
static void be_older_than_its_scope(stf__doc *doc)
{
    doc_case_find(doc, "task")->scope = 4;
}
static void leave_an_empty_scope_open(stf__doc *doc)
{
    stf__token token;
    doc->parked_count = 0;
    (void)stf__doc_take_ready(doc, &token);
}
static void call_nobody(stf__doc *doc)
{
    doc_case_find(doc, "call")->child = (stf_str){NULL, 0};
}
static void have_a_child_at_a_task(stf__doc *doc)
{
    doc_case_find(doc, "task")->child = stf_str_of("c");
}
static void subscribe_for_nobody(stf__doc *doc)
{
    doc->subscriptions[0].activation = 77;
}
static void subscribe_for_the_instance(stf__doc *doc)
{
    doc->subscriptions[0].activation = 0;
}
static void wait_for_a_message_without_a_subscription(stf__doc *doc)
{
    stf__doc_remove_subscription(doc, 2);
}
static void own_a_subscription_twice(stf__doc *doc)
{
    doc_case_add_subscription(doc, 6, "wait", "x", "", 1);
}
static void own_a_subscription_at_a_task(stf__doc *doc)
{
    doc->subscriptions[0].element = doc_case_find(doc, "task")->element;
}
static void wait_for_events_and_nothing_armed(stf__doc *doc)
{
    stf__doc_remove_waits_of(doc, doc_case_find(doc, "gate")->number);
}
static void retry_what_is_no_work(stf__doc *doc)
{
    doc_case_find(doc, "task")->phase = STF__PHASE_STARTING;
    doc_case_find(doc, "task")->active_for = STF__FOR_NOTHING;
    doc_case_add_incident(doc, 2, STF__INCIDENT_TIMER, (stf_wall){5});
}
static void have_two_incidents_of_its_own(stf__doc *doc)
{
    doc_case_add_incident(doc, 0, STF__INCIDENT_POISON, stf_wall_none());
    doc_case_add_incident(doc, 0, STF__INCIDENT_POISON, stf_wall_none());
}
static void retry_the_instance(stf__doc *doc)
{
    doc_case_add_incident(doc, 0, STF__INCIDENT_POISON, (stf_wall){5});
}
static void keep_an_incident_after_the_end(stf__doc *doc)
{
    stf__doc_clear_flow(doc);
    doc->end_how = STF__END_CANCELLED;
    doc_case_add_incident(doc, 0, STF__INCIDENT_POISON, stf_wall_none());
}
static void complete_with_a_code(stf__doc *doc)
{
    stf__doc_clear_flow(doc);
    doc->end_how = STF__END_COMPLETED;
    doc->end_code = stf_str_of("E");
}
static void be_cancelled_with_a_code(stf__doc *doc)
{
    stf__doc_clear_flow(doc);
    doc->end_how = STF__END_CANCELLED;
    doc->end_code = stf_str_of("E");
}
static void complete_with_a_message(stf__doc *doc)
{
    stf__doc_clear_flow(doc);
    doc->end_how = STF__END_TERMINATED;
    doc->end_message = stf__mem_copy_str(doc->alloc, stf_str_of("x"));
}
static void have_an_outbox_that_is_never_due(stf__doc *doc)
{
    doc->outbox_due = stf_wall_none();
}
static void be_due_for_an_empty_outbox(stf__doc *doc)
{
    stf__doc_clear_outbox(doc);
    doc->outbox_due = (stf_wall){1};
}
static void count_tries_of_an_empty_outbox(stf__doc *doc)
{
    stf__doc_clear_outbox(doc);
    doc->outbox_tries = 1;
}
static void send_something_of_no_kind(stf__doc *doc)
{
    doc->outbox[0].kind = 0;
}
static void send_something_of_an_unknown_kind(stf__doc *doc)
{
    doc->outbox[0].kind = STF__SEND_CANCEL + 1;
}
static void aim_without_a_sequence(stf__doc *doc)
{
    doc->outbox[2].sequence = 0;
}
static void draw_a_sequence_without_aiming(stf__doc *doc)
{
    doc->outbox[0].sequence = 1;
}
static void call_no_instance(stf__doc *doc)
{
    doc->outbox[2].target = (stf_str){NULL, 0};
    doc->outbox[2].sequence = 0;
}
static void cancel_with_a_name(stf__doc *doc)
{
    doc->outbox[4].name = stf_str_of("x");
}
static void call_with_a_key(stf__doc *doc)
{
    doc->outbox[2].key = stf_str_of("x");
}
static void send_a_message_with_a_code(stf__doc *doc)
{
    doc->outbox[0].code = stf_str_of("x");
}
static void end_in_no_way(stf__doc *doc)
{
    doc->outbox[3].how = 0;
}
static void call_with_an_ending(stf__doc *doc)
{
    doc->outbox[2].how = STF__CHILD_COMPLETED;
}
static void keep_a_call(stf__doc *doc)
{
    doc->outbox[2].until = (stf_wall){5};
}
static void call_an_activation(stf__doc *doc)
{
    doc->outbox[2].target_activation = 1;
}
static void cancel_a_version(stf__doc *doc)
{
    doc->outbox[4].version = 1;
}
static void send_a_call_to_a_queue(stf__doc *doc)
{
    doc->outbox[2].is_to_queue = true;
}
static void send_what_is_not_kept_to_a_queue(stf__doc *doc)
{
    doc->outbox[1].until = stf_wall_none();
}
static void send_no_context(stf__doc *doc)
{
    stf_value_unref(doc->outbox[0].variables);
    doc->outbox[0].variables = stf_value_bool(true);
}
static void be_called_by_nobody_at_some_activation(stf__doc *doc)
{
    doc->caller.id = (stf_str){NULL, 0};
}
static void be_a_queue_of_a_process(stf__doc *doc)
{
    doc->identity.process = stf_str_of("p");
}
static void be_a_queue_of_a_version(stf__doc *doc)
{
    doc->identity.version = 1;
}
static void count_activations_in_a_queue(stf__doc *doc)
{
    doc->counters.activation = 1;
}
static void count_incidents_in_a_queue(stf__doc *doc)
{
    doc->counters.incident = 1;
}
static void count_timers_in_a_queue(stf__doc *doc)
{
    doc->counters.timer = 1;
}
static void yield_in_a_queue(stf__doc *doc)
{
    doc->counters.yields = 1;
}
static void have_a_token_in_a_queue(stf__doc *doc)
{
    stf__token token = {.count = 1, .node = stf_str_of("n")};
    ck_assert_int_eq(stf__doc_push_ready(doc, &token, NULL), STF_OK);
}
static void have_a_variable_in_a_queue(stf__doc *doc)
{
    doc_case_set(doc, 0, "v", "1");
}
static void have_an_incident_in_a_queue(stf__doc *doc)
{
    stf__incident incident = {.number = 1, .kind = 1, .retry_at = stf_wall_none()};
    ck_assert_int_eq(stf__doc_add_incident(doc, &incident, stf_str_of(""), stf_str_of(""), NULL),
                     STF_OK);
}
static void end_a_queue(stf__doc *doc)
{
    doc->end_how = STF__END_CANCELLED;
}
static void call_a_queue(stf__doc *doc)
{
    doc->caller = (stf__caller){.id = stf_str_of("x"), .activation = 1};
}
static void queue_another_name(stf__doc *doc)
{
    doc->outbox[1].name = stf_str_of("other");
}
static void queue_another_key(stf__doc *doc)
{
    doc->outbox[2].key = stf_str_of("other");
}
static void queue_to_a_queue(stf__doc *doc)
{
    doc->outbox[0].is_to_queue = true;
}
static void queue_a_cancel(stf__doc *doc)
{
    doc->outbox[0] = (stf__send){.number = 1,
                                 .sequence = 1,
                                 .kind = STF__SEND_CANCEL,
                                 .target = stf_str_of("x"),
                                 .until = stf_wall_none(),
                                 .message = doc->outbox[0].message,
                                 .variables = doc->outbox[0].variables};
}

STF_TEST(every_broken_promise_is_found)
{
    static void (*const breaks[])(stf__doc *) = {
        leave_a_task,
        wait_for_nothing,
        wait_for_a_timer_without_one,
        wait_for_work_without_any,
        have_work_at_a_task,
        fail_without_an_incident,
        complete_and_wait,
        keep_a_flow,
        own_a_timer_twice,
        arm_a_timer_for_nobody,
        open_an_incident_for_nobody,
        open_an_incident_where_nothing_is_wrong,
        end_and_go_on,
        vanish,
        count_yields_at_rest,
    };
    for (size_t i = 0; i < sizeof(breaks) / sizeof(breaks[0]); i++) {
        core_case *c = core_case_load(body);
        core_case_start(c, NULL);
        ck_assert_int_eq(stf__doc_check_invariants(c->doc), STF_OK);
        breaks[i](c->doc);
        ck_assert_msg(stf__doc_check_invariants(c->doc) == STF_CORRUPT, "break %zu", i);
        core_case_free(c);
    }
}

/* The decoder asks the same question: what is broken does not come in from outside either. What the
 * bytes cannot say is sound. */
static void expect_refused(stf__doc *doc, size_t index)
{
    stf_buf head;
    stf_buf bulk;
    stf__doc *other = NULL;
    bool has_changed = false;
    stf_buf_init(&head, NULL);
    stf_buf_init(&bulk, NULL);
    ck_assert_msg(stf__doc_check_invariants(doc) == STF_CORRUPT, "break %zu", index);
    ck_assert_int_eq(stf__doc_encode(doc, &head, &bulk, &has_changed, NULL), STF_OK);
    stf_status status =
        stf__doc_decode(NULL, stf_buf_bytes(&head), stf_buf_bytes(&bulk), &other, NULL);
    ck_assert_msg(status == STF_CORRUPT || stf__doc_check_invariants(other) == STF_OK, "break %zu",
                  index);
    stf__doc_free(other);
    stf_buf_done(&head);
    stf_buf_done(&bulk);
    stf__doc_free(doc);
}

STF_TEST(every_broken_promise_of_scopes_waits_and_the_outbox_is_found)
{
    static void (*const breaks[])(stf__doc *) = {
        open_a_scope_of_a_task,
        wait_for_a_scope_without_one,
        move_a_scope_elsewhere,
        put_a_scope_inside_itself,
        lose_the_activation_of_a_scope,
        send_a_token_to_no_scope,
        park_a_token_in_no_scope,
        be_active_in_no_scope,
        be_older_than_its_scope,
        leave_an_empty_scope_open,
        call_nobody,
        have_a_child_at_a_task,
        subscribe_for_nobody,
        subscribe_for_the_instance,
        wait_for_a_message_without_a_subscription,
        own_a_subscription_twice,
        own_a_subscription_at_a_task,
        wait_for_events_and_nothing_armed,
        retry_what_is_no_work,
        have_two_incidents_of_its_own,
        retry_the_instance,
        keep_an_incident_after_the_end,
        complete_with_a_code,
        be_cancelled_with_a_code,
        complete_with_a_message,
        have_an_outbox_that_is_never_due,
        be_due_for_an_empty_outbox,
        count_tries_of_an_empty_outbox,
        send_something_of_no_kind,
        send_something_of_an_unknown_kind,
        aim_without_a_sequence,
        draw_a_sequence_without_aiming,
        call_no_instance,
        cancel_with_a_name,
        call_with_a_key,
        send_a_message_with_a_code,
        end_in_no_way,
        call_with_an_ending,
        keep_a_call,
        call_an_activation,
        cancel_a_version,
        send_a_call_to_a_queue,
        send_what_is_not_kept_to_a_queue,
        send_no_context,
        be_called_by_nobody_at_some_activation,
    };
    for (size_t i = 0; i < STF_COUNT_OF(breaks); i++) {
        stf__doc *doc = doc_case_rich();
        doc_case_check(doc);
        breaks[i](doc);
        expect_refused(doc, i);
    }
}

STF_TEST(every_broken_promise_of_a_queue_is_found)
{
    static void (*const breaks[])(stf__doc *) = {
        be_a_queue_of_a_process,
        be_a_queue_of_a_version,
        count_activations_in_a_queue,
        count_incidents_in_a_queue,
        count_timers_in_a_queue,
        yield_in_a_queue,
        have_a_token_in_a_queue,
        have_a_variable_in_a_queue,
        have_an_incident_in_a_queue,
        end_a_queue,
        call_a_queue,
        queue_another_name,
        queue_another_key,
        queue_to_a_queue,
        queue_a_cancel,
    };
    for (size_t i = 0; i < STF_COUNT_OF(breaks); i++) {
        stf__doc *doc = doc_case_queue();
        doc_case_check(doc);
        breaks[i](doc);
        expect_refused(doc, i);
    }
}

static const stf_test_case cases[] = {
    STF_CASE(every_broken_promise_is_found),
    STF_CASE(every_broken_promise_of_scopes_waits_and_the_outbox_is_found),
    STF_CASE(every_broken_promise_of_a_queue_is_found),
};

STF_TEST_MAIN("core/invariants", cases)
