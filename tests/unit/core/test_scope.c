/* SPDX-License-Identifier: Apache-2.0 */
/* Scopes of sub-processes: how they begin, what belongs to them, and how they end. */
#include "core_case.h"

#define FLOW(id, from, to) "<sequenceFlow id='" id "' sourceRef='" from "' targetRef='" to "'/>"
/* s -> sub -> after -> e */
#define AROUND                                                                                     \
    "<startEvent id='s'/>" FLOW("f1", "s", "sub")                                                  \
        FLOW("f2", "sub", "after") "<userTask id='after'/>" FLOW("f3", "after",                    \
                                                                 "e") "<endEvent id='e'/>"

/* The activation of the only active node of that id. */
static const stf__activation *find(const core_case *c, const char *element)
{
    const stf__activation *found = NULL;
    for (size_t i = 0; i < c->doc->activation_count; i++) {
        if (stf_str_equal(c->doc->activations[i]->element, stf_str_of(element))) {
            ck_assert_ptr_null(found);
            found = c->doc->activations[i];
        }
    }
    ck_assert_msg(found != NULL, "nothing is active at %s", element);
    return found;
}

/* The value of a variable as an activation sees it; json NULL: it sees none. */
static void expect_seen(core_case *c, const char *element, const char *name, const char *json)
{
    stf_value *seen = NULL;
    STF_CHECK_OK(stf__doc_copy_variables(c->doc, find(c, element)->number, &seen, &c->error),
                 &c->error);
    stf_value *expected = core_case_json(json);
    const stf_value *actual = stf_value_peek(seen, stf_str_of(name));
    ck_assert_msg((actual == NULL) == (json == NULL) &&
                      (json == NULL || stf_value_equal(actual, expected)),
                  "%s sees another %s than %s", element, name, json != NULL ? json : "none");
    stf_value_unref(seen);
    stf_value_unref(expected);
}

STF_TEST(a_sub_process_goes_on_when_nothing_is_left_in_it)
{
    core_case *c =
        core_case_load(AROUND "<subProcess id='sub'><startEvent id='i'/>" FLOW("g1", "i", "a")
                           FLOW("g2", "i", "b") "<userTask id='a'/><userTask id='b'/>" FLOW(
                               "g3", "a", "ie") "<endEvent id='ie'/>"
                                                "</subProcess>");
    core_case_start(c, NULL);
    core_case_expect_waiting(c, "a b");
    const stf__activation *sub = find(c, "sub");
    ck_assert_uint_eq(sub->active_for, STF__FOR_SCOPE);
    ck_assert_uint_eq(find(c, "a")->scope, sub->number);
    core_case_task(c, "a", NULL);
    core_case_expect_waiting(c, "b");
    core_case_expect_completed(c, "sub", 0);
    core_case_task(c, "b", NULL);
    core_case_expect_waiting(c, "after");
    core_case_expect_completed(c, "sub", 1);
    ck_assert_uint_eq(c->doc->scope_count, 1);
    core_case_task(c, "after", NULL);
    core_case_expect_status(c, STF_RECORD_COMPLETED);
    core_case_expect_one_end_each(c);
    core_case_free(c);
}

STF_TEST(an_empty_sub_process_goes_on_at_once)
{
    core_case *c = core_case_load(AROUND "<subProcess id='sub'/>");
    core_case_start(c, NULL);
    core_case_expect_completed(c, "sub", 1);
    core_case_expect_waiting(c, "after");
    core_case_free(c);
}

STF_TEST(without_a_start_event_it_begins_at_every_node_without_an_incoming_flow)
{
    core_case *c =
        core_case_load(AROUND "<subProcess id='sub'><userTask id='a'/><userTask id='b'/>" FLOW(
            "g1", "a", "z") "<userTask id='z'/></subProcess>");
    core_case_start(c, NULL);
    core_case_expect_waiting(c, "a b");
    core_case_free(c);
}

