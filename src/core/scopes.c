/* SPDX-License-Identifier: Apache-2.0 */
/* The tree of scopes, as a list by number: the process is 0 and first, and a parent has a smaller
 * number than what is inside it. */
#include "core/doc.h"

#include <string.h>

size_t stf__doc_find_scope_place(const stf__doc *doc, uint64_t number)
{
    size_t low = 0;
    size_t high = doc->scope_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (doc->scopes[middle].number < number) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

stf__scope *stf__doc_find_scope(const stf__doc *doc, uint64_t number)
{
    if (number == 0) {
        return &doc->scopes[0];
    }
    size_t at = stf__doc_find_scope_place(doc, number);
    bool is_there = at < doc->scope_count && doc->scopes[at].number == number;
    return is_there ? &doc->scopes[at] : NULL;
}

stf_status stf__doc_insert_scope(stf__doc *doc, uint64_t number, uint64_t parent, stf_error *error)
{
    size_t at = stf__doc_find_scope_place(doc, number);
    if (at < doc->scope_count && doc->scopes[at].number == number) {
        return stf_error_set(error, STF_ALREADY_EXISTS, "CORE", "there is a scope %llu",
                             (unsigned long long)number);
    }
    void *grown = stf__doc_grow(doc->alloc, doc->scopes, doc->scope_count, &doc->scope_capacity,
                                sizeof(*doc->scopes));
    if (grown == NULL) {
        return stf__doc_no_memory(error);
    }
    doc->scopes = grown;
    memmove(doc->scopes + at + 1, doc->scopes + at, (doc->scope_count - at) * sizeof(*doc->scopes));
    doc->scopes[at] = (stf__scope){.number = number, .parent = parent};
    doc->scope_count++;
    return STF_OK;
}

stf_status stf__doc_add_scope(stf__doc *doc, const stf__activation *activation, stf_error *error)
{
    uint32_t depth = 1;
    const stf__scope *outer = stf__doc_find_scope(doc, activation->scope);
    for (; outer != NULL && outer->number != 0; depth++) {
        outer = stf__doc_find_scope(doc, outer->parent);
    }
    if (depth > STF_LIMIT_SCOPE_DEPTH) {
        return stf_error_set(error, STF_LIMIT_EXCEEDED, "CORE",
                             "more than %u sub-processes are inside each other",
                             STF_LIMIT_SCOPE_DEPTH);
    }
    return stf__doc_insert_scope(doc, activation->number, activation->scope, error);
}

static void drop_ready(stf__doc *doc, uint64_t scope)
{
    size_t kept = 0;
    for (size_t i = 0; i < doc->ready_count; i++) {
        const stf__token *token = &doc->ready[doc->ready_first + i];
        if (token->scope != scope) {
            doc->ready[doc->ready_first + kept++] = *token;
        }
    }
    doc->ready_count = kept;
}

static void drop_parked(stf__doc *doc, uint64_t scope)
{
    size_t kept = 0;
    for (size_t i = 0; i < doc->parked_count; i++) {
        if (doc->parked[i].scope != scope) {
            doc->parked[kept++] = doc->parked[i];
        }
    }
    doc->parked_count = kept;
}

void stf__doc_remove_scope(stf__doc *doc, uint64_t number)
{
    stf__scope *scope = stf__doc_find_scope(doc, number);
    if (scope == NULL || number == 0) {
        return;
    }
    for (size_t i = 0; i < scope->variable_count; i++) {
        doc->bulk_version += stf__variable_is_in_bulk(&scope->variables[i]) ? 1 : 0;
    }
    stf__scope_done(scope, doc->alloc);
    size_t at = (size_t)(scope - doc->scopes);
    doc->scope_count--;
    memmove(scope, scope + 1, (doc->scope_count - at) * sizeof(*scope));
    drop_ready(doc, number);
    drop_parked(doc, number);
}

uint64_t stf__doc_count_in_scope(const stf__doc *doc, uint64_t scope)
{
    uint64_t count = 0;
    for (size_t i = 0; i < doc->ready_count; i++) {
        count += doc->ready[doc->ready_first + i].scope == scope ? 1 : 0;
    }
    for (size_t i = 0; i < doc->parked_count; i++) {
        count += doc->parked[i].scope == scope ? doc->parked[i].count : 0;
    }
    for (size_t i = 0; i < doc->activation_count; i++) {
        count += doc->activations[i]->scope == scope ? 1 : 0;
    }
    return count;
}
