/* SPDX-License-Identifier: Apache-2.0 */
/* The memory baseline, and what both references share. See bench_raw.h. */
#include "bench_raw.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void bench_raw_close(bench_raw *raw)
{
    if (raw != NULL) {
        raw->vtable->close(raw);
    }
}

void bench_row_name(bench_row *row, uint64_t number)
{
    snprintf(row->id, sizeof row->id, "00000000-0000-7000-8000-%012llx",
             (unsigned long long)(number & 0xffffffffffffu));
}

/* ---- A hash table of rows -------------------------------------------------------------------- */

typedef struct slot {
    char id[BENCH_ID_BYTES];
    int64_t version; /* 0: free */
    uint8_t *head;
    size_t size;
} slot;

typedef struct table {
    bench_raw base;
    pthread_mutex_t lock;
    slot *slots;
    size_t capacity; /* a power of two */
    size_t count;
    uint8_t *read; /* where reads copy to */
    size_t read_capacity;
} table;

static size_t hash_of(const char *id)
{
    uint64_t hash = 0;
    for (size_t at = 0; at + sizeof hash <= BENCH_ID_BYTES; at += sizeof hash) {
        uint64_t word;
        memcpy(&word, id + at, sizeof word);
        hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 32;
    }
    uint32_t tail; /* the last four of 36 */
    memcpy(&tail, id + BENCH_ID_BYTES - sizeof tail, sizeof tail);
    hash = (hash ^ tail) * 0x9e3779b97f4a7c15u;
    return (size_t)(hash ^ (hash >> 32));
}

static slot *find(const table *self, const char *id)
{
    size_t at = hash_of(id) & (self->capacity - 1);
    while (self->slots[at].version != 0 && memcmp(self->slots[at].id, id, BENCH_ID_BYTES) != 0) {
        at = (at + 1) & (self->capacity - 1);
    }
    return &self->slots[at];
}

static bool grow(table *self)
{
    table larger = *self;
    larger.capacity = self->capacity != 0 ? self->capacity * 2 : 1024;
    larger.slots = calloc(larger.capacity, sizeof *larger.slots);
    if (larger.slots == NULL) {
        return false;
    }
    for (size_t i = 0; i < self->capacity; i++) {
        if (self->slots[i].version != 0) {
            *find(&larger, self->slots[i].id) = self->slots[i];
        }
    }
    free(self->slots);
    self->slots = larger.slots;
    self->capacity = larger.capacity;
    return true;
}

/* A fresh copy for each write, as a store of values makes one. */
static stf_status write_row(table *self, const bench_row *row, stf_error *error)
{
    if (self->count + 1 > self->capacity / 2 && !grow(self)) {
        return stf_error_set(error, STF_NO_MEMORY, "BENCH", "no memory for the raw table");
    }
    slot *found = find(self, row->id);
    if (found->version + 1 != row->version) {
        return stf_error_set(error, STF_INTERNAL, "BENCH", "the raw table has another version");
    }
    uint8_t *head = malloc(row->head.size + 1);
    if (head == NULL) {
        return stf_error_set(error, STF_NO_MEMORY, "BENCH", "no memory for the raw table");
    }
    memcpy(head, row->head.data, row->head.size);
    if (found->version == 0) {
        memcpy(found->id, row->id, BENCH_ID_BYTES);
        self->count++;
    }
    free(found->head);
    found->head = head;
    found->size = row->head.size;
    found->version = row->version;
    return STF_OK;
}

static stf_status write_rows(bench_raw *raw, const bench_row *rows, size_t count, stf_error *error)
{
    table *self = (table *)raw;
    stf_status status = STF_OK;
    (void)pthread_mutex_lock(&self->lock);
    for (size_t i = 0; i < count && status == STF_OK; i++) {
        status = write_row(self, &rows[i], error);
    }
    (void)pthread_mutex_unlock(&self->lock);
    return status;
}

static stf_status read_row(bench_raw *raw, const bench_row *row, size_t *ret_size, stf_error *error)
{
    table *self = (table *)raw;
    stf_status status = STF_OK;
    (void)pthread_mutex_lock(&self->lock);
    const slot *found = self->capacity != 0 ? find(self, row->id) : NULL;
    if (found == NULL || found->version == 0) {
        status = stf_error_set(error, STF_INTERNAL, "BENCH", "the raw table lacks a row");
    } else if (found->size > self->read_capacity) {
        uint8_t *larger = realloc(self->read, found->size);
        self->read = larger != NULL ? larger : self->read;
        self->read_capacity = larger != NULL ? found->size : self->read_capacity;
        status = larger != NULL ? STF_OK : STF_NO_MEMORY;
    }
    if (status == STF_OK && found != NULL) {
        memcpy(self->read, found->head, found->size);
        *ret_size = found->size;
    }
    (void)pthread_mutex_unlock(&self->lock);
    return status;
}

static void close_table(bench_raw *raw)
{
    table *self = (table *)raw;
    for (size_t i = 0; i < self->capacity; i++) {
        free(self->slots[i].head);
    }
    free(self->slots);
    free(self->read);
    (void)pthread_mutex_destroy(&self->lock);
    free(self);
}

stf_status bench_raw_open_memory(bench_raw **ret_raw, stf_error *error)
{
    static const bench_raw_vtable vtable = {write_rows, read_row, close_table};
    table *self = calloc(1, sizeof *self);
    if (self == NULL || pthread_mutex_init(&self->lock, NULL) != 0) {
        free(self);
        return stf_error_set(error, STF_NO_MEMORY, "BENCH", "no memory for the raw table");
    }
    self->base.vtable = &vtable;
    *ret_raw = &self->base;
    return STF_OK;
}
