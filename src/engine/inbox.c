/* SPDX-License-Identifier: Apache-2.0 */
/* Commands: made by callers, posted to a bounded inbox, answered once. A command has two owners,
 * its caller and the engine; its state says whether the caller may still take it back. */
#include "engine/private.h"

#include <string.h>
#include <unistd.h>

static stf_str copy_text(char **cursor, stf_str text)
{
    stf_str copy = {*cursor, text.size};
    if (text.size != 0) {
        memcpy(*cursor, text.data, text.size);
    }
    *cursor += text.size;
    return copy;
}

stf_status stf__command_new(stf_engine *engine, const stf__command_spec *spec,
                            stf__command **ret_command, stf_error *error)
{
    stf__command_spec own = *spec;
    stf__event *event = &own.event;
    stf_str *const texts[] = {&own.id,       &own.tenant,     &event->element,
                              &event->topic, &event->name,    &event->key,
                              &event->code,  &event->message, &event->sender.id};
    size_t size = sizeof(stf__command);
    if (own.tenant.size == 0) {
        own.tenant = stf_buf_str(&engine->tenant);
    }
    for (size_t i = 0; i < STF_COUNT_OF(texts); i++) {
        size += texts[i]->size;
    }
    stf__command *command = stf__mem_alloc(engine->alloc, size);
    if (command != NULL) {
        memset(command, 0, offsetof(stf__command, error)); /* the report is large; init is enough */
    }
    if (command == NULL || stf__engine_init_cond(&command->cond) != STF_OK) {
        stf__mem_free(engine->alloc, command);
        return stf_error_set(error, STF_NO_MEMORY, "ENGINE", "no memory for a command");
    }
    char *cursor = command->text;
    for (size_t i = 0; i < STF_COUNT_OF(texts); i++) {
        *texts[i] = copy_text(&cursor, *texts[i]);
    }
    stf__list_init(&command->link);
    stf__list_init(&command->waiter_link);
    stf__list_init(&command->send_link);
    atomic_init(&command->state, STF__COMMAND_OPEN);
    command->alloc = engine->alloc;
    command->refs = 1;
    command->id = own.id;
    command->tenant = own.tenant;
    command->event = own.event;
    command->variables = event->variables != NULL ? stf_value_ref(event->variables) : NULL;
    command->definition =
        spec->definition != NULL ? stf__definition_ref(engine, spec->definition) : NULL;
    stf_error_init(&command->error);
    *ret_command = command;
    return STF_OK;
}

void stf__command_unref_locked(stf_engine *engine, stf__command *command)
{
    command->refs--;
    if (command->refs != 0) {
        return;
    }
    command->variables = stf_value_unref(command->variables);
    if (command->definition != NULL) {
        command->definition = stf__definition_unref(engine, command->definition);
    }
    (void)pthread_cond_destroy(&command->cond);
    stf__mem_free(command->alloc, command);
}

/* A start makes an instance, a message that is kept its queue, and the end of a called instance
 * that is not there yet keeps it from ever starting (R18). */
bool stf__command_creates(const stf__command *command)
{
    stf__event_kind kind = command->event.kind;
    return kind == STF__EVENT_START || kind == STF__EVENT_PUBLISH ||
           (kind == STF__EVENT_CANCEL && command->event.sender.is_given);
}

/* Wakes whoever sleeps on the engine's fd. Lock is held. */
void stf__signal_locked(stf_engine *engine)
{
    atomic_store(&engine->next_deadline_us, 0);
    if (!engine->is_signalled) {
        uint64_t one = 1;
        engine->is_signalled = write(engine->event_fd, &one, sizeof(one)) == (ssize_t)sizeof(one);
    }
}

/* Nothing is left to do. While something is, the fd stays readable: no call of the kernel for each
 * step. Lock is held. */
void stf__signal_clear_locked(stf_engine *engine)
{
    if (engine->is_signalled) {
        uint64_t ignored;
        engine->is_signalled =
            read(engine->event_fd, &ignored, sizeof(ignored)) != (ssize_t)sizeof(ignored);
    }
}

stf_status stf__inbox_post(stf_engine *engine, stf__command *command, stf_error *error)
{
    stf_status status = STF_OK;
    (void)pthread_mutex_lock(&engine->lock);
    if (engine->phase != STF__PHASE_SERVING) {
        status = stf_error_set(error, STF_INVALID_STATE, "ENGINE", "the engine is not serving");
    } else if (engine->inbox_count >= engine->inbox_max) {
        status =
            stf_error_set(error, STF_UNAVAILABLE, "ENGINE",
                          "the inbox is full (%u); nothing was done, try again", engine->inbox_max);
    } else {
        command->refs++;
        command->sequence = atomic_fetch_add(&engine->sequence, 1) + 1;
        stf__list_append(&engine->inbox, &command->link);
        engine->inbox_count++;
        if (!engine->has_driver) {
            /* The caller drives it itself; a host that sleeps on the fd need not wake up. */
            atomic_store(&engine->next_deadline_us, 0);
        } else {
            stf__signal_locked(engine);
        }
    }
    (void)pthread_mutex_unlock(&engine->lock);
    return status;
}

