/* SPDX-License-Identifier: Apache-2.0 */
/* What must hold of every save that the store takes, of what is at rest, and of the end
 * (README.md has the list). Each failure names the save. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/group.h"

/* ---- Books ----------------------------------------------------------------------------------- */

group_book *group_book_find(group_life *life, stf_str id)
{
    for (size_t i = 0; i < life->book_count; i++) {
        if (stf_str_equal(stf_str_of(life->books[i]->id), id)) {
            return life->books[i];
        }
    }
    return NULL;
}

static group_book *open_book(group_life *life, stf_str id)
{
    group_book *book = group_book_find(life, id);
    if (book != NULL || life->book_count == GROUP_BOOKS_MAX) {
        life->is_too_big = life->is_too_big || book == NULL;
        return book;
    }
    book = calloc(1, sizeof(*book));
    if (book == NULL) {
        abort();
    }
    snprintf(book->id, sizeof(book->id), "%.*s", (int)id.size, id.data);
    stf_buf_init(&book->head, NULL);
    stf_buf_init(&book->bulk, NULL);
    book->due_us = STF_WALL_NONE_US;
    life->books[life->book_count++] = book;
    return book;
}

static bool is_queue(const group_book *book)
{
    return strncmp(book->id, "stf:", 4) == 0;
}

bool group_has_ended(const group_book *book)
{
    return stf_record_status_is_terminal(book->status) || stf__doc_has_ended(book->doc);
}

static stf_bytes head_of(const group_book *book, const stf_save *save)
{
    return (save->flags & STF_SAVE_KEEP_HEAD) != 0 ? stf_buf_bytes(&book->head)
                                                   : save->record->head;
}

static stf_bytes bulk_of(const group_book *book, const stf_save *save)
{
    return (save->flags & STF_SAVE_KEEP_BULK) != 0 ? stf_buf_bytes(&book->bulk)
                                                   : save->record->bulk;
}

static bool is_same_text(stf_str a, const char *b)
{
    return stf_str_equal(a, stf_str_of(b));
}

/* ---- The record and its bytes ---------------------------------------------------------------- */

static bool is_same(stf_bytes a, const stf_buf *b)
{
    return a.size == b->size && (a.size == 0 || memcmp(a.data, b->data, a.size) == 0);
}

static void check_bytes(group_life *life, const group_book *book, const stf_save *save,
                        stf__doc *doc)
{
    stf_buf head;
    stf_buf bulk;
    bool is_changed = false;
    stf_buf_init(&head, NULL);
    stf_buf_init(&bulk, NULL);
    if (stf__doc_encode(doc, &head, &bulk, &is_changed, NULL) != STF_OK ||
        !is_same(head_of(book, save), &head) || !is_same(bulk_of(book, save), &bulk)) {
        group_fail(life, "%s: decode and encode give other bytes", book->id);
    }
    stf_buf_done(&head);
    stf_buf_done(&bulk);
}

static void check_record(group_life *life, const group_book *book, const stf_save *save,
                         const stf__doc *doc)
{
    const stf_record *record = save->record;
    stf__arena arena;
    stf__doc_summary summary;
    stf_error error = STF_ERROR_INIT;
    bool has_head = (save->flags & STF_SAVE_KEEP_HEAD) == 0;
    bool has_owner = record->lease.owner.size != 0;
    /* An engine that stops gives a record away with work that may run again: without a new head. */
    stf__arena_init(&arena, stf_allocator_default());
    if (stf__doc_summarise(doc, &arena, &summary, &error) != STF_OK) {
        group_fail(life, "%s: no summary: %s", book->id, error.message);
    } else if (summary.status != record->status || summary.wait_count != record->wait_count) {
        group_fail(life, "%s: the record does not show its document", book->id);
    } else if (summary.has_started && !has_owner && (has_head || stf_wall_is_none(record->due))) {
        group_fail(life, "%s: work runs without an owner", book->id);
    }
    stf__arena_done(&arena);
    if (record->status == STF_RECORD_ACTIVE && !has_owner && stf_wall_is_none(record->due) &&
        record->wait_count == 0) {
        group_fail(life, "%s: R8: active, and nothing would find it", book->id);
    }
    /* An empty queue counts as ended, until it keeps something again. */
    if (stf_record_status_is_terminal(book->status) && !is_queue(book)) {
        group_fail(life, "%s: an ended record is saved again", book->id);
    }
    if (has_head &&
        stf__doc_find_save(doc, save->expected_version + 1, save->attempt) != STF__RING_FOUND) {
        group_fail(life, "%s: the save is not in its own ring", book->id);
    }
    if (stf__doc_check_invariants(doc) != STF_OK) {
        group_fail(life, "%s: the document breaks its invariants", book->id);
    }
}

