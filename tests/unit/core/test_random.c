/* SPDX-License-Identifier: Apache-2.0 */
/* Random small processes under random events, from printed seeds. Two copies of each run side by
 * side: one lives on in memory, the other goes through its stored form after every step. They must
 * stay equal byte by byte, and every step keeps the invariants and
 * R8 (core_case.c). STEPFAST_SEED=n plays one seed. */
#include "core_case.h"

#include <stdarg.h>

enum {
    SEEDS = 300,
    STEPS = 60,
    NODES_MAX = 9
};

static uint64_t draw_state;

static uint32_t draw(uint32_t below)
{
    draw_state = draw_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(draw_state >> 33) % below;
}

static void append(stf_buf *text, const char *format, ...) STF_PRINTF(2, 3);
static void append(stf_buf *text, const char *format, ...)
{
    char line[512];
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(line, sizeof(line), format, arguments);
    va_end(arguments);
    ck_assert_int_lt(size, (int)sizeof(line));
    ck_assert_int_eq(stf_buf_append(text, line, (size_t)size), STF_OK);
}

#define TIMER "<timerEventDefinition><timeDuration>PT%uS</timeDuration></timerEventDefinition>"

/* One node; returns whether it may have outgoing flows. */
static bool make_node(stf_buf *text, uint32_t index)
{
    uint32_t kind = draw(9);
    switch (kind) {
    case 0:
        append(text, "<task id='n%u'/>", index);
        return true;
    case 1:
    case 2:
    case 3:
        append(text, "<%s id='n%u'%s/>", kind == 1 ? "userTask" : "serviceTask", index,
               kind == 3 ? " stepfast:idempotent='true'" : "");
        if (draw(2) == 0) {
            append(text, "<boundaryEvent id='b%u' attachedToRef='n%u' cancelActivity='%s'>", index,
                   index, draw(2) == 0 ? "true" : "false");
            append(text, TIMER, draw(20));
            append(text,
                   "</boundaryEvent><sequenceFlow id='bf%u' sourceRef='b%u' targetRef='n%u'/>",
                   index, index, draw(index + 1));
        }
        return true;
    case 4:
        append(text, "<exclusiveGateway id='n%u'/>", index);
        return true;
    case 5:
    case 6:
        append(text, "<parallelGateway id='n%u'/>", index);
        return true;
    case 7:
        append(text, "<intermediateCatchEvent id='n%u'>", index);
        append(text, TIMER, draw(20));
        append(text, "</intermediateCatchEvent>");
        return true;
    default:
        append(text, "<endEvent id='n%u'>%s</endEvent>", index,
               draw(6) == 0 ? "<terminateEventDefinition/>" : "");
        return false;
    }
}

static void make_process(stf_buf *text)
{
    uint32_t count = 3 + draw(NODES_MAX - 2);
    append(text, "<startEvent id='s'/><sequenceFlow id='s0' sourceRef='s' targetRef='n0'/>");
    uint32_t flow = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t outgoing = make_node(text, i) ? 1 + draw(3) : 0;
        for (uint32_t k = 0; k < outgoing; k++) {
            /* Mostly forward, so that runs end. */
            uint32_t target = draw(5) == 0 ? draw(count) : i + 1 + draw(3);
            append(text, "<sequenceFlow id='f%u' sourceRef='n%u' targetRef='n%u'>", flow++, i,
                   target < count ? target : count - 1);
            if (draw(3) == 0) {
                append(text, "<conditionExpression>${v %s %u}</conditionExpression>",
                       draw(2) == 0 ? "&gt;" : "&lt;=", draw(5));
            }
            append(text, "</sequenceFlow>");
        }
    }
}

/* The activation of a random entry of the document, or one that never was. */
static uint64_t draw_activation(const stf__doc *doc)
{
    if (doc->activation_count == 0 || draw(10) == 0) {
        return draw(30);
    }
    return doc->activations[draw((uint32_t)doc->activation_count)]->number;
}

