/* SPDX-License-Identifier: Apache-2.0 */
/* See core_case.h. */
#include "core_case.h"

#include <stepfast/bpmn.h>

static void load_bytes(core_case *c, const void *data, size_t size, const char *process)
{
    stf_error error = STF_ERROR_INIT;
    STF_CHECK_OK(stf_bpmn_load(NULL, (stf_bytes){data, size}, NULL, &c->model, &error), &error);
    c->process = stf__model_find_process(c->model, stf_str_of(process));
    ck_assert_ptr_nonnull(c->process);
}

static core_case *new_case(void)
{
    core_case *c = calloc(1, sizeof(*c));
    ck_assert_ptr_nonnull(c);
    c->now = (stf_wall){CORE_CASE_BEGIN_US};
    c->incarnation = 1;
    c->facts = calloc(CORE_CASE_FACTS, sizeof(*c->facts));
    ck_assert_ptr_nonnull(c->facts);
    stf__arena_init(&c->arena, NULL);
    stf__effects_init(&c->effects, &c->arena);
    stf_error_init(&c->error);
    return c;
}

static void new_doc(core_case *c)
{
    stf__doc_identity identity = {.id = stf_str_of("i-1"),
                                  .process = c->process->id,
                                  .version = 3,
                                  .nonce = {1, 2, 3, 0xfe},
                                  .created = c->now};
    STF_CHECK_OK(stf__doc_new(NULL, &identity, &c->doc, &c->error), &c->error);
}

#define FRAME                                                                                      \
    "<definitions xmlns='http://www.omg.org/spec/BPMN/20100524/MODEL' "                            \
    "xmlns:stepfast='https://stepfast.dev/bpmn' targetNamespace='urn:t'>%s\n"                      \
    "<process id='p' isExecutable='true'>\n%s\n</process></definitions>"

core_case *core_case_load_in(const char *around, const char *body)
{
    core_case *c = new_case();
    size_t size = sizeof(FRAME) + strlen(around) + strlen(body) + 1;
    char *text = malloc(size);
    ck_assert_ptr_nonnull(text);
    int used = snprintf(text, size, FRAME, around, body);
    load_bytes(c, text, (size_t)used, "p");
    free(text);
    ck_assert_msg(c->process->first_unsupported.size == 0, "%.*s",
                  (int)c->process->first_unsupported.size, c->process->first_unsupported.data);
    new_doc(c);
    return c;
}

core_case *core_case_load(const char *body)
{
    return core_case_load_in("", body);
}

core_case *core_case_queue(void)
{
    core_case *c = new_case();
    stf__doc_identity identity = {
        .id = stf_str_of("q-1"), .kind = STF__DOC_QUEUE, .nonce = {9, 9}, .created = c->now};
    STF_CHECK_OK(stf__doc_new(NULL, &identity, &c->doc, &c->error), &c->error);
    return c;
}

void core_case_free(core_case *c)
{
    stf__doc_free(c->doc);
    stf_model_unref(c->model);
    stf__arena_done(&c->arena);
    free(c->facts);
    free(c);
}

stf_value *core_case_json(const char *json)
{
    stf_error error = STF_ERROR_INIT;
    stf_value *value = NULL;
    if (json != NULL) {
        STF_CHECK_OK(stf_value_parse_json(NULL, stf_str_of(json), &value, &error), &error);
    }
    return value;
}

static void keep_facts(core_case *c)
{
    for (size_t i = 0; i < c->effects.fact_count && c->fact_count < CORE_CASE_FACTS; i++) {
        const stf__fact_row *row = &c->effects.facts[i];
        core_fact *fact = &c->facts[c->fact_count++];
        fact->kind = row->kind;
        fact->activation = row->activation;
        snprintf(fact->element, sizeof(fact->element), "%.*s", STF_STR_ARG(row->element));
        snprintf(fact->detail, sizeof(fact->detail), "%.*s", STF_STR_ARG(row->detail));
    }
}

static void encode(stf__doc *doc, stf_buf *head, stf_buf *bulk)
{
    stf_error error = STF_ERROR_INIT;
    bool has_changed = false;
    stf_buf_init(head, NULL);
    stf_buf_init(bulk, NULL);
    STF_CHECK_OK(stf__doc_encode(doc, head, bulk, &has_changed, &error), &error);
}

void core_case_expect_same(const stf_buf *a, const stf_buf *b)
{
    ck_assert_uint_eq(a->size, b->size);
    ck_assert(a->size == 0 || memcmp(a->data, b->data, a->size) == 0);
}

void core_case_encode(core_case *c, stf_buf *head, stf_buf *bulk)
{
    encode(c->doc, head, bulk);
}

