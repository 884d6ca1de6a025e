/* SPDX-License-Identifier: Apache-2.0 */
/* Reading a document; the format is in codec.h. Strict: what the encoder would not have written is
 * CORRUPT, so that decode and encode give back the same bytes (of schema 2), and the invariants of
 * doc.h hold for whatever decodes. Safe for hostile bytes: time and memory are linear in their
 * number. */
#include "core/decoder.h"

#include <string.h>

/* ---- Reading */

void stf__decoder_fail(stf__decoder *in, stf_status status)
{
    if (stf__decoder_is_fine(in)) {
        in->head.status = status;
    }
}

void stf__decoder_require(stf__decoder *in, bool holds)
{
    if (!holds) {
        stf__decoder_fail(in, STF_CORRUPT);
    }
}

void stf__decoder_begin(stf__decoder *in, const char *part, size_t count)
{
    if (stf__decoder_is_fine(in)) {
        in->part = part;
    }
    stf__decoder_require(in, stf__cbor_get_array(&in->head) == count);
}

size_t stf__decoder_begin_list(stf__decoder *in, const char *part)
{
    if (stf__decoder_is_fine(in)) {
        in->part = part;
    }
    return stf__cbor_get_array(&in->head);
}

uint64_t stf__decoder_get_uint(stf__decoder *in, uint64_t max)
{
    uint64_t number = stf__cbor_get_uint(&in->head);
    stf__decoder_require(in, number <= max);
    return number;
}

stf_wall stf__decoder_get_time(stf__decoder *in)
{
    return (stf_wall){stf__cbor_get_int(&in->head)};
}

stf_wall stf__decoder_get_time_or_null(stf__decoder *in)
{
    if (stf__cbor_is_null(&in->head)) {
        return stf_wall_none();
    }
    stf_wall time = stf__decoder_get_time(in);
    stf__decoder_require(in, !stf_wall_is_none(time));
    return time;
}

uint64_t stf__decoder_get_next(stf__decoder *in, uint64_t last, uint64_t max)
{
    uint64_t number = stf__decoder_get_uint(in, max);
    stf__decoder_require(in, number > last);
    return number;
}

stf_str stf__decoder_get_text(stf__decoder *in, size_t bytes_max)
{
    stf_str text = stf__cbor_get_text(&in->head);
    stf_str own = {NULL, 0};
    stf__decoder_require(in, text.size <= bytes_max);
    if (stf__decoder_is_fine(in)) {
        stf_status status = stf__doc_intern(in->doc, text, &own, NULL);
        if (status != STF_OK) {
            stf__decoder_fail(in, status);
        }
    }
    return own;
}

stf_str stf__decoder_get_id(stf__decoder *in)
{
    stf_str id = stf__decoder_get_text(in, STF_LIMIT_ID_BYTES);
    stf__decoder_require(in, id.size > 0);
    return id;
}

void stf__decoder_get_block(stf__decoder *in, uint8_t *block, size_t size)
{
    stf_bytes bytes = stf__cbor_get_bytes(&in->head);
    stf__decoder_require(in, bytes.size == size);
    if (stf__decoder_is_fine(in)) {
        memcpy(block, bytes.data, size);
    }
}

stf_str stf__decoder_peek_text(stf__decoder *in, size_t bytes_max)
{
    stf_str text = stf__cbor_get_text(&in->head);
    stf__decoder_require(in, text.size <= bytes_max);
    return text;
}

stf_value *stf__decoder_get_value(stf__decoder *in, stf__cbor_reader *from, size_t *ret_bytes)
{
    const uint8_t *start = from->at;
    stf_value *value = stf__cbor_get_value(from, in->doc->alloc);
    *ret_bytes = (size_t)(from->at - start);
    if (value == NULL) {
        stf__decoder_fail(in, from->status == STF_NO_MEMORY ? STF_NO_MEMORY : STF_CORRUPT);
    }
    return value;
}