STF_TEST(nested_sub_processes_end_innermost_first_in_one_step)
{
    core_case *c = core_case_load(AROUND "<subProcess id='sub'><startEvent id='i'/>" FLOW(
        "g1", "i",
        "mid") "<subProcess id='mid'><startEvent id='ii'/>" FLOW("h1", "ii",
                                                                 "inner") "<subProcess "
                                                                          "id='inner'><userTask "
                                                                          "id='a'/></subProcess></"
                                                                          "subProcess>"
                                                                          "</subProcess>");
    core_case_start(c, NULL);
    ck_assert_uint_eq(c->doc->scope_count, 4);
    core_case_task(c, "a", NULL);
    core_case_expect_waiting(c, "after");
    size_t at[3] = {0, 0, 0};
    static const char *const ids[3] = {"inner", "mid", "sub"};
    for (size_t i = 0; i < c->fact_count; i++) {
        for (size_t k = 0; k < 3; k++) {
            if (c->facts[i].kind == STF_FACT_NODE_COMPLETED &&
                strcmp(c->facts[i].element, ids[k]) == 0) {
                at[k] = i;
            }
        }
    }
    ck_assert(0 < at[0] && at[0] < at[1] && at[1] < at[2]);
    core_case_free(c);
}

/* Entered again it is new: a new activation, a new scope with fresh data. */
STF_TEST(trap_19_in_a_loop_each_round_has_an_activation_a_scope_and_waits_of_its_own)
{
    core_case *c = core_case_load(
        "<startEvent id='s'/>" FLOW("f1", "s", "sub")
            FLOW("f2", "sub", "x") "<exclusiveGateway id='x' default='f3'/>" FLOW(
                "f3", "x",
                "sub") "<sequenceFlow id='f4' sourceRef='x' "
                       "targetRef='e'><conditionExpression>${done}"
                       "</conditionExpression></sequenceFlow><endEvent id='e'/>"
                       "<subProcess id='sub'><property id='mine'/><userTask id='a'/>"
                       "<serviceTask id='w' stepfast:handler='h'/></subProcess>"
                       "<boundaryEvent id='late' attachedToRef='sub'><timerEventDefinition>"
                       "<timeDuration>PT1H</timeDuration></timerEventDefinition></"
                       "boundaryEvent>" FLOW("f5", "late", "sub"));
    core_case_start(c, "{\"done\": false}");
    uint64_t first = find(c, "sub")->number;
    core_case_task(c, "a", "{\"mine\": 1}");
    expect_seen(c, "w", "mine", "1");
    core_case_work(c, "w", NULL);
    uint64_t second = find(c, "sub")->number;
    ck_assert_uint_gt(second, first);
    expect_seen(c, "w", "mine", "null");
    ck_assert_uint_eq(c->doc->scope_count, 2);
    ck_assert_uint_eq(c->doc->timer_count, 1);
    core_case_advance(c, SECONDS(3600)); /* the timer leads back into it */
    ck_assert_uint_gt(find(c, "sub")->number, second);
    core_case_expect_waiting(c, "a w");
    ck_assert_uint_eq(c->doc->scope_count, 2);
    ck_assert_uint_eq(c->doc->timer_count, 1);
    core_case_task(c, "a", "{\"done\": true}");
    core_case_work(c, "w", NULL);
    core_case_expect_status(c, STF_RECORD_COMPLETED);
    core_case_expect_completed(c, "sub", 2);
    core_case_expect_one_end_each(c);
    core_case_free(c);
}

