/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes that must and must not be complained about. */
#include "base/mem.h"
#include "unit/bpmn/support.h"

#define FLOW(from, to) "<sequenceFlow sourceRef='" from "' targetRef='" to "'/>"
#define TIMER "<timerEventDefinition><timeDuration>PT1M</timeDuration></timerEventDefinition>"

static const struct {
    const char *body;
    size_t loops;
    size_t joins;
} rows[] = {
    /* a wait in the loop */
    {"<startEvent id='s'/><exclusiveGateway id='m'/><userTask id='t'/>" FLOW("s", "m")
         FLOW("m", "t") FLOW("t", "m"),
     0, 0},
    {"<startEvent id='s'/><exclusiveGateway id='m'/><serviceTask id='t'/>" FLOW("s", "m")
         FLOW("m", "t") FLOW("t", "m"),
     0, 0},
    {"<startEvent id='s'/><task id='m'/><intermediateCatchEvent id='t'>" TIMER
     "</intermediateCatchEvent>" FLOW("s", "m") FLOW("m", "t") FLOW("t", "m"),
     0, 0},
    /* a node that leads to itself */
    {"<startEvent id='s'/><task id='m'/>" FLOW("s", "m") FLOW("m", "m"), 1, 0},
    /* two loops that do not touch, one after the other over a wait */
    {"<startEvent id='s'/><task id='a'/><task id='b'/><userTask id='u'/><task id='c'/>" FLOW(
         "s", "a") FLOW("a", "b") FLOW("b", "a") FLOW("a", "u") FLOW("u", "c") FLOW("c", "c"),
     2, 0},
    /* a long chain without a loop */
    {"<startEvent id='s'/><task id='a'/><task id='b'/><task id='c'/>" FLOW("s", "a") FLOW("a", "b")
         FLOW("b", "c") FLOW("a", "c"),
     0, 0},
    /* a parallel split into a parallel join */
    {"<startEvent id='s'/><parallelGateway id='f'/><task id='a'/><task id='b'/>"
     "<parallelGateway id='j'/>" FLOW("s", "f") FLOW("f", "a") FLOW("f", "b") FLOW("a", "j")
         FLOW("b", "j"),
     0, 0},
    /* exclusive branches merged before the join */
    {"<startEvent id='s'/><parallelGateway id='f'/><exclusiveGateway id='x'/><task id='a'/>"
     "<exclusiveGateway id='m'/><parallelGateway id='j'/>" FLOW("s", "f") FLOW("f", "x")
         FLOW("x", "a") FLOW("x", "m") FLOW("a", "m") FLOW("m", "j") FLOW("f", "j"),
     0, 0},
    /* straight from an exclusive gateway, twice */
    {"<startEvent id='s'/><exclusiveGateway id='x'/><parallelGateway id='j'/>" FLOW("s", "x")
         FLOW("x", "j") FLOW("x", "j"),
     0, 1},
    /* an exclusive gateway with one way in and out is a link of the chain */
    {"<startEvent id='s'/><exclusiveGateway id='x'/><exclusiveGateway id='y'/><task id='a'/>"
     "<parallelGateway id='j'/>" FLOW("s", "x") FLOW("x", "y") FLOW("x", "a") FLOW("y", "j")
         FLOW("a", "j"),
     0, 1},
    /* a ring of links that leads nowhere */
    {"<startEvent id='s'/><userTask id='a'/><userTask id='b'/><parallelGateway id='j'/>" FLOW(
         "a", "b") FLOW("b", "a") FLOW("s", "j") FLOW("s", "j"),
     0, 0},
};

STF_TEST(loops_and_joins_are_recognised_by_their_shape)
{
    for (size_t i = 0; i < STF_COUNT_OF(rows); i++) {
        fixture file;
        fixture_load_body(&file, rows[i].body);
        ck_assert_int_eq(file.status, STF_OK);
        ck_assert_msg(fixture_count(&file, "flow.loop") == rows[i].loops, "loops of %zu", i);
        ck_assert_msg(fixture_count(&file, "gateway.join-never-fills") == rows[i].joins,
                      "joins of %zu", i);
        fixture_done(&file);
    }
}

STF_TEST(sending_is_no_wait_and_receiving_is_one)
{
    static const struct {
        const char *task;
        size_t loops;
    } tasks[] = {
        {"<sendTask id='t' messageRef='m'/>", 1},
        {"<sendTask id='t' messageRef='m' stepfast:handler='h'/>", 0},
        {"<receiveTask id='t' messageRef='m'/>", 0},
        {"<intermediateThrowEvent id='t'><messageEventDefinition messageRef='m'/>"
         "</intermediateThrowEvent>",
         1},
        {"<intermediateCatchEvent id='t'><messageEventDefinition messageRef='m'/>"
         "</intermediateCatchEvent>",
         0},
    };
    for (size_t i = 0; i < STF_COUNT_OF(tasks); i++) {
        char xml[2000];
        (void)snprintf(xml, sizeof(xml),
                       BPMN_HEAD "<message id='m' name='M'/><process id='p' isExecutable='true'>"
                                 "<startEvent id='s'/><exclusiveGateway id='x'/>%s" FLOW("s", "x")
                                     FLOW("x", "t") FLOW("t", "x") "</process></definitions>",
                       tasks[i].task);
        fixture file;
        fixture_load(&file, xml);
        ck_assert_msg(fixture_count(&file, "flow.loop") == tasks[i].loops, "%s", tasks[i].task);
        fixture_done(&file);
    }
}

STF_TEST(a_loop_of_many_nodes_names_the_first_few)
{
    fixture file;
    fixture_load_body(&file, "<startEvent id='s'/>\n<task id='a'/><task id='b'/><task id='c'/>"
                             "<task id='d'/><task id='e'/>" FLOW("s", "a") FLOW("a", "b")
                                 FLOW("b", "c") FLOW("c", "d") FLOW("d", "e") FLOW("e", "a"));
    const char *message = fixture_expect(&file, STF_SEVERITY_WARNING, 4, "a", "flow.loop");
    ck_assert_msg(strstr(message, "a, b, c, d and others form a loop") != NULL, "%s", message);
    fixture_done(&file);
}

STF_TEST(what_leads_into_a_loop_or_out_of_it_is_no_part_of_it)
{
    fixture file;
    fixture_load_body(&file,
                      "<startEvent id='s'/><task id='before'/>\n<task id='a'/>"
                      "<task id='b'/><task id='after'/>" FLOW("s", "before") FLOW("before", "a")
                          FLOW("a", "b") FLOW("b", "a") FLOW("b", "after"));
    const char *message = fixture_expect(&file, STF_SEVERITY_WARNING, 4, "a", "flow.loop");
    ck_assert_msg(strstr(message, "a, b form a loop") == message, "%s", message);
    fixture_done(&file);
}

static const stf_test_case cases[] = {
    STF_CASE(what_leads_into_a_loop_or_out_of_it_is_no_part_of_it),
    STF_CASE(sending_is_no_wait_and_receiving_is_one),
    STF_CASE(loops_and_joins_are_recognised_by_their_shape),
    STF_CASE(a_loop_of_many_nodes_names_the_first_few),
};

STF_TEST_MAIN("bpmn/graph", cases)