/* ---- Parts */

static void get_identity(stf__decoder *in)
{
    stf__doc_identity *identity = &in->doc->identity;
    identity->id = stf__decoder_get_text(in, STF_LIMIT_ID_BYTES);
    identity->process = stf__decoder_get_text(in, STF_LIMIT_ID_BYTES);
    identity->version = stf__cbor_get_int(&in->head);
    stf__decoder_get_block(in, identity->nonce, sizeof(identity->nonce));
    identity->created = stf__decoder_get_time(in);
}

static void get_end(stf__decoder *in)
{
    stf__doc *doc = in->doc;
    bool is_first = in->schema == 1;
    if (stf__cbor_is_null(&in->head)) {
        return;
    }
    stf__decoder_begin(in, "end", is_first ? 3 : 5);
    doc->end_how =
        (uint32_t)stf__decoder_get_uint(in, is_first ? STF__END_TERMINATED : STF__END_CANCELLED);
    stf__decoder_require(in, doc->end_how != STF__END_NOT);
    doc->end_element = stf__decoder_get_text(in, STF_LIMIT_ID_BYTES);
    doc->end_at = stf__decoder_get_time(in);
    if (is_first) {
        return;
    }
    doc->end_code = stf__decoder_get_text(in, STF_LIMIT_ID_BYTES);
    if (!stf__cbor_is_null(&in->head)) {
        stf_str message = stf__decoder_peek_text(in, STF__MESSAGE_BYTES_MAX);
        if (stf__decoder_is_fine(in)) {
            doc->end_message = stf__mem_copy_str(doc->alloc, message);
            stf__decoder_fail(in, doc->end_message != NULL ? STF_OK : STF_NO_MEMORY);
        }
    }
}

static void get_counters(stf__decoder *in)
{
    stf__doc_counters *counters = &in->doc->counters;
    stf__decoder_begin(in, "counters", in->schema == 1 ? 5 : 6);
    counters->activation = stf__decoder_get_uint(in, INT64_MAX);
    counters->incident = stf__decoder_get_uint(in, INT64_MAX);
    counters->timer = stf__decoder_get_uint(in, INT64_MAX);
    counters->sequence = stf__decoder_get_uint(in, INT64_MAX);
    counters->send = in->schema == 1 ? 0 : stf__decoder_get_uint(in, INT64_MAX);
    counters->yields = (uint32_t)stf__decoder_get_uint(in, UINT32_MAX);
}

static void get_variable(stf__decoder *in, uint64_t number)
{
    stf__decoder_begin(in, "variables", 3);
    stf_str name = stf__decoder_get_text(in, SIZE_MAX);
    bool is_in_bulk = stf__cbor_get_bool(&in->head);
    size_t bytes = 0;
    stf_value *value = NULL;
    if (is_in_bulk) {
        uint64_t expected = stf__cbor_get_uint(&in->head);
        in->bulk_count++;
        value = stf__decoder_is_fine(in) ? stf__decoder_get_value(in, &in->bulk, &bytes) : NULL;
        stf__decoder_require(in, bytes == expected && bytes > STF__BULK_BYTES_OVER);
    } else {
        value = stf__decoder_get_value(in, &in->head, &bytes);
        stf__decoder_require(in, bytes <= STF__BULK_BYTES_OVER);
    }
    stf__scope *scope = stf__doc_find_scope(in->doc, number);
    size_t count = scope->variable_count;
    stf__decoder_require(in,
                         count == 0 || stf_str_compare(scope->variables[count - 1].name, name) < 0);
    if (stf__decoder_is_fine(in)) {
        stf_status status = stf__doc_set_variable(in->doc, number, name, value, NULL);
        if (status != STF_OK) {
            stf__decoder_fail(in, status);
        } else {
            scope->variables[count].encoded_bytes = bytes;
        }
    }
    stf_value_unref(value);
}

