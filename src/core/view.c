/* SPDX-License-Identifier: Apache-2.0 */
/* The document as people and JSON see it. Built from small rows; the first failure sticks and is
 * returned at the end. */
#include "core/doc.h"

#define ROW_FIELDS 20u

/* A context under construction. */
typedef struct row {
    const stf_allocator *alloc;
    stf_status status;
    size_t count;
    stf_str keys[ROW_FIELDS];
    stf_value *values[ROW_FIELDS];
} row;

/* Takes the value; NULL: it could not be made. */
static void put(row *into, const char *key, stf_value *value, stf_status status)
{
    if (into->status == STF_OK) {
        into->status = status;
    }
    if (status != STF_OK || into->count == ROW_FIELDS) {
        stf_value_unref(value);
        return;
    }
    into->keys[into->count] = stf_str_of(key);
    into->values[into->count++] = value;
}

static void put_text(row *into, const char *key, stf_str text)
{
    stf_value *value = NULL;
    stf_status status = stf_value_new_string(into->alloc, text, &value, NULL);
    put(into, key, value, status);
}

static void put_number(row *into, const char *key, uint64_t number)
{
    stf_value *value = NULL;
    stf_status status = stf_value_new_int(into->alloc, (int64_t)number, &value, NULL);
    put(into, key, value, status);
}

static void put_time(row *into, const char *key, stf_wall time)
{
    char text[STF_WALL_TEXT_BYTES];
    stf_wall_format(time, text);
    put_text(into, key, stf_str_of(text));
}

static void put_time_or_null(row *into, const char *key, stf_wall time)
{
    if (stf_wall_is_none(time)) {
        put(into, key, stf_value_null(), STF_OK);
    } else {
        put_time(into, key, time);
    }
}

/* Ends the row; one reference, or NULL. */
static stf_value *finish_row(row *from, stf_status *status)
{
    stf_value *context = NULL;
    if (from->status == STF_OK) {
        from->status = stf_value_new_context(from->alloc, from->keys, from->values, from->count,
                                             &context, NULL);
    }
    for (size_t i = 0; i < from->count; i++) {
        stf_value_unref(from->values[i]);
    }
    *status = from->status;
    return context;
}

/* A list of rows: make answers one entry, or NULL with OK for what does not belong. */
typedef stf_value *(*make_entry)(const stf__doc *doc, size_t index, stf_status *status);

static void put_list(row *into, const stf__doc *doc, const char *key, size_t count, make_entry make)
{
    stf_value **items = stf__mem_zalloc_array(doc->alloc, count + 1, sizeof(stf_value *));
    stf_status status = items != NULL ? STF_OK : STF_NO_MEMORY;
    size_t used = 0;
    for (size_t i = 0; status == STF_OK && i < count; i++) {
        stf_value *item = make(doc, i, &status);
        if (item != NULL) {
            items[used++] = item;
        }
    }
    stf_value *list = NULL;
    if (status == STF_OK) {
        status = stf_value_new_list(doc->alloc, items, used, &list, NULL);
    }
    for (size_t i = 0; i < used; i++) {
        stf_value_unref(items[i]);
    }
    stf__mem_free(doc->alloc, items);
    put(into, key, list, status);
}

static row new_row(const stf__doc *doc)
{
    return (row){.alloc = doc->alloc, .status = STF_OK};
}

/* ---- entries */

static bool is_job(const stf__activation *activation)
{
    return activation->work.state == STF__DURABLE_PENDING;
}

static stf_value *make_waiting(const stf__doc *doc, size_t index, stf_status *status)
{
    const stf__activation *activation = doc->activations[index];
    uint32_t reason = activation->active_for;
    bool waits = reason == STF__FOR_TASK || reason == STF__FOR_TIMER ||
                 reason == STF__FOR_MESSAGE || reason == STF__FOR_EVENTS || is_job(activation);
    stf_value *element = NULL;
    if (waits) {
        *status = stf_value_new_string(doc->alloc, activation->element, &element, NULL);
    }
    return element;
}

static stf_value *make_task(const stf__doc *doc, size_t index, stf_status *status)
{
    const stf__activation *activation = doc->activations[index];
    if (activation->active_for != STF__FOR_TASK) {
        return NULL;
    }
    row task = new_row(doc);
    put_number(&task, "activation", activation->number);
    put_text(&task, "element", activation->element);
    put_time(&task, "since", activation->since);
    return finish_row(&task, status);
}

