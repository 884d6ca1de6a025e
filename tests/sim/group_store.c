/* SPDX-License-Identifier: Apache-2.0 */
/* One engine's handle on the store of its group: every save is counted, checked on its way
 * (group_checks.c) and perhaps struck by a fault. A dead engine's handle answers nothing. */
#include <stdlib.h>
#include <stepfast/sys/repository_batch.h>
#include <stepfast/sys/repository_clock.h>
#include <stepfast/sys/repository_journal.h>
#include <stepfast/sys/repository_wake.h>
#include <string.h>

#include "sim/group.h"

const char *group_fault_name(group_fault fault)
{
    static const char *const names[GROUP_FAULTS] = {
        "none",        "dies before the save", "dies after the save", "loses the save",
        "loses reply", "refuses the save",     "stalls before it",    "stalls after it"};
    return names[fault];
}

static stf_status lost(stf_status status, stf_error *error)
{
    return stf_error_set(error, status, "GROUP_STORE", "a fault of the simulation");
}

#define ENTER                                                                                      \
    group_engine *engine = impl;                                                                   \
    stf_repository *inner = engine->life->inner;                                                   \
    if (engine->is_dead) {                                                                         \
        return lost(STF_UNAVAILABLE, error);                                                       \
    }

/* ---- Saves ----------------------------------------------------------------------------------- */

static group_fault draw_fault(group_life *life)
{
    group_fault fault = GROUP_NO_FAULT;
    life->saves++;
    life->counts.saves++;
    if (life->is_calm || life->is_nested) {
        return GROUP_NO_FAULT;
    }
    if (life->saves == life->fate.at) {
        fault = life->fate.fault;
    } else if (sim_chance(&life->chance, life->fate.percent)) {
        fault = (group_fault)(1 + sim_draw(&life->chance, GROUP_FAULTS - 1));
    }
    life->faults += fault != GROUP_NO_FAULT;
    life->counts.faults[fault]++;
    return fault;
}

static void strike(group_engine *engine, group_fault fault)
{
    bool dies = fault == GROUP_DIES_BEFORE || fault == GROUP_DIES_AFTER;
    if (fault == GROUP_STALLS_BEFORE) {
        group_stall(engine->life, engine);
    } else if (fault != GROUP_NO_FAULT && fault != GROUP_STALLS_AFTER) {
        engine->is_hit = true;
        stf_cancel_request(engine->cancel);
    }
    if (dies) {
        engine->is_dead = true;
        engine->rest = sim_draw(&engine->life->chance, 12);
        engine->life->counts.crashes++;
    }
}

static bool is_written(group_fault fault)
{
    return fault != GROUP_DIES_BEFORE && fault != GROUP_LOSES_SAVE && fault != GROUP_REFUSES_SAVE;
}

/* What the engine is told. One that dies is told nothing; whatever it would be told must not
 * matter. */
static stf_status tell(group_engine *engine, group_fault fault, stf_status status, stf_error *error)
{
    bool is_refused =
        fault == GROUP_REFUSES_SAVE || (fault == GROUP_DIES_BEFORE && engine->life->saves % 2 == 0);
    if (fault == GROUP_STALLS_AFTER) {
        group_stall(engine->life, engine);
    }
    if (fault == GROUP_NO_FAULT || fault == GROUP_STALLS_BEFORE || fault == GROUP_STALLS_AFTER) {
        return status;
    }
    return lost(is_refused ? STF_UNAVAILABLE : STF_OUTCOME_UNKNOWN, error);
}

static stf_status slot_save(void *impl, const stf_ctx *ctx, const stf_save *save,
                            stf_save_result *ret_result, stf_error *error)
{
    ENTER
    group_fault fault = draw_fault(engine->life);
    stf_status status = STF_OK;
    (void)ctx; /* perhaps just cancelled */
    strike(engine, fault);
    if (is_written(fault)) {
        group_check_save(engine, save);
        status = stf_repository_save(inner, NULL, save, ret_result, error);
        if (status == STF_OK) {
            group_note_save(engine, save, ret_result);
        } else {
            engine->life->counts.refused++;
        }
    }
    return tell(engine, fault, status, error);
}

static stf_status slot_save_many(void *impl, const stf_ctx *ctx, const stf_save *saves,
                                 size_t count, stf_save_result *results, stf_error *error)
{
    ENTER
    group_fault fault = draw_fault(engine->life);
    stf_status status = STF_OK;
    (void)ctx;
    strike(engine, fault);
    if (is_written(fault)) {
        /* A fault may strike when only some of a batch are written. */
        bool is_partial = (fault == GROUP_DIES_AFTER || fault == GROUP_LOSES_REPLY) &&
                          engine->life->saves % 2 == 0;
        size_t written = is_partial ? (count + 1) / 2 : count;
        for (size_t i = 0; i < written; i++) {
            group_check_save(engine, &saves[i]);
        }
        status = stf_repository_save_many(inner, NULL, saves, written, results, error);
        for (size_t i = 0; status == STF_OK && i < written; i++) {
            if (results[i].status == STF_OK) {
                group_note_save(engine, &saves[i], &results[i]);
            } else {
                engine->life->counts.refused++;
            }
        }
    }
    return tell(engine, fault, status, error);
}

