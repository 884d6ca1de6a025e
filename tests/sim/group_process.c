/* SPDX-License-Identifier: Apache-2.0 */
/* Random processes of every element that is executed (group_elements.c), made so that what they
 * show at rest does not depend on who was faster: conditions read what the start gave, a branch
 * that is cut off waits for what never comes, a message either is kept or has a receiver that waits
 * already. */
#include <stdio.h>
#include <stdlib.h>

#include "sim/group_process.h"

enum {
    DEPTH_MAX = 3
};

static group_block make_block(group_writer *g, int depth);

/* ---- Sub-processes --------------------------------------------------------------------------- */

/* Something that waits for what never comes, until its scope is cut off. */
static int wait_for_ever(group_writer *g)
{
    int one = g->nodes;
    switch (sim_draw(g->random, 3)) {
    case 0:
        return group_write_catch(g, "never");
    case 1:
        group_write_put(g, "<receiveTask id='n%d' messageRef='never'/>\n", g->nodes++);
        return one;
    default:
        return group_write_call(g, "c3");
    }
}

/* Cut off from inside: by an error that its boundary event catches, or by a terminate end. */
static group_block make_doomed(group_writer *g, int depth)
{
    int sub = g->nodes++;
    bool has_error = group_write_chance(g, 60);
    group_write_put(g, "<subProcess id='n%d'>\n", sub);
    int start = group_write_node(g, "startEvent");
    int split = group_write_node(g, "parallelGateway");
    group_write_flow(g, start, split);
    uint32_t waiters = 1 + sim_draw(g->random, 2);
    int join = waiters == 2 ? group_write_node(g, "parallelGateway") : group_write_node(g, "task");
    for (uint32_t i = 0; i < waiters; i++) {
        int waiter = wait_for_ever(g);
        group_write_flow(g, split, waiter);
        group_write_flow(g, waiter, join);
    }
    if (waiters == 2) {
        group_write_flow(g, split, join); /* a token that is parked when the scope goes */
    }
    group_write_flow(g, join, group_write_node(g, "endEvent"));
    group_block body = make_block(g, depth + 1);
    group_write_flow(g, split, body.entry);
    int last = g->nodes++;
    group_write_put(g, "<endEvent id='n%d'>%s</endEvent>\n", last,
                    has_error ? "<errorEventDefinition errorRef='e3'/>"
                              : "<terminateEventDefinition/>");
    group_write_flow(g, body.exit, last);
    group_write_put(g, "</subProcess>\n");
    int merge = group_write_node(g, "task");
    group_write_flow(g, sub, merge);
    if (has_error) {
        group_write_error_boundary(g, sub, "e3", false, merge);
    }
    return (group_block){sub, merge};
}

static group_block make_sub_process(group_writer *g, int depth)
{
    int sub = g->nodes++;
    group_write_put(g, "<subProcess id='n%d'>\n", sub);
    int start = group_write_node(g, "startEvent");
    bool waits = !g->is_child && group_write_chance(g, 50);
    group_block first = waits ? group_write_user_block(g) : group_write_work_block(g);
    group_block second = make_block(g, depth + 1);
    group_write_flow(g, start, first.entry);
    group_write_flow(g, first.exit, second.entry);
    group_write_flow(g, second.exit, group_write_node(g, "endEvent"));
    group_write_put(g, "<dataObject id='d%d' name='v_n%d'/>\n</subProcess>\n", sub, first.entry);
    int merge = group_write_node(g, "task");
    group_write_flow(g, sub, merge);
    if (waits) {
        group_write_outside_boundary(g, sub, merge);
    }
    return (group_block){sub, merge};
}

/* ---- Blocks of blocks ------------------------------------------------------------------------ */

static group_block make_sequence(group_writer *g, int depth)
{
    group_block first = make_block(g, depth + 1);
    group_block second = make_block(g, depth + 1);
    group_write_flow(g, first.exit, second.entry);
    return (group_block){first.entry, second.exit};
}

