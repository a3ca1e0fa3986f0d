# SPDX-License-Identifier: Apache-2.0
# What the scripts that build images share; they set LOG, the file that gets what programs say.

say() { echo "images: $*"; }
die() {
    echo "images: error: $*" >&2
    exit 1
}

# logged WHAT COMMAND ARGS...: into the log, whose end is shown if it fails
logged() {
    local what=$1
    shift
    "$@" >>"$LOG" 2>&1 || die "$what failed; the end of $LOG:
$(tail -n 15 "$LOG")"
}

# unpack DIRECTORY PACKAGE...: the first of the packages that can be fetched
unpack() {
    local directory=$1 package
    shift
    for package in "$@"; do
        rm -f ./*.deb
        if apt-get -q download "$package" >>"$LOG" 2>&1; then
            rm -rf "$directory"
            dpkg-deb -x ./*.deb "$directory"
            rm -f ./*.deb
            say "$directory: $package"
            return
        fi
    done
    die "none of these packages can be fetched: ${*:-none is listed; is apt-get update needed?} ($LOG)"
}

# kernels FLAVOUR: all kernels of Debian 12 that apt lists, newest first
kernels() {
    apt-cache search --names-only "^linux-image-6\.1\.[0-9.]*-[0-9]+-$1\$" | cut -d' ' -f1 | sort -rV
}

pack() { (cd "$1" && find . -print0 | LC_ALL=C sort -z | cpio --null -o -H newc --quiet | gzip "$2"); }

# modules KERNEL-TREE TO NAME...: copies modules, each found by its name
modules() {
    local tree=$1 to=$2 name
    shift 2
    mkdir -p "$to"
    for name in "$@"; do
        find "$tree/lib/modules" -name "$name.ko" -exec cp {} "$to/" \;
    done
}
