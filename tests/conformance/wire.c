/* SPDX-License-Identifier: Apache-2.0 */
/* See wire.h. Both ends are the same program on the same machine, so numbers go as they are. */
#include "conformance/wire.h"

#include <stdlib.h>
#include <string.h>

static void put(wire *w, const void *data, size_t size)
{
    if (size != 0 && fwrite(data, 1, size, w->out) != size) {
        w->is_broken = true;
    }
}

static void get(wire *w, void *data, size_t size)
{
    if (size != 0 && (w->is_broken || fread(data, 1, size, w->in) != size)) {
        w->is_broken = true;
        memset(data, 0, size);
    }
}

void wire_put_number(wire *w, int64_t number)
{
    put(w, &number, sizeof(number));
}

void wire_put_bytes(wire *w, const void *data, size_t size)
{
    wire_put_number(w, (int64_t)size);
    put(w, data, size);
}

void wire_put_str(wire *w, stf_str text)
{
    wire_put_bytes(w, text.data, text.size);
}

static void put_attempt(wire *w, stf_attempt attempt)
{
    put(w, attempt.bytes, sizeof(attempt.bytes));
}

static stf_attempt get_attempt(wire *w)
{
    stf_attempt attempt;
    get(w, attempt.bytes, sizeof(attempt.bytes));
    return attempt;
}

void wire_put_record(wire *w, const stf_record *record)
{
    wire_put_str(w, record->id);
    wire_put_str(w, record->group);
    wire_put_str(w, record->tenant);
    wire_put_bytes(w, record->head.data, record->head.size);
    wire_put_bytes(w, record->bulk.data, record->bulk.size);
    wire_put_str(w, record->lease.owner);
    wire_put_number(w, record->lease.incarnation);
    wire_put_number(w, record->lease.expiry.us);
    wire_put_number(w, record->rec_version);
    put_attempt(w, record->attempt);
    wire_put_number(w, record->due.us);
    wire_put_str(w, record->label_key);
    wire_put_number(w, record->label_version);
    wire_put_number(w, record->created.us);
    wire_put_number(w, record->updated.us);
    wire_put_number(w, record->status);
    wire_put_number(w, (int64_t)record->wait_count);
    for (size_t i = 0; i < record->wait_count; i++) {
        wire_put_number(w, record->waits[i].kind);
        wire_put_str(w, record->waits[i].key);
        wire_put_number(w, record->waits[i].since.us);
        wire_put_number(w, record->waits[i].until.us);
    }
}

void wire_put_save(wire *w, const stf_save *save)
{
    wire_put_record(w, save->record);
    wire_put_number(w, save->flags);
    wire_put_number(w, save->expected_version);
    put_attempt(w, save->attempt_seen);
    put_attempt(w, save->attempt);
    wire_put_number(w, save->lease_duration_us);
}

void wire_send(wire *w)
{
    if (fflush(w->out) != 0) {
        w->is_broken = true;
    }
}

void wire_begin(wire *w)
{
    w->used = 0;
}

int64_t wire_get_number(wire *w)
{
    int64_t number;
    get(w, &number, sizeof(number));
    return number;
}

void *wire_memory(wire *w, size_t size)
{
    size_t needed = (size + 15) / 16 * 16;
    if (size > sizeof(w->memory) || needed > sizeof(w->memory) - w->used) {
        abort(); /* a test that sends more than that is wrong */
    }
    void *memory = w->memory + w->used;
    w->used += needed;
    memset(memory, 0, size);
    return memory;
}

stf_bytes wire_get_bytes(wire *w)
{
    size_t size = (size_t)wire_get_number(w);
    uint8_t *data = wire_memory(w, size);
    get(w, data, size);
    return (stf_bytes){data, size};
}

stf_str wire_get_str(wire *w)
{
    stf_bytes bytes = wire_get_bytes(w);
    return (stf_str){(const char *)bytes.data, bytes.size};
}

void wire_get_record(wire *w, stf_record *ret_record)
{
    *ret_record = (stf_record)STF_RECORD_INIT;
    ret_record->id = wire_get_str(w);
    ret_record->group = wire_get_str(w);
    ret_record->tenant = wire_get_str(w);
    ret_record->head = wire_get_bytes(w);
    ret_record->bulk = wire_get_bytes(w);
    ret_record->lease.owner = wire_get_str(w);
    ret_record->lease.incarnation = wire_get_number(w);
    ret_record->lease.expiry.us = wire_get_number(w);
    ret_record->rec_version = wire_get_number(w);
    ret_record->attempt = get_attempt(w);
    ret_record->due.us = wire_get_number(w);
    ret_record->label_key = wire_get_str(w);
    ret_record->label_version = wire_get_number(w);
    ret_record->created.us = wire_get_number(w);
    ret_record->updated.us = wire_get_number(w);
    ret_record->status = (uint32_t)wire_get_number(w);
    ret_record->wait_count = (size_t)wire_get_number(w);
    stf_wait *waits = wire_memory(w, ret_record->wait_count * sizeof(*waits));
    for (size_t i = 0; i < ret_record->wait_count; i++) {
        waits[i].kind = (uint32_t)wire_get_number(w);
        waits[i].key = wire_get_str(w);
        waits[i].since.us = wire_get_number(w);
        waits[i].until.us = wire_get_number(w);
    }
    ret_record->waits = waits;
}

void wire_get_save(wire *w, stf_record *ret_record, stf_save *ret_save)
{
    wire_get_record(w, ret_record);
    *ret_save = (stf_save)STF_SAVE_INIT;
    ret_save->record = ret_record;
    ret_save->flags = (uint32_t)wire_get_number(w);
    ret_save->expected_version = wire_get_number(w);
    ret_save->attempt_seen = get_attempt(w);
    ret_save->attempt = get_attempt(w);
    ret_save->lease_duration_us = wire_get_number(w);
}
