/* SPDX-License-Identifier: Apache-2.0 */
/* Writing a document; the format is in codec.h. Lists are in canonical order already, so equal
 * documents give equal bytes. */
#include "core/codec.h"
#include "value/cbor.h"

static void put_time(stf__cbor_writer *writer, stf_wall time)
{
    stf__cbor_put_int(writer, time.us);
}

static void put_time_or_null(stf__cbor_writer *writer, stf_wall time)
{
    if (stf_wall_is_none(time)) {
        stf__cbor_put_null(writer);
    } else {
        put_time(writer, time);
    }
}

static void put_c_str(stf__cbor_writer *writer, const char *text)
{
    stf__cbor_put_text(writer, stf_str_of(text));
}

static void put_identity(stf__cbor_writer *writer, const stf__doc *doc)
{
    stf__cbor_put_text(writer, doc->identity.id);
    stf__cbor_put_text(writer, doc->identity.process);
    stf__cbor_put_int(writer, doc->identity.version);
    stf__cbor_put_bytes(writer, (stf_bytes){doc->identity.nonce, sizeof(doc->identity.nonce)});
    put_time(writer, doc->identity.created);
}

static void put_end_and_counters(stf__cbor_writer *writer, const stf__doc *doc)
{
    if (!stf__doc_has_ended(doc)) {
        stf__cbor_put_null(writer);
    } else {
        stf__cbor_put_array(writer, 5);
        stf__cbor_put_uint(writer, doc->end_how);
        stf__cbor_put_text(writer, doc->end_element);
        put_time(writer, doc->end_at);
        stf__cbor_put_text(writer, doc->end_code);
        if (doc->end_message != NULL) {
            put_c_str(writer, doc->end_message);
        } else {
            stf__cbor_put_null(writer);
        }
    }
    stf__cbor_put_array(writer, 6);
    stf__cbor_put_uint(writer, doc->counters.activation);
    stf__cbor_put_uint(writer, doc->counters.incident);
    stf__cbor_put_uint(writer, doc->counters.timer);
    stf__cbor_put_uint(writer, doc->counters.sequence);
    stf__cbor_put_uint(writer, doc->counters.send);
    stf__cbor_put_uint(writer, doc->counters.yields);
}

static void put_scope(stf__cbor_writer *writer, const stf__scope *scope)
{
    stf__cbor_put_array(writer, 3);
    stf__cbor_put_uint(writer, scope->number);
    stf__cbor_put_uint(writer, scope->parent);
    stf__cbor_put_array(writer, scope->variable_count);
    for (size_t i = 0; i < scope->variable_count; i++) {
        const stf__variable *variable = &scope->variables[i];
        stf__cbor_put_array(writer, 3);
        stf__cbor_put_text(writer, variable->name);
        stf__cbor_put_bool(writer, stf__variable_is_in_bulk(variable));
        if (stf__variable_is_in_bulk(variable)) {
            stf__cbor_put_uint(writer, variable->encoded_bytes);
        } else {
            stf__cbor_put_value(writer, variable->value);
        }
    }
}

static void put_scopes(stf__cbor_writer *writer, const stf__doc *doc)
{
    stf__cbor_put_array(writer, doc->scope_count);
    for (size_t i = 0; i < doc->scope_count; i++) {
        put_scope(writer, &doc->scopes[i]);
    }
}

static void put_token(stf__cbor_writer *writer, const stf__token *token, bool has_count)
{
    stf__cbor_put_array(writer, has_count ? 5 : 4);
    stf__cbor_put_uint(writer, token->scope);
    stf__cbor_put_text(writer, token->node);
    stf__cbor_put_text(writer, token->flow);
    put_time(writer, token->since);
    if (has_count) {
        stf__cbor_put_uint(writer, token->count);
    }
}

static void put_tokens(stf__cbor_writer *writer, const stf__doc *doc)
{
    stf__cbor_put_array(writer, doc->ready_count);
    for (size_t i = 0; i < doc->ready_count; i++) {
        put_token(writer, &doc->ready[doc->ready_first + i], false);
    }
    stf__cbor_put_array(writer, doc->parked_count);
    for (size_t i = 0; i < doc->parked_count; i++) {
        put_token(writer, &doc->parked[i], true);
    }
}

