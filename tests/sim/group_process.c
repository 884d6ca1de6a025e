/* SPDX-License-Identifier: Apache-2.0 */
/* Random processes of every element that is executed, made so that what they show at rest does not
 * depend on who was faster: conditions read what the start gave, a branch that is cut off waits
 * for what never comes, a message either is kept or has a receiver that waits already. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim/group.h"

enum {
    DEPTH_MAX = 3
};

typedef struct generator {
    sim_random *random;
    group_plan *plan;
    stf_buf outside; /* messages and errors */
    stf_buf inside;  /* processes */
    int nodes;
    int flows;
    int left;      /* blocks that may still be made */
    bool is_child; /* of a called process: nobody outside acts on it */
    bool is_called[8];
} generator;

/* What one enters and what one leaves. */
typedef struct block {
    int entry;
    int exit;
} block;

static block make_block(generator *g, int depth);

/* ---- Text ------------------------------------------------------------------------------------ */

static void append(stf_buf *text, const char *format, va_list arguments)
{
    char line[512];
    int size = vsnprintf(line, sizeof(line), format, arguments);
    if (size < 0 || size >= (int)sizeof(line) ||
        stf_buf_append(text, line, (size_t)size) != STF_OK) {
        abort();
    }
}

static void put(generator *g, const char *format, ...) STF_PRINTF(2, 3);
static void put(generator *g, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    append(&g->inside, format, arguments);
    va_end(arguments);
}

static void declare(generator *g, const char *format, ...) STF_PRINTF(2, 3);
static void declare(generator *g, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    append(&g->outside, format, arguments);
    va_end(arguments);
}

static void flow(generator *g, int from, int to)
{
    put(g, "<sequenceFlow id='f%d' sourceRef='n%d' targetRef='n%d'/>\n", g->flows++, from, to);
}

static void flow_if(generator *g, int number, int from, int to, const char *condition)
{
    put(g,
        "<sequenceFlow id='f%d' sourceRef='n%d' targetRef='n%d'><conditionExpression>%s"
        "</conditionExpression></sequenceFlow>\n",
        number, from, to, condition);
}

/* An element without content. */
static int node(generator *g, const char *element)
{
    put(g, "<%s id='n%d'/>\n", element, g->nodes);
    return g->nodes++;
}

static bool chance(generator *g, uint32_t percent)
{
    return sim_chance(g->random, percent);
}

/* Of what the start gave and nothing writes. */
static const char *draw_condition(generator *g)
{
    static const char *const conditions[] = {"a &gt; 3",    "a &lt; 7",    "b",
                                             "not(b)",      "s = \"x\"",   "${a &gt;= 5}",
                                             "${s == 'y'}", "a * 2 &gt; 9"};
    return conditions[sim_draw(g->random, sizeof(conditions) / sizeof(conditions[0]))];
}

static void timer_text(generator *g)
{
    put(g, "<timerEventDefinition><timeDuration>PT%uH</timeDuration></timerEventDefinition>",
        10 * (1 + sim_draw(g->random, 80)));
}

/* ---- Work ------------------------------------------------------------------------------------ */

/* delta ends in the BPMN error E1, beta fails a few times, gamma does not know, only engine "two"
 * serves theta. */
static const char *draw_topic(generator *g)
{
    static const char *const topics[] = {"alpha", "alpha", "alpha", "alpha",
                                         "theta", "beta",  "beta",  "gamma"};
    const char *topic = topics[sim_draw(g->random, sizeof(topics) / sizeof(topics[0]))];
    return topic[0] == 't' && g->plan->engines == 1 ? "alpha" : topic;
}

