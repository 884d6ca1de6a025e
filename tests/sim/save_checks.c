/* SPDX-License-Identifier: Apache-2.0 */
/* What every save promises, checked on its way to the store: one version after the other, an
 * incarnation that never goes down, R8, an owner exactly while work runs, a record that shows what
 * its document says, the save ring, and a document that decodes to itself byte by byte. */
#include <stdlib.h>
#include <string.h>

#include "core/core.h"
#include "core/doc.h"
#include "sim/sim.h"

unsigned sim_instance_of(stf_str id)
{
    unsigned instance = id.size == 2 ? (unsigned)(id.data[1] - '1') : SIM_INSTANCES_MAX;
    if (instance >= SIM_INSTANCES_MAX) {
        abort(); /* the simulation starts "i1" and "i2" only */
    }
    return instance;
}

static sim_book *book_of(sim_store *store, const stf_record *record)
{
    return &store->books[sim_instance_of(record->id)];
}

static bool is_same(stf_bytes a, stf_bytes b)
{
    return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

static stf_bytes head_of(const sim_book *book, const stf_save *save)
{
    return (save->flags & STF_SAVE_KEEP_HEAD) != 0 ? stf_buf_bytes(&book->head)
                                                   : save->record->head;
}

static stf_bytes bulk_of(const sim_book *book, const stf_save *save)
{
    return (save->flags & STF_SAVE_KEEP_BULK) != 0 ? stf_buf_bytes(&book->bulk)
                                                   : save->record->bulk;
}

/* The document as the store will have it. */
static stf__doc *decode(sim_store *store, const stf_save *save)
{
    const sim_book *book = book_of(store, save->record);
    stf_error error = STF_ERROR_INIT;
    stf__doc *doc = NULL;
    if (stf__doc_decode(NULL, head_of(book, save), bulk_of(book, save), &doc, &error) != STF_OK) {
        sim_store_fail(store, "the document does not decode: %s", error.message);
        return NULL;
    }
    return doc;
}

/* ---- Checks ---------------------------------------------------------------------------------- */

static void check_bytes(sim_store *store, const stf_save *save, stf__doc *doc)
{
    const sim_book *book = book_of(store, save->record);
    stf_buf head;
    stf_buf bulk;
    bool is_changed = false;
    stf_buf_init(&head, NULL);
    stf_buf_init(&bulk, NULL);
    if (stf__doc_encode(doc, &head, &bulk, &is_changed, NULL) != STF_OK) {
        sim_store_fail(store, "the decoded document does not encode");
    } else if (!is_same(stf_buf_bytes(&head), head_of(book, save))) {
        sim_store_fail(store, "the head differs after decode and encode");
    } else if (!is_same(stf_buf_bytes(&bulk), bulk_of(book, save))) {
        sim_store_fail(store, "the bulk differs after decode and encode");
    }
    stf_buf_done(&head);
    stf_buf_done(&bulk);
}

static void check_summary(sim_store *store, const stf_save *save, const stf__doc *doc)
{
    const stf_record *record = save->record;
    stf__arena arena;
    stf__doc_summary summary;
    stf_error error = STF_ERROR_INIT;
    stf__arena_init(&arena, stf_allocator_default());
    bool has_owner = record->lease.owner.size != 0;
    /* A claim owns a record before it is stepped, whatever that needs. */
    bool is_claim = (save->flags & STF_SAVE_KEEP_HEAD) != 0 && has_owner;
    if (stf__doc_summarise(doc, &arena, &summary, &error) != STF_OK) {
        sim_store_fail(store, "the document has no summary: %s", error.message);
    } else if (summary.status != record->status || summary.due.us != record->due.us ||
               summary.wait_count != record->wait_count) {
        sim_store_fail(store, "the record does not show what its document says");
    } else if (has_owner != summary.has_started && !is_claim) {
        sim_store_fail(store, has_owner ? "an owner at rest" : "work runs without an owner");
    }
    stf__arena_done(&arena);
}

static void check_order(sim_store *store, const stf_save *save)
{
    const stf_record *record = save->record;
    const sim_book *book = book_of(store, record);
    bool is_repeated = memcmp(&save->attempt, &book->attempt, sizeof(book->attempt)) == 0 &&
                       save->expected_version + 1 == book->version;
    if (save->expected_version != book->version && !is_repeated) {
        sim_store_fail(store, "expects version %lld, the store has %lld",
                       (long long)save->expected_version, (long long)book->version);
    }
    if (record->lease.incarnation < book->incarnation) {
        sim_store_fail(store, "the incarnation goes down from %lld to %lld",
                       (long long)book->incarnation, (long long)record->lease.incarnation);
    }
    if (stf_record_status_is_terminal(book->status) && !is_repeated) {
        sim_store_fail(store, "an ended instance is saved again");
    }
    if (record->status == STF_RECORD_ACTIVE && record->lease.owner.size == 0 &&
        stf_wall_is_none(record->due) && record->wait_count == 0) {
        sim_store_fail(store, "R8: active, and nothing would find it");
    }
}

void sim_save_check(sim_store *store, const stf_save *save)
{
    if (save->expected_version == 0 && book_of(store, save->record)->version != 0) {
        return; /* a start that is asked for again: the store refuses it */
    }
    check_order(store, save);
    stf__doc *doc = decode(store, save);
    if (doc == NULL) {
        return;
    }
    bool has_head = (save->flags & STF_SAVE_KEEP_HEAD) == 0;
    if (has_head &&
        stf__doc_find_save(doc, save->expected_version + 1, save->attempt) != STF__RING_FOUND) {
        sim_store_fail(store, "the save is not in its own ring");
    }
    check_summary(store, save, doc);
    check_bytes(store, save, doc);
    stf__doc_free(doc);
}

/* ---- The book -------------------------------------------------------------------------------- */

static void keep(stf_buf *buf, stf_bytes bytes)
{
    stf_buf_clear(buf);
    if (stf_buf_append(buf, bytes.data, bytes.size) != STF_OK) {
        abort();
    }
}

static void note_document(sim_store *store, sim_book *book, const stf__doc *doc, unsigned instance)
{
    stf__work_item item;
    book->started.count = 0;
    book->due_count = 0;
    for (uint64_t after = 0; stf__doc_next_work(doc, after, &item); after = item.activation) {
        sim_work_id id = {
            .instance = instance, .attempt = item.attempt, .activation = item.activation};
        size_t size = item.element.size < sizeof(id.element) ? item.element.size : 0;
        memcpy(id.element, item.element.data, size);
        if (item.is_started && !sim_work_set_add(&book->started, &id)) {
            sim_store_fail(store, "more work than the simulation keeps");
        }
    }
    for (size_t i = 0; i < doc->parked_count; i++) {
        store->surplus += doc->parked[i].count > 1 ? 1 : 0;
    }
    store->yields += doc->ready_count != 0 ? 1 : 0;
    for (size_t i = 0; i < doc->timer_count && book->due_count < SIM_TIMERS_MAX; i++) {
        book->dues[book->due_count++] = doc->timers[i].due.us;
    }
}

void sim_save_note(sim_store *store, const stf_save *save, const stf_save_result *result)
{
    const stf_record *record = save->record;
    sim_book *book = book_of(store, record);
    if (save->expected_version != book->version) {
        sim_store_fail(store, "the store took version %lld after %lld",
                       (long long)save->expected_version + 1, (long long)book->version);
    }
    if (result->rec_version != save->expected_version + 1 ||
        memcmp(&result->attempt, &save->attempt, sizeof(save->attempt)) != 0) {
        sim_store_fail(store, "the store answers another version or attempt");
    }
    if ((save->flags & STF_SAVE_KEEP_HEAD) == 0) {
        keep(&book->head, record->head);
    }
    if ((save->flags & STF_SAVE_KEEP_BULK) == 0) {
        keep(&book->bulk, record->bulk);
    }
    book->version = result->rec_version;
    book->attempt = result->attempt;
    book->incarnation = record->lease.incarnation;
    book->status = record->status;
    stf__doc *doc = decode(store, save);
    if (doc != NULL) {
        note_document(store, book, doc, sim_instance_of(record->id));
        stf__doc_free(doc);
    }
}
