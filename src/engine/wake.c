/* SPDX-License-Identifier: Apache-2.0 */
/* Recovery and wake as one loop: at start, at each poll and when something is due, the engine asks
 * the store who is orphaned, due or has unstarted work, page by page, and notes what it wants of
 * them. Nothing is held in memory for instances at rest. */
#include "engine/private.h"

#include <stepfast/limits.h>
#include <stepfast/sys/repository_liveness.h>
#include <stepfast/sys/repository_wake.h>
#include <string.h>

#define OWNERS_MAX 1024u
#define PAGE_FACTOR 4u /* of what is taken of a page at once */

static stf_str keep_text(char *buffer, stf_str text)
{
    size_t size = text.size < STF_LIMIT_ID_BYTES ? text.size : STF_LIMIT_ID_BYTES;
    if (size != 0) {
        memcpy(buffer, text.data, size);
    }
    return (stf_str){buffer, size};
}

/* ---- Dead owners ------------------------------------------------------------------------------
 */

bool stf__wake_owner_is_dead(const stf_engine *engine, stf_str owner)
{
    for (size_t i = 0; i < engine->wake.dead_count; i++) {
        if (stf_str_equal(engine->wake.dead[i], owner)) {
            return true;
        }
    }
    return false;
}

static stf_status visit_owner(void *user, stf_str owner, stf_error *error)
{
    stf_engine *engine = user;
    stf__wake *wake = &engine->wake;
    if (stf_str_equal(owner, stf_buf_str(&engine->owner)) || wake->dead_count == OWNERS_MAX) {
        return STF_OK;
    }
    stf_status status =
        stf__arena_copy_str(&wake->dead_arena, owner, &wake->dead[wake->dead_count]);
    if (status != STF_OK) {
        return stf_error_set(error, status, "ENGINE", "no memory for a list of owners");
    }
    wake->dead_count++;
    return STF_OK;
}

/* An owner string is one process (R7): dead once is dead for ever, so a stale list is still true.
 */
static stf_status find_dead_owners(stf_engine *engine, const stf_ctx *ctx, stf_error *error)
{
    stf__wake *wake = &engine->wake;
    if (!stf_repository_has(engine->repository, STF_REPOSITORY_LIVENESS)) {
        return STF_OK;
    }
    wake->dead_count = 0;
    stf__arena_reset(&wake->dead_arena);
    wake->dead = stf__arena_zalloc(&wake->dead_arena, OWNERS_MAX * sizeof(*wake->dead));
    if (wake->dead == NULL) {
        return stf_error_set(error, STF_NO_MEMORY, "ENGINE", "no memory for a list of owners");
    }
    stf_status status = stf_repository_list_owners(
        engine->repository, ctx, stf_str_of(engine->group), visit_owner, engine, error);
    size_t count = wake->dead_count;
    wake->dead_count = 0;
    for (size_t i = 0; status == STF_OK && i < count; i++) {
        bool is_dead = false;
        stf_str owner = wake->dead[i];
        status = stf_repository_owner_is_dead(engine->repository, ctx, owner, &is_dead, error);
        if (status == STF_OK && is_dead) {
            wake->dead[wake->dead_count++] = owner;
        }
    }
    return status;
}

/* ---- Pages ------------------------------------------------------------------------------------
 */

typedef struct found_row {
    stf_str id;
    stf_wall at;
    int64_t version;
} found_row;

/* A page of who is due or orphaned. Other engines read the same page at the same time (R14): it is
 * larger than what is taken, and what is taken of it is drawn at random. */
typedef struct wake_page {
    stf_engine *engine;
    stf__topic *topic;
    stf__cursor *cursor; /* where the page after this one begins */
    uint32_t want;
    size_t rows;
    size_t wanted; /* rows that are news */
    found_row *found;
    size_t found_count;
    size_t found_capacity;
    stf__arena arena;
} wake_page;

static stf_status want_row(wake_page *page, stf_str id, int64_t version, stf_error *error)
{
    stf_engine *engine = page->engine;
    stf__instance *instance;
    if (stf__instance_get_or_add(engine, id, &instance) != STF_OK) {
        return stf_error_set(error, STF_NO_MEMORY, "ENGINE", "no memory for an instance");
    }
    if (instance->flight != NULL) {
        return STF_OK; /* its save is not settled */
    }
    bool is_left = !stf_wall_is_none(instance->left_until) &&
                   instance->left_until.us > stf__engine_now(engine).us;
    if (is_left && !stf__list_is_empty(&instance->sends) && instance->doc != NULL &&
        instance->version == version) {
        return STF_OK; /* nothing but what it sends, which is on its way */
    }
    if (instance->doc != NULL && instance->version != version) {
        stf__instance_drop_copy(instance);
    }
    page->wanted += (instance->wants & page->want) == 0 ? 1 : 0;
    stf__instance_want(engine, instance, page->want);
    return STF_OK;
}