STF_TEST(the_data_of_a_sub_process_is_declared_there_hides_outer_data_and_goes_with_it)
{
    core_case *c = core_case_load(
        "<property id='P0' name='n'/>" AROUND
        "<subProcess id='sub'><property id='P1' name='n'/><dataObject id='d' name='own'/>"
        "<userTask id='a'/>" FLOW("g1", "a", "b") "<userTask id='b'/></subProcess>");
    core_case_start(c, "{\"n\": 7}");
    expect_seen(c, "a", "n", "null");
    expect_seen(c, "a", "own", "null");
    core_case_task(c, "a", "{\"n\": 8, \"own\": 9, \"fresh\": 10}");
    expect_seen(c, "b", "n", "8");
    expect_seen(c, "b", "own", "9");
    /* The nearest scope that has the name, else the process. */
    core_case_expect_variable(c, "n", "7");
    core_case_expect_variable(c, "fresh", "10");
    core_case_task(c, "b", NULL);
    expect_seen(c, "after", "n", "7");
    expect_seen(c, "after", "own", NULL);
    expect_seen(c, "after", "fresh", "10");
    core_case_free(c);
}

STF_TEST(the_flows_out_of_a_sub_process_are_chosen_by_what_is_known_around_it)
{
    core_case *c = core_case_load("<property id='P0' name='n'/><startEvent id='s'/>" FLOW(
        "f1", "s",
        "sub") "<sequenceFlow id='f2' sourceRef='sub' targetRef='after'><conditionExpression>"
               "${n == 7}</conditionExpression></sequenceFlow><userTask id='after'/>"
               "<subProcess id='sub'><property id='P1' name='n'/><userTask id='a'/></subProcess>");
    core_case_start(c, "{\"n\": 6}");
    core_case_task(c, "a", "{\"n\": 7}");
    core_case_expect_incident(c, "sub", "no_flow", "\"sub\"");
    ck_assert_uint_eq(c->doc->scope_count, 1);
    core_case_set(c, "{\"n\": 7}");
    core_case_retry(c);
    core_case_expect_waiting(c, "after");
    core_case_expect_completed(c, "sub", 1);
    core_case_expect_completed(c, "a", 1);
    core_case_free(c);
}

#define JOIN_OF_A_AND_B                                                                            \
    "<subProcess id='sub'><startEvent id='i'/>" FLOW("g1", "i", "a")                               \
        FLOW("g2", "i", "b") "<userTask id='a'/><userTask id='b'/>" FLOW("g3", "a", "j")           \
            FLOW("g4", "b", "j") "<parallelGateway id='j'/></subProcess>"

/* Item 11: a join counts the tokens of its own scope only. */
STF_TEST(two_activations_of_one_sub_process_never_see_each_others_tokens)
{
    core_case *c = core_case_load("<startEvent id='s'/>" FLOW("f1", "s", "sub")
                                      FLOW("f2", "s", "sub") JOIN_OF_A_AND_B);
    core_case_start(c, NULL);
    core_case_expect_waiting(c, "a a b b");
    ck_assert_uint_eq(c->doc->scope_count, 3);
    uint64_t one = 0;
    uint64_t other = 0;
    for (size_t i = 0; i < c->doc->activation_count; i++) {
        const stf__activation *activation = c->doc->activations[i];
        bool is_first = activation->scope == c->doc->scopes[1].number;
        if (is_first && stf_str_equal(activation->element, stf_str_of("a"))) {
            one = activation->number;
        } else if (!is_first && stf_str_equal(activation->element, stf_str_of("b"))) {
            other = activation->number;
        }
    }
    stf__event task = {.kind = STF__EVENT_TASK, .activation = one};
    STF_CHECK_OK(core_case_step(c, &task), &c->error);
    task.activation = other;
    STF_CHECK_OK(core_case_step(c, &task), &c->error);
    core_case_expect_completed(c, "j", 0);
    core_case_expect_waiting(c, "a b");
    core_case_task(c, "a", NULL);
    core_case_task(c, "b", NULL);
    core_case_expect_completed(c, "j", 2);
    core_case_expect_status(c, STF_RECORD_COMPLETED);
    core_case_free(c);
}

