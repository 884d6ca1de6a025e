/* SPDX-License-Identifier: Apache-2.0 */
/* Each promise of doc.h about the lists, broken on purpose. */
#include "core_case.h"

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

static const stf_test_case cases[] = {
    STF_CASE(every_broken_promise_is_found),
};

STF_TEST_MAIN("core/invariants", cases)
