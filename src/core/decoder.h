/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the decoder share: a reader whose first failure sticks, so that only loops ask
 * whether all is fine. decode.c has the functions but those that decode_outside.c is named for. */
#ifndef STF_CORE_DECODER_H
#define STF_CORE_DECODER_H

#include "core/codec.h"
#include "value/cbor.h"

typedef struct stf__decoder {
    stf__cbor_reader head;
    stf__cbor_reader bulk;
    size_t bulk_count; /* values of bulk that the head has named */
    stf__doc *doc;
    unsigned schema;
    const char *part; /* for the message */
} stf__decoder;

static inline bool stf__decoder_is_fine(const stf__decoder *in)
{
    return in->head.status == STF_OK;
}

void stf__decoder_fail(stf__decoder *in, stf_status status);
void stf__decoder_require(stf__decoder *in, bool holds);
/* An array of exactly so many, or of as many as come. */
void stf__decoder_begin(stf__decoder *in, const char *part, size_t count);
size_t stf__decoder_begin_list(stf__decoder *in, const char *part);
uint64_t stf__decoder_get_uint(stf__decoder *in, uint64_t max);
stf_wall stf__decoder_get_time(stf__decoder *in);
stf_wall stf__decoder_get_time_or_null(stf__decoder *in);
/* A number of a list that must grow from one entry to the next. */
uint64_t stf__decoder_get_next(stf__decoder *in, uint64_t last, uint64_t max);
/* Interned; at most bytes_max. */
stf_str stf__decoder_get_text(stf__decoder *in, size_t bytes_max);
stf_str stf__decoder_get_id(stf__decoder *in); /* not empty */
/* Borrowed from the input. */
stf_str stf__decoder_peek_text(stf__decoder *in, size_t bytes_max);
void stf__decoder_get_block(stf__decoder *in, uint8_t *block, size_t size);
/* A value with the size of its encoding; NULL on failure. */
stf_value *stf__decoder_get_value(stf__decoder *in, stf__cbor_reader *from, size_t *ret_bytes);

/* ---- decode_outside.c: what has to do with other records, and waits */
void stf__decoder_get_waits(stf__decoder *in);
void stf__decoder_get_incidents(stf__decoder *in);
void stf__decoder_get_caller(stf__decoder *in);
void stf__decoder_get_outbox(stf__decoder *in);
void stf__decoder_get_heard(stf__decoder *in);

#endif