/* ---- Leases ---------------------------------------------------------------------------------- */

/* Learns the owner string of this life of the engine; another one later would be a defect (R7). */
static void learn_owner(group_engine *engine, const group_book *book, stf_str owner)
{
    static const char *const prefixes[GROUP_ENGINES] = {"one/", "two/"};
    bool is_own_id = owner.size > 4 && memcmp(owner.data, prefixes[engine->index], 4) == 0;
    if (!is_own_id || is_same_text(owner, book->owner)) {
        return;
    }
    if (engine->owner[0] == '\0') {
        snprintf(engine->owner, sizeof(engine->owner), "%.*s", (int)owner.size, owner.data);
    } else if (!is_same_text(owner, engine->owner)) {
        group_fail(engine->life, "%s: R7: a second owner string", book->id);
    }
}

static void check_lease(group_engine *engine, const group_book *book, const stf_save *save)
{
    group_life *life = engine->life;
    const stf_lease *lease = &save->record->lease;
    learn_owner(engine, book, lease->owner);
    bool is_mine = engine->owner[0] != '\0' && is_same_text(lease->owner, engine->owner);
    bool was_mine = engine->owner[0] != '\0' && strcmp(book->owner, engine->owner) == 0;
    bool is_untouched = is_same_text(lease->owner, book->owner);
    if (lease->incarnation < book->incarnation) {
        group_fail(life, "%s: the incarnation goes down", book->id);
    }
    if ((save->flags & STF_SAVE_LEASE_DURATION) != 0 && !is_mine) {
        group_fail(life, "%s: a lease is prolonged for somebody else", book->id);
    }
    /* Nobody's clock differs so much that this lease could look lapsed. */
    if (book->owner[0] != '\0' && !was_mine &&
        book->expiry_us > group_now(life) + 2 * GROUP_SKEW_US + SIM_SECONDS(1) &&
        (!is_untouched || lease->incarnation != book->incarnation ||
         lease->expiry.us != book->expiry_us)) {
        group_fail(life, "%s: R1: the live lease of %s is touched", book->id, book->owner);
    }
    if (is_mine && !was_mine && lease->incarnation <= book->incarnation) {
        group_fail(life, "%s: a lease is taken without a new incarnation", book->id);
    }
}

/* ---- Work ------------------------------------------------------------------------------------ */

static bool was_started(const group_book *book, const stf__work_item *item)
{
    const stf__activation *before =
        book->doc != NULL ? stf__doc_find_activation(book->doc, item->activation) : NULL;
    return before != NULL && before->work.is_started && before->work.attempt == item->attempt &&
           before->work.incarnation == item->incarnation;
}