/* ---- Everything else is handed on ------------------------------------------------------------ */

static stf_status slot_load(void *impl, const stf_ctx *ctx, stf_str id, stf_record_visitor visit,
                            void *user, bool *ret_found, stf_error *error)
{
    ENTER
    return stf_repository_load(inner, ctx, id, visit, user, ret_found, error);
}

static stf_status slot_remove(void *impl, const stf_ctx *ctx, const stf_delete *request,
                              stf_error *error)
{
    ENTER
    return stf_repository_delete(inner, ctx, request, error);
}

static stf_status slot_list(void *impl, const stf_ctx *ctx, const stf_in_flight_query *query,
                            stf_id_visitor visit, void *user, stf_error *error)
{
    ENTER
    return stf_repository_list_in_flight(inner, ctx, query, visit, user, error);
}

static stf_status slot_register_group(void *impl, const stf_ctx *ctx, stf_str group,
                                      stf_error *error)
{
    ENTER
    return stf_repository_register_group(inner, ctx, group, error);
}

static stf_status slot_group_exists(void *impl, const stf_ctx *ctx, stf_str group, bool *ret_exists,
                                    stf_error *error)
{
    ENTER
    return stf_repository_group_exists(inner, ctx, group, ret_exists, error);
}

static stf_status slot_resolve_tenant(void *impl, const stf_ctx *ctx, stf_str group, stf_str tenant,
                                      stf_buf *ret_tenant, stf_error *error)
{
    ENTER
    return stf_repository_resolve_tenant(inner, ctx, group, tenant, ret_tenant, error);
}

static stf_status slot_describe(void *impl, const stf_ctx *ctx, stf_repository_facts *ret_facts,
                                stf_error *error)
{
    ENTER
    return stf_repository_describe(inner, ctx, ret_facts, error);
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
    return stf_repository_load_many(inner, ctx, ids, count, due_before, visit, user, error);
}

static stf_status slot_due_page(void *impl, const stf_ctx *ctx, const stf_due_query *query,
                                stf_wake_visitor visit, void *user, stf_error *error)
{
    ENTER
    return stf_repository_due_page(inner, ctx, query, visit, user, error);
}

static stf_status slot_orphan_page(void *impl, const stf_ctx *ctx, const stf_orphan_query *query,
                                   stf_wake_visitor visit, void *user, stf_error *error)
{
    ENTER
    return stf_repository_orphan_page(inner, ctx, query, visit, user, error);
}

static stf_status slot_waiting_page(void *impl, const stf_ctx *ctx, const stf_waiting_query *query,
                                    stf_wake_visitor visit, void *user, stf_error *error)
{
    ENTER
    return stf_repository_waiting_page(inner, ctx, query, visit, user, error);
}

static stf_status slot_next_due(void *impl, const stf_ctx *ctx, stf_str group, stf_str asker,
                                stf_wall *ret_due, stf_error *error)
{
    ENTER
    return stf_repository_next_due(inner, ctx, group, asker, ret_due, error);
}

static stf_status slot_journal_page(void *impl, const stf_ctx *ctx, const stf_journal_query *query,
                                    stf_journal_visitor visit, void *user, stf_error *error)
{
    ENTER
    return stf_repository_journal_page(inner, ctx, query, visit, user, error);
}

static stf_status slot_now(void *impl, const stf_ctx *ctx, stf_wall *ret_now, stf_error *error)
{
    ENTER
    return stf_repository_now(inner, ctx, ret_now, error);
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
    static const stf_store_clock_vtable clock = {sizeof(clock), STF_STORE_CLOCK_ABI, 0, slot_now};
    const group_plan *plan = ((const group_engine *)impl)->life->plan;
    const struct {
        const char *id;
        const void *vtable;
        bool is_shown;
    } extensions[] = {{STF_REPOSITORY_BATCH, &batch, plan->has_batch},
                      {STF_REPOSITORY_WAKE, &wake, plan->has_wake},
                      {STF_REPOSITORY_JOURNAL, &journal, true},
                      {STF_REPOSITORY_CLOCK, &clock, plan->has_store_clock}};
    for (size_t i = 0; i < sizeof(extensions) / sizeof(extensions[0]); i++) {
        if (strcmp(extensions[i].id, id) == 0 && extensions[i].is_shown) {
            return extensions[i].vtable;
        }
    }
    return NULL;
}

stf_repository *group_store_open(group_engine *engine)
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
    if (stf_repository_new(NULL, &vtable, engine, &repository, NULL) != STF_OK) {
        abort();
    }
    return repository;
}
