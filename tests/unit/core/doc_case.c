/* SPDX-License-Identifier: Apache-2.0 */
/* See doc_case.h. */
#include "doc_case.h"

static const stf_wall now = {DOC_CASE_NOW_US};

static stf_str intern(stf__doc *doc, const char *text)
{
    stf_str own;
    STF_CHECK_OK(stf__doc_intern(doc, stf_str_of(text), &own, NULL), (stf_error *)NULL);
    return own;
}

stf__doc *doc_case_new(uint32_t kind)
{
    bool is_queue = kind == STF__DOC_QUEUE;
    stf__doc_identity identity = {.id = stf_str_of(is_queue ? "q-1" : "i-1"),
                                  .process = stf_str_of(is_queue ? "" : "p"),
                                  .version = is_queue ? 0 : 3,
                                  .kind = kind,
                                  .nonce = {9, 8, 7, 0xfe},
                                  .created = now};
    stf__doc *doc = NULL;
    stf_error error = STF_ERROR_INIT;
    STF_CHECK_OK(stf__doc_new(NULL, &identity, &doc, &error), &error);
    return doc;
}

stf__activation *doc_case_add(stf__doc *doc, uint64_t scope, const char *element,
                              stf__active_for reason)
{
    stf__activation *activation = NULL;
    STF_CHECK_OK(stf__doc_add_activation(doc, ++doc->counters.activation, &activation, NULL),
                 (stf_error *)NULL);
    activation->scope = scope;
    activation->element = intern(doc, element);
    activation->phase = STF__PHASE_ACTIVE;
    activation->active_for = reason;
    activation->since = now;
    if (reason == STF__FOR_WORK) {
        activation->work.state = STF__DURABLE_PENDING;
        activation->work.attempt = 1;
        activation->work.topic = stf__mem_copy_str(doc->alloc, stf_str_of("topic"));
        ck_assert_ptr_nonnull(activation->work.topic);
    } else if (reason == STF__FOR_CHILD) {
        activation->child = intern(doc, "child-1");
    } else if (reason == STF__FOR_SCOPE) {
        STF_CHECK_OK(stf__doc_add_scope(doc, activation, NULL), (stf_error *)NULL);
    }
    return activation;
}

stf__activation *doc_case_find(stf__doc *doc, const char *element)
{
    for (size_t i = 0; i < doc->activation_count; i++) {
        if (stf_str_equal(doc->activations[i]->element, stf_str_of(element))) {
            return doc->activations[i];
        }
    }
    ck_abort_msg("no activation of %s", element);
    return NULL;
}

void doc_case_add_timer(stf__doc *doc, uint64_t activation, const char *element, const char *cycle,
                        int64_t due_us)
{
    stf__timer timer = {.number = ++doc->counters.timer,
                        .activation = activation,
                        .element = intern(doc, element),
                        .due = {due_us}};
    if (cycle != NULL) {
        timer.cycle = intern(doc, cycle);
        timer.anchor = now;
        timer.index = 4;
    }
    STF_CHECK_OK(stf__doc_add_timer(doc, &timer, NULL), (stf_error *)NULL);
}

void doc_case_add_subscription(stf__doc *doc, uint64_t activation, const char *element,
                               const char *name, const char *key, int64_t since_us)
{
    stf__subscription subscription = {.number = ++doc->counters.timer,
                                      .activation = activation,
                                      .element = intern(doc, element),
                                      .name = intern(doc, name),
                                      .key = intern(doc, key),
                                      .since = {since_us}};
    STF_CHECK_OK(stf__doc_add_subscription(doc, &subscription, NULL), (stf_error *)NULL);
}

void doc_case_add_incident(stf__doc *doc, uint64_t activation, stf__incident_kind kind,
                           stf_wall retry_at)
{
    stf__incident incident = {.number = ++doc->counters.incident,
                              .activation = activation,
                              .kind = kind,
                              .line = 7,
                              .opened = now,
                              .retry_at = retry_at};
    stf_str code = stf_str_of(kind == STF__INCIDENT_BPMN_ERROR ? "E-1" : "");
    STF_CHECK_OK(stf__doc_add_incident(doc, &incident, code, stf_str_of("why"), NULL),
                 (stf_error *)NULL);
}

