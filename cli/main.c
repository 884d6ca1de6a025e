/* SPDX-License-Identifier: Apache-2.0 */
/* The program: finds the command, parses its options, runs it. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "help.h"
#include "output.h"
#include "signals.h"

/* A standard descriptor that the caller closed would be given to the store or to the cancel token,
 * which would then be printed into. What takes its place still refuses to be written. */
static void fill_standard_descriptors(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) < 0) {
            (void)open("/dev/null", O_RDONLY); /* the lowest free number, which is fd */
        }
    }
}

/* Flushes, so that a full disk under standard output is not taken for success. */
static cli_exit_code flush(cli_exit_code code)
{
    if (fflush(stdout) != 0 || ferror(stdout) != 0) {
        cli_complain("standard output could not be written");
        return code == CLI_EXIT_OK ? CLI_EXIT_FAILED : code;
    }
    return code;
}

static cli_exit_code run_command(const cli_command *command, int count, char *const *arguments)
{
    cli_options options;
    memset(&options, 0, sizeof options);
    cli_exit_code code = CLI_EXIT_USAGE;
    stf_cancel *cancel = NULL;
    stf_error error = STF_ERROR_INIT;
    if (!cli_options_parse(count, arguments, command->options, &options)) {
        cli_complain("see: stepfast %s --help", command->name);
    } else if (options.is_help) {
        cli_help_print_command(command);
        code = CLI_EXIT_OK;
    } else if (options.positional_count < command->positional_min ||
               options.positional_count > command->positional_max) {
        cli_complain("usage: stepfast %s [OPTION...] %s", command->name, command->arguments);
    } else if (stf_cancel_new(NULL, &cancel, &error) != STF_OK) {
        code = cli_report(&error);
    } else {
        for (size_t i = 0; i < options.handlers.count; i++) {
            options.handlers.items[i].command.timeout_us = options.handler_timeout_us;
        }
        cli_signals_install(cancel);
        code = command->run(&options, cancel);
    }
    cli_options_done(&options);
    return code; /* the cancel token lives on: a signal may still come */
}

static bool is_help_word(const char *word)
{
    return strcmp(word, "help") == 0 || strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

static cli_exit_code print_help(int count, char *const *words)
{
    int taken = 0;
    const cli_command *command = cli_command_find(count, words, &taken);
    if (command != NULL) {
        cli_help_print_command(command);
    } else if (count == 0) {
        cli_help_print();
    } else if (cli_command_is_group(words[0])) {
        cli_help_print_group(words[0]);
    } else {
        cli_complain("there is no command \"%s\"; see: stepfast --help", words[0]);
        return CLI_EXIT_USAGE;
    }
    return CLI_EXIT_OK;
}

/* The words name no command. */
static cli_exit_code explain(int count, char *const *words)
{
    if (count == 0) {
        cli_complain("which command? See: stepfast --help");
    } else if (is_help_word(words[0])) {
        return print_help(count - 1, words + 1);
    } else if (strcmp(words[0], "--version") == 0) {
        return cli_version(&(cli_options){0}, NULL);
    } else if (!cli_command_is_group(words[0])) {
        cli_complain("there is no command \"%s\"; see: stepfast --help", words[0]);
    } else if (count > 1 && is_help_word(words[1])) {
        return print_help(1, words);
    } else {
        cli_complain("which command of \"%s\"? See: stepfast %s --help", words[0], words[0]);
    }
    return CLI_EXIT_USAGE;
}

int main(int argc, char **argv)
{
    int count = argc > 0 ? argc - 1 : 0;
    int taken = 0;
    fill_standard_descriptors();
    const cli_command *command = cli_command_find(count, argv + 1, &taken);
    return (int)flush(command != NULL ? run_command(command, count - taken, argv + 1 + taken)
                                      : explain(count, argv + 1));
}
