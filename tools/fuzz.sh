#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs each fuzz target of build/fuzz for the given seconds, from its checked-in corpus. New inputs
# collect in build/fuzz/corpus/NAME; an input that fails is left in build/fuzz as crash-*.
# Usage: fuzz.sh SECONDS [NAME...]
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=$1
shift
if [ $# -eq 0 ]; then
    mapfile -t names < <(cd fuzz && printf '%s\n' fuzz_*.c | sed 's/^fuzz_//; s/\.c$//')
    set -- "${names[@]}"
fi
export ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1
for name in "$@"; do
    program=build/fuzz/fuzz/fuzz_$name
    mkdir -p "build/fuzz/corpus/$name"
    options=(-max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1
        -artifact_prefix=build/fuzz/)
    if [ -f "fuzz/$name.dict" ]; then
        options+=("-dict=fuzz/$name.dict")
    fi
    echo "== fuzz_$name for $seconds s"
    log=build/fuzz/$name.log
    if ! "$program" "${options[@]}" "build/fuzz/corpus/$name" "fuzz/corpus/$name" >"$log" 2>&1; then
        tail -n 60 "$log"
        echo "fuzz: fuzz_$name failed" >&2
        exit 1
    fi
    grep -E 'number_of_executed_units|Done ' "$log"
done
