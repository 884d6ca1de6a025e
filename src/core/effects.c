/* SPDX-License-Identifier: Apache-2.0 */
/* Effects: rows in the step's arena. Texts are copied there, so that a row outlives the document
 * and the model. */
#include "core/step.h"

#include <string.h>

void stf__effects_init(stf__effects *effects, stf__arena *arena)
{
    *effects = (stf__effects){.arena = arena};
}

/* Room for one more item in an array of the arena; NULL when out of memory. */
static void *grow_in_arena(stf__arena *arena, void *items, size_t count, size_t *capacity,
                           size_t item_size)
{
    if (count < *capacity) {
        return items;
    }
    size_t wanted = *capacity == 0 ? 16 : *capacity * 2;
    void *grown = stf__arena_alloc(arena, wanted * item_size);
    if (grown == NULL) {
        return NULL;
    }
    if (count > 0) {
        memcpy(grown, items, count * item_size);
    }
    *capacity = wanted;
    return grown;
}

stf_status stf__effects_add_fact(stf__effects *effects, const stf__fact_row *row, stf_error *error)
{
    if (effects->is_silent) {
        return STF_OK;
    }
    void *grown = grow_in_arena(effects->arena, effects->facts, effects->fact_count,
                                &effects->fact_capacity, sizeof(*effects->facts));
    if (grown == NULL) {
        return stf__doc_no_memory(error);
    }
    effects->facts = grown;
    stf__fact_row *added = &effects->facts[effects->fact_count];
    *added = *row;
    if (stf__arena_copy_str(effects->arena, row->element, &added->element) != STF_OK ||
        stf__arena_copy_str(effects->arena, row->detail, &added->detail) != STF_OK) {
        return stf__doc_no_memory(error);
    }
    effects->fact_count++;
    return STF_OK;
}

stf_status stf__effects_add_cancelled(stf__effects *effects, uint64_t activation, stf_error *error)
{
    void *grown = grow_in_arena(effects->arena, effects->cancelled, effects->cancelled_count,
                                &effects->cancelled_capacity, sizeof(*effects->cancelled));
    if (grown == NULL) {
        return stf__doc_no_memory(error);
    }
    effects->cancelled = grown;
    effects->cancelled[effects->cancelled_count++] = activation;
    return STF_OK;
}

stf_status stf__effects_add_subscribed(stf__effects *effects, stf_str name, stf_str key,
                                       stf_error *error)
{
    void *grown = grow_in_arena(effects->arena, effects->subscribed, effects->subscribed_count,
                                &effects->subscribed_capacity, sizeof(*effects->subscribed));
    if (grown == NULL) {
        return stf__doc_no_memory(error);
    }
    effects->subscribed = grown;
    stf__subscribed *added = &effects->subscribed[effects->subscribed_count];
    if (stf__arena_copy_str(effects->arena, name, &added->name) != STF_OK ||
        stf__arena_copy_str(effects->arena, key, &added->key) != STF_OK) {
        return stf__doc_no_memory(error);
    }
    effects->subscribed_count++;
    return STF_OK;
}

stf_status stf__step_tell(stf__step *step, stf_fact_kind kind, uint64_t activation, stf_str element,
                          stf_str detail)
{
    stf__fact_row row = {.kind = kind,
                         .activation = activation,
                         .at = step->now,
                         .element = element,
                         .detail = detail};
    return stf__effects_add_fact(step->effects, &row, step->error);
}
