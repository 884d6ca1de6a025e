/* SPDX-License-Identifier: Apache-2.0 */
/* Writing a document; the format is in codec.h. Lists are in canonical order already, so equal
 * documents give equal bytes. */
#include "core/codec.h"
#include "value/cbor.h"

static void put_time(stf__cbor_writer *writer, stf_wall time)
{
    stf__cbor_put_int(writer, time.us);
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
        stf__cbor_put_array(writer, 3);
        stf__cbor_put_uint(writer, doc->end_how);
        stf__cbor_put_text(writer, doc->end_element);
        put_time(writer, doc->end_at);
    }
    stf__cbor_put_array(writer, 5);
    stf__cbor_put_uint(writer, doc->counters.activation);
    stf__cbor_put_uint(writer, doc->counters.incident);
    stf__cbor_put_uint(writer, doc->counters.timer);
    stf__cbor_put_uint(writer, doc->counters.sequence);
    stf__cbor_put_uint(writer, doc->counters.yields);
}

static bool is_in_bulk(const stf__variable *variable)
{
    return variable->encoded_bytes > STF__CODEC_HEAD_VALUE_BYTES;
}

static void put_scopes(stf__cbor_writer *writer, const stf__doc *doc)
{
    const stf__scope *scope = &doc->scopes[0];
    stf__cbor_put_array(writer, 1);
    stf__cbor_put_array(writer, 4);
    stf__cbor_put_uint(writer, scope->number);
    stf__cbor_put_uint(writer, scope->parent);
    stf__cbor_put_uint(writer, scope->number);
    stf__cbor_put_array(writer, scope->variable_count);
    for (size_t i = 0; i < scope->variable_count; i++) {
        const stf__variable *variable = &scope->variables[i];
        stf__cbor_put_array(writer, 3);
        stf__cbor_put_text(writer, variable->name);
        stf__cbor_put_bool(writer, is_in_bulk(variable));
        if (is_in_bulk(variable)) {
            stf__cbor_put_uint(writer, variable->encoded_bytes);
        } else {
            stf__cbor_put_value(writer, variable->value);
        }
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
    stf__cbor_put_array(writer, 8);
    stf__cbor_put_uint(writer, work->state);
    stf__cbor_put_uint(writer, work->attempt);
    stf__cbor_put_uint(writer, work->definitive_failures);
    stf__cbor_put_bool(writer, work->is_started);
    stf__cbor_put_bool(writer, work->is_idempotent_task);
    stf__cbor_put_bool(writer, work->is_idempotent_handler);
    stf__cbor_put_int(writer, work->incarnation);
    put_c_str(writer, work->topic);
}

static void put_activations(stf__cbor_writer *writer, const stf__doc *doc)
{
    stf__cbor_put_array(writer, doc->activation_count);
    for (size_t i = 0; i < doc->activation_count; i++) {
        const stf__activation *activation = doc->activations[i];
        stf__cbor_put_array(writer, 8);
        stf__cbor_put_uint(writer, activation->number);
        stf__cbor_put_uint(writer, activation->scope);
        stf__cbor_put_text(writer, activation->element);
        stf__cbor_put_text(writer, activation->flow);
        stf__cbor_put_uint(writer, activation->phase);
        stf__cbor_put_uint(writer, activation->active_for);
        put_time(writer, activation->since);
        put_work(writer, &activation->work);
    }
}

static void put_waits(stf__cbor_writer *writer, const stf__doc *doc)
{
    stf__cbor_put_array(writer, doc->timer_count);
    for (size_t i = 0; i < doc->timer_count; i++) {
        const stf__timer *timer = &doc->timers[i];
        stf__cbor_put_array(writer, 5);
        stf__cbor_put_uint(writer, STF__WAIT_TIMER);
        stf__cbor_put_uint(writer, timer->number);
        stf__cbor_put_uint(writer, timer->activation);
        stf__cbor_put_text(writer, timer->element);
        put_time(writer, timer->due);
    }
}

static void put_incidents(stf__cbor_writer *writer, const stf__doc *doc)
{
    stf__cbor_put_array(writer, doc->incident_count);
    for (size_t i = 0; i < doc->incident_count; i++) {
        const stf__incident *incident = &doc->incidents[i];
        stf__cbor_put_array(writer, 7);
        stf__cbor_put_uint(writer, incident->number);
        stf__cbor_put_uint(writer, incident->activation);
        stf__cbor_put_uint(writer, incident->kind);
        stf__cbor_put_uint(writer, incident->line);
        put_time(writer, incident->opened);
        put_c_str(writer, incident->code);
        put_c_str(writer, incident->message);
    }
}

/* The fields of later issues, and who saved what. */
static void put_tail(stf__cbor_writer *writer, const stf__doc *doc)
{
    stf__cbor_put_array(writer, 0); /* iterations */
    stf__cbor_put_array(writer, 0); /* compensation ledger */
    stf__cbor_put_uint(writer, 0);  /* sweep position */
    stf__cbor_put_array(writer, 0); /* call links */
    stf__cbor_put_array(writer, 0); /* outbox */
    stf__cbor_put_array(writer, 0); /* senders heard */
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

/* Every variable's size becomes known, and with it where it goes. */
static stf_status measure(stf__doc *doc, size_t *ret_bulk_count, stf_error *error)
{
    stf_buf scratch;
    stf_buf_init(&scratch, doc->alloc);
    stf_status status = STF_OK;
    size_t bulk_count = 0;
    for (size_t i = 0; status == STF_OK && i < doc->scopes[0].variable_count; i++) {
        stf__variable *variable = &doc->scopes[0].variables[i];
        if (variable->encoded_bytes == 0) {
            stf_buf_clear(&scratch);
            stf__cbor_writer writer = {.buf = &scratch, .status = STF_OK};
            stf__cbor_put_value(&writer, variable->value);
            status = writer.status;
            if (status != STF_OK) {
                status = tell_value_failure(status, variable, error);
                break;
            }
            variable->encoded_bytes = scratch.size;
            doc->bulk_version += is_in_bulk(variable) ? 1 : 0;
        }
        bulk_count += is_in_bulk(variable) ? 1 : 0;
    }
    stf_buf_done(&scratch);
    *ret_bulk_count = bulk_count;
    return status;
}

static stf_status put_bulk(const stf__doc *doc, stf_buf *bulk, size_t bulk_count)
{
    stf__cbor_writer writer = {.buf = bulk, .status = STF_OK};
    if (bulk_count == 0) {
        return STF_OK;
    }
    stf__cbor_put_array(&writer, bulk_count);
    for (size_t i = 0; i < doc->scopes[0].variable_count; i++) {
        if (is_in_bulk(&doc->scopes[0].variables[i])) {
            stf__cbor_put_value(&writer, doc->scopes[0].variables[i].value);
        }
    }
    return writer.status;
}

static stf_status put_head(const stf__doc *doc, stf_buf *head)
{
    static const uint8_t prefix[STF__CODEC_PREFIX_BYTES] = {'S', 'T', 'F', 'D', 0, 1};
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
    put_tail(&writer, doc);
    return writer.status;
}

stf_status stf__doc_encode(stf__doc *doc, stf_buf *head, stf_buf *bulk, bool *ret_bulk_changed,
                           stf_error *error)
{
    size_t head_before = head->size;
    size_t bulk_before = bulk->size;
    size_t bulk_count = 0;
    stf_status status = measure(doc, &bulk_count, error);
    if (status != STF_OK) {
        return status;
    }
    status = put_head(doc, head);
    if (status == STF_OK) {
        status = put_bulk(doc, bulk, bulk_count);
    }
    if (status != STF_OK) {
        head->size = head_before;
        bulk->size = bulk_before;
        return stf_error_set(error, status, "CORE", "the document of \"%.*s\" cannot be encoded",
                             STF_STR_ARG(doc->identity.id));
    }
    doc->bulk_encoded = doc->bulk_version;
    *ret_bulk_changed = doc->bulk_encoded != doc->bulk_saved;
    return STF_OK;
}