/* A check after a step: a failure names the run that it happened in. */
static void check_ok(const core_case *c, stf_status status, const char *what)
{
    ck_assert_msg(status == STF_OK, "%s%s: %s", c->label != NULL ? c->label : "", what,
                  stf_status_name(status));
}

/* The document goes through its stored form. */
static void restore(core_case *c)
{
    stf_buf head;
    stf_buf bulk;
    stf_buf head_again;
    stf_buf bulk_again;
    stf_error error = STF_ERROR_INIT;
    stf__doc *copy = NULL;
    check_ok(c, stf__doc_check_invariants(c->doc), "invariants");
    encode(c->doc, &head, &bulk);
    check_ok(c, stf__doc_decode(NULL, stf_buf_bytes(&head), stf_buf_bytes(&bulk), &copy, &error),
             "decoding");
    encode(copy, &head_again, &bulk_again);
    core_case_expect_same(&head, &head_again);
    core_case_expect_same(&bulk, &bulk_again);
    if (c->keeps_document) {
        stf__doc_free(copy);
    } else {
        stf__doc_free(c->doc);
        c->doc = copy;
    }
    stf_buf_done(&head);
    stf_buf_done(&bulk);
    stf_buf_done(&head_again);
    stf_buf_done(&bulk_again);
}

stf_status core_case_step(core_case *c, const stf__event *event)
{
    stf_buf head;
    stf_buf bulk;
    encode(c->doc, &head, &bulk);
    stf__arena_reset(&c->arena);
    stf__effects_init(&c->effects, &c->arena);
    stf__core_inputs inputs = {
        .now = c->now, .step_budget = c->step_budget, .random = c->random, .retry = c->retry};
    stf_status status = stf__core_step(c->doc, c->process, event, &inputs, &c->effects, &c->error);
    if (status == STF_OK) {
        keep_facts(c);
        restore(c);
        if (c->doc->counters.activation > 0) {
            (void)core_case_summary(c); /* keeps R8 */
        }
    } else if (status != STF_NO_MEMORY) {
        stf_buf head_after;
        stf_buf bulk_after;
        encode(c->doc, &head_after, &bulk_after);
        core_case_expect_same(&head, &head_after);
        core_case_expect_same(&bulk, &bulk_after);
        stf_buf_done(&head_after);
        stf_buf_done(&bulk_after);
    }
    stf_buf_done(&head);
    stf_buf_done(&bulk);
    return status;
}

static void step_with(core_case *c, stf__event event, const char *json)
{
    stf_value *variables = core_case_json(json);
    event.variables = variables;
    STF_CHECK_OK(core_case_step(c, &event), &c->error);
    stf_value_unref(variables);
}

void core_case_event(core_case *c, stf__event event, const char *json)
{
    step_with(c, event, json);
}

void core_case_start(core_case *c, const char *json)
{
    step_with(c, (stf__event){.kind = STF__EVENT_START}, json);
}

void core_case_task(core_case *c, const char *element, const char *json)
{
    step_with(c, (stf__event){.kind = STF__EVENT_TASK, .element = stf_str_of(element)}, json);
}

void core_case_wake(core_case *c)
{
    step_with(c, (stf__event){.kind = STF__EVENT_WAKE}, NULL);
}

void core_case_message(core_case *c, const char *name, const char *key, const char *json)
{
    step_with(
        c,
        (stf__event){.kind = STF__EVENT_MESSAGE, .name = stf_str_of(name), .key = stf_str_of(key)},
        json);
}

void core_case_advance(core_case *c, int64_t us)
{
    int64_t until = c->now.us + us;
    for (;;) {
        stf__doc_summary summary = core_case_summary(c);
        if (stf_wall_is_none(summary.due) || summary.due.us > until) {
            break;
        }
        if (summary.due.us > c->now.us) {
            c->now = summary.due;
        }
        core_case_wake(c);
    }
    c->now.us = until;
}

void core_case_retry(core_case *c)
{
    step_with(c, (stf__event){.kind = STF__EVENT_RETRY}, NULL);
}

void core_case_set(core_case *c, const char *json)
{
    stf_value *variables = core_case_json(json);
    STF_CHECK_OK(stf__doc_merge_variables(c->doc, 0, variables, &c->error), &c->error);
    stf_value_unref(variables);
}

stf__work_item core_case_find_work(core_case *c, const char *element)
{
    stf__work_item item;
    for (uint64_t after = 0; stf__doc_next_work(c->doc, after, &item); after = item.activation) {
        if (stf_str_equal(item.element, stf_str_of(element))) {
            return item;
        }
    }
    ck_abort_msg("no work waits at %s", element);
    return (stf__work_item){.activation = 0};
}

