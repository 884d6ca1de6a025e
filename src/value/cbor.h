/* SPDX-License-Identifier: Apache-2.0 */
/* Deterministic CBOR (RFC 8949 4.2.1): shortest heads, definite lengths, sorted map keys by the
 * caller. The reader is strict: what the writer would not have written is CORRUPT. */
#ifndef STF_VALUE_CBOR_H
#define STF_VALUE_CBOR_H

#include <stepfast/value.h>

/* ---- Writing: appends to a buffer; the first failure sticks. */
typedef struct stf__cbor_writer {
    stf_buf *buf;
    stf_status status; /* OK until something failed */
} stf__cbor_writer;

void stf__cbor_put_uint(stf__cbor_writer *writer, uint64_t number);
void stf__cbor_put_int(stf__cbor_writer *writer, int64_t number);
void stf__cbor_put_bytes(stf__cbor_writer *writer, stf_bytes bytes);
void stf__cbor_put_text(stf__cbor_writer *writer, stf_str text);
void stf__cbor_put_array(stf__cbor_writer *writer, size_t count);
void stf__cbor_put_map(stf__cbor_writer *writer, size_t count);
void stf__cbor_put_bool(stf__cbor_writer *writer, bool is_true);
void stf__cbor_put_null(stf__cbor_writer *writer);
void stf__cbor_put_value(stf__cbor_writer *writer, const stf_value *value);

/* ---- Reading: from bytes; the first failure sticks and every later get answers zero. */
typedef struct stf__cbor_reader {
    const uint8_t *at;
    const uint8_t *end;
    stf_status status; /* OK, CORRUPT, LIMIT_EXCEEDED, NO_MEMORY */
} stf__cbor_reader;

void stf__cbor_reader_init(stf__cbor_reader *reader, stf_bytes bytes);
uint64_t stf__cbor_get_uint(stf__cbor_reader *reader);
int64_t stf__cbor_get_int(stf__cbor_reader *reader);
stf_bytes stf__cbor_get_bytes(stf__cbor_reader *reader); /* borrowed from the input */
stf_str stf__cbor_get_text(stf__cbor_reader *reader);    /* borrowed; valid UTF-8 */
/* Never more than what the rest of the input can hold (each item takes a byte). */
size_t stf__cbor_get_array(stf__cbor_reader *reader);
size_t stf__cbor_get_map(stf__cbor_reader *reader);
bool stf__cbor_get_bool(stf__cbor_reader *reader);
bool stf__cbor_is_null(stf__cbor_reader *reader); /* takes it when it is */
/* NULL on failure; one reference otherwise. */
stf_value *stf__cbor_get_value(stf__cbor_reader *reader, const stf_allocator *alloc);
/* CORRUPT unless everything was read. */
stf_status stf__cbor_reader_finish(stf__cbor_reader *reader);

#endif
