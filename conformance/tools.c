/* SPDX-License-Identifier: Apache-2.0 */
/* The tools of the cases: memory until the end of the case, the clock, drafts, copies, pages. */
#include "harness.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

/* ---- Checking ---------------------------------------------------------------------------- */

static const char *base_name(const char *file)
{
    const char *slash = strrchr(file, '/');
    return slash != NULL ? slash + 1 : file;
}

void stf__conf_fail(stf__conf *t, const char *file, int line, const char *format, ...)
{
    if (t->has_failed) {
        return;
    }
    t->has_failed = true;
    int used = snprintf(t->reason, sizeof(t->reason), "%s:%d: ", base_name(file), line);
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(t->reason + used, sizeof(t->reason) - (size_t)used, format, arguments);
    va_end(arguments);
}

void stf__conf_fail_status(stf__conf *t, const char *file, int line, const char *call,
                           stf_status actual, stf_status expected)
{
    stf__conf_fail(t, file, line, "%s instead of %s (%s) from %s", stf_status_name(actual),
                   stf_status_name(expected), t->error.message, call);
}

stf_error *stf__conf_error(stf__conf *t)
{
    stf_error_init(&t->error);
    return &t->error;
}

/* ---- Memory, time, chance ---------------------------------------------------------------- */

struct stf__conf_block {
    stf__conf_block *next;
    max_align_t bytes[];
};

void *stf__conf_memory(stf__conf *t, size_t size)
{
    const stf_allocator *alloc = stf_allocator_default();
    stf__conf_block *block = alloc->alloc(alloc->user, sizeof(*block) + size);
    if (block == NULL) {
        stf__conf_fail(t, __FILE__, __LINE__, "out of memory");
        return NULL;
    }
    memset(block, 0, sizeof(*block) + size);
    block->next = t->blocks;
    t->blocks = block;
    return block->bytes;
}

void stf__conf_free_memory(stf__conf *t)
{
    const stf_allocator *alloc = stf_allocator_default();
    while (t->blocks != NULL) {
        stf__conf_block *next = t->blocks->next;
        alloc->free(alloc->user, t->blocks);
        t->blocks = next;
    }
}

