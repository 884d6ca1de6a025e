#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every check of the project, stage by stage with its time; the first failure ends the run and shows
# that stage's log (build/logs). Cheap stages come first; the tests of the gcc build come last, so
# that ctest's summary closes the output. Usage: check.sh [STAGE...]
# STF_LONG=1 asks the tests for long simulations and kill tests; STF_BASE: see coverage.sh.
set -euo pipefail
cd "$(dirname "$0")/.."
export LC_ALL=C.UTF-8
logs=build/logs
mkdir -p "$logs"

stage_setup() { tools/setup.sh check; }

stage_format() { tools/sources.sh | xargs clang-format --dry-run -Werror; }

stage_tidy() { python3 tests/tidy/selftest.py && python3 tests/tidy/tidy.py; }

stage_spelling() {
    git ls-files | grep -Ev '^(tests/.*/data|fuzz/corpus)/' |
        xargs codespell --ignore-words tools/spelling.txt
}

stage_scripts() { git ls-files '*.sh' .ci/run | xargs shellcheck; }

stage_manual() {
    local pages
    pages=$(git ls-files 'man/*.[1-9]')
    if [ -n "$pages" ]; then xargs mandoc -T lint -W warning <<<"$pages"; fi
}

stage_gcc() { tools/build.sh gcc; }

stage_clang() { tools/build.sh clang; }

# What is installed, without failpoints; the demo is its test.
stage_release() { tools/build.sh release && examples/order/demo.sh build/release/cli/stepfast; }

# The house tests look at sources and at what the plain build exports.
stage_asan() { tools/build.sh asan && tools/ctest.sh build/asan -LE house; }

stage_tsan() { tools/build.sh tsan && tools/ctest.sh build/tsan -L concurrency; }

stage_analysis() { python3 tools/analyse.py build/clang; }

stage_coverage() { tools/coverage.sh changed; }

run_stage() {
    local name=$1 began=$SECONDS log=$logs/$1.log
    printf '%-10s ' "$name"
    # The sub-shell keeps "set -e" in force inside the stage, which "if stage" would switch off.
    set +e
    (
        set -e
        "stage_$name"
    ) >"$log" 2>&1
    local status=$?
    set -e
    if [ "$status" -ne 0 ]; then
        printf 'FAILED after %d s; the end of %s:\n' $((SECONDS - began)) "$log"
        tail -n 120 "$log"
        exit 1
    fi
    printf '%4d s  %s\n' $((SECONDS - began)) \
        "$(grep -E '^(100% tests passed|coverage:)' "$log" | tail -n 1 || true)"
}

if [ $# -gt 0 ]; then
    for name in "$@"; do
        run_stage "$name"
    done
    exit 0
fi

stage_setup
for name in format tidy spelling scripts manual gcc clang release asan tsan analysis coverage; do
    run_stage "$name"
done
exec tools/ctest.sh build/gcc
