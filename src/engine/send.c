/* SPDX-License-Identifier: Apache-2.0 */
/* Delivery of outboxes. An entry travels as a command that its sender holds on to, through the same
 * machinery as commands from outside; the receiver remembers the sender's last sequence, so nothing
 * is applied twice whoever delivers it and however often (R5, R18). What could not be delivered now
 * is delivered when the record's outbox is due, by any engine. The driver's. */
#include "engine/send.h"

#include "engine/failpoint.h"

/* ---- Answers --------------------------------------------------------------------------------- */

/* What an answer means to the sender; 0: nothing yet, trying again may help. */
static uint32_t read_answer(const stf__command *command)
{
    static const uint32_t hurdles[] = {
        [STF__HURDLE_ABSENT] = STF__ACK_ABSENT,
        [STF__HURDLE_OTHER_GROUP] = STF__ACK_OTHER_GROUP,
        [STF__HURDLE_NO_DEFINITION] = STF__ACK_NO_DEFINITION,
    };
    static const struct {
        stf_status status;
        uint32_t answer;
    } answers[] = {
        {STF_OK, STF__ACK_DELIVERED},
        {STF_ALREADY_EXISTS, STF__ACK_DELIVERED},
        {STF_NOT_FOUND, STF__ACK_NOT_WAITING},
        {STF_INVALID_STATE, STF__ACK_ENDED},
        {STF_UNAVAILABLE, 0},
        {STF_OUTCOME_UNKNOWN, 0},
        {STF_CANCELLED, 0},
        {STF_DEADLINE_EXCEEDED, 0},
        {STF_CONCURRENT_UPDATE, 0},
        {STF_NO_MEMORY, 0},
    };
    if (command->hurdle == STF__HURDLE_UNREADABLE) {
        return 0; /* nothing is lost: another engine, or a repair, makes it readable */
    }
    if (command->hurdle == STF__HURDLE_SUSPENDED) {
        /* A message looks for somebody else; the rest waits until it is resumed. */
        return command->event.kind == STF__EVENT_MESSAGE ? STF__ACK_NOT_WAITING : 0;
    }
    if (command->hurdle < STF_COUNT_OF(hurdles) && hurdles[command->hurdle] != 0) {
        return hurdles[command->hurdle];
    }
    for (size_t i = 0; i < STF_COUNT_OF(answers); i++) {
        if (command->status == answers[i].status) {
            return answers[i].answer;
        }
    }
    return STF__ACK_REFUSED;
}

static bool is_answered(const stf__command *command)
{
    return atomic_load(&command->state) == STF__COMMAND_DONE;
}

static stf__command *command_of(stf__link *link)
{
    return STF__LIST_ENTRY(link, stf__command, send_link);
}

static void forget(stf_engine *engine, stf__command *command)
{
    stf__list_remove(&command->send_link);
    command->sender->answered_count -= is_answered(command) ? 1 : 0;
    (void)pthread_mutex_lock(&engine->lock);
    command->sender = NULL;
    stf__command_unref_locked(engine, command);
    (void)pthread_mutex_unlock(&engine->lock);
}

/* Which entry of the outbox the command is; false: it has left, or was aimed anew. Outboxes may be
 * long, and this is asked for each command: entries are in order of number. */
static bool find_entry(const stf__doc *doc, const stf__command *command, size_t *ret_index)
{
    stf__send_item item;
    size_t low = 0;
    size_t high = 1;
    while (stf__doc_get_send(doc, high - 1, &item) && item.number < command->number) {
        low = high;
        high *= 2;
    }
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (stf__doc_get_send(doc, middle, &item) && item.number < command->number) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    *ret_index = low;
    return stf__doc_get_send(doc, low, &item) && item.number == command->number &&
           item.sequence == command->event.sender.sequence;
}

void stf__send_review(stf_engine *engine, stf__instance *instance)
{
    size_t ignored;
    if (instance->answered_count == 0) {
        return;
    }
    STF__LIST_EACH(link, following, &instance->sends)
    {
        stf__command *command = command_of(link);
        if (is_answered(command) &&
            (read_answer(command) == 0 || !find_entry(instance->doc, command, &ignored))) {
            forget(engine, command);
        }
    }
}

