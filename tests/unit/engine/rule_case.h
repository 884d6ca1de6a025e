/* SPDX-License-Identifier: Apache-2.0 */
/* Rules that need a store to show: played with two engines on it, whatever store it is. Both are
 * open and have the same clock; c has handlers where a play says so. */
#ifndef STF_TESTS_RULE_CASE_H
#define STF_TESTS_RULE_CASE_H

#include "unit/engine/engine_case.h"

/* R3: the answer of a commit is lost, another engine steps the record, the commit is repeated. */
void rule_case_step_between_commit_and_repeat(engine_case *c, engine_case *other, bool applies);
/* R4: whoever looks from outside sees the save before its handler, its facts or its answer. c has
 * handlers for all topics. */
void rule_case_effects_follow_their_saves(engine_case *c, engine_case *witness);
/* R9: between load and save the record is deleted and made again. */
void rule_case_made_again_under_the_save(engine_case *c, engine_case *other);
/* R16: one of the records of a batch has changed meanwhile. */
void rule_case_lost_row_in_a_batch(engine_case *c, engine_case *other);
/* R14: a turn of other comes before each call of that name (of the store) of c, until all that is
 * due is done. Both have a batch of RULE_CASE_BATCH. */
#define RULE_CASE_BATCH 16u
#define RULE_CASE_HERD 400
typedef struct rule_case_herd {
    const char *call;
    size_t fired[2]; /* by c and by other */
    size_t lost;     /* saves of c */
    size_t loaded;   /* by c */
    bool has_left;   /* c was seen to begin somewhere else */
} rule_case_herd;
void rule_case_play_herd(engine_case *c, engine_case *other, rule_case_herd *herd);

#endif