void core_case_start_work(core_case *c, const char *element)
{
    stf__work_item item = core_case_find_work(c, element);
    STF_CHECK_OK(stf__doc_mark_started(c->doc, item.activation, c->incarnation, false, c->now,
                                       &c->effects, &c->error),
                 &c->error);
    restore(c);
}

void core_case_answer(core_case *c, const char *element, stf__work_outcome outcome,
                      const char *text_or_json)
{
    stf__work_item item = core_case_find_work(c, element);
    stf__event event = {.kind = STF__EVENT_WORK,
                        .outcome = outcome,
                        .activation = item.activation,
                        .attempt = item.attempt,
                        .element = item.element};
    if (outcome == STF__WORK_COMPLETED) {
        step_with(c, event, text_or_json);
        return;
    }
    if (outcome == STF__WORK_BPMN_ERROR) {
        event.code = stf_str_of(text_or_json);
    } else {
        event.message = stf_str_of(text_or_json);
    }
    step_with(c, event, NULL);
}

void core_case_work(core_case *c, const char *element, const char *json)
{
    core_case_start_work(c, element);
    core_case_answer(c, element, STF__WORK_COMPLETED, json);
}

/* ---- other records */

stf__sender core_case_sender(uint64_t sequence)
{
    stf__sender sender = {
        .is_given = true, .sequence = sequence, .activation = 7, .id = stf_str_of("other")};
    memset(sender.nonce, 1, sizeof(sender.nonce));
    return sender;
}

size_t core_case_count_sends(const core_case *c, stf__send_kind kind)
{
    stf__send_item item;
    size_t count = 0;
    for (size_t i = 0; stf__doc_get_send(c->doc, i, &item); i++) {
        count += item.kind == (uint32_t)kind ? 1 : 0;
    }
    return count;
}

stf__send_item core_case_find_send(core_case *c, stf__send_kind kind)
{
    stf__send_item item;
    stf__send_item found = {.number = 0};
    for (size_t i = 0; stf__doc_get_send(c->doc, i, &item); i++) {
        if (item.kind == (uint32_t)kind) {
            ck_assert_uint_eq(found.number, 0);
            found = item;
        }
    }
    ck_assert_msg(found.number != 0, "no entry of kind %d is in the outbox", (int)kind);
    return found;
}

void core_case_ack(core_case *c, const stf__send_item *item, stf__ack_answer answer)
{
    stf__ack ack = {.number = item->number, .sequence = item->sequence, .answer = (uint32_t)answer};
    core_case_event(c, (stf__event){.kind = STF__EVENT_ACK, .acks = &ack, .ack_count = 1}, NULL);
}

stf_status core_case_try_child(core_case *c, const char *element, stf__event event)
{
    char id[STF_LIMIT_ID_BYTES + 1];
    event.kind = STF__EVENT_CHILD;
    for (size_t i = 0; i < c->doc->activation_count; i++) {
        const stf__activation *activation = c->doc->activations[i];
        if (!stf_str_equal(activation->element, stf_str_of(element))) {
            continue;
        }
        snprintf(id, sizeof(id), "%.*s", STF_STR_ARG(activation->child));
        event.activation = activation->number;
        event.sender = (stf__sender){.is_given = true, .sequence = 1, .id = stf_str_of(id)};
        memset(event.sender.nonce, (int)(c->doc->counters.send + 2), sizeof(event.sender.nonce));
        return core_case_step(c, &event);
    }
    ck_abort_msg("nothing is active at %s", element);
    return STF_INTERNAL;
}

void core_case_child(core_case *c, const char *element, stf__child_how how, const char *code,
                     const char *json)
{
    stf_value *variables = core_case_json(json);
    stf__event event = {.how = how, .code = stf_str_of(code), .variables = variables};
    STF_CHECK_OK(core_case_try_child(c, element, event), &c->error);
    stf_value_unref(variables);
}

/* ---- expectations */

void core_case_expect_nobody(core_case *c, const char *name, const char *key)
{
    stf__event event = {
        .kind = STF__EVENT_MESSAGE, .name = stf_str_of(name), .key = stf_str_of(key)};
    ck_assert_int_eq(core_case_step(c, &event), STF_NOT_FOUND);
}

stf__doc_summary core_case_summary(core_case *c)
{
    stf__doc_summary summary;
    check_ok(c, stf__doc_summarise(c->doc, &c->arena, &summary, &c->error), "summary");
    return summary;
}

static int compare_ids(const void *a, const void *b)
{
    return stf_str_compare(*(const stf_str *)a, *(const stf_str *)b);
}

enum {
    IDS_MAX = 512
};

