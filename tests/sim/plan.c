/* SPDX-License-Identifier: Apache-2.0 */
/* What a seed stands for. */
#include <stdlib.h>

#include "sim/sim.h"

static void draw_settings(sim_plan *plan, sim_random *random)
{
    plan->is_idempotent = !sim_chance(random, 30);
    plan->is_sequential = sim_chance(random, 30);
    plan->takes_time = plan->is_idempotent && plan->is_sequential && sim_chance(random, 60);
    plan->has_star = sim_chance(random, 50);
    plan->has_slots = !plan->takes_time && sim_chance(random, 60);
    plan->has_two_starts = sim_chance(random, 10);
    plan->instances = !plan->takes_time && sim_chance(random, 20) ? 2 : 1;
    plan->steps = 4 + sim_draw(random, SIM_STEPS_MAX - 3);
    plan->step_budget = sim_chance(random, 25) ? 2 + sim_draw(random, 5) : 0;
}

static void draw_variables(sim_plan *plan, sim_random *random)
{
    stf_buf json;
    stf_buf_init(&json, NULL);
    /* "old" is too long for a record's small part and lies there unread for the whole run. */
    stf_status status = stf_buf_printf(
        &json, "{\"a\": %u, \"b\": %s, \"s\": \"%s\", \"topic\": \"alpha\", \"wait\": \"PT%uM\"",
        sim_draw(random, 10), sim_chance(random, 50) ? "true" : "false",
        sim_chance(random, 50) ? "x" : "y", 10 * (1 + sim_draw(random, 60)));
    if (status == STF_OK && sim_chance(random, 50)) {
        status = stf_buf_printf(&json, ", \"old\": \"%0400u\"", sim_draw(random, 1000));
    }
    if (status != STF_OK || stf_buf_append_str(&json, stf_str_of("}")) != STF_OK ||
        stf_value_parse_json(NULL, stf_buf_str(&json), &plan->variables, NULL) != STF_OK) {
        abort();
    }
    stf_buf_done(&json);
}

/* One place for all lives of the plan, so that the file is read once. */
static void deploy_place(sim_plan *plan)
{
    stf_repository *repository = NULL;
    if (stf_memory_new(NULL, &plan->definitions, NULL) != STF_OK ||
        stf_memory_open_repository(plan->definitions, &repository, NULL) != STF_OK ||
        stf_repository_register_group(repository, NULL, stf_str_of("g"), NULL) != STF_OK) {
        abort();
    }
    stf_repository_close(repository);
}

void sim_plan_init(sim_plan *plan, uint64_t seed, uint32_t salt)
{
    sim_random random = {sim_mix(seed, salt)};
    *plan = (sim_plan){.seed = seed, .salt = salt};
    stf_buf_init(&plan->text, NULL);
    draw_settings(plan, &random);
    draw_variables(plan, &random);
    sim_process_generate(plan, &random);
    deploy_place(plan);
}

void sim_plan_done(sim_plan *plan)
{
    stf_buf_done(&plan->text);
    stf_value_unref(plan->variables);
    stf_memory_unref(plan->definitions);
}
