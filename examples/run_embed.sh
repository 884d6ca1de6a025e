#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs the embedding example twice on one new file. Usage: run_embed.sh PROGRAM
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for run in 1 2; do
    echo "run $run"
    "$1" "$work/embed.db" >"$work/out"
    cat "$work/out"
    grep -q '"greeting": "hello, world"' "$work/out"
    grep -q '"status": "completed"' "$work/out"
done