static int work(generator *g, const char *topic)
{
    static const char *const elements[] = {"serviceTask", "sendTask", "scriptTask",
                                           "businessRuleTask"};
    put(g, "<%s id='n%d' stepfast:handler='%s'%s", elements[sim_draw(g->random, 4)], g->nodes,
        topic, g->plan->is_idempotent ? " stepfast:idempotent='true'" : "");
    if (chance(g, 40)) {
        put(g, " stepfast:retries='%u'", 1 + sim_draw(g->random, 2));
        /* A crash turns work that may not be repeated into an incident, whose manual retry begins
         * a new round of automatic ones: their delays would differ. */
        if (g->plan->is_idempotent && chance(g, 60)) {
            put(g,
                " stepfast:retryDelay='PT%uH' stepfast:retryFactor='2' stepfast:retryMax='PT305H'",
                5 + 10 * sim_draw(g->random, 20));
        } else if (g->plan->is_idempotent) {
            put(g, " stepfast:retryDelay='PT5H' stepfast:retryJitter='1'");
        }
    }
    put(g, "/>\n");
    return g->nodes++;
}

static void boundary_open(generator *g, int of, bool is_interrupting)
{
    put(g, "<boundaryEvent id='n%d' attachedToRef='n%d'%s>", g->nodes++, of,
        is_interrupting ? "" : " cancelActivity='false'");
}

/* A path of its own, or one that meets the activity's. */
static void leave_boundary(generator *g, int boundary, int merge, bool is_interrupting)
{
    int last = boundary;
    if (chance(g, 60)) {
        last = work(g, "alpha");
        flow(g, boundary, last);
    }
    flow(g, last, is_interrupting && chance(g, 70) ? merge : node(g, "endEvent"));
}

/* What nobody but the outside sends; its name says so. */
static void outside_message(generator *g, int of)
{
    declare(g, "<message id='mw%d' name='w_n%d' stepfast:correlationKey='me'/>\n", of, of);
    put(g, "<messageEventDefinition messageRef='mw%d'/>", of);
}

/* One that catches all would cut off a scope by an error that has an incident otherwise. */
static void error_boundary(generator *g, int of, const char *code, bool may_catch_all, int merge)
{
    int boundary = g->nodes;
    boundary_open(g, of, true);
    if (!may_catch_all || chance(g, 60)) {
        put(g, "<errorEventDefinition errorRef='%s' stepfast:errorCodeVariable='code_n%d'/>", code,
            boundary);
    } else {
        put(g, "<errorEventDefinition/>");
    }
    put(g, "</boundaryEvent>\n");
    leave_boundary(g, boundary, merge, true);
}

static void outside_boundary(generator *g, int of, int merge)
{
    int boundary = g->nodes;
    bool is_interrupting = chance(g, 60);
    uint32_t which = sim_draw(g->random, 3);
    boundary_open(g, of, is_interrupting);
    if (which == 0) {
        outside_message(g, boundary);
    } else if (which == 1 && !is_interrupting) {
        put(g, "<timerEventDefinition><timeCycle>R%u/PT%uH</timeCycle></timerEventDefinition>",
            2 + sim_draw(g->random, 2), 10 * (1 + sim_draw(g->random, 50)));
    } else {
        timer_text(g);
    }
    put(g, "</boundaryEvent>\n");
    leave_boundary(g, boundary, merge, is_interrupting);
}

static block make_work(generator *g)
{
    if (!chance(g, 15)) {
        int one = work(g, draw_topic(g));
        return (block){one, one};
    }
    int one = work(g, "delta");
    int merge = node(g, "task");
    flow(g, one, merge);
    if (g->is_child || chance(g, 85)) { /* uncaught it would end a called instance */
        error_boundary(g, one, "e1", true, merge);
    }
    return (block){one, merge};
}

static block make_user(generator *g)
{
    int one = node(g, "userTask");
    if (!chance(g, 50)) {
        return (block){one, one};
    }
    int merge = node(g, "task");
    flow(g, one, merge);
    outside_boundary(g, one, merge);
    if (chance(g, 30)) {
        outside_boundary(g, one, merge);
    }
    return (block){one, merge};
}

