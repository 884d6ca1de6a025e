#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# clang-tidy over what we ship (tests are left to the compilers and sanitizers), several files at a
# time. A file whose text, expansion and rules were clean before is not analysed again.
# Usage: clang-tidy.sh TREE [FILE...]; TREE was configured with clang.
set -euo pipefail
cd "$(dirname "$0")/.."
tree=$1
shift
mkdir -p build/clang-tidy
if [ $# -ne 1 ]; then
    if [ $# -eq 0 ]; then
        mapfile -t files < <(git ls-files 'src/*.c' 'adapters/*.c' 'conformance/*.c' 'cli/*.c')
        set -- "${files[@]}"
    fi
    printf '%s\0' "$@" | xargs -0 -n 1 -P "$(nproc)" "$0" "$tree"
    exit
fi

file=$1
stamp=build/clang-tidy/$({
    clang-tidy --version
    # The text as well as its expansion: NOLINT lives in comments.
    cat .clang-tidy "$file"
    clang -E -D_GNU_SOURCE -DSTF_FAILPOINTS=1 -Iinclude -Isrc -I"$(dirname "$file")" "$file"
} | sha256sum | cut -c1-32)
[ ! -e "$stamp" ] || exit 0
status=0
output=$(clang-tidy --quiet -p "$tree" "$file" 2>&1) || status=$?
output=$(grep -Ev '^[0-9]+ warnings?( and [0-9]+ errors?)? generated' <<<"$output" || true)
if [ "$status" -ne 0 ] || [ -n "$output" ]; then
    printf '%s: clang-tidy\n%s\n' "$file" "$output"
    exit 1
fi
touch "$stamp"