static stf_value *json_of(const char *json)
{
    stf_value *value = NULL;
    stf_error error = STF_ERROR_INIT;
    STF_CHECK_OK(stf_value_parse_json(NULL, stf_str_of(json), &value, &error), &error);
    return value;
}

void doc_case_set(stf__doc *doc, uint64_t scope, const char *name, const char *json)
{
    stf_value *value = json_of(json);
    STF_CHECK_OK(stf__doc_set_variable(doc, scope, stf_str_of(name), value, NULL),
                 (stf_error *)NULL);
    stf_value_unref(value);
}

static void set_big(stf__doc *doc, uint64_t scope, const char *name, int salt)
{
    char json[400];
    int size = snprintf(json, sizeof(json), "\"%0300d\"", salt);
    ck_assert_int_lt(size, (int)sizeof(json));
    doc_case_set(doc, scope, name, json);
}

stf__sender doc_case_sender(uint8_t number, uint64_t sequence)
{
    return (stf__sender){.is_given = true, .nonce = {number, 1}, .sequence = sequence};
}

static void hear(stf__doc *doc, uint8_t number, uint64_t sequence)
{
    stf__sender sender = doc_case_sender(number, sequence);
    STF_CHECK_OK(stf__doc_hear(doc, &sender, now, NULL), (stf_error *)NULL);
}

static void push_ready(stf__doc *doc, uint64_t scope)
{
    stf__token token = {.scope = scope, .count = 1, .since = now};
    token.node = intern(doc, "next");
    token.flow = intern(doc, "f1");
    STF_CHECK_OK(stf__doc_push_ready(doc, &token, NULL), (stf_error *)NULL);
}

static void park(stf__doc *doc, uint64_t scope, const char *node, const char *flow, uint64_t count)
{
    stf__token token = {.scope = scope, .count = count, .since = now};
    token.node = intern(doc, node);
    token.flow = intern(doc, flow);
    STF_CHECK_OK(stf__doc_park(doc, &token, NULL), (stf_error *)NULL);
}

static void add_send(stf__doc *doc, stf__send_item item, const char *json)
{
    stf_value *variables = json != NULL ? json_of(json) : NULL;
    item.variables = variables;
    item.element = stf_str_of("from");
    STF_CHECK_OK(stf__doc_add_send(doc, &item, now, NULL), (stf_error *)NULL);
    stf_value_unref(variables);
}

static const stf__send_item sends[] = {
    {.kind = STF__SEND_MESSAGE,
     .activation = 2,
     .name = {"paid", 4},
     .key = {"o-2", 3},
     .until = {STF_WALL_NONE_US}},
    {.kind = STF__SEND_MESSAGE,
     .name = {"kept", 4},
     .target = {"q-7", 3},
     .is_to_queue = true,
     .until = {DOC_CASE_NOW_US + 900}},
    {.kind = STF__SEND_CREATE,
     .activation = 5,
     .name = {"callee", 6},
     .version = 2,
     .target = {"child-1", 7},
     .until = {STF_WALL_NONE_US}},
    {.kind = STF__SEND_RESULT,
     .how = STF__CHILD_ERROR,
     .target_activation = 8,
     .code = {"E-1", 3},
     .message = {"no", 2},
     .target = {"parent", 6},
     .until = {STF_WALL_NONE_US}},
    {.kind = STF__SEND_CANCEL, .target = {"child-0", 7}, .until = {STF_WALL_NONE_US}},
};

static void fail_work(stf__doc *doc, const char *element, uint32_t state, stf_wall retry_at)
{
    stf__activation *activation = doc_case_find(doc, element);
    activation->work.state = state;
    activation->work.retries = 2;
    activation->work.attempt = 3;
    activation->work.definitive_failures = 1;
    doc_case_add_incident(doc, activation->number, STF__INCIDENT_FAILED, retry_at);
}