static void put_work(stf__cbor_writer *writer, const stf__work *work)
{
    if (work->state == STF__DURABLE_ABSENT) {
        stf__cbor_put_null(writer);
        return;
    }
    stf__cbor_put_array(writer, 9);
    stf__cbor_put_uint(writer, work->state);
    stf__cbor_put_uint(writer, work->attempt);
    stf__cbor_put_uint(writer, work->definitive_failures);
    stf__cbor_put_bool(writer, work->is_started);
    stf__cbor_put_bool(writer, work->is_idempotent_task);
    stf__cbor_put_bool(writer, work->is_idempotent_handler);
    stf__cbor_put_int(writer, work->incarnation);
    put_c_str(writer, work->topic);
    stf__cbor_put_uint(writer, work->retries);
}

static void put_activations(stf__cbor_writer *writer, const stf__doc *doc)
{
    stf__cbor_put_array(writer, doc->activation_count);
    for (size_t i = 0; i < doc->activation_count; i++) {
        const stf__activation *activation = doc->activations[i];
        stf__cbor_put_array(writer, 9);
        stf__cbor_put_uint(writer, activation->number);
        stf__cbor_put_uint(writer, activation->scope);
        stf__cbor_put_text(writer, activation->element);
        stf__cbor_put_text(writer, activation->flow);
        stf__cbor_put_uint(writer, activation->phase);
        stf__cbor_put_uint(writer, activation->active_for);
        put_time(writer, activation->since);
        put_work(writer, &activation->work);
        stf__cbor_put_text(writer, activation->child);
    }
}

static void put_timer(stf__cbor_writer *writer, const stf__timer *timer)
{
    bool is_cycle = timer->cycle.size != 0;
    stf__cbor_put_array(writer, is_cycle ? 8 : 5);
    stf__cbor_put_uint(writer, is_cycle ? STF__WAIT_CYCLE : STF__WAIT_TIMER);
    stf__cbor_put_uint(writer, timer->number);
    stf__cbor_put_uint(writer, timer->activation);
    stf__cbor_put_text(writer, timer->element);
    put_time(writer, timer->due);
    if (is_cycle) {
        stf__cbor_put_text(writer, timer->cycle);
        put_time(writer, timer->anchor);
        stf__cbor_put_uint(writer, timer->index);
    }
}

static void put_subscription(stf__cbor_writer *writer, const stf__subscription *subscription)
{
    stf__cbor_put_array(writer, 7);
    stf__cbor_put_uint(writer, STF__WAIT_MESSAGE);
    stf__cbor_put_uint(writer, subscription->number);
    stf__cbor_put_uint(writer, subscription->activation);
    stf__cbor_put_text(writer, subscription->element);
    stf__cbor_put_text(writer, subscription->name);
    stf__cbor_put_text(writer, subscription->key);
    put_time(writer, subscription->since);
}

/* Both lists are by number; one row of numbers is for both. */
static void put_waits(stf__cbor_writer *writer, const stf__doc *doc)
{
    size_t timer = 0;
    size_t subscription = 0;
    stf__cbor_put_array(writer, doc->timer_count + doc->subscription_count);
    while (timer < doc->timer_count || subscription < doc->subscription_count) {
        if (subscription == doc->subscription_count ||
            (timer < doc->timer_count &&
             doc->timers[timer].number < doc->subscriptions[subscription].number)) {
            put_timer(writer, &doc->timers[timer++]);
        } else {
            put_subscription(writer, &doc->subscriptions[subscription++]);
        }
    }
}

static void put_incidents(stf__cbor_writer *writer, const stf__doc *doc)
{
    stf__cbor_put_array(writer, doc->incident_count);
    for (size_t i = 0; i < doc->incident_count; i++) {
        const stf__incident *incident = &doc->incidents[i];
        stf__cbor_put_array(writer, 8);
        stf__cbor_put_uint(writer, incident->number);
        stf__cbor_put_uint(writer, incident->activation);
        stf__cbor_put_uint(writer, incident->kind);
        stf__cbor_put_uint(writer, incident->line);
        put_time(writer, incident->opened);
        put_c_str(writer, incident->code);
        put_c_str(writer, incident->message);
        put_time_or_null(writer, incident->retry_at);
    }
}

