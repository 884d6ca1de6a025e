/* SPDX-License-Identifier: Apache-2.0 */
/* Making and freeing an engine: identity and options are validated here, once; nothing is read or
 * written. What the caller gave is copied, but for the stores and ports, which are borrowed. */
#include "engine/private.h"

#include <stepfast/limits.h>
#include <stepfast/memory.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define WORKERS_MAX 1024u
#define RETRIES_MAX 1000u
#define RETRY_FACTOR_MAX 10000u
#define TIME_MAX_US (INT64_C(3650) * 86400 * 1000000)
#define OWNER_BYTES (1u + 2u * STF__OWNER_NONCE_BYTES) /* slash and nonce */

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static stf_str trim(const char *text)
{
    stf_str result = stf_str_of(text);
    while (result.size != 0 && is_blank(result.data[0])) {
        result.data++;
        result.size--;
    }
    while (result.size != 0 && is_blank(result.data[result.size - 1])) {
        result.size--;
    }
    return result;
}

/* The options as this version knows them: what a caller compiled earlier lacks is zero. */
static stf_status read_options(const stf_engine_options *options, stf_engine_options *ret_options,
                               stf_error *error)
{
    if (options == NULL || options->struct_size < offsetof(stf_engine_options, id)) {
        return stf_error_set(error, STF_INVALID_ARGUMENT, "ENGINE",
                             "the options are missing or were not initialised");
    }
    if (options->abi != STF_ENGINE_ABI) {
        return stf_error_set(error, STF_INVALID_ARGUMENT, "ENGINE",
                             "options of abi %u; this library knows %u", options->abi,
                             STF_ENGINE_ABI);
    }
    stf_engine_options copy = {0};
    size_t size = options->struct_size < sizeof(copy) ? options->struct_size : sizeof(copy);
    memcpy(&copy, options, size);
    *ret_options = copy;
    return STF_OK;
}

static stf_status check_name(const char *what, stf_str name, size_t size_max, stf_error *error)
{
    if (name.size > size_max) {
        return stf_error_set(error, STF_LIMIT_EXCEEDED, "ENGINE",
                             "the %s has %zu bytes; at most %zu are allowed", what, name.size,
                             size_max);
    }
    if (!stf_str_is_utf8(name)) {
        return stf_error_set(error, STF_INVALID_ARGUMENT, "ENGINE", "the %s is not UTF-8", what);
    }
    return STF_OK;
}

/* The group that is joined: id when neither is given (solo; clustering is never an accident). */
static stf_status check_identity(const stf_engine_options *options, stf_str *ret_id,
                                 stf_str *ret_group, stf_error *error)
{
    stf_str id = trim(options->id);
    stf_str group = id;
    if (id.size == 0) {
        return stf_error_set(error, STF_EMPTY_NOT_ALLOWED, "ENGINE",
                             "an engine needs an id of its own that stays the same");
    }
    if (options->group != NULL && options->existing_group != NULL) {
        return stf_error_set(error, STF_INVALID_ARGUMENT, "ENGINE",
                             "group and existing_group are both set; an engine has one group");
    }
    const char *given = options->group != NULL ? options->group : options->existing_group;
    if (given != NULL) {
        group = trim(given);
        if (group.size == 0) {
            return stf_error_set(error, STF_INVALID_ARGUMENT, "ENGINE",
                                 "the %s is empty; leave it unset to run alone",
                                 options->group != NULL ? "group" : "existing_group");
        }
    }
    stf_status status = check_name("engine id", id, STF_LIMIT_ID_BYTES - OWNER_BYTES, error);
    if (status == STF_OK) {
        status = check_name("group", group, STF_LIMIT_ID_BYTES, error);
    }
    if (status == STF_OK) {
        status = check_name("tenant", trim(options->tenant), STF_LIMIT_ID_BYTES, error);
    }
    if (status == STF_OK) {
        *ret_id = id;
        *ret_group = group;
    }
    return status;
}

