/* SPDX-License-Identifier: Apache-2.0 */
/* The stored form of a document, schema 2. Plain bytes "STFD", the schema as two bytes big-endian,
 * then one deterministic CBOR array of fields (RFC 8949 4.2):
 *
 *    0 id                    1 definition key          2 definition version
 *    3 creation nonce        4 created
 *    5 end: null or [how, element, at, code, message or null]
 *    6 counters [activation, incident, timer, sequence, send, yields]
 *    7 scopes [[number, parent, [[name, is_in_bulk, value or bytes in bulk]...]]...], the process
 *      first
 *    8 tokens on their way [[scope, node, flow, since]...]
 *    9 tokens at joins [[scope, node, flow, since, count]...]
 *   10 activations [[number, scope, element, flow, phase, active_for, since, work, child]...], work
 *      null or [state, attempt, definitive, is_started, task and handler is_idempotent,
 *      incarnation, topic, retries]
 *   11 waits, by number:
 *      [1, number, activation, element, due], a timer,
 *      [2, number, activation, element, due, cycle, anchor, index], one that repeats, or
 *      [3, number, activation, element, name, key, since], a subscription
 *   12 incidents [[number, activation, kind, line, opened, code, message, retry_at or null]...]
 *   13 iterations   14 compensation ledger   15 sweep position: empty (0 for the position) until
 *      the issue that defines them; anything else is CORRUPT to this version
 *   16 caller: null or [id, activation, depth]
 *   17 outbox: null or [due, tries, [[number, sequence, kind, how, activation, element, target,
 *      is_to_queue, target_activation, version, name, key, code, message, variables or null,
 *      until or null, since]...]]
 *   18 senders heard [[nonce, sequence, at]...]
 *   19 last writer [owner, incarnation, at]
 *   20 save ring [[version, attempt]...], oldest first
 *   21 kind of document
 *
 * Times are microseconds. A variable of more than STF__BULK_BYTES_OVER encoded bytes is in bulk:
 * one CBOR array of those values in the order of scopes and variables; without any, bulk is empty.
 * The variables of the outbox are in the head: they leave with one of the next saves, and bulk
 * would be written twice for them.
 *
 * Schema 1 is read for ever, and the next save writes schema 2. It had: no field 21; in 5 no code
 * and message; in 6 no send; 7 exactly [[0, 0, 0, variables]]; in 10 no child, and no retries in
 * work; in 11 kind 1 only; in 12 no retry_at; 16 to 18 empty arrays. A later schema keeps the magic
 * and the place of its number. */
#ifndef STF_CORE_CODEC_H
#define STF_CORE_CODEC_H

#include "core/doc.h"

#define STF__CODEC_FIELDS 22u
#define STF__CODEC_FIELDS_1 21u /* of schema 1 */
#define STF__CODEC_SEND_FIELDS 17u
#define STF__CODEC_MAGIC "STFD"
#define STF__CODEC_PREFIX_BYTES 6u

#endif
