/* SPDX-License-Identifier: Apache-2.0 */
/* A repository over the memory store that is hit by one fault at a chosen save: the save is written
 * or not, its reply is lost, and then the store either goes on or never answers again, as it looks
 * to a process that dies at that instant. Every save is checked on its way (save_checks.c). */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <stepfast/sys/repository_batch.h>
#include <stepfast/sys/repository_journal.h>
#include <stepfast/sys/repository_wake.h>
#include <string.h>

#include "sim/sim.h"

const char *sim_flavour_name(sim_flavour flavour)
{
    static const char *const names[SIM_FLAVOURS] = {
        "none",           "dies before the save", "dies after the save",
        "loses the save", "loses the reply",      "refuses the save"};
    return names[flavour];
}

void sim_store_fail(sim_store *store, const char *format, ...)
{
    va_list arguments;
    if (store->failure[0] != '\0') {
        return; /* the first one is the cause */
    }
    int used = snprintf(store->failure, sizeof(store->failure), "save %u: ", store->saves);
    va_start(arguments, format);
    vsnprintf(store->failure + used, sizeof(store->failure) - (size_t)used, format, arguments);
    va_end(arguments);
}

static stf_status lost(stf_status status, stf_error *error)
{
    return stf_error_set(error, status, "CRASH_STORE", "a fault of the simulation");
}

/* Ends a slot of a store that answers no more. */
#define ENTER                                                                                      \
    sim_store *store = impl;                                                                       \
    if (store->is_dead) {                                                                          \
        return lost(STF_UNAVAILABLE, error);                                                       \
    }

/* ---- Saves ----------------------------------------------------------------------------------- */

static sim_flavour strike(sim_store *store)
{
    sim_flavour flavour = SIM_NONE;
    store->saves++;
    if (store->saves == store->fault.at) {
        flavour = store->fault.flavour;
        store->is_dead = flavour == SIM_DIES_BEFORE || flavour == SIM_DIES_AFTER;
        store->is_hit = true;
        store->last_fault_save = store->saves;
        stf_cancel_request(store->cancel);
    }
    return flavour;
}

/* What the engine is told. A process that dies is told nothing; what it would have been told must
 * not matter, so both answers are given. */
static stf_status told(const sim_store *store, sim_flavour flavour, stf_error *error)
{
    bool says_nothing_was_written =
        flavour == SIM_REFUSES_SAVE || (flavour == SIM_DIES_BEFORE && store->saves % 2 == 0);
    return lost(says_nothing_was_written ? STF_UNAVAILABLE : STF_OUTCOME_UNKNOWN, error);
}

static bool is_written(sim_flavour flavour)
{
    return flavour == SIM_NONE || flavour == SIM_DIES_AFTER || flavour == SIM_LOSES_REPLY;
}

static stf_status slot_save(void *impl, const stf_ctx *ctx, const stf_save *save,
                            stf_save_result *ret_result, stf_error *error)
{
    ENTER
    sim_flavour flavour = strike(store);
    stf_status status = STF_OK;
    (void)ctx; /* it has just been cancelled */
    sim_save_check(store, save);
    if (is_written(flavour)) {
        status = stf_repository_save(store->inner, NULL, save, ret_result, error);
        if (status == STF_OK) {
            sim_save_note(store, save, ret_result);
        }
    }
    return flavour == SIM_NONE ? status : told(store, flavour, error);
}

static stf_status slot_save_many(void *impl, const stf_ctx *ctx, const stf_save *saves,
                                 size_t count, stf_save_result *results, stf_error *error)
{
    ENTER
    sim_flavour flavour = strike(store);
    stf_status status = STF_OK;
    (void)ctx; /* it has just been cancelled */
    for (size_t i = 0; i < count; i++) {
        sim_save_check(store, &saves[i]);
    }
    if (is_written(flavour)) {
        /* A fault may strike when only some of a batch are written. */
        size_t written = flavour != SIM_NONE && store->saves % 2 == 0 ? (count + 1) / 2 : count;
        status = stf_repository_save_many(store->inner, NULL, saves, written, results, error);
        for (size_t i = 0; status == STF_OK && i < written; i++) {
            if (results[i].status == STF_OK) {
                sim_save_note(store, &saves[i], &results[i]);
            }
        }
    }
    return flavour == SIM_NONE ? status : told(store, flavour, error);
}

/* ---- Everything else is handed on ------------------------------------------------------------ */

static stf_status slot_load(void *impl, const stf_ctx *ctx, stf_str id, stf_record_visitor visit,
                            void *user, bool *ret_found, stf_error *error)
{
    ENTER
    return stf_repository_load(store->inner, ctx, id, visit, user, ret_found, error);
}

static stf_status slot_remove(void *impl, const stf_ctx *ctx, const stf_delete *request,
                              stf_error *error)
{
    ENTER
    return stf_repository_delete(store->inner, ctx, request, error);
}

static stf_status slot_list(void *impl, const stf_ctx *ctx, const stf_in_flight_query *query,
                            stf_id_visitor visit, void *user, stf_error *error)
{
    ENTER
    return stf_repository_list_in_flight(store->inner, ctx, query, visit, user, error);
}