stf__doc *doc_case_rich(void)
{
    stf__doc *doc = doc_case_new(STF__DOC_INSTANCE);
    doc_case_add(doc, 0, "sub", STF__FOR_SCOPE);
    doc_case_add(doc, 1, "task", STF__FOR_TASK);
    doc_case_add_timer(doc, 2, "late", "R/PT1H", DOC_CASE_NOW_US + 5000);
    doc_case_add_subscription(doc, 2, "stop", "stop", "", DOC_CASE_NOW_US + 1);
    doc_case_add(doc, 1, "gate", STF__FOR_EVENTS);
    doc_case_add_timer(doc, 3, "soon", NULL, DOC_CASE_NOW_US + 4000);
    doc_case_add_subscription(doc, 3, "news", "news", "k", DOC_CASE_NOW_US + 2);
    doc_case_add(doc, 1, "inner", STF__FOR_SCOPE);
    park(doc, 4, "j", "f2", 2);
    doc_case_add(doc, 0, "call", STF__FOR_CHILD);
    doc_case_add(doc, 0, "wait", STF__FOR_MESSAGE);
    doc_case_add_subscription(doc, 6, "wait", "paid", "o-1", DOC_CASE_NOW_US + 3);
    doc_case_add(doc, 0, "again", STF__FOR_WORK);
    fail_work(doc, "again", STF__DURABLE_FAILED, (stf_wall){DOC_CASE_NOW_US + 3000});
    doc_case_add(doc, 0, "pause", STF__FOR_TIMER);
    doc_case_add_timer(doc, 8, "pause", NULL, DOC_CASE_NOW_US + 6000);
    doc_case_add(doc, 0, "run", STF__FOR_WORK)->work.is_started = true;
    push_ready(doc, 1);
    doc_case_set(doc, 0, "n", "1");
    doc_case_set(doc, 0, "m", "\"outer\"");
    set_big(doc, 0, "big", 1);
    doc_case_set(doc, 1, "m", "\"inner\"");
    set_big(doc, 1, "huge", 2);
    doc_case_set(doc, 4, "deep", "[1, {\"a\": null}]");
    for (size_t i = 0; i < STF_COUNT_OF(sends); i++) {
        add_send(doc, sends[i], i < 3 ? "{\"v\": [1, 2]}" : NULL);
    }
    doc->caller = (stf__caller){.id = intern(doc, "parent"), .activation = 8, .depth = 3};
    hear(doc, 5, 77);
    hear(doc, 2, 1);
    return doc;
}

stf__doc *doc_case_queue(void)
{
    stf__doc *doc = doc_case_new(STF__DOC_QUEUE);
    for (int64_t i = 0; i < 3; i++) {
        stf__send_item item = {.kind = STF__SEND_MESSAGE,
                               .name = stf_str_of("paid"),
                               .key = stf_str_of("o-1"),
                               .until = {DOC_CASE_NOW_US + 1000 * (3 - i)},
                               .target = stf_str_of(i == 0 ? "i-2" : "")};
        add_send(doc, item, "{\"v\": 1}");
    }
    hear(doc, 1, 3);
    return doc;
}

/* ---- By chance */

static uint64_t draw_state;

static uint32_t draw(uint32_t below)
{
    draw_state = draw_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(draw_state >> 33) % below;
}

static const char *const names[] = {"a", "b", "c", "dd", "\xc3\xa9", "name with spaces"};

static const char *draw_name(void)
{
    return names[draw(STF_COUNT_OF(names))];
}

static uint64_t draw_scope(const stf__doc *doc)
{
    return doc->scopes[draw((uint32_t)doc->scope_count)].number;
}

static int64_t draw_time(void)
{
    return DOC_CASE_NOW_US + (int64_t)draw(100000) - 50000;
}