void stf__inbox_hand(stf_engine *engine, stf__command *command)
{
    stf__instance *instance;
    engine->progress++;
    if (stf__instance_get_or_add(engine, command->id, &instance) != STF_OK) {
        stf_error report = STF_ERROR_INIT;
        (void)stf_error_set(&report, STF_NO_MEMORY, "ENGINE", "no memory for an instance");
        stf__command_answer(engine, command, STF_NO_MEMORY, &report);
        return;
    }
    stf__list_append(&instance->commands, &command->link);
    stf__instance_place(engine, instance);
}

/* The lists are moved under the lock and worked on without it. */
static void move_list(stf__list *from, stf__list *to)
{
    stf__list_init(to);
    if (!stf__list_is_empty(from)) {
        to->next = from->next;
        to->prev = from->prev;
        to->next->prev = to;
        to->prev->next = to;
        stf__list_init(from);
    }
}

size_t stf__inbox_take(stf_engine *engine)
{
    stf__list commands;
    stf__list runs;
    size_t count = 0;
    (void)pthread_mutex_lock(&engine->lock);
    move_list(&engine->inbox, &commands);
    move_list(&engine->finished, &runs);
    engine->inbox_count = 0;
    (void)pthread_mutex_unlock(&engine->lock);
    STF__LIST_EACH(run_link, next_run, &runs)
    {
        stf__list_remove(run_link);
        stf__run_take(engine, STF__LIST_ENTRY(run_link, stf_work, queue_link));
        count++;
    }
    STF__LIST_EACH(link, following, &commands)
    {
        stf__list_remove(link);
        stf__inbox_hand(engine, STF__LIST_ENTRY(link, stf__command, link));
        count++;
    }
    return count;
}

/* The one place where a command ends for the engine: it gives up its reference. */
void stf__command_answer(stf_engine *engine, stf__command *command, stf_status status,
                         const stf_error *error)
{
    stf__instance *sender = command->sender;
    (void)pthread_mutex_lock(&engine->lock);
    stf__list_remove(&command->link);
    command->status = status;
    if (error != NULL && status != STF_OK) {
        command->error = *error;
    }
    atomic_store(&command->state, STF__COMMAND_DONE);
    (void)pthread_cond_signal(&command->cond);
    stf__command_unref_locked(engine, command);
    (void)pthread_mutex_unlock(&engine->lock);
    if (sender != NULL) {
        sender->answered_count++;
        stf__instance_place(engine, sender);
    }
}

stf__command *stf__inbox_first(stf_engine *engine, stf__instance *instance)
{
    STF__LIST_EACH(link, following, &instance->commands)
    {
        stf__command *command = STF__LIST_ENTRY(link, stf__command, link);
        if (atomic_load(&command->state) != STF__COMMAND_WITHDRAWN) {
            return command;
        }
        stf__command_answer(engine, command, STF_CANCELLED, NULL);
    }
    return NULL;
}

static void refuse_list(stf_engine *engine, stf__list *commands)
{
    STF__LIST_EACH(link, following, commands)
    {
        stf_error report = STF_ERROR_INIT;
        stf__command *command = STF__LIST_ENTRY(link, stf__command, link);
        bool is_saving = atomic_load(&command->state) == STF__COMMAND_SAVING;
        stf_status status =
            stf_error_set(&report, is_saving ? STF_OUTCOME_UNKNOWN : STF_CANCELLED, "ENGINE",
                          is_saving ? "the engine was closed while the save was under way"
                                    : "the engine was closed; nothing was done");
        stf__command_answer(engine, command, status, &report);
    }
}

static bool refuse_instance(void *user, stf_str key, void *value)
{
    stf__instance *instance = value;
    (void)key;
    refuse_list(user, &instance->commands);
    return true;
}

void stf__inbox_refuse(stf_engine *engine)
{
    stf__list commands;
    (void)pthread_mutex_lock(&engine->lock);
    move_list(&engine->inbox, &commands);
    (void)pthread_mutex_unlock(&engine->lock);
    refuse_list(engine, &commands);
    stf__map_each(&engine->instances, refuse_instance, engine);
    (void)pthread_mutex_lock(&engine->lock);
    while (!stf__list_is_empty(&engine->waiters)) {
        stf__engine_wait(engine, &engine->idle, STF__CANCEL_SLICE_US);
    }
    (void)pthread_mutex_unlock(&engine->lock);
}
