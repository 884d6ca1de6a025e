/* SPDX-License-Identifier: Apache-2.0 */
/* Random well-formed processes: blocks in blocks (sequence, exclusive and parallel gateways, flows
 * that split and merge without any, loops with a counter), then in some plans a few changes that
 * make them unstructured, so that joins starve or get too much. Loops are the only way back and are
 * left after a few rounds in total, so every run comes to rest. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim/sim.h"

enum {
    NODES_MAX = 96,
    FLOWS_MAX = 192,
    BRANCHES_MAX = 3,
    DEPTH_MAX = 3,
    NOTHING = -1
};

typedef enum node_kind {
    NODE_START,
    NODE_END,
    NODE_TERMINATE,
    NODE_PASS,
    NODE_WORK,
    NODE_USER,
    NODE_TIMER,
    NODE_XOR,
    NODE_AND,
    NODE_BOUNDARY
} node_kind;

typedef struct node {
    node_kind kind;
    int default_flow;
    int attached;  /* boundary events */
    uint32_t look; /* which of the kind's forms */
    uint32_t minutes;
    bool is_interrupting;
    bool is_fixed; /* part of a loop: never changed */
} node;

typedef struct flow {
    int from;
    int to;
    char condition[96];
} flow;

typedef struct generator {
    sim_random *random;
    sim_plan *plan;
    node nodes[NODES_MAX];
    size_t node_count;
    flow flows[FLOWS_MAX];
    size_t flow_count;
    uint32_t left; /* blocks that may still be made */
} generator;

/* What one enters and what one leaves; no exit: every path of it ends inside. */
typedef struct block {
    int entry;
    int exit;
} block;

static block make_block(generator *g, unsigned depth);

static int add_node(generator *g, node_kind kind)
{
    if (g->node_count == NODES_MAX) {
        abort(); /* the budget of blocks is far below */
    }
    node *added = &g->nodes[g->node_count];
    *added = (node){.kind = kind,
                    .default_flow = NOTHING,
                    .attached = NOTHING,
                    .look = sim_draw(g->random, 1000),
                    .minutes = 10 * (1 + sim_draw(g->random, 90))};
    return (int)g->node_count++;
}

static int add_flow(generator *g, int from, int to, const char *condition)
{
    if (g->flow_count == FLOWS_MAX) {
        abort();
    }
    flow *added = &g->flows[g->flow_count];
    *added = (flow){.from = from, .to = to};
    snprintf(added->condition, sizeof(added->condition), "%s", condition != NULL ? condition : "");
    return (int)g->flow_count++;
}

/* A condition in one of both languages over what the start gives or an earlier task may have. */
static void draw_condition(generator *g, char *text, size_t size)
{
    static const char *const signs[] = {"&gt;", "&lt;=", "&lt;", "&gt;="};
    const char *sign = signs[sim_draw(g->random, 4)];
    bool is_juel = sim_chance(g->random, 40);
    const char *before = is_juel ? "${" : "";
    const char *after = is_juel ? "}" : "";
    uint32_t which = sim_draw(g->random, 10);
    if (which < 4) {
        snprintf(text, size, "%sa %s %u%s", before, sign, sim_draw(g->random, 10), after);
    } else if (which < 8 && g->node_count > 2) {
        int of = (int)sim_draw(g->random, (uint32_t)g->node_count);
        snprintf(text, size, "%sv_n%d %s %u%s", before, of, sign, sim_draw(g->random, 100), after);
    } else if (which == 8) {
        snprintf(text, size, is_juel ? "${!b}" : "not(b)");
    } else {
        snprintf(text, size, is_juel ? "${s == 'x'}" : "s = \"x\"");
    }
}

/* ---- Leaves ---------------------------------------------------------------------------------- */

static int add_end(generator *g)
{
    return add_node(g, sim_chance(g->random, 12) ? NODE_TERMINATE : NODE_END);
}

