/* SPDX-License-Identifier: Apache-2.0 */
/* Documents that exchange messages and calls through a post office that loses answers, loses saves
 * of receivers, delivers again and late, while timers interrupt calls and people cancel: from
 * printed seeds. However it goes, no message is received twice or lost, each call makes one
 * instance, and in the end nobody waits for an instance that has ended and none runs that nobody
 * waits for (R5, R18). Everything goes through its stored form at every step.
 * STEPFAST_SEED=n plays one seed. */
#include "core_case.h"

#include <stepfast/bpmn.h>

enum {
    SEEDS = 150,
    TURNS = 300,
    ROOTS = 5,
    RECORDS_MAX = 400,
    MESSAGES = 2 * ROOTS,
    LATE_MAX = 64,
    KEYS = 3
};

#define FLOW(from, to) "<sequenceFlow id='" from to "' sourceRef='" from "' targetRef='" to "'/>"
#define CALL(id, process, way)                                                                     \
    "<callActivity id='" id "' calledElement='" process "'><extensionElements>"                    \
    "<stepfast:in sourceExpression='=key' target='key'/>"                                          \
    "<stepfast:in sourceExpression='" way "' target='way'/>"                                       \
    "<stepfast:out sourceExpression='=way' target='way'/>"                                         \
    "</extensionElements></callActivity>"
#define TIMER(id, host, time)                                                                      \
    "<boundaryEvent id='" id "' attachedToRef='" host                                              \
    "'><timerEventDefinition><timeDuration>" time                                                  \
    "</timeDuration></timerEventDefinition></boundaryEvent>"

#define MODEL(id, body)                                                                            \
    "<definitions xmlns='http://www.omg.org/spec/BPMN/20100524/MODEL' "                            \
    "xmlns:stepfast='https://stepfast.dev/bpmn' targetNamespace='urn:t'>"                          \
    "<message id='M' name='m' stepfast:correlationKey='=key' stepfast:keep='PT20S'/>"              \
    "<message id='N' name='n' stepfast:correlationKey='=key' stepfast:keep='PT15S'/>"              \
    "<error id='E' errorCode='e'/><process id='" id "' isExecutable='true'>" body                  \
    "</process></definitions>"
#define SEND(id, message, source)                                                                  \
    "<sendTask id='" id "' messageRef='" message "'><extensionElements>"                           \
    "<stepfast:in sourceExpression='" source "' target='id'/></extensionElements></sendTask>"

/* A root sends two messages and calls a middle one, which calls one that waits for both and ends
 * well or badly as its way says. */
enum {
    MODELS = 3
};
static const char *const model_texts[MODELS] = {
    MODEL("root",
          "<startEvent id='s'/>" FLOW("s", "t") FLOW("s", "t2") FLOW("s", "c") SEND("t", "M", "=id")
              SEND("t2", "N", "=id + 1") CALL("c", "middle", "=way") TIMER("late", "c", "PT30S")
                  FLOW("late", "x") "<endEvent id='x'/><boundaryEvent id='on' attachedToRef='c'>"
                                    "<errorEventDefinition errorRef='E'/></boundaryEvent>" FLOW(
                                        "on", "y") "<endEvent id='y'/>"),
    MODEL("middle", "<startEvent id='s'/>" FLOW("s", "c") CALL("c", "leaf", "=way")
                        TIMER("late", "c", "PT20S") FLOW("late", "x") "<endEvent id='x'/>"),
    MODEL("leaf",
          "<startEvent id='s'/>" FLOW("s", "w")
              FLOW("s", "v") "<receiveTask id='w' messageRef='M'/>" TIMER("late", "w", "PT25S")
                  FLOW("late",
                       "x") "<receiveTask id='v' messageRef='N'/>"
                            "<endEvent id='x'><terminateEventDefinition/></endEvent>" FLOW("w", "j")
                                FLOW("v", "j") "<parallelGateway id='j'/>" FLOW(
                                    "j", "g") "<exclusiveGateway id='g' "
                                              "default='gx'/>" FLOW("g", "x") "<sequenceFlow "
                                                                              "id='gy' "
                                                                              "sourceRef='g' "
                                                                              "targetRef='y'><"
                                                                              "conditionExpressi"
                                                                              "on>=way = 1"
                                                                              "</"
                                                                              "conditionExpressi"
                                                                              "on></"
                                                                              "sequenceFlow>"
                                                                              "<endEvent "
                                                                              "id='y'><"
                                                                              "errorEventDefinit"
                                                                              "ion "
                                                                              "errorRef='E'/></"
                                                                              "endEvent>"),
};

