/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the cases: a fresh store for each, everything closed behind it. */
#include "harness.h"

#include <stdio.h>

/* In the order of the report. */
static const stf__conf_family *const families[] = {
    &stf__conf_family_facts,       &stf__conf_family_groups,     &stf__conf_family_tenants,
    &stf__conf_family_save,        &stf__conf_family_refusals,   &stf__conf_family_load,
    &stf__conf_family_payload,     &stf__conf_family_delete,     &stf__conf_family_listing,
    &stf__conf_family_batch,       &stf__conf_family_wake,       &stf__conf_family_waiting,
    &stf__conf_family_catalog,     &stf__conf_family_journal,    &stf__conf_family_liveness,
    &stf__conf_family_definitions, &stf__conf_family_fencing,    &stf__conf_family_settlement,
    &stf__conf_family_races,       &stf__conf_family_durability,
};

#define FAMILY_COUNT (sizeof(families) / sizeof(families[0]))

size_t stf_conformance_case_count(void)
{
    size_t count = 0;
    for (size_t i = 0; i < FAMILY_COUNT; i++) {
        count += families[i]->count;
    }
    return count;
}

static stf_wall read_wall(void *user)
{
    return stf__conf_now(user);
}

/* Both clocks go by the same hand. */
static stf_mono read_mono(void *user)
{
    return (stf_mono){stf__conf_now(user).us - STF__CONF_START_US};
}

static void start(stf__conf *t, const stf_conformance_factory *factory,
                  const stf_conformance_options *options, uint64_t number)
{
    memset(t, 0, sizeof(*t));
    t->factory = factory;
    t->clock = (stf_clock){.struct_size = sizeof(t->clock),
                           .abi = STF_CLOCK_ABI,
                           .user = t,
                           .wall = read_wall,
                           .mono = read_mono};
    atomic_init(&t->now_us, STF__CONF_START_US);
    t->random = (options != NULL ? options->seed : 0) + number * UINT64_C(0x9e3779b97f4a7c15);
    t->race_saves = options != NULL && options->race_saves != 0 ? options->race_saves : 10000;
    stf_error_init(&t->error);
}

static void skip(stf__conf *t, const char *reason)
{
    t->is_skipped = true;
    (void)snprintf(t->reason, sizeof(t->reason), "%s", reason);
}

/* Opens what the case needs; false: the factory failed. */
static bool open_stores(stf__conf *t, const stf__conf_case *row)
{
    const stf_conformance_factory *factory = t->factory;
    if (factory->fresh(factory->user, &t->clock, &t->repo, stf__conf_error(t)) != STF_OK) {
        return false;
    }
    if (row->capability != NULL && !stf_repository_has(t->repo, row->capability)) {
        char reason[128];
        (void)snprintf(reason, sizeof(reason), "the store has no capability %s", row->capability);
        skip(t, reason);
        return true;
    }
    if ((row->flags & STF__CONF_DEFINITIONS) == 0) {
        return true;
    }
    if (factory->definitions == NULL) {
        skip(t, "there is no definition store beside it");
        return true;
    }
    return factory->definitions(factory->user, &t->clock, &t->definitions, stf__conf_error(t)) ==
           STF_OK;
}

static void register_groups(stf__conf *t)
{
    EXPECT_OK(t, stf_repository_register_group(t->repo, NULL, stf_str_of("g"), stf__conf_error(t)));
    EXPECT_OK(t, stf_repository_register_group(t->repo, NULL, stf_str_of("h"), stf__conf_error(t)));
}

static void finish(stf__conf *t)
{
    t->definitions = stf_definition_store_close(t->definitions);
    t->second = stf_repository_close(t->second);
    t->repo = stf_repository_close(t->repo);
    t->factory->destroy(t->factory->user);
    stf__conf_free_memory(t);
}

static stf_conformance_outcome run_case(stf__conf *t, const stf__conf_case *row,
                                        bool *ret_factory_failed)
{
    *ret_factory_failed = !open_stores(t, row);
    if (*ret_factory_failed) {
        stf__conf_fail(t, __FILE__, __LINE__, "the factory failed: %s", t->error.message);
    }
    if (!t->has_failed && !t->is_skipped && (row->flags & STF__CONF_BARE) == 0) {
        register_groups(t);
    }
    if (!t->has_failed && !t->is_skipped) {
        row->run(t);
    }
    finish(t);
    if (t->has_failed) {
        return STF_CONFORMANCE_FAILED;
    }
    return t->is_skipped ? STF_CONFORMANCE_SKIPPED : STF_CONFORMANCE_OK;
}

typedef struct totals {
    size_t run;
    size_t failed;
    bool has_factory_failed;
    const char *first_failed;
} totals;

static void run_and_report(const stf_conformance_factory *factory,
                           const stf_conformance_options *options, const stf__conf_case *row,
                           uint32_t number, stf_conformance_reporter reporter, void *user,
                           totals *sums)
{
    stf__conf t;
    start(&t, factory, options, number);
    stf_conformance_outcome outcome = run_case(&t, row, &sums->has_factory_failed);
    sums->run++;
    if (outcome == STF_CONFORMANCE_FAILED && sums->failed++ == 0) {
        sums->first_failed = row->id;
    }
    if (reporter != NULL) {
        stf_conformance_result result = {.id = row->id,
                                         .contract = row->contract,
                                         .reason = outcome == STF_CONFORMANCE_OK ? "" : t.reason,
                                         .outcome = outcome,
                                         .number = number};
        reporter(user, &result);
    }
}

static bool is_factory(const stf_conformance_factory *factory)
{
    return factory != NULL && factory->struct_size >= sizeof(*factory) &&
           factory->abi == STF_CONFORMANCE_ABI && factory->fresh != NULL &&
           factory->second_handle != NULL && factory->reopen != NULL && factory->destroy != NULL;
}

static bool are_options(const stf_conformance_options *options)
{
    return options == NULL ||
           (options->struct_size >= sizeof(*options) && options->abi == STF_CONFORMANCE_ABI);
}

static stf_status verdict(const totals *sums, const char *only, stf_error *error)
{
    if (sums->has_factory_failed) {
        return stf_error_set(error, STF_CALLBACK, "CONFORMANCE", "the factory failed in case %s",
                             sums->first_failed);
    }
    if (sums->failed != 0) {
        return stf_error_set(error, STF_INTERNAL, "CONFORMANCE",
                             "%zu of %zu cases failed, first %s", sums->failed, sums->run,
                             sums->first_failed);
    }
    if (sums->run == 0) {
        return stf_error_set(error, STF_NOT_FOUND, "CONFORMANCE", "there is no case \"%s\"",
                             only != NULL ? only : "");
    }
    return STF_OK;
}

stf_status stf_conformance_run(const stf_conformance_factory *factory,
                               const stf_conformance_options *options,
                               stf_conformance_reporter reporter, void *user, stf_error *error)
{
    if (!is_factory(factory) || !are_options(options)) {
        return stf_error_set(error, STF_INVALID_ARGUMENT, "CONFORMANCE",
                             "the factory or the options are missing or malformed");
    }
    const char *only = options != NULL ? options->only : NULL;
    totals sums = {0};
    uint32_t number = 0;
    for (size_t i = 0; i < FAMILY_COUNT; i++) {
        for (size_t k = 0; k < families[i]->count; k++) {
            const stf__conf_case *row = &families[i]->cases[k];
            number++;
            if ((only == NULL || strcmp(only, row->id) == 0) && !sums.has_factory_failed) {
                run_and_report(factory, options, row, number, reporter, user, &sums);
            }
        }
    }
    return verdict(&sums, only, error);
}
