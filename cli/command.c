/* SPDX-License-Identifier: Apache-2.0 */
/* See command.h. */
#include "command.h"

#include <string.h>

#define STORE_OPTIONS                                                                              \
    (CLI_BIT(STORE) | CLI_BIT(ID) | CLI_BIT(GROUP) | CLI_BIT(EXISTING_GROUP) | CLI_BIT(TENANT) |   \
     CLI_BIT(JSON))
#define RUN_OPTIONS                                                                                \
    (STORE_OPTIONS | CLI_BIT(VERBOSE) | CLI_BIT(HANDLER) | CLI_BIT(HANDLER_TIMEOUT) |              \
     CLI_BIT(WORKERS) | CLI_BIT(LEASE) | CLI_BIT(WAIT_TIMERS))
#define VARIABLE_OPTIONS (CLI_BIT(VAR) | CLI_BIT(VARS))

static const cli_command commands[] = {
    {"run", "FILE", "deploy a BPMN file, start its process, run it until it ends or waits",
     "Without --store the instance lives in memory and is gone when the command ends. With "
     "several\n"
     "executable processes in the file, --process names the one to start.",
     RUN_OPTIONS | VARIABLE_OPTIONS | CLI_BIT(PROCESS) | CLI_BIT(START_EVENT) |
         CLI_BIT(INSTANCE_ID),
     1, 1, cli_run},
    {"deploy", "FILE...", "store the processes of BPMN files; the same bytes are no new version",
     NULL, STORE_OPTIONS, 1, CLI_POSITIONAL_MAX, cli_deploy},
    {"start", "PROCESS", "start an instance of a deployed process and run it", NULL,
     RUN_OPTIONS | VARIABLE_OPTIONS | CLI_BIT(VERSION) | CLI_BIT(START_EVENT) |
         CLI_BIT(INSTANCE_ID),
     1, 1, cli_start},
    {"resume", "", "go on with what was interrupted: recover, fire overdue timers, run handlers",
     NULL, RUN_OPTIONS, 0, 0, cli_resume},
    {"ps", "", "list the instances of the group", NULL,
     STORE_OPTIONS | CLI_BIT(ACTIVE) | CLI_BIT(PROCESS), 0, 0, cli_ps},
    {"show", "ID", "show one instance: variables, what it waits for, incidents", NULL,
     STORE_OPTIONS | CLI_BIT(HISTORY) | CLI_BIT(FOLLOW), 1, 1, cli_show},
    {"facts", "ID", "print what happened to an instance, and with --follow what happens", NULL,
     STORE_OPTIONS | CLI_BIT(FOLLOW), 1, 1, cli_facts},
    {"engine", "", "stay up and serve a store: handlers, timers, messages, recovery",
     "Several engines may serve one store; what one leaves unfinished another takes over. A signal "
     "ends it:\nwhat runs may finish, the rest is left to the others.",
     (RUN_OPTIONS & ~(CLI_BIT(WAIT_TIMERS) | CLI_BIT(JSON))), 0, 0, cli_engine},
    {"message", "NAME", "give a message to whoever has waited longest for its name and key",
     "Without --keep it is not found when nobody waits.",
     RUN_OPTIONS | VARIABLE_OPTIONS | CLI_BIT(KEY) | CLI_BIT(KEEP), 1, 1, cli_message},
    {"cancel", "ID", "end an instance, with the instances that it called", NULL,
     RUN_OPTIONS | CLI_BIT(REASON), 1, 1, cli_cancel},
    {"incident list", "", "list what stopped and why", NULL, STORE_OPTIONS, 0, 0,
     cli_incident_list},
    {"incident retry", "[INCIDENT]", "do again what an incident stopped, and run what follows",
     "INCIDENT is what `incident list` prints, INSTANCE:NUMBER. Or give --instance.",
     RUN_OPTIONS | CLI_BIT(INSTANCE), 0, 1, cli_incident_retry},
    {"incident resolve", "[INCIDENT]",
     "settle work whose outcome was not known, by what was found out",
     "It is taken for completed, with the variables given; --failed and --code say otherwise.",
     RUN_OPTIONS | VARIABLE_OPTIONS | CLI_BIT(INSTANCE) | CLI_BIT(FAILED) | CLI_BIT(CODE) |
         CLI_BIT(MESSAGE),
     0, 1, cli_incident_resolve},
    {"incident drop", "[INCIDENT]", "take the token away that an incident stopped",
     "An instance with nothing left completes.", RUN_OPTIONS | CLI_BIT(INSTANCE), 0, 1,
     cli_incident_drop},
    {"job list", "", "list the work that no handler has started", NULL,
     STORE_OPTIONS | CLI_BIT(TOPIC), 0, 0, cli_job_list},
    {"job answer", "[JOB]", "say what became of such work, and run what follows",
     "JOB is what `job list` prints, INSTANCE:ACTIVATION. Or give --instance and --element.\n"
     "It is taken for completed, with the variables given; --failed and --code say otherwise.",
     RUN_OPTIONS | VARIABLE_OPTIONS | CLI_BIT(INSTANCE) | CLI_BIT(ELEMENT) | CLI_BIT(FAILED) |
         CLI_BIT(CODE) | CLI_BIT(MESSAGE),
     0, 1, cli_job_answer},
    {"task list", "", "list the user tasks that wait", NULL, STORE_OPTIONS | CLI_BIT(ELEMENT), 0, 0,
     cli_task_list},
    {"task complete", "[TASK]", "complete a user task and run what follows",
     "TASK is what `task list` prints, INSTANCE:ACTIVATION. Or give --instance and --element.",
     RUN_OPTIONS | VARIABLE_OPTIONS | CLI_BIT(INSTANCE) | CLI_BIT(ELEMENT), 0, 1,
     cli_task_complete},
    {"test", "FILE...", "play scenario files against process models; prints TAP",
     "A file holds cases: steps on a virtual clock and what is expected of them. Without --store "
     "each\n"
     "run has a memory store of its own.",
     CLI_BIT(STORE) | CLI_BIT(ONLY) | CLI_BIT(RESTORE) | CLI_BIT(STEPS) |
         CLI_BIT(ALLOW_UNSUPPORTED),
     1, CLI_POSITIONAL_MAX, cli_test},
    {"conformance", "", "check a kind of store against the contract; prints TAP",
     "A SQLite store is checked in a new file beside PATH, which is removed afterwards.",
     CLI_BIT(STORE), 0, 0, cli_conformance},
    {"migrate", "", "bring the schema of a store up to date", NULL, CLI_BIT(STORE) | CLI_BIT(JSON),
     0, 0, cli_migrate},
    {"bench", "", "measure stores and engine here, beside what the same work costs without them",
     "Without --store both kinds are measured. A SQLite store is measured in a new folder beside\n"
     "PATH, else among the temporary files; it is removed afterwards. Figures: port "
     "(create_batch,\n"
     "save, save_batch, load), engine.service, engine.services, engine.timer, engine.parked_task,\n"
     "engine.parked_timer and engine.recovery; --only engine takes all of engine. docs/bench.md\n"
     "says what they are. A figure whose counted saves are not those of its work is not printed.",
     CLI_BIT(STORE) | CLI_BIT(JSON) | CLI_BIT(ONLY) | CLI_BIT(COUNT), 0, 0, cli_bench},
    {"version", "", "print the version", NULL, CLI_BIT(JSON), 0, 0, cli_version},
};

size_t cli_command_count(void)
{
    return sizeof commands / sizeof commands[0];
}

const cli_command *cli_command_at(size_t index)
{
    return &commands[index];
}

static bool is_named(const cli_command *command, int count, char *const *words, int *ret_taken)
{
    const char *blank = strchr(command->name, ' ');
    if (blank == NULL) {
        *ret_taken = 1;
        return strcmp(command->name, words[0]) == 0;
    }
    *ret_taken = 2;
    size_t first = (size_t)(blank - command->name);
    return count >= 2 && strlen(words[0]) == first && memcmp(command->name, words[0], first) == 0 &&
           strcmp(blank + 1, words[1]) == 0;
}

const cli_command *cli_command_find(int count, char *const *words, int *ret_taken)
{
    for (size_t i = 0; count > 0 && i < cli_command_count(); i++) {
        if (is_named(&commands[i], count, words, ret_taken)) {
            return &commands[i];
        }
    }
    return NULL;
}

bool cli_command_is_group(const char *word)
{
    size_t size = strlen(word);
    for (size_t i = 0; i < cli_command_count(); i++) {
        const char *name = commands[i].name;
        if (strncmp(name, word, size) == 0 && name[size] == ' ') {
            return true;
        }
    }
    return false;
}
