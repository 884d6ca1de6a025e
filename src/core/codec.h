/* SPDX-License-Identifier: Apache-2.0 */
/* The stored form of a document, schema 1. Plain bytes "STFD", the schema as two bytes big-endian,
 * then one deterministic CBOR array of STF__CODEC_FIELDS fields (RFC 8949 4.2):
 *
 *    0 id                    1 definition key          2 definition version
 *    3 creation nonce        4 created                 5 end: null or [how, element, at]
 *    6 counters [activation, incident, timer, sequence, yields]
 *    7 scopes [[number, parent, activation, [[name, is_in_bulk, value or bytes in bulk]...]]]
 *    8 tokens on their way [[scope, node, flow, since]...]
 *    9 tokens at joins [[scope, node, flow, since, count]...]
 *   10 activations [[number, scope, element, flow, phase, active_for, since, work]...], work null
 *      or [state, attempt, definitive, is_started, task and handler is_idempotent, incarnation,
 *      topic]
 *   11 waits [[kind, number, activation, element, due]...]
 *   12 incidents [[number, activation, kind, line, opened, code, message]...]
 *   13 iterations   14 compensation ledger   15 sweep position   16 call links   17 outbox
 *   18 senders heard: empty (0 for the position) until the issue that defines them; anything else
 *      is CORRUPT to this version
 *   19 last writer [owner, incarnation, at]
 *   20 save ring [[version, attempt]...], oldest first
 *
 * Times are microseconds. A value of more than STF__CODEC_HEAD_VALUE_BYTES is in bulk: one CBOR
 * array of those values in the order of their variables; without any, bulk is empty. A later schema
 * keeps the magic and the place of its number; this version reads schema 1 for ever. */
#ifndef STF_CORE_CODEC_H
#define STF_CORE_CODEC_H

#include "core/doc.h"

#define STF__CODEC_FIELDS 21u
#define STF__CODEC_MAGIC "STFD"
#define STF__CODEC_PREFIX_BYTES 6u
#define STF__CODEC_HEAD_VALUE_BYTES 256u

#endif
