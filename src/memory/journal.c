/* SPDX-License-Identifier: Apache-2.0 */
/* The journal: each save's rows are one block at the end of the record's list. They go with their
 * record. */
#include "base/arena.h"
#include "memory/private.h"

#include <string.h>

static size_t text_size(const stf_save *save)
{
    size_t size = 0;
    for (size_t i = 0; i < save->journal_count; i++) {
        size += save->journal[i].element.size + save->journal[i].detail.size; /* both limited */
    }
    return size;
}

static stf_str copy_text(char **at, stf_str text)
{
    stf_str copy = {*at, text.size};
    if (text.size != 0) {
        memcpy(*at, text.data, text.size);
    }
    *at += text.size;
    return copy;
}

/* One block; none for a save without rows. */
stf_status stf__journal_copy(const stf_memory *memory, const stf_save *save,
                             stf__journal_block **ret_block)
{
    if (save->journal_count == 0) {
        *ret_block = NULL;
        return STF_OK;
    }
    size_t head_size = sizeof(stf__journal_block) + save->journal_count * sizeof(stf_journal_row);
    char *memory_block = stf__mem_zalloc(&memory->alloc, head_size + text_size(save));
    if (memory_block == NULL) {
        return STF_NO_MEMORY;
    }
    stf__journal_block *block = (stf__journal_block *)(void *)memory_block;
    char *at = memory_block + head_size;
    block->count = save->journal_count;
    for (size_t i = 0; i < block->count; i++) {
        block->rows[i] = save->journal[i];
        block->rows[i].element = copy_text(&at, save->journal[i].element);
        block->rows[i].detail = copy_text(&at, save->journal[i].detail);
    }
    *ret_block = block;
    return STF_OK;
}

/* ---- Pages ------------------------------------------------------------------------------- */

typedef struct journal_item {
    struct journal_item *next;
    int64_t version;
    uint64_t position;
    stf_journal_row row;
} journal_item;

typedef struct journal_page {
    stf__arena arena;
    journal_item *first;
    journal_item **last;
    size_t count;
} journal_page;

static stf_status add(journal_page *page, const stf__journal_block *block, size_t index)
{
    journal_item *item = stf__arena_zalloc(&page->arena, sizeof(*item));
    if (item == NULL) {
        return STF_NO_MEMORY;
    }
    item->version = block->version;
    item->position = index + 1;
    item->row = block->rows[index];
    if (stf__arena_copy_str(&page->arena, item->row.element, &item->row.element) != STF_OK ||
        stf__arena_copy_str(&page->arena, item->row.detail, &item->row.detail) != STF_OK) {
        return STF_NO_MEMORY;
    }
    *page->last = item;
    page->last = &item->next;
    page->count++;
    return STF_OK;
}

/* Position 0 means that the whole of after_version was seen. */
static stf_status collect(journal_page *page, const stf__row *row, const stf_journal_query *query)
{
    for (const stf__journal_block *block = row->journal; block != NULL; block = block->next) {
        bool is_split = block->version == query->after_version && query->after_position != 0;
        if (block->version < query->after_version ||
            (block->version == query->after_version && !is_split)) {
            continue;
        }
        size_t index = 0;
        if (is_split) {
            index =
                query->after_position < block->count ? (size_t)query->after_position : block->count;
        }
        for (; index < block->count; index++) {
            if (page->count == query->limit) {
                return STF_OK;
            }
            if (add(page, block, index) != STF_OK) {
                return STF_NO_MEMORY;
            }
        }
    }
    return STF_OK;
}

stf_status stf__memory_journal_page(void *impl, const stf_ctx *ctx, const stf_journal_query *query,
                                    stf_journal_visitor visit, void *user, stf_error *error)
{
    (void)ctx;
    stf_memory *memory = impl;
    journal_page page = {.first = NULL};
    page.last = &page.first;
    stf__arena_init(&page.arena, &memory->alloc);
    stf__memory_lock(memory);
    const stf__row *row = stf__map_get(&memory->records, query->id);
    stf_status status = row != NULL ? collect(&page, row, query) : STF_OK;
    stf__memory_unlock(memory);
    if (status != STF_OK) {
        status = stf__memory_no_memory(error);
    }
    for (journal_item *item = page.first; item != NULL && status == STF_OK; item = item->next) {
        status = visit(user, item->version, item->position, &item->row, error);
    }
    stf__arena_done(&page.arena);
    return status;
}