static void put_caller(stf__cbor_writer *writer, const stf__doc *doc)
{
    if (doc->caller.id.size == 0) {
        stf__cbor_put_null(writer);
        return;
    }
    stf__cbor_put_array(writer, 3);
    stf__cbor_put_text(writer, doc->caller.id);
    stf__cbor_put_uint(writer, doc->caller.activation);
    stf__cbor_put_uint(writer, doc->caller.depth);
}

static void put_send(stf__cbor_writer *writer, const stf__send *send)
{
    stf__cbor_put_array(writer, STF__CODEC_SEND_FIELDS);
    stf__cbor_put_uint(writer, send->number);
    stf__cbor_put_uint(writer, send->sequence);
    stf__cbor_put_uint(writer, send->kind);
    stf__cbor_put_uint(writer, send->how);
    stf__cbor_put_uint(writer, send->activation);
    stf__cbor_put_text(writer, send->element);
    stf__cbor_put_text(writer, send->target);
    stf__cbor_put_bool(writer, send->is_to_queue);
    stf__cbor_put_uint(writer, send->target_activation);
    stf__cbor_put_int(writer, send->version);
    stf__cbor_put_text(writer, send->name);
    stf__cbor_put_text(writer, send->key);
    stf__cbor_put_text(writer, send->code);
    put_c_str(writer, send->message);
    if (send->variables != NULL) {
        stf__cbor_put_value(writer, send->variables);
    } else {
        stf__cbor_put_null(writer);
    }
    put_time_or_null(writer, send->until);
    put_time(writer, send->since);
}

static void put_outbox(stf__cbor_writer *writer, const stf__doc *doc)
{
    if (doc->outbox_count == 0) {
        stf__cbor_put_null(writer);
        return;
    }
    stf__cbor_put_array(writer, 3);
    put_time(writer, doc->outbox_due);
    stf__cbor_put_uint(writer, doc->outbox_tries);
    stf__cbor_put_array(writer, doc->outbox_count);
    for (size_t i = 0; i < doc->outbox_count; i++) {
        put_send(writer, &doc->outbox[i]);
    }
}

static void put_heard(stf__cbor_writer *writer, const stf__doc *doc)
{
    stf__cbor_put_array(writer, doc->heard_count);
    for (size_t i = 0; i < doc->heard_count; i++) {
        const stf__heard *heard = &doc->heard[i];
        stf__cbor_put_array(writer, 3);
        stf__cbor_put_bytes(writer, (stf_bytes){heard->nonce, sizeof(heard->nonce)});
        stf__cbor_put_uint(writer, heard->sequence);
        put_time(writer, heard->at);
    }
}

/* The fields of later issues. */
static void put_reserved(stf__cbor_writer *writer)
{
    stf__cbor_put_array(writer, 0); /* iterations */
    stf__cbor_put_array(writer, 0); /* compensation ledger */
    stf__cbor_put_uint(writer, 0);  /* sweep position */
}

static void put_saves(stf__cbor_writer *writer, const stf__doc *doc)
{
    stf__cbor_put_array(writer, 3);
    stf__cbor_put_text(writer, (stf_str){doc->writer, doc->writer_bytes});
    stf__cbor_put_int(writer, doc->writer_incarnation);
    put_time(writer, doc->written);
    stf__cbor_put_array(writer, doc->ring_count);
    for (size_t i = 0; i < doc->ring_count; i++) {
        stf__cbor_put_array(writer, 2);
        stf__cbor_put_int(writer, doc->ring[i].version);
        stf__cbor_put_bytes(
            writer, (stf_bytes){doc->ring[i].attempt.bytes, sizeof(doc->ring[i].attempt.bytes)});
    }
}

static stf_status tell_value_failure(stf_status status, const stf__variable *variable,
                                     stf_error *error)
{
    return stf_error_set(error, status, "CORE", "variable \"%.*s\" cannot be stored",
                         STF_STR_ARG(variable->name));
}

static stf_status measure_scope(stf__doc *doc, stf__scope *scope, stf_buf *scratch,
                                stf_error *error)
{
    for (size_t i = 0; i < scope->variable_count; i++) {
        stf__variable *variable = &scope->variables[i];
        if (variable->encoded_bytes == 0) {
            stf_buf_clear(scratch);
            stf__cbor_writer writer = {.buf = scratch, .status = STF_OK};
            stf__cbor_put_value(&writer, variable->value);
            if (writer.status != STF_OK) {
                return tell_value_failure(writer.status, variable, error);
            }
            variable->encoded_bytes = scratch->size;
            doc->bulk_version += stf__variable_is_in_bulk(variable) ? 1 : 0;
        }
    }
    return STF_OK;
}

