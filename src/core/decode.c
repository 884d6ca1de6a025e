/* SPDX-License-Identifier: Apache-2.0 */
/* Reading a document; the format is in codec.h. Strict: what the encoder would not have written is
 * CORRUPT, so that decode and encode give back the same bytes, and the invariants of doc.h hold for
 * whatever decodes. Safe for hostile bytes: time and memory are linear in their number. */
#include "core/codec.h"
#include "value/cbor.h"

#include <string.h>

typedef struct decoder {
    stf__cbor_reader head;
    stf__cbor_reader bulk;
    size_t bulk_count; /* values of bulk that the head has named */
    stf__doc *doc;
    const char *part; /* for the message */
} decoder;

static bool is_fine(const decoder *in)
{
    return in->head.status == STF_OK;
}

static void fail(decoder *in, stf_status status)
{
    if (is_fine(in)) {
        in->head.status = status;
    }
}

static void require(decoder *in, bool holds)
{
    if (!holds) {
        fail(in, STF_CORRUPT);
    }
}

static void begin(decoder *in, const char *part, size_t count)
{
    if (is_fine(in)) {
        in->part = part;
    }
    require(in, stf__cbor_get_array(&in->head) == count);
}

static size_t begin_list(decoder *in, const char *part)
{
    if (is_fine(in)) {
        in->part = part;
    }
    return stf__cbor_get_array(&in->head);
}

static uint64_t get_uint(decoder *in, uint64_t max)
{
    uint64_t number = stf__cbor_get_uint(&in->head);
    require(in, number <= max);
    return number;
}

static stf_wall get_time(decoder *in)
{
    return (stf_wall){stf__cbor_get_int(&in->head)};
}

/* A number of a list that must grow from one entry to the next. */
static uint64_t get_next(decoder *in, uint64_t last, uint64_t max)
{
    uint64_t number = get_uint(in, max);
    require(in, number > last);
    return number;
}

static stf_str get_text(decoder *in, size_t bytes_max)
{
    stf_str text = stf__cbor_get_text(&in->head);
    stf_str own = {NULL, 0};
    require(in, text.size <= bytes_max);
    if (is_fine(in)) {
        stf_status status = stf__doc_intern(in->doc, text, &own, NULL);
        if (status != STF_OK) {
            fail(in, status);
        }
    }
    return own;
}

static stf_str get_id(decoder *in)
{
    stf_str id = get_text(in, STF_LIMIT_ID_BYTES);
    require(in, id.size > 0);
    return id;
}

static void get_block(decoder *in, uint8_t *block, size_t size)
{
    stf_bytes bytes = stf__cbor_get_bytes(&in->head);
    require(in, bytes.size == size);
    if (is_fine(in)) {
        memcpy(block, bytes.data, size);
    }
}

static void get_identity(decoder *in)
{
    stf__doc_identity *identity = &in->doc->identity;
    identity->id = get_text(in, STF_LIMIT_ID_BYTES);
    identity->process = get_text(in, STF_LIMIT_ID_BYTES);
    identity->version = stf__cbor_get_int(&in->head);
    get_block(in, identity->nonce, sizeof(identity->nonce));
    identity->created = get_time(in);
}

static void get_end_and_counters(decoder *in)
{
    stf__doc *doc = in->doc;
    if (!stf__cbor_is_null(&in->head)) {
        begin(in, "end", 3);
        doc->end_how = (uint32_t)get_uint(in, STF__END_TERMINATED);
        require(in, doc->end_how != STF__END_NOT);
        doc->end_element = get_text(in, STF_LIMIT_ID_BYTES);
        doc->end_at = get_time(in);
    }
    begin(in, "counters", 5);
    doc->counters.activation = get_uint(in, INT64_MAX);
    doc->counters.incident = get_uint(in, INT64_MAX);
    doc->counters.timer = get_uint(in, INT64_MAX);
    doc->counters.sequence = get_uint(in, INT64_MAX);
    doc->counters.yields = (uint32_t)get_uint(in, UINT32_MAX);
}

/* A value with the size of its encoding; NULL on failure. */
static stf_value *get_value(decoder *in, stf__cbor_reader *from, size_t *ret_bytes)
{
    const uint8_t *start = from->at;
    stf_value *value = stf__cbor_get_value(from, in->doc->alloc);
    *ret_bytes = (size_t)(from->at - start);
    if (value == NULL) {
        fail(in, from->status == STF_NO_MEMORY ? STF_NO_MEMORY : STF_CORRUPT);
    }
    return value;
}