STF_TEST(trap_16_an_interrupted_scope_takes_the_tokens_at_its_joins_along)
{
    core_case *c = core_case_load(
        AROUND JOIN_OF_A_AND_B
        "<boundaryEvent id='late' attachedToRef='sub'><timerEventDefinition><timeDuration>PT1H"
        "</timeDuration></timerEventDefinition></boundaryEvent>" FLOW("f4", "late", "sub"));
    core_case_start(c, NULL);
    core_case_task(c, "a", NULL);
    ck_assert_uint_eq(c->doc->parked_count, 1);
    core_case_advance(c, SECONDS(3600));
    ck_assert_uint_eq(c->doc->parked_count, 0);
    core_case_expect_waiting(c, "a b");
    core_case_task(c, "b", NULL); /* the token of the first round would open the join here */
    core_case_expect_completed(c, "j", 0);
    core_case_task(c, "a", NULL);
    core_case_expect_completed(c, "j", 1);
    core_case_expect_waiting(c, "after");
    core_case_free(c);
}

STF_TEST(trap_10_a_deadlocked_join_keeps_its_sub_process_open_and_shows)
{
    core_case *c =
        core_case_load(AROUND "<subProcess id='sub'><startEvent id='i'/>" FLOW(
            "g1", "i", "x") "<exclusiveGateway id='x' default='g2'/>" FLOW("g2", "x", "j")
                           FLOW("g3", "x", "j") "<parallelGateway id='j'/></subProcess>");
    core_case_start(c, NULL);
    core_case_expect_completed(c, "sub", 0);
    core_case_expect_status(c, STF_RECORD_ACTIVE);
    stf__doc_summary summary = core_case_summary(c);
    ck_assert_uint_eq(summary.wait_count, 1);
    ck_assert_uint_eq(summary.waits[0].kind, STF_WAIT_STUCK);
    STF_CHECK_STR(summary.waits[0].key, "j");
    core_case_free(c);
}

STF_TEST(a_turn_that_yields_inside_a_sub_process_goes_on_there)
{
    core_case *c = core_case_load(
        AROUND
        "<subProcess id='sub'><startEvent id='i'/>" FLOW("g1", "i", "a") "<task id='a'/>" FLOW(
            "g2", "a", "b") "<task id='b'/>" FLOW("g3", "b",
                                                  "ie") "<endEvent id='ie'/></subProcess>");
    c->step_budget = 1;
    core_case_start(c, NULL);
    for (int i = 0; i < 10 && c->effects.has_yielded; i++) {
        core_case_wake(c);
    }
    core_case_expect_waiting(c, "after");
    core_case_expect_completed(c, "sub", 1);
    core_case_free(c);
}

STF_TEST(a_cancelled_sub_process_ends_all_that_is_in_it_innermost_first)
{
    core_case *c = core_case_load(
        AROUND
        "<subProcess id='sub'><startEvent id='i'/>" FLOW("g1", "i", "inner") FLOW("g2", "i", "w")
            FLOW("g3", "i", "x") "<serviceTask id='w' stepfast:handler='h'/>"
                                 "<exclusiveGateway id='x'/><sequenceFlow id='g4' sourceRef='x' "
                                 "targetRef='w'><conditionExpression>${false}"
                                 "</conditionExpression></sequenceFlow>"
                                 "<subProcess id='inner'><userTask id='a'/>"
                                 "<boundaryEvent id='b' attachedToRef='a'><timerEventDefinition>"
                                 "<timeDuration>PT2H</timeDuration></timerEventDefinition>"
                                 "</boundaryEvent></subProcess></subProcess>"
                                 "<boundaryEvent id='late' attachedToRef='sub'>"
                                 "<timerEventDefinition><timeDuration>PT1H</timeDuration>"
                                 "</timerEventDefinition></boundaryEvent>");
    core_case_start(c, NULL);
    core_case_start_work(c, "w");
    uint64_t running = core_case_find_work(c, "w").activation;
    core_case_expect_incident(c, "x", "no_flow", "\"x\"");
    c->now.us += SECONDS(3600);
    core_case_wake(c);
    core_case_expect_completed(c, "late", 1);
    core_case_expect_status(c, STF_RECORD_COMPLETED);
    ck_assert_uint_eq(c->effects.cancelled_count, 1);
    ck_assert_uint_eq(c->effects.cancelled[0], running);
    ck_assert_uint_eq(core_case_count(c, STF_FACT_INCIDENT_DROPPED, "x"), 1);
    size_t inner = 0;
    for (size_t i = 0; i < c->fact_count; i++) {
        if (c->facts[i].kind == STF_FACT_NODE_CANCELLED) {
            inner += strcmp(c->facts[i].element, "a") == 0 ? 1 : 0;
            ck_assert(strcmp(c->facts[i].element, "inner") != 0 || inner == 1);
            ck_assert(strcmp(c->facts[i].element, "sub") != 0 || inner == 1);
        }
    }
    ck_assert_uint_eq(inner, 1);
    ck_assert_uint_eq(core_case_count(c, STF_FACT_NODE_CANCELLED, "sub"), 1);
    core_case_expect_one_end_each(c);
    core_case_free(c);
}

