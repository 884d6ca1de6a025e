/* SPDX-License-Identifier: Apache-2.0 */
/* Questions about the shape of a process that rules ask. Linear in the size of the process. */
#ifndef STF_BPMN_GRAPH_H
#define STF_BPMN_GRAPH_H

#include "bpmn/build.h"

/* An exclusive gateway from which two of the join's incoming flows come, through nodes that have
 * one way in and one way out only; STF__NONE: there is none. */
uint32_t stf__graph_find_exclusive_origin(stf__builder *builder, const stf__node *join);

/* Calls visit for each set of connected nodes that lie on loops where nothing ever waits, with
 * their indices in file order. */
void stf__graph_each_loop(stf__builder *builder,
                          void (*visit)(stf__builder *builder, const uint32_t *members,
                                        uint32_t count));

#endif
