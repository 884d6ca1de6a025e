#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs ctest in a build tree and fails where ctest would be lenient: no test found, a test skipped
# or not run. Usage: ctest.sh TREE [CTEST OPTION...]
set -euo pipefail
cd "$(dirname "$0")/.."
tree=$1
shift

asan=detect_leaks=1:strict_string_checks=1:detect_stack_use_after_return=1
export ASAN_OPTIONS=${ASAN_OPTIONS:-$asan}
export UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1}
export TSAN_OPTIONS=${TSAN_OPTIONS:-halt_on_error=1:second_deadlock_stack=1}

# gcc 12's thread sanitizer needs addresses that a kernel with much randomisation does not give.
fixed=()
if setarch -R true 2>/dev/null; then
    fixed=(setarch -R)
fi

log=$tree/ctest.log
status=0
"${fixed[@]}" ctest --test-dir "$tree" --no-tests=error --output-on-failure -j "$(nproc)" "$@" \
    2>&1 | tee "$log" || status=$?
if grep -Eq '\*\*\*(Skipped|Not Run)|^The following tests did not run' "$log"; then
    echo "ctest: some tests were skipped or not run" >&2
    exit 1
fi
exit "$status"
