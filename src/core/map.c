/* SPDX-License-Identifier: Apache-2.0 */
/* Mappings: which variables go into a called process or a message, and which come out of a call.
 * They are evaluated in file order and of two for one name the later wins. */
#include "core/step.h"

#include <stepfast/limits.h>

/* Names and values, gathered; values have one reference each. */
typedef struct gathered {
    stf_str *names;
    stf_value **values;
    size_t count;
} gathered;

static void drop(const stf__step *step, gathered *all)
{
    for (size_t i = 0; i < all->count; i++) {
        stf_value_unref(all->values[i]);
    }
    stf__mem_free(step->doc->alloc, all->names);
    stf__mem_free(step->doc->alloc, all->values);
}

/* How many entries they can give at most. */
static size_t count_entries(const stf__mappings *mappings, const stf_value *visible)
{
    size_t count = 0;
    for (uint32_t i = 0; i < mappings->count; i++) {
        count += mappings->items[i].is_all ? stf_value_count(visible) : 1;
    }
    return count;
}

static stf_status make_room(const stf__step *step, size_t count, gathered *all)
{
    *all = (gathered){.count = 0};
    all->names = stf__mem_zalloc_array(step->doc->alloc, count + 1, sizeof(*all->names));
    all->values = stf__mem_zalloc_array(step->doc->alloc, count + 1, sizeof(stf_value *));
    return all->names != NULL && all->values != NULL ? STF_OK : stf__doc_no_memory(step->error);
}

static void add_all(gathered *all, const stf_value *visible)
{
    for (size_t i = 0; i < stf_value_count(visible); i++) {
        stf_str name = stf_value_peek_key(visible, i);
        all->names[all->count] = name;
        all->values[all->count++] = stf_value_ref(stf_value_peek(visible, name));
    }
}

/* Too many or too deep for one value: an incident, as it is the model's or its data's trouble. */
static stf_status finish(stf__step *step, const stf__activation *activation, const gathered *all,
                         bool *ret_is_ok, stf_value **ret_variables)
{
    stf_error why = STF_ERROR_INIT;
    stf_status status = stf_value_new_context(step->doc->alloc, all->names, all->values, all->count,
                                              ret_variables, &why);
    if (status == STF_OK) {
        return STF_OK;
    }
    if (status == STF_NO_MEMORY) {
        return stf__doc_no_memory(step->error);
    }
    stf__trouble trouble = {.kind = STF__INCIDENT_LIMIT, .message = stf_str_of(why.message)};
    *ret_is_ok = false;
    return stf__step_open_incident(step, activation, &trouble);
}

static bool has_all(const stf__mappings *mappings)
{
    for (uint32_t i = 0; i < mappings->count; i++) {
        if (mappings->items[i].is_all) {
            return true;
        }
    }
    return false;
}

/* ---- Into: where an activation is */

static stf_status gather(stf__step *step, const stf__activation *activation,
                         const stf__mappings *mappings, const stf_value *visible, gathered *all,
                         bool *ret_is_ok)
{
    *ret_is_ok = true;
    for (uint32_t i = 0; i < mappings->count; i++) {
        const stf__mapping *mapping = &mappings->items[i];
        if (mapping->is_all) {
            add_all(all, visible);
            continue;
        }
        stf__expr_site site = {
            .what = "input variable", .id = mapping->target, .line = mapping->line};
        stf_value *value = NULL;
        stf_status status = stf__step_eval(step, activation, mapping->source, &site,
                                           STF__INCIDENT_EXPRESSION, ret_is_ok, &value);
        if (status != STF_OK || !*ret_is_ok) {
            return status;
        }
        all->names[all->count] = mapping->target;
        all->values[all->count++] = value;
    }
    return STF_OK;
}

stf_status stf__step_map(stf__step *step, const stf__activation *activation,
                         const stf__mappings *mappings, bool *ret_is_ok, stf_value **ret_variables)
{
    stf_value *visible = NULL;
    gathered all = {.count = 0};
    stf_status status = STF_OK;
    *ret_is_ok = true;
    if (mappings->count == 0) {
        *ret_variables = NULL;
        return STF_OK;
    }
    if (has_all(mappings)) {
        status = stf__doc_copy_scope_variables(step->doc, activation->scope, &visible, step->error);
    }
    if (status == STF_OK) {
        status = make_room(step, count_entries(mappings, visible), &all);
    }
    if (status == STF_OK) {
        status = gather(step, activation, mappings, visible, &all, ret_is_ok);
    }
    if (status == STF_OK && *ret_is_ok) {
        status = finish(step, activation, &all, ret_is_ok, ret_variables);
    }
    drop(step, &all);
    stf_value_unref(visible);
    return status;
}

/* ---- Out of: where only some variables are visible */

static const stf_value *lookup(void *user, stf_str name)
{
    const stf_value *const *variables = user;
    return stf_value_peek(*variables, name);
}

/* The first that failed is told; the step goes on with the rest. */
typedef struct failure {
    const stf__mapping *mapping; /* NULL: none */
    stf_error why;
} failure;

static stf_status gather_from(stf__step *step, const stf_value *variables,
                              const stf__mappings *mappings, gathered *all, failure *first)
{
    stf_expr_scope scope = {.struct_size = sizeof(stf_expr_scope),
                            .abi = STF_EXPR_SCOPE_ABI,
                            .user = &variables,
                            .lookup = lookup,
                            .step_budget = step->expr_steps};
    for (uint32_t i = 0; i < mappings->count; i++) {
        const stf__mapping *mapping = &mappings->items[i];
        if (mapping->is_all) {
            add_all(all, variables);
            continue;
        }
        stf_error why = STF_ERROR_INIT;
        stf_value *value = NULL;
        stf_status status = stf_expr_eval(mapping->source, step->doc->alloc, &scope, &value, &why);
        if (status == STF_NO_MEMORY) {
            return stf__doc_no_memory(step->error);
        }
        if (status == STF_OK) {
            all->names[all->count] = mapping->target;
            all->values[all->count++] = value;
        } else if (first->mapping == NULL) {
            first->mapping = mapping;
            first->why = why;
        }
    }
    return STF_OK;
}

static stf_status open_incident(stf__step *step, const stf__activation *activation,
                                const failure *first)
{
    const stf__mapping *mapping = first->mapping;
    stf_str source = stf_expr_peek_text(mapping->source);
    return stf__step_open_incident_of(
        step, activation, STF__INCIDENT_EXPRESSION, mapping->line,
        "output variable \"%.*s\" (line %u), %.*s: %s; the rest is written, and a retry goes on "
        "without it",
        STF_STR_ARG(mapping->target), mapping->line, STF_STR_ARG(source), first->why.message);
}

stf_status stf__step_map_from(stf__step *step, const stf__activation *activation,
                              const stf_value *variables, const stf__mappings *mappings,
                              bool *ret_is_ok, stf_value **ret_variables)
{
    gathered all;
    failure first = {.mapping = NULL};
    stf_value *made = NULL;
    *ret_is_ok = true;
    stf_status status = make_room(step, count_entries(mappings, variables), &all);
    if (status == STF_OK) {
        status = gather_from(step, variables, mappings, &all, &first);
    }
    if (status == STF_OK) {
        status = finish(step, activation, &all, ret_is_ok, &made);
    }
    drop(step, &all);
    if (status == STF_OK && *ret_is_ok && first.mapping != NULL) {
        *ret_is_ok = false;
        status = open_incident(step, activation, &first);
    }
    if (status != STF_OK) {
        stf_value_unref(made);
        return status;
    }
    *ret_variables = made;
    return STF_OK;
}
