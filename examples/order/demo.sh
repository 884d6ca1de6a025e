#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs the order process, kills it with SIGKILL while its timer runs, resumes it, completes the user
# task, and counts how often each handler ran. Usage: demo.sh PATH-OF-STEPFAST
set -eu

stepfast=${1:-stepfast}
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
store=sqlite:$work/order.db
ORDER_LOG=$work/handlers.log
export ORDER_LOG
: >"$ORDER_LOG"

say() { printf '\n== %s\n' "$1"; }
# How many instances wait at an element: asked of the store, as another process.
waits_at() { "$stepfast" ps --store "$store" --json 2>/dev/null | grep -c "\"$1\"" || true; }

say "run the order process (amount 250: a large order)"
"$stepfast" run "$here/order.bpmn" --store "$store" --var amount=250 \
    --handler "*=$here/handler.sh" --wait-timers &
pid=$!
tries=0
until [ "$(waits_at settle)" -gt 0 ]; do
    tries=$((tries + 1))
    if [ "$tries" -gt 100 ] || ! kill -0 "$pid" 2>/dev/null; then
        echo "demo: the process did not reach its timer" >&2
        exit 1
    fi
    sleep 0.1
done

say "it waits for its five-second timer; kill -9 the program now"
kill -9 "$pid"
wait "$pid" 2>/dev/null || true
"$stepfast" ps --store "$store"

say "resume: the timer fires at the time that was recorded"
"$stepfast" resume --store "$store" --handler "*=$here/handler.sh" --wait-timers
"$stepfast" task list --store "$store"

say "complete the user task"
task=$("$stepfast" task list --store "$store" --json |
    sed -n 's/.*"task": *"\([^"]*\)".*/\1/p' | head -n 1)
"$stepfast" task complete "$task" --store "$store" --var approved=true \
    --handler "*=$here/handler.sh"
"$stepfast" ps --store "$store"

say "how often each handler ran"
cut -d' ' -f1 "$ORDER_LOG" | sort | uniq -c
runs=$(wc -l <"$ORDER_LOG")
if [ "$runs" -ne 3 ] || [ "$(cut -d' ' -f1 "$ORDER_LOG" | sort -u | wc -l)" -ne 3 ]; then
    echo "demo: expected three handlers to run once each" >&2
    exit 1
fi
echo
echo "Three handlers, once each, across a SIGKILL. Nothing was repeated."