static size_t split(const char *text, stf_str ids[IDS_MAX])
{
    size_t count = 0;
    for (const char *at = text + strspn(text, " "); *at != '\0'; at += strspn(at, " ")) {
        ck_assert_uint_lt(count, IDS_MAX);
        ids[count++] = (stf_str){at, strcspn(at, " ")};
        at += ids[count - 1].size;
    }
    qsort(ids, count, sizeof(ids[0]), compare_ids);
    return count;
}

static stf_value *view_of(core_case *c)
{
    stf_value *view = NULL;
    STF_CHECK_OK(stf__doc_view(c->doc, c->process, &view, &c->error), &c->error);
    return view;
}

void core_case_expect_waiting(core_case *c, const char *ids)
{
    stf_str want[IDS_MAX];
    stf_str have[IDS_MAX];
    size_t want_count = split(ids, want);
    stf_value *view = view_of(c);
    const stf_value *list = stf_value_peek(view, stf_str_of("waiting"));
    size_t have_count = stf_value_count(list);
    ck_assert_uint_le(have_count, IDS_MAX);
    for (size_t i = 0; i < have_count; i++) {
        have[i] = stf_value_peek_string(stf_value_peek_item(list, i));
    }
    qsort(have, have_count, sizeof(have[0]), compare_ids);
    for (size_t i = 0; i < have_count && i < want_count; i++) {
        ck_assert_msg(stf_str_equal(have[i], want[i]), "%.*s waits instead of %.*s",
                      STF_STR_ARG(have[i]), STF_STR_ARG(want[i]));
    }
    ck_assert_msg(have_count == want_count, "%zu wait, not \"%s\"", have_count, ids);
    stf_value_unref(view);
}

size_t core_case_count(const core_case *c, stf_fact_kind kind, const char *element)
{
    size_t count = 0;
    for (size_t i = 0; i < c->fact_count; i++) {
        if (c->facts[i].kind == (uint32_t)kind &&
            (element == NULL || strcmp(c->facts[i].element, element) == 0)) {
            count++;
        }
    }
    return count;
}

void core_case_expect_completed(core_case *c, const char *id, size_t times)
{
    size_t count = core_case_count(c, STF_FACT_NODE_COMPLETED, id);
    ck_assert_msg(count == times, "%s completed %zu times instead of %zu", id, count, times);
}

void core_case_expect_incident(core_case *c, const char *element, const char *kind,
                               const char *message_part)
{
    stf_value *view = view_of(c);
    const stf_value *list = stf_value_peek(view, stf_str_of("incidents"));
    ck_assert_uint_eq(stf_value_count(list), 1);
    const stf_value *incident = stf_value_peek_item(list, 0);
    STF_CHECK_STR(stf_value_peek_string(stf_value_peek(incident, stf_str_of("element"))), element);
    STF_CHECK_STR(stf_value_peek_string(stf_value_peek(incident, stf_str_of("kind"))), kind);
    stf_str message = stf_value_peek_string(stf_value_peek(incident, stf_str_of("message")));
    ck_assert_msg(memmem(message.data, message.size, message_part, strlen(message_part)) != NULL,
                  "\"%.*s\" does not say \"%s\"", (int)message.size, message.data, message_part);
    stf_value_unref(view);
    core_case_expect_status(c, STF_RECORD_INCIDENT);
}

void core_case_expect_status(core_case *c, stf_record_status status)
{
    ck_assert_uint_eq(core_case_summary(c).status, status);
}

void core_case_expect_variable(core_case *c, const char *name, const char *json)
{
    stf_value *variables = NULL;
    STF_CHECK_OK(stf__doc_copy_variables(c->doc, 0, &variables, &c->error), &c->error);
    stf_value *expected = core_case_json(json);
    const stf_value *actual = stf_value_peek(variables, stf_str_of(name));
    ck_assert_msg(actual != NULL, "there is no variable %s", name);
    ck_assert_msg(stf_value_equal(actual, expected), "%s is not %s", name, json);
    stf_value_unref(variables);
    stf_value_unref(expected);
}

void core_case_expect_one_end_each(core_case *c)
{
    ck_assert(stf__doc_has_ended(c->doc));
    for (size_t i = 0; i < c->fact_count; i++) {
        if (c->facts[i].kind != STF_FACT_NODE_ENTERED) {
            continue;
        }
        size_t ends = 0;
        for (size_t k = 0; k < c->fact_count; k++) {
            bool is_end = c->facts[k].kind == STF_FACT_NODE_COMPLETED ||
                          c->facts[k].kind == STF_FACT_NODE_CANCELLED;
            ends += is_end && c->facts[k].activation == c->facts[i].activation ? 1 : 0;
        }
        ck_assert_msg(ends == 1, "%s (%llu) has %zu ends", c->facts[i].element,
                      (unsigned long long)c->facts[i].activation, ends);
    }
}
