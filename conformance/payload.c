/* SPDX-License-Identifier: Apache-2.0 */
/* Cases of the payload: two parts, unchanged parts, isolation, sizes. */
#include "harness.h"

#define MEBIBYTE ((size_t)1024 * 1024)

static void expect_parts(stf__conf *t, const char *id, const char *head, const char *bulk)
{
    const stf_record *record = NULL;
    STEP(t, stf__conf_must_load(t, id, &record));
    EXPECT(t, stf__conf_is_bytes(record->head, head), "the head is not \"%s\"", head);
    EXPECT(t, stf__conf_is_bytes(record->bulk, bulk), "the bulk is not \"%s\"", bulk);
}

static void empty(stf__conf *t)
{
    stf__conf_draft draft;
    stf__conf_draft_init(t, &draft, "a");
    draft.record.head = (stf_bytes){NULL, 0};
    STEP(t, stf__conf_save(t, &draft));
    STEP(t, expect_parts(t, "a", "", ""));
    stf__conf_draft_next(t, &draft);
    draft.record.head = stf__conf_bytes("h");
    draft.record.bulk = stf__conf_bytes("b");
    STEP(t, stf__conf_save(t, &draft));
    stf__conf_draft_next(t, &draft);
    draft.record.head = draft.record.bulk = (stf_bytes){NULL, 0};
    STEP(t, stf__conf_save(t, &draft));
    STEP(t, expect_parts(t, "a", "", ""));
}

/* Every byte value, NUL among them. */
static void any_bytes(stf__conf *t)
{
    uint8_t bytes[512];
    for (size_t i = 0; i < sizeof(bytes); i++) {
        bytes[i] = (uint8_t)i;
    }
    stf__conf_draft draft;
    const stf_record *record = NULL;
    stf__conf_draft_init(t, &draft, "a");
    draft.record.head = (stf_bytes){bytes, 256};
    draft.record.bulk = (stf_bytes){bytes, 512};
    STEP(t, stf__conf_save(t, &draft));
    STEP(t, stf__conf_must_load(t, "a", &record));
    EXPECT(t, record->head.size == 256 && memcmp(record->head.data, bytes, 256) == 0, "head");
    EXPECT(t, record->bulk.size == 512 && memcmp(record->bulk.data, bytes, 512) == 0, "bulk");
}

static uint8_t *random_bytes(stf__conf *t, size_t size)
{
    uint8_t *bytes = stf__conf_memory(t, size);
    for (size_t i = 0; bytes != NULL && i < size; i++) {
        bytes[i] = (uint8_t)(stf__conf_draw(t) & 0xff);
    }
    return bytes;
}

static void one_mebibyte(stf__conf *t)
{
    uint8_t *bytes = random_bytes(t, 2 * MEBIBYTE);
    EXPECT(t, bytes != NULL, "memory");
    stf__conf_draft draft;
    const stf_record *record = NULL;
    stf__conf_draft_init(t, &draft, "a");
    draft.record.head = (stf_bytes){bytes, MEBIBYTE};
    draft.record.bulk = (stf_bytes){bytes + MEBIBYTE, MEBIBYTE};
    STEP(t, stf__conf_save(t, &draft));
    STEP(t, stf__conf_must_load(t, "a", &record));
    EXPECT(t, record->head.size == MEBIBYTE && memcmp(record->head.data, bytes, MEBIBYTE) == 0,
           "head");
    EXPECT(t,
           record->bulk.size == MEBIBYTE &&
               memcmp(record->bulk.data, bytes + MEBIBYTE, MEBIBYTE) == 0,
           "bulk");
    /* A small head over the large one, the large bulk unchanged. */
    stf__conf_draft_next(t, &draft);
    draft.save.flags |= STF_SAVE_KEEP_BULK;
    draft.record.head = stf__conf_bytes("small");
    draft.record.bulk = (stf_bytes){NULL, 0};
    STEP(t, stf__conf_save(t, &draft));
    STEP(t, stf__conf_must_load(t, "a", &record));
    EXPECT(t, stf__conf_is_bytes(record->head, "small"), "head after the update");
    EXPECT(t,
           record->bulk.size == MEBIBYTE &&
               memcmp(record->bulk.data, bytes + MEBIBYTE, MEBIBYTE) == 0,
           "bulk after the update");
}

