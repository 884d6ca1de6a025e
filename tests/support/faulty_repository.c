/* SPDX-License-Identifier: Apache-2.0 */
/* See faulty_repository.h. */
#include "support/faulty_repository.h"

#include <stepfast/sys/repository_batch.h>
#include <stepfast/sys/repository_catalog.h>
#include <stepfast/sys/repository_clock.h>
#include <stepfast/sys/repository_journal.h>
#include <stepfast/sys/repository_liveness.h>
#include <stepfast/sys/repository_migrator.h>
#include <stepfast/sys/repository_wake.h>
#include <string.h>

#include "support/stf_test.h"

/* What happens to one call. */
typedef struct fate {
    stf_status status; /* OK: nothing */
    bool applies;
} fate;

static fate enter(faulty_repository *faulty, const char *name, bool is_save)
{
    fate lot = {STF_OK, false};
    long call = atomic_fetch_add(&faulty->calls, 1) + 1;
    long save = is_save ? atomic_fetch_add(&faulty->saves, 1) + 1 : 0;
    if (faulty->on_call != NULL) {
        faulty->on_call(faulty->user, name);
    }
    if (faulty->log_calls && strlen(faulty->log) + strlen(name) + 2 < sizeof(faulty->log)) {
        strncat(faulty->log, name, sizeof(faulty->log) - strlen(faulty->log) - 1);
        strncat(faulty->log, " ", sizeof(faulty->log) - strlen(faulty->log) - 1);
    }
    long from = atomic_load(&faulty->fail_at);
    long count = atomic_load(&faulty->fail_count);
    long number = atomic_load(&faulty->only_saves) ? save : call;
    if (from != 0 && number >= from && (count == 0 || number < from + count)) {
        lot.status = (stf_status)atomic_load(&faulty->status);
        lot.applies = atomic_load(&faulty->applies);
    }
    return lot;
}

static stf_status lose(fate lot, stf_error *error)
{
    return stf_error_set(error, lot.status, "FAULTY_REPO", "a fault of the test");
}

/* Enters; a fault that does not apply ends the slot here. */
#define ENTER(name, is_save)                                                                       \
    faulty_repository *faulty = impl;                                                              \
    fate lot = enter(faulty, (name), (is_save));                                                   \
    if (lot.status != STF_OK && !lot.applies) {                                                    \
        return lose(lot, error);                                                                   \
    }

#define LEAVE(call)                                                                                \
    do {                                                                                           \
        stf_status status_ = (call);                                                               \
        return lot.status != STF_OK ? lose(lot, error) : status_;                                  \
    } while (0)

/* ---- The base slots ---------------------------------------------------------------------------
 */

static stf_status slot_save(void *impl, const stf_ctx *ctx, const stf_save *save,
                            stf_save_result *ret_result, stf_error *error)
{
    ENTER("save", true)
    LEAVE(stf_repository_save(faulty->inner, ctx, save, ret_result, error));
}

static stf_status slot_load(void *impl, const stf_ctx *ctx, stf_str id, stf_record_visitor visit,
                            void *user, bool *ret_found, stf_error *error)
{
    ENTER("load", false)
    LEAVE(stf_repository_load(faulty->inner, ctx, id, visit, user, ret_found, error));
}

static stf_status slot_remove(void *impl, const stf_ctx *ctx, const stf_delete *request,
                              stf_error *error)
{
    ENTER("remove", false)
    LEAVE(stf_repository_delete(faulty->inner, ctx, request, error));
}

static stf_status slot_list(void *impl, const stf_ctx *ctx, const stf_in_flight_query *query,
                            stf_id_visitor visit, void *user, stf_error *error)
{
    ENTER("list_in_flight", false)
    LEAVE(stf_repository_list_in_flight(faulty->inner, ctx, query, visit, user, error));
}

static stf_status slot_register_group(void *impl, const stf_ctx *ctx, stf_str group,
                                      stf_error *error)
{
    ENTER("register_group", false)
    LEAVE(stf_repository_register_group(faulty->inner, ctx, group, error));
}

static stf_status slot_group_exists(void *impl, const stf_ctx *ctx, stf_str group, bool *ret_exists,
                                    stf_error *error)
{
    ENTER("group_exists", false)
    LEAVE(stf_repository_group_exists(faulty->inner, ctx, group, ret_exists, error));
}