/* A timer event at the activity, whose path ends by itself or meets the activity's own at `merge`,
 * without a gateway. */
static void add_boundary(generator *g, int activity, int merge, unsigned depth)
{
    int boundary = add_node(g, NODE_BOUNDARY);
    g->nodes[boundary].attached = activity;
    g->nodes[boundary].is_interrupting = sim_chance(g->random, 60);
    int last = boundary;
    if (g->plan->takes_time && !g->nodes[boundary].is_interrupting) {
        /* Work beside other work whose time passes would have no order that a crash keeps. */
        int task = add_node(g, NODE_USER);
        add_flow(g, boundary, task, NULL);
        add_flow(g, task, add_end(g), NULL);
        return;
    }
    if (sim_chance(g->random, 60) && g->left > 0) {
        block path = make_block(g, depth + 1);
        add_flow(g, boundary, path.entry, NULL);
        last = path.exit;
    }
    if (last != NOTHING) {
        add_flow(g, last, sim_chance(g->random, 60) ? merge : add_end(g), NULL);
    }
}

static block make_leaf(generator *g, unsigned depth)
{
    static const node_kind kinds[] = {NODE_WORK, NODE_WORK, NODE_WORK,  NODE_WORK,
                                      NODE_USER, NODE_USER, NODE_TIMER, NODE_PASS};
    int leaf = add_node(g, kinds[sim_draw(g->random, sizeof(kinds) / sizeof(kinds[0]))]);
    bool can_be_cut = g->nodes[leaf].kind == NODE_WORK || g->nodes[leaf].kind == NODE_USER;
    if (!can_be_cut || !sim_chance(g->random, 40)) {
        return (block){leaf, leaf};
    }
    int merge = add_node(g, NODE_PASS);
    uint32_t boundaries = sim_chance(g->random, 25) ? 2 : 1;
    add_flow(g, leaf, merge, NULL);
    for (uint32_t i = 0; i < boundaries; i++) {
        add_boundary(g, leaf, merge, depth);
    }
    return (block){leaf, merge};
}

/* ---- Blocks of blocks -------------------------------------------------------------------------
 */

static block make_sequence(generator *g, unsigned depth)
{
    block first = make_block(g, depth + 1);
    block last = first;
    uint32_t more = 1 + sim_draw(g->random, 2);
    for (uint32_t i = 0; i < more && last.exit != NOTHING; i++) {
        block next = make_block(g, depth + 1);
        add_flow(g, last.exit, next.entry, NULL);
        last = next;
    }
    return (block){first.entry, last.exit};
}

/* Two flows to one node, which do not join: what comes out comes twice. */
static block make_doubled(generator *g)
{
    int split = add_node(g, NODE_PASS);
    int merge = add_node(g, NODE_PASS);
    add_flow(g, split, merge, NULL);
    add_flow(g, split, merge, NULL);
    return (block){split, merge};
}

/* Branches from one node to another; with conditions, the last one perhaps without: the default.
 * Some end instead of merging. */
static block make_branches(generator *g, unsigned depth, int split, int merge, bool has_conditions)
{
    uint32_t count = 2 + sim_draw(g->random, BRANCHES_MAX - 1);
    bool has_default = has_conditions && sim_chance(g->random, 85);
    uint32_t merged = 0;
    for (uint32_t i = 0; i < count; i++) {
        char condition[96] = "";
        bool is_default = has_default && i == count - 1;
        if (has_conditions && !is_default) {
            draw_condition(g, condition, sizeof(condition));
        }
        block branch = {merge, NOTHING};
        if (!sim_chance(g->random, 20) || merge == NOTHING) {
            /* Several tokens on one flow into a join: those that are too many wait. */
            bool doubles = !has_conditions && sim_chance(g->random, 15);
            branch = doubles ? make_doubled(g) : make_block(g, depth + 1);
        } else {
            merged++; /* straight on */
        }
        int taken = add_flow(g, split, branch.entry, condition);
        if (is_default) {
            g->nodes[split].default_flow = taken;
        }
        if (branch.exit != NOTHING) {
            bool ends = merge == NOTHING || (has_conditions && sim_chance(g->random, 12));
            add_flow(g, branch.exit, ends ? add_end(g) : merge, NULL);
            merged += ends ? 0 : 1;
        }
    }
    return (block){split, merged != 0 ? merge : NOTHING};
}

