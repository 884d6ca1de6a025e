#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs a build tree into a fresh prefix and builds a user's program against it: through the
# CMake package and through pkg-config, shared and static. Usage: run.sh TREE CC
set -euo pipefail
tree=$(cd "$1" && pwd)
cc=$2
here=$(cd "$(dirname "$0")" && pwd)
prefix=$(mktemp -d)
trap 'rm -rf "$prefix"' EXIT
work=$prefix/work
mkdir -p "$work"

cmake --install "$tree" --prefix "$prefix" >"$work/install.log"
lib=$(dirname "$(find "$prefix" -name libstepfast.so)")
export LD_LIBRARY_PATH=$lib

for static in OFF ON; do
    echo "== CMake package, static: $static"
    cmake -G Ninja -S "$here/cmake" -B "$work/cmake-$static" -DCMAKE_C_COMPILER="$cc" \
        -DCMAKE_PREFIX_PATH="$prefix" -DSTATIC=$static >"$work/log" || { cat "$work/log"; exit 1; }
    ninja --quiet -C "$work/cmake-$static"
    "$work/cmake-$static/consumer"
done

export PKG_CONFIG_PATH=$lib/pkgconfig
modules=(stepfast stepfast-sqlite stepfast-conformance)
flags=(-std=c17 -Wall -Wextra -pedantic -Werror "$here/consumer.c")
echo "== pkg-config, shared"
read -ra options < <(pkg-config --cflags --libs "${modules[@]}")
"$cc" "${flags[@]}" "${options[@]}" -o "$work/shared"
"$work/shared"
echo "== pkg-config, static"
read -ra options < <(pkg-config --static --cflags --libs "${modules[@]}")
"$cc" -static "${flags[@]}" "${options[@]}" -o "$work/static" 2>"$work/log" ||
    { cat "$work/log"; exit 1; }
LD_LIBRARY_PATH='' "$work/static"

echo "== what is there"
for path in include/stepfast/stepfast.h include/stepfast/sys/repository.h bin/stepfast \
    share/doc/stepfast/LICENSE share/man/man1/stepfast.1; do
    if [ ! -e "$prefix/$path" ]; then
        echo "not installed: $path" >&2
        exit 1
    fi
done
test "$(env -u LD_LIBRARY_PATH "$prefix/bin/stepfast" --version)" = "$("$work/shared")"
if grep -rlF "$tree" "$prefix/include" "$lib/cmake" "$lib/pkgconfig"; then
    echo "the files above name the build tree" >&2
    exit 1
fi