/* Stopped in one of the other phases, which always has an incident. */
static void stop(stf__doc *doc, stf__activation *activation)
{
    activation->phase = STF__PHASE_HELD + draw(5);
    if (activation->phase == STF__PHASE_ACTIVE) {
        activation->phase = STF__PHASE_STARTING;
    }
    if (activation->phase == STF__PHASE_HELD && draw(2) == 0) {
        activation->flow = intern(doc, "f");
    }
    doc_case_add_incident(doc, activation->number, (stf__incident_kind)(1 + draw(10)),
                          stf_wall_none());
}

static void draw_work(stf__doc *doc, stf__activation *activation)
{
    activation->work.is_idempotent_task = draw(2) == 0;
    activation->work.incarnation = (int64_t)draw(5);
    if (draw(2) == 0) {
        activation->work.is_started = draw(2) == 0;
        activation->work.is_idempotent_handler = draw(2) == 0;
        return;
    }
    activation->work.state = draw(2) == 0 ? STF__DURABLE_FAILED : STF__DURABLE_UNKNOWN;
    activation->work.attempt = 1 + draw(300);
    activation->work.retries = draw(3);
    doc_case_add_incident(doc, activation->number, STF__INCIDENT_FAILED,
                          draw(2) == 0 ? (stf_wall){draw_time()} : stf_wall_none());
}

static void draw_boundary_wait(stf__doc *doc, uint64_t activation, const char *element)
{
    if (draw(2) == 0) {
        doc_case_add_timer(doc, activation, element, draw(2) == 0 ? "R3/PT1H" : NULL, draw_time());
    } else {
        doc_case_add_subscription(doc, activation, element, draw_name(), draw_name(), draw_time());
    }
}

static void draw_activation(stf__doc *doc)
{
    stf__active_for reason = (stf__active_for)draw(8);
    stf__activation *activation = doc_case_add(doc, draw_scope(doc), "node", reason);
    uint64_t number = activation->number;
    if (reason == STF__FOR_NOTHING) {
        stop(doc, activation);
    } else if (reason == STF__FOR_WORK) {
        draw_work(doc, activation);
    } else if (reason == STF__FOR_TIMER) {
        doc_case_add_timer(doc, number, "node", draw(2) == 0 ? "R/P1D" : NULL, draw_time());
    } else if (reason == STF__FOR_MESSAGE) {
        doc_case_add_subscription(doc, number, "node", draw_name(), "", draw_time());
    } else if (reason == STF__FOR_EVENTS) {
        draw_boundary_wait(doc, number, "behind");
    }
    if (activation->phase == STF__PHASE_ACTIVE || activation->phase == STF__PHASE_STARTING) {
        for (uint32_t i = draw(3); i > 0; i--) {
            draw_boundary_wait(doc, number, "boundary");
        }
    }
}

static void draw_variables(stf__doc *doc)
{
    for (uint32_t i = draw(8); i > 0; i--) {
        if (draw(3) == 0) {
            set_big(doc, draw_scope(doc), draw_name(), (int)draw(1000));
        } else {
            doc_case_set(doc, draw_scope(doc), draw_name(),
                         draw(2) == 0 ? "{\"x\": [1.25, true]}" : "null");
        }
    }
}

static void draw_flow(stf__doc *doc)
{
    uint32_t count = 1 + draw(12);
    for (uint32_t i = 0; i < count; i++) {
        draw_activation(doc);
    }
    for (uint32_t i = draw(4); i > 0; i--) {
        park(doc, draw_scope(doc), draw_name(), draw_name(), 1 + draw(3));
    }
    for (uint32_t i = draw(3); i > 0; i--) {
        push_ready(doc, draw_scope(doc));
    }
    for (size_t i = 1; i < doc->scope_count; i++) {
        if (stf__doc_count_in_scope(doc, doc->scopes[i].number) == 0) {
            park(doc, doc->scopes[i].number, "join", "f", 1);
        }
    }
    doc->counters.yields = doc->ready_count > 0 ? draw(3) : 0;
    if (draw(6) == 0) {
        doc_case_add_incident(doc, 0, STF__INCIDENT_POISON, stf_wall_none());
    }
}