/* A loop is left when its task has run so many times in total, whoever came by. */
static block make_loop(generator *g, unsigned depth)
{
    char condition[96];
    int head = add_node(g, sim_chance(g->random, 50) ? NODE_XOR : NODE_PASS);
    int last = head;
    if (g->left > 0 && sim_chance(g->random, 50)) {
        block body = make_block(g, depth + 1);
        add_flow(g, head, body.entry, NULL);
        last = body.exit;
    }
    if (last == NOTHING) {
        return (block){head, NOTHING};
    }
    int counter = add_node(g, NODE_WORK);
    int decide = add_node(g, NODE_XOR);
    g->nodes[counter].is_fixed = g->nodes[decide].is_fixed = g->nodes[head].is_fixed = true;
    add_flow(g, last, counter, NULL);
    add_flow(g, counter, decide, NULL);
    snprintf(condition, sizeof(condition), "k_n%d &lt; %u", counter, 2 + sim_draw(g->random, 2));
    add_flow(g, decide, head, condition);
    int out = add_node(g, NODE_PASS);
    g->nodes[decide].default_flow = add_flow(g, decide, out, NULL);
    return (block){head, out};
}

static block make_parallel(generator *g, unsigned depth)
{
    int split = add_node(g, NODE_AND);
    int join = add_node(g, NODE_AND);
    return make_branches(g, depth, split, join, false);
}

/* An activity with several flows: all of them, or those whose conditions hold. They meet in a join
 * (sound when all are taken) or each goes on alone. */
static block make_uncontrolled(generator *g, unsigned depth)
{
    bool has_conditions = sim_chance(g->random, 50);
    int split = add_node(g, sim_chance(g->random, 50) ? NODE_WORK : NODE_PASS);
    int merge = add_node(g, !has_conditions && sim_chance(g->random, 60) ? NODE_AND : NODE_PASS);
    return make_branches(g, depth, split, merge, has_conditions);
}

static block make_exclusive(generator *g, unsigned depth)
{
    int split = add_node(g, NODE_XOR);
    int merge = sim_chance(g->random, 85)
                    ? add_node(g, sim_chance(g->random, 70) ? NODE_XOR : NODE_PASS)
                    : NOTHING;
    return make_branches(g, depth, split, merge, true);
}

static block make_block(generator *g, unsigned depth)
{
    uint32_t which = sim_draw(g->random, 100);
    if (g->left == 0 || depth >= DEPTH_MAX || which < 35) {
        g->left -= g->left > 0 ? 1 : 0;
        return make_leaf(g, depth);
    }
    g->left--;
    if (which < 55) {
        return make_sequence(g, depth);
    }
    if (which < 70) {
        return make_exclusive(g, depth);
    }
    if (which < 78) {
        return make_loop(g, depth);
    }
    if (g->plan->is_sequential) {
        return make_sequence(g, depth);
    }
    return which < 90 ? make_parallel(g, depth) : make_uncontrolled(g, depth);
}

/* ---- Unstructured ---------------------------------------------------------------------------- */

/* An exclusive gateway becomes a parallel one or the other way round. */
static void swap_gateway(generator *g)
{
    node *chosen = &g->nodes[sim_draw(g->random, (uint32_t)g->node_count)];
    if (chosen->is_fixed) {
        return;
    }
    if (chosen->kind == NODE_XOR) {
        chosen->kind = NODE_AND;
        chosen->default_flow = NOTHING;
    } else if (chosen->kind == NODE_AND) {
        chosen->kind = NODE_XOR;
    }
}

