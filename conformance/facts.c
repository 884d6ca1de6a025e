/* SPDX-License-Identifier: Apache-2.0 */
/* Cases of what a store says about itself: describe, cluster, clock, schema. */
#include "harness.h"

static void describe(stf__conf *t)
{
    stf_repository_facts facts = STF_REPOSITORY_FACTS_INIT;
    EXPECT_OK(t, stf_repository_describe(t->repo, NULL, &facts, stf__conf_error(t)));
    EXPECT(t, facts.name[0] != '\0' && memchr(facts.name, '\0', sizeof(facts.name)) != NULL,
           "no name");
    EXPECT(t,
           facts.durability[0] != '\0' &&
               memchr(facts.durability, '\0', sizeof(facts.durability)) != NULL,
           "no word about durability");
    EXPECT(t, facts.payload_bytes >= (uint64_t)2 * 1024 * 1024, "payloads of %llu bytes at most",
           (unsigned long long)facts.payload_bytes);
    EXPECT(t, facts.payload_bytes <= STF_LIMIT_PAYLOAD_BYTES, "more than the port lets through");
}

static void cluster(stf__conf *t)
{
    bool is_compatible[2] = {false, true};
    const char *reasons[2] = {NULL, NULL};
    for (size_t i = 0; i < 2; i++) {
        EXPECT_OK(t, stf_repository_is_cluster_compatible(t->repo, &is_compatible[i], &reasons[i],
                                                          stf__conf_error(t)));
    }
    EXPECT(t, reasons[0] != NULL && reasons[0][0] != '\0', "no reason");
    EXPECT(t, is_compatible[0] == is_compatible[1] && strcmp(reasons[0], reasons[1]) == 0,
           "two answers to one question");
}

static void clock_of_store(stf__conf *t)
{
    stf_wall now = stf_wall_none();
    EXPECT_OK(t, stf_repository_now(t->repo, NULL, &now, stf__conf_error(t)));
    EXPECT(t, now.us == stf__conf_now(t).us, "the injected clock is not used");
    stf__conf_advance(t, 5);
    EXPECT_OK(t, stf_repository_now(t->repo, NULL, &now, stf__conf_error(t)));
    EXPECT(t, now.us == stf__conf_now(t).us, "the clock stands still");
}

static void migrate(stf__conf *t)
{
    const stf_record *record = NULL;
    STEP(t, stf__conf_create(t, "a", "g", STF_RECORD_ACTIVE, NULL, stf_wall_none()));
    for (int i = 0; i < 2; i++) {
        EXPECT_OK(t, stf_repository_migrate(t->repo, NULL, stf__conf_error(t)));
        EXPECT_OK(t, stf_repository_check_schema(t->repo, NULL, stf__conf_error(t)));
    }
    STEP(t, stf__conf_must_load(t, "a", &record));
    EXPECT(t, stf__conf_is_bytes(record->head, "head"), "the migration changed a record");
}

static const stf__conf_case cases[] = {
    {"facts.describe", "a store has a name, a word about durability and a largest payload", NULL, 0,
     describe},
    {"facts.cluster", "a store says whether nodes may share it, and why", STF_REPOSITORY_CLUSTER, 0,
     cluster},
    {"facts.clock", "the store's clock is the injected one", STF_REPOSITORY_CLOCK, 0,
     clock_of_store},
    {"facts.migrate", "migrating again changes nothing", STF_REPOSITORY_MIGRATOR, 0, migrate},
};

STF__CONF_FAMILY(facts, cases);