static stf_status slot_resolve_tenant(void *impl, const stf_ctx *ctx, stf_str group, stf_str tenant,
                                      stf_buf *ret_tenant, stf_error *error)
{
    ENTER("resolve_tenant", false)
    LEAVE(stf_repository_resolve_tenant(faulty->inner, ctx, group, tenant, ret_tenant, error));
}

static stf_status slot_describe(void *impl, const stf_ctx *ctx, stf_repository_facts *ret_facts,
                                stf_error *error)
{
    ENTER("describe", false)
    LEAVE(stf_repository_describe(faulty->inner, ctx, ret_facts, error));
}

static void slot_close(void *impl)
{
    (void)impl; /* the test's own */
}

/* ---- The capabilities -------------------------------------------------------------------------
 */

static stf_status slot_save_many(void *impl, const stf_ctx *ctx, const stf_save *saves,
                                 size_t count, stf_save_result *results, stf_error *error)
{
    ENTER("save_many", true)
    LEAVE(stf_repository_save_many(faulty->inner, ctx, saves, count, results, error));
}

static stf_status slot_load_many(void *impl, const stf_ctx *ctx, const stf_str *ids, size_t count,
                                 stf_wall due_before, stf_record_visitor visit, void *user,
                                 stf_error *error)
{
    ENTER("load_many", false)
    LEAVE(stf_repository_load_many(faulty->inner, ctx, ids, count, due_before, visit, user, error));
}

static stf_status slot_due_page(void *impl, const stf_ctx *ctx, const stf_due_query *query,
                                stf_wake_visitor visit, void *user, stf_error *error)
{
    ENTER("due_page", false)
    LEAVE(stf_repository_due_page(faulty->inner, ctx, query, visit, user, error));
}

static stf_status slot_orphan_page(void *impl, const stf_ctx *ctx, const stf_orphan_query *query,
                                   stf_wake_visitor visit, void *user, stf_error *error)
{
    ENTER("orphan_page", false)
    LEAVE(stf_repository_orphan_page(faulty->inner, ctx, query, visit, user, error));
}

static stf_status slot_waiting_page(void *impl, const stf_ctx *ctx, const stf_waiting_query *query,
                                    stf_wake_visitor visit, void *user, stf_error *error)
{
    ENTER("waiting_page", false)
    LEAVE(stf_repository_waiting_page(faulty->inner, ctx, query, visit, user, error));
}

static stf_status slot_next_due(void *impl, const stf_ctx *ctx, stf_str group, stf_str asker,
                                stf_wall *ret_due, stf_error *error)
{
    ENTER("next_due", false)
    LEAVE(stf_repository_next_due(faulty->inner, ctx, group, asker, ret_due, error));
}

static stf_status slot_page(void *impl, const stf_ctx *ctx, const stf_catalog_query *query,
                            stf_record_visitor visit, void *user, stf_error *error)
{
    ENTER("page", false)
    LEAVE(stf_repository_page(faulty->inner, ctx, query, visit, user, error));
}

static stf_status slot_count(void *impl, const stf_ctx *ctx, const stf_catalog_query *query,
                             uint64_t *ret_count, stf_error *error)
{
    ENTER("count", false)
    LEAVE(stf_repository_count(faulty->inner, ctx, query, ret_count, error));
}

static stf_status slot_prune(void *impl, const stf_ctx *ctx, const stf_prune_request *request,
                             uint64_t *ret_count, stf_error *error)
{
    ENTER("prune", false)
    LEAVE(stf_repository_prune(faulty->inner, ctx, request, ret_count, error));
}

static stf_status slot_journal_page(void *impl, const stf_ctx *ctx, const stf_journal_query *query,
                                    stf_journal_visitor visit, void *user, stf_error *error)
{
    ENTER("journal_page", false)
    LEAVE(stf_repository_journal_page(faulty->inner, ctx, query, visit, user, error));
}

static stf_status slot_now(void *impl, const stf_ctx *ctx, stf_wall *ret_now, stf_error *error)
{
    ENTER("now", false)
    LEAVE(stf_repository_now(faulty->inner, ctx, ret_now, error));
}

static stf_status slot_migrate(void *impl, const stf_ctx *ctx, stf_error *error)
{
    ENTER("migrate", false)
    LEAVE(stf_repository_migrate(faulty->inner, ctx, error));
}

static stf_status slot_check_schema(void *impl, const stf_ctx *ctx, stf_error *error)
{
    ENTER("check_schema", false)
    LEAVE(stf_repository_check_schema(faulty->inner, ctx, error));
}