static void note_start(group_engine *engine, group_book *book, const stf_save *save,
                       const stf__work_item *item)
{
    group_life *life = engine->life;
    const stf_lease *lease = &save->record->lease;
    if (lease->incarnation != item->incarnation || !is_same_text(lease->owner, engine->owner) ||
        (save->flags & STF_SAVE_LEASE_DURATION) == 0) {
        group_fail(life, "%s: R2: work starts without a lease of its own", book->id);
    }
    for (size_t i = 0; i < book->started_count; i++) {
        const group_started *other = &book->started[i];
        if (other->activation != item->activation || other->attempt != item->attempt) {
            continue;
        }
        if (other->incarnation == item->incarnation) {
            group_fail(life, "%s: work starts twice under one incarnation", book->id);
        } else if (!item->is_idempotent) {
            group_fail(life, "%s: an attempt that must not be repeated starts again", book->id);
        }
    }
    if (book->started_count == GROUP_WORK_MAX) {
        life->is_too_big = true;
        return;
    }
    book->started[book->started_count++] = (group_started){
        .activation = item->activation, .incarnation = item->incarnation, .attempt = item->attempt};
}

static bool tells_outcome(const stf_save *save, uint64_t activation)
{
    for (size_t i = 0; i < save->journal_count; i++) {
        uint32_t fact = save->journal[i].fact;
        if (save->journal[i].activation == activation &&
            (fact == STF_FACT_WORK_FAILED || fact == STF_FACT_WORK_UNKNOWN)) {
            return true;
        }
    }
    return false;
}

/* R6: attempts and definitive failures only grow, and a new attempt only by a decision about one
 * that has failed or is unknown. */
static void check_attempt(group_life *life, const group_book *book, const stf_save *save,
                          const stf__work_item *item)
{
    const stf__activation *before =
        book->doc != NULL ? stf__doc_find_activation(book->doc, item->activation) : NULL;
    if (before == NULL || before->work.attempt == 0) {
        return;
    }
    const stf__work *work = &before->work;
    if (item->attempt < work->attempt || item->definitive_failures < work->definitive_failures ||
        item->definitive_failures > work->definitive_failures + (item->attempt - work->attempt)) {
        group_fail(life, "%s: R6: attempt %u with %u failures after attempt %u with %u", book->id,
                   item->attempt, item->definitive_failures, work->attempt,
                   work->definitive_failures);
    } else if (item->attempt != work->attempt && work->state == STF__DURABLE_PENDING &&
               !tells_outcome(save, item->activation)) {
        group_fail(life, "%s: R6: attempt %u follows one that has no outcome", book->id,
                   item->attempt);
    }
}

static void check_work(group_engine *engine, group_book *book, const stf_save *save,
                       const stf__doc *doc)
{
    stf__work_item item;
    for (uint64_t after = 0; stf__doc_next_work(doc, after, &item); after = item.activation) {
        check_attempt(engine->life, book, save, &item);
        if (item.is_started && !was_started(book, &item)) {
            note_start(engine, book, save, &item);
        }
    }
}

/* ---- Facts ----------------------------------------------------------------------------------- */

static void count_fact(group_life *life, group_book *book, const stf_journal_row *row)
{
    size_t at = row->activation < GROUP_ACTIVATIONS_MAX ? (size_t)row->activation : 0;
    life->is_too_big = life->is_too_big || row->activation >= GROUP_ACTIVATIONS_MAX;
    switch (row->fact) {
    case STF_FACT_NODE_ENTERED:
        book->entered[at]++;
        break;
    case STF_FACT_NODE_COMPLETED:
    case STF_FACT_NODE_CANCELLED:
        book->ended[at]++;
        break;
    case STF_FACT_CHILD_CALLED:
        book->calls[at]++;
        life->counts.children++;
        break;
    case STF_FACT_CHILD_ENDED:
        book->results[at]++;
        break;
    case STF_FACT_MESSAGE_SENT:
        life->sent++;
        break;
    case STF_FACT_MESSAGE_RECEIVED:
        life->received++;
        life->counts.messages++;
        break;
    case STF_FACT_MESSAGE_KEPT:
        life->sent++;
        life->counts.kept++;
        break;
    case STF_FACT_INCIDENT_OPENED:
        life->counts.incidents++;
        book->retries[at] = 0; /* people begin a new round */
        break;
    case STF_FACT_RETRY_SCHEDULED:
        book->retries[at]++;
        break;
    default:
        break;
    }
    if (at != 0 && (book->entered[at] > 1 || book->ended[at] > book->entered[at])) {
        group_fail(life, "%s: activation %zu is entered %u and ended %u times", book->id, at,
                   book->entered[at], book->ended[at]);
    }
    if (at != 0 && book->retries[at] > GROUP_RETRIES_MAX) {
        group_fail(life, "%s: activation %zu is retried more often than any policy says", book->id,
                   at);
    }
    if (book->results[at] > book->calls[at]) {
        group_fail(life, "%s: activation %zu took %u results of %u calls", book->id, at,
                   book->results[at], book->calls[at]);
    }
}