/* An answer that is still under way. */
typedef struct late_answer {
    char to[STF_LIMIT_ID_BYTES + 1];
    stf__ack ack;
} late_answer;

typedef struct record {
    char id[STF_LIMIT_ID_BYTES + 1];
    stf__doc *doc;
    const stf__process *process; /* NULL: a queue */
} record;

typedef struct office {
    unsigned seed;
    stf_model *models[MODELS];
    record records[RECORDS_MAX];
    size_t record_count;
    stf_wall now;
    bool is_faulty;
    unsigned received[MESSAGES]; /* by the message's id */
    size_t dropped;
    size_t faults;
    late_answer late[LATE_MAX];
    size_t late_count;
    stf__arena arena;
    stf__effects effects;
    stf_error error;
} office;

static uint64_t draw_state;

static uint32_t draw(uint32_t below)
{
    draw_state = draw_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(draw_state >> 33) % below;
}

static const stf__process *find_process(const office *o, stf_str id)
{
    const stf__process *process = NULL;
    for (size_t i = 0; i < MODELS && process == NULL; i++) {
        process = stf__model_find_process(o->models[i], id);
    }
    return process;
}

/* ---- Records */

static record *find_record(office *o, stf_str id)
{
    for (size_t i = 0; i < o->record_count; i++) {
        if (stf_str_equal(stf_str_of(o->records[i].id), id)) {
            return &o->records[i];
        }
    }
    return NULL;
}

static void drop_last(office *o)
{
    record *last = &o->records[--o->record_count];
    last->doc = stf__doc_free(last->doc);
}

static record *add_record(office *o, stf_str id, const stf__process *process)
{
    ck_assert_uint_lt(o->record_count, RECORDS_MAX);
    record *added = &o->records[o->record_count];
    stf__doc_identity identity = {.id = id,
                                  .process = process != NULL ? process->id : stf_str_of(""),
                                  .version = process != NULL ? 1 : 0,
                                  .kind = process != NULL ? STF__DOC_INSTANCE : STF__DOC_QUEUE,
                                  .created = o->now};
    for (size_t i = 0; i < sizeof(identity.nonce); i++) {
        identity.nonce[i] = (uint8_t)draw(256);
    }
    snprintf(added->id, sizeof(added->id), "%.*s", STF_STR_ARG(id));
    added->process = process;
    STF_CHECK_OK(stf__doc_new(NULL, &identity, &added->doc, &o->error), &o->error);
    o->record_count++;
    return added;
}

static void encode(stf__doc *doc, stf_buf *head, stf_buf *bulk)
{
    stf_error error = STF_ERROR_INIT;
    bool has_changed = false;
    stf_buf_init(head, NULL);
    stf_buf_init(bulk, NULL);
    STF_CHECK_OK(stf__doc_encode(doc, head, bulk, &has_changed, &error), &error);
}

static void decode_into(office *o, record *at, stf_buf *head, stf_buf *bulk)
{
    stf__doc *copy = NULL;
    STF_CHECK_OK(stf__doc_decode(NULL, stf_buf_bytes(head), stf_buf_bytes(bulk), &copy, &o->error),
                 &o->error);
    stf__doc_free(at->doc);
    at->doc = copy;
    stf_buf_done(head);
    stf_buf_done(bulk);
}