static void create_with_parts(stf__conf *t, stf__conf_draft *draft)
{
    stf__conf_draft_init(t, draft, "a");
    draft->record.head = stf__conf_bytes("head 1");
    draft->record.bulk = stf__conf_bytes("bulk 1");
    STEP(t, stf__conf_save(t, draft));
    stf__conf_draft_next(t, draft);
    draft->record.head = stf__conf_bytes("head 2");
    draft->record.bulk = stf__conf_bytes("bulk 2");
}

static void keep_head(stf__conf *t)
{
    stf__conf_draft draft;
    STEP(t, create_with_parts(t, &draft));
    draft.save.flags |= STF_SAVE_KEEP_HEAD;
    STEP(t, stf__conf_save(t, &draft));
    STEP(t, expect_parts(t, "a", "head 1", "bulk 2"));
}

static void keep_bulk(stf__conf *t)
{
    stf__conf_draft draft;
    STEP(t, create_with_parts(t, &draft));
    draft.save.flags |= STF_SAVE_KEEP_BULK;
    STEP(t, stf__conf_save(t, &draft));
    STEP(t, expect_parts(t, "a", "head 2", "bulk 1"));
    /* And once more, from the kept one. */
    stf__conf_draft_next(t, &draft);
    draft.save.flags |= STF_SAVE_KEEP_BULK;
    draft.record.head = stf__conf_bytes("head 3");
    draft.record.bulk = (stf_bytes){NULL, 0};
    STEP(t, stf__conf_save(t, &draft));
    STEP(t, expect_parts(t, "a", "head 3", "bulk 1"));
}

/* A renewal of a lease: everything else of the save still counts. */
static void keep_both(stf__conf *t)
{
    stf__conf_draft draft;
    const stf_record *record = NULL;
    STEP(t, create_with_parts(t, &draft));
    draft.save.flags |= STF_SAVE_KEEP_HEAD | STF_SAVE_KEEP_BULK;
    stf__conf_set_lease(&draft, "engine-1", 1, stf__conf_after(t, STF__CONF_SECOND_US));
    STEP(t, stf__conf_save(t, &draft));
    STEP(t, expect_parts(t, "a", "head 1", "bulk 1"));
    STEP(t, stf__conf_must_load(t, "a", &record));
    EXPECT(t, stf_str_equal(record->lease.owner, stf_str_of("engine-1")), "the lease was not set");
    EXPECT(t, record->rec_version == 2, "the version did not move");
}

static void keep_is_compared(stf__conf *t)
{
    stf__conf_draft draft;
    STEP(t, create_with_parts(t, &draft));
    draft.save.flags |= STF_SAVE_KEEP_HEAD | STF_SAVE_KEEP_BULK;
    draft.save.expected_version = 7;
    STEP(t, stf__conf_save_refused(t, &draft, STF_CONCURRENT_UPDATE));
    STEP(t, expect_parts(t, "a", "head 1", "bulk 1"));
}

static void limit(stf__conf *t)
{
    uint8_t *bytes = stf__conf_memory(t, STF_LIMIT_PAYLOAD_BYTES);
    EXPECT(t, bytes != NULL, "memory");
    stf__conf_draft draft;
    stf__conf_draft_init(t, &draft, "a");
    draft.record.head = (stf_bytes){bytes, 1};
    draft.record.bulk = (stf_bytes){bytes, STF_LIMIT_PAYLOAD_BYTES};
    STEP(t, stf__conf_save_refused(t, &draft, STF_LIMIT_EXCEEDED));
    STEP(t, stf__conf_expect_absent(t, "a"));
}

