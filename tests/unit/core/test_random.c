/* SPDX-License-Identifier: Apache-2.0 */
/* Random small processes under random events, from printed seeds. Two copies of each run side by
 * side: one lives on in memory, the other goes through its stored form after every step. They must
 * stay equal byte by byte, and every step keeps the invariants, R8 (core_case.c), and what the
 * model says about scopes; inclusive joins must have somebody to wait for (join_oracle.h).
 * STEPFAST_SEED=n plays one seed; with STEPFAST_SEEDS=m, m from there. */
#include "join_oracle.h"

#include <stdarg.h>

enum {
    SEEDS = 300,
    STEPS = 60,
    NODES_MAX = 9,
    DEPTH_MAX = 3
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

#define MESSAGE "<messageEventDefinition messageRef='M%u'/>"
#define ERROR "<errorEventDefinition%s/>"

static const char around[] = "<message id='M0' name='m0'/><message id='M1' name='m1'/>"
                             "<error id='E0' errorCode='e0'/><error id='E1' errorCode='e1'/>";

/* R0 is no number of times, so without one is "R". */
static void make_timer(stf_buf *text)
{
    append(text, "<timerEventDefinition>");
    uint32_t kind = draw(3);
    if (kind == 0) {
        append(text, "<timeCycle>R%s/PT%uS</timeCycle>", draw(2) == 0 ? "" : "3", 1 + draw(9));
    } else {
        append(text, "<timeDuration>PT%uS</timeDuration>", draw(20));
    }
    append(text, "</timerEventDefinition>");
}

static void make_event(stf_buf *text)
{
    if (draw(2) == 0) {
        make_timer(text);
    } else {
        append(text, MESSAGE, draw(2));
    }
}

static const char *draw_error(void)
{
    static const char *const refs[] = {" errorRef='E0'", " errorRef='E1'", ""};
    return refs[draw(3)];
}

/* One body: of the process, or of a sub-process. Its nodes are n<first> to n<first + count - 1>. */
typedef struct body {
    uint32_t first;
    uint32_t count;
    uint32_t depth; /* 0: the process */
} body;

static uint32_t next_node;
static uint32_t next_flow;

static void make_flow(stf_buf *text, char source, uint32_t from, uint32_t to)
{
    append(text, "<sequenceFlow id='f%u' sourceRef='%c%u' targetRef='n%u'>", next_flow++, source,
           from, to);
    if (source == 'n' && draw(3) == 0) {
        append(text, "<conditionExpression>${v %s %u}</conditionExpression>",
               draw(2) == 0 ? "&gt;" : "&lt;=", draw(5));
    }
    append(text, "</sequenceFlow>");
}

/* A boundary event of n<host>, which leads somewhere in the same body. */
static void make_boundary(stf_buf *text, const body *in, uint32_t host, bool has_errors)
{
    uint32_t kind = draw(has_errors ? 4 : 2);
    append(text, "<boundaryEvent id='b%u' attachedToRef='n%u' cancelActivity='%s'>", host, host,
           kind >= 2 || draw(2) == 0 ? "true" : "false");
    if (kind == 0) {
        make_timer(text);
    } else if (kind == 1) {
        append(text, MESSAGE, draw(2));
    } else {
        append(text, ERROR, draw_error());
    }
    append(text, "</boundaryEvent>");
    make_flow(text, 'b', host, in->first + draw(in->count));
}

static void make_body(stf_buf *text, body in);

static void make_sub_process(stf_buf *text, const body *in, uint32_t index)
{
    body inner = {.count = 1 + draw(4), .depth = in->depth + 1};
    inner.first = next_node;
    next_node += inner.count;
    append(text, "<subProcess id='n%u'>", index);
    if (draw(3) == 0) {
        append(text, "<property id='P%u' name='v'/>", index);
    }
    make_body(text, inner);
    append(text, "</subProcess>");
}

static bool make_end(stf_buf *text, uint32_t index)
{
    append(text, "<endEvent id='n%u'>", index);
    uint32_t kind = draw(6);
    if (kind == 0) {
        append(text, "<terminateEventDefinition/>");
    } else if (kind <= 3) {
        append(text, ERROR, draw(2) == 0 ? " errorRef='E0'" : " errorRef='E1'");
    }
    append(text, "</endEvent>");
    return false;
}

static void make_task(stf_buf *text, uint32_t kind, uint32_t index)
{
    append(text, "<%s id='n%u'%s/>", kind == 1 ? "userTask" : "serviceTask", index,
           kind == 3 ? " stepfast:idempotent='true'" : "");
}

/* With arms a<index> and c<index>, which lead somewhere in the same body. */
static bool make_event_gateway(stf_buf *text, const body *in, uint32_t index)
{
    append(text, "<eventBasedGateway id='n%u'/>", index);
    for (unsigned i = 0; i < 2; i++) {
        char arm = i == 0 ? 'a' : 'c';
        append(text, "<intermediateCatchEvent id='%c%u'>", arm, index);
        make_event(text);
        append(text,
               "</intermediateCatchEvent>"
               "<sequenceFlow id='f%u' sourceRef='n%u' targetRef='%c%u'/>",
               next_flow++, index, arm, index);
        make_flow(text, arm, index, in->first + draw(in->count));
    }
    return false;
}

/* One node; returns whether it may have outgoing flows. */
static bool make_node(stf_buf *text, const body *in, uint32_t index)
{
    static const char *const simple[] = {"task", "exclusiveGateway", "parallelGateway",
                                         "parallelGateway", "inclusiveGateway"};
    uint32_t kind = draw(21);
    if (kind >= 19) {
        return make_event_gateway(text, in, index);
    }
    if (kind >= 11 && kind <= 16 && in->depth == DEPTH_MAX) {
        kind = 2;
    }
    if (kind == 17) {
        kind = 8;
    }
    if (kind == 18) {
        append(text, "<receiveTask id='n%u'%s/>", index, draw(2) == 0 ? " messageRef='M0'" : "");
    } else if (kind >= 1 && kind <= 3) {
        make_task(text, kind, index);
    } else if (kind >= 4 && kind <= 8) {
        append(text, "<%s id='n%u'/>", simple[kind - 4], index);
        return true;
    } else if (kind == 9) {
        append(text, "<intermediateCatchEvent id='n%u'>", index);
        make_event(text);
        append(text, "</intermediateCatchEvent>");
        return true;
    } else if (kind == 0 || kind == 10) {
        return make_end(text, index);
    } else {
        make_sub_process(text, in, index);
    }
    if (draw(4) != 0) {
        make_boundary(text, in, index, kind != 1 && kind != 18);
    }
    return true;
}

/* Not deeper than DEPTH_MAX. */
static void make_body(stf_buf *text, body in)
{
    for (uint32_t i = 0; i < in.count; i++) {
        uint32_t outgoing = make_node(text, &in, in.first + i) ? draw(4) : 0;
        for (uint32_t k = 0; k < outgoing; k++) {
            /* Mostly forward, so that runs end. */
            uint32_t target = draw(5) == 0 ? draw(in.count) : i + 1 + draw(3);
            make_flow(text, 'n', in.first + i,
                      in.first + (target < in.count ? target : in.count - 1));
        }
    }
    append(text, "<startEvent id='s%u'/>", in.first);
    make_flow(text, 's', in.first, in.first);
}

static void make_process(stf_buf *text)
{
    body whole = {.count = 3 + draw(NODES_MAX - 2)};
    next_node = whole.count;
    next_flow = 0;
    make_body(text, whole);
}

/* The activation of a random entry of the document, or one that never was. */
static uint64_t draw_activation(const stf__doc *doc)
{
    if (doc->activation_count == 0 || draw(10) == 0) {
        return draw(30);
    }
    return doc->activations[draw((uint32_t)doc->activation_count)]->number;
}

static void draw_answer(stf__event *event, const core_case *c)
{
    static const char *const codes[] = {"e0", "e1", "E"};
    stf__work_item item = {.activation = draw_activation(c->doc), .attempt = 1 + draw(2)};
    for (uint64_t after = 0; draw(4) != 0 && stf__doc_next_work(c->doc, after, &item);) {
        after = item.activation;
    }
    event->activation = item.activation;
    event->attempt = item.attempt;
    event->incarnation = event->kind == STF__EVENT_WORK && draw(3) == 0 ? 1 + draw(3) : 0;
    event->outcome = (stf__work_outcome)(draw(3) == 0 ? 1 + draw(4) : 1 + draw(2));
    event->code = stf_str_of(codes[draw(3)]);
    event->message = stf_str_of("why");
}

static void draw_incident(stf__event *event, const core_case *c)
{
    static const stf__event_kind kinds[] = {STF__EVENT_RETRY, STF__EVENT_RETRY, STF__EVENT_RETRY,
                                            STF__EVENT_RESOLVE, STF__EVENT_DROP};
    draw_answer(event, c);
    event->kind = kinds[draw(5)];
    event->outcome = (stf__work_outcome)(1 + draw(3));
    if (c->doc->incident_count > 0) {
        event->incident = c->doc->incidents[draw((uint32_t)c->doc->incident_count)].number;
    }
}

static stf__event draw_event(const core_case *c, stf_value *const *variables)
{
    static const stf__event_kind kinds[] = {
        STF__EVENT_WAKE, STF__EVENT_WAKE,    STF__EVENT_TASK,    STF__EVENT_TASK,
        STF__EVENT_WORK, STF__EVENT_WORK,    STF__EVENT_RECOVER, STF__EVENT_RETRY,
        STF__EVENT_JOB,  STF__EVENT_MESSAGE, STF__EVENT_MESSAGE, STF__EVENT_VARIABLES};
    stf__event event = {.kind = kinds[draw(STF_COUNT_OF(kinds))],
                        .variables = draw(2) == 0 ? variables[draw(3)] : NULL};
    if (draw(100) == 0) {
        event.kind = STF__EVENT_CANCEL;
        event.message = stf_str_of("enough");
    } else if (event.kind == STF__EVENT_TASK) {
        event.activation = draw_activation(c->doc);
    } else if (event.kind == STF__EVENT_WORK || event.kind == STF__EVENT_JOB) {
        draw_answer(&event, c);
        event.retries = event.kind == STF__EVENT_JOB ? (int32_t)draw(3) - 1 : 0;
    } else if (event.kind == STF__EVENT_RECOVER) {
        event.incarnation = 1 + draw(4);
    } else if (event.kind == STF__EVENT_RETRY) {
        draw_incident(&event, c);
    } else if (event.kind == STF__EVENT_MESSAGE) {
        event.name = stf_str_of(draw(2) == 0 ? "m0" : "m1");
    }
    return event;
}

/* ---- What the model says about every state, whoever stored it */

/* Is a scope of the document one of that node's? */
static bool is_scope_of(const core_case *c, uint64_t scope, stf_str element)
{
    const stf__node *node = stf__process_find_node(c->process, element);
    if (node == NULL || (scope == 0) != (node->scope == STF__NONE)) {
        return false;
    }
    const stf__activation *owner = stf__doc_find_activation(c->doc, scope);
    return scope == 0 || (owner != NULL && owner->active_for == STF__FOR_SCOPE &&
                          stf_str_equal(owner->element, c->process->nodes[node->scope].id));
}

static void check_scopes(const core_case *c, unsigned seed, unsigned step)
{
    const stf__doc *doc = c->doc;
    bool is_sound = true;
    for (size_t i = 0; i < doc->activation_count; i++) {
        const stf__activation *activation = doc->activations[i];
        is_sound = is_sound && is_scope_of(c, activation->scope, activation->element);
        is_sound = is_sound && (activation->active_for == STF__FOR_SCOPE) ==
                                   (stf__doc_find_scope(doc, activation->number) != NULL);
    }
    for (size_t i = 0; i < doc->parked_count; i++) {
        is_sound = is_sound && is_scope_of(c, doc->parked[i].scope, doc->parked[i].node);
    }
    for (size_t i = 0; i < doc->ready_count; i++) {
        const stf__token *token = &doc->ready[doc->ready_first + i];
        is_sound = is_sound && is_scope_of(c, token->scope, token->node);
    }
    ck_assert_msg(is_sound, "seed %u, step %u: something is in a scope that is not its own", seed,
                  step);
    for (size_t i = 1; doc->ready_count == 0 && i < doc->scope_count; i++) {
        ck_assert_msg(stf__doc_count_in_scope(doc, doc->scopes[i].number) > 0,
                      "seed %u, step %u: a sub-process is open with nothing left in it", seed,
                      step);
    }
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

/* What the runs came to. */
typedef struct tally {
    size_t ended;
    size_t failed;      /* by an error that nobody catches */
    size_t caught;      /* errors */
    size_t nested;      /* runs with a sub-process open inside another */
    size_t decided;     /* event-based gateways */
    size_t repeated;    /* timers that were armed again */
    size_t joined;      /* states with a token at an inclusive join */
    size_t opened;      /* inclusive joins */
    size_t interrupted; /* sub-processes and all that was in them */
} tally;

static void add_fact(tally *seen, const core_case *c, size_t index)
{
    const core_fact *fact = &c->facts[index];
    const stf__node *node = stf__process_find_node(c->process, stf_str_of(fact->element));
    uint32_t kind = node != NULL ? node->kind : (uint32_t)STF__ELEMENT_COUNT;
    bool is_done = fact->kind == STF_FACT_NODE_COMPLETED;
    seen->interrupted += fact->kind == STF_FACT_NODE_CANCELLED && kind == STF__SUB_PROCESS ? 1 : 0;
    seen->decided += is_done && kind == STF__GATEWAY_EVENT ? 1 : 0;
    seen->opened += is_done && kind == STF__GATEWAY_INCLUSIVE && node->incoming_count > 1 ? 1 : 0;
    seen->repeated += fact->kind == STF_FACT_TIMER_ARMED && index > 0 &&
                              fact[-1].kind == STF_FACT_TIMER_FIRED &&
                              strcmp(fact[-1].element, fact->element) == 0
                          ? 1
                          : 0;
}

static void add_to(tally *seen, const core_case *c, bool was_nested)
{
    seen->caught += core_case_count(c, STF_FACT_ERROR_CAUGHT, NULL);
    seen->failed += c->doc->end_how == STF__END_FAILED ? 1 : 0;
    seen->nested += was_nested ? 1 : 0;
    for (size_t i = 0; i < c->fact_count; i++) {
        add_fact(seen, c, i);
    }
}

static void play(unsigned seed, stf_value *const *variables, tally *seen)
{
    stf_buf text;
    draw_state = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    stf_buf_init(&text, NULL);
    make_process(&text);
    core_case *memory = core_case_load_in(around, stf_buf_c_str(&text));
    core_case *stored = core_case_load_in(around, stf_buf_c_str(&text));
    char label[32];
    snprintf(label, sizeof(label), "seed %u: ", seed);
    memory->label = stored->label = label;
    memory->keeps_document = true;
    memory->step_budget = stored->step_budget = 1 + draw(40);
    stf__event event = {.kind = STF__EVENT_START, .variables = variables[draw(3)]};
    bool was_nested = false;
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
        check_scopes(stored, seed, step);
        seen->joined += join_oracle_check(stored, label) > 0 ? 1 : 0;
        const stf__doc *doc = stored->doc;
        was_nested = was_nested || doc->scopes[doc->scope_count - 1].parent != 0;
        memory->now.us += SECONDS(draw(8));
        stored->now = memory->now;
        memory->incarnation = stored->incarnation = 1 + draw(4);
        event = draw_event(memory, variables);
    }
    if (stf__doc_has_ended(memory->doc)) {
        core_case_expect_one_end_each(memory);
        seen->ended++;
    }
    add_to(seen, memory, was_nested);
    core_case_free(memory);
    core_case_free(stored);
    stf_buf_done(&text);
}

static unsigned read_number(const char *name, unsigned otherwise)
{
    const char *text = getenv(name);
    return text != NULL ? (unsigned)strtoul(text, NULL, 10) : otherwise;
}

STF_TEST(a_stored_document_continues_exactly_as_one_in_memory)
{
    stf_value *variables[3] = {core_case_json("{\"v\": 1}"), core_case_json("{\"v\": 3}"),
                               core_case_json("{\"v\": 9, \"w\": [1, \"x\"]}")};
    unsigned first = read_number("STEPFAST_SEED", 0);
    unsigned count = read_number("STEPFAST_SEEDS", getenv("STEPFAST_SEED") != NULL ? 1 : SEEDS);
    tally seen = {.ended = 0};
    for (unsigned seed = first; seed < first + count; seed++) {
        play(seed, variables, &seen);
    }
    if (count >= SEEDS) { /* the runs go somewhere */
        ck_assert_uint_gt(seen.ended, SEEDS / 10);
        ck_assert_uint_gt(seen.caught, SEEDS / 10);
        ck_assert_uint_gt(seen.failed, SEEDS / 20);
        ck_assert_uint_gt(seen.nested, SEEDS / 10);
        ck_assert_uint_gt(seen.interrupted, SEEDS / 10);
        ck_assert_uint_gt(seen.decided, SEEDS / 10);
        ck_assert_uint_gt(seen.repeated, SEEDS / 10);
        ck_assert_uint_gt(seen.joined, SEEDS / 10);
        ck_assert_uint_gt(seen.opened, SEEDS / 10);
    }
    for (size_t i = 0; i < 3; i++) {
        stf_value_unref(variables[i]);
    }
}

static const stf_test_case cases[] = {
    STF_CASE(a_stored_document_continues_exactly_as_one_in_memory),
};

STF_TEST_MAIN("core/random", cases)
