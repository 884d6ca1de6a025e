/* SPDX-License-Identifier: Apache-2.0 */
/* See help.h. */
#include "help.h"

#include <stdio.h>
#include <string.h>

static void print_exit_codes(void)
{
    fputs("\nexit codes:\n", stdout);
#define PRINT_CODE(name, number, text) printf("  %2d  %s\n", number, text);
    CLI_EXIT_MAP(PRINT_CODE)
#undef PRINT_CODE
}

void cli_help_print(void)
{
    fputs("stepfast: run BPMN processes durably\n\n"
          "usage: stepfast COMMAND [OPTION...] [ARGUMENT...]\n\ncommands:\n",
          stdout);
    for (size_t i = 0; i < cli_command_count(); i++) {
        printf("  %-14s %s\n", cli_command_at(i)->name, cli_command_at(i)->summary);
    }
    fputs("\nstepfast COMMAND --help says more. An example:\n"
          "  stepfast run order.bpmn --store sqlite:orders.db --var amount=250 --handler "
          "'*=./do.sh'\n"
          "\nenvironment:\n  STEPFAST_STORE  the store when --store is not given\n",
          stdout);
    print_exit_codes();
}

void cli_help_print_group(const char *word)
{
    size_t size = strlen(word);
    printf("usage: stepfast %s COMMAND [OPTION...] [ARGUMENT...]\n\ncommands:\n", word);
    for (size_t i = 0; i < cli_command_count(); i++) {
        const cli_command *command = cli_command_at(i);
        if (strncmp(command->name, word, size) == 0 && command->name[size] == ' ') {
            printf("  %-14s %s\n", command->name, command->summary);
        }
    }
    printf("\nstepfast %s COMMAND --help says more.\n", word);
    print_exit_codes();
}

void cli_help_print_command(const cli_command *command)
{
    printf("usage: stepfast %s [OPTION...]%s%s\n\n%s\n", command->name,
           command->arguments[0] != '\0' ? " " : "", command->arguments, command->summary);
    if (command->details != NULL) {
        printf("\n%s\n", command->details);
    }
    fputs("\noptions:\n", stdout);
    for (uint32_t i = 0; i < CLI_OPTION_COUNT; i++) {
        if ((command->options & (UINT64_C(1) << i)) != 0) {
            const cli_option_info *info = cli_option_get_info((cli_option_number)i);
            char name[64];
            snprintf(name, sizeof name, "--%s%s%s", info->name, info->argument != NULL ? " " : "",
                     info->argument != NULL ? info->argument : "");
            printf("  %-28s %s\n", name, info->help);
        }
    }
    printf("  %-28s %s\n", "--help", "print this");
    print_exit_codes();
}