/* The largest payload that the store says it takes. */
static void largest(stf__conf *t)
{
    stf_repository_facts facts = STF_REPOSITORY_FACTS_INIT;
    EXPECT_OK(t, stf_repository_describe(t->repo, NULL, &facts, stf__conf_error(t)));
    size_t size = facts.payload_bytes < STF_LIMIT_PAYLOAD_BYTES ? (size_t)facts.payload_bytes
                                                                : STF_LIMIT_PAYLOAD_BYTES;
    uint8_t *bytes = stf__conf_memory(t, size);
    EXPECT(t, bytes != NULL, "memory");
    memset(bytes, 0xa5, size);
    stf__conf_draft draft;
    const stf_record *record = NULL;
    stf__conf_draft_init(t, &draft, "a");
    draft.record.head = (stf_bytes){bytes, 1};
    draft.record.bulk = (stf_bytes){bytes, size - 1};
    STEP(t, stf__conf_save(t, &draft));
    STEP(t, stf__conf_must_load(t, "a", &record));
    EXPECT(t, record->bulk.size == size - 1 && memcmp(record->bulk.data, bytes, size - 1) == 0,
           "the largest payload did not come back");
}

/* What the caller does with its memory after a save changes nothing. */
static void isolated_from_caller(stf__conf *t)
{
    char id[] = "a";
    char head[] = "head";
    char bulk[] = "bulk";
    char owner[] = "owner";
    char label[] = "label";
    char key[] = "key";
    char tenant[] = "tenant";
    stf__conf_draft draft;
    const stf_record *record = NULL;
    stf__conf_draft_init(t, &draft, id);
    draft.record.head = stf__conf_bytes(head);
    draft.record.bulk = stf__conf_bytes(bulk);
    draft.record.tenant = stf_str_of(tenant);
    draft.record.label_key = stf_str_of(label);
    stf__conf_set_lease(&draft, owner, 1, stf__conf_now(t));
    stf__conf_add_wait(&draft, STF_WAIT_TASK, key, stf__conf_now(t));
    STEP(t, stf__conf_save(t, &draft));
    char *mine[] = {id, head, bulk, owner, label, key, tenant};
    for (size_t i = 0; i < sizeof(mine) / sizeof(mine[0]); i++) {
        mine[i][0] = '#';
    }
    draft.waits[0].kind = STF_WAIT_STUCK;
    STEP(t, stf__conf_must_load(t, "a", &record));
    EXPECT(t, stf__conf_is_bytes(record->head, "head"), "the head is the caller's memory");
    EXPECT(t, stf__conf_is_bytes(record->bulk, "bulk"), "the bulk is the caller's memory");
    EXPECT(t, stf_str_equal(record->lease.owner, stf_str_of("owner")), "so is the owner");
    EXPECT(t, stf_str_equal(record->label_key, stf_str_of("label")), "so is the label");
    EXPECT(t, stf_str_equal(record->tenant, stf_str_of("tenant")), "so is the tenant");
    EXPECT(t,
           record->wait_count == 1 && record->waits[0].kind == STF_WAIT_TASK &&
               stf_str_equal(record->waits[0].key, stf_str_of("key")),
           "so are the waits");
}

/* The other way round: what a visitor was given is not the store's own memory. */
typedef struct overwriting {
    stf__conf *t;
    stf_status status;
    bool is_isolated;
} overwriting;