/* ---- A save ---------------------------------------------------------------------------------- */

static bool will_be_taken(const group_book *book, const stf_save *save)
{
    return save->expected_version == book->version &&
           ((save->flags & STF_SAVE_HAS_ATTEMPT_SEEN) == 0 ||
            memcmp(&save->attempt_seen, &book->attempt, sizeof(book->attempt)) == 0);
}

void group_check_save(group_engine *engine, const stf_save *save)
{
    group_life *life = engine->life;
    group_book *book = open_book(life, save->record->id);
    stf_error error = STF_ERROR_INIT;
    stf__doc *doc = NULL;
    if (book == NULL || !will_be_taken(book, save)) {
        return;
    }
    if (stf__doc_decode(NULL, head_of(book, save), bulk_of(book, save), &doc, &error) != STF_OK) {
        group_fail(life, "%s: the document does not decode: %s", book->id, error.message);
        return;
    }
    check_bytes(life, book, save, doc);
    check_record(life, book, save, doc);
    check_lease(engine, book, save);
    check_work(engine, book, save, doc);
    group_check_sends(life, book, save, doc);
    stf__doc_free(doc);
}

static void keep(stf_buf *buf, stf_bytes bytes)
{
    stf_buf_clear(buf);
    if (stf_buf_append(buf, bytes.data, bytes.size) != STF_OK) {
        abort();
    }
}

static void keep_record(group_book *book, const stf_save *save, const stf_save_result *result)
{
    const stf_record *record = save->record;
    if ((save->flags & STF_SAVE_KEEP_HEAD) == 0) {
        keep(&book->head, record->head);
    }
    if ((save->flags & STF_SAVE_KEEP_BULK) == 0) {
        keep(&book->bulk, record->bulk);
    }
    snprintf(book->process, sizeof(book->process), "%.*s", (int)record->label_key.size,
             record->label_key.size != 0 ? record->label_key.data : "");
    snprintf(book->owner, sizeof(book->owner), "%.*s", (int)record->lease.owner.size,
             record->lease.owner.size != 0 ? record->lease.owner.data : "");
    book->version = result->rec_version;
    book->attempt = result->attempt;
    book->incarnation = record->lease.incarnation;
    book->expiry_us = result->lease_expiry.us;
    book->due_us = record->due.us;
    book->status = record->status;
    book->waits_for_job = false;
    book->is_stuck = false;
    for (size_t i = 0; i < record->wait_count; i++) {
        book->waits_for_job = book->waits_for_job || record->waits[i].kind == STF_WAIT_JOB;
        book->is_stuck = book->is_stuck || record->waits[i].kind == STF_WAIT_STUCK;
    }
}

void group_note_save(group_engine *engine, const stf_save *save, const stf_save_result *result)
{
    group_life *life = engine->life;
    group_book *book = open_book(life, save->record->id);
    if (book == NULL) {
        return;
    }
    if (!will_be_taken(book, save) || result->rec_version != book->version + 1) {
        group_fail(life, "%s: the store took version %lld after %lld", book->id,
                   (long long)result->rec_version, (long long)book->version);
    }
    keep_record(book, save, result);
    stf__doc *doc = NULL;
    if (stf__doc_decode(NULL, stf_buf_bytes(&book->head), stf_buf_bytes(&book->bulk), &doc, NULL) !=
        STF_OK) {
        group_fail(life, "%s: the stored document does not decode", book->id);
        return; /* the last one that did is kept */
    }
    stf__doc_free(book->doc);
    book->doc = doc;
    for (size_t i = 0; i < save->journal_count; i++) {
        count_fact(life, book, &save->journal[i]);
    }
}

