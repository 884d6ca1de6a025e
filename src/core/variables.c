/* SPDX-License-Identifier: Apache-2.0 */
/* Scopes and their variables. Sorted by the bytes of the names. Today the process is the only
 * scope; the search for the nearest scope that has a name is in one place for when it is not. */
#include "core/doc.h"

#include <string.h>

#define BULK_BYTES_OVER 256u

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

const stf_value *stf__doc_peek_variable(const stf__doc *doc, uint64_t scope, stf_str name)
{
    (void)scope;
    bool is_there = false;
    size_t at = find_variable(&doc->scopes[0], name, &is_there);
    return is_there ? doc->scopes[0].variables[at].value : NULL;
}

static void replace_value(stf__doc *doc, stf__variable *variable, const stf_value *value)
{
    if (stf_value_equal(variable->value, value)) {
        return;
    }
    if (variable->encoded_bytes > BULK_BYTES_OVER) {
        doc->bulk_version++;
    }
    stf_value *old = variable->value;
    variable->value = stf_value_ref(value);
    variable->encoded_bytes = 0;
    stf_value_unref(old);
}

stf_status stf__doc_set_variable(stf__doc *doc, uint64_t scope_number, stf_str name,
                                 const stf_value *value, stf_error *error)
{
    (void)scope_number;
    stf__scope *scope = &doc->scopes[0];
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
    (void)scope;
    size_t count = stf_value_count(variables);
    for (size_t i = 0; i < count; i++) {
        stf_str name = stf_value_peek_key(variables, i);
        stf_status status =
            stf__doc_set_variable(doc, 0, name, stf_value_peek(variables, name), error);
        if (status != STF_OK) {
            return status;
        }
    }
    return STF_OK;
}

stf_status stf__doc_copy_variables(const stf__doc *doc, uint64_t activation,
                                   stf_value **ret_variables, stf_error *error)
{
    if (activation != 0 && stf__doc_find_activation(doc, activation) == NULL) {
        return stf_error_set(error, STF_NOT_FOUND, "CORE", "there is no activation %llu",
                             (unsigned long long)activation);
    }
    const stf__scope *scope = &doc->scopes[0];
    size_t count = scope->variable_count;
    stf_str *names = stf__mem_zalloc_array(doc->alloc, count + 1, sizeof(*names));
    stf_value **values = stf__mem_zalloc_array(doc->alloc, count + 1, sizeof(stf_value *));
    stf_status status = STF_NO_MEMORY;
    if (names == NULL || values == NULL) {
        status = stf__doc_no_memory(error);
    } else {
        for (size_t i = 0; i < count; i++) {
            names[i] = scope->variables[i].name;
            values[i] = scope->variables[i].value;
        }
        status = stf_value_new_context(doc->alloc, names, values, count, ret_variables, error);
    }
    stf__mem_free(doc->alloc, names);
    stf__mem_free(doc->alloc, values);
    return status;
}
