/* SPDX-License-Identifier: Apache-2.0 */
/* Scopes: how a process or sub-process begins, and how a sub-process ends when nothing is left in
 * it or when it is cancelled.
 *
 * A scope has the number of its activation, and whatever is in it came later, so it has greater
 * numbers: from the last activation backwards is innermost first. Nothing here recurses. */
#include "core/step.h"

#include <stepfast/limits.h>

/* ---- Beginning */

/* Data objects and properties are variables from the beginning: null when none is given. Those of a
 * sub-process are its own and hide outer ones of the name. */
static stf_status declare_data(stf__step *step, uint32_t scope_node, uint64_t scope)
{
    stf__doc *doc = step->doc;
    for (uint32_t i = 0; i < step->process->data_item_count; i++) {
        const stf__data_item *item = &step->process->data_items[i];
        if (item->scope != scope_node ||
            (scope == 0 && stf__doc_peek_variable(doc, 0, item->name) != NULL)) {
            continue;
        }
        stf_status status =
            stf__doc_set_variable(doc, scope, item->name, stf_value_null(), step->error);
        if (status != STF_OK) {
            return status;
        }
    }
    return STF_OK;
}

static stf_status push_start(stf__step *step, const stf__node *node, uint64_t scope)
{
    stf__token token = {.scope = scope, .count = 1, .since = step->now};
    stf_status status = stf__doc_intern(step->doc, node->id, &token.node, step->error);
    return status == STF_OK ? stf__doc_push_ready(step->doc, &token, step->error) : status;
}

static stf_status push_starts(stf__step *step, const stf__starts *starts, uint64_t scope)
{
    stf_status status = STF_OK;
    for (uint32_t i = 0; status == STF_OK && i < starts->count; i++) {
        status = push_start(step, &step->process->nodes[starts->nodes[i]], scope);
    }
    return status;
}

static stf_status open_process(stf__step *step, const stf__node *node)
{
    stf_status status = declare_data(step, STF__NONE, 0);
    if (status != STF_OK) {
        return status;
    }
    return node != NULL ? push_start(step, node, 0) : push_starts(step, &step->process->starts, 0);
}

static stf_status refuse(stf__step *step, const stf__activation *activation, const stf__node *node,
                         const char *why)
{
    stf__trouble trouble = {
        .kind = STF__INCIDENT_LIMIT, .line = node->line, .message = stf_str_of(why)};
    return stf__step_open_incident(step, activation, &trouble);
}

stf_status stf__step_open_scope(stf__step *step, stf__activation *activation, const stf__node *node)
{
    if (activation == NULL) {
        return open_process(step, node);
    }
    stf__doc *doc = step->doc;
    if (stf__doc_count_live(doc) + node->starts.count > (uint64_t)STF_LIMIT_TOKENS) {
        return refuse(step, activation, node, "the instance has too many tokens");
    }
    stf_error why = STF_ERROR_INIT;
    stf_status status = stf__doc_add_scope(doc, activation, &why);
    if (status == STF_LIMIT_EXCEEDED) {
        return refuse(step, activation, node, why.message);
    }
    if (status != STF_OK) {
        return stf__doc_no_memory(step->error);
    }
    stf__step_wait(activation, STF__FOR_SCOPE);
    status = declare_data(step, node->index, activation->number);
    return status == STF_OK ? push_starts(step, &node->starts, activation->number) : status;
}

/* ---- Ending */

static size_t index_of(const stf__doc *doc, uint64_t number)
{
    const stf__scope *scope = stf__doc_find_scope(doc, number);
    return scope != NULL ? (size_t)(scope - doc->scopes) : 0;
}

/* How many tokens and activations each scope has, in one pass; from the step's arena. */
static stf_status count_contents(stf__step *step, uint64_t **ret_counts)
{
    const stf__doc *doc = step->doc;
    uint64_t *counts = stf__arena_alloc(step->effects->arena, doc->scope_count * sizeof(*counts));
    if (counts == NULL) {
        return stf__doc_no_memory(step->error);
    }
    for (size_t i = 0; i < doc->scope_count; i++) {
        counts[i] = 0;
    }
    for (size_t i = 0; i < doc->activation_count; i++) {
        counts[index_of(doc, doc->activations[i]->scope)]++;
    }
    for (size_t i = 0; i < doc->parked_count; i++) {
        counts[index_of(doc, doc->parked[i].scope)]++;
    }
    for (size_t i = 0; i < doc->ready_count; i++) {
        counts[index_of(doc, doc->ready[doc->ready_first + i].scope)]++;
    }
    *ret_counts = counts;
    return STF_OK;
}

/* The scope goes first: only what is ACTIVE may have one. */
static stf_status close_scope(stf__step *step, uint64_t number)
{
    stf__activation *activation = stf__doc_find_activation(step->doc, number);
    const stf__node *node = NULL;
    if (activation == NULL) {
        return stf_error_set(step->error, STF_CORRUPT, "CORE", "a scope of no activation");
    }
    stf_status status = stf__step_find_node(step, activation->element, &node);
    if (status != STF_OK) {
        return status;
    }
    stf__doc_remove_scope(step->doc, number);
    return stf__step_finish(step, activation, node);
}

stf_status stf__step_close_scopes(stf__step *step, bool *ret_did)
{
    stf__doc *doc = step->doc;
    *ret_did = false;
    if (doc->scope_count == 1) {
        return STF_OK;
    }
    uint64_t *counts = NULL;
    stf_status status = count_contents(step, &counts);
    /* Inner scopes stand behind outer ones: an outer one that they leave empty comes after them. */
    for (size_t i = doc->scope_count; status == STF_OK && i-- > 1;) {
        if (counts[i] > 0) {
            continue;
        }
        uint64_t parent = doc->scopes[i].parent;
        *ret_did = true;
        status = close_scope(step, doc->scopes[i].number);
        counts[index_of(doc, parent)] = stf__doc_count_in_scope(doc, parent);
    }
    return status;
}

static bool is_inside(const stf__doc *doc, uint64_t scope, uint64_t number)
{
    while (scope > number) {
        const stf__scope *inner = stf__doc_find_scope(doc, scope);
        scope = inner != NULL ? inner->parent : 0;
    }
    return scope == number;
}

/* By the time that stf__step_cancel comes to an inner sub-process, its own scope is empty: it asks
 * this function once more and no deeper. */
stf_status stf__step_cancel_scope(stf__step *step, const stf__activation *activation)
{
    stf__doc *doc = step->doc;
    uint64_t number = activation->number;
    if (stf__doc_find_scope(doc, number) == NULL) {
        return STF_OK;
    }
    stf_status status = STF_OK;
    size_t i = doc->activation_count;
    while (status == STF_OK && i > 0 && doc->activations[i - 1]->number > number) {
        stf__activation *inner = doc->activations[--i];
        if (is_inside(doc, inner->scope, number)) {
            status = stf__step_cancel(step, inner);
        }
    }
    if (status == STF_OK) {
        stf__doc_remove_scope(doc, number);
    }
    return status;
}