static void count_drops(office *o)
{
    for (size_t i = 0; i < o->effects.fact_count; i++) {
        const stf__fact_row *fact = &o->effects.facts[i];
        bool is_message =
            fact->kind == STF_FACT_MESSAGE_DROPPED ||
            (fact->kind == STF_FACT_SEND_DROPPED && stf_str_equal(fact->element, stf_str_of("t")));
        o->dropped += is_message ? 1 : 0;
    }
}

static void begin_step(office *o)
{
    stf__arena_reset(&o->arena);
    stf__effects_init(&o->effects, &o->arena);
}

/* One step and its save; *ret_is_saved false: the save was lost and with it the step. */
static stf_status step(office *o, record *at, const stf__event *event, bool may_lose,
                       bool *ret_is_saved)
{
    stf_buf head;
    stf_buf bulk;
    stf__core_inputs inputs = {.now = o->now};
    encode(at->doc, &head, &bulk);
    begin_step(o);
    stf_status status =
        stf__core_step(at->doc, at->process, event, &inputs, &o->effects, &o->error);
    *ret_is_saved = status == STF_OK && !(may_lose && o->is_faulty && draw(5) == 0);
    if (status == STF_OK) {
        ck_assert_msg(stf__doc_check_invariants(at->doc) == STF_OK, "seed %u: CORRUPT", o->seed);
    }
    if (*ret_is_saved) {
        stf_buf_done(&head);
        stf_buf_done(&bulk);
        encode(at->doc, &head, &bulk);
        count_drops(o);
    } else if (status == STF_OK) {
        o->faults++;
    }
    decode_into(o, at, &head, &bulk);
    return status;
}

/* ---- Delivery */

static uint32_t answer_of(stf_status status)
{
    switch ((int)status) {
    case STF_OK:
    case STF_ALREADY_EXISTS:
        return STF__ACK_DELIVERED;
    case STF_NOT_FOUND:
        return STF__ACK_NOT_WAITING;
    case STF_INVALID_STATE:
        return STF__ACK_ENDED;
    default:
        return STF__ACK_REFUSED;
    }
}

static stf__event event_of(const office *o, const record *from, const stf__send_item *item)
{
    static const stf__event_kind kinds[] = {
        [STF__SEND_MESSAGE] = STF__EVENT_MESSAGE,
        [STF__SEND_CREATE] = STF__EVENT_START,
        [STF__SEND_RESULT] = STF__EVENT_CHILD,
        [STF__SEND_CANCEL] = STF__EVENT_CANCEL,
    };
    (void)o;
    stf__event event = {.kind = item->is_to_queue ? STF__EVENT_PUBLISH : kinds[item->kind],
                        .activation = item->target_activation,
                        .code = item->code,
                        .message = item->message,
                        .variables = item->variables,
                        .until = item->until,
                        .how = item->how};
    if (item->kind == STF__SEND_MESSAGE) {
        event.name = item->name;
        event.key = item->key;
    }
    const stf__doc_identity *identity = stf__doc_peek_identity(from->doc);
    event.sender = (stf__sender){.is_given = true,
                                 .sequence = item->sequence,
                                 .activation = item->activation,
                                 .id = stf_str_of(from->id)};
    memcpy(event.sender.nonce, identity->nonce, sizeof(identity->nonce));
    return event;
}

/* Who is made where there is nobody: called instances, queues, and who is to end. */
static record *find_receiver(office *o, const stf__send_item *item, bool *ret_is_new)
{
    record *found = find_record(o, item->target);
    *ret_is_new = found == NULL;
    if (found != NULL) {
        return found;
    }
    if (item->is_to_queue) {
        return add_record(o, item->target, NULL);
    }
    if (item->kind == STF__SEND_CREATE) {
        return add_record(o, item->target, find_process(o, item->name));
    }
    return item->kind == STF__SEND_CANCEL
               ? add_record(o, item->target, find_process(o, stf_str_of("leaf")))
               : NULL;
}