static stf_status slot_hold_owner(void *impl, const stf_ctx *ctx, stf_str owner, stf_error *error)
{
    ENTER("hold_owner", false)
    LEAVE(stf_repository_hold_owner(faulty->inner, ctx, owner, error));
}

static void slot_release_owner(void *impl, stf_str owner)
{
    faulty_repository *faulty = impl;
    stf_repository_release_owner(faulty->inner, owner);
}

static stf_status slot_owner_is_dead(void *impl, const stf_ctx *ctx, stf_str owner, bool *ret_dead,
                                     stf_error *error)
{
    ENTER("owner_is_dead", false)
    LEAVE(stf_repository_owner_is_dead(faulty->inner, ctx, owner, ret_dead, error));
}

static stf_status slot_list_owners(void *impl, const stf_ctx *ctx, stf_str group,
                                   stf_id_visitor visit, void *user, stf_error *error)
{
    ENTER("list_owners", false)
    LEAVE(stf_repository_list_owners(faulty->inner, ctx, group, visit, user, error));
}

static const stf_batch_vtable batch = {sizeof(batch), STF_BATCH_ABI, 0, slot_save_many,
                                       slot_load_many};
static const stf_wake_vtable wake = {sizeof(wake),  STF_WAKE_ABI,     0,
                                     slot_due_page, slot_orphan_page, slot_waiting_page,
                                     slot_next_due};
static const stf_catalog_vtable catalog = {sizeof(catalog), STF_CATALOG_ABI, 0,
                                           slot_page,       slot_count,      slot_prune};
static const stf_journal_vtable journal = {sizeof(journal), STF_JOURNAL_ABI, 0, slot_journal_page};
static const stf_store_clock_vtable store_clock = {sizeof(store_clock), STF_STORE_CLOCK_ABI, 0,
                                                   slot_now};
static const stf_migrator_vtable migrator = {sizeof(migrator), STF_MIGRATOR_ABI, 0, slot_migrate,
                                             slot_check_schema};
static const stf_liveness_vtable liveness = {
    sizeof(liveness),   STF_LIVENESS_ABI, 0, slot_hold_owner, slot_release_owner,
    slot_owner_is_dead, slot_list_owners};

static const void *slot_extension(void *impl, const char *id)
{
    static const struct {
        const char *id;
        const void *vtable;
    } extensions[] = {
        {STF_REPOSITORY_BATCH, &batch},       {STF_REPOSITORY_WAKE, &wake},
        {STF_REPOSITORY_CATALOG, &catalog},   {STF_REPOSITORY_JOURNAL, &journal},
        {STF_REPOSITORY_CLOCK, &store_clock}, {STF_REPOSITORY_MIGRATOR, &migrator},
        {STF_REPOSITORY_LIVENESS, &liveness},
    };
    faulty_repository *faulty = impl;
    for (size_t i = 0; i < sizeof(extensions) / sizeof(extensions[0]); i++) {
        if (strcmp(extensions[i].id, id) == 0 && stf_repository_has(faulty->inner, id)) {
            return extensions[i].vtable;
        }
    }
    return NULL;
}

stf_repository *faulty_repository_new(faulty_repository *faulty, stf_repository *inner)
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
    stf_error error = STF_ERROR_INIT;
    stf_repository *repository = NULL;
    memset(faulty, 0, sizeof(*faulty));
    faulty->inner = inner;
    STF_CHECK_OK(stf_repository_new(NULL, &vtable, faulty, &repository, &error), &error);
    return repository;
}

void faulty_repository_fail_saves(faulty_repository *faulty, long n, long count, stf_status status,
                                  bool applies)
{
    atomic_store(&faulty->only_saves, true);
    atomic_store(&faulty->status, (int)status);
    atomic_store(&faulty->applies, applies);
    atomic_store(&faulty->fail_count, count);
    atomic_store(&faulty->fail_at, atomic_load(&faulty->saves) + n);
}

void faulty_repository_cut(faulty_repository *faulty, long n)
{
    atomic_store(&faulty->only_saves, false);
    atomic_store(&faulty->status, (int)STF_UNAVAILABLE);
    atomic_store(&faulty->applies, false);
    atomic_store(&faulty->fail_count, 0);
    atomic_store(&faulty->fail_at, atomic_load(&faulty->calls) + n);
}

void faulty_repository_heal(faulty_repository *faulty)
{
    atomic_store(&faulty->fail_at, 0);
}
