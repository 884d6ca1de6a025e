/* SPDX-License-Identifier: Apache-2.0 */
/* The options of all commands, parsed through one table (options.def). */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <stepfast/value.h>

#include "handler_command.h"

/* A number per option, then a bit per number. */
typedef enum cli_option_number {
#define CLI_OPTION(bit, name, argument, kind, field, help) CLI_OPTION_NUMBER_##bit,
#include "options.def"
#undef CLI_OPTION
    CLI_OPTION_COUNT
} cli_option_number;

#define CLI_BIT(bit) (UINT64_C(1) << CLI_OPTION_NUMBER_##bit)

enum {
    CLI_HANDLERS_MAX = 64,
    CLI_POSITIONAL_MAX = 64
};

typedef struct cli_handler_option {
    stf_str topic;
    cli_command_handler command;
} cli_handler_option;

typedef struct cli_handlers {
    cli_handler_option items[CLI_HANDLERS_MAX];
    size_t count;
} cli_handlers;

/* Text is borrowed from the arguments of main. */
typedef struct cli_options {
    const char *store;
    const char *id;
    const char *group;
    const char *existing_group;
    const char *tenant;
    const char *process;
    const char *start_event;
    const char *instance_id;
    const char *instance;
    const char *element;
    const char *key;
    const char *reason;
    const char *topic;
    const char *code;
    const char *message;
    const char *only;
    const char *steps;
    bool is_json;
    bool is_verbose;
    bool is_waiting_timers;
    bool is_active_only;
    bool is_history;
    bool is_help;
    bool is_failed;
    bool is_following;
    bool is_restoring;
    bool is_allowing_unsupported;
    int64_t workers;
    int64_t count;
    int64_t version;
    int64_t lease_us;
    int64_t handler_timeout_us;
    int64_t keep_us;
    stf_value *variables; /* a context, or NULL: none given; owned */
    cli_handlers handlers;
    const char *positional[CLI_POSITIONAL_MAX];
    size_t positional_count;
} cli_options;

typedef struct cli_option_info {
    const char *name;
    const char *argument; /* NULL: a flag */
    const char *help;
} cli_option_info;

const cli_option_info *cli_option_get_info(cli_option_number number);

/* Parses arguments (without the command's name) into options that were zeroed; allowed is a set of
 * CLI_BITs. "--help" and "-h" set is_help and end the parsing. False: a usage error was printed,
 * naming the nearest option where there is one. */
bool cli_options_parse(int count, char *const *arguments, uint64_t allowed,
                       cli_options *ret_options);
void cli_options_done(cli_options *options);

#endif