static void note_received(office *o, const stf__send_item *item)
{
    int64_t id = 0;
    if (item->kind != STF__SEND_MESSAGE || item->is_to_queue) {
        return;
    }
    ck_assert(stf_value_get_int(stf_value_peek(item->variables, stf_str_of("id")), &id));
    o->received[id]++;
    ck_assert_msg(o->received[id] == 1, "seed %u: message %lld was received twice", o->seed,
                  (long long)id);
}

static void acknowledge(office *o, record *to, const stf__ack *ack)
{
    bool is_saved = false;
    stf__event event = {.kind = STF__EVENT_ACK, .acks = ack, .ack_count = 1};
    ck_assert_int_eq(step(o, to, &event, true, &is_saved), STF_OK);
}

/* One of those that are under way arrives; it may be about an entry that was aimed anew since. */
static void arrive_late(office *o)
{
    if (o->late_count == 0) {
        return;
    }
    size_t index = draw((uint32_t)o->late_count);
    late_answer late = o->late[index];
    o->late[index] = o->late[--o->late_count];
    record *to = find_record(o, stf_str_of(late.to));
    if (to != NULL) {
        acknowledge(o, to, &late.ack);
    }
}

static void deliver(office *o, size_t from_index, const stf__send_item *item)
{
    bool is_new = false;
    bool is_saved = false;
    record *from = &o->records[from_index];
    record *to = find_receiver(o, item, &is_new);
    stf_status status = STF_NOT_FOUND;
    stf__ack ack = {.number = item->number, .sequence = item->sequence, .answer = STF__ACK_ABSENT};
    if (to != NULL) {
        stf__event event = event_of(o, from, item);
        status = step(o, to, &event, true, &is_saved);
        ack.answer = answer_of(status);
        if (is_saved) {
            note_received(o, item);
        } else if (is_new) {
            drop_last(o); /* it was never saved */
        }
        if (status == STF_OK && !is_saved) {
            return;
        }
    }
    if (o->is_faulty && draw(4) == 0) {
        o->faults++; /* the answer is late or lost: it is delivered again */
        if (o->late_count < LATE_MAX) {
            late_answer *late = &o->late[o->late_count++];
            memcpy(late->to, from->id, sizeof(late->to));
            late->ack = ack;
        }
        return;
    }
    acknowledge(o, from, &ack);
}

/* ---- Aiming */

/* Who has waited longest for a key. */
static stf_str find_waiter(office *o, stf_str name, stf_str key)
{
    stf_str found = {NULL, 0};
    stf_wall since = stf_wall_none();
    for (size_t i = 0; i < o->record_count; i++) {
        size_t index = 0;
        const stf__doc *doc = o->records[i].doc;
        if (stf__doc_find_subscription(doc, name, key, &index) &&
            (found.size == 0 || doc->subscriptions[index].since.us < since.us)) {
            since = doc->subscriptions[index].since;
            found = stf_str_of(o->records[i].id);
        }
    }
    return found;
}

static void aim_all(office *o, record *at)
{
    stf__send_item item;
    for (size_t i = 0; stf__doc_get_send(at->doc, i, &item); i++) {
        if (!stf__doc_may_aim(at->doc, &item)) {
            continue;
        }
        char queue[32];
        snprintf(queue, sizeof(queue), "queue-%.*s-%.*s", STF_STR_ARG(item.name),
                 STF_STR_ARG(item.key));
        const record *kept = find_record(o, stf_str_of(queue));
        bool is_behind = at->process != NULL && kept != NULL && kept->doc->outbox_count > 0;
        stf_str target = is_behind ? (stf_str){NULL, 0} : find_waiter(o, item.name, item.key);
        size_t count = at->doc->outbox_count;
        begin_step(o);
        STF_CHECK_OK(stf__doc_aim(at->doc, item.number, target, stf_str_of(queue), o->now,
                                  &o->effects, &o->error),
                     &o->error);
        count_drops(o);
        i -= at->doc->outbox_count < count ? 1 : 0;
    }
}