static block make_catch(generator *g)
{
    int one = g->nodes++;
    if (chance(g, 40)) {
        put(g, "<intermediateCatchEvent id='n%d'>", one);
        timer_text(g);
        put(g, "</intermediateCatchEvent>\n");
    } else if (chance(g, 50)) {
        put(g, "<intermediateCatchEvent id='n%d'>", one);
        outside_message(g, one);
        put(g, "</intermediateCatchEvent>\n");
    } else {
        declare(g, "<message id='mw%d' name='w_n%d' stepfast:correlationKey='me'/>\n", one, one);
        put(g, "<receiveTask id='n%d' messageRef='mw%d'/>\n", one, one);
    }
    return (block){one, one};
}

static block make_event_gateway(generator *g)
{
    int gateway = node(g, "eventBasedGateway");
    int merge = node(g, "task");
    uint32_t arms = 2 + sim_draw(g->random, 2);
    for (uint32_t i = 0; i < arms; i++) {
        int arm = g->nodes++;
        put(g, "<intermediateCatchEvent id='n%d'>", arm);
        if (i == 0) {
            timer_text(g);
        } else {
            outside_message(g, arm);
        }
        put(g, "</intermediateCatchEvent>\n");
        flow(g, gateway, arm);
        int last = arm;
        if (chance(g, 50)) {
            last = work(g, "alpha");
            flow(g, arm, last);
        }
        flow(g, last, merge);
    }
    return (block){gateway, merge};
}

/* ---- Messages of its own --------------------------------------------------------------------- */

static int send_message(generator *g, const char *message, int value)
{
    static const char *const forms[] = {"sendTask", "intermediateThrowEvent"};
    int one = g->nodes++;
    uint32_t form = sim_draw(g->random, 2);
    if (form == 0) {
        put(g, "<sendTask id='n%d' messageRef='%s'>", one, message);
    } else {
        put(g, "<intermediateThrowEvent id='n%d'><messageEventDefinition messageRef='%s'/>", one,
            message);
    }
    put(g,
        "<extensionElements><stepfast:in sourceExpression='=%d' target='q_%s'/>"
        "</extensionElements></%s>\n",
        value, message, forms[form]);
    return one;
}

static int catch_message(generator *g, const char *message)
{
    int one = g->nodes++;
    put(g,
        "<intermediateCatchEvent id='n%d'><messageEventDefinition messageRef='%s'/>"
        "</intermediateCatchEvent>\n",
        one, message);
    return one;
}

/* The value that was sent as the n-th has to come as the n-th. */
static int check_order(generator *g, int from, const char *message, int value)
{
    char condition[64];
    int check = g->nodes++;
    int wrong = node(g, "manualTask");
    int merge = node(g, "task");
    put(g, "<exclusiveGateway id='n%d' default='f%d'/>\n", check, g->flows);
    flow(g, check, wrong);
    flow(g, wrong, merge);
    snprintf(condition, sizeof(condition), "q_%s = %d", message, value);
    flow_if(g, g->flows++, check, merge, condition);
    flow(g, from, check);
    return merge;
}

/* One branch sends a few, the other takes as many: of its own instance or of the other one. */
static block make_exchange(generator *g)
{
    char out[24];
    char in[24];
    int split = node(g, "parallelGateway");
    int join = node(g, "parallelGateway");
    bool is_cross = !g->is_child && chance(g, 40);
    bool is_kept = is_cross || g->is_child || chance(g, 60);
    int count = is_kept ? 1 + (int)sim_draw(g->random, 3) : 1;
    snprintf(out, sizeof(out), "mo%d", split);
    snprintf(in, sizeof(in), is_cross ? "mi%d" : "mo%d", split);
    declare(g, "<message id='%s' name='m_n%d' stepfast:correlationKey='%s'%s/>\n", out, split,
            is_cross ? "other" : "me", is_kept ? " stepfast:keep='PT90000H'" : "");
    if (is_cross) {
        declare(g, "<message id='%s' name='m_n%d' stepfast:correlationKey='me'/>\n", in, split);
    }
    int last = split;
    if (!is_kept || (!g->is_child && chance(g, 40))) {
        int user = node(g, "userTask"); /* at rest the other branch waits */
        flow(g, last, user);
        last = user;
    }
    for (int i = 0; i < count; i++) {
        int one = send_message(g, out, i);
        flow(g, last, one);
        last = one;
    }
    flow(g, last, join);
    last = split;
    for (int i = 0; i < count; i++) {
        int one = catch_message(g, in);
        flow(g, last, one);
        last = check_order(g, one, out, i);
    }
    flow(g, last, join);
    return (block){split, join};
}

