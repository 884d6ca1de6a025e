/* SPDX-License-Identifier: Apache-2.0 */
/* Plays one run of a scenario through the public engine and a store, on a virtual clock. The engine
 * has no handlers: work waits until a step answers it. */
#ifndef CLI_SCENARIO_PLAYER_H
#define CLI_SCENARIO_PLAYER_H

#include <stepfast/engine.h>

#include "scenario.h"
#include "store.h"
#include "store_count.h"
#include "virtual_clock.h"

typedef enum cli_verdict {
    CLI_VERDICT_PASSED = 0,
    CLI_VERDICT_FAILED = 1,      /* an expectation, or a step that should have worked */
    CLI_VERDICT_UNSUPPORTED = 2, /* the model or the step needs what this version cannot do yet */
    CLI_VERDICT_BROKEN = 3       /* the case could not be played: store, files, its own mistakes */
} cli_verdict;

typedef struct cli_play_options {
    const char *store; /* URL */
    bool is_restoring; /* a new engine from the store after everything that was saved */
    size_t first_step; /* from 1: what was played before into the same store is left out */
    size_t last_step;  /* 0: all */
    stf_cancel *cancel;
} cli_play_options;

typedef struct cli_player {
    const cli_play_options *options;
    const cli_scenario_run *run;
    stf_ctx ctx;
    cli_virtual_clock clock;
    cli_store store;
    stf_engine *engine;
    stf_buf group;           /* also the prefix of the instances' ids; NUL-terminated */
    size_t started;          /* instances that the run has started so far */
    cli_store_totals totals; /* what went through the store */
    uint64_t seen_saves;     /* of them, when the engine was built */
    size_t step;             /* at hand, from 1 */
    stf_buf *report;         /* lines about what went wrong */
} cli_player;

/* Appends to report what a verdict other than PASSED is about, one line each. */
cli_verdict cli_scenario_play(const cli_play_options *options, const cli_scenario_run *run,
                              stf_buf *report);

/* For the files of the player: */

/* Adds a line to the report and gives the verdict back. */
cli_verdict cli_player_tell(cli_player *player, cli_verdict verdict, const char *format, ...)
    STF_PRINTF(3, 4);
/* A call of the library failed. */
cli_verdict cli_player_fail(cli_player *player, const stf_error *error);
/* All instances of the run, as the engine shows them: a list, one reference. */
cli_verdict cli_player_look(cli_player *player, stf_value **ret_views);
/* The id of the n-th instance that the run started, from 1; appends. */
cli_verdict cli_player_id(cli_player *player, size_t number, stf_buf *buf);
/* Runs until nothing is left to do now. */
cli_verdict cli_player_rest(cli_player *player);
/* A call that saved has returned. */
cli_verdict cli_player_after_save(cli_player *player);

/* scenario_step.c */
cli_verdict cli_player_step(cli_player *player, const stf_value *step);
/* What playing the step would change about the player, without playing it. */
cli_verdict cli_player_skip(cli_player *player, const stf_value *step);

/* scenario_expect.c: judges what is listed and nothing else. */
cli_verdict cli_player_expect(cli_player *player, const stf_value *expect);

#endif
