/* SPDX-License-Identifier: Apache-2.0 */
/* See bench_store.h. */
#include "bench_store.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Memory that is counted, by what the allocator really gave --------------------------------
 */

static void *counted_alloc(void *user, size_t size)
{
    bench_store *store = user;
    void *memory = malloc(size);
    atomic_fetch_add(&store->live_bytes, malloc_usable_size(memory));
    return memory;
}

static void *counted_realloc(void *user, void *memory, size_t size)
{
    bench_store *store = user;
    size_t before = malloc_usable_size(memory);
    void *larger = realloc(memory, size);
    if (larger != NULL) {
        atomic_fetch_add(&store->live_bytes, malloc_usable_size(larger));
        atomic_fetch_sub(&store->live_bytes, before);
    }
    return larger;
}

static void counted_free(void *user, void *memory)
{
    bench_store *store = user;
    atomic_fetch_sub(&store->live_bytes, malloc_usable_size(memory));
    free(memory);
}

/* ---- A clock that can be moved on ------------------------------------------------------------ */

static stf_wall moved_wall(void *user)
{
    bench_store *store = user;
    const stf_clock *system = stf_clock_system();
    return (stf_wall){system->wall(system->user).us + atomic_load(&store->ahead_us)};
}

static stf_mono moved_mono(void *user)
{
    bench_store *store = user;
    const stf_clock *system = stf_clock_system();
    return (stf_mono){system->mono(system->user).us + atomic_load(&store->ahead_us)};
}

void bench_store_advance(bench_store *store, int64_t us)
{
    atomic_fetch_add(&store->ahead_us, us);
}

/* ---- Opening --------------------------------------------------------------------------------- */

static void draw_path(bench_place *place, char ret_path[544])
{
    ret_path[0] = '\0';
    if (place->path[0] != '\0') {
        snprintf(ret_path, 544, "%s-%u", place->path, place->files++);
    }
}

static stf_status open_memory(bench_store *store, bool counts_memory, stf_repository **ret_inner,
                              stf_error *error)
{
    stf_memory_options options = {.struct_size = sizeof options,
                                  .abi = STF_MEMORY_ABI,
                                  .alloc = counts_memory ? &store->alloc : NULL,
                                  .clock = &store->clock};
    stf_status status = stf_memory_new(&options, &store->memory, error);
    if (status == STF_OK) {
        status = stf_memory_open_repository(store->memory, &store->plain, error);
    }
    if (status == STF_OK) {
        status = stf_memory_open_definitions(store->memory, &store->definitions, error);
    }
    return status == STF_OK ? stf_memory_open_repository(store->memory, ret_inner, error) : status;
}

static stf_status open_sqlite(bench_store *store, stf_repository **ret_inner, stf_error *error)
{
    stf_sqlite_options options = STF_SQLITE_OPTIONS_INIT;
    options.path = store->path;
    options.clock = &store->clock;
    stf_status status = stf_sqlite_open(NULL, &options, &store->sqlite, error);
    if (status == STF_OK) {
        status = stf_sqlite_open_repository(store->sqlite, &store->plain, error);
    }
    if (status == STF_OK) {
        status = stf_sqlite_open_definitions(store->sqlite, &store->definitions, error);
    }
    return status == STF_OK ? stf_sqlite_open_repository(store->sqlite, ret_inner, error) : status;
}

stf_status bench_store_open(bench_place *place, bool counts_memory, bench_store *ret_store,
                            stf_error *error)
{
    stf_repository *inner = NULL;
    memset(ret_store, 0, sizeof *ret_store);
    draw_path(place, ret_store->path);
    ret_store->alloc = (stf_allocator){.struct_size = sizeof ret_store->alloc,
                                       .abi = STF_ALLOCATOR_ABI,
                                       .user = ret_store,
                                       .alloc = counted_alloc,
                                       .realloc = counted_realloc,
                                       .free = counted_free};
    ret_store->clock = (stf_clock){.struct_size = sizeof ret_store->clock,
                                   .abi = STF_CLOCK_ABI,
                                   .user = ret_store,
                                   .wall = moved_wall,
                                   .mono = moved_mono};
    stf_status status = ret_store->path[0] == '\0'
                            ? open_memory(ret_store, counts_memory, &inner, error)
                            : open_sqlite(ret_store, &inner, error);
    if (status == STF_OK) {
        status = cli_store_count(inner, &ret_store->totals, &ret_store->counted, error);
    }
    if (status != STF_OK) {
        stf_repository_close(inner);
        return status;
    }
    return stf_repository_register_group(ret_store->plain, NULL, stf_str_of("bench"), error);
}

void bench_store_close_handles(bench_store *store)
{
    store->counted = stf_repository_close(store->counted);
    store->plain = stf_repository_close(store->plain);
    store->definitions = stf_definition_store_close(store->definitions);
    store->sqlite = stf_sqlite_unref(store->sqlite);
    store->memory = stf_memory_unref(store->memory);
}

void bench_store_close(bench_store *store)
{
    bench_store_close_handles(store);
    bench_remove(store->path);
}

stf_status bench_store_open_raw(bench_place *place, char ret_path[544], bench_raw **ret_raw,
                                stf_error *error)
{
    draw_path(place, ret_path);
    return ret_path[0] == '\0' ? bench_raw_open_memory(ret_raw, error)
                               : bench_raw_open_sqlite(ret_path, ret_raw, error);
}

void bench_remove(const char *path)
{
    static const char *const endings[] = {"", "-wal", "-shm", "-owners", "-journal"};
    char name[560];
    for (size_t i = 0; path[0] != '\0' && i < sizeof endings / sizeof endings[0]; i++) {
        snprintf(name, sizeof name, "%s%s", path, endings[i]);
        (void)unlink(name);
    }
}