/* ---- Calls ----------------------------------------------------------------------------------- */

/* c1 and c4 complete, c2 throws the error e2, c3 waits for ever, c5's work ends in e1. */
static int call(generator *g, const char *process)
{
    int one = g->nodes++;
    g->is_called[process[0] == 'c' ? process[1] - '0' : 0] = true;
    put(g,
        "<callActivity id='n%d' calledElement='%s'><extensionElements>"
        "<stepfast:in source='a' target='a'/><stepfast:in source='b' target='b'/>"
        "<stepfast:in source='s' target='s'/>"
        "<stepfast:in sourceExpression='=me + \"-n%d\"' target='me'/>"
        "<stepfast:in sourceExpression='=a * 2' target='twice'/>"
        "<stepfast:out source='%s_out' target='got_n%d'/>"
        "</extensionElements></callActivity>\n",
        one, process, one, process, one);
    return one;
}

static block make_call(generator *g)
{
    static const char *const called[] = {"c1", "c4", "c1", "c4", "c2", "c5"};
    uint32_t which = sim_draw(g->random, 6);
    if (chance(g, 4)) {
        int one = call(g, "nowhere"); /* an incident that is dropped */
        return (block){one, one};
    }
    int one = call(g, called[which]);
    if (which < 4) {
        return (block){one, one};
    }
    int merge = node(g, "task");
    flow(g, one, merge);
    if (which == 4 || chance(g, 80)) {
        error_boundary(g, one, which == 4 ? "e2" : "e1", true, merge);
    }
    return (block){one, merge};
}

/* ---- Sub-processes --------------------------------------------------------------------------- */

/* Something that waits for what never comes, until its scope is cut off. */
static int wait_for_ever(generator *g)
{
    int one = g->nodes;
    switch (sim_draw(g->random, 3)) {
    case 0:
        return catch_message(g, "never");
    case 1:
        put(g, "<receiveTask id='n%d' messageRef='never'/>\n", g->nodes++);
        return one;
    default:
        return call(g, "c3");
    }
}

/* Cut off from inside: by an error that its boundary event catches, or by a terminate end. */
static block make_doomed(generator *g, int depth)
{
    int sub = g->nodes++;
    bool has_error = chance(g, 60);
    put(g, "<subProcess id='n%d'>\n", sub);
    int start = node(g, "startEvent");
    int split = node(g, "parallelGateway");
    flow(g, start, split);
    uint32_t waiters = 1 + sim_draw(g->random, 2);
    int join = waiters == 2 ? node(g, "parallelGateway") : node(g, "task");
    for (uint32_t i = 0; i < waiters; i++) {
        int waiter = wait_for_ever(g);
        flow(g, split, waiter);
        flow(g, waiter, join);
    }
    if (waiters == 2) {
        flow(g, split, join); /* a token that is parked when the scope goes */
    }
    flow(g, join, node(g, "endEvent"));
    block body = make_block(g, depth + 1);
    flow(g, split, body.entry);
    int last = g->nodes++;
    put(g, "<endEvent id='n%d'>%s</endEvent>\n", last,
        has_error ? "<errorEventDefinition errorRef='e3'/>" : "<terminateEventDefinition/>");
    flow(g, body.exit, last);
    put(g, "</subProcess>\n");
    int merge = node(g, "task");
    flow(g, sub, merge);
    if (has_error) {
        error_boundary(g, sub, "e3", false, merge);
    }
    return (block){sub, merge};
}