/* ---- At rest --------------------------------------------------------------------------------- */

/* R5: nobody waits for what is kept for longer than the queue's due. */
static bool has_waiter(const group_life *life, const stf__send *kept)
{
    for (size_t k = 0; k < life->book_count; k++) {
        const group_book *book = life->books[k];
        size_t at = 0;
        if (book->doc != NULL && !is_queue(book) && !group_has_ended(book) &&
            !stf__doc_is_stopped(book->doc) &&
            stf__doc_find_subscription(book->doc, kept->name, kept->key, &at)) {
            return true;
        }
    }
    return false;
}

static const char *unrest_of(const group_life *life, const group_book *book)
{
    for (size_t i = 0; is_queue(book) && i < book->doc->outbox_count; i++) {
        if (book->doc->outbox[i].sequence != 0) {
            return "a kept message is on its way";
        }
        if (has_waiter(life, &book->doc->outbox[i])) {
            return "R5: somebody waits for what is kept";
        }
    }
    if (is_queue(book)) {
        return NULL;
    }
    if (book->owner[0] != '\0') {
        return "a record is owned";
    }
    if (book->doc->ready_count != 0) {
        return "tokens are ready";
    }
    if (book->doc->outbox_count != 0) {
        return "an outbox is not empty";
    }
    if (book->waits_for_job && !stf__doc_is_stopped(book->doc)) {
        return "work waits for a handler";
    }
    bool is_due = book->due_us != STF_WALL_NONE_US &&
                  book->due_us <= group_now(life) + GROUP_SKEW_US + SIM_SECONDS(1);
    return is_due ? "something is due" : NULL;
}

const char *group_find_unrest(group_life *life)
{
    const char *unrest = NULL;
    for (size_t i = 0; unrest == NULL && i < life->book_count; i++) {
        const group_book *book = life->books[i];
        if (book->doc != NULL && !stf_record_status_is_terminal(book->status)) {
            unrest = unrest_of(life, book);
        }
    }
    return unrest;
}

/* An inclusive join waits only while a token can come: alone it never waits. */
static bool waits_for_nothing(group_life *life, const group_book *book)
{
    const char *text = stf_buf_c_str(&life->plan->text);
    for (size_t i = 0; i < book->doc->parked_count; i++) {
        char name[64];
        const stf_str node = book->doc->parked[i].node;
        snprintf(name, sizeof(name), "<inclusiveGateway id='%.*s'", (int)node.size, node.data);
        if (strstr(text, name) == NULL) {
            return false;
        }
    }
    return book->doc->parked_count != 0 && book->doc->activation_count == 0;
}

void group_check_rest(group_life *life)
{
    for (size_t i = 0; i < life->book_count; i++) {
        const group_book *book = life->books[i];
        if (book->doc != NULL && book->is_stuck && !group_has_ended(book) &&
            waits_for_nothing(life, book)) {
            group_fail(life, "%s: an inclusive join waits for nothing", book->id);
        }
    }
    if (life->received > life->sent + GROUP_STEPS_MAX) {
        group_fail(life, "%u messages were sent, %u received", life->sent, life->received);
    }
}

void group_check_end(group_life *life)
{
    for (size_t i = 0; life->failure[0] == '\0' && i < life->book_count; i++) {
        const group_book *book = life->books[i];
        if (book->doc == NULL || is_queue(book)) {
            continue;
        }
        if (!stf_record_status_is_terminal(book->status)) {
            group_fail(life, "%s (%s) has not ended", book->id, book->process);
        }
        for (size_t at = 1; at < GROUP_ACTIVATIONS_MAX; at++) {
            if (book->entered[at] != book->ended[at]) {
                group_fail(life, "%s: activation %zu has no end", book->id, at);
            }
        }
    }
}