static stf_status check_sizes(const stf_engine_options *options, stf_error *error)
{
    if (options->lease_us != 0 && options->lease_us < 1000000) {
        return stf_error_set(error, STF_INVALID_ARGUMENT, "ENGINE",
                             "a lease of %lld us is too short; at least one second",
                             (long long)options->lease_us);
    }
    if (options->poll_us < 0) {
        return stf_error_set(error, STF_INVALID_ARGUMENT, "ENGINE",
                             "the poll interval is negative");
    }
    if (options->lease_us > TIME_MAX_US || options->poll_us > TIME_MAX_US) {
        return stf_error_set(error, STF_LIMIT_EXCEEDED, "ENGINE",
                             "a lease or poll interval is longer than ten years");
    }
    if (options->workers > WORKERS_MAX || options->batch_max > STF_LIMIT_BATCH) {
        return stf_error_set(error, STF_LIMIT_EXCEEDED, "ENGINE",
                             "at most %u workers and %u records in one commit are allowed",
                             WORKERS_MAX, STF_LIMIT_BATCH);
    }
    if ((options->repository == NULL) != (options->definitions == NULL)) {
        return stf_error_set(error, STF_INVALID_ARGUMENT, "ENGINE",
                             "give both stores, repository and definitions, or neither");
    }
    if ((options->flags & ~(STF_ENGINE_JOURNAL | STF_ENGINE_NO_MIGRATE)) != 0) {
        return stf_error_set(error, STF_INVALID_ARGUMENT, "ENGINE", "unknown flags 0x%x",
                             options->flags);
    }
    return STF_OK;
}

static stf_status check_retry(const stf_retry_policy *retry, stf_error *error)
{
    if (retry->first_us < 0 || retry->cap_us < 0 || retry->reserved != 0 ||
        retry->jitter_percent > 100) {
        return stf_error_set(error, STF_INVALID_ARGUMENT, "ENGINE",
                             "a retry policy has delays that are not negative and a jitter of at "
                             "most 100 percent");
    }
    if (retry->retries > RETRIES_MAX || retry->factor_percent > RETRY_FACTOR_MAX ||
        retry->first_us > TIME_MAX_US || retry->cap_us > TIME_MAX_US) {
        return stf_error_set(error, STF_LIMIT_EXCEEDED, "ENGINE",
                             "a retry policy has at most %u retries, a factor of at most %u "
                             "percent and delays of at most ten years",
                             RETRIES_MAX, RETRY_FACTOR_MAX);
    }
    return STF_OK;
}

static void copy_settings(stf_engine *engine, const stf_engine_options *options)
{
    engine->clock = options->clock != NULL ? options->clock : stf_clock_system();
    stf__random_init(&engine->random,
                     options->random != NULL ? options->random : stf_random_system());
    engine->flags = options->flags;
    engine->has_existing_group = options->existing_group != NULL;
    engine->lease_us = options->lease_us != 0 ? options->lease_us : STF__ENGINE_LEASE_US;
    engine->poll_us = options->poll_us != 0 ? options->poll_us : STF__ENGINE_POLL_US;
    engine->worker_count = options->workers;
    engine->retry = options->retry;
    engine->batch_max = options->batch_max != 0 ? options->batch_max : STF__ENGINE_BATCH;
    engine->step_budget = options->step_budget != 0 ? options->step_budget : STF_LIMIT_STEP_MOVES;
    engine->inbox_max = options->inbox_max != 0 ? options->inbox_max : STF_LIMIT_INBOX;
    engine->repository = options->repository;
    engine->definitions = options->definitions;
    if (options->observer != NULL) {
        size_t size = options->observer->struct_size;
        memcpy(&engine->observer, options->observer,
               size < sizeof(engine->observer) ? size : sizeof(engine->observer));
    }
    atomic_init(&engine->last_now_us, STF_WALL_NONE_US);
    engine->wake.due = stf_wall_none();
    engine->wake.dues.at = stf_wall_none();
    engine->wake.is_asked = true;
}

