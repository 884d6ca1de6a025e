/* SPDX-License-Identifier: Apache-2.0 */
/* Reading the parts of a document that have to do with the outside: waits, incidents, the caller,
 * the outbox, the senders heard. As strict as decode.c. */
#include "core/decoder.h"

/* ---- Waits */

static void get_timer(stf__decoder *in, uint64_t number, bool is_cycle)
{
    stf__timer timer = {.number = number};
    timer.activation = stf__cbor_get_uint(&in->head);
    timer.element = stf__decoder_get_id(in);
    timer.due = stf__decoder_get_time(in);
    if (is_cycle) {
        timer.cycle = stf__decoder_get_id(in);
        timer.anchor = stf__decoder_get_time(in);
        timer.index = stf__decoder_get_uint(in, INT64_MAX);
    }
    if (stf__decoder_is_fine(in)) {
        stf__decoder_fail(in, stf__doc_add_timer(in->doc, &timer, NULL));
    }
}

static void get_subscription(stf__decoder *in, uint64_t number)
{
    stf__subscription subscription = {.number = number};
    subscription.activation = stf__cbor_get_uint(&in->head);
    subscription.element = stf__decoder_get_id(in);
    subscription.name = stf__decoder_get_text(in, STF_LIMIT_ID_BYTES);
    subscription.key = stf__decoder_get_text(in, STF_LIMIT_ID_BYTES);
    subscription.since = stf__decoder_get_time(in);
    if (stf__decoder_is_fine(in)) {
        stf_status status = stf__doc_add_subscription(in->doc, &subscription, NULL);
        stf__decoder_fail(in, status == STF_LIMIT_EXCEEDED ? STF_CORRUPT : status);
    }
}

void stf__decoder_get_waits(stf__decoder *in)
{
    static const size_t sizes[] = {
        [STF__WAIT_TIMER] = 5, [STF__WAIT_CYCLE] = 8, [STF__WAIT_MESSAGE] = 7};
    uint64_t number = 0;
    size_t count = stf__decoder_begin_list(in, "waits");
    for (size_t i = 0; i < count && stf__decoder_is_fine(in); i++) {
        in->part = "waits";
        size_t size = stf__cbor_get_array(&in->head);
        uint64_t kind =
            stf__decoder_get_uint(in, in->schema == 1 ? STF__WAIT_TIMER : STF__WAIT_MESSAGE);
        if (!stf__decoder_is_fine(in) || kind == 0 || size != sizes[kind]) {
            stf__decoder_fail(in, STF_CORRUPT);
            return;
        }
        number = stf__decoder_get_next(in, number, in->doc->counters.timer);
        if (kind == STF__WAIT_MESSAGE) {
            get_subscription(in, number);
        } else {
            get_timer(in, number, kind == STF__WAIT_CYCLE);
        }
    }
}

/* ---- Incidents */

void stf__decoder_get_incidents(stf__decoder *in)
{
    bool is_first = in->schema == 1;
    stf__incident incident = {.number = 0, .retry_at = stf_wall_none()};
    size_t count = stf__decoder_begin_list(in, "incidents");
    for (size_t i = 0; i < count && stf__decoder_is_fine(in); i++) {
        stf__decoder_begin(in, "incidents", is_first ? 7 : 8);
        incident.number = stf__decoder_get_next(in, incident.number, in->doc->counters.incident);
        incident.activation = stf__cbor_get_uint(&in->head);
        incident.kind = (uint32_t)stf__decoder_get_uint(in, is_first ? STF__INCIDENT_UNSUPPORTED
                                                                     : STF__INCIDENT_KIND_LAST);
        incident.line = (uint32_t)stf__decoder_get_uint(in, UINT32_MAX);
        incident.opened = stf__decoder_get_time(in);
        stf_str code = stf__decoder_peek_text(in, STF_LIMIT_ID_BYTES);
        stf_str message = stf__decoder_peek_text(in, STF__MESSAGE_BYTES_MAX);
        if (!is_first) {
            incident.retry_at = stf__decoder_get_time_or_null(in);
        }
        stf__decoder_require(in, incident.kind > 0 &&
                                     (code.size == 0 || incident.kind == STF__INCIDENT_BPMN_ERROR));
        if (stf__decoder_is_fine(in)) {
            stf__decoder_fail(in, stf__doc_add_incident(in->doc, &incident, code, message, NULL));
        }
    }
}