STF_TEST(a_cancelled_sub_process_leaves_its_neighbours_alone)
{
    core_case *c = core_case_load("<startEvent id='s'/>" FLOW("f1", "s", "sub") FLOW(
        "f2", "s",
        "wait") "<intermediateCatchEvent id='wait'><timerEventDefinition><timeDuration>PT10M"
                "</timeDuration></timerEventDefinition></intermediateCatchEvent>" FLOW(
                    "f3", "wait", "other") "<subProcess id='other'><userTask id='o'/></subProcess>"
                                           "<subProcess id='sub'><userTask id='a'/></subProcess>"
                                           "<boundaryEvent id='late' attachedToRef='sub'>"
                                           "<timerEventDefinition><timeDuration>PT1H</timeDuration>"
                                           "</timerEventDefinition></boundaryEvent>");
    core_case_start(c, NULL);
    core_case_advance(c, SECONDS(3600));
    core_case_expect_waiting(c, "o"); /* its scope has the greater number */
    ck_assert_uint_eq(c->doc->scope_count, 2);
    core_case_task(c, "o", NULL);
    core_case_expect_completed(c, "other", 1);
    core_case_expect_status(c, STF_RECORD_COMPLETED);
    core_case_free(c);
}

static core_case *load_nested(size_t depth)
{
    stf_buf body;
    stf_buf_init(&body, NULL);
    for (size_t i = 0; i < depth; i++) {
        STF_CHECK_OK(stf_buf_printf(&body, "<subProcess id='d%zu'>", i), (stf_error *)NULL);
    }
    STF_CHECK_OK(stf_buf_printf(&body, "<userTask id='a'/>"), (stf_error *)NULL);
    for (size_t i = 0; i < depth; i++) {
        STF_CHECK_OK(stf_buf_printf(&body, "</subProcess>"), (stf_error *)NULL);
    }
    core_case *c = core_case_load(stf_buf_c_str(&body));
    stf_buf_done(&body);
    return c;
}

STF_TEST(sub_processes_run_as_deep_as_a_file_can_nest_them)
{
    core_case *c = load_nested(STF_LIMIT_XML_DEPTH - 4);
    core_case_start(c, NULL);
    core_case_expect_waiting(c, "a");
    core_case_task(c, "a", NULL);
    core_case_expect_status(c, STF_RECORD_COMPLETED);
    core_case_expect_one_end_each(c);
    core_case_free(c);
}