static stf_status save_within_visit(void *user, const stf_record *record, stf_error *error)
{
    (void)error;
    overwriting *visit = user;
    stf__conf_draft draft;
    stf_save_result result;
    stf__conf_draft_init(visit->t, &draft, "a");
    draft.save.expected_version = 1;
    draft.record.head = stf__conf_bytes("HEAD");
    draft.record.bulk = stf__conf_bytes("BULK");
    draft.record.label_key = stf_str_of("LABEL");
    visit->status =
        stf_repository_save(visit->t->repo, NULL, &draft.save, &result, stf__conf_error(visit->t));
    visit->is_isolated = stf__conf_is_bytes(record->head, "head") &&
                         stf__conf_is_bytes(record->bulk, "bulk") &&
                         stf_str_equal(record->label_key, stf_str_of("label"));
    return STF_OK;
}

static void isolated_from_store(stf__conf *t)
{
    stf__conf_draft draft;
    stf__conf_draft_init(t, &draft, "a");
    draft.record.bulk = stf__conf_bytes("bulk");
    draft.record.label_key = stf_str_of("label");
    STEP(t, stf__conf_save(t, &draft));
    overwriting visit = {.t = t};
    bool is_found = false;
    EXPECT_OK(t, stf_repository_load(t->repo, NULL, stf_str_of("a"), save_within_visit, &visit,
                                     &is_found, stf__conf_error(t)));
    EXPECT_OK(t, visit.status);
    EXPECT(t, visit.is_isolated, "a save changed what a visitor was looking at");
    STEP(t, expect_parts(t, "a", "HEAD", "BULK"));
}

/* One buffer of the caller's, used for two records and for an update. */
static void isolated_between_records(stf__conf *t)
{
    char buffer[] = "first";
    stf__conf_draft a;
    stf__conf_draft b;
    stf__conf_draft_init(t, &a, "a");
    a.record.head = a.record.bulk = stf__conf_bytes(buffer);
    STEP(t, stf__conf_save(t, &a));
    buffer[0] = 'F';
    stf__conf_draft_init(t, &b, "b");
    b.record.head = b.record.bulk = stf__conf_bytes(buffer);
    STEP(t, stf__conf_save(t, &b));
    STEP(t, expect_parts(t, "a", "first", "first"));
    STEP(t, expect_parts(t, "b", "First", "First"));
}

/* A loser's bytes are nowhere. */
static void isolated_from_losers(stf__conf *t)
{
    stf__conf_draft draft;
    STEP(t, create_with_parts(t, &draft));
    draft.save.expected_version = 9;
    STEP(t, stf__conf_save_refused(t, &draft, STF_CONCURRENT_UPDATE));
    STEP(t, expect_parts(t, "a", "head 1", "bulk 1"));
}

static const stf__conf_case cases[] = {
    {"payload.empty", "empty parts are stored and loaded as empty", NULL, 0, empty},
    {"payload.any-bytes", "parts may hold any bytes", NULL, 0, any_bytes},
    {"payload.one-mebibyte", "a mebibyte in each part comes back", NULL, 0, one_mebibyte},
    {"payload.keep-head", "an unchanged head is the stored one", NULL, 0, keep_head},
    {"payload.keep-bulk", "an unchanged bulk is the stored one", NULL, 0, keep_bulk},
    {"payload.keep-both", "a save without payload still saves the rest", NULL, 0, keep_both},
    {"payload.keep-is-compared", "a save without payload is compared as any other", NULL, 0,
     keep_is_compared},
    {"payload.limit", "a payload over the limit is LIMIT_EXCEEDED and nothing is written", NULL, 0,
     limit},
    {"payload.largest", "a payload of the size that the store describes is taken", NULL, 0,
     largest},
    {"payload.isolated-from-caller", "the store keeps no pointer to the caller's memory", NULL, 0,
     isolated_from_caller},
    {"payload.isolated-from-store", "a visitor may save, and looks at a copy", NULL, 0,
     isolated_from_store},
    {"payload.isolated-between-records", "records share no memory", NULL, 0,
     isolated_between_records},
    {"payload.isolated-from-losers", "a refused save leaves the stored parts alone", NULL, 0,
     isolated_from_losers},
};

STF__CONF_FAMILY(payload, cases);