static stf_status visit_found(void *user, const stf_wake_row *row, stf_error *error)
{
    wake_page *page = user;
    stf__cursor *cursor = page->cursor;
    page->rows++;
    cursor->at = row->at;
    cursor->id = keep_text(cursor->text, row->id);
    if (stf__skip_has(page->engine, row->id)) {
        return STF_OK;
    }
    if (page->found_count == page->found_capacity) {
        size_t capacity = page->found_capacity != 0 ? 2 * page->found_capacity : 64;
        found_row *grown = stf__arena_zalloc(&page->arena, capacity * sizeof(*grown));
        if (grown == NULL) {
            return stf_error_set(error, STF_NO_MEMORY, "ENGINE", "no memory for a page");
        }
        if (page->found_count != 0) {
            memcpy(grown, page->found, page->found_count * sizeof(*grown));
        }
        page->found = grown;
        page->found_capacity = capacity;
    }
    found_row *found = &page->found[page->found_count];
    found->version = row->rec_version;
    found->at = row->at;
    stf_status status = stf__arena_copy_str(&page->arena, row->id, &found->id);
    if (status != STF_OK) {
        return stf_error_set(error, status, "ENGINE", "no memory for a page");
    }
    page->found_count++;
    return STF_OK;
}

static size_t draw_below(stf_engine *engine, size_t limit)
{
    uint64_t draw = 0;
    stf__random_fill(&engine->random, &draw, sizeof(draw));
    return (size_t)(draw % limit);
}

/* Takes at most batch_max rows, drawn at random, in random order. */
static stf_status take_found(wake_page *page, stf_error *error)
{
    stf_engine *engine = page->engine;
    stf_status status = STF_OK;
    size_t most = page->found_count < engine->batch_max ? page->found_count : engine->batch_max;
    for (size_t i = 0; status == STF_OK && i < most; i++) {
        size_t drawn = i + draw_below(engine, page->found_count - i);
        found_row row = page->found[drawn];
        page->found[drawn] = page->found[i];
        page->found[i] = row;
        status = want_row(page, row.id, row.version, error);
        engine->wake.taken++;
    }
    return status;
}

/* Where the next page begins: behind this one when it was full and all of it was taken; at its
 * beginning again while there is more in it; else at the start of the ring. */
static void move_on(wake_page *page, const stf__cursor *before, size_t limit)
{
    stf_engine *engine = page->engine;
    stf__cursor *cursor = page->cursor;
    bool is_full = page->rows >= limit;
    if (page->found_count > engine->batch_max) {
        stf_str id = keep_text(cursor->text, before->id);
        cursor->at = before->at;
        cursor->id = id;
    } else if (!is_full) {
        cursor->at = stf_wall_none();
        cursor->id = (stf_str){NULL, 0};
    }
    if (page->found_count != 0) {
        const found_row *drawn = &page->found[draw_below(engine, page->found_count)];
        cursor->jump = keep_text(cursor->jump_text, drawn->id);
        cursor->jump_at = drawn->at;
    }
}

/* Is there more than this page has shown? Behind it, in it, or before it, when it was not the first
 * of the ring. */
static bool is_more(const wake_page *page, const stf__cursor *before, size_t limit)
{
    return page->rows >= limit || page->found_count > page->engine->batch_max ||
           before->id.size != 0;
}

static stf_status visit_job(void *user, const stf_wake_row *row, stf_error *error)
{
    wake_page *page = user;
    page->rows++;
    page->topic->jobs_since = row->at;
    page->topic->jobs_after = keep_text(page->topic->jobs_after_text, row->id);
    if (stf__handler_find(page->engine, row->wait.key) != page->topic) {
        return STF_OK; /* "*" sees the topics that have handlers of their own, too */
    }
    return stf__skip_has(page->engine, row->id) ? STF_OK
                                                : want_row(page, row->id, row->rec_version, error);
}

static size_t page_limit(const stf_engine *engine)
{
    size_t limit = (size_t)engine->batch_max * PAGE_FACTOR;
    return limit < STF_LIMIT_PAGE ? limit : STF_LIMIT_PAGE;
}

static void begin_page(wake_page *page, stf__cursor *cursor, stf__cursor *ret_before)
{
    *ret_before = *cursor;
    ret_before->id = keep_text(ret_before->text, cursor->id);
    page->cursor = cursor;
    stf__arena_init(&page->arena, page->engine->alloc);
}

