/* SPDX-License-Identifier: Apache-2.0 */
/* Instances in memory: only those that somebody wants something of, that run handlers here, or
 * whose save is not settled. Everything else is a record at rest in the store. The driver's. */
#include "engine/send.h"

#include <string.h>

stf__instance *stf__instance_find(stf_engine *engine, stf_str id)
{
    return stf__map_get(&engine->instances, id);
}

stf_status stf__instance_get_or_add(stf_engine *engine, stf_str id, stf__instance **ret_instance)
{
    stf__instance *instance = stf__map_get(&engine->instances, id);
    if (instance == NULL) {
        instance = stf__mem_zalloc(engine->alloc, sizeof(*instance) + id.size + 1);
        if (instance == NULL) {
            return STF_NO_MEMORY;
        }
        memcpy(instance->text, id.data, id.size);
        instance->id = (stf_str){instance->text, id.size};
        stf__list_init(&instance->link);
        stf__list_init(&instance->held_link);
        stf__list_init(&instance->commands);
        stf__list_init(&instance->runs);
        stf__list_init(&instance->sends);
        stf_buf_init(&instance->owner, engine->alloc);
        stf_buf_init(&instance->tenant, engine->alloc);
        instance->due = stf_wall_none();
        instance->left_until = stf_wall_none();
        if (stf__map_put(&engine->instances, instance->id, instance) != STF_OK) {
            stf__mem_free(engine->alloc, instance);
            return STF_NO_MEMORY;
        }
        engine->instance_count++;
    }
    *ret_instance = instance;
    return STF_OK;
}

/* The copy is stale or unusable: the next step loads the record again. */
void stf__instance_drop_copy(stf__instance *instance)
{
    instance->doc = stf__doc_free(instance->doc);
    instance->version = 0;
}

static void drop_definition(stf_engine *engine, stf__instance *instance)
{
    if (instance->definition != NULL) {
        instance->definition = stf__definition_unref(engine, instance->definition);
    }
}

/* Whatever still points to it goes with it; its commands were answered. */
void stf__instance_free(stf_engine *engine, stf__instance *instance)
{
    STF__LIST_EACH(run_link, next_run, &instance->runs)
    {
        stf__run_free(engine, STF__LIST_ENTRY(run_link, stf_work, link));
    }
    stf__send_free(engine, instance);
    if (instance->flight != NULL) {
        stf__flight_free(engine, instance->flight);
    }
    if (instance->is_known) {
        stf__fact_tell(engine, instance, STF_FACT_INSTANCE_DEHYDRATED, STF_STR(""));
    }
    stf__list_remove(&instance->link);
    stf__list_remove(&instance->held_link);
    (void)stf__map_remove(&engine->instances, instance->id);
    engine->instance_count--;
    stf__instance_drop_copy(instance);
    drop_definition(engine, instance);
    stf_buf_done(&instance->owner);
    stf_buf_done(&instance->tenant);
    stf__mem_free(engine->alloc, instance);
}

static bool has_result(const stf__instance *instance)
{
    STF__LIST_EACH(link, following, &instance->runs)
    {
        if (STF__LIST_ENTRY(link, const stf_work, link)->state == STF__RUN_FINISHED) {
            return true;
        }
    }
    return false;
}

static void move_to(stf__instance *instance, stf__list *list, uint32_t place)
{
    stf__list_remove(&instance->link);
    instance->place = place;
    if (list != NULL) {
        stf__list_append(list, &instance->link);
    }
}

/* Puts an instance where it belongs now: ready, delayed, idle (its handlers run, or what it sent is
 * on its way), or out of memory. The pointer may be gone afterwards. */
void stf__instance_place(stf_engine *engine, stf__instance *instance)
{
    if (instance->place == STF__PLACE_TURN) {
        return; /* the turn places it at its end */
    }
    bool has_demand = instance->wants != 0 || instance->flight != NULL ||
                      !stf__list_is_empty(&instance->commands) || has_result(instance) ||
                      instance->answered_count != 0;
    if (has_demand && instance->retry_at.us != 0) {
        if (instance->place != STF__PLACE_DELAYED) {
            move_to(instance, &engine->delayed, STF__PLACE_DELAYED);
        }
    } else if (has_demand) {
        if (instance->place != STF__PLACE_READY) {
            move_to(instance, &engine->ready, STF__PLACE_READY);
        }
    } else if (!stf__list_is_empty(&instance->runs) || !stf__list_is_empty(&instance->sends)) {
        move_to(instance, NULL, STF__PLACE_IDLE);
    } else {
        stf__instance_free(engine, instance);
    }
}

void stf__instance_want(stf_engine *engine, stf__instance *instance, uint32_t wants)
{
    instance->wants |= wants;
    stf__instance_place(engine, instance);
}

/* ---- Flights -------------------------------------------------------------------------------- */

stf__flight *stf__flight_take(stf_engine *engine)
{
    stf__flight *flight;
    if (!stf__list_is_empty(&engine->spare_flights)) {
        stf__link *link = engine->spare_flights.next;
        stf__list_remove(link);
        return STF__LIST_ENTRY(link, stf__flight, link);
    }
    flight = stf__mem_zalloc(engine->alloc, sizeof(*flight));
    if (flight != NULL) {
        stf__list_init(&flight->link);
        stf__arena_init(&flight->arena, engine->alloc);
        stf_buf_init(&flight->head, engine->alloc);
        stf_buf_init(&flight->bulk, engine->alloc);
        stf_error_init(&flight->error);
    }
    return flight;
}

/* Back to the spares, empty but with its memory. */
void stf__flight_give(stf_engine *engine, stf__flight *flight)
{
    stf__arena arena = flight->arena;
    stf_buf head = flight->head;
    stf_buf bulk = flight->bulk;
    memset(flight, 0, offsetof(stf__flight, error)); /* the report is large; init is enough */
    flight->arena = arena;
    flight->head = head;
    flight->bulk = bulk;
    stf__arena_reset(&flight->arena);
    stf_buf_clear(&flight->head);
    stf_buf_clear(&flight->bulk);
    stf_error_init(&flight->error);
    stf__list_init(&flight->link);
    stf__list_append(&engine->spare_flights, &flight->link);
}

void stf__flight_free(stf_engine *engine, stf__flight *flight)
{
    stf__arena_done(&flight->arena);
    stf_buf_done(&flight->head);
    stf_buf_done(&flight->bulk);
    stf__mem_free(engine->alloc, flight);
}
