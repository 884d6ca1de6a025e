/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of the memory store: one mutex over everything below. Invariants:
 * - Every row is in memory.records, and in the trees of its group's wake set that its fields name;
 *   only terminal rows are in the list of the ended.
 * - What can fail is done before anything changes: a call that fails leaves no trace.
 * - No callback (visitor, on_evict) runs under the mutex: pages are copied out first. */
#ifndef STF_MEMORY_PRIVATE_H
#define STF_MEMORY_PRIVATE_H

#include "base/map.h"
#include "base/mem.h"
#include "base/tree.h"
#include "port/wake_set.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stepfast/limits.h>
#include <stepfast/memory.h>
#include <stepfast/sys/repository_batch.h>
#include <stepfast/sys/repository_catalog.h>
#include <stepfast/sys/repository_cluster.h>
#include <stepfast/sys/repository_journal.h>
#include <stepfast/sys/repository_wake.h>

typedef struct stf__tenant {
    stf_str name; /* its bytes follow the struct */
} stf__tenant;

typedef struct stf__group {
    stf_str name; /* its bytes follow the struct */
    stf__map tenants;
    stf__tenant *default_tenant; /* NULL until it is first used */
    stf__wake_set set;           /* all rows */
    stf__tree definitions;       /* by (tenant, key, version) */
} stf__group;

typedef struct stf__row stf__row;

/* The rows that one save brought; rows and text follow the struct. */
typedef struct stf__journal_block {
    struct stf__journal_block *next;
    int64_t version;
    size_t count;
    stf_journal_row rows[];
} stf__journal_block;

/* Bytes of a row, in as much memory as they need: a store holds very many of these. */
typedef struct stf__row_bytes {
    uint8_t *data;
    uint32_t size; /* a payload is at most STF_LIMIT_PAYLOAD_BYTES */
    uint32_t capacity;
} stf__row_bytes;

/* What each save compares and writes lies together. */
struct stf__row {
    stf__group *group;
    stf_attempt attempt;
    stf__row_bytes head;
    stf__row_bytes owner;
    stf__row_bytes label_key;
    stf__row_bytes bulk;
    stf__row_bytes wait_text;
    int64_t incarnation;
    int64_t label_version;
    stf_wall created;
    stf_wall updated;
    uint32_t wait_capacity;
    bool is_listed_ended;
    stf__journal_block *journal;
    stf__journal_block **journal_last;
    stf__row *older; /* the list of the ended */
    stf__row *newer;
    stf__wake_entry wake; /* the id's bytes follow the struct; the owner lies in `owner`, the waits'
                             keys in `wait_text` */
    char id_text[];
};

struct stf_memory {
    stf_allocator alloc;
    stf_clock clock;
    atomic_size_t references;
    pthread_mutex_t mutex;
    uint64_t max_terminal;
    void (*on_evict)(void *user, stf_str id);
    void *user;
    stf__map groups;
    stf__map records;
    stf__row *ended_oldest;
    stf__row *ended_newest;
    uint64_t ended_count;
    uint64_t waits_seen; /* by waiting pages; a test counts it */
};

/* Never changed once it is there: readers hold it while the mutex is free. */
typedef struct stf__definition_file {
    _Atomic uint32_t refs;
    size_t size;
    uint8_t bytes[];
} stf__definition_file;

typedef struct stf__definition { /* lives as long as the store */
    stf__tree_node node;
    const stf__tenant *tenant;
    stf_str key;                /* its bytes follow the struct */
    stf__definition_file *file; /* NULL: deleted; the number is never given again */
    int64_t version;
    stf_wall deployed;
} stf__definition;

/* memory.c */
stf_wall stf__memory_now(const stf_memory *memory);
void stf__memory_lock(stf_memory *memory);
void stf__memory_unlock(stf_memory *memory);
stf_status stf__memory_no_memory(stf_error *error);

