/* SPDX-License-Identifier: Apache-2.0 */
/* The variables of scopes, sorted by the bytes of their names. A name means the nearest scope that
 * has it, from where it is used outward. */
#include "core/doc.h"

#include <string.h>

void stf__scope_done(stf__scope *scope, const stf_allocator *alloc)
{
    for (size_t i = 0; i < scope->variable_count; i++) {
        stf_value_unref(scope->variables[i].value);
    }
    stf__mem_free(alloc, scope->variables);
    *scope = (stf__scope){.number = scope->number};
}

static size_t find_variable(const stf__scope *scope, stf_str name, bool *ret_found)
{
    size_t low = 0;
    size_t high = scope->variable_count;
    *ret_found = false;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = stf_str_compare(scope->variables[middle].name, name);
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

/* The nearest scope from that one outward that has the name, and where; NULL: none has. */
static stf__scope *find_nearest(const stf__doc *doc, uint64_t number, stf_str name, size_t *ret_at)
{
    stf__scope *scope = stf__doc_find_scope(doc, number);
    while (scope != NULL) {
        bool is_there = false;
        *ret_at = find_variable(scope, name, &is_there);
        if (is_there) {
            return scope;
        }
        scope = scope->number != 0 ? stf__doc_find_scope(doc, scope->parent) : NULL;
    }
    return NULL;
}

const stf_value *stf__doc_peek_variable(const stf__doc *doc, uint64_t scope, stf_str name)
{
    size_t at = 0;
    const stf__scope *found = find_nearest(doc, scope, name, &at);
    return found != NULL ? found->variables[at].value : NULL;
}

static void replace_value(stf__doc *doc, stf__variable *variable, const stf_value *value)
{
    if (stf_value_equal(variable->value, value)) {
        return;
    }
    doc->bulk_version += stf__variable_is_in_bulk(variable) ? 1 : 0;
    stf_value *old = variable->value;
    variable->value = stf_value_ref(value);
    variable->encoded_bytes = 0;
    stf_value_unref(old);
}

stf_status stf__doc_set_variable(stf__doc *doc, uint64_t scope_number, stf_str name,
                                 const stf_value *value, stf_error *error)
{
    stf__scope *scope = stf__doc_find_scope(doc, scope_number);
    if (scope == NULL) {
        return stf_error_set(error, STF_CORRUPT, "CORE", "there is no scope %llu",
                             (unsigned long long)scope_number);
    }
    bool is_there = false;
    size_t at = find_variable(scope, name, &is_there);
    if (is_there) {
        replace_value(doc, &scope->variables[at], value);
        return STF_OK;
    }
    stf_str own_name;
    stf_status status = stf__doc_intern(doc, name, &own_name, error);
    if (status != STF_OK) {
        return status;
    }
    void *grown = stf__doc_grow(doc->alloc, scope->variables, scope->variable_count,
                                &scope->variable_capacity, sizeof(*scope->variables));
    if (grown == NULL) {
        return stf__doc_no_memory(error);
    }
    scope->variables = grown;
    memmove(scope->variables + at + 1, scope->variables + at,
            (scope->variable_count - at) * sizeof(*scope->variables));
    scope->variables[at] = (stf__variable){.name = own_name, .value = stf_value_ref(value)};
    scope->variable_count++;
    return STF_OK;
}

stf_status stf__doc_merge_variables(stf__doc *doc, uint64_t scope, const stf_value *variables,
                                    stf_error *error)
{
    size_t count = stf_value_count(variables);
    for (size_t i = 0; i < count; i++) {
        stf_str name = stf_value_peek_key(variables, i);
        const stf_value *value = stf_value_peek(variables, name);
        size_t at = 0;
        stf__scope *nearest = find_nearest(doc, scope, name, &at);
        if (nearest != NULL) {
            replace_value(doc, &nearest->variables[at], value);
            continue;
        }
        stf_status status = stf__doc_set_variable(doc, 0, name, value, error);
        if (status != STF_OK) {
            return status;
        }
    }
    return STF_OK;
}

/* ---- Copies */

/* From a scope outward. */
static size_t count_visible_at_most(const stf__doc *doc, const stf__scope *scope)
{
    size_t count = scope->variable_count;
    while (scope != NULL && scope->number != 0) {
        scope = stf__doc_find_scope(doc, scope->parent);
        count += scope != NULL ? scope->variable_count : 0;
    }
    return count;
}

/* Each name once, with the innermost value. */
static size_t collect(const stf__doc *doc, uint64_t number, stf_str *names, stf_value **values)
{
    size_t count = 0;
    const stf__scope *scope = stf__doc_find_scope(doc, number);
    while (scope != NULL) {
        for (size_t i = 0; i < scope->variable_count; i++) {
            size_t at = 0;
            if (find_nearest(doc, number, scope->variables[i].name, &at) == scope) {
                names[count] = scope->variables[i].name;
                values[count++] = scope->variables[i].value;
            }
        }
        scope = scope->number != 0 ? stf__doc_find_scope(doc, scope->parent) : NULL;
    }
    return count;
}

stf_status stf__doc_copy_scope_variables(const stf__doc *doc, uint64_t number,
                                         stf_value **ret_variables, stf_error *error)
{
    const stf__scope *scope = stf__doc_find_scope(doc, number);
    if (scope == NULL) {
        return stf_error_set(error, STF_NOT_FOUND, "CORE", "there is no scope %llu",
                             (unsigned long long)number);
    }
    size_t most = count_visible_at_most(doc, scope);
    stf_str *names = stf__mem_zalloc_array(doc->alloc, most + 1, sizeof(*names));
    stf_value **values = stf__mem_zalloc_array(doc->alloc, most + 1, sizeof(stf_value *));
    stf_status status = STF_NO_MEMORY;
    if (names == NULL || values == NULL) {
        status = stf__doc_no_memory(error);
    } else {
        size_t count = collect(doc, number, names, values);
        status = stf_value_new_context(doc->alloc, names, values, count, ret_variables, error);
    }
    stf__mem_free(doc->alloc, names);
    stf__mem_free(doc->alloc, values);
    return status;
}

stf_status stf__doc_copy_variables(const stf__doc *doc, uint64_t activation,
                                   stf_value **ret_variables, stf_error *error)
{
    const stf__activation *owner = stf__doc_find_activation(doc, activation);
    if (activation != 0 && owner == NULL) {
        return stf_error_set(error, STF_NOT_FOUND, "CORE", "there is no activation %llu",
                             (unsigned long long)activation);
    }
    return stf__doc_copy_scope_variables(doc, owner != NULL ? owner->scope : 0, ret_variables,
                                         error);
}