/* splitmix64 */
uint64_t stf__conf_draw(stf__conf *t)
{
    uint64_t bits = (t->random += UINT64_C(0x9e3779b97f4a7c15));
    bits = (bits ^ (bits >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    bits = (bits ^ (bits >> 27)) * UINT64_C(0x94d049bb133111eb);
    return bits ^ (bits >> 31);
}

stf_wall stf__conf_now(stf__conf *t)
{
    return (stf_wall){atomic_load(&t->now_us)};
}

void stf__conf_advance(stf__conf *t, int64_t duration_us)
{
    atomic_fetch_add(&t->now_us, duration_us);
}

stf_wall stf__conf_after(stf__conf *t, int64_t duration_us)
{
    return (stf_wall){stf__conf_now(t).us + duration_us};
}

stf_str stf__conf_long_text(stf__conf *t, const char *start, size_t size)
{
    char *text = stf__conf_memory(t, size);
    if (text == NULL) {
        return (stf_str){NULL, 0};
    }
    size_t start_size = strlen(start);
    memset(text, 'x', size);
    memcpy(text, start, start_size < size ? start_size : size);
    return (stf_str){text, size};
}

void stf__conf_open_second(stf__conf *t)
{
    EXPECT_OK(
        t, t->factory->second_handle(t->factory->user, &t->clock, &t->second, stf__conf_error(t)));
}

void stf__conf_reopen(stf__conf *t)
{
    bool has_definitions = t->definitions != NULL;
    t->definitions = stf_definition_store_close(t->definitions);
    t->second = stf_repository_close(t->second);
    t->repo = stf_repository_close(t->repo);
    stf_status status =
        t->factory->reopen(t->factory->user, &t->clock, &t->repo, stf__conf_error(t));
    if (status == STF_UNSUPPORTED) {
        t->is_skipped = true;
        (void)snprintf(t->reason, sizeof(t->reason), "nothing survives the close of this store");
        return;
    }
    EXPECT_OK(t, status);
    if (has_definitions) {
        EXPECT_OK(t, t->factory->definitions(t->factory->user, &t->clock, &t->definitions,
                                             stf__conf_error(t)));
    }
}

/* ---- Drafts ------------------------------------------------------------------------------ */

void stf__conf_draw_attempt(stf__conf *t, stf_attempt *ret_attempt)
{
    uint64_t halves[2] = {stf__conf_draw(t), stf__conf_draw(t)};
    memcpy(ret_attempt->bytes, halves, sizeof(ret_attempt->bytes));
}

stf_bytes stf__conf_bytes(const char *text)
{
    return (stf_bytes){(const uint8_t *)text, strlen(text)};
}

void stf__conf_draft_init(stf__conf *t, stf__conf_draft *draft, const char *id)
{
    *draft = (stf__conf_draft){.record = STF_RECORD_INIT, .save = STF_SAVE_INIT};
    draft->record.id = stf_str_of(id);
    draft->record.group = stf_str_of("g");
    draft->record.head = stf__conf_bytes("head");
    draft->record.waits = draft->waits;
    draft->save.record = &draft->record;
    draft->save.journal = draft->journal;
    stf__conf_draw_attempt(t, &draft->save.attempt);
}

void stf__conf_draft_next(stf__conf *t, stf__conf_draft *draft)
{
    draft->save.expected_version = draft->result.rec_version;
    draft->save.attempt_seen = draft->result.attempt;
    draft->save.flags = STF_SAVE_HAS_ATTEMPT_SEEN;
    stf__conf_draw_attempt(t, &draft->save.attempt);
}

void stf__conf_set_lease(stf__conf_draft *draft, const char *owner, int64_t incarnation,
                         stf_wall expiry)
{
    draft->record.lease = (stf_lease){stf_str_of(owner), incarnation, expiry};
}

void stf__conf_add_wait(stf__conf_draft *draft, uint32_t kind, const char *key, stf_wall since)
{
    draft->waits[draft->record.wait_count++] =
        (stf_wait){.kind = kind, .key = stf_str_of(key), .since = since, .until = stf_wall_none()};
}

void stf__conf_save(stf__conf *t, stf__conf_draft *draft)
{
    EXPECT_OK(t,
              stf_repository_save(t->repo, NULL, &draft->save, &draft->result, stf__conf_error(t)));
}

void stf__conf_save_refused(stf__conf *t, stf__conf_draft *draft, stf_status expected)
{
    const stf_record *before = NULL;
    const stf_record *after = NULL;
    stf_str id = draft->record.id;
    bool can_load = id.size != 0 && id.size <= STF_LIMIT_ID_BYTES && stf_str_is_utf8(id);
    if (can_load) {
        STEP(t, stf__conf_load(t, t->repo, id, &before));
    }
    stf_save_result result;
    memset(&result, 0x5a, sizeof(result));
    stf_save_result untouched = result;
    EXPECT_STATUS(t, stf_repository_save(t->repo, NULL, &draft->save, &result, stf__conf_error(t)),
                  expected);
    EXPECT(t, memcmp(&result, &untouched, sizeof(result)) == 0,
           "a refused save changed its result");
    if (can_load) {
        STEP(t, stf__conf_load(t, t->repo, id, &after));
        EXPECT(t, (before == NULL) == (after == NULL), "a refused save made or removed the record");
    }
    if (after != NULL) {
        STEP(t, stf__conf_expect_same(t, after, before));
        EXPECT(t, after->updated.us == before->updated.us, "a refused save touched the record");
    }
}

void stf__conf_create(stf__conf *t, const char *id, const char *group, uint32_t status,
                      const char *owner, stf_wall expiry)
{
    stf__conf_draft draft;
    stf__conf_draft_init(t, &draft, id);
    draft.record.group = stf_str_of(group);
    draft.record.status = status;
    if (owner != NULL) {
        stf__conf_set_lease(&draft, owner, 1, expiry);
    }
    stf__conf_save(t, &draft);
}

/* ---- Copies ------------------------------------------------------------------------------ */

static stf_str copy_text(stf__conf *t, stf_str text)
{
    char *copy = stf__conf_memory(t, text.size + 1);
    if (copy == NULL) {
        return (stf_str){NULL, 0};
    }
    if (text.size != 0) {
        memcpy(copy, text.data, text.size);
    }
    return (stf_str){copy, text.size};
}

static stf_bytes copy_bytes(stf__conf *t, stf_bytes bytes)
{
    stf_str copy = copy_text(t, (stf_str){(const char *)bytes.data, bytes.size});
    return (stf_bytes){(const uint8_t *)copy.data, copy.size};
}

static const stf_record *copy_record(stf__conf *t, const stf_record *record)
{
    stf_record *copy = stf__conf_memory(t, sizeof(*copy));
    stf_wait *waits = stf__conf_memory(t, (record->wait_count + 1) * sizeof(*waits));
    if (copy == NULL || waits == NULL) {
        return NULL;
    }
    *copy = *record;
    copy->id = copy_text(t, record->id);
    copy->group = copy_text(t, record->group);
    copy->tenant = copy_text(t, record->tenant);
    copy->head = copy_bytes(t, record->head);
    copy->bulk = copy_bytes(t, record->bulk);
    copy->lease.owner = copy_text(t, record->lease.owner);
    copy->label_key = copy_text(t, record->label_key);
    for (size_t i = 0; i < record->wait_count; i++) {
        waits[i] = record->waits[i];
        waits[i].key = copy_text(t, record->waits[i].key);
    }
    copy->waits = waits;
    return copy;
}

void stf__conf_load(stf__conf *t, stf_repository *repo, stf_str id, const stf_record **ret_record)
{
    stf__conf_page page;
    stf__conf_page_init(t, &page);
    bool is_found = false;
    EXPECT_OK(t, stf_repository_load(repo, NULL, id, stf__conf_visit_record, &page, &is_found,
                                     stf__conf_error(t)));
    EXPECT(t, page.count == (is_found ? 1u : 0u), "load visited %zu records, found is %d",
           page.count, (int)is_found);
    *ret_record = is_found ? page.records[0] : NULL;
}

void stf__conf_must_load(stf__conf *t, const char *id, const stf_record **ret_record)
{
    STEP(t, stf__conf_load(t, t->repo, stf_str_of(id), ret_record));
    EXPECT(t, *ret_record != NULL, "the record \"%s\" is absent", id);
}

void stf__conf_expect_absent(stf__conf *t, const char *id)
{
    const stf_record *record = NULL;
    STEP(t, stf__conf_load(t, t->repo, stf_str_of(id), &record));
    EXPECT(t, record == NULL, "the record \"%s\" is there", id);
}

bool stf__conf_is_bytes(stf_bytes actual, const char *text)
{
    return actual.size == strlen(text) &&
           (actual.size == 0 || memcmp(actual.data, text, actual.size) == 0);
}

bool stf__conf_is_attempt(stf_attempt a, stf_attempt b)
{
    return memcmp(a.bytes, b.bytes, sizeof(a.bytes)) == 0;
}

static bool are_bytes_equal(stf_bytes a, stf_bytes b)
{
    return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

static void expect_same_waits(stf__conf *t, const stf_record *actual, const stf_record *expected)
{
    EXPECT(t, actual->wait_count == expected->wait_count, "%zu waits instead of %zu",
           actual->wait_count, expected->wait_count);
    for (size_t i = 0; i < actual->wait_count; i++) {
        const stf_wait *a = &actual->waits[i];
        const stf_wait *e = &expected->waits[i];
        EXPECT(t, a->kind == e->kind && stf_str_equal(a->key, e->key), "wait %zu: kind or key", i);
        EXPECT(t, a->since.us == e->since.us && a->until.us == e->until.us,
               "wait %zu: since or until", i);
    }
}

void stf__conf_expect_same(stf__conf *t, const stf_record *actual, const stf_record *expected)
{
    EXPECT(t, stf_str_equal(actual->id, expected->id), "id");
    EXPECT(t, stf_str_equal(actual->group, expected->group), "group");
    EXPECT(t, stf_str_equal(actual->tenant, expected->tenant), "tenant");
    EXPECT(t, are_bytes_equal(actual->head, expected->head), "head");
    EXPECT(t, are_bytes_equal(actual->bulk, expected->bulk), "bulk");
    EXPECT(t, stf_str_equal(actual->lease.owner, expected->lease.owner), "lease owner");
    EXPECT(t, actual->lease.incarnation == expected->lease.incarnation, "lease incarnation");
    EXPECT(t,
           expected->lease.owner.size == 0 || actual->lease.expiry.us == expected->lease.expiry.us,
           "lease expiry: %lld instead of %lld us", (long long)actual->lease.expiry.us,
           (long long)expected->lease.expiry.us);
    EXPECT(t, actual->rec_version == expected->rec_version, "version %lld instead of %lld",
           (long long)actual->rec_version, (long long)expected->rec_version);
    EXPECT(t, stf__conf_is_attempt(actual->attempt, expected->attempt), "attempt");
    EXPECT(t, actual->due.us == expected->due.us, "due: %lld instead of %lld us",
           (long long)actual->due.us, (long long)expected->due.us);
    EXPECT(t, stf_str_equal(actual->label_key, expected->label_key), "label key");
    EXPECT(t, actual->label_version == expected->label_version, "label version");
    EXPECT(t, actual->status == expected->status, "status %u instead of %u", actual->status,
           expected->status);
    expect_same_waits(t, actual, expected);
}

/* ---- Pages ------------------------------------------------------------------------------- */

void stf__conf_page_init(stf__conf *t, stf__conf_page *page)
{
    *page = (stf__conf_page){.t = t};
}

stf_status stf__conf_visit_id(void *user, stf_str id, stf_error *error)
{
    stf_wake_row row = {.id = id};
    return stf__conf_visit_row(user, &row, error);
}

stf_status stf__conf_visit_row(void *user, const stf_wake_row *row, stf_error *error)
{
    (void)error;
    stf__conf_page *page = user;
    if (page->count < STF__CONF_ROWS) {
        stf_wake_row *copy = &page->rows[page->count];
        *copy = *row;
        copy->id = copy_text(page->t, row->id);
        copy->owner = copy_text(page->t, row->owner);
        copy->wait.key = copy_text(page->t, row->wait.key);
    }
    page->count++;
    return STF_OK;
}

stf_status stf__conf_visit_record(void *user, const stf_record *record, stf_error *error)
{
    stf__conf_page *page = user;
    if (page->count < STF__CONF_ROWS) {
        page->records[page->count] = copy_record(page->t, record);
    }
    return stf__conf_visit_id(user, record->id, error);
}

void stf__conf_expect_ids(stf__conf *t, const stf__conf_page *page, const char *expected)
{
    char actual[256] = "";
    size_t used = 0;
    for (size_t i = 0; i < page->count && i < STF__CONF_ROWS; i++) {
        int size = snprintf(actual + used, sizeof(actual) - used, "%s%.*s", i != 0 ? " " : "",
                            (int)page->rows[i].id.size, page->rows[i].id.data);
        used += size > 0 ? (size_t)size : 0;
        if (used >= sizeof(actual)) {
            break;
        }
    }
    EXPECT(t, strcmp(actual, expected) == 0, "\"%s\" instead of \"%s\"", actual, expected);
}

void stf__conf_expect_in_flight(stf__conf *t, const char *group, stf_wall now, const char *expected)
{
    stf__conf_page page;
    stf__conf_page_init(t, &page);
    stf_in_flight_query query = {.group = stf_str_of(group), .now = now, .limit = 100};
    EXPECT_OK(t, stf_repository_list_in_flight(t->repo, NULL, &query, stf__conf_visit_id, &page,
                                               stf__conf_error(t)));
    STEP(t, stf__conf_expect_ids(t, &page, expected));
}
