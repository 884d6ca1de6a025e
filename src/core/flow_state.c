/* SPDX-License-Identifier: Apache-2.0 */
/* The lists of the document that the token machine moves: tokens, activations, incidents. Each list
 * is kept in its canonical order at every moment, so encoding never sorts. */
#include "core/doc.h"

#include <string.h>

/* ---- tokens */

stf_status stf__doc_push_ready(stf__doc *doc, const stf__token *token, stf_error *error)
{
    if (doc->ready_first > 0 && doc->ready_first + doc->ready_count == doc->ready_capacity) {
        memmove(doc->ready, doc->ready + doc->ready_first, doc->ready_count * sizeof(*doc->ready));
        doc->ready_first = 0;
    }
    size_t end = doc->ready_first + doc->ready_count;
    void *grown =
        stf__doc_grow(doc->alloc, doc->ready, end, &doc->ready_capacity, sizeof(*doc->ready));
    if (grown == NULL) {
        return stf__doc_no_memory(error);
    }
    doc->ready = grown;
    doc->ready[end] = *token;
    doc->ready_count++;
    return STF_OK;
}

bool stf__doc_take_ready(stf__doc *doc, stf__token *ret_token)
{
    if (doc->ready_count == 0) {
        return false;
    }
    *ret_token = doc->ready[doc->ready_first++];
    doc->ready_count--;
    if (doc->ready_count == 0) {
        doc->ready_first = 0;
    }
    return true;
}

static int compare_place(const stf__token *token, uint64_t scope, stf_str node, stf_str flow)
{
    if (token->scope != scope) {
        return token->scope < scope ? -1 : 1;
    }
    int order = stf_str_compare(token->node, node);
    return order != 0 ? order : stf_str_compare(token->flow, flow);
}

