#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Coverage by the tests. Usage:
#   coverage.sh           a report over everything: build/coverage/coverage.txt
#   coverage.sh changed   fails when under 95 % of the lines changed since the base are covered.
# The base is $STF_BASE, else the commit named in tools/coverage-base: the last landing, so that all
# that is new is looked at, also in a fresh clone of what has just landed. Whoever begins new work
# writes the head of main into that file.
set -euo pipefail
cd "$(dirname "$0")/.."
mode=${1:-all}
goal=95

if [ "$mode" = changed ]; then
    base=${STF_BASE:-$(cat tools/coverage-base)}
    if ! git cat-file -e "$base^{commit}" 2>/dev/null; then
        echo "coverage: there is no commit $base here"
        # A clone without history cannot tell what is new; a whole one has to.
        [ "$(git rev-parse --is-shallow-repository)" = true ]
        exit
    fi
    if git diff --quiet "$base" -- src adapters conformance cli; then
        echo "coverage: no line changed since $base"
        exit 0
    fi
fi

tools/build.sh coverage
find build/coverage -name '*.gcda' -delete
tools/ctest.sh build/coverage -LE 'house|fuzz'

options=()
while read -r kind pattern _; do
    case $kind in
    file) options+=(--exclude "$pattern") ;;
    line) options+=(--exclude-lines-by-pattern ".*$pattern.*") ;;
    esac
done < <(grep -v '^#' tools/coverage-exclude.txt)
report=build/coverage/coverage
gcovr --root . --object-directory build/coverage "${options[@]}" \
    --xml "$report.xml" --txt "$report.txt" build/coverage/{src,adapters,conformance,cli}
tail -n 4 "$report.txt"

if [ "$mode" = changed ]; then
    diff-cover "$report.xml" --compare-branch "$base" --fail-under "$goal" |
        tee "$report.changed.txt"
    echo "coverage: $(grep -E '^Coverage' "$report.changed.txt" || echo "no changed line has code")"
fi
