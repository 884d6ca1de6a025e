/* SPDX-License-Identifier: Apache-2.0 */
/* Elements of random processes with what belongs to them: work, waits, boundary events, messages
 * and calls. A message either is kept or has a receiver that waits already. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim/group_process.h"

/* ---- Text ------------------------------------------------------------------------------------ */

STF_PRINTF(2, 0)
static void append(stf_buf *text, const char *format, va_list arguments)
{
    char line[512];
    int size = vsnprintf(line, sizeof(line), format, arguments);
    if (size < 0 || size >= (int)sizeof(line) ||
        stf_buf_append(text, line, (size_t)size) != STF_OK) {
        abort();
    }
}

void group_write_put(group_writer *g, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    append(&g->inside, format, arguments);
    va_end(arguments);
}

static void declare(group_writer *g, const char *format, ...) STF_PRINTF(2, 3);
static void declare(group_writer *g, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    append(&g->outside, format, arguments);
    va_end(arguments);
}

void group_write_flow(group_writer *g, int from, int to)
{
    group_write_put(g, "<sequenceFlow id='f%d' sourceRef='n%d' targetRef='n%d'/>\n", g->flows++,
                    from, to);
}

void group_write_flow_if(group_writer *g, int number, int from, int to, const char *condition)
{
    group_write_put(g,
                    "<sequenceFlow id='f%d' sourceRef='n%d' targetRef='n%d'><conditionExpression>%s"
                    "</conditionExpression></sequenceFlow>\n",
                    number, from, to, condition);
}

/* An element without content. */
int group_write_node(group_writer *g, const char *element)
{
    group_write_put(g, "<%s id='n%d'/>\n", element, g->nodes);
    return g->nodes++;
}

bool group_write_chance(group_writer *g, uint32_t percent)
{
    return sim_chance(g->random, percent);
}

/* Of what the start gave and nothing writes. */
const char *group_write_draw_condition(group_writer *g)
{
    static const char *const conditions[] = {"a &gt; 3",    "a &lt; 7",    "b",
                                             "not(b)",      "s = \"x\"",   "${a &gt;= 5}",
                                             "${s == 'y'}", "a * 2 &gt; 9"};
    return conditions[sim_draw(g->random, sizeof(conditions) / sizeof(conditions[0]))];
}

static void timer_text(group_writer *g)
{
    group_write_put(
        g, "<timerEventDefinition><timeDuration>PT%uH</timeDuration></timerEventDefinition>",
        10 * (1 + sim_draw(g->random, 80)));
}

/* ---- Work ------------------------------------------------------------------------------------ */

/* delta ends in the BPMN error E1, beta fails a few times, gamma does not know, only engine "two"
 * serves theta. */
static const char *draw_topic(group_writer *g)
{
    static const char *const topics[] = {"alpha", "alpha", "alpha", "alpha",
                                         "theta", "beta",  "beta",  "gamma"};
    const char *topic = topics[sim_draw(g->random, sizeof(topics) / sizeof(topics[0]))];
    return topic[0] == 't' && g->plan->engines == 1 ? "alpha" : topic;
}

int group_write_work(group_writer *g, const char *topic)
{
    static const char *const elements[] = {"serviceTask", "sendTask", "scriptTask",
                                           "businessRuleTask"};
    group_write_put(g, "<%s id='n%d' stepfast:handler='%s'%s", elements[sim_draw(g->random, 4)],
                    g->nodes, topic, g->plan->is_idempotent ? " stepfast:idempotent='true'" : "");
    if (group_write_chance(g, 40)) {
        group_write_put(g, " stepfast:retries='%u'", 1 + sim_draw(g->random, 2));
        /* A crash turns work that may not be repeated into an incident, whose manual retry begins
         * a new round of automatic ones: their delays would differ. */
        if (g->plan->is_idempotent && group_write_chance(g, 60)) {
            group_write_put(
                g,
                " stepfast:retryDelay='PT%uH' stepfast:retryFactor='2' stepfast:retryMax='PT305H'",
                5 + 10 * sim_draw(g->random, 20));
        } else if (g->plan->is_idempotent) {
            group_write_put(g, " stepfast:retryDelay='PT5H' stepfast:retryJitter='1'");
        }
    }
    group_write_put(g, "/>\n");
    return g->nodes++;
}

static void boundary_open(group_writer *g, int of, bool is_interrupting)
{
    group_write_put(g, "<boundaryEvent id='n%d' attachedToRef='n%d'%s>", g->nodes++, of,
                    is_interrupting ? "" : " cancelActivity='false'");
}

/* A path of its own, or one that meets the activity's. Work on a path that ends alone would race
 * with what the join behind the activity lets go on without it. */