static stf_status look_for_orphans(stf_engine *engine, const stf_ctx *ctx, size_t *wanted,
                                   stf_error *error)
{
    stf__wake *wake = &engine->wake;
    wake_page page = {.engine = engine, .want = STF__WANT_RECOVER};
    stf__cursor before;
    begin_page(&page, &wake->orphans, &before);
    stf_orphan_query query = {.group = stf_str_of(engine->group),
                              .asker = stf_buf_str(&engine->owner),
                              .now = stf__engine_now(engine),
                              .dead_owners = wake->dead,
                              .dead_owner_count = wake->dead_count,
                              .after_id = before.id,
                              .limit = page_limit(engine)};
    stf_status status =
        stf_repository_orphan_page(engine->repository, ctx, &query, visit_found, &page, error);
    if (status == STF_OK) {
        status = take_found(&page, error);
    }
    move_on(&page, &before, query.limit);
    if (is_more(&page, &before, query.limit)) {
        wake->is_asked = true;
    }
    *wanted += page.wanted;
    stf__arena_done(&page.arena);
    return status;
}

/* The earliest due that is left. What this look has just found is still in the store as it was:
 * look again when it has been saved. */
static stf_status note_next_due(stf_engine *engine, const stf_ctx *ctx, bool must_go_on,
                                stf_error *error)
{
    stf_wall now = stf__engine_now(engine);
    stf_wall next = stf_wall_none();
    stf_status status = STF_OK;
    if (must_go_on) {
        engine->wake.due = now;
        return STF_OK;
    }
    engine->wake.due = stf_wall_none();
    status = stf_repository_next_due(engine->repository, ctx, stf_str_of(engine->group),
                                     stf_buf_str(&engine->owner), &next, error);
    /* An overdue one that nobody wakes now is one that cannot be read: the next poll sees it. */
    bool is_overdue = !stf_wall_is_none(next) && next.us <= now.us;
    if (status == STF_OK && (!is_overdue || !stf__list_is_empty(&engine->ready))) {
        engine->wake.due = next;
    }
    return status;
}

static stf_status look_for_due(stf_engine *engine, const stf_ctx *ctx, size_t *wanted,
                               stf_error *error)
{
    stf__wake *wake = &engine->wake;
    wake_page page = {.engine = engine, .want = STF__WANT_WAKE};
    stf__cursor before;
    begin_page(&page, &wake->dues, &before);
    stf_due_query query = {.group = stf_str_of(engine->group),
                           .asker = stf_buf_str(&engine->owner),
                           .now = stf__engine_now(engine),
                           .after_due = before.at,
                           .after_id = before.id,
                           .limit = page_limit(engine)};
    stf_status status =
        stf_repository_due_page(engine->repository, ctx, &query, visit_found, &page, error);
    if (status == STF_OK) {
        status = take_found(&page, error);
    }
    move_on(&page, &before, query.limit);
    *wanted += page.wanted;
    bool must_go_on = page.wanted != 0 || is_more(&page, &before, query.limit);
    stf__arena_done(&page.arena);
    if (status == STF_OK) {
        status = note_next_due(engine, ctx, must_go_on, error);
    }
    return status;
}

static stf_status look_for_jobs(stf_engine *engine, const stf_ctx *ctx, stf__topic *topic,
                                size_t *wanted, stf_error *error)
{
    size_t limit = stf__handler_free_slots(engine, topic);
    wake_page page = {.engine = engine, .topic = topic, .want = STF__WANT_JOBS};
    char after_id[STF_LIMIT_ID_BYTES];
    limit = limit < engine->batch_max ? limit : engine->batch_max;
    stf_waiting_query query = {.group = stf_str_of(engine->group),
                               .kind = STF_WAIT_JOB,
                               .after_since = topic->jobs_since,
                               .after_id = keep_text(after_id, topic->jobs_after),
                               .limit = limit};
    if (!stf_str_equal(topic->topic, STF_STR("*"))) {
        query.key = topic->topic;
    }
    stf_status status =
        stf_repository_waiting_page(engine->repository, ctx, &query, visit_job, &page, error);
    if (page.rows < limit) {
        topic->jobs_since = stf_wall_none();
        topic->jobs_after = (stf_str){NULL, 0};
        topic->may_have_jobs = false;
    }
    *wanted += page.wanted;
    return status;
}

/* ---- The loop ---------------------------------------------------------------------------------
 */

static stf_status look_for_all_jobs(stf_engine *engine, const stf_ctx *ctx, size_t *wanted,
                                    stf_error *error)
{
    stf_status status = STF_OK;
    STF__LIST_EACH(link, following, &engine->topics)
    {
        stf__topic *topic = STF__LIST_ENTRY(link, stf__topic, link);
        if (status == STF_OK && topic->may_have_jobs &&
            stf__handler_free_slots(engine, topic) != 0) {
            status = look_for_jobs(engine, ctx, topic, wanted, error);
        }
    }
    return status;
}

