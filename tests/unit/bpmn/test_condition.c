/* SPDX-License-Identifier: Apache-2.0 */
/* Which conditions of flows count and which are ignored aloud. */
#include "base/mem.h"
#include "unit/bpmn/support.h"

#define CONDITION "<conditionExpression>${x}</conditionExpression>"
#define TIMER "<timerEventDefinition><timeDuration>PT1M</timeDuration></timerEventDefinition>"

/* Flow "f" leaves "n" with a condition. */
static const struct {
    const char *nodes;
    const char *says; /* NULL: the condition counts */
} rows[] = {
    {"<startEvent id='n'/>", "a flow out of a start event has a condition"},
    {"<startEvent id='s'/><parallelGateway id='n'/>", "this kind of gateway"},
    {"<startEvent id='s'/><intermediateCatchEvent id='n'>" TIMER "</intermediateCatchEvent>",
     "a flow out of an event has a condition"},
    {"<startEvent id='s'/><exclusiveGateway id='n' default='f'/>",
     "the default flow has a condition, which is ignored"},
    {"<startEvent id='s'/><userTask id='n' default='f'/>", "the default flow has a condition"},
    {"<startEvent id='s'/><userTask id='n'/>", NULL},
    {"<startEvent id='s'/><exclusiveGateway id='n'/>", NULL},
    {"<startEvent id='s'/><inclusiveGateway id='n'/>", NULL},
};

STF_TEST(conditions_count_where_the_standard_allows_them_and_are_ignored_aloud_elsewhere)
{
    for (size_t i = 0; i < STF_COUNT_OF(rows); i++) {
        char body[1000];
        (void)snprintf(body, sizeof(body),
                       "%s<endEvent id='e'/>\n<sequenceFlow id='f' sourceRef='n' targetRef='e'>"
                       "\n" CONDITION "</sequenceFlow>",
                       rows[i].nodes);
        fixture file;
        fixture_load_body(&file, body);
        bool counts = fixture_flow(&file, "f")->condition != NULL;
        ck_assert(counts == (rows[i].says == NULL));
        if (rows[i].says != NULL) {
            const char *message =
                fixture_expect(&file, STF_SEVERITY_WARNING, 4, "f", "flow.condition-ignored");
            ck_assert_msg(strstr(message, rows[i].says) != NULL, "%s", message);
        } else {
            ck_assert_uint_eq(fixture_count(&file, "flow.condition-ignored"), 0);
        }
        fixture_done(&file);
    }
}

STF_TEST(a_foreign_language_is_told_even_where_the_condition_is_ignored)
{
    fixture file;
    fixture_load_body(&file, "<startEvent id='s'/><endEvent id='e'/>\n<sequenceFlow id='f' "
                             "sourceRef='s' targetRef='e'>\n<conditionExpression "
                             "language='groovy'>x</conditionExpression></sequenceFlow>");
    fixture_expect(&file, STF_SEVERITY_WARNING, 4, "f", "flow.condition-ignored");
    fixture_expect(&file, STF_SEVERITY_ERROR, 5, "f", "expression.language");
    fixture_done(&file);
}

static const stf_test_case cases[] = {
    STF_CASE(conditions_count_where_the_standard_allows_them_and_are_ignored_aloud_elsewhere),
    STF_CASE(a_foreign_language_is_told_even_where_the_condition_is_ignored),
};

STF_TEST_MAIN("bpmn/condition", cases)
