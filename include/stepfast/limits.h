/* SPDX-License-Identifier: Apache-2.0 */
/* Every limit on what input can grow, in one place. Crossing one is answered by
 * STF_LIMIT_EXCEEDED before anything is written. */
#ifndef STEPFAST_LIMITS_H
#define STEPFAST_LIMITS_H

/* names, ids, keys, topics: bytes of UTF-8 */
#define STF_LIMIT_ID_BYTES 255

/* the two parts of a record's payload, together */
#define STF_LIMIT_PAYLOAD_BYTES 16777216u /* 16 MiB */
#define STF_LIMIT_WAITS 65536u
#define STF_LIMIT_WAIT_KEY_BYTES (2 * STF_LIMIT_ID_BYTES + 1) /* a name, NUL, a correlation key */
#define STF_LIMIT_BATCH 10000u                                /* records of one batch */

/* the journal rows of one save, and the detail text of one row */
#define STF_LIMIT_JOURNAL_ROWS 65536u
#define STF_LIMIT_JOURNAL_DETAIL_BYTES 4096u

/* BPMN files */
#define STF_LIMIT_XML_BYTES 33554432u /* 32 MiB */
#define STF_LIMIT_XML_DEPTH 200u
#define STF_LIMIT_XML_TOKEN_BYTES 1048576u /* 1 MiB: one tag with its attributes; one text */
#define STF_LIMIT_XML_ATTRIBUTES 256u
#define STF_LIMIT_MODEL_ELEMENTS 100000u
#define STF_LIMIT_DIAGNOSTICS 1000u

/* values */
#define STF_LIMIT_VALUE_DEPTH 64u
#define STF_LIMIT_VALUE_BYTES 8388608u /* 8 MiB */
#define STF_LIMIT_LIST_ITEMS 100000u

/* expressions */
#define STF_LIMIT_EXPR_BYTES 65536u /* 64 KiB */
#define STF_LIMIT_EXPR_DEPTH 100u
#define STF_LIMIT_EXPR_STEPS 100000u /* one evaluation */

/* the engine */
#define STF_LIMIT_STEP_MOVES 1000u /* token moves before a turn yields and saves */
/* Yields in a row without a wait before an incident, in addition to one for each turn's worth of
 * nodes and flows: a process without a loop needs about one move for each of those. */
#define STF_LIMIT_YIELDS 10u
#define STF_LIMIT_INBOX 65536u           /* posted and not yet taken; full is STF_UNAVAILABLE */
#define STF_LIMIT_TOKENS 10000u          /* live tokens and activations of one instance */
#define STF_LIMIT_SUBSCRIPTIONS 50000u   /* messages that one instance waits for */
#define STF_LIMIT_OUTBOX 10000u          /* messages and calls of one instance on their way */
#define STF_LIMIT_QUEUE 1000u            /* messages of one name and key that nobody waits for */
#define STF_LIMIT_SENDERS 10000u         /* heard within a day; of more, the oldest is forgotten */
#define STF_LIMIT_SCOPE_DEPTH 200u       /* sub-processes inside each other */
#define STF_LIMIT_CALL_DEPTH 1000u       /* called instances below each other */
#define STF_LIMIT_PAGE 10000u            /* rows of one page */
#define STF_LIMIT_HANDLER_BYTES 4194304u /* 4 MiB: what a command handler may print */

#endif