stf_status stf__send_fill_acks(stf__flight *flight, stf__event *event)
{
    size_t count = 0;
    STF__LIST_EACH(link, following, &flight->instance->sends)
    {
        command_of(link)->is_taken = is_answered(command_of(link));
        count += command_of(link)->is_taken ? 1 : 0;
    }
    stf__ack *acks = stf__arena_zalloc(&flight->arena, (count + 1) * sizeof(*acks));
    if (acks == NULL) {
        return stf_error_set(&flight->error, STF_NO_MEMORY, "ENGINE", "no memory for answers");
    }
    event->kind = STF__EVENT_ACK;
    event->acks = acks;
    STF__LIST_EACH(each, next, &flight->instance->sends)
    {
        const stf__command *command = command_of(each);
        if (command->is_taken) {
            acks[event->ack_count++] = (stf__ack){.number = command->number,
                                                  .sequence = command->event.sender.sequence,
                                                  .answer = read_answer(command),
                                                  .message = stf_str_of(command->error.message)};
        }
    }
    return STF_OK;
}

void stf__send_forget(stf_engine *engine, stf__instance *instance, bool all)
{
    STF__LIST_EACH(link, following, &instance->sends)
    {
        stf__command *command = command_of(link);
        if (is_answered(command) && (all || command->is_taken)) {
            forget(engine, command);
        }
    }
}

void stf__send_free(stf_engine *engine, stf__instance *instance)
{
    STF__LIST_EACH(link, following, &instance->sends)
    {
        forget(engine, command_of(link));
    }
}

/* ---- Delivery -------------------------------------------------------------------------------- */

/* Marks the entries that are on their way already. */
static void mark_on_their_way(const stf__instance *instance, bool *marks)
{
    size_t index;
    STF__LIST_EACH(link, following, &instance->sends)
    {
        if (find_entry(instance->doc, command_of(link), &index)) {
            marks[index] = true;
        }
    }
}

static stf__event_kind event_of(const stf__send_item *item)
{
    switch ((stf__send_kind)item->kind) {
    case STF__SEND_CREATE:
        return STF__EVENT_START;
    case STF__SEND_RESULT:
        return STF__EVENT_CHILD;
    case STF__SEND_CANCEL:
        return STF__EVENT_CANCEL;
    case STF__SEND_MESSAGE:
    default:
        return item->is_to_queue ? STF__EVENT_PUBLISH : STF__EVENT_MESSAGE;
    }
}

static void fill_event(const stf__instance *instance, const stf__send_item *item,
                       stf__event *ret_event)
{
    const stf__doc_identity *identity = stf__doc_peek_identity(instance->doc);
    *ret_event = (stf__event){.kind = event_of(item),
                              .activation = item->target_activation,
                              .code = item->code,
                              .message = item->message,
                              .variables = item->variables,
                              .until = item->until,
                              .how = item->how};
    if (item->kind == STF__SEND_MESSAGE) {
        ret_event->name = item->name;
        ret_event->key = item->key;
    }
    ret_event->sender = (stf__sender){.is_given = true,
                                      .sequence = item->sequence,
                                      .activation = item->activation,
                                      .depth = stf__doc_get_call_depth(instance->doc),
                                      .id = identity->id};
    for (size_t i = 0; i < sizeof(identity->nonce); i++) {
        ret_event->sender.nonce[i] = identity->nonce[i];
    }
}

/* The definition of a called instance; a process that cannot run here is refused for good. */
static stf_status find_definition(stf_engine *engine, const stf_ctx *ctx,
                                  const stf__instance *instance, const stf__send_item *item,
                                  stf__definition **ret_definition, stf_error *error)
{
    stf__definition *definition = NULL;
    stf_status status = stf__definition_get(engine, ctx, stf_buf_str(&instance->tenant), item->name,
                                            item->version, &definition, error);
    if (status == STF_OK && (definition->process->flags & STF_PROCESS_RUNNABLE) == 0) {
        status = stf_error_set(error, STF_UNSUPPORTED, "ENGINE", "process %.*s: %.*s",
                               STF_STR_ARG(definition->process->id),
                               STF_STR_ARG(definition->process->first_unsupported));
        definition = stf__definition_unref(engine, definition);
    }
    if (status == STF_OK) {
        *ret_definition = definition;
    }
    return status;
}

static void hand_over(stf_engine *engine, stf__instance *instance, stf__command *command)
{
    command->sender = instance;
    stf__list_append(&instance->sends, &command->send_link);
    (void)pthread_mutex_lock(&engine->lock);
    command->refs++; /* the receiver's */
    (void)pthread_mutex_unlock(&engine->lock);
    command->sequence = atomic_fetch_add(&engine->sequence, 1) + 1;
}