static void leave_boundary(group_writer *g, int boundary, int merge, bool is_interrupting)
{
    int last = boundary;
    if (group_write_chance(g, 60)) {
        last = group_write_work(g, "alpha");
        group_write_flow(g, boundary, last);
    }
    bool ends = !is_interrupting || (last == boundary && group_write_chance(g, 40));
    group_write_flow(g, last, ends ? group_write_node(g, "endEvent") : merge);
}

/* What nobody but the outside sends; its name says so. */
static void outside_message(group_writer *g, int of)
{
    declare(g, "<message id='mw%d' name='w_n%d' stepfast:correlationKey='me'/>\n", of, of);
    group_write_put(g, "<messageEventDefinition messageRef='mw%d'/>", of);
}

/* One that catches all would cut off a scope by an error that has an incident otherwise. */
void group_write_error_boundary(group_writer *g, int of, const char *code, bool may_catch_all,
                                int merge)
{
    int boundary = g->nodes;
    boundary_open(g, of, true);
    if (!may_catch_all || group_write_chance(g, 60)) {
        group_write_put(
            g, "<errorEventDefinition errorRef='%s' stepfast:errorCodeVariable='code_n%d'/>", code,
            boundary);
    } else {
        group_write_put(g, "<errorEventDefinition/>");
    }
    group_write_put(g, "</boundaryEvent>\n");
    leave_boundary(g, boundary, merge, true);
}

void group_write_outside_boundary(group_writer *g, int of, int merge)
{
    int boundary = g->nodes;
    bool is_interrupting = group_write_chance(g, 60);
    uint32_t which = sim_draw(g->random, 3);
    boundary_open(g, of, is_interrupting);
    if (which == 0) {
        outside_message(g, boundary);
    } else if (which == 1 && !is_interrupting) {
        group_write_put(
            g, "<timerEventDefinition><timeCycle>R%u/PT%uH</timeCycle></timerEventDefinition>",
            2 + sim_draw(g->random, 2), 10 * (1 + sim_draw(g->random, 50)));
    } else {
        timer_text(g);
    }
    group_write_put(g, "</boundaryEvent>\n");
    leave_boundary(g, boundary, merge, is_interrupting);
}

group_block group_write_work_block(group_writer *g)
{
    if (!group_write_chance(g, 15)) {
        int one = group_write_work(g, draw_topic(g));
        return (group_block){one, one};
    }
    int one = group_write_work(g, "delta");
    int merge = group_write_node(g, "task");
    group_write_flow(g, one, merge);
    if (g->is_child || group_write_chance(g, 85)) { /* uncaught it would end a called instance */
        group_write_error_boundary(g, one, "e1", true, merge);
    }
    return (group_block){one, merge};
}

group_block group_write_user_block(group_writer *g)
{
    int one = group_write_node(g, "userTask");
    if (!group_write_chance(g, 50)) {
        return (group_block){one, one};
    }
    int merge = group_write_node(g, "task");
    group_write_flow(g, one, merge);
    group_write_outside_boundary(g, one, merge);
    if (group_write_chance(g, 30)) {
        group_write_outside_boundary(g, one, merge);
    }
    return (group_block){one, merge};
}

group_block group_write_catch_block(group_writer *g)
{
    int one = g->nodes++;
    if (group_write_chance(g, 40)) {
        group_write_put(g, "<intermediateCatchEvent id='n%d'>", one);
        timer_text(g);
        group_write_put(g, "</intermediateCatchEvent>\n");
    } else if (group_write_chance(g, 50)) {
        group_write_put(g, "<intermediateCatchEvent id='n%d'>", one);
        outside_message(g, one);
        group_write_put(g, "</intermediateCatchEvent>\n");
    } else {
        declare(g, "<message id='mw%d' name='w_n%d' stepfast:correlationKey='me'/>\n", one, one);
        group_write_put(g, "<receiveTask id='n%d' messageRef='mw%d'/>\n", one, one);
    }
    return (group_block){one, one};
}

group_block group_write_event_block(group_writer *g)
{
    int gateway = group_write_node(g, "eventBasedGateway");
    int merge = group_write_node(g, "task");
    uint32_t arms = 2 + sim_draw(g->random, 2);
    for (uint32_t i = 0; i < arms; i++) {
        int arm = g->nodes++;
        group_write_put(g, "<intermediateCatchEvent id='n%d'>", arm);
        if (i == 0) {
            timer_text(g);
        } else {
            outside_message(g, arm);
        }
        group_write_put(g, "</intermediateCatchEvent>\n");
        group_write_flow(g, gateway, arm);
        int last = arm;
        if (group_write_chance(g, 50)) {
            last = group_write_work(g, "alpha");
            group_write_flow(g, arm, last);
        }
        group_write_flow(g, last, merge);
    }
    return (group_block){gateway, merge};
}

/* ---- Messages of its own --------------------------------------------------------------------- */

