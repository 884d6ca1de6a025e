/* SPDX-License-Identifier: Apache-2.0 */
/* Who gets a message: the oldest wait for its name and key, else, when it is to be kept, the queue
 * of its tenant, name and key. The target is fixed by the save that makes the message durable, so a
 * delivery that is repeated after a crash reaches the same one (R5). */
#include "engine/send.h"

#include <stdio.h>
#include <stepfast/sys/repository_wake.h>
#include <string.h>

bool stf__id_is_own(stf_str id)
{
    stf_str prefix = STF_STR(STF__OWN_IDS);
    return id.size >= prefix.size && memcmp(id.data, prefix.data, prefix.size) == 0;
}

/* Each part with its length: no two different queues share an id. */
stf_status stf__queue_id_make(stf__queue_id *ret_id, const stf_engine *engine, stf_str tenant,
                              stf_str name, stf_str key, stf_error *error)
{
    const stf_str parts[] = {stf_str_of(engine->group), tenant, name, key};
    stf_str prefix = STF_STR(STF__OWN_IDS "queue/");
    size_t size = prefix.size;
    memcpy(ret_id->text, prefix.data, prefix.size);
    for (size_t i = 0; i < STF_COUNT_OF(parts); i++) {
        char length[24];
        int digits = snprintf(length, sizeof(length), "%zu:", parts[i].size);
        if (digits < 0 || size + (size_t)digits + parts[i].size > STF_LIMIT_ID_BYTES) {
            return stf_error_set(error, STF_LIMIT_EXCEEDED, "ENGINE",
                                 "group, tenant, name and key of a message that is to be kept are "
                                 "too long: with their lengths they make an id of at most %d bytes",
                                 STF_LIMIT_ID_BYTES);
        }
        memcpy(ret_id->text + size, length, (size_t)digits);
        size += (size_t)digits;
        if (parts[i].size != 0) {
            memcpy(ret_id->text + size, parts[i].data, parts[i].size);
        }
        size += parts[i].size;
    }
    ret_id->id = (stf_str){ret_id->text, size};
    return STF_OK;
}

/* ---- Others of the same turn -------------------------------------------------------------------
 */

/* What the steps of a turn aim at is in the store only when all of them are saved. Were each to aim
 * at the oldest, one of them would meet it and the rest come back. */
typedef struct stf__aimed {
    struct stf__aimed *next;
    stf_str name;
    stf_str key;
    stf_str target;
} stf__aimed;

static bool is_same(const stf__aimed *aimed, const stf__aim *aim)
{
    return stf_str_equal(aimed->name, aim->name) && stf_str_equal(aimed->key, aim->key);
}

/* Messages of this name and key on their way to target; empty: to anybody. */
static size_t count_aimed(const stf_engine *engine, const stf__aim *aim, stf_str target)
{
    size_t count = 0;
    for (size_t i = 0; aim->is_of_turn && i < engine->flight_count; i++) {
        for (const stf__aimed *aimed = engine->flights[i]->aimed; aimed != NULL;
             aimed = aimed->next) {
            bool is_there = target.size == 0 || stf_str_equal(aimed->target, target);
            count += is_there && is_same(aimed, aim) ? 1 : 0;
        }
    }
    return count;
}

/* Only a hint: without memory others may aim at the same one. */
static void note_aimed(stf__flight *flight, const stf__aim *aim, stf_str target)
{
    stf__aimed *aimed = stf__arena_zalloc(&flight->arena, sizeof(*aimed));
    if (aimed != NULL && stf__arena_copy_str(&flight->arena, aim->name, &aimed->name) == STF_OK &&
        stf__arena_copy_str(&flight->arena, aim->key, &aimed->key) == STF_OK &&
        stf__arena_copy_str(&flight->arena, target, &aimed->target) == STF_OK) {
        aimed->next = flight->aimed;
        flight->aimed = aimed;
    }
}

/* ---- Asking the store ------------------------------------------------------------------------ */

typedef struct waiter_look {
    const stf_engine *engine;
    const stf__aim *aim;
    stf__waiter *waiter;
    bool is_free; /* nobody of this turn is on the way to it */
} waiter_look;

/* The oldest that is free, else the oldest. Rows of the same age are never split between pages, so
 * there may be more than were asked for. */
static stf_status visit_waiter(void *user, const stf_wake_row *row, stf_error *error)
{
    waiter_look *look = user;
    stf__waiter *waiter = look->waiter;
    (void)error;
    if (look->is_free || row->id.size > STF_LIMIT_ID_BYTES) {
        return STF_OK;
    }
    look->is_free = count_aimed(look->engine, look->aim, row->id) == 0;
    if (look->is_free || waiter->id.size == 0) {
        memcpy(waiter->text, row->id.data, row->id.size);
        waiter->id = (stf_str){waiter->text, row->id.size};
    }
    return STF_OK;
}

