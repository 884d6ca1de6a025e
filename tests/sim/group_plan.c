/* SPDX-License-Identifier: Apache-2.0 */
/* What a seed stands for in the simulation of a group. */
#include <stdlib.h>

#include "sim/group.h"

static void draw_settings(group_plan *plan, sim_random *random)
{
    plan->is_idempotent = sim_chance(random, 55);
    plan->has_wake = sim_chance(random, 85);
    plan->has_store_clock = sim_chance(random, 50);
    plan->has_batch = sim_chance(random, 80);
    plan->engines = plan->has_wake ? GROUP_ENGINES : 1;
    plan->roots = sim_chance(random, 60) ? GROUP_ROOTS : 1;
    plan->steps = 4 + sim_draw(random, GROUP_STEPS_MAX - 3);
    plan->step_budget = sim_chance(random, 15) ? 3 + sim_draw(random, 6) : 0;
    if (plan->is_idempotent && sim_chance(random, 30)) {
        plan->retry = (stf_retry_policy){.retries = 1, .first_us = SIM_MINUTES(60 * 15)};
    }
}

/* One place for all lives of the plan, so that the file is read once. */
static void deploy_place(group_plan *plan)
{
    stf_repository *repository = NULL;
    if (stf_memory_new(NULL, &plan->definitions, NULL) != STF_OK ||
        stf_memory_open_repository(plan->definitions, &repository, NULL) != STF_OK ||
        stf_repository_register_group(repository, NULL, stf_str_of("g"), NULL) != STF_OK) {
        abort();
    }
    stf_repository_close(repository);
}

void group_plan_init(group_plan *plan, uint64_t seed, uint32_t salt)
{
    sim_random random = {sim_mix(seed ^ UINT64_C(0x67726f7570), salt)};
    *plan = (group_plan){.seed = seed, .salt = salt};
    stf_buf_init(&plan->text, NULL);
    draw_settings(plan, &random);
    group_process_write(plan, &random);
    deploy_place(plan);
}

void group_plan_done(group_plan *plan)
{
    stf_buf_done(&plan->text);
    stf_memory_unref(plan->definitions);
}
