/* SPDX-License-Identifier: Apache-2.0 */
/* Cases of tenants: what "" becomes, and that records load with the concrete one. */
#include "harness.h"

static void expect_resolves(stf__conf *t, const char *group, const char *tenant,
                            const char *expected)
{
    stf_buf buf;
    stf_buf_init(&buf, NULL);
    stf_status status = stf_repository_resolve_tenant(t->repo, NULL, stf_str_of(group),
                                                      stf_str_of(tenant), &buf, stf__conf_error(t));
    bool is_expected = stf_str_equal(stf_buf_str(&buf), stf_str_of(expected));
    stf_buf_done(&buf);
    EXPECT_OK(t, status);
    EXPECT(t, is_expected, "\"%s\" of the group \"%s\" is not \"%s\"", tenant, group, expected);
}

static void expect_tenant(stf__conf *t, const char *id, const char *expected)
{
    const stf_record *record = NULL;
    STEP(t, stf__conf_must_load(t, id, &record));
    EXPECT(t, stf_str_equal(record->tenant, stf_str_of(expected)), "%s: \"%.*s\" instead of \"%s\"",
           id, (int)record->tenant.size, record->tenant.size != 0 ? record->tenant.data : "",
           expected);
}

static void default_by_save(stf__conf *t)
{
    STEP(t, stf__conf_create(t, "a", "g", STF_RECORD_ACTIVE, NULL, stf_wall_none()));
    STEP(t, expect_tenant(t, "a", "default"));
    STEP(t, expect_resolves(t, "g", "", "default"));
}

static void default_by_resolve(stf__conf *t)
{
    STEP(t, expect_resolves(t, "g", "", "default"));
    STEP(t, expect_resolves(t, "g", "", "default"));
    STEP(t, expect_resolves(t, "h", "", "default"));
    STEP(t, stf__conf_create(t, "a", "g", STF_RECORD_ACTIVE, NULL, stf_wall_none()));
    STEP(t, expect_tenant(t, "a", "default"));
}

/* The name may have been taken by hand before it is needed. */
static void default_taken(stf__conf *t)
{
    STEP(t, expect_resolves(t, "g", "default", "default"));
    STEP(t, expect_resolves(t, "g", "", "default"));
    STEP(t, stf__conf_create(t, "a", "g", STF_RECORD_ACTIVE, NULL, stf_wall_none()));
    STEP(t, expect_tenant(t, "a", "default"));
}

static void unknown(stf__conf *t)
{
    stf__conf_draft draft;
    STEP(t, expect_resolves(t, "g", "acme", "acme"));
    STEP(t, expect_resolves(t, "g", "acme", "acme"));
    stf__conf_draft_init(t, &draft, "a");
    draft.record.tenant = stf_str_of("\xc3\x84rzte & Co");
    STEP(t, stf__conf_save(t, &draft));
    STEP(t, expect_tenant(t, "a", "\xc3\x84rzte & Co"));
    /* Neither of them became the default. */
    STEP(t, expect_resolves(t, "g", "", "default"));
}

static void kept_on_update(stf__conf *t)
{
    stf__conf_draft draft;
    stf__conf_draft_init(t, &draft, "a");
    draft.record.tenant = stf_str_of("acme");
    STEP(t, stf__conf_save(t, &draft));
    stf__conf_draft_next(t, &draft);
    draft.record.tenant = stf_str_of("");
    STEP(t, stf__conf_save(t, &draft));
    STEP(t, expect_tenant(t, "a", "acme"));
}

/* resolve_tenant appends, and leaves the buffer alone when it fails. */
static void appends(stf__conf *t)
{
    stf_buf buf;
    stf_buf_init(&buf, NULL);
    stf_status status = stf_buf_append_str(&buf, stf_str_of("tenant="));
    if (status == STF_OK) {
        status = stf_repository_resolve_tenant(t->repo, NULL, stf_str_of("g"), stf_str_of("acme"),
                                               &buf, stf__conf_error(t));
    }
    bool is_appended = stf_str_equal(stf_buf_str(&buf), stf_str_of("tenant=acme"));
    stf_status refused = stf_repository_resolve_tenant(
        t->repo, NULL, stf_str_of("nobody"), stf_str_of("acme"), &buf, stf__conf_error(t));
    bool is_kept = stf_str_equal(stf_buf_str(&buf), stf_str_of("tenant=acme"));
    stf_buf_done(&buf);
    EXPECT_OK(t, status);
    EXPECT(t, is_appended, "the tenant was not appended");
    EXPECT_STATUS(t, refused, STF_NOT_FOUND);
    EXPECT(t, is_kept, "a refused call changed the buffer");
}

static void refusals(stf__conf *t)
{
    stf_buf buf;
    stf_buf_init(&buf, NULL);
    stf_status empty = stf_repository_resolve_tenant(t->repo, NULL, stf_str_of(""),
                                                     stf_str_of("acme"), &buf, stf__conf_error(t));
    stf_status over = stf_repository_resolve_tenant(
        t->repo, NULL, stf_str_of("g"), stf__conf_long_text(t, "", STF_LIMIT_ID_BYTES + 1), &buf,
        stf__conf_error(t));
    stf_buf_done(&buf);
    EXPECT_STATUS(t, empty, STF_EMPTY_NOT_ALLOWED);
    EXPECT_STATUS(t, over, STF_LIMIT_EXCEEDED);
}

static const stf__conf_case cases[] = {
    {"tenants.default-by-save", "\"\" on create becomes the group's default", NULL, 0,
     default_by_save},
    {"tenants.default-by-resolve", "the default is made on first use, as \"default\", once", NULL,
     0, default_by_resolve},
    {"tenants.default-taken", "a tenant of that name becomes the default when one is needed", NULL,
     0, default_taken},
    {"tenants.unknown", "an unknown tenant is registered on first use and is no default", NULL, 0,
     unknown},
    {"tenants.kept-on-update",
     "\"\" on update keeps the tenant; records load with the concrete one", NULL, 0,
     kept_on_update},
    {"tenants.appends", "resolving appends to the buffer, and only on success", NULL, 0, appends},
    {"tenants.refusals", "an empty group and too long names are refused", NULL, 0, refusals},
};

STF__CONF_FAMILY(tenants, cases);
