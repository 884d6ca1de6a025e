#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# An effect that leaves a trace: a line before and a line after it, each on disk before it goes on.
set -eu
note() {
    printf '%s %s\n' "$1" "$STEPFAST_ELEMENT" |
        dd of="$KILL_LOG" oflag=append conv=notrunc,fsync status=none
}
note begin
sleep 0.05
note end
echo '{}'