/* Every variable's size becomes known, and with it where it goes. */
static stf_status measure(stf__doc *doc, stf_error *error)
{
    stf_buf scratch;
    stf_buf_init(&scratch, doc->alloc);
    stf_status status = STF_OK;
    for (size_t i = 0; status == STF_OK && i < doc->scope_count; i++) {
        status = measure_scope(doc, &doc->scopes[i], &scratch, error);
    }
    stf_buf_done(&scratch);
    return status;
}

static stf_status put_head(const stf__doc *doc, stf_buf *head)
{
    static const uint8_t prefix[STF__CODEC_PREFIX_BYTES] = {
        'S', 'T', 'F', 'D', STF__DOC_SCHEMA >> 8, STF__DOC_SCHEMA & 0xff};
    stf_status status = stf_buf_append(head, prefix, sizeof(prefix));
    if (status != STF_OK) {
        return status;
    }
    stf__cbor_writer writer = {.buf = head, .status = STF_OK};
    stf__cbor_put_array(&writer, STF__CODEC_FIELDS);
    put_identity(&writer, doc);
    put_end_and_counters(&writer, doc);
    put_scopes(&writer, doc);
    put_tokens(&writer, doc);
    put_activations(&writer, doc);
    put_waits(&writer, doc);
    put_incidents(&writer, doc);
    put_reserved(&writer);
    put_caller(&writer, doc);
    put_outbox(&writer, doc);
    put_heard(&writer, doc);
    put_saves(&writer, doc);
    stf__cbor_put_uint(&writer, doc->identity.kind);
    return writer.status;
}

static stf_status tell_failure(const stf__doc *doc, stf_status status, stf_error *error)
{
    return stf_error_set(error, status, "CORE", "the document of \"%.*s\" cannot be encoded",
                         STF_STR_ARG(doc->identity.id));
}

stf_status stf__doc_encode_head(stf__doc *doc, stf_buf *head, bool *ret_bulk_changed,
                                stf_error *error)
{
    size_t before = head->size;
    stf_status status = measure(doc, error);
    if (status != STF_OK) {
        return status;
    }
    status = put_head(doc, head);
    if (status != STF_OK) {
        head->size = before;
        return tell_failure(doc, status, error);
    }
    doc->bulk_encoded = doc->bulk_version;
    *ret_bulk_changed = doc->bulk_encoded != doc->bulk_saved;
    return STF_OK;
}

static size_t count_bulk(const stf__doc *doc)
{
    size_t count = 0;
    for (size_t i = 0; i < doc->scope_count; i++) {
        for (size_t k = 0; k < doc->scopes[i].variable_count; k++) {
            count += stf__variable_is_in_bulk(&doc->scopes[i].variables[k]) ? 1 : 0;
        }
    }
    return count;
}

stf_status stf__doc_encode_bulk(const stf__doc *doc, stf_buf *bulk, stf_error *error)
{
    size_t before = bulk->size;
    size_t count = count_bulk(doc);
    stf__cbor_writer writer = {.buf = bulk, .status = STF_OK};
    if (count > 0) {
        stf__cbor_put_array(&writer, count);
    }
    for (size_t i = 0; count > 0 && i < doc->scope_count; i++) {
        const stf__scope *scope = &doc->scopes[i];
        for (size_t k = 0; k < scope->variable_count; k++) {
            if (stf__variable_is_in_bulk(&scope->variables[k])) {
                stf__cbor_put_value(&writer, scope->variables[k].value);
            }
        }
    }
    if (writer.status != STF_OK) {
        bulk->size = before;
        return tell_failure(doc, writer.status, error);
    }
    return STF_OK;
}

stf_status stf__doc_encode(stf__doc *doc, stf_buf *head, stf_buf *bulk, bool *ret_bulk_changed,
                           stf_error *error)
{
    size_t before = head->size;
    bool has_changed = false;
    stf_status status = stf__doc_encode_head(doc, head, &has_changed, error);
    if (status != STF_OK) {
        return status;
    }
    status = stf__doc_encode_bulk(doc, bulk, error);
    if (status != STF_OK) {
        head->size = before;
        return status;
    }
    *ret_bulk_changed = has_changed;
    return STF_OK;
}