/* Where the place is or belongs. */
static size_t find_parked(const stf__doc *doc, uint64_t scope, stf_str node, stf_str flow,
                          bool *ret_found)
{
    size_t low = 0;
    size_t high = doc->parked_count;
    *ret_found = false;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = compare_place(&doc->parked[middle], scope, node, flow);
        if (order == 0) {
            *ret_found = true;
            return middle;
        }
        if (order < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

stf_status stf__doc_park(stf__doc *doc, const stf__token *token, stf_error *error)
{
    bool is_there = false;
    size_t at = find_parked(doc, token->scope, token->node, token->flow, &is_there);
    if (is_there) {
        doc->parked[at].count += token->count;
        return STF_OK;
    }
    void *grown = stf__doc_grow(doc->alloc, doc->parked, doc->parked_count, &doc->parked_capacity,
                                sizeof(*doc->parked));
    if (grown == NULL) {
        return stf__doc_no_memory(error);
    }
    doc->parked = grown;
    memmove(doc->parked + at + 1, doc->parked + at,
            (doc->parked_count - at) * sizeof(*doc->parked));
    doc->parked[at] = *token;
    doc->parked_count++;
    return STF_OK;
}

uint64_t stf__doc_count_parked(const stf__doc *doc, uint64_t scope, stf_str node, stf_str flow)
{
    bool is_there = false;
    size_t at = find_parked(doc, scope, node, flow, &is_there);
    return is_there ? doc->parked[at].count : 0;
}

void stf__doc_unpark(stf__doc *doc, uint64_t scope, stf_str node, stf_str flow)
{
    bool is_there = false;
    size_t at = find_parked(doc, scope, node, flow, &is_there);
    if (!is_there || --doc->parked[at].count > 0) {
        return;
    }
    doc->parked_count--;
    memmove(doc->parked + at, doc->parked + at + 1,
            (doc->parked_count - at) * sizeof(*doc->parked));
}

uint64_t stf__doc_count_live(const stf__doc *doc)
{
    uint64_t live = doc->ready_count + doc->activation_count;
    for (size_t i = 0; i < doc->parked_count; i++) {
        live += doc->parked[i].count;
    }
    return live;
}

/* ---- activations */

size_t stf__doc_find_place(const stf__doc *doc, uint64_t number)
{
    size_t low = 0;
    size_t high = doc->activation_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (doc->activations[middle]->number < number) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

stf_status stf__doc_add_activation(stf__doc *doc, uint64_t number, stf__activation **ret_activation,
                                   stf_error *error)
{
    stf__activation *activation = stf__mem_zalloc(doc->alloc, sizeof(*activation));
    void *grown = stf__doc_grow(doc->alloc, doc->activations, doc->activation_count,
                                &doc->activation_capacity, sizeof(stf__activation *));
    if (grown != NULL) {
        doc->activations = grown;
    }
    if (activation == NULL || grown == NULL) {
        stf__mem_free(doc->alloc, activation);
        return stf__doc_no_memory(error);
    }
    activation->number = number; /* numbers only grow, so the end is its place */
    doc->activations[doc->activation_count++] = activation;
    *ret_activation = activation;
    return STF_OK;
}

stf__activation *stf__doc_find_activation(const stf__doc *doc, uint64_t number)
{
    size_t at = stf__doc_find_place(doc, number);
    bool is_there = at < doc->activation_count && doc->activations[at]->number == number;
    return is_there ? doc->activations[at] : NULL;
}

static void free_activation(const stf__doc *doc, stf__activation *activation)
{
    stf__mem_free(doc->alloc, activation->work.topic);
    stf__mem_free(doc->alloc, activation);
}

void stf__doc_remove_activation(stf__doc *doc, stf__activation *activation)
{
    size_t at = stf__doc_find_place(doc, activation->number);
    doc->activation_count--;
    memmove(doc->activations + at, doc->activations + at + 1,
            (doc->activation_count - at) * sizeof(stf__activation *));
    free_activation(doc, activation);
}

/* ---- incidents */

stf_status stf__doc_add_incident(stf__doc *doc, const stf__incident *incident, stf_str code,
                                 stf_str message, stf_error *error)
{
    char *own_code = stf__mem_copy_str(doc->alloc, code);
    char *own_message = stf__mem_copy_str(doc->alloc, message);
    void *grown = stf__doc_grow(doc->alloc, doc->incidents, doc->incident_count,
                                &doc->incident_capacity, sizeof(*doc->incidents));
    if (grown != NULL) {
        doc->incidents = grown;
    }
    if (own_code == NULL || own_message == NULL || grown == NULL) {
        stf__mem_free(doc->alloc, own_code);
        stf__mem_free(doc->alloc, own_message);
        return stf__doc_no_memory(error);
    }
    stf__incident *added = &doc->incidents[doc->incident_count++];
    *added = *incident;
    added->code = own_code;
    added->message = own_message;
    return STF_OK;
}

static void free_incident(const stf__doc *doc, stf__incident *incident)
{
    stf__mem_free(doc->alloc, incident->code);
    stf__mem_free(doc->alloc, incident->message);
}

void stf__doc_remove_incident(stf__doc *doc, size_t index)
{
    free_incident(doc, &doc->incidents[index]);
    doc->incident_count--;
    memmove(doc->incidents + index, doc->incidents + index + 1,
            (doc->incident_count - index) * sizeof(*doc->incidents));
}

const char *stf__incident_kind_name(uint32_t kind)
{
    static const char *const names[] = {
        [STF__INCIDENT_EXPRESSION] = "expression",
        [STF__INCIDENT_NO_FLOW] = "no_flow",
        [STF__INCIDENT_TIMER] = "timer",
        [STF__INCIDENT_FAILED] = "failed",
        [STF__INCIDENT_UNKNOWN] = "unknown",
        [STF__INCIDENT_BPMN_ERROR] = "bpmn_error",
        [STF__INCIDENT_LOOP] = "loop",
        [STF__INCIDENT_LIMIT] = "limit",
        [STF__INCIDENT_UNSUPPORTED] = "unsupported",
        [STF__INCIDENT_CALL] = "call",
        [STF__INCIDENT_POISON] = "poison",
    };
    return kind >= 1 && kind < STF_COUNT_OF(names) ? names[kind] : "?";
}

void stf__doc_clear_flow(stf__doc *doc)
{
    for (size_t i = 0; i < doc->activation_count; i++) {
        free_activation(doc, doc->activations[i]);
    }
    for (size_t i = 0; i < doc->incident_count; i++) {
        free_incident(doc, &doc->incidents[i]);
    }
    doc->activation_count = 0;
    doc->incident_count = 0;
    doc->ready_first = 0;
    doc->ready_count = 0;
    doc->parked_count = 0;
    doc->timer_count = 0;
    doc->subscription_count = 0;
    while (doc->scope_count > 1) {
        stf__doc_remove_scope(doc, doc->scopes[doc->scope_count - 1].number);
    }
}
