/* SPDX-License-Identifier: Apache-2.0 */
/* What stands behind a gateway. */
#include "base/mem.h"
#include "unit/bpmn/support.h"

#define FLOW(id, from, to) "<sequenceFlow id='" id "' sourceRef='" from "' targetRef='" to "'/>"
#define TIMER(id)                                                                                  \
    "<intermediateCatchEvent id='" id "'><timerEventDefinition><timeDuration>PT1M</timeDuration>"  \
    "</timerEventDefinition></intermediateCatchEvent>"
/* An event-based gateway "g" with a flow to a timer "t" and one to "x". */
#define GATEWAY                                                                                    \
    "<startEvent id='s'/><eventBasedGateway id='g'/>" TIMER("t") FLOW("i", "s", "g")               \
        FLOW("a", "g", "t") FLOW("b", "g", "x")
/* A splitting gateway "g" to tasks "t" and "u". */
#define SPLIT(kind, attributes)                                                                    \
    "<startEvent id='s'/><" kind " id='g' " attributes                                             \
    "/><task id='t'/><task id='u'/>" FLOW("i", "s", "g")
#define CONDITION(id, to)                                                                          \
    "<sequenceFlow id='" id "' sourceRef='g' targetRef='" to "'><conditionExpression>a"            \
    "</conditionExpression></sequenceFlow>"

static const rule_row rows[] = {
    {GATEWAY "\n<userTask id='x'/>", STF_SEVERITY_ERROR, 4, "x", "event-gateway.target",
     "leads to \"x\", which is neither an event that waits nor a receive task"},
    {GATEWAY "\n<endEvent id='x'/>", STF_SEVERITY_ERROR, 4, "x", "event-gateway.target", "neither"},
    {GATEWAY "\n" TIMER("x") FLOW("c", "t", "x"), STF_SEVERITY_ERROR, 4, "x",
     "event-gateway.target", "another incoming flow"},
    {GATEWAY "\n<receiveTask id='x'/><boundaryEvent id='b2' attachedToRef='x'>"
             "<errorEventDefinition/></boundaryEvent>",
     STF_SEVERITY_ERROR, 4, "x", "event-gateway.target", "boundary events"},
    {"<startEvent id='s'/>\n<eventBasedGateway id='g'/>" TIMER("t") FLOW("i", "s", "g")
         FLOW("a", "g", "t"),
     STF_SEVERITY_WARNING, 4, "g", "event-gateway.few", "this one has 1"},
    {"<startEvent id='s'/>\n<eventBasedGateway id='g'/>" FLOW("i", "s", "g"), STF_SEVERITY_WARNING,
     4, "g", "event-gateway.few", "this one has 0"},
    {"<startEvent id='s'/>" FLOW("i", "s", "g") FLOW("a", "g", "t")
         FLOW("b", "g",
              "u") "<receiveTask id='t'/><intermediateCatchEvent id='u'><messageEventDefinition "
                   "messageRef='m'/></intermediateCatchEvent><transaction id='later'/>\n"
                   "<eventBasedGateway id='g'/>",
     STF_SEVERITY_WARNING, 4, "g", "event-gateway.mixed", "one kind only"},
    {"<startEvent id='s'/>\n<eventBasedGateway id='g' instantiate='true'/>" TIMER("t")
         FLOW("a", "g", "t"),
     STF_SEVERITY_UNSUPPORTED, 4, "g", "unsupported", "instantiate"},
    {"<startEvent id='s'/>\n<eventBasedGateway id='g' eventGatewayType='Parallel'/>" TIMER("t")
         FLOW("a", "g", "t"),
     STF_SEVERITY_UNSUPPORTED, 4, "g", "unsupported", "parallel event gateway"},
    {GATEWAY TIMER("x") "<task id='y'/>\n<sequenceFlow id='c' sourceRef='x' targetRef='y'>"
                        "<conditionExpression>a</conditionExpression></sequenceFlow>",
     STF_SEVERITY_WARNING, 4, "c", "flow.condition-ignored", "out of an event"},
    {SPLIT("inclusiveGateway", "") CONDITION("a", "t") "\n" FLOW("b", "g", "u"),
     STF_SEVERITY_WARNING, 4, "b", "gateway.no-condition", "it is always taken"},
    {SPLIT("exclusiveGateway", "") CONDITION("a", "t") "\n" FLOW("b", "g", "u"),
     STF_SEVERITY_WARNING, 4, "b", "gateway.no-condition", "whenever those before it are not"},
};

STF_TEST(what_may_not_stand_behind_a_gateway_is_told)
{
    for (size_t i = 0; i < STF_COUNT_OF(rows); i++) {
        bool needs_message = strstr(rows[i].body, "messageRef") != NULL;
        if (!needs_message) {
            fixture_check_rows(&rows[i], 1);
            continue;
        }
        char xml[3000];
        (void)snprintf(xml, sizeof(xml),
                       BPMN_HEAD "<message id='m' name='M'/><process id='p' isExecutable='true'>\n"
                                 "%s</process></definitions>",
                       rows[i].body);
        fixture file;
        fixture_load(&file, xml);
        fixture_expect(&file, rows[i].severity, rows[i].line, rows[i].element, rows[i].rule);
        fixture_done(&file);
    }
}

STF_TEST(good_gateways_are_passed_in_silence)
{
    static const char *const bodies[] = {
        GATEWAY TIMER("x"),
        GATEWAY "<receiveTask id='x'/>",
        SPLIT("inclusiveGateway", "default='b'") CONDITION("a", "t") FLOW("b", "g", "u"),
        SPLIT("exclusiveGateway", "default='b'") CONDITION("a", "t") FLOW("b", "g", "u"),
        SPLIT("inclusiveGateway", "") CONDITION("a", "t") CONDITION("b", "u"),
        /* joins with one way out */
        "<startEvent id='s'/><inclusiveGateway id='g'/><task id='t'/>" FLOW("a", "s", "g")
            FLOW("b", "s", "g") FLOW("c", "g", "t"),
    };
    for (size_t i = 0; i < STF_COUNT_OF(bodies); i++) {
        fixture file;
        fixture_load_body(&file, bodies[i]);
        fixture_expect_silence(&file);
        fixture_done(&file);
    }
}

STF_TEST(a_drawing_may_be_wrong_behind_a_gateway)
{
    fixture file;
    fixture_load_drawing(&file, GATEWAY "\n<userTask id='x'/>");
    fixture_expect(&file, STF_SEVERITY_WARNING, 4, "x", "event-gateway.target");
    ck_assert_uint_eq(fixture_process(&file, "p")->flags, 0);
    fixture_done(&file);
}

static const stf_test_case cases[] = {
    STF_CASE(what_may_not_stand_behind_a_gateway_is_told),
    STF_CASE(good_gateways_are_passed_in_silence),
    STF_CASE(a_drawing_may_be_wrong_behind_a_gateway),
};

STF_TEST_MAIN("bpmn/gateway", cases)