/* No file can be nested so deep; the limit is the document's. */
STF_TEST(a_scope_too_deep_is_an_incident_and_opens_nothing)
{
    core_case *c = core_case_load("<subProcess id='sub'><userTask id='a'/></subProcess>");
    stf__activation *activation = NULL;
    for (uint64_t number = 1; number <= STF_LIMIT_SCOPE_DEPTH + 1; number++) {
        STF_CHECK_OK(stf__doc_add_activation(c->doc, number, &activation, &c->error), &c->error);
        activation->scope = number - 1;
        activation->element = c->process->nodes[0].id;
        activation->phase = STF__PHASE_STARTING;
        if (number <= STF_LIMIT_SCOPE_DEPTH) {
            stf__step_wait(activation, STF__FOR_SCOPE);
            STF_CHECK_OK(stf__doc_add_scope(c->doc, activation, &c->error), &c->error);
        }
    }
    stf__step step = {.doc = c->doc, .process = c->process, .now = c->now, .effects = &c->effects};
    const stf__node *node = stf__process_find_node(c->process, stf_str_of("sub"));
    STF_CHECK_OK(stf__step_open_scope(&step, activation, node), &c->error);
    ck_assert_uint_eq(activation->phase, STF__PHASE_STARTING);
    ck_assert_uint_eq(c->doc->scope_count, STF_LIMIT_SCOPE_DEPTH + 1);
    ck_assert_uint_eq(c->doc->ready_count, 0);
    ck_assert_uint_eq(c->doc->incident_count, 1);
    ck_assert_uint_eq(c->doc->incidents[0].kind, STF__INCIDENT_LIMIT);
    core_case_free(c);
}

STF_TEST(a_sub_process_with_more_beginnings_than_there_may_be_tokens_is_an_incident)
{
    stf_buf body;
    stf_buf_init(&body, NULL);
    STF_CHECK_OK(stf_buf_printf(&body, "<subProcess id='sub'>"), (stf_error *)NULL);
    for (size_t i = 0; i <= STF_LIMIT_TOKENS; i++) {
        STF_CHECK_OK(stf_buf_printf(&body, "<task id='t%zu'/>", i), (stf_error *)NULL);
    }
    STF_CHECK_OK(stf_buf_printf(&body, "</subProcess>"), (stf_error *)NULL);
    core_case *c = core_case_load(stf_buf_c_str(&body));
    core_case_start(c, NULL);
    core_case_expect_incident(c, "sub", "limit", "too many tokens");
    ck_assert_uint_eq(c->doc->scope_count, 1);
    stf_buf_done(&body);
    core_case_free(c);
}

static const stf_test_case cases[] = {
    STF_CASE(a_sub_process_goes_on_when_nothing_is_left_in_it),
    STF_CASE(an_empty_sub_process_goes_on_at_once),
    STF_CASE(without_a_start_event_it_begins_at_every_node_without_an_incoming_flow),
    STF_CASE(nested_sub_processes_end_innermost_first_in_one_step),
    STF_CASE(trap_19_in_a_loop_each_round_has_an_activation_a_scope_and_waits_of_its_own),
    STF_CASE(the_data_of_a_sub_process_is_declared_there_hides_outer_data_and_goes_with_it),
    STF_CASE(the_flows_out_of_a_sub_process_are_chosen_by_what_is_known_around_it),
    STF_CASE(two_activations_of_one_sub_process_never_see_each_others_tokens),
    STF_CASE(trap_16_an_interrupted_scope_takes_the_tokens_at_its_joins_along),
    STF_CASE(trap_10_a_deadlocked_join_keeps_its_sub_process_open_and_shows),
    STF_CASE(a_turn_that_yields_inside_a_sub_process_goes_on_there),
    STF_CASE(a_cancelled_sub_process_ends_all_that_is_in_it_innermost_first),
    STF_CASE(a_cancelled_sub_process_leaves_its_neighbours_alone),
    STF_CASE(sub_processes_run_as_deep_as_a_file_can_nest_them),
    STF_CASE(a_scope_too_deep_is_an_incident_and_opens_nothing),
    STF_CASE(a_sub_process_with_more_beginnings_than_there_may_be_tokens_is_an_incident),
};

STF_TEST_MAIN("core/scope", cases)