/* The process comes first and is there already. */
static void get_scope(stf__decoder *in, bool is_process, uint64_t *last)
{
    stf__decoder_begin(in, "scopes", in->schema == 1 ? 4 : 3);
    uint64_t number = is_process ? stf__decoder_get_uint(in, 0)
                                 : stf__decoder_get_next(in, *last, in->doc->counters.activation);
    uint64_t parent = stf__decoder_get_uint(in, is_process ? 0 : *last);
    if (in->schema == 1) {
        (void)stf__decoder_get_uint(in, 0);
    }
    if (!is_process && stf__decoder_is_fine(in)) {
        stf__decoder_fail(in, stf__doc_insert_scope(in->doc, number, parent, NULL));
    }
    *last = number;
    size_t count = stf__decoder_begin_list(in, "variables");
    for (size_t i = 0; i < count && stf__decoder_is_fine(in); i++) {
        get_variable(in, number);
    }
}

static void get_scopes(stf__decoder *in)
{
    uint64_t last = 0;
    size_t count = stf__decoder_begin_list(in, "scopes");
    stf__decoder_require(in, count >= 1 && (in->schema > 1 || count == 1));
    for (size_t i = 0; i < count && stf__decoder_is_fine(in); i++) {
        get_scope(in, i == 0, &last);
    }
}

static stf__token get_token(stf__decoder *in, bool has_count)
{
    stf__decoder_begin(in, "tokens", has_count ? 5 : 4);
    stf__token token = {.count = 1};
    token.scope = stf__decoder_get_uint(in, in->doc->counters.activation);
    token.node = stf__decoder_get_id(in);
    token.flow = stf__decoder_get_text(in, STF_LIMIT_ID_BYTES);
    token.since = stf__decoder_get_time(in);
    if (has_count) {
        token.count = stf__decoder_get_uint(in, UINT32_MAX);
        stf__decoder_require(in, token.count > 0);
    }
    return token;
}

static bool is_before(const stf__token *a, const stf__token *b)
{
    if (a->scope != b->scope) {
        return a->scope < b->scope;
    }
    int order = stf_str_compare(a->node, b->node);
    return order < 0 || (order == 0 && stf_str_compare(a->flow, b->flow) < 0);
}

static void get_tokens(stf__decoder *in)
{
    stf__doc *doc = in->doc;
    size_t count = stf__decoder_begin_list(in, "tokens on their way");
    for (size_t i = 0; i < count && stf__decoder_is_fine(in); i++) {
        stf__token token = get_token(in, false);
        if (stf__decoder_is_fine(in)) {
            stf__decoder_fail(in, stf__doc_push_ready(doc, &token, NULL));
        }
    }
    count = stf__decoder_begin_list(in, "tokens at joins");
    for (size_t i = 0; i < count && stf__decoder_is_fine(in); i++) {
        stf__token token = get_token(in, true);
        stf__decoder_require(in, i == 0 || is_before(&doc->parked[i - 1], &token));
        if (stf__decoder_is_fine(in)) {
            stf__decoder_fail(in, stf__doc_park(doc, &token, NULL));
        }
    }
}

static void get_work(stf__decoder *in, stf__work *work)
{
    if (stf__cbor_is_null(&in->head)) {
        return;
    }
    stf__decoder_begin(in, "work", in->schema == 1 ? 8 : 9);
    work->state = (uint32_t)stf__decoder_get_uint(in, STF__DURABLE_UNKNOWN);
    stf__decoder_require(in, work->state != STF__DURABLE_ABSENT);
    work->attempt = (uint32_t)stf__decoder_get_uint(in, UINT32_MAX);
    work->definitive_failures = (uint32_t)stf__decoder_get_uint(in, UINT32_MAX);
    stf__decoder_require(in, work->definitive_failures < work->attempt);
    work->is_started = stf__cbor_get_bool(&in->head);
    stf__decoder_require(in, !work->is_started || work->state == STF__DURABLE_PENDING);
    work->is_idempotent_task = stf__cbor_get_bool(&in->head);
    work->is_idempotent_handler = stf__cbor_get_bool(&in->head);
    work->incarnation = stf__cbor_get_int(&in->head);
    stf_str topic = stf__cbor_get_text(&in->head);
    work->retries = in->schema == 1 ? 0 : (uint32_t)stf__decoder_get_uint(in, UINT32_MAX);
    if (stf__decoder_is_fine(in)) {
        work->topic = stf__mem_copy_str(in->doc->alloc, topic);
        if (work->topic == NULL) {
            stf__decoder_fail(in, STF_NO_MEMORY);
        }
    }
}

