/* SPDX-License-Identifier: Apache-2.0 */
/* Messages between two test processes over a pair of pipes: numbers and byte strings in order. What
 * is read lives until the next message begins. A broken pipe is remembered and gives zeros. */
#ifndef STF_TESTS_WIRE_H
#define STF_TESTS_WIRE_H

#include <stdio.h>
#include <stepfast/sys/repository.h>

typedef struct wire {
    FILE *in;
    FILE *out;
    bool is_broken;
    size_t used;
    char memory[1 << 20];
} wire;

void wire_put_number(wire *w, int64_t number);
void wire_put_bytes(wire *w, const void *data, size_t size);
void wire_put_str(wire *w, stf_str text);
void wire_put_save(wire *w, const stf_save *save);
void wire_put_record(wire *w, const stf_record *record);
void wire_send(wire *w);

void wire_begin(wire *w); /* forgets what was read before */
int64_t wire_get_number(wire *w);
stf_bytes wire_get_bytes(wire *w);
stf_str wire_get_str(wire *w);
/* Room until the next message, zeroed. */
void *wire_memory(wire *w, size_t size);
void wire_get_record(wire *w, stf_record *ret_record);
void wire_get_save(wire *w, stf_record *ret_record, stf_save *ret_save);

#endif