static stf_status slot_register_group(void *impl, const stf_ctx *ctx, stf_str group,
                                      stf_error *error)
{
    ENTER
    return stf_repository_register_group(store->inner, ctx, group, error);
}

static stf_status slot_group_exists(void *impl, const stf_ctx *ctx, stf_str group, bool *ret_exists,
                                    stf_error *error)
{
    ENTER
    return stf_repository_group_exists(store->inner, ctx, group, ret_exists, error);
}

static stf_status slot_resolve_tenant(void *impl, const stf_ctx *ctx, stf_str group, stf_str tenant,
                                      stf_buf *ret_tenant, stf_error *error)
{
    ENTER
    return stf_repository_resolve_tenant(store->inner, ctx, group, tenant, ret_tenant, error);
}

static stf_status slot_describe(void *impl, const stf_ctx *ctx, stf_repository_facts *ret_facts,
                                stf_error *error)
{
    ENTER
    return stf_repository_describe(store->inner, ctx, ret_facts, error);
}

static void slot_close(void *impl)
{
    (void)impl; /* the life's own */
}

static stf_status slot_load_many(void *impl, const stf_ctx *ctx, const stf_str *ids, size_t count,
                                 stf_wall due_before, stf_record_visitor visit, void *user,
                                 stf_error *error)
{
    ENTER
    return stf_repository_load_many(store->inner, ctx, ids, count, due_before, visit, user, error);
}

static stf_status slot_due_page(void *impl, const stf_ctx *ctx, const stf_due_query *query,
                                stf_wake_visitor visit, void *user, stf_error *error)
{
    ENTER
    return stf_repository_due_page(store->inner, ctx, query, visit, user, error);
}

static stf_status slot_orphan_page(void *impl, const stf_ctx *ctx, const stf_orphan_query *query,
                                   stf_wake_visitor visit, void *user, stf_error *error)
{
    ENTER
    return stf_repository_orphan_page(store->inner, ctx, query, visit, user, error);
}

static stf_status slot_waiting_page(void *impl, const stf_ctx *ctx, const stf_waiting_query *query,
                                    stf_wake_visitor visit, void *user, stf_error *error)
{
    ENTER
    return stf_repository_waiting_page(store->inner, ctx, query, visit, user, error);
}

static stf_status slot_next_due(void *impl, const stf_ctx *ctx, stf_str group, stf_str asker,
                                stf_wall *ret_due, stf_error *error)
{
    ENTER
    return stf_repository_next_due(store->inner, ctx, group, asker, ret_due, error);
}

static stf_status slot_journal_page(void *impl, const stf_ctx *ctx, const stf_journal_query *query,
                                    stf_journal_visitor visit, void *user, stf_error *error)
{
    ENTER
    return stf_repository_journal_page(store->inner, ctx, query, visit, user, error);
}

static const void *slot_extension(void *impl, const char *id)
{
    static const stf_batch_vtable batch = {sizeof(batch), STF_BATCH_ABI, 0, slot_save_many,
                                           slot_load_many};
    static const stf_wake_vtable wake = {sizeof(wake),  STF_WAKE_ABI,     0,
                                         slot_due_page, slot_orphan_page, slot_waiting_page,
                                         slot_next_due};
    static const stf_journal_vtable journal = {sizeof(journal), STF_JOURNAL_ABI, 0,
                                               slot_journal_page};
    static const struct {
        const char *id;
        const void *vtable;
    } extensions[] = {{STF_REPOSITORY_BATCH, &batch},
                      {STF_REPOSITORY_WAKE, &wake},
                      {STF_REPOSITORY_JOURNAL, &journal}};
    sim_store *store = impl;
    for (size_t i = 0; i < sizeof(extensions) / sizeof(extensions[0]); i++) {
        if (strcmp(extensions[i].id, id) == 0 && stf_repository_has(store->inner, id)) {
            return extensions[i].vtable;
        }
    }
    return NULL;
}

/* ---- Handles --------------------------------------------------------------------------------- */

stf_repository *sim_store_open(sim_store *store)
{
    static const stf_repository_vtable vtable = {.struct_size = sizeof(vtable),
                                                 .abi = STF_REPOSITORY_ABI,
                                                 .save = slot_save,
                                                 .load = slot_load,
                                                 .remove = slot_remove,
                                                 .list_in_flight = slot_list,
                                                 .register_group = slot_register_group,
                                                 .group_exists = slot_group_exists,
                                                 .resolve_tenant = slot_resolve_tenant,
                                                 .describe = slot_describe,
                                                 .extension = slot_extension,
                                                 .close = slot_close};
    stf_repository *repository = NULL;
    if (stf_repository_new(NULL, &vtable, store, &repository, NULL) != STF_OK) {
        abort();
    }
    return repository;
}

void sim_store_done(sim_store *store)
{
    for (size_t i = 0; i < SIM_INSTANCES_MAX; i++) {
        stf_buf_done(&store->books[i].head);
        stf_buf_done(&store->books[i].bulk);
    }
}