static stf_status find_waiter(stf_engine *engine, const stf_ctx *ctx, const stf__aim *aim,
                              stf__waiter *ret_waiter, stf_error *error)
{
    char key[STF_LIMIT_WAIT_KEY_BYTES];
    size_t size = aim->name.size + 1 + aim->key.size;
    if (aim->name.size == 0 || size > sizeof(key)) {
        return STF_OK; /* nobody can wait for it */
    }
    stf__message_wait_key(aim->name, aim->key, key);
    stf_waiting_query query = {.group = stf_str_of(engine->group),
                               .tenant = aim->tenant,
                               .kind = STF_WAIT_MESSAGE,
                               .key = {key, size},
                               .after_since = stf_wall_none(),
                               .limit = 1 + count_aimed(engine, aim, (stf_str){NULL, 0})};
    waiter_look look = {.engine = engine, .aim = aim, .waiter = ret_waiter};
    query.limit = query.limit < STF_LIMIT_PAGE ? query.limit : STF_LIMIT_PAGE;
    return stf_repository_waiting_page(engine->repository, ctx, &query, visit_waiter, &look, error);
}

static stf_status visit_status(void *user, const stf_record *record, stf_error *error)
{
    (void)error;
    *(bool *)user = !stf_record_status_is_terminal(record->status);
    return STF_OK;
}

stf_status stf__aim_find(stf_engine *engine, const stf_ctx *ctx, const stf__aim *aim,
                         stf__waiter *ret_waiter, stf_error *error)
{
    bool is_behind = false;
    bool is_found = false;
    stf_status status = STF_OK;
    ret_waiter->id = (stf_str){NULL, 0};
    if (aim->queue.size != 0) {
        status = stf_repository_load(engine->repository, ctx, aim->queue, visit_status, &is_behind,
                                     &is_found, error);
    }
    if (status == STF_OK && !is_behind) {
        status = find_waiter(engine, ctx, aim, ret_waiter, error);
    }
    return status;
}

/* ---- Documents ------------------------------------------------------------------------------- */

static bool is_queue(const stf__instance *instance)
{
    return stf__doc_peek_identity(instance->doc)->kind == STF__DOC_QUEUE;
}

static stf_status aim_one(stf_engine *engine, const stf_ctx *ctx, stf__flight *flight,
                          const stf__send_item *item, stf_wall now, bool *ret_did)
{
    stf__instance *instance = flight->instance;
    bool is_of_queue = is_queue(instance);
    bool is_kept = !stf_wall_is_none(item->until) && item->until.us > now.us;
    bool is_over = is_of_queue && !is_kept;
    stf__queue_id queue;
    stf__waiter waiter = {.id = {NULL, 0}};
    stf__aim aim = {.tenant = stf_buf_str(&instance->tenant),
                    .name = item->name,
                    .key = item->key,
                    .is_of_turn = true};
    /* Names too long for a queue: given to whoever waits now, or dropped with a fact. */
    if (!is_of_queue && is_kept &&
        stf__queue_id_make(&queue, engine, aim.tenant, aim.name, aim.key, NULL) == STF_OK) {
        aim.queue = queue.id;
    }
    stf_status status = STF_OK;
    if (!is_over) {
        status = stf__aim_find(engine, ctx, &aim, &waiter, &flight->error);
    }
    if (status != STF_OK || (is_of_queue && !is_over && waiter.id.size == 0)) {
        return status; /* it stays where it is */
    }
    *ret_did = true;
    if (waiter.id.size != 0) {
        note_aimed(flight, &aim, waiter.id);
    }
    return stf__doc_aim(instance->doc, item->number, waiter.id, aim.queue, now, &flight->effects,
                        &flight->error);
}

/* Publishing commits, then looks (R5): what a queue takes is aimed by a step of its own. */
static bool may_aim_now(const stf__flight *flight)
{
    return flight->command == NULL || flight->command->event.kind != STF__EVENT_PUBLISH;
}

stf_status stf__aim_doc(stf_engine *engine, const stf_ctx *ctx, stf__flight *flight, stf_wall now,
                        bool *ret_did)
{
    const stf__doc *doc = flight->instance->doc;
    stf__send_item item;
    stf_status status = STF_OK;
    for (size_t i = 0; status == STF_OK && may_aim_now(flight) && stf__doc_get_send(doc, i, &item);
         i++) {
        uint64_t number = item.number;
        if (stf__doc_may_aim(doc, &item)) {
            status = aim_one(engine, ctx, flight, &item, now, ret_did);
            bool is_there = stf__doc_get_send(doc, i, &item) && item.number == number;
            i -= is_there ? 0 : 1; /* dropped: the next one has its place */
        }
    }
    return status;
}
