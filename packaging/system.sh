# SPDX-License-Identifier: Apache-2.0
# A system of a Debian release to build packages in, made by mmdebstrap, one for each release. Sourced by make-apache2 and
# make-mod-standby after they have set NAME (of the script), ROOT (the repository) and RELEASE; open_system sets the rest.

say() { echo "$NAME: $*"; }
note() { echo "$NAME: note: $*" >&2; }
die() {
    echo "$NAME: error: $*" >&2
    exit 1
}

# This machine's release where it is a Debian's, else bookworm.
own_release() {
    # shellcheck disable=SC1091
    (. /etc/os-release && [ "$ID" = debian ] && [ -n "${VERSION_CODENAME:-}" ] && echo "$VERSION_CODENAME") || echo bookworm
}

# Sets BUILD, SYSTEM (its directory), OUT (the packages) and LOG, and waits until no other script uses the system.
open_system() {
    case $RELEASE in
        *[!a-z]*) echo "$NAME: --release $RELEASE: expected a name such as bookworm" >&2; exit 2 ;;
    esac
    [ "$(id -u)" -eq 0 ] || die "needs root, to make a system of $RELEASE to build in"
    command -v mmdebstrap >/dev/null || die "mmdebstrap is missing: apt-get install mmdebstrap"
    BUILD=$(readlink -m "${IC2_BUILD:-$ROOT/build}")
    SYSTEM=$BUILD/apache2/$RELEASE LOG=$BUILD/apache2/$RELEASE-${NAME#make-}.log OUT=$BUILD/packages/$RELEASE
    mkdir -p "$BUILD/apache2"
    exec 9>"$SYSTEM.lock"
    flock -n 9 || { say "waiting for another build in $SYSTEM"; flock 9; }
    : >"$LOG"
}

# within COMMAND ARGS...: in the system that builds, with processes and mounts of its own, which end with this script
within() {
    env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive ${OPTIONS:+"$OPTIONS"} \
        ${http_proxy:+"http_proxy=$http_proxy"} ${https_proxy:+"https_proxy=$https_proxy"} unshare --mount --pid --fork --kill-child --mount-proc="$SYSTEM/proc" chroot "$SYSTEM" "$@" </dev/null
}

# logged WHAT COMMAND ARGS...: into the log, whose end is shown if it fails
logged() {
    local what=$1
    shift
    "$@" >>"$LOG" 2>&1 || die "$what failed; the end of $LOG:
$(tail -n 15 "$LOG")"
}

# A system of the distribution with a compiler, and with its sources in apt's lists.
make_system() {
    [ -d "$SYSTEM" ] || {
        say "making a system of $RELEASE to build in"
        rm -rf "$SYSTEM.new"
        # shellcheck disable=SC2016
        logged "mmdebstrap" mmdebstrap --variant=buildd --include=ca-certificates \
            --customize-hook='sed -s -n "s/^deb /deb-src /p" "$1"/etc/apt/sources.list "$1"/etc/apt/sources.list.d/*.list \
                2>/dev/null >"$1"/etc/apt/sources.list.d/source.list || true' \
            "$RELEASE" "$SYSTEM.new" ${IC2_MIRROR:+"$IC2_MIRROR"}
        mv "$SYSTEM.new" "$SYSTEM"
    }
    logged "apt-get update" within apt-get -q -o APT::Update::Error-Mode=any update
}