/* registry.c; all under the mutex. Only a NULL of the establish calls means no memory. */
stf__group *stf__memory_find_group(const stf_memory *memory, stf_str name);
stf_status stf__memory_need_group(const stf_memory *memory, stf_str name, stf__group **ret_group,
                                  stf_error *error);
stf__tenant *stf__memory_find_tenant(const stf__group *group, stf_str name); /* "": the default */
stf__tenant *stf__memory_establish_tenant(stf_memory *memory, stf__group *group, stf_str name);
void stf__memory_free_groups(stf_memory *memory);
stf_status stf__memory_register_group(void *impl, const stf_ctx *ctx, stf_str group,
                                      stf_error *error);
stf_status stf__memory_group_exists(void *impl, const stf_ctx *ctx, stf_str group, bool *ret_exists,
                                    stf_error *error);
stf_status stf__memory_resolve_tenant(void *impl, const stf_ctx *ctx, stf_str group, stf_str tenant,
                                      stf_buf *ret_tenant, stf_error *error);

/* row.c; all under the mutex. */
stf__row *stf__row_new(stf_memory *memory, stf__group *group, stf_str id);
void stf__row_free(stf_memory *memory, stf__row *row); /* in no index any more */
/* Everything that can fail of a save: room for its bytes. The row's content is unchanged. */
STF_MUST_CHECK stf_status stf__row_reserve(stf_memory *memory, stf__row *row, const stf_save *save);
/* Cannot fail after stf__row_reserve. */
void stf__row_apply(stf__row *row, const stf_save *save, stf_wall now);
stf_str stf__row_str(const stf__row_bytes *bytes);
/* A copy in one block, to be freed with stf__mem_free; NULL when out of memory. */
stf_record *stf__row_copy(const stf_memory *memory, const stf__row *row);

/* save.c */
stf_status stf__memory_save(void *impl, const stf_ctx *ctx, const stf_save *save,
                            stf_save_result *ret_result, stf_error *error);
stf_status stf__memory_remove(void *impl, const stf_ctx *ctx, const stf_delete *request,
                              stf_error *error);
stf_status stf__memory_save_many(void *impl, const stf_ctx *ctx, const stf_save *saves,
                                 size_t count, stf_save_result *results, stf_error *error);
stf_status stf__memory_prune(void *impl, const stf_ctx *ctx, const stf_prune_request *request,
                             uint64_t *ret_count, stf_error *error);

/* read.c */
stf_status stf__memory_load(void *impl, const stf_ctx *ctx, stf_str id, stf_record_visitor visit,
                            void *user, bool *ret_found, stf_error *error);
stf_status stf__memory_load_many(void *impl, const stf_ctx *ctx, const stf_str *ids, size_t count,
                                 stf_wall due_before, stf_record_visitor visit, void *user,
                                 stf_error *error);
stf_status stf__memory_page(void *impl, const stf_ctx *ctx, const stf_catalog_query *query,
                            stf_record_visitor visit, void *user, stf_error *error);
stf_status stf__memory_count(void *impl, const stf_ctx *ctx, const stf_catalog_query *query,
                             uint64_t *ret_count, stf_error *error);

/* journal.c */
STF_MUST_CHECK stf_status stf__journal_copy(const stf_memory *memory, const stf_save *save,
                                            stf__journal_block **ret_block);
stf_status stf__memory_journal_page(void *impl, const stf_ctx *ctx, const stf_journal_query *query,
                                    stf_journal_visitor visit, void *user, stf_error *error);

/* wake.c */
stf_status stf__memory_list_in_flight(void *impl, const stf_ctx *ctx,
                                      const stf_in_flight_query *query, stf_id_visitor visit,
                                      void *user, stf_error *error);
extern const stf_wake_vtable stf__memory_wake;

/* definitions.c */
extern const stf_definition_store_vtable stf__memory_definitions;
void stf__memory_free_definitions(const stf_memory *memory, stf__group *group);
int stf__definition_compare(const stf__tree_node *a, const stf__tree_node *b);

#endif
