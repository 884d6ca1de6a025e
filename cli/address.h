/* SPDX-License-Identifier: Apache-2.0 */
/* INSTANCE:NUMBER: how lists print tasks, jobs and incidents, and commands take them. */
#ifndef CLI_ADDRESS_H
#define CLI_ADDRESS_H

#include "options.h"

typedef struct cli_address {
    stf_str instance;
    uint64_t number;
    stf_str element; /* with number 0: the only one there; empty: the only one */
} cli_address;

/* The argument if one was given, else --instance, with --element where that is needed or given.
 * what ("task") names it in complaints and in the list that prints it. False: complained. */
bool cli_address_find(const cli_options *options, const char *what, bool needs_element,
                      cli_address *ret_address);

#endif