static void draw_end(stf__doc *doc)
{
    doc->counters.activation = draw(9);
    doc->end_how = 1 + draw(STF__END_CANCELLED);
    doc->end_at = now;
    doc->end_element = intern(doc, draw(2) == 0 ? "end" : "");
    if (doc->end_how == STF__END_FAILED) {
        doc->end_code = intern(doc, draw(2) == 0 ? "E-1" : "");
    }
    if (doc->end_how >= STF__END_FAILED && draw(2) == 0) {
        doc->end_message = stf__mem_copy_str(doc->alloc, stf_str_of(draw(2) == 0 ? "why" : ""));
        ck_assert_ptr_nonnull(doc->end_message);
    }
}

static void draw_records(stf__doc *doc)
{
    for (uint32_t i = draw(6); i > 0; i--) {
        stf__send_item item = sends[draw(STF_COUNT_OF(sends))];
        item.activation = item.activation > doc->counters.activation ? 0 : item.activation;
        add_send(doc, item, draw(2) == 0 ? "{\"v\": \"x\"}" : NULL);
    }
    if (draw(3) == 0 && doc->outbox_count > 1) {
        stf__doc_remove_send(doc, doc->outbox[draw((uint32_t)doc->outbox_count)].number);
    }
    stf__doc_postpone_outbox(doc, (stf_wall){DOC_CASE_NOW_US + (int64_t)draw(9000000)});
    for (uint32_t i = draw(5); i > 0; i--) {
        hear(doc, (uint8_t)draw(256), draw(300));
    }
    if (draw(2) == 0) {
        doc->caller = (stf__caller){.id = intern(doc, "parent"), .activation = 1 + draw(50)};
    }
    for (int64_t i = draw(20); i > 0; i--) {
        stf__doc_note_save(doc, 100 - i, (stf_attempt){.bytes = {(uint8_t)i}}, stf_str_of("e1#1"),
                           i, now);
    }
}

stf__doc *doc_case_random(uint64_t seed)
{
    draw_state = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    uint32_t sort = draw(8);
    if (sort == 0) {
        return doc_case_queue();
    }
    stf__doc *doc = doc_case_new(STF__DOC_INSTANCE);
    if (sort == 1) {
        draw_end(doc);
    } else {
        draw_flow(doc);
    }
    draw_variables(doc);
    draw_records(doc);
    return doc;
}

/* ---- Checks */

static void encode(stf__doc *doc, stf_buf *head, stf_buf *bulk)
{
    stf_error error = STF_ERROR_INIT;
    bool has_changed = false;
    stf_buf_init(head, NULL);
    stf_buf_init(bulk, NULL);
    STF_CHECK_OK(stf__doc_encode(doc, head, bulk, &has_changed, &error), &error);
}

static bool is_same(const stf_buf *a, const stf_buf *b)
{
    return a->size == b->size && (a->size == 0 || memcmp(a->data, b->data, a->size) == 0);
}

void doc_case_check(stf__doc *doc)
{
    stf_error error = STF_ERROR_INIT;
    stf_buf forms[4];
    stf__doc *copy = NULL;
    ck_assert_int_eq(stf__doc_check_invariants(doc), STF_OK);
    encode(doc, &forms[0], &forms[1]);
    STF_CHECK_OK(
        stf__doc_decode(NULL, stf_buf_bytes(&forms[0]), stf_buf_bytes(&forms[1]), &copy, &error),
        &error);
    encode(copy, &forms[2], &forms[3]);
    ck_assert(is_same(&forms[0], &forms[2]) && is_same(&forms[1], &forms[3]));
    for (size_t i = 0; i < STF_COUNT_OF(forms); i++) {
        stf_buf_done(&forms[i]);
    }
    stf__doc_free(copy);
}