/* What cannot be made or looked up now is left to the outbox's due. */
static void send_one(stf_engine *engine, const stf_ctx *ctx, stf__instance *instance,
                     const stf__send_item *item)
{
    stf_error error = STF_ERROR_INIT;
    stf__command *command = NULL;
    stf__command_spec spec = {.id = item->target, .tenant = stf_buf_str(&instance->tenant)};
    stf_status found = STF_OK;
    fill_event(instance, item, &spec.event);
    if (item->kind == STF__SEND_CREATE) {
        found = find_definition(engine, ctx, instance, item, &spec.definition, &error);
    }
    stf_status status = stf__command_new(engine, &spec, &command, NULL);
    if (spec.definition != NULL) {
        spec.definition = stf__definition_unref(engine, spec.definition);
    }
    if (status != STF_OK) {
        return;
    }
    command->number = item->number;
    hand_over(engine, instance, command);
    if (found == STF_OK) {
        stf__inbox_hand(engine, command);
    } else {
        command->hurdle = found == STF_NOT_FOUND ? STF__HURDLE_NO_DEFINITION : STF__HURDLE_NONE;
        stf__command_answer(engine, command, found, &error);
    }
}

void stf__send_deliver(stf_engine *engine, const stf_ctx *ctx, stf__instance *instance)
{
    stf__send_item item;
    size_t count = 0;
    if (instance->doc == NULL) {
        return;
    }
    while (stf__doc_get_send(instance->doc, count, &item)) {
        count++;
    }
    bool *marks = count != 0 ? stf__mem_zalloc_array(engine->alloc, count, sizeof(*marks)) : NULL;
    if (marks == NULL) {
        return;
    }
    mark_on_their_way(instance, marks);
    for (size_t i = 0; i < count && stf__doc_get_send(instance->doc, i, &item); i++) {
        if (!marks[i] && stf__doc_may_send(instance->doc, &item)) {
            STF__FAILPOINT("before_deliver");
            send_one(engine, ctx, instance, &item);
        }
    }
    stf__mem_free(engine->alloc, marks);
}

bool stf__send_is_ready(const stf__instance *instance)
{
    stf__send_item item;
    for (size_t i = 0; stf__doc_get_send(instance->doc, i, &item); i++) {
        if (stf__doc_may_send(instance->doc, &item)) {
            return true;
        }
    }
    return false;
}

/* ---- Leaving it to others -------------------------------------------------------------------- */

static bool has_left_over(const stf__instance *instance)
{
    return instance->flight == NULL && stf__list_is_empty(&instance->runs) &&
           (!stf__list_is_empty(&instance->sends) || (instance->wants & STF__WANT_SEND) != 0);
}

static bool collect_left_over(void *user, stf_str id, void *value)
{
    stf_engine *engine = user;
    stf__instance *instance = value;
    (void)id;
    stf__flight *flight = NULL;
    if (has_left_over(instance) && engine->flight_count < engine->batch_max) {
        flight = stf__flight_take(engine);
    }
    if (flight != NULL) {
        flight->instance = instance;
        flight->stage = instance->doc != NULL ? STF__STAGE_STEP : STF__STAGE_LOAD;
        instance->flight = flight;
        engine->flights[engine->flight_count++] = flight;
    }
    return true;
}

void stf__send_leave(stf_engine *engine, const stf_ctx *ctx)
{
    engine->flight_count = 0;
    stf__map_each(&engine->instances, collect_left_over, engine);
    stf__load_flights(engine, ctx);
    for (size_t i = 0; i < engine->flight_count; i++) {
        stf__flight *flight = engine->flights[i];
        stf__instance *instance = flight->instance;
        bool is_loaded = flight->stage == STF__STAGE_STEP && instance->doc != NULL;
        instance->flight = NULL;
        stf__flight_give(engine, flight);
        if (is_loaded && !stf_record_status_is_terminal(instance->status) &&
            !stf__lease_is_other_live(engine, instance, stf__engine_now(engine))) {
            stf__lease_release(engine, ctx, instance);
        }
    }
    engine->flight_count = 0;
}

/* ---- Looking again (R5) ---------------------------------------------------------------------- */

void stf__send_look(stf_engine *engine, const stf__flight *flight)
{
    stf__instance *instance = flight->instance;
    const stf__command *command = flight->command;
    if (command != NULL && command->event.kind == STF__EVENT_PUBLISH) {
        instance->wants |= STF__WANT_SEND;
    }
    for (size_t i = 0; i < flight->effects.subscribed_count; i++) {
        const stf__subscribed *subscribed = &flight->effects.subscribed[i];
        stf__queue_id queue;
        stf__instance *other;
        /* Names too long for a queue have none. Without memory the queue's own due finds out. */
        if (stf__queue_id_make(&queue, engine, stf_buf_str(&instance->tenant), subscribed->name,
                               subscribed->key, NULL) == STF_OK &&
            stf__instance_get_or_add(engine, queue.id, &other) == STF_OK) {
            other->look_sequence = atomic_fetch_add(&engine->sequence, 1) + 1;
            stf__instance_want(engine, other, STF__WANT_SEND);
        }
    }
}