/* Does a token at `from` ever come to `to`? Boundary events come from their activities. */
static bool leads_to(const generator *g, int from, int to)
{
    bool reached[NODES_MAX] = {false};
    bool grows = true;
    reached[from] = true;
    while (grows) {
        grows = false;
        for (size_t i = 0; i < g->flow_count; i++) {
            const flow *f = &g->flows[i];
            grows = grows || (reached[f->from] && !reached[f->to]);
            reached[f->to] = reached[f->to] || reached[f->from];
        }
        for (size_t i = 0; i < g->node_count; i++) {
            int of = g->nodes[i].attached;
            if (of != NOTHING && reached[of] && !reached[i]) {
                reached[i] = grows = true;
            }
        }
    }
    return reached[to];
}

/* One more flow, which closes no loop. */
static void add_shortcut(generator *g)
{
    int from = (int)sim_draw(g->random, (uint32_t)g->node_count);
    int to = (int)sim_draw(g->random, (uint32_t)g->node_count);
    node_kind kind = g->nodes[from].kind;
    bool can_leave = kind != NODE_END && kind != NODE_TERMINATE && kind != NODE_START;
    if (!can_leave || g->nodes[from].is_fixed || g->nodes[to].kind == NODE_BOUNDARY ||
        g->nodes[to].kind == NODE_START || leads_to(g, to, from)) {
        return;
    }
    char condition[96] = "";
    if (kind != NODE_AND && sim_chance(g->random, 50)) {
        draw_condition(g, condition, sizeof(condition));
    }
    add_flow(g, from, to, condition);
}

/* ---- Text ------------------------------------------------------------------------------------ */

static void write(stf_buf *text, const char *format, ...) STF_PRINTF(2, 3);
static void write(stf_buf *text, const char *format, ...)
{
    char line[512];
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(line, sizeof(line), format, arguments);
    va_end(arguments);
    if (size < 0 || size >= (int)sizeof(line) ||
        stf_buf_append(text, line, (size_t)size) != STF_OK) {
        abort();
    }
}

static void write_timer(stf_buf *text, const node *n)
{
    write(text, "<timerEventDefinition>");
    if (n->kind == NODE_TIMER && n->look % 8 == 0) {
        /* A date, perhaps past already; three minutes off the grid of the durations. */
        write(text, "<timeDate>2026-01-05T%02u:%02u:00Z</timeDate>", n->minutes / 60 % 24,
              n->minutes % 60 + 3);
    } else if (n->look % 8 == 1) {
        write(text, "<timeDuration>${wait}</timeDuration>");
    } else {
        write(text, "<timeDuration>PT%uM</timeDuration>", n->minutes);
    }
    write(text, "</timerEventDefinition>");
}

static void write_work(const generator *g, stf_buf *text, const node *n, int id, const char *rest)
{
    static const char *const elements[] = {"serviceTask", "sendTask", "scriptTask",
                                           "businessRuleTask"};
    const char *element = elements[n->look % 4];
    uint32_t which = n->look / 4 % 10;
    const char *topic = which < 5 ? "alpha" : which < 8 ? "beta" : which < 9 ? "${topic}" : "";
    if (which == 9 && !g->plan->has_star) {
        topic = n->is_fixed ? "alpha" : "outside";
    }
    write(text, "<%s id='n%d'%s", element, id, rest);
    if (topic[0] != '\0') {
        write(text, " stepfast:handler='%s'", topic);
    }
    write(text, "%s/>\n", g->plan->is_idempotent ? " stepfast:idempotent='true'" : "");
}