static void init_lists(stf_engine *engine)
{
    stf__list_init(&engine->inbox);
    stf__list_init(&engine->waiters);
    stf__list_init(&engine->work_queue);
    stf__list_init(&engine->finished);
    stf__list_init(&engine->ready);
    stf__list_init(&engine->delayed);
    stf__list_init(&engine->held);
    stf__list_init(&engine->topics);
    stf__list_init(&engine->inline_queue);
    stf__list_init(&engine->spare_flights);
    stf__map_init(&engine->instances, engine->alloc);
    stf__map_init(&engine->definition_cache, engine->alloc);
    stf__map_init(&engine->wake.skips, engine->alloc);
    stf__arena_init(&engine->wake.dead_arena, engine->alloc);
    stf_buf_init(&engine->tenant, engine->alloc);
    stf_buf_init(&engine->owner, engine->alloc);
}

static bool init_memory(stf_engine *engine, stf_str id, stf_str group, stf_str tenant)
{
    const stf_allocator *alloc = engine->alloc;
    size_t batch = engine->batch_max;
    engine->id = stf__mem_copy_str(alloc, id);
    engine->group = stf__mem_copy_str(alloc, group);
    engine->tenant_asked = stf__mem_copy_str(alloc, tenant);
    engine->flights = stf__mem_zalloc_array(alloc, batch, sizeof(stf__flight *));
    engine->saves = stf__mem_zalloc_array(alloc, batch, sizeof(*engine->saves));
    engine->results = stf__mem_zalloc_array(alloc, batch, sizeof(*engine->results));
    engine->ids = stf__mem_zalloc_array(alloc, batch, sizeof(*engine->ids));
    return engine->id != NULL && engine->group != NULL && engine->tenant_asked != NULL &&
           engine->flights != NULL && engine->saves != NULL && engine->results != NULL &&
           engine->ids != NULL;
}

/* Locks first: stf__engine_free takes an engine with all of them. */
static stf_status init_locks(stf_engine *engine, stf_error *error)
{
    engine->event_fd = -1;
    if (pthread_mutex_init(&engine->lock, NULL) != 0) {
        return stf_error_set(error, STF_NO_MEMORY, "ENGINE", "no memory for a lock");
    }
    if (pthread_mutex_init(&engine->definitions_lock, NULL) != 0) {
        (void)pthread_mutex_destroy(&engine->lock);
        return stf_error_set(error, STF_NO_MEMORY, "ENGINE", "no memory for a lock");
    }
    if (stf__engine_init_cond(&engine->idle) != STF_OK ||
        stf__engine_init_cond(&engine->work_ready) != STF_OK) {
        (void)pthread_mutex_destroy(&engine->lock);
        (void)pthread_mutex_destroy(&engine->definitions_lock);
        return stf_error_set(error, STF_NO_MEMORY, "ENGINE", "no memory for a condition");
    }
    return STF_OK;
}

static stf_status open_own_stores(stf_engine *engine, stf_error *error)
{
    if (engine->repository != NULL) {
        return STF_OK;
    }
    stf_memory_options options = {.struct_size = sizeof(options),
                                  .abi = STF_MEMORY_ABI,
                                  .alloc = engine->alloc,
                                  .clock = engine->clock};
    stf_status status = stf_memory_new(&options, &engine->memory, error);
    if (status == STF_OK) {
        status = stf_memory_open_repository(engine->memory, &engine->repository, error);
    }
    if (status == STF_OK) {
        status = stf_memory_open_definitions(engine->memory, &engine->definitions, error);
    }
    return status;
}