static group_block make_branches(group_writer *g, int depth, const char *gateway,
                                 bool has_conditions)
{
    uint32_t count = 2 + sim_draw(g->random, 2);
    int split = g->nodes++;
    int join = group_write_node(g, gateway);
    int otherwise = g->flows++;
    if (has_conditions) {
        group_write_put(g, "<%s id='n%d' default='f%d'/>\n", gateway, split, otherwise);
        group_write_put(g, "<sequenceFlow id='f%d' sourceRef='n%d' targetRef='n%d'/>\n", otherwise,
                        split, join);
    } else {
        group_write_put(g, "<%s id='n%d'/>\n", gateway, split);
    }
    for (uint32_t i = 0; i < count; i++) {
        group_block branch = make_block(g, depth + 1);
        if (has_conditions) {
            group_write_flow_if(g, g->flows++, split, branch.entry, group_write_draw_condition(g));
        } else {
            group_write_flow(g, split, branch.entry);
        }
        group_write_flow(g, branch.exit, join);
    }
    return (group_block){split, join};
}

/* Left when its task has run a few times. */
static group_block make_loop(group_writer *g, int depth)
{
    char condition[64];
    int head = group_write_node(g, "task");
    group_block body = make_block(g, depth + 1);
    int counter = group_write_work(g, "alpha");
    int decide = g->nodes++;
    int out = group_write_node(g, "task");
    group_write_flow(g, head, body.entry);
    group_write_flow(g, body.exit, counter);
    group_write_flow(g, counter, decide);
    group_write_put(g, "<exclusiveGateway id='n%d' default='f%d'/>\n", decide, g->flows);
    group_write_flow(g, decide, out);
    snprintf(condition, sizeof(condition), "modulo(k_n%d, 2) = 1", counter);
    group_write_flow_if(g, g->flows++, decide, head, condition);
    return (group_block){head, out};
}

static group_block make_leaf(group_writer *g)
{
    uint32_t which = sim_draw(g->random, 100);
    if (which < 40 || (g->is_child && which < 70)) {
        return group_write_work_block(g);
    }
    if (which < 55 && !g->is_child) {
        return group_write_user_block(g);
    }
    if (which < 70 && !g->is_child) {
        return group_write_catch_block(g);
    }
    if (which < 80) {
        return g->is_child ? group_write_exchange_block(g) : group_write_call_block(g);
    }
    return group_write_exchange_block(g);
}

static group_block make_block(group_writer *g, int depth)
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
        return group_write_event_block(g);
    }
    return which < 88 ? make_sub_process(g, depth) : make_doomed(g, depth);
}

/* ---- Processes ------------------------------------------------------------------------------- */

static void end_process(group_writer *g, int last)
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
    group_write_put(g, "<endEvent id='n%d'>%s</endEvent>\n", one, content);
    group_write_flow(g, last, one);
}

static void make_called(group_writer *g, const char *id, const char *end)
{
    group_write_put(g, "<process id='%s' isExecutable='true'>\n", id);
    int start = group_write_node(g, "startEvent");
    int last = g->nodes;
    if (id[1] == '3') {
        last = group_write_catch(g, "never");
    } else {
        group_write_put(g, "<scriptTask id='n%d' stepfast:handler='out.%s'%s/>\n", g->nodes++, id,
                        g->plan->is_idempotent ? " stepfast:idempotent='true'" : "");
    }
    group_write_flow(g, start, last);
    if (id[1] == '4') {
        group_block body = make_block(g, 1);
        group_write_flow(g, last, body.entry);
        last = body.exit;
    }
    int one = g->nodes++;
    group_write_put(g, "<endEvent id='n%d'>%s</endEvent>\n", one, end);
    group_write_flow(g, last, one);
    group_write_put(g, "</process>\n");
}

static void assemble(group_writer *g)
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
    group_writer g = {.random = random, .plan = plan, .left = 3 + (int)sim_draw(random, 6)};
    stf_buf_init(&g.outside, NULL);
    stf_buf_init(&g.inside, NULL);
    group_write_put(&g, "<process id='p' isExecutable='true'>\n");
    int start = group_write_node(&g, "startEvent");
    group_block body = make_sequence(&g, 0);
    group_block more = make_block(&g, 0);
    group_write_flow(&g, start, body.entry);
    group_write_flow(&g, body.exit, more.entry);
    end_process(&g, more.exit);
    group_write_put(&g, "</process>\n");
    g.is_child = true;
    g.left = 1 + (int)sim_draw(random, 2);
    const bool ends_all = group_write_chance(&g, 30);
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