static bool has_jobs_to_look_for(const stf_engine *engine)
{
    STF__LIST_EACH(link, following, &engine->topics)
    {
        const stf__topic *topic = STF__LIST_ENTRY(link, const stf__topic, link);
        if (topic->may_have_jobs && stf__handler_free_slots(engine, topic) != 0) {
            return true;
        }
    }
    return false;
}

static void begin_full_look(stf_engine *engine, const stf_ctx *ctx, stf_mono now)
{
    engine->wake.is_asked = false;
    engine->wake.next_poll = (stf_mono){now.us + engine->poll_us};
    engine->wake.due = stf__engine_now(engine);
    stf__engine_refresh_clock(engine, ctx);
    STF__LIST_EACH(link, following, &engine->topics)
    {
        STF__LIST_ENTRY(link, stf__topic, link)->may_have_jobs = true;
    }
}

static bool is_due(stf_engine *engine)
{
    return !stf_wall_is_none(engine->wake.due) && engine->wake.due.us <= stf__engine_now(engine).us;
}

/* ---- Losing to others (R14) -------------------------------------------------------------------
 */

void stf__wake_note_lost(stf_engine *engine)
{
    engine->wake.lost++;
}

static void jump(stf__cursor *cursor)
{
    cursor->id = keep_text(cursor->text, cursor->jump);
    cursor->at = cursor->jump_at;
}

/* Over a tenth of what was taken was somebody else's already: what is left of it is given up, and
 * the next look begins somewhere else. What counts is what was taken of late: an engine that was
 * alone for a day notices company as soon as one that has just begun. */
static void leave_the_herd(stf_engine *engine)
{
    stf__wake *wake = &engine->wake;
    bool is_crowded = wake->lost * 10 > wake->taken;
    if (!is_crowded && wake->taken < page_limit(engine)) {
        return;
    }
    wake->taken = 0;
    wake->lost = 0;
    if (!is_crowded) {
        return;
    }
    jump(&wake->dues);
    jump(&wake->orphans);
    STF__LIST_EACH(link, following, &engine->ready)
    {
        stf__instance *instance = STF__LIST_ENTRY(link, stf__instance, link);
        if (instance->flight == NULL && instance->doc == NULL) {
            instance->wants &= ~(uint32_t)(STF__WANT_WAKE | STF__WANT_RECOVER);
            stf__instance_place(engine, instance);
        }
    }
}

/* A failing look is tried again at the next poll. The number of new wishes. */
size_t stf__wake_look(stf_engine *engine, const stf_ctx *ctx)
{
    stf_error error;
    stf_mono now = stf__engine_mono(engine);
    stf_status status = STF_OK;
    size_t wanted = 0;
    if (atomic_load(&engine->phase) == STF__PHASE_CLOSING ||
        engine->instance_count > (size_t)engine->batch_max * 8) {
        return 0; /* enough to do */
    }
    stf_error_init(&error);
    leave_the_herd(engine);
    if (engine->wake.is_asked || now.us >= engine->wake.next_poll.us) {
        begin_full_look(engine, ctx, now);
        status = find_dead_owners(engine, ctx, &error);
        if (status == STF_OK) {
            status = look_for_orphans(engine, ctx, &wanted, &error);
        }
    }
    if (status == STF_OK && is_due(engine)) {
        status = look_for_due(engine, ctx, &wanted, &error);
    }
    if (status == STF_OK) {
        status = look_for_all_jobs(engine, ctx, &wanted, &error);
    }
    if (status != STF_OK) {
        engine->wake.due = stf_wall_none();
        stf__log(engine, STF_LOG_WARNING, &error, "the store could not be asked who is due");
    }
    return wanted;
}

void stf__wake_note_due(stf_engine *engine, stf_wall due)
{
    stf_wall *known = &engine->wake.due;
    if (!stf_wall_is_none(due) && (stf_wall_is_none(*known) || due.us < known->us)) {
        *known = due;
    }
}

int64_t stf__wake_next_us(stf_engine *engine)
{
    int64_t next = engine->wake.next_poll.us;
    if (engine->wake.is_asked || has_jobs_to_look_for(engine)) {
        return stf__engine_mono(engine).us;
    }
    if (!stf_wall_is_none(engine->wake.due)) {
        int64_t mono = stf__engine_mono(engine).us;
        int64_t left = engine->wake.due.us - stf__engine_now(engine).us;
        int64_t at = left <= 0 ? mono : left < INT64_MAX - mono ? mono + left : INT64_MAX;
        next = at < next ? at : next;
    }
    return next;
}

void stf__wake_free(stf_engine *engine)
{
    stf__skips_free(engine);
    stf__arena_done(&engine->wake.dead_arena);
}