static void get_variable(decoder *in)
{
    stf__scope *scope = &in->doc->scopes[0];
    begin(in, "variables", 3);
    stf_str name = get_text(in, SIZE_MAX);
    bool is_in_bulk = stf__cbor_get_bool(&in->head);
    size_t bytes = 0;
    stf_value *value = NULL;
    if (is_in_bulk) {
        uint64_t expected = stf__cbor_get_uint(&in->head);
        in->bulk_count++;
        value = is_fine(in) ? get_value(in, &in->bulk, &bytes) : NULL;
        require(in, bytes == expected && bytes > STF__CODEC_HEAD_VALUE_BYTES);
    } else {
        value = get_value(in, &in->head, &bytes);
        require(in, bytes <= STF__CODEC_HEAD_VALUE_BYTES);
    }
    size_t count = scope->variable_count;
    require(in, count == 0 || stf_str_compare(scope->variables[count - 1].name, name) < 0);
    if (is_fine(in)) {
        stf_status status = stf__doc_set_variable(in->doc, 0, name, value, NULL);
        if (status != STF_OK) {
            fail(in, status);
        } else {
            scope->variables[count].encoded_bytes = bytes;
        }
    }
    stf_value_unref(value);
}

static void get_scopes(decoder *in)
{
    begin(in, "scopes", 1);
    begin(in, "scopes", 4);
    (void)get_uint(in, 0);
    (void)get_uint(in, 0);
    (void)get_uint(in, 0);
    size_t count = begin_list(in, "variables");
    for (size_t i = 0; i < count && is_fine(in); i++) {
        get_variable(in);
    }
}

static stf__token get_token(decoder *in, bool has_count)
{
    begin(in, "tokens", has_count ? 5 : 4);
    stf__token token = {.count = 1};
    token.scope = get_uint(in, 0);
    token.node = get_id(in);
    token.flow = get_text(in, STF_LIMIT_ID_BYTES);
    token.since = get_time(in);
    if (has_count) {
        token.count = get_uint(in, UINT32_MAX);
        require(in, token.count > 0);
    }
    return token;
}

static bool is_before(const stf__token *a, const stf__token *b)
{
    int order = stf_str_compare(a->node, b->node);
    return order < 0 || (order == 0 && stf_str_compare(a->flow, b->flow) < 0);
}

static void get_tokens(decoder *in)
{
    stf__doc *doc = in->doc;
    size_t count = begin_list(in, "tokens on their way");
    for (size_t i = 0; i < count && is_fine(in); i++) {
        stf__token token = get_token(in, false);
        if (is_fine(in)) {
            fail(in, stf__doc_push_ready(doc, &token, NULL));
        }
    }
    count = begin_list(in, "tokens at joins");
    for (size_t i = 0; i < count && is_fine(in); i++) {
        stf__token token = get_token(in, true);
        require(in, i == 0 || is_before(&doc->parked[i - 1], &token));
        if (is_fine(in)) {
            fail(in, stf__doc_park(doc, &token, NULL));
        }
    }
}

static void get_work(decoder *in, stf__work *work)
{
    if (stf__cbor_is_null(&in->head)) {
        return;
    }
    begin(in, "work", 8);
    work->state = (uint32_t)get_uint(in, STF__DURABLE_UNKNOWN);
    require(in, work->state != STF__DURABLE_ABSENT);
    work->attempt = (uint32_t)get_uint(in, UINT32_MAX);
    work->definitive_failures = (uint32_t)get_uint(in, UINT32_MAX);
    require(in, work->definitive_failures < work->attempt);
    work->is_started = stf__cbor_get_bool(&in->head);
    require(in, !work->is_started || work->state == STF__DURABLE_PENDING);
    work->is_idempotent_task = stf__cbor_get_bool(&in->head);
    work->is_idempotent_handler = stf__cbor_get_bool(&in->head);
    work->incarnation = stf__cbor_get_int(&in->head);
    stf_str topic = stf__cbor_get_text(&in->head);
    if (is_fine(in)) {
        work->topic = stf__mem_copy_str(in->doc->alloc, topic);
        if (work->topic == NULL) {
            fail(in, STF_NO_MEMORY);
        }
    }
}

static void get_activations(decoder *in)
{
    stf__doc *doc = in->doc;
    uint64_t last = 0;
    size_t count = begin_list(in, "activations");
    for (size_t i = 0; i < count && is_fine(in); i++) {
        begin(in, "activations", 8);
        last = get_next(in, last, doc->counters.activation);
        stf__activation *activation = NULL;
        if (is_fine(in)) {
            fail(in, stf__doc_add_activation(doc, last, &activation, NULL));
        }
        if (activation == NULL) {
            return;
        }
        activation->scope = get_uint(in, 0);
        activation->element = get_id(in);
        activation->flow = get_text(in, STF_LIMIT_ID_BYTES);
        activation->phase = (uint32_t)get_uint(in, STF__PHASE_LEAVING);
        activation->active_for = (uint32_t)get_uint(in, STF__FOR_TIMER);
        activation->since = get_time(in);
        get_work(in, &activation->work);
        require(in, activation->phase >= STF__PHASE_HELD);
    }
}

static void get_waits(decoder *in)
{
    stf__doc *doc = in->doc;
    stf__timer timer = {.number = 0};
    size_t count = begin_list(in, "waits");
    for (size_t i = 0; i < count && is_fine(in); i++) {
        begin(in, "waits", 5);
        require(in, stf__cbor_get_uint(&in->head) == STF__WAIT_TIMER);
        timer.number = get_next(in, timer.number, doc->counters.timer);
        timer.activation = stf__cbor_get_uint(&in->head);
        timer.element = get_id(in);
        timer.due = get_time(in);
        if (is_fine(in)) {
            fail(in, stf__doc_add_timer(doc, &timer, NULL));
        }
    }
}