static int send_message(group_writer *g, const char *message, int value)
{
    static const char *const forms[] = {"sendTask", "intermediateThrowEvent"};
    int one = g->nodes++;
    uint32_t form = sim_draw(g->random, 2);
    if (form == 0) {
        group_write_put(g, "<sendTask id='n%d' messageRef='%s'>", one, message);
    } else {
        group_write_put(
            g, "<intermediateThrowEvent id='n%d'><messageEventDefinition messageRef='%s'/>", one,
            message);
    }
    group_write_put(g,
                    "<extensionElements><stepfast:in sourceExpression='=%d' target='q_%s'/>"
                    "</extensionElements></%s>\n",
                    value, message, forms[form]);
    return one;
}

int group_write_catch(group_writer *g, const char *message)
{
    int one = g->nodes++;
    group_write_put(g,
                    "<intermediateCatchEvent id='n%d'><messageEventDefinition messageRef='%s'/>"
                    "</intermediateCatchEvent>\n",
                    one, message);
    return one;
}

/* The value that was sent as the n-th has to come as the n-th. */
static int check_order(group_writer *g, int from, const char *message, int value)
{
    char condition[64];
    int check = g->nodes++;
    int wrong = group_write_node(g, "manualTask");
    int merge = group_write_node(g, "task");
    group_write_put(g, "<exclusiveGateway id='n%d' default='f%d'/>\n", check, g->flows);
    group_write_flow(g, check, wrong);
    group_write_flow(g, wrong, merge);
    snprintf(condition, sizeof(condition), "q_%s = %d", message, value);
    group_write_flow_if(g, g->flows++, check, merge, condition);
    group_write_flow(g, from, check);
    return merge;
}

/* One branch sends a few, the other takes as many: of its own instance or of the other one. */
group_block group_write_exchange_block(group_writer *g)
{
    char out[24];
    char in[24];
    int split = group_write_node(g, "parallelGateway");
    int join = group_write_node(g, "parallelGateway");
    bool is_cross = !g->is_child && group_write_chance(g, 40);
    bool is_kept = is_cross || g->is_child || group_write_chance(g, 60);
    int count = is_kept ? 1 + (int)sim_draw(g->random, 3) : 1;
    snprintf(out, sizeof(out), "mo%d", split);
    snprintf(in, sizeof(in), is_cross ? "mi%d" : "mo%d", split);
    /* Instances called beside each other compete for what each of them sends once and takes once.
     */
    const char *own = g->is_child && group_write_chance(g, 60) ? "=&quot;kids&quot;" : "me";
    count = own[0] == '=' ? 1 : count;
    declare(g, "<message id='%s' name='m_n%d' stepfast:correlationKey='%s'%s/>\n", out, split,
            is_cross ? "other" : own, is_kept ? " stepfast:keep='PT90000H'" : "");
    if (is_cross) {
        declare(g, "<message id='%s' name='m_n%d' stepfast:correlationKey='me'/>\n", in, split);
    }
    int last = split;
    if (!is_kept || (!g->is_child && group_write_chance(g, 40))) {
        int user = group_write_node(g, "userTask"); /* at rest the other branch waits */
        group_write_flow(g, last, user);
        last = user;
    }
    for (int i = 0; i < count; i++) {
        int one = send_message(g, out, i);
        group_write_flow(g, last, one);
        last = one;
    }
    group_write_flow(g, last, join);
    last = split;
    for (int i = 0; i < count; i++) {
        int one = group_write_catch(g, in);
        group_write_flow(g, last, one);
        last = check_order(g, one, out, i);
    }
    group_write_flow(g, last, join);
    return (group_block){split, join};
}

/* ---- Calls ----------------------------------------------------------------------------------- */

/* c1 and c4 complete, c2 throws the error e2, c3 waits for ever, c5's work ends in e1. */
int group_write_call(group_writer *g, const char *process)
{
    int one = g->nodes++;
    g->is_called[process[0] == 'c' ? process[1] - '0' : 0] = true;
    group_write_put(g,
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

group_block group_write_call_block(group_writer *g)
{
    static const char *const called[] = {"c1", "c4", "c1", "c4", "c2", "c5"};
    uint32_t which = sim_draw(g->random, 6);
    if (group_write_chance(g, 4)) {
        int one = group_write_call(g, "nowhere"); /* an incident that is dropped */
        return (group_block){one, one};
    }
    int one = group_write_call(g, called[which]);
    if (which < 4) {
        return (group_block){one, one};
    }
    int merge = group_write_node(g, "task");
    group_write_flow(g, one, merge);
    if (which == 4 || group_write_chance(g, 80)) {
        group_write_error_boundary(g, one, which == 4 ? "e2" : "e1", true, merge);
    }
    return (group_block){one, merge};
}
