/* SPDX-License-Identifier: Apache-2.0 */
/* Cases of what is there after the store was closed and opened again. Skipped where nothing
 * survives; a store that says it is durable may not skip them. */
#include "harness.h"

static void reopen(stf__conf *t)
{
    stf_repository_facts facts = STF_REPOSITORY_FACTS_INIT;
    EXPECT_OK(t, stf_repository_describe(t->repo, NULL, &facts, stf__conf_error(t)));
    stf__conf_reopen(t);
    if (t->is_skipped && (facts.flags & STF_REPOSITORY_DURABLE) != 0) {
        t->is_skipped = false;
        EXPECT(t, false, "a store that says it is durable cannot be opened again");
    }
}

static void records(stf__conf *t)
{
    stf__conf_draft draft;
    const stf_record *before = NULL;
    const stf_record *after = NULL;
    stf__conf_draft_init(t, &draft, "a");
    draft.record.tenant = stf_str_of("acme");
    draft.record.bulk = stf__conf_bytes("bulk");
    draft.record.due = stf__conf_after(t, 1234567);
    draft.record.label_key = stf_str_of("order");
    draft.record.label_version = 3;
    stf__conf_set_lease(&draft, "engine-1", 7, stf__conf_after(t, 7654321));
    stf__conf_add_wait(&draft, STF_WAIT_TASK, "approve", stf__conf_after(t, -1));
    STEP(t, stf__conf_save(t, &draft));
    STEP(t, stf__conf_must_load(t, "a", &before));
    STEP(t, reopen(t));
    STEP(t, stf__conf_must_load(t, "a", &after));
    STEP(t, stf__conf_expect_same(t, after, before));
    EXPECT(t, after->created.us == before->created.us && after->updated.us == before->updated.us,
           "the store's times");
    stf__conf_draft_next(t, &draft);
    STEP(t, stf__conf_save(t, &draft));
}

static void unchanged_parts(stf__conf *t)
{
    stf__conf_draft draft;
    const stf_record *record = NULL;
    stf__conf_draft_init(t, &draft, "a");
    draft.record.head = stf__conf_bytes("head 1");
    draft.record.bulk = stf__conf_bytes("bulk 1");
    STEP(t, stf__conf_save(t, &draft));
    STEP(t, reopen(t));
    stf__conf_draft_next(t, &draft);
    draft.save.flags |= STF_SAVE_KEEP_BULK;
    draft.record.head = stf__conf_bytes("head 2");
    draft.record.bulk = (stf_bytes){NULL, 0};
    STEP(t, stf__conf_save(t, &draft));
    stf__conf_draft_next(t, &draft);
    draft.save.flags |= STF_SAVE_KEEP_HEAD | STF_SAVE_KEEP_BULK;
    STEP(t, stf__conf_save(t, &draft));
    STEP(t, reopen(t));
    STEP(t, stf__conf_must_load(t, "a", &record));
    EXPECT(t, stf__conf_is_bytes(record->head, "head 2"), "the head");
    EXPECT(t, stf__conf_is_bytes(record->bulk, "bulk 1"), "the bulk");
    EXPECT(t, record->rec_version == 3, "version %lld", (long long)record->rec_version);
}

static void deletes(stf__conf *t)
{
    STEP(t, stf__conf_create(t, "a", "g", STF_RECORD_ACTIVE, NULL, stf_wall_none()));
    STEP(t, stf__conf_create(t, "b", "g", STF_RECORD_ACTIVE, NULL, stf_wall_none()));
    stf_delete gone = {.struct_size = sizeof(gone),
                       .abi = STF_DELETE_ABI,
                       .id = stf_str_of("a"),
                       .expected_version = 1};
    EXPECT_OK(t, stf_repository_delete(t->repo, NULL, &gone, stf__conf_error(t)));
    STEP(t, reopen(t));
    STEP(t, stf__conf_expect_absent(t, "a"));
    STEP(t, stf__conf_expect_in_flight(t, "g", stf__conf_now(t), "b"));
}

static void registries(stf__conf *t)
{
    bool exists = false;
    STEP(t, stf__conf_create(t, "a", "g", STF_RECORD_ACTIVE, NULL, stf_wall_none()));
    STEP(t, reopen(t));
    EXPECT_OK(t, stf_repository_group_exists(t->repo, NULL, stf_str_of("h"), &exists,
                                             stf__conf_error(t)));
    EXPECT(t, exists, "the group is gone");
    stf_buf tenant;
    stf_buf_init(&tenant, NULL);
    stf_status status = stf_repository_resolve_tenant(t->repo, NULL, stf_str_of("g"),
                                                      stf_str_of(""), &tenant, stf__conf_error(t));
    bool is_default = stf_str_equal(stf_buf_str(&tenant), stf_str_of("default"));
    stf_buf_done(&tenant);
    EXPECT_OK(t, status);
    EXPECT(t, is_default, "the default tenant is another one");
}

static stf_status visit_definition(void *user, const stf_definition *definition, stf_error *error)
{
    (void)error;
    *(bool *)user = definition->version == 1 && stf__conf_is_bytes(definition->file, "file");
    return STF_OK;
}

static void definitions(stf__conf *t)
{
    stf_definition definition = {
        .group = stf_str_of("g"), .key = stf_str_of("order"), .file = stf__conf_bytes("file")};
    int64_t version = 0;
    bool is_new = false;
    bool is_found = false;
    bool is_same = false;
    EXPECT_OK(t, stf_definition_store_put(t->definitions, NULL, &definition, &version, &is_new,
                                          stf__conf_error(t)));
    STEP(t, reopen(t));
    EXPECT_OK(t, stf_definition_store_get(t->definitions, NULL, stf_str_of("g"), stf_str_of(""),
                                          stf_str_of("order"), 0, visit_definition, &is_same,
                                          &is_found, stf__conf_error(t)));
    EXPECT(t, is_found && is_same, "the definition did not survive");
}

static const stf__conf_case cases[] = {
    {"durability.records", "every field survives a reopen", NULL, 0, records},
    {"durability.unchanged-parts", "unchanged parts survive a reopen", NULL, 0, unchanged_parts},
    {"durability.deletes", "what was deleted stays deleted", NULL, 0, deletes},
    {"durability.registries", "groups and tenants survive a reopen", NULL, 0, registries},
    {"durability.definitions", "definitions survive a reopen", NULL, STF__CONF_DEFINITIONS,
     definitions},
};

STF__CONF_FAMILY(durability, cases);