static void get_incidents(decoder *in)
{
    stf__doc *doc = in->doc;
    stf__incident incident = {.number = 0, .retry_at = stf_wall_none()};
    size_t count = begin_list(in, "incidents");
    for (size_t i = 0; i < count && is_fine(in); i++) {
        begin(in, "incidents", 7);
        incident.number = get_next(in, incident.number, doc->counters.incident);
        incident.activation = stf__cbor_get_uint(&in->head);
        incident.kind = (uint32_t)get_uint(in, STF__INCIDENT_KIND_LAST);
        incident.line = (uint32_t)get_uint(in, UINT32_MAX);
        incident.opened = get_time(in);
        stf_str code = stf__cbor_get_text(&in->head);
        stf_str message = stf__cbor_get_text(&in->head);
        require(in, incident.kind > 0 && message.size <= STF__MESSAGE_BYTES_MAX);
        require(in, code.size <= STF_LIMIT_ID_BYTES &&
                        (code.size == 0 || incident.kind == STF__INCIDENT_BPMN_ERROR));
        if (is_fine(in)) {
            fail(in, stf__doc_add_incident(doc, &incident, code, message, NULL));
        }
    }
}

/* What this version does not know yet must be empty: it would be lost by the next save. */
static void get_reserved(decoder *in)
{
    static const char *const parts[] = {"iterations", "compensation ledger", NULL, "call links",
                                        "outbox",     "senders heard"};
    for (size_t i = 0; i < STF_COUNT_OF(parts); i++) {
        if (parts[i] != NULL) {
            begin(in, parts[i], 0);
        } else {
            (void)get_uint(in, 0);
        }
    }
}

static void get_saves(decoder *in)
{
    stf__doc *doc = in->doc;
    begin(in, "last writer", 3);
    stf_str writer = stf__cbor_get_text(&in->head);
    require(in, writer.size <= sizeof(doc->writer));
    if (is_fine(in) && writer.size > 0) {
        memcpy(doc->writer, writer.data, writer.size);
        doc->writer_bytes = writer.size;
    }
    doc->writer_incarnation = stf__cbor_get_int(&in->head);
    doc->written = get_time(in);
    size_t count = begin_list(in, "save ring");
    require(in, count <= STF__RING_SAVES);
    for (size_t i = 0; i < count && is_fine(in); i++) {
        begin(in, "save ring", 2);
        doc->ring[i].version = stf__cbor_get_int(&in->head);
        get_block(in, doc->ring[i].attempt.bytes, sizeof(doc->ring[i].attempt.bytes));
        require(in, i == 0 || doc->ring[i - 1].version < doc->ring[i].version);
        doc->ring_count = i + 1;
    }
}

static void check_bulk(decoder *in, stf_bytes bulk)
{
    if (!is_fine(in)) {
        return;
    }
    in->part = "bulk";
    require(in, in->bulk_count > 0 || bulk.size == 0);
    if (in->bulk_count > 0) {
        require(in, stf__cbor_reader_finish(&in->bulk) == STF_OK);
    }
}

static void decode_all(decoder *in, stf_bytes bulk)
{
    size_t bulk_count = 0;
    if (bulk.size > 0) {
        bulk_count = stf__cbor_get_array(&in->bulk);
    }
    begin(in, "head", STF__CODEC_FIELDS);
    get_identity(in);
    get_end_and_counters(in);
    get_scopes(in);
    get_tokens(in);
    get_activations(in);
    get_waits(in);
    get_incidents(in);
    get_reserved(in);
    get_saves(in);
    require(in, bulk_count == in->bulk_count);
    fail(in, stf__cbor_reader_finish(&in->head));
    check_bulk(in, bulk);
    if (is_fine(in)) {
        in->part = "its parts do not agree";
        fail(in, stf__doc_check_invariants(in->doc));
    }
}

stf_status stf__doc_check(stf_bytes head, stf_error *error)
{
    if (head.size < STF__CODEC_PREFIX_BYTES || memcmp(head.data, STF__CODEC_MAGIC, 4) != 0) {
        return stf_error_set(error, STF_CORRUPT, "CORE", "the document has no magic");
    }
    unsigned schema = (unsigned)head.data[4] << 8 | head.data[5];
    if (schema > 1) {
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
    decoder in = {.part = "head"};
    status = stf__doc_new(alloc, &nobody, &in.doc, error);
    if (status != STF_OK) {
        return status;
    }
    stf_bytes body = {head.data + STF__CODEC_PREFIX_BYTES, head.size - STF__CODEC_PREFIX_BYTES};
    stf__cbor_reader_init(&in.head, body);
    stf__cbor_reader_init(&in.bulk, bulk);
    decode_all(&in, bulk);
    if (!is_fine(&in)) {
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
