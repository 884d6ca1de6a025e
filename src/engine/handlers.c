/* SPDX-License-Identifier: Apache-2.0 */
/* The registry of handlers and their slots. A slot is reserved before work is marked as started, so
 * that what the store calls started runs here or has run. */
#include "engine/private.h"

#include <stepfast/limits.h>
#include <string.h>

static stf_status check_handler(stf_str topic, const stf_handler *handler, stf_error *error)
{
    if (topic.size == 0) {
        return stf_error_set(error, STF_EMPTY_NOT_ALLOWED, "ENGINE", "a handler needs a topic");
    }
    if (topic.size > STF_LIMIT_ID_BYTES) {
        return stf_error_set(error, STF_LIMIT_EXCEEDED, "ENGINE", "a topic has at most %d bytes",
                             STF_LIMIT_ID_BYTES);
    }
    if (!stf_str_is_utf8(topic)) {
        return stf_error_set(error, STF_INVALID_ARGUMENT, "ENGINE", "the topic is not UTF-8");
    }
    if (handler == NULL || handler->struct_size < sizeof(*handler) ||
        handler->abi != STF_HANDLER_ABI || handler->run == NULL) {
        return stf_error_set(error, STF_INVALID_ARGUMENT, "ENGINE",
                             "the handler is missing, of another abi or has no run function");
    }
    return STF_OK;
}

static stf__topic *find_exact(const stf_engine *engine, stf_str topic)
{
    STF__LIST_EACH(link, following, &engine->topics)
    {
        stf__topic *entry = STF__LIST_ENTRY(link, stf__topic, link);
        if (stf_str_equal(entry->topic, topic)) {
            return entry;
        }
    }
    return NULL;
}

stf_status stf_engine_add_handler(stf_engine *engine, stf_str topic, const stf_handler *handler,
                                  stf_error *error)
{
    if (engine == NULL) {
        return stf_error_set(error, STF_INVALID_ARGUMENT, "ENGINE", "the engine is missing");
    }
    stf_status status = check_handler(topic, handler, error);
    if (status != STF_OK) {
        return status;
    }
    if (atomic_load(&engine->phase) != STF__PHASE_NEW) {
        return stf_error_set(error, STF_INVALID_STATE, "ENGINE",
                             "handlers are added before the engine starts");
    }
    if (find_exact(engine, topic) != NULL) {
        return stf_error_set(error, STF_ALREADY_EXISTS, "ENGINE",
                             "the topic \"%.*s\" has a handler already", STF_STR_ARG(topic));
    }
    stf__topic *entry = stf__mem_zalloc(engine->alloc, sizeof(*entry) + topic.size + 1);
    if (entry == NULL) {
        return stf_error_set(error, STF_NO_MEMORY, "ENGINE", "no memory for a handler");
    }
    memcpy(entry->text, topic.data, topic.size);
    entry->topic = (stf_str){entry->text, topic.size};
    entry->handler = *handler;
    entry->jobs_since = stf_wall_none();
    stf__list_init(&entry->link);
    stf__list_append(&engine->topics, &entry->link);
    return STF_OK;
}

stf__topic *stf__handler_find(const stf_engine *engine, stf_str topic)
{
    stf__topic *entry = find_exact(engine, topic);
    return entry != NULL ? entry : find_exact(engine, STF_STR("*"));
}

static uint32_t threads(const stf_engine *engine)
{
    return engine->worker_count != 0 ? engine->worker_count : 1;
}

/* A handler without a limit of its own shares the workers with its like: what is marked as started
 * runs at once. One that names its limit may queue up to it. */
uint32_t stf__handler_free_slots(const stf_engine *engine, const stf__topic *handler)
{
    uint32_t limit = handler->handler.concurrency_max;
    if (limit != 0) {
        return limit > handler->running ? limit - handler->running : 0;
    }
    return threads(engine) > engine->running ? threads(engine) - engine->running : 0;
}

void stf__handler_take_slot(stf_engine *engine, stf_work *run)
{
    run->has_slot = true;
    run->handler->running++;
    engine->running += run->handler->handler.concurrency_max == 0 ? 1 : 0;
}

void stf__handler_give_slot(stf_engine *engine, stf_work *run)
{
    if (run->has_slot) {
        run->has_slot = false;
        run->handler->running--;
        engine->running -= run->handler->handler.concurrency_max == 0 ? 1 : 0;
    }
}
