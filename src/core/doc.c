/* SPDX-License-Identifier: Apache-2.0 */
/* The document's making and end, its identity, its texts, and the save ring (R3). */
#include "core/doc.h"

#include <string.h>

stf_status stf__doc_no_memory(stf_error *error)
{
    return stf_error_set(error, STF_NO_MEMORY, "CORE", "out of memory");
}

void *stf__doc_grow(const stf_allocator *alloc, void *items, size_t count, size_t *capacity,
                    size_t item_size)
{
    if (count < *capacity) {
        return items;
    }
    size_t wanted = *capacity == 0 ? 4 : *capacity * 2;
    void *grown = stf__mem_realloc_array(alloc, items, wanted, item_size);
    if (grown != NULL) {
        *capacity = wanted;
    }
    return grown;
}

stf_status stf__doc_intern(stf__doc *doc, stf_str text, stf_str *ret_text, stf_error *error)
{
    if (text.size == 0) {
        *ret_text = (stf_str){NULL, 0};
        return STF_OK;
    }
    /* The value is the text's own first byte; the key's size is the text's. */
    char *known = stf__map_get(&doc->text_index, text);
    if (known != NULL) {
        *ret_text = (stf_str){known, text.size};
        return STF_OK;
    }
    char *copy = stf__arena_alloc(&doc->texts, text.size);
    if (copy == NULL) {
        return stf__doc_no_memory(error);
    }
    memcpy(copy, text.data, text.size);
    stf_str own = {copy, text.size};
    if (stf__map_put(&doc->text_index, own, copy) != STF_OK) {
        return stf__doc_no_memory(error);
    }
    *ret_text = own;
    return STF_OK;
}

static stf_status intern_identity(stf__doc *doc, const stf__doc_identity *identity,
                                  stf_error *error)
{
    doc->identity = *identity;
    doc->identity.kind = identity->kind != 0 ? identity->kind : STF__DOC_INSTANCE;
    stf_status status = stf__doc_intern(doc, identity->id, &doc->identity.id, error);
    if (status == STF_OK) {
        status = stf__doc_intern(doc, identity->process, &doc->identity.process, error);
    }
    return status;
}

stf_status stf__doc_new(const stf_allocator *alloc, const stf__doc_identity *identity,
                        stf__doc **ret_doc, stf_error *error)
{
    if (identity->id.size > STF_LIMIT_ID_BYTES || identity->process.size > STF_LIMIT_ID_BYTES) {
        return stf_error_set(error, STF_LIMIT_EXCEEDED, "CORE",
                             "an instance or process id is longer than %d bytes",
                             STF_LIMIT_ID_BYTES);
    }
    alloc = stf__alloc_or_default(alloc);
    stf__doc *doc = stf__mem_zalloc(alloc, sizeof(*doc));
    if (doc == NULL) {
        return stf__doc_no_memory(error);
    }
    doc->alloc = alloc;
    doc->bulk_version = 1;
    doc->end_at = stf_wall_none();
    doc->written = stf_wall_none();
    doc->outbox_due = stf_wall_none();
    stf__arena_init(&doc->texts, alloc);
    stf__map_init(&doc->text_index, alloc);
    stf_status status = intern_identity(doc, identity, error);
    doc->scopes = stf__doc_grow(alloc, NULL, 0, &doc->scope_capacity, sizeof(*doc->scopes));
    if (status == STF_OK && doc->scopes == NULL) {
        status = stf__doc_no_memory(error);
    }
    if (doc->scopes != NULL) {
        doc->scopes[0] = (stf__scope){.number = 0};
        doc->scope_count = 1;
    }
    if (status != STF_OK) {
        stf__doc_free(doc);
        return status;
    }
    *ret_doc = doc;
    return STF_OK;
}

stf__doc *stf__doc_free(stf__doc *doc)
{
    if (doc == NULL) {
        return NULL;
    }
    const stf_allocator *alloc = doc->alloc;
    stf__doc_clear_flow(doc);
    stf__doc_clear_outbox(doc);
    if (doc->scopes != NULL) {
        stf__scope_done(&doc->scopes[0], alloc);
    }
    stf__mem_free(alloc, doc->scopes);
    stf__mem_free(alloc, doc->end_message);
    stf__mem_free(alloc, doc->ready);
    stf__mem_free(alloc, doc->parked);
    stf__mem_free(alloc, doc->timers);
    stf__mem_free(alloc, doc->subscriptions);
    stf__mem_free(alloc, doc->activations);
    stf__mem_free(alloc, doc->incidents);
    stf__mem_free(alloc, doc->outbox);
    stf__mem_free(alloc, doc->heard);
    stf__map_done(&doc->text_index);
    stf__arena_done(&doc->texts);
    stf__mem_free(alloc, doc);
    return NULL;
}

const stf__doc_identity *stf__doc_peek_identity(const stf__doc *doc)
{
    return &doc->identity;
}

uint64_t stf__doc_get_call_depth(const stf__doc *doc)
{
    return doc->caller.id.size == 0 ? 0 : doc->caller.depth + 1;
}

int64_t stf__doc_get_incarnation(const stf__doc *doc)
{
    return doc->writer_incarnation;
}

void stf__doc_saved(stf__doc *doc)
{
    doc->bulk_saved = doc->bulk_encoded;
}

void stf__doc_note_save(stf__doc *doc, int64_t version, stf_attempt attempt, stf_str writer,
                        int64_t incarnation, stf_wall at)
{
    /* Owners are ids and so never longer; if one were, whole characters are kept. */
    size_t size = writer.size < sizeof(doc->writer) ? writer.size : sizeof(doc->writer);
    while (size > 0 && size < writer.size && ((uint8_t)writer.data[size] & 0xC0) == 0x80) {
        size--;
    }
    if (size > 0) {
        memcpy(doc->writer, writer.data, size);
    }
    doc->writer_bytes = size;
    doc->writer_incarnation = incarnation;
    doc->written = at;
    /* A save that was refused without being written is tried again under the same version: its
     * place is taken over. */
    size_t last = doc->ring_count;
    while (last > 0 && doc->ring[last - 1].version >= version) {
        last--;
    }
    if (last == STF__RING_SAVES) {
        memmove(doc->ring, doc->ring + 1, sizeof(doc->ring) - sizeof(doc->ring[0]));
        last--;
    }
    doc->ring[last] = (stf__ring_entry){.version = version, .attempt = attempt};
    doc->ring_count = last + 1;
}

stf__ring_answer stf__doc_find_save(const stf__doc *doc, int64_t version, stf_attempt attempt)
{
    for (size_t i = 0; i < doc->ring_count; i++) {
        if (doc->ring[i].version == version &&
            memcmp(&doc->ring[i].attempt, &attempt, sizeof(attempt)) == 0) {
            return STF__RING_FOUND;
        }
    }
    /* Versions leave the ring only when it is full. */
    bool is_past = doc->ring_count == STF__RING_SAVES && version < doc->ring[0].version;
    return is_past ? STF__RING_PAST : STF__RING_ABSENT;
}
