/* SPDX-License-Identifier: Apache-2.0 */
/* Rules over a whole process: what cannot end or surely was not meant. */
#include "base/mem.h"
#include "unit/bpmn/support.h"

#define FLOW(id, from, to) "<sequenceFlow id='" id "' sourceRef='" from "' targetRef='" to "'/>"

static const rule_row rows[] = {
    {"<startEvent id='s'/><exclusiveGateway id='x' default='a'/><userTask id='u'/>\n"
     "<parallelGateway id='j'/>" FLOW("i", "s", "x") FLOW("a", "x", "u") FLOW("b", "u", "j")
         FLOW("c", "x", "j"),
     STF_SEVERITY_WARNING, 4, "j", "gateway.join-never-fills",
     "the branches of the exclusive gateway \"x\" meet in a parallel join"},
    {"<startEvent id='s'/>\n<exclusiveGateway id='m'/><task id='t'/><exclusiveGateway id='x' "
     "default='b'/><endEvent id='e'/>" FLOW("i", "s", "m") FLOW("a", "m", "t") FLOW("c", "t", "x")
         FLOW("b", "x", "m") FLOW("d", "x", "e"),
     STF_SEVERITY_WARNING, 4, "m", "flow.loop", "m, t, x form a loop without a wait"},
};

STF_TEST(rules_over_the_whole_process_are_told)
{
    fixture_check_rows(rows, STF_COUNT_OF(rows));
}

STF_TEST(a_process_that_is_not_marked_executable_is_warned_of)
{
    fixture file;
    fixture_load_drawing(&file, "<startEvent id='s'/>");
    const char *message =
        fixture_expect(&file, STF_SEVERITY_WARNING, 2, "p", "process.not-executable");
    ck_assert_ptr_nonnull(strstr(message, "isExecutable is missing"));
    ck_assert_uint_eq(fixture_process(&file, "p")->flags, STF_PROCESS_RUNNABLE);
    fixture_done(&file);
    fixture_load_drawing(&file, ""); /* a closed pool */
    fixture_expect_silence(&file);
    fixture_done(&file);
}

static const stf_test_case cases[] = {
    STF_CASE(rules_over_the_whole_process_are_told),
    STF_CASE(a_process_that_is_not_marked_executable_is_warned_of),
};

STF_TEST_MAIN("bpmn/check", cases)
