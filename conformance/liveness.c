/* SPDX-License-Identifier: Apache-2.0 */
/* Cases of the liveness capability: proof of death, and never a false one. */
#include "harness.h"

static stf_status hold(stf__conf *t, stf_repository *repo, const char *owner)
{
    return stf_repository_hold_owner(repo, NULL, stf_str_of(owner), stf__conf_error(t));
}

static void expect_dead(stf__conf *t, stf_repository *repo, const char *owner, bool expected)
{
    bool is_dead = !expected;
    EXPECT_OK(t, stf_repository_owner_is_dead(repo, NULL, stf_str_of(owner), &is_dead,
                                              stf__conf_error(t)));
    EXPECT(t, is_dead == expected, "\"%s\" is %s", owner, is_dead ? "dead" : "not dead");
}

static void held_and_released(stf__conf *t)
{
    STEP(t, stf__conf_open_second(t));
    EXPECT_OK(t, hold(t, t->repo, "engine-1#a"));
    EXPECT_OK(t, hold(t, t->second, "engine-2#b"));
    STEP(t, expect_dead(t, t->second, "engine-1#a", false));
    STEP(t, expect_dead(t, t->repo, "engine-1#a", false));
    STEP(t, expect_dead(t, t->repo, "engine-2#b", false));
    stf_repository_release_owner(t->repo, stf_str_of("engine-1#a"));
    STEP(t, expect_dead(t, t->second, "engine-1#a", true));
    STEP(t, expect_dead(t, t->repo, "engine-2#b", false));
}

static void closed(stf__conf *t)
{
    STEP(t, stf__conf_open_second(t));
    EXPECT_OK(t, hold(t, t->second, "engine-2#b"));
    STEP(t, expect_dead(t, t->repo, "engine-2#b", false));
    t->second = stf_repository_close(t->second);
    STEP(t, expect_dead(t, t->repo, "engine-2#b", true));
}

static void held_twice(stf__conf *t)
{
    STEP(t, stf__conf_open_second(t));
    EXPECT_OK(t, hold(t, t->repo, "engine-1#a"));
    EXPECT_STATUS(t, hold(t, t->second, "engine-1#a"), STF_ALREADY_EXISTS);
    STEP(t, expect_dead(t, t->second, "engine-1#a", false));
    stf_repository_release_owner(t->repo, stf_str_of("engine-1#a"));
    EXPECT_OK(t, hold(t, t->second, "engine-1#a"));
    STEP(t, expect_dead(t, t->repo, "engine-1#a", false));
}

static void list_owners(stf__conf *t)
{
    stf__conf_page page;
    STEP(t, stf__conf_create(t, "a", "g", STF_RECORD_ACTIVE, "y", stf__conf_after(t, 1)));
    STEP(t, stf__conf_create(t, "b", "g", STF_RECORD_SUSPENDED, "X", stf__conf_after(t, -1)));
    STEP(t, stf__conf_create(t, "c", "g", STF_RECORD_ACTIVE, "y", stf__conf_after(t, 1)));
    STEP(t, stf__conf_create(t, "d", "g", STF_RECORD_COMPLETED, "ended", stf__conf_after(t, 1)));
    STEP(t, stf__conf_create(t, "e", "h", STF_RECORD_ACTIVE, "other", stf__conf_after(t, 1)));
    STEP(t, stf__conf_create(t, "f", "g", STF_RECORD_ACTIVE, NULL, stf_wall_none()));
    stf__conf_page_init(t, &page);
    EXPECT_OK(t, stf_repository_list_owners(t->repo, NULL, stf_str_of("g"), stf__conf_visit_id,
                                            &page, stf__conf_error(t)));
    STEP(t, stf__conf_expect_ids(t, &page, "X y"));
}

static void refusals(stf__conf *t)
{
    bool is_dead = false;
    EXPECT_STATUS(t, hold(t, t->repo, ""), STF_EMPTY_NOT_ALLOWED);
    EXPECT_STATUS(
        t,
        stf_repository_owner_is_dead(t->repo, NULL, stf_str_of(""), &is_dead, stf__conf_error(t)),
        STF_EMPTY_NOT_ALLOWED);
}

static const stf__conf_case cases[] = {
    {"liveness.held-and-released", "a held owner is not dead, a released one is",
     STF_REPOSITORY_LIVENESS, 0, held_and_released},
    {"liveness.closed", "the close of a handle releases its owners", STF_REPOSITORY_LIVENESS, 0,
     closed},
    {"liveness.held-twice", "an owner is held once at a time", STF_REPOSITORY_LIVENESS, 0,
     held_twice},
    {"liveness.list-owners", "the distinct owners of what has not ended, by bytes",
     STF_REPOSITORY_LIVENESS, 0, list_owners},
    {"liveness.refusals", "an empty owner is refused", STF_REPOSITORY_LIVENESS, 0, refusals},
};

STF__CONF_FAMILY(liveness, cases);
