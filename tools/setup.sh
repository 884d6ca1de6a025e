#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes sure that the Debian packages of tools/packages.txt are there. Usage: setup.sh build|check
# Quiet and quick when nothing is missing. Installs as root or through passwordless sudo; otherwise
# prints the one line to run, and fails.
set -euo pipefail
cd "$(dirname "$0")/.."

case ${1:-check} in
build) sets=build ;;
check) sets='build|check' ;;
*)
    echo "usage: tools/setup.sh build|check" >&2
    exit 2
    ;;
esac

mapfile -t wanted < <(awk -v sets="^($sets)\$" '$1 ~ sets { print $2 }' tools/packages.txt)

if ! command -v dpkg-query >/dev/null; then
    echo "setup: not a Debian system; it needs the counterparts of: ${wanted[*]}" >&2
    exit 0
fi

installed=$(dpkg-query -W -f '${db:Status-Abbrev}${Package}\n' "${wanted[@]}" 2>/dev/null || true)
missing=()
for package in "${wanted[@]}"; do
    grep -qx "ii *$package" <<<"$installed" || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

if [ "$(id -u)" -eq 0 ]; then
    as_root=()
elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
    as_root=(sudo -n)
else
    echo "setup: Debian packages are missing; install them with:" >&2
    echo "apt-get install --no-install-recommends ${missing[*]}" >&2
    exit 1
fi

echo "setup: installing ${missing[*]}"
apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300)
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! { "${apt[@]}" update && "${apt[@]}" install -y --no-install-recommends "${missing[@]}"; } \
    >"$log" 2>&1; then
    cat "$log" >&2
    echo "setup: the installation failed" >&2
    exit 1
fi
