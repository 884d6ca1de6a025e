#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs "make demo" and "make check" of HEAD in a bare Debian 12: a fresh chroot with make, git and
# ca-certificates, and /proc, /dev and /dev/shm mounted. Needs root and debootstrap; the packages
# come from the Debian source that this machine's apt uses.
# Usage: chroot-check.sh DIR [TARGET...]   DIR: scratch space outside the tree; the base system is
# kept there as base.tar, the log as chroot.log. TARGET: make targets, "demo check" by default.
set -euo pipefail
cd "$(dirname "$0")/.."
dir=$(realpath -m "$1")
shift
[ $# -gt 0 ] || set -- demo check
release=bookworm
root=$dir/root
mkdir -p "$dir"

# Lines "URI SUITE" of this machine's Debian sources.
sources() {
    apt-get indextargets --format "\$(REPO_URI) \$(RELEASE) \$(COMPONENT)" 'Created-By: Packages' |
        awk -v release="$release" \
            '$3 == "main" && $2 ~ "^" release "(-updates|-security)?$" { print $1, $2 }' | sort -u
}

make_base() {
    local mirror
    mirror=$(sources | awk -v release="$release" '$2 == release { print $1; exit }')
    debootstrap --variant=minbase --include=ca-certificates,make,git "$release" "$root" "$mirror"
    sources | sed 's/^/deb /; s/$/ main/' >"$root/etc/apt/sources.list"
    # How this machine reaches its source (proxy, validity of snapshots), without hooks and paths.
    apt-config dump | grep -E '^Acquire::(http|https|ftp|Check|Retries)' \
        >"$root/etc/apt/apt.conf.d/90host" || true
    tar -C "$root" -cf "$dir/base.tar.part" . && mv "$dir/base.tar.part" "$dir/base.tar"
}

unmount() {
    for mount in dev/shm dev proc; do
        if mountpoint -q "$root/$mount"; then umount "$root/$mount"; fi
    done
}
trap unmount EXIT

unmount
rm -rf --one-file-system "$root"
mkdir -p "$root"
if [ -f "$dir/base.tar" ]; then
    tar -C "$root" -xf "$dir/base.tar"
else
    make_base
fi
for file in resolv.conf hosts; do
    cp -L "/etc/$file" "$root/etc/$file"
done
mount -t proc proc "$root/proc"
mount --bind /dev "$root/dev"
mkdir -p "$root/dev/shm"
mountpoint -q "$root/dev/shm" || mount -t tmpfs tmpfs "$root/dev/shm"

git clone -q . "$root/srv/stepfast"
began=$SECONDS
{
    echo "# $(git rev-parse --short HEAD) in a bare Debian $(cat "$root/etc/debian_version")"
    for target in "$@"; do
        echo "# make $target"
        chroot "$root" /usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 \
            make -C /srv/stepfast "$target"
        echo "# make $target: done after $((SECONDS - began)) s"
    done
} 2>&1 | tee "$dir/chroot.log"