static void get_activations(stf__decoder *in)
{
    stf__doc *doc = in->doc;
    bool is_first = in->schema == 1;
    uint64_t last = 0;
    size_t count = stf__decoder_begin_list(in, "activations");
    for (size_t i = 0; i < count && stf__decoder_is_fine(in); i++) {
        stf__decoder_begin(in, "activations", is_first ? 8 : 9);
        last = stf__decoder_get_next(in, last, doc->counters.activation);
        stf__activation *activation = NULL;
        if (stf__decoder_is_fine(in)) {
            stf__decoder_fail(in, stf__doc_add_activation(doc, last, &activation, NULL));
        }
        if (activation == NULL) {
            return;
        }
        activation->scope = stf__decoder_get_uint(in, last - 1);
        activation->element = stf__decoder_get_id(in);
        activation->flow = stf__decoder_get_text(in, STF_LIMIT_ID_BYTES);
        activation->phase = (uint32_t)stf__decoder_get_uint(in, STF__PHASE_LEAVING);
        activation->active_for =
            (uint32_t)stf__decoder_get_uint(in, is_first ? STF__FOR_TIMER : STF__FOR_CHILD);
        activation->since = stf__decoder_get_time(in);
        get_work(in, &activation->work);
        if (!is_first) {
            activation->child = stf__decoder_get_text(in, STF_LIMIT_ID_BYTES);
        }
        stf__decoder_require(in, activation->phase >= STF__PHASE_HELD);
    }
}

/* What this version does not know yet must be empty: it would be lost by the next save. */
static void get_reserved(stf__decoder *in)
{
    stf__decoder_begin(in, "iterations", 0);
    stf__decoder_begin(in, "compensation ledger", 0);
    (void)stf__decoder_get_uint(in, 0);
    if (in->schema == 1) {
        stf__decoder_begin(in, "call links", 0);
        stf__decoder_begin(in, "outbox", 0);
        stf__decoder_begin(in, "senders heard", 0);
        return;
    }
    stf__decoder_get_caller(in);
    stf__decoder_get_outbox(in);
    stf__decoder_get_heard(in);
}

static void get_saves(stf__decoder *in)
{
    stf__doc *doc = in->doc;
    stf__decoder_begin(in, "last writer", 3);
    stf_str writer = stf__cbor_get_text(&in->head);
    stf__decoder_require(in, writer.size <= sizeof(doc->writer));
    if (stf__decoder_is_fine(in) && writer.size > 0) {
        memcpy(doc->writer, writer.data, writer.size);
        doc->writer_bytes = writer.size;
    }
    doc->writer_incarnation = stf__cbor_get_int(&in->head);
    doc->written = stf__decoder_get_time(in);
    size_t count = stf__decoder_begin_list(in, "save ring");
    stf__decoder_require(in, count <= STF__RING_SAVES);
    for (size_t i = 0; i < count && stf__decoder_is_fine(in); i++) {
        stf__decoder_begin(in, "save ring", 2);
        doc->ring[i].version = stf__cbor_get_int(&in->head);
        stf__decoder_get_block(in, doc->ring[i].attempt.bytes, sizeof(doc->ring[i].attempt.bytes));
        stf__decoder_require(in, i == 0 || doc->ring[i - 1].version < doc->ring[i].version);
        doc->ring_count = i + 1;
    }
}

