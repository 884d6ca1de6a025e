/* SPDX-License-Identifier: Apache-2.0 */
/* Cases of the group registry. */
#include "harness.h"

static void expect_exists(stf__conf *t, stf_repository *repo, const char *group, bool expected)
{
    bool exists = !expected;
    EXPECT_OK(
        t, stf_repository_group_exists(repo, NULL, stf_str_of(group), &exists, stf__conf_error(t)));
    EXPECT(t, exists == expected, "the group \"%s\" %s", group,
           exists ? "exists" : "does not exist");
}

static stf_status register_group(stf__conf *t, const char *group)
{
    return stf_repository_register_group(t->repo, NULL, stf_str_of(group), stf__conf_error(t));
}

static void exists_before_and_after(stf__conf *t)
{
    STEP(t, expect_exists(t, t->repo, "team", false));
    EXPECT_OK(t, register_group(t, "team"));
    STEP(t, expect_exists(t, t->repo, "team", true));
    STEP(t, expect_exists(t, t->repo, "other", false));
}

static void idempotent(stf__conf *t)
{
    EXPECT_OK(t, register_group(t, "team"));
    stf__conf_draft draft;
    stf__conf_draft_init(t, &draft, "a");
    draft.record.group = stf_str_of("team");
    STEP(t, stf__conf_save(t, &draft));
    EXPECT_OK(t, register_group(t, "team"));
    EXPECT_OK(t, register_group(t, "team"));
    STEP(t, expect_exists(t, t->repo, "team", true));
    const stf_record *record = NULL;
    STEP(t, stf__conf_must_load(t, "a", &record));
    STEP(t, stf__conf_expect_in_flight(t, "team", stf__conf_now(t), "a"));
}

static void by_bytes(stf__conf *t)
{
    EXPECT_OK(t, register_group(t, "team"));
    EXPECT_OK(t, register_group(t, "\xc3\xa4"));
    STEP(t, expect_exists(t, t->repo, "Team", false));
    STEP(t, expect_exists(t, t->repo, "team ", false));
    STEP(t, expect_exists(t, t->repo, "tea", false));
    STEP(t, expect_exists(t, t->repo, "a\xcc\x88", false));
    STEP(t, expect_exists(t, t->repo, "\xc3\xa4", true));
}

static void refusals(stf__conf *t)
{
    bool exists = false;
    EXPECT_STATUS(t, register_group(t, ""), STF_EMPTY_NOT_ALLOWED);
    EXPECT_STATUS(
        t, stf_repository_group_exists(t->repo, NULL, stf_str_of(""), &exists, stf__conf_error(t)),
        STF_EMPTY_NOT_ALLOWED);
    stf_str over = stf__conf_long_text(t, "", STF_LIMIT_ID_BYTES + 1);
    EXPECT_STATUS(t, stf_repository_register_group(t->repo, NULL, over, stf__conf_error(t)),
                  STF_LIMIT_EXCEEDED);
    EXPECT_STATUS(
        t, stf_repository_register_group(t->repo, NULL, (stf_str){"\xff", 1}, stf__conf_error(t)),
        STF_INVALID_ARGUMENT);
}

static void second_handle(stf__conf *t)
{
    STEP(t, stf__conf_open_second(t));
    EXPECT_OK(t, register_group(t, "team"));
    STEP(t, expect_exists(t, t->second, "team", true));
}

static const stf__conf_case cases[] = {
    {"groups.exists-before-and-after", "a group exists from its registration on", NULL,
     STF__CONF_BARE, exists_before_and_after},
    {"groups.idempotent", "registering again changes nothing", NULL, STF__CONF_BARE, idempotent},
    {"groups.by-bytes", "groups differ when their bytes differ", NULL, STF__CONF_BARE, by_bytes},
    {"groups.refusals", "empty, too long and malformed names are refused", NULL, STF__CONF_BARE,
     refusals},
    {"groups.second-handle", "another handle sees the registration", NULL, STF__CONF_BARE,
     second_handle},
};

STF__CONF_FAMILY(groups, cases);