stf_status stf_engine_new(const stf_engine_options *given, stf_engine **ret_engine,
                          stf_error *error)
{
    stf_engine_options options = {0};
    stf_str id = {NULL, 0};
    stf_str group = {NULL, 0};
    if (ret_engine == NULL) {
        return stf_error_set(error, STF_INVALID_ARGUMENT, "ENGINE", "ret_engine is missing");
    }
    stf_status status = read_options(given, &options, error);
    if (status == STF_OK) {
        status = check_identity(&options, &id, &group, error);
    }
    if (status == STF_OK) {
        status = check_sizes(&options, error);
    }
    if (status == STF_OK) {
        status = check_retry(&options.retry, error);
    }
    if (status != STF_OK) {
        return status;
    }
    const stf_allocator *alloc = stf__alloc_or_default(options.alloc);
    stf_engine *engine = stf__mem_zalloc(alloc, sizeof(*engine));
    if (engine == NULL) {
        return stf_error_set(error, STF_NO_MEMORY, "ENGINE", "no memory for an engine");
    }
    engine->alloc = alloc;
    copy_settings(engine, &options);
    init_lists(engine);
    status = init_locks(engine, error);
    if (status != STF_OK) {
        stf__random_done(&engine->random);
        stf__mem_free(alloc, engine);
        return status;
    }
    if (!init_memory(engine, id, group, trim(options.tenant))) {
        status = stf_error_set(error, STF_NO_MEMORY, "ENGINE", "no memory for an engine");
    }
    if (status == STF_OK) {
        status = open_own_stores(engine, error);
    }
    if (status == STF_OK) {
        status = stf_cancel_new(alloc, &engine->inline_cancel, error);
    }
    if (status == STF_OK) {
        engine->event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        if (engine->event_fd < 0) {
            status = stf_error_set(error, STF_UNAVAILABLE, "ENGINE", "no descriptor is left");
        }
    }
    if (status != STF_OK) {
        stf__engine_free(engine);
        return status;
    }
    *ret_engine = engine;
    return STF_OK;
}

static bool collect_instance(void *user, stf_str key, void *value)
{
    stf__instance *instance = value;
    (void)key;
    stf__list_remove(&instance->link);
    stf__list_append(user, &instance->link);
    return true;
}

static void free_instances(stf_engine *engine)
{
    stf__list all;
    stf__list_init(&all);
    stf__map_each(&engine->instances, collect_instance, &all);
    STF__LIST_EACH(link, following, &all)
    {
        stf__instance_free(engine, STF__LIST_ENTRY(link, stf__instance, link));
    }
    stf__map_done(&engine->instances);
}

static void free_topics(stf_engine *engine)
{
    STF__LIST_EACH(link, following, &engine->topics)
    {
        stf__list_remove(link);
        stf__mem_free(engine->alloc, STF__LIST_ENTRY(link, stf__topic, link));
    }
}

/* Nobody uses the engine any more and its workers have ended. */
void stf__engine_free(stf_engine *engine)
{
    const stf_allocator *alloc = engine->alloc;
    free_instances(engine);
    STF__LIST_EACH(link, following, &engine->spare_flights)
    {
        stf__list_remove(link);
        stf__flight_free(engine, STF__LIST_ENTRY(link, stf__flight, link));
    }
    free_topics(engine);
    stf__wake_free(engine);
    stf__definitions_free(engine);
    engine->inline_cancel = stf_cancel_unref(engine->inline_cancel);
    if (engine->memory != NULL) {
        engine->repository = stf_repository_close(engine->repository);
        engine->definitions = stf_definition_store_close(engine->definitions);
        engine->memory = stf_memory_unref(engine->memory);
    }
    if (engine->event_fd >= 0) {
        (void)close(engine->event_fd);
    }
    (void)pthread_cond_destroy(&engine->idle);
    (void)pthread_cond_destroy(&engine->work_ready);
    (void)pthread_mutex_destroy(&engine->lock);
    (void)pthread_mutex_destroy(&engine->definitions_lock);
    stf_buf_done(&engine->tenant);
    stf_buf_done(&engine->owner);
    stf__random_done(&engine->random);
    stf__mem_free(alloc, engine->workers);
    stf__mem_free(alloc, engine->flights);
    stf__mem_free(alloc, engine->saves);
    stf__mem_free(alloc, engine->results);
    stf__mem_free(alloc, engine->ids);
    stf__mem_free(alloc, engine->id);
    stf__mem_free(alloc, engine->group);
    stf__mem_free(alloc, engine->tenant_asked);
    stf__mem_free(alloc, engine);
}
