/* SPDX-License-Identifier: Apache-2.0 */
/* What the files that write random processes share: a text in the making, and what is written into
 * it. Every function appends and answers with the numbers of the nodes that one enters and leaves.
 */
#ifndef STF_TESTS_SIM_GROUP_PROCESS_H
#define STF_TESTS_SIM_GROUP_PROCESS_H

#include "sim/group.h"

typedef struct group_writer {
    sim_random *random;
    group_plan *plan;
    stf_buf outside; /* messages and errors */
    stf_buf inside;  /* processes */
    int nodes;
    int flows;
    int left;      /* blocks that may still be made */
    bool is_child; /* of a called process: nobody outside acts on it */
    bool is_called[8];
} group_writer;

/* What one enters and what one leaves. */
typedef struct group_block {
    int entry;
    int exit;
} group_block;

void group_write_put(group_writer *g, const char *format, ...) STF_PRINTF(2, 3);
void group_write_flow(group_writer *g, int from, int to);
void group_write_flow_if(group_writer *g, int number, int from, int to, const char *condition);
int group_write_node(group_writer *g, const char *element);
bool group_write_chance(group_writer *g, uint32_t percent);
int group_write_work(group_writer *g, const char *topic);
void group_write_outside_boundary(group_writer *g, int of, int merge);
void group_write_error_boundary(group_writer *g, int of, const char *code, bool may_catch_all,
                                int merge);
int group_write_catch(group_writer *g, const char *message);
int group_write_call(group_writer *g, const char *process);
group_block group_write_work_block(group_writer *g);
group_block group_write_user_block(group_writer *g);
group_block group_write_catch_block(group_writer *g);
group_block group_write_event_block(group_writer *g);
group_block group_write_exchange_block(group_writer *g);
group_block group_write_call_block(group_writer *g);
const char *group_write_draw_condition(group_writer *g);

#endif