static void write_event(stf_buf *text, const node *n, int id)
{
    if (n->kind == NODE_TIMER) {
        write(text, "<intermediateCatchEvent id='n%d'>", id);
        write_timer(text, n);
        write(text, "</intermediateCatchEvent>\n");
    } else if (n->kind == NODE_BOUNDARY) {
        write(text, "<boundaryEvent id='n%d' attachedToRef='n%d' cancelActivity='%s'>", id,
              n->attached, n->is_interrupting ? "true" : "false");
        write_timer(text, n);
        write(text, "</boundaryEvent>\n");
    } else {
        write(text, "<endEvent id='n%d'>%s</endEvent>\n", id,
              n->kind == NODE_TERMINATE ? "<terminateEventDefinition/>" : "");
    }
}

static void write_node(const generator *g, stf_buf *text, int id)
{
    static const char *const passes[] = {"task", "manualTask", "intermediateThrowEvent"};
    const node *n = &g->nodes[id];
    char rest[32] = "";
    if (n->default_flow != NOTHING) {
        snprintf(rest, sizeof(rest), " default='f%d'", n->default_flow);
    }
    switch (n->kind) {
    case NODE_START:
        write(text, "<startEvent id='n%d'/>\n", id);
        break;
    case NODE_PASS:
        write(text, "<%s id='n%d'%s/>\n", passes[rest[0] != '\0' ? 0 : n->look % 3], id, rest);
        break;
    case NODE_WORK:
        write_work(g, text, n, id, rest);
        break;
    case NODE_USER:
        write(text, "<userTask id='n%d'%s/>\n", id, rest);
        break;
    case NODE_XOR:
    case NODE_AND:
        write(text, "<%s id='n%d'%s/>\n",
              n->kind == NODE_XOR ? "exclusiveGateway" : "parallelGateway", id, rest);
        break;
    case NODE_END:
    case NODE_TERMINATE:
    case NODE_TIMER:
    case NODE_BOUNDARY:
    default:
        write_event(text, n, id);
        break;
    }
}

static void write_process(const generator *g, stf_buf *text)
{
    write(text, "<definitions xmlns='http://www.omg.org/spec/BPMN/20100524/MODEL' "
                "xmlns:stepfast='https://stepfast.dev/bpmn' targetNamespace='sim'>\n"
                "<process id='p' isExecutable='true'>\n<dataObject id='d' name='shared'/>\n");
    for (size_t i = 0; i < g->node_count; i++) {
        write_node(g, text, (int)i);
    }
    for (size_t i = 0; i < g->flow_count; i++) {
        const flow *f = &g->flows[i];
        write(text, "<sequenceFlow id='f%zu' sourceRef='n%d' targetRef='n%d'>", i, f->from, f->to);
        if (f->condition[0] != '\0') {
            write(text, "<conditionExpression>%s</conditionExpression>", f->condition);
        }
        write(text, "</sequenceFlow>\n");
    }
    write(text, "</process></definitions>\n");
}

void sim_process_generate(sim_plan *plan, sim_random *random)
{
    static generator storage; /* large, and used by one thread */
    generator *g = &storage;
    g->random = random;
    g->plan = plan;
    g->node_count = g->flow_count = 0;
    g->left = 2 + sim_draw(random, 6);
    int start = add_node(g, NODE_START);
    int second = plan->has_two_starts ? add_node(g, NODE_START) : NOTHING;
    block body = make_sequence(g, 0);
    add_flow(g, start, body.entry, NULL);
    if (second != NOTHING) {
        add_flow(g, second, body.entry, NULL);
    }
    if (body.exit != NOTHING) {
        add_flow(g, body.exit, add_end(g), NULL);
    }
    uint32_t changes = !plan->is_sequential && sim_chance(random, 30) ? 1 + sim_draw(random, 3) : 0;
    for (uint32_t i = 0; i < changes; i++) {
        if (sim_chance(random, 60)) {
            swap_gateway(g);
        } else {
            add_shortcut(g);
        }
    }
    write_process(g, &plan->text);
}