static stf__event draw_event(const core_case *c, stf_value *const *variables)
{
    stf__event event = {.variables = draw(2) == 0 ? variables[draw(3)] : NULL};
    switch (draw(7)) {
    case 0:
    case 1:
        event.kind = STF__EVENT_WAKE;
        break;
    case 2:
        event.kind = STF__EVENT_TASK;
        event.activation = draw_activation(c->doc);
        break;
    case 3:
    case 4:
        event.kind = STF__EVENT_WORK;
        event.activation = draw_activation(c->doc);
        event.attempt = 1 + draw(2);
        event.incarnation = draw(3) == 0 ? 1 + draw(3) : 0;
        event.outcome = draw(2) == 0 ? STF__WORK_COMPLETED : (stf__work_outcome)(1 + draw(4));
        event.code = stf_str_of("E");
        event.message = stf_str_of("why");
        break;
    case 5:
        event.kind = STF__EVENT_RECOVER;
        event.incarnation = 1 + draw(4);
        break;
    default:
        event.kind = STF__EVENT_RETRY;
        if (c->doc->incident_count > 0) {
            event.incident = c->doc->incidents[draw((uint32_t)c->doc->incident_count)].number;
        }
        break;
    }
    return event;
}

static void expect_equal(core_case *a, core_case *b, unsigned seed, unsigned step)
{
    stf_buf head_a;
    stf_buf bulk_a;
    stf_buf head_b;
    stf_buf bulk_b;
    core_case_encode(a, &head_a, &bulk_a);
    core_case_encode(b, &head_b, &bulk_b);
    ck_assert_msg(head_a.size == head_b.size &&
                      memcmp(head_a.data, head_b.data, head_a.size) == 0 &&
                      bulk_a.size == bulk_b.size,
                  "seed %u: the documents differ after step %u", seed, step);
    stf_buf_done(&head_a);
    stf_buf_done(&bulk_a);
    stf_buf_done(&head_b);
    stf_buf_done(&bulk_b);
}

/* Starts the first unstarted work, as an engine with a free slot would. */
static void start_some_work(core_case *c)
{
    stf__work_item item;
    for (uint64_t after = 0; stf__doc_next_work(c->doc, after, &item); after = item.activation) {
        if (!item.is_started) {
            STF_CHECK_OK(stf__doc_mark_started(c->doc, item.activation, c->incarnation, false,
                                               c->now, &c->effects, &c->error),
                         &c->error);
            return;
        }
    }
}

static void play(unsigned seed, stf_value *const *variables, size_t *ended)
{
    stf_buf body;
    draw_state = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    stf_buf_init(&body, NULL);
    make_process(&body);
    core_case *memory = core_case_load(stf_buf_c_str(&body));
    core_case *stored = core_case_load(stf_buf_c_str(&body));
    memory->keeps_document = true;
    memory->step_budget = stored->step_budget = 1 + draw(40);
    stf__event event = {.kind = STF__EVENT_START, .variables = variables[draw(3)]};
    for (unsigned step = 0; step < STEPS; step++) {
        stf_status status = core_case_step(memory, &event);
        ck_assert_msg(core_case_step(stored, &event) == status, "seed %u, step %u", seed, step);
        ck_assert_msg(status == STF_OK || status == STF_NOT_FOUND || status == STF_INVALID_STATE,
                      "seed %u, step %u: %s", seed, step, memory->error.message);
        if (draw(2) == 0) {
            start_some_work(memory);
            start_some_work(stored);
        }
        expect_equal(memory, stored, seed, step);
        memory->now.us += SECONDS(draw(8));
        stored->now = memory->now;
        memory->incarnation = stored->incarnation = 1 + draw(4);
        event = draw_event(memory, variables);
    }
    if (stf__doc_has_ended(memory->doc)) {
        core_case_expect_one_end_each(memory);
        (*ended)++;
    }
    core_case_free(memory);
    core_case_free(stored);
    stf_buf_done(&body);
}

STF_TEST(a_stored_document_continues_exactly_as_one_in_memory)
{
    stf_value *variables[3] = {core_case_json("{\"v\": 1}"), core_case_json("{\"v\": 3}"),
                               core_case_json("{\"v\": 9, \"w\": [1, \"x\"]}")};
    const char *chosen = getenv("STEPFAST_SEED");
    unsigned first = chosen != NULL ? (unsigned)strtoul(chosen, NULL, 10) : 0;
    unsigned count = chosen != NULL ? 1 : SEEDS;
    size_t ended = 0;
    for (unsigned seed = first; seed < first + count; seed++) {
        play(seed, variables, &ended);
    }
    if (chosen == NULL) {
        ck_assert_uint_gt(ended, SEEDS / 10); /* the runs go somewhere */
    }
    for (size_t i = 0; i < 3; i++) {
        stf_value_unref(variables[i]);
    }
}

static const stf_test_case cases[] = {
    STF_CASE(a_stored_document_continues_exactly_as_one_in_memory),
};

STF_TEST_MAIN("core/random", cases)