static void check_bulk(stf__decoder *in, stf_bytes bulk)
{
    if (!stf__decoder_is_fine(in)) {
        return;
    }
    in->part = "bulk";
    stf__decoder_require(in, in->bulk_count > 0 || bulk.size == 0);
    if (in->bulk_count > 0) {
        stf__decoder_require(in, stf__cbor_reader_finish(&in->bulk) == STF_OK);
    }
}

static void decode_all(stf__decoder *in, stf_bytes bulk)
{
    size_t bulk_count = 0;
    if (bulk.size > 0) {
        bulk_count = stf__cbor_get_array(&in->bulk);
    }
    stf__decoder_begin(in, "head", in->schema == 1 ? STF__CODEC_FIELDS_1 : STF__CODEC_FIELDS);
    get_identity(in);
    get_end(in);
    get_counters(in);
    get_scopes(in);
    get_tokens(in);
    get_activations(in);
    stf__decoder_get_waits(in);
    stf__decoder_get_incidents(in);
    get_reserved(in);
    get_saves(in);
    if (in->schema > 1) {
        in->doc->identity.kind = (uint32_t)stf__decoder_get_uint(in, STF__DOC_QUEUE);
        stf__decoder_require(in, in->doc->identity.kind != 0);
    }
    stf__decoder_require(in, bulk_count == in->bulk_count);
    stf__decoder_fail(in, stf__cbor_reader_finish(&in->head));
    check_bulk(in, bulk);
    if (stf__decoder_is_fine(in)) {
        in->part = "its parts do not agree";
        stf__decoder_fail(in, stf__doc_check_invariants(in->doc));
    }
}

static unsigned get_schema(stf_bytes head)
{
    return (unsigned)head.data[4] << 8 | head.data[5];
}

stf_status stf__doc_check(stf_bytes head, stf_error *error)
{
    if (head.size < STF__CODEC_PREFIX_BYTES || memcmp(head.data, STF__CODEC_MAGIC, 4) != 0) {
        return stf_error_set(error, STF_CORRUPT, "CORE", "the document has no magic");
    }
    unsigned schema = get_schema(head);
    if (schema > STF__DOC_SCHEMA) {
        return stf_error_set(error, STF_SCHEMA_MISMATCH, "CORE",
                             "the document has schema %u, this program reads up to %u", schema,
                             STF__DOC_SCHEMA);
    }
    if (schema == 0) {
        return stf_error_set(error, STF_CORRUPT, "CORE", "the document has schema 0");
    }
    return STF_OK;
}

stf_status stf__doc_decode(const stf_allocator *alloc, stf_bytes head, stf_bytes bulk,
                           stf__doc **ret_doc, stf_error *error)
{
    stf_status status = stf__doc_check(head, error);
    if (status != STF_OK) {
        return status;
    }
    stf__doc_identity nobody = {.version = 0};
    stf__decoder in = {.schema = get_schema(head), .part = "head"};
    status = stf__doc_new(alloc, &nobody, &in.doc, error);
    if (status != STF_OK) {
        return status;
    }
    stf_bytes body = {head.data + STF__CODEC_PREFIX_BYTES, head.size - STF__CODEC_PREFIX_BYTES};
    stf__cbor_reader_init(&in.head, body);
    stf__cbor_reader_init(&in.bulk, bulk);
    decode_all(&in, bulk);
    if (!stf__decoder_is_fine(&in)) {
        stf__doc_free(in.doc);
        if (in.head.status == STF_NO_MEMORY) {
            return stf__doc_no_memory(error);
        }
        return stf_error_set(error, STF_CORRUPT, "CORE", "the document is damaged: %s", in.part);
    }
    in.doc->bulk_version = 1;
    in.doc->bulk_encoded = 1;
    in.doc->bulk_saved = 1;
    *ret_doc = in.doc;
    return STF_OK;
}
