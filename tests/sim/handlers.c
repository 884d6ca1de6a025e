/* SPDX-License-Identifier: Apache-2.0 */
/* Handlers whose answers depend on the seed, the element, the attempt and how many activations of
 * the element came before, and on nothing that a crash may change. They count their runs: an effect
 * is repeated only where a crash left it in flight and the task allows it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/sim.h"

bool sim_work_set_has(const sim_work_set *set, unsigned instance, uint64_t activation,
                      uint32_t attempt)
{
    for (size_t i = 0; set != NULL && i < set->count; i++) {
        const sim_work_id *id = &set->items[i];
        if (id->instance == instance && id->activation == activation && id->attempt == attempt) {
            return true;
        }
    }
    return false;
}

bool sim_work_set_add(sim_work_set *set, const sim_work_id *id)
{
    if (set->count == SIM_WORK_MAX) {
        return false;
    }
    set->items[set->count++] = *id;
    return true;
}

bool sim_work_set_equal(const sim_work_set *a, const sim_work_set *b)
{
    bool is_equal = a->count == b->count;
    for (size_t i = 0; is_equal && i < a->count; i++) {
        const sim_work_id *id = &a->items[i];
        is_equal = sim_work_set_has(b, id->instance, id->activation, id->attempt);
    }
    return is_equal;
}

sim_effect *sim_effect_get(sim_life *life, const sim_work_id *id)
{
    for (size_t i = 0; i < life->effect_count; i++) {
        sim_effect *effect = &life->effects[i];
        if (effect->id.instance == id->instance && effect->id.activation == id->activation &&
            effect->id.attempt == id->attempt) {
            return effect;
        }
    }
    if (life->effect_count == SIM_EFFECTS_MAX) {
        life->is_too_big = true;
        return NULL;
    }
    sim_effect *effect = &life->effects[life->effect_count++];
    *effect = (sim_effect){.id = *id};
    return effect;
}

/* How many activations of the element came to their work up to this one. */
static unsigned rank_of(const sim_life *life, const sim_work_id *id)
{
    unsigned rank = 1;
    for (size_t i = 0; i < life->effect_count; i++) {
        const sim_work_id *other = &life->effects[i].id;
        if (other->instance == id->instance && other->attempt == 1 &&
            other->activation < id->activation && strcmp(other->element, id->element) == 0) {
            rank++;
        }
    }
    return rank;
}

static bool ran_before(const sim_life *life, const sim_work_id *id)
{
    for (size_t i = 0; i < life->effect_count; i++) {
        const sim_effect *effect = &life->effects[i];
        if (effect->id.instance == id->instance && effect->id.activation == id->activation &&
            effect->runs != 0) {
            return true;
        }
    }
    return false;
}

/* Time passes once per activation, so a repeated run takes none. */
static void pass_time(sim_life *life, const sim_work_id *id, uint64_t hash)
{
    if (life->plan->takes_time && hash % 5 < 2 && !ran_before(life, id)) {
        life->now_us += SIM_MINUTES(10 * (1 + hash % 40) + 6);
        sim_life_check_gaps(life, STF_WALL_NONE_US);
    }
}

static stf_value *make_result(const sim_work_id *id, uint64_t hash, unsigned rank)
{
    stf_value *variables = NULL;
    stf_buf json;
    uint64_t drawn = sim_mix(hash, rank);
    stf_buf_init(&json, NULL);
    stf_status status = stf_buf_printf(&json, "{\"v_%s\": %u, \"k_%s\": %u", id->element,
                                       (unsigned)(drawn % 100), id->element, rank);
    if (status == STF_OK && hash % 3 == 0) {
        status = stf_buf_printf(&json, ", \"shared\": \"%s in round %u\"", id->element, rank);
    }
    if (status == STF_OK && hash % 4 == 0) { /* long ones, of which some never change */
        status = stf_buf_printf(&json, ", \"t_%s\": \"%0*u\"", id->element, 200 + (int)(hash % 300),
                                hash % 8 == 0 ? 7 : rank);
    }
    if (status != STF_OK || stf_buf_append_str(&json, stf_str_of("}")) != STF_OK ||
        stf_value_parse_json(NULL, stf_buf_str(&json), &variables, NULL) != STF_OK) {
        abort();
    }
    stf_buf_done(&json);
    return variables;
}

static stf_status settle(stf_work *work, const sim_work_id *id, uint64_t hash, unsigned rank,
                         stf_error *error)
{
    uint32_t which = (uint32_t)(hash / 1000 % 100);
    if (id->attempt == 1 && which < 6) {
        return stf_work_fail(work, stf_str_of("no such address"), error);
    }
    if (id->attempt == 1 && which < 11) {
        return stf_work_unknown(work, stf_str_of("the line went dead"), error);
    }
    if (id->attempt == 1 && which < 15) {
        return stf_work_bpmn_error(work, stf_str_of("E1"), stf_str_of("refused"), NULL, error);
    }
    stf_value *variables = make_result(id, hash, rank);
    stf_status status = stf_work_complete(work, variables, error);
    stf_value_unref(variables);
    return status;
}

static stf_status run(void *user, const stf_ctx *ctx, stf_work *work, stf_error *error)
{
    sim_life *life = user;
    (void)ctx;
    if (life->store.is_dead) { /* its process died before this */
        return stf_work_unknown(work, stf_str_of("dead"), error);
    }
    stf_str element = stf_work_element(work);
    sim_work_id id = {.instance = sim_instance_of(stf_work_instance(work)),
                      .attempt = stf_work_attempt(work),
                      .activation = stf_work_activation(work)};
    snprintf(id.element, sizeof(id.element), "%.*s", (int)element.size, element.data);
    uint64_t hash = sim_mix_text(sim_mix(life->plan->seed, life->plan->salt), element);
    bool is_first = !ran_before(life, &id);
    sim_effect *effect = sim_effect_get(life, &id);
    if (is_first) {
        pass_time(life, &id, hash);
    }
    if (effect != NULL) {
        effect->runs++;
    }
    if (sim_work_set_has(life->unknown, id.instance, id.activation, id.attempt)) {
        return stf_work_unknown(work, stf_str_of("as after a crash"), error);
    }
    return settle(work, &id, hash, rank_of(life, &id), error);
}

void sim_handlers_add(sim_life *life)
{
    static const char *const topics[] = {"alpha", "beta", "*"};
    for (size_t i = 0; i < (life->plan->has_star ? 3u : 2u); i++) {
        stf_handler handler = {
            .struct_size = sizeof(handler), .abi = STF_HANDLER_ABI, .user = life, .run = run};
        handler.concurrency_max = life->plan->has_slots ? 8 : 0;
        if (stf_engine_add_handler(life->engine, stf_str_of(topics[i]), &handler, NULL) != STF_OK) {
            abort();
        }
    }
}

void sim_effects_check(sim_life *life)
{
    for (size_t i = 0; i < life->effect_count; i++) {
        const sim_effect *effect = &life->effects[i];
        uint32_t most = life->plan->is_idempotent ? 1 + effect->in_flight : 1;
        uint32_t least = effect->in_flight != 0 ? 0 : 1;
        if (effect->runs < least || effect->runs > most) {
            sim_life_fail(life, "the work of %s in i%u (activation %llu, attempt %u) ran %u times",
                          effect->id.element, effect->id.instance + 1,
                          (unsigned long long)effect->id.activation, effect->id.attempt,
                          effect->runs);
        }
    }
}