/* ---- Other records */

void stf__decoder_get_caller(stf__decoder *in)
{
    if (!stf__cbor_is_null(&in->head)) {
        stf__decoder_begin(in, "caller", 3);
        in->doc->caller.id = stf__decoder_get_id(in);
        in->doc->caller.activation = stf__decoder_get_uint(in, INT64_MAX);
        in->doc->caller.depth = stf__decoder_get_uint(in, STF_LIMIT_CALL_DEPTH - 1);
    }
}

static void get_send(stf__decoder *in, uint64_t *last)
{
    stf__send_item item = {.number = 0};
    stf__decoder_begin(in, "outbox", STF__CODEC_SEND_FIELDS);
    item.number = *last = stf__decoder_get_next(in, *last, in->doc->counters.send);
    item.sequence = stf__decoder_get_uint(in, in->doc->counters.sequence);
    item.kind = (uint32_t)stf__decoder_get_uint(in, STF__SEND_CANCEL);
    item.how = (uint32_t)stf__decoder_get_uint(in, STF__CHILD_WORK_ERROR);
    item.activation = stf__decoder_get_uint(in, in->doc->counters.activation);
    item.element = stf__decoder_peek_text(in, STF_LIMIT_ID_BYTES);
    item.target = stf__decoder_peek_text(in, STF_LIMIT_ID_BYTES);
    item.is_to_queue = stf__cbor_get_bool(&in->head);
    item.target_activation = stf__decoder_get_uint(in, INT64_MAX);
    item.version = stf__cbor_get_int(&in->head);
    item.name = stf__decoder_peek_text(in, STF_LIMIT_ID_BYTES);
    item.key = stf__decoder_peek_text(in, STF_LIMIT_ID_BYTES);
    item.code = stf__decoder_peek_text(in, STF_LIMIT_ID_BYTES);
    item.message = stf__decoder_peek_text(in, STF__MESSAGE_BYTES_MAX);
    stf_value *variables = NULL;
    if (stf__decoder_is_fine(in) && !stf__cbor_is_null(&in->head)) {
        size_t bytes = 0;
        variables = stf__decoder_get_value(in, &in->head, &bytes);
    }
    item.variables = variables;
    item.until = stf__decoder_get_time_or_null(in);
    item.since = stf__decoder_get_time(in);
    if (stf__decoder_is_fine(in)) {
        stf__decoder_fail(in, stf__doc_insert_send(in->doc, &item, NULL));
    }
    stf_value_unref(variables);
}

void stf__decoder_get_outbox(stf__decoder *in)
{
    uint64_t last = 0;
    if (stf__cbor_is_null(&in->head)) {
        return;
    }
    stf__decoder_begin(in, "outbox", 3);
    in->doc->outbox_due = stf__decoder_get_time(in);
    in->doc->outbox_tries = (uint32_t)stf__decoder_get_uint(in, UINT32_MAX);
    size_t count = stf__decoder_begin_list(in, "outbox");
    stf__decoder_require(in, count > 0);
    for (size_t i = 0; i < count && stf__decoder_is_fine(in); i++) {
        get_send(in, &last);
    }
}

/* They come in the order of their nonces, so each one's place is the end. */
void stf__decoder_get_heard(stf__decoder *in)
{
    stf__doc *doc = in->doc;
    size_t count = stf__decoder_begin_list(in, "senders heard");
    stf__decoder_require(in, count <= STF_LIMIT_SENDERS);
    for (size_t i = 0; i < count && stf__decoder_is_fine(in); i++) {
        stf__heard heard = {.sequence = 0};
        stf__decoder_begin(in, "senders heard", 3);
        stf__decoder_get_block(in, heard.nonce, sizeof(heard.nonce));
        heard.sequence = stf__decoder_get_uint(in, INT64_MAX);
        heard.at = stf__decoder_get_time(in);
        if (stf__decoder_is_fine(in)) {
            stf__decoder_fail(in, stf__doc_append_heard(doc, &heard));
        }
    }
}