static block make_sub_process(generator *g, int depth)
{
    int sub = g->nodes++;
    put(g, "<subProcess id='n%d'>\n", sub);
    int start = node(g, "startEvent");
    bool waits = !g->is_child && chance(g, 50);
    block first = waits ? make_user(g) : make_work(g);
    block second = make_block(g, depth + 1);
    flow(g, start, first.entry);
    flow(g, first.exit, second.entry);
    flow(g, second.exit, node(g, "endEvent"));
    put(g, "<dataObject id='d%d' name='v_n%d'/>\n</subProcess>\n", sub, first.entry);
    int merge = node(g, "task");
    flow(g, sub, merge);
    if (waits) {
        outside_boundary(g, sub, merge);
    }
    return (block){sub, merge};
}

/* ---- Blocks of blocks ------------------------------------------------------------------------ */

static block make_sequence(generator *g, int depth)
{
    block first = make_block(g, depth + 1);
    block second = make_block(g, depth + 1);
    flow(g, first.exit, second.entry);
    return (block){first.entry, second.exit};
}

static block make_branches(generator *g, int depth, const char *gateway, bool has_conditions)
{
    uint32_t count = 2 + sim_draw(g->random, 2);
    int split = g->nodes++;
    int join = node(g, gateway);
    int otherwise = g->flows++;
    if (has_conditions) {
        put(g, "<%s id='n%d' default='f%d'/>\n", gateway, split, otherwise);
        put(g, "<sequenceFlow id='f%d' sourceRef='n%d' targetRef='n%d'/>\n", otherwise, split,
            join);
    } else {
        put(g, "<%s id='n%d'/>\n", gateway, split);
    }
    for (uint32_t i = 0; i < count; i++) {
        block branch = make_block(g, depth + 1);
        if (has_conditions) {
            flow_if(g, g->flows++, split, branch.entry, draw_condition(g));
        } else {
            flow(g, split, branch.entry);
        }
        flow(g, branch.exit, join);
    }
    return (block){split, join};
}

/* Left when its task has run a few times. */
static block make_loop(generator *g, int depth)
{
    char condition[64];
    int head = node(g, "task");
    block body = make_block(g, depth + 1);
    int counter = work(g, "alpha");
    int decide = g->nodes++;
    int out = node(g, "task");
    flow(g, head, body.entry);
    flow(g, body.exit, counter);
    flow(g, counter, decide);
    put(g, "<exclusiveGateway id='n%d' default='f%d'/>\n", decide, g->flows);
    flow(g, decide, out);
    snprintf(condition, sizeof(condition), "modulo(k_n%d, 2) = 1", counter);
    flow_if(g, g->flows++, decide, head, condition);
    return (block){head, out};
}

static block make_leaf(generator *g)
{
    uint32_t which = sim_draw(g->random, 100);
    if (which < 40 || (g->is_child && which < 70)) {
        return make_work(g);
    }
    if (which < 55 && !g->is_child) {
        return make_user(g);
    }
    if (which < 70 && !g->is_child) {
        return make_catch(g);
    }
    if (which < 80) {
        return g->is_child ? make_exchange(g) : make_call(g);
    }
    return make_exchange(g);
}

static block make_block(generator *g, int depth)
{
    uint32_t which = sim_draw(g->random, 100);
    if (g->left <= 0 || depth >= DEPTH_MAX || which < 30) {
        g->left -= g->left > 0 ? 1 : 0;
        return make_leaf(g);
    }
    g->left--;
    if (which < 42) {
        return make_sequence(g, depth);
    }
    if (which < 50) {
        return make_branches(g, depth, "exclusiveGateway", true);
    }
    if (which < 58) {
        return make_branches(g, depth, "inclusiveGateway", true);
    }
    if (which < 66) {
        return make_branches(g, depth, "parallelGateway", false);
    }
    if (which < 72) {
        return make_loop(g, depth);
    }
    if (which < 78 && !g->is_child) {
        return make_event_gateway(g);
    }
    return which < 88 ? make_sub_process(g, depth) : make_doomed(g, depth);
}