static stf_value *make_job(const stf__doc *doc, size_t index, stf_status *status)
{
    const stf__activation *activation = doc->activations[index];
    if (!is_job(activation)) {
        return NULL;
    }
    row job = new_row(doc);
    put_number(&job, "activation", activation->number);
    put_text(&job, "element", activation->element);
    put_text(&job, "topic", stf_str_of(activation->work.topic));
    put_number(&job, "attempt", activation->work.attempt);
    put(&job, "started", stf_value_bool(activation->work.is_started), STF_OK);
    return finish_row(&job, status);
}

static stf_value *make_timer(const stf__doc *doc, size_t index, stf_status *status)
{
    const stf__timer *timer = &doc->timers[index];
    row entry = new_row(doc);
    put_text(&entry, "element", timer->element);
    put_number(&entry, "activation", timer->activation);
    put_time(&entry, "due", timer->due);
    return finish_row(&entry, status);
}

static stf_value *make_join(const stf__doc *doc, size_t index, stf_status *status)
{
    const stf__token *token = &doc->parked[index];
    row entry = new_row(doc);
    put_text(&entry, "element", token->node);
    put_text(&entry, "flow", token->flow);
    put_number(&entry, "count", token->count);
    return finish_row(&entry, status);
}

static stf_value *make_incident(const stf__doc *doc, size_t index, stf_status *status)
{
    const stf__incident *incident = &doc->incidents[index];
    const stf__activation *owner = stf__doc_find_activation(doc, incident->activation);
    row entry = new_row(doc);
    put_number(&entry, "incident", incident->number);
    put_text(&entry, "element", owner != NULL ? owner->element : (stf_str){NULL, 0});
    put_number(&entry, "activation", incident->activation);
    put_text(&entry, "kind", stf_str_of(stf__incident_kind_name(incident->kind)));
    if (incident->kind == STF__INCIDENT_BPMN_ERROR) {
        put_text(&entry, "code", stf_str_of(incident->code));
    }
    put_text(&entry, "message", stf_str_of(incident->message));
    put_number(&entry, "line", incident->line);
    put_time(&entry, "opened", incident->opened);
    put_time_or_null(&entry, "retry", incident->retry_at);
    return finish_row(&entry, status);
}

static stf_value *make_message(const stf__doc *doc, size_t index, stf_status *status)
{
    const stf__subscription *subscription = &doc->subscriptions[index];
    row entry = new_row(doc);
    put_text(&entry, "element", subscription->element);
    put_number(&entry, "activation", subscription->activation);
    put_text(&entry, "name", subscription->name);
    put_text(&entry, "key", subscription->key);
    put_time(&entry, "since", subscription->since);
    return finish_row(&entry, status);
}

static stf_value *make_call(const stf__doc *doc, size_t index, stf_status *status)
{
    const stf__activation *activation = doc->activations[index];
    if (activation->active_for != STF__FOR_CHILD) {
        return NULL;
    }
    row entry = new_row(doc);
    put_text(&entry, "element", activation->element);
    put_number(&entry, "activation", activation->number);
    put_text(&entry, "instance", activation->child);
    return finish_row(&entry, status);
}

static void put_own_variables(row *into, const stf__doc *doc, const stf__scope *scope)
{
    size_t count = scope->variable_count;
    stf_str *names = stf__mem_zalloc_array(doc->alloc, count + 1, sizeof(*names));
    stf_value **values = stf__mem_zalloc_array(doc->alloc, count + 1, sizeof(stf_value *));
    stf_value *variables = NULL;
    stf_status status = STF_NO_MEMORY;
    if (names != NULL && values != NULL) {
        for (size_t i = 0; i < count; i++) {
            names[i] = scope->variables[i].name;
            values[i] = scope->variables[i].value;
        }
        status = stf_value_new_context(doc->alloc, names, values, count, &variables, NULL);
    }
    stf__mem_free(doc->alloc, names);
    stf__mem_free(doc->alloc, values);
    put(into, "variables", variables, status);
}

/* Those of sub-processes; the process's own variables stand at the top. */
static stf_value *make_scope(const stf__doc *doc, size_t index, stf_status *status)
{
    const stf__scope *scope = &doc->scopes[index];
    const stf__activation *owner = stf__doc_find_activation(doc, scope->number);
    if (scope->number == 0) {
        return NULL;
    }
    row entry = new_row(doc);
    put_text(&entry, "element", owner != NULL ? owner->element : (stf_str){NULL, 0});
    put_number(&entry, "activation", scope->number);
    put_own_variables(&entry, doc, scope);
    return finish_row(&entry, status);
}