/* ---- The run */

static void start_roots(office *o)
{
    for (unsigned i = 0; i < ROOTS; i++) {
        char id[16];
        char json[96];
        bool is_saved = false;
        snprintf(id, sizeof(id), "root-%u", i);
        snprintf(json, sizeof(json), "{\"id\": %u, \"key\": %u, \"way\": %u}", 2 * i, draw(KEYS),
                 draw(3));
        stf_value *variables = core_case_json(json);
        record *root = add_record(o, stf_str_of(id), find_process(o, stf_str_of("root")));
        stf__event event = {.kind = STF__EVENT_START, .variables = variables};
        STF_CHECK_OK(step(o, root, &event, false, &is_saved), &o->error);
        stf_value_unref(variables);
    }
}

/* Delivers one entry of a record that may go; false: there is none. */
static bool deliver_one(office *o, size_t index)
{
    stf__send_item item;
    const stf__doc *doc = o->records[index].doc;
    size_t skip = doc->outbox_count > 0 ? draw((uint32_t)doc->outbox_count) : 0;
    for (size_t i = 0; i < doc->outbox_count; i++) {
        ck_assert(stf__doc_get_send(doc, (i + skip) % doc->outbox_count, &item));
        if (stf__doc_may_send(doc, &item)) {
            stf_value *variables = item.variables != NULL ? stf_value_ref(item.variables) : NULL;
            deliver(o, index, &item);
            stf_value_unref(variables);
            return true;
        }
    }
    return false;
}

static void cancel_one(office *o, size_t index)
{
    bool is_saved = false;
    stf__event event = {.kind = STF__EVENT_CANCEL};
    if (o->records[index].process != NULL) {
        stf_status status = step(o, &o->records[index], &event, false, &is_saved);
        ck_assert(status == STF_OK || status == STF_INVALID_STATE);
    }
}

static void wake(office *o, size_t index)
{
    bool is_saved = false;
    stf__event event = {.kind = STF__EVENT_WAKE};
    STF_CHECK_OK(step(o, &o->records[index], &event, false, &is_saved), &o->error);
}

static void turn(office *o)
{
    size_t index = draw((uint32_t)o->record_count);
    uint32_t kind = draw(60);
    if (kind == 0) {
        cancel_one(o, index);
    } else if (kind < 5) {
        arrive_late(o);
    } else if (kind < 12) {
        o->now.us += SECONDS(draw(3));
        wake(o, index);
    } else {
        aim_all(o, &o->records[index]);
        (void)deliver_one(o, index);
    }
}

static const stf__activation *find_call(const record *at, stf_str child)
{
    for (size_t i = 0; i < at->doc->activation_count; i++) {
        if (at->doc->activations[i]->active_for == STF__FOR_CHILD &&
            stf_str_equal(at->doc->activations[i]->child, child)) {
            return at->doc->activations[i];
        }
    }
    return NULL;
}

/* With nothing under way: who was called runs exactly as long as somebody waits for it. */
static void check_calls(office *o)
{
    for (size_t i = 0; i < o->record_count; i++) {
        const stf__doc *doc = o->records[i].doc;
        for (size_t k = 0; k < doc->activation_count; k++) {
            if (doc->activations[k]->active_for == STF__FOR_CHILD) {
                const record *child = find_record(o, doc->activations[k]->child);
                ck_assert_msg(child != NULL && !stf__doc_has_ended(child->doc),
                              "seed %u: %s waits for one that has ended", o->seed,
                              o->records[i].id);
            }
        }
        if (doc->caller.id.size > 0 && !stf__doc_has_ended(doc)) {
            const record *caller = find_record(o, doc->caller.id);
            ck_assert_msg(caller != NULL && find_call(caller, stf_str_of(o->records[i].id)) != NULL,
                          "seed %u: nobody waits for %s", o->seed, o->records[i].id);
        }
    }
}