/* ---- Processes ------------------------------------------------------------------------------- */

static void end_process(generator *g, int last)
{
    uint32_t which = sim_draw(g->random, 10);
    int one = g->nodes++;
    const char *content = "";
    if (which == 0) {
        content = "<terminateEventDefinition/>";
    } else if (which == 1) {
        content = "<errorEventDefinition errorRef='e9'/>";
    } else if (which == 2) {
        content = "<messageEventDefinition messageRef='nobody'/>";
    }
    put(g, "<endEvent id='n%d'>%s</endEvent>\n", one, content);
    flow(g, last, one);
}

static void make_called(generator *g, const char *id, const char *end)
{
    put(g, "<process id='%s' isExecutable='true'>\n", id);
    int start = node(g, "startEvent");
    int last = g->nodes;
    if (id[1] == '3') {
        last = catch_message(g, "never");
    } else {
        put(g, "<scriptTask id='n%d' stepfast:handler='out.%s'%s/>\n", g->nodes++, id,
            g->plan->is_idempotent ? " stepfast:idempotent='true'" : "");
    }
    flow(g, start, last);
    if (id[1] == '4') {
        block body = make_block(g, 1);
        flow(g, last, body.entry);
        last = body.exit;
    }
    int one = g->nodes++;
    put(g, "<endEvent id='n%d'>%s</endEvent>\n", one, end);
    flow(g, last, one);
    put(g, "</process>\n");
}

static void assemble(generator *g)
{
    static const char head[] =
        "<definitions xmlns='http://www.omg.org/spec/BPMN/20100524/MODEL' "
        "xmlns:stepfast='https://stepfast.dev/bpmn' targetNamespace='sim'>\n"
        "<error id='e1' errorCode='E1'/><error id='e2' errorCode='E2'/>"
        "<error id='e3' errorCode='E3'/><error id='e9' errorCode='E9'/>\n"
        "<message id='never' name='never' stepfast:correlationKey='me'/>"
        "<message id='nobody' name='nobody' stepfast:correlationKey='me'/>\n";
    stf_buf *text = &g->plan->text;
    if (stf_buf_append_str(text, stf_str_of(head)) != STF_OK ||
        stf_buf_append_str(text, stf_buf_str(&g->outside)) != STF_OK ||
        stf_buf_append_str(text, stf_buf_str(&g->inside)) != STF_OK ||
        stf_buf_append_str(text, stf_str_of("</definitions>\n")) != STF_OK) {
        abort();
    }
    stf_buf_done(&g->outside);
    stf_buf_done(&g->inside);
}

void group_process_write(group_plan *plan, sim_random *random)
{
    generator g = {.random = random, .plan = plan, .left = 3 + (int)sim_draw(random, 6)};
    stf_buf_init(&g.outside, NULL);
    stf_buf_init(&g.inside, NULL);
    put(&g, "<process id='p' isExecutable='true'>\n");
    int start = node(&g, "startEvent");
    block body = make_sequence(&g, 0);
    block more = make_block(&g, 0);
    flow(&g, start, body.entry);
    flow(&g, body.exit, more.entry);
    end_process(&g, more.exit);
    put(&g, "</process>\n");
    g.is_child = true;
    g.left = 1 + (int)sim_draw(random, 2);
    const bool ends_all = chance(&g, 30);
    /* The last one is called by the others. */
    const struct {
        const char *id;
        const char *end;
    } called[] = {{"c4", ends_all ? "<terminateEventDefinition/>" : ""},
                  {"c1", ""},
                  {"c2", "<errorEventDefinition errorRef='e2'/>"},
                  {"c5", ""},
                  {"c3", ""}};
    for (size_t i = 0; i < sizeof(called) / sizeof(called[0]); i++) {
        if (g.is_called[called[i].id[1] - '0']) { /* each costs the loader a look at the file */
            make_called(&g, called[i].id, called[i].end);
        }
    }
    assemble(&g);
}
