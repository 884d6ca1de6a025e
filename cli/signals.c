/* SPDX-License-Identifier: Apache-2.0 */
/* See signals.h. The handler touches an atomic flag and an eventfd only. */
#include "signals.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

static stf_cancel *stop;

static void on_signal(int number)
{
    if (stf_cancel_is_requested(stop)) {
        _exit(128 + number);
    }
    stf_cancel_request(stop);
}

void cli_signals_install(stf_cancel *cancel)
{
    stop = cancel;
    struct sigaction action;
    memset(&action, 0, sizeof action);
    sigemptyset(&action.sa_mask);
    action.sa_handler = on_signal;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    action.sa_handler = SIG_IGN; /* a handler that does not read its input is no reason to die */
    sigaction(SIGPIPE, &action, NULL);
}