/* Without faults any more, until nothing moves; then the incidents of calls are dropped and time
 * passes, until all is over. */
static void drain(office *o)
{
    o->is_faulty = false;
    while (o->late_count > 0) {
        arrive_late(o);
    }
    for (unsigned quiet = 0; quiet < 60; quiet++) {
        bool moves = true;
        while (moves) {
            moves = false;
            for (size_t i = 0; i < o->record_count; i++) {
                wake(o, i);
                aim_all(o, &o->records[i]);
                moves = deliver_one(o, i) || moves;
            }
        }
        check_calls(o);
        for (size_t i = 0; i < o->record_count; i++) {
            bool is_saved = false;
            stf__event drop = {.kind = STF__EVENT_DROP};
            if (o->records[i].doc->incident_count > 0) {
                drop.incident = o->records[i].doc->incidents[0].number;
                STF_CHECK_OK(step(o, &o->records[i], &drop, false, &is_saved), &o->error);
            }
        }
        o->now.us += SECONDS(1);
    }
}

static void check_end(office *o)
{
    size_t received = 0;
    for (size_t i = 0; i < o->record_count; i++) {
        const record *at = &o->records[i];
        ck_assert_msg(at->doc->outbox_count == 0, "seed %u: %s still holds %zu entries", o->seed,
                      at->id, at->doc->outbox_count);
        ck_assert_msg(at->process == NULL || stf__doc_has_ended(at->doc), "seed %u: %s still runs",
                      o->seed, at->id);
        for (size_t k = i + 1; k < o->record_count; k++) {
            ck_assert_str_ne(at->id, o->records[k].id);
        }
    }
    for (size_t i = 0; i < MESSAGES; i++) {
        received += o->received[i];
    }
    ck_assert_msg(received + o->dropped == MESSAGES, "seed %u: %zu received, %zu dropped", o->seed,
                  received, o->dropped);
}

static size_t play(unsigned seed, size_t *ret_received)
{
    office *o = calloc(1, sizeof(*o));
    ck_assert_ptr_nonnull(o);
    o->seed = seed;
    o->is_faulty = true;
    o->now = (stf_wall){CORE_CASE_BEGIN_US};
    stf__arena_init(&o->arena, NULL);
    stf_error_init(&o->error);
    draw_state = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    for (size_t i = 0; i < MODELS; i++) {
        stf_bytes text = {(const uint8_t *)model_texts[i], strlen(model_texts[i])};
        STF_CHECK_OK(stf_bpmn_load(NULL, text, NULL, &o->models[i], &o->error), &o->error);
    }
    start_roots(o);
    for (unsigned i = 0; i < TURNS; i++) {
        turn(o);
    }
    drain(o);
    check_end(o);
    size_t faults = o->faults;
    for (size_t i = 0; i < MESSAGES; i++) {
        *ret_received += o->received[i];
    }
    while (o->record_count > 0) {
        drop_last(o);
    }
    for (size_t i = 0; i < MODELS; i++) {
        stf_model_unref(o->models[i]);
    }
    stf__arena_done(&o->arena);
    free(o);
    return faults;
}

STF_TEST(r5_r18_nothing_is_lost_or_taken_twice_however_entries_are_delivered)
{
    const char *one = getenv("STEPFAST_SEED");
    unsigned first = one != NULL ? (unsigned)strtoul(one, NULL, 10) : 1;
    unsigned count = one != NULL ? 1 : SEEDS;
    size_t faults = 0;
    size_t received = 0;
    for (unsigned seed = first; seed < first + count; seed++) {
        faults += play(seed, &received);
    }
    printf("%u seeds, %zu lost saves and answers, %zu messages received\n", count, faults,
           received);
    ck_assert(one != NULL || (faults > SEEDS * 5 && received > SEEDS));
}

static const stf_test_case cases[] = {
    STF_CASE(r5_r18_nothing_is_lost_or_taken_twice_however_entries_are_delivered),
};

STF_TEST_MAIN("core/exchange", cases)
