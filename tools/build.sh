#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Configures and builds one preset. Usage: build.sh PRESET [NINJA TARGET...]
set -euo pipefail
cd "$(dirname "$0")/.."
preset=$1
shift

mkdir -p "build/$preset"
log=build/$preset/configure.log
if ! cmake --preset "$preset" >"$log" 2>&1; then
    cat "$log" >&2
    exit 1
fi
# --quiet prints the output of failing commands only.
ninja --quiet -C "build/$preset" "$@"