static const char *send_kind_name(uint32_t kind)
{
    static const char *const names[] = {[STF__SEND_MESSAGE] = "message",
                                        [STF__SEND_CREATE] = "create",
                                        [STF__SEND_RESULT] = "result",
                                        [STF__SEND_CANCEL] = "cancel"};
    return kind >= 1 && kind < STF_COUNT_OF(names) ? names[kind] : "?";
}

static stf_value *make_send(const stf__doc *doc, size_t index, stf_status *status)
{
    const stf__send *send = &doc->outbox[index];
    row entry = new_row(doc);
    put_text(&entry, "kind", stf_str_of(send_kind_name(send->kind)));
    put_text(&entry, "element", send->element);
    put_text(&entry, "target", send->target);
    put_text(&entry, "name", send->name);
    put_text(&entry, "key", send->key);
    put_time(&entry, "since", send->since);
    return finish_row(&entry, status);
}

static stf_value *make_caller(const stf__doc *doc, stf_status *status)
{
    if (doc->caller.id.size == 0) {
        return stf_value_null();
    }
    row caller = new_row(doc);
    put_text(&caller, "instance", doc->caller.id);
    put_number(&caller, "activation", doc->caller.activation);
    return finish_row(&caller, status);
}

static const char *end_name(uint32_t how)
{
    static const char *const names[] = {[STF__END_COMPLETED] = "completed",
                                        [STF__END_TERMINATED] = "terminated",
                                        [STF__END_FAILED] = "failed",
                                        [STF__END_CANCELLED] = "cancelled"};
    return how >= 1 && how < STF_COUNT_OF(names) ? names[how] : "?";
}

/* The code of an error, and its message or why it was cancelled, only where there can be one. */
static stf_value *make_end(const stf__doc *doc, stf_status *status)
{
    if (!stf__doc_has_ended(doc)) {
        return stf_value_null();
    }
    row end = new_row(doc);
    put_text(&end, "how", stf_str_of(end_name(doc->end_how)));
    put_text(&end, "element", doc->end_element);
    put_time(&end, "at", doc->end_at);
    if (doc->end_how == STF__END_FAILED) {
        put_text(&end, "code", doc->end_code);
    }
    if (doc->end_message != NULL) {
        put_text(&end, "message", stf_str_of(doc->end_message));
    }
    return finish_row(&end, status);
}

stf_status stf__doc_view(const stf__doc *doc, const stf__process *process, stf_value **ret_view,
                         stf_error *error)
{
    (void)process; /* ids and times say enough so far */
    row view = new_row(doc);
    stf_value *variables = NULL;
    stf_status status = stf__doc_copy_variables(doc, 0, &variables, error);
    put(&view, "variables", variables, status);
    put_text(&view, "process", doc->identity.process);
    put_number(&view, "version", (uint64_t)doc->identity.version);
    put_list(&view, doc, "waiting", doc->activation_count, make_waiting);
    put_list(&view, doc, "tasks", doc->activation_count, make_task);
    put_list(&view, doc, "timers", doc->timer_count, make_timer);
    put_list(&view, doc, "jobs", doc->activation_count, make_job);
    put_list(&view, doc, "joins", doc->parked_count, make_join);
    put_list(&view, doc, "incidents", doc->incident_count, make_incident);
    put_list(&view, doc, "messages", doc->subscription_count, make_message);
    put_list(&view, doc, "calls", doc->activation_count, make_call);
    put_list(&view, doc, "scopes", doc->scope_count, make_scope);
    put_list(&view, doc, "outbox", doc->outbox_count, make_send);
    status = STF_OK;
    stf_value *caller = make_caller(doc, &status);
    put(&view, "caller", caller, status);
    stf_value *end = make_end(doc, &status);
    put(&view, "end", end, status);
    stf_value *built = finish_row(&view, &status);
    if (status != STF_OK) {
        return stf_error_set(error, status, "CORE", "the view of \"%.*s\" cannot be built: %s",
                             STF_STR_ARG(doc->identity.id), stf_status_text(status));
    }
    *ret_view = built;
    return STF_OK;
}
