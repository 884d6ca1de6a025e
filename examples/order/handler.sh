#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The handler of all three topics. Variables come as JSON on standard input; what it prints becomes
# variables. It notes each run in ORDER_LOG, on disk before it answers, so that the demo can count.
set -eu
cat >/dev/null
printf '%s %s %s\n' "$STEPFAST_TOPIC" "$STEPFAST_INSTANCE" "$STEPFAST_KEY" |
    dd of="$ORDER_LOG" oflag=append conv=notrunc,fsync status=none
case $STEPFAST_TOPIC in
reserve-stock) echo '{"reserved": true}' ;;
charge-card) echo "{\"payment\": \"$STEPFAST_KEY\"}" ;;
send-receipt) echo '{"receipt": "sent"}' ;;
esac
