#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Builds Apache httpd 2.4 with online reconfiguration. See --help.
set -euo pipefail

HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
ASKED=$(readlink -m "${IC2_BUILD:-$HERE/../build}")
BUILD=$ASKED
# httpd's configure and make take nothing but plain characters in a path: for another one, a private directory serves.
case $BUILD in
    *[!A-Za-z0-9/._+-]*) BUILD=/var/tmp/ic2-build-$(printf %s "$BUILD" | sha256sum | cut -c1-16) ;;
esac
WORK=$BUILD/httpd-src

MODULES="access_compat actions alias allowmethods auth_basic authn_core authn_file authz_core authz_groupfile
    authz_host authz_owner authz_user autoindex cache cache_disk cache_socache cgi cgid deflate dir env expires
    ext_filter filter headers http2 include info log_config logio macro mime negotiation proxy proxy_balancer
    proxy_fcgi proxy_http proxy_wstunnel lbmethod_byrequests lbmethod_bybusyness slotmem_shm ratelimit remoteip
    reqtimeout request rewrite session setenvif socache_shmcb ssl status substitute unique_id unixd usertrack
    userdir version vhost_alias watchdog"

# What Debian's httpd has linked in, so that /etc/apache2 loads none of it. Who loads it all the same may: the part for mod_so.
LINKED_IN=" log_config logio unixd version watchdog "

usage() {
    cat <<EOF
usage: httpd-online/build.sh [--prefix DIR] [--mpms LIST] [--source TARBALL] [--stock] [--sanitize]
                             [--allow-older] [--jobs N] [--force]
       httpd-online/build.sh --check-apply [--source TARBALL|TREE]
       httpd-online/build.sh --print-source
       httpd-online/build.sh --tree TREE --prefix DIR [--modules LIST]

Gets the source of httpd 2.4, verifies it, patches it (series apply), builds and installs it, and mod_standby with it.

  --prefix DIR      where to install; default build/httpd (--stock: build/httpd-stock,
                    --sanitize: build/httpd-asan, both: build/httpd-stock-asan)
  --mpms LIST       loadable MPMs, comma separated; default worker,event,prefork
                    (prefork stays as it is: it cannot be reconfigured online and says so)
  --source TARBALL  use this tarball of httpd 2.4; else the Debian source package through this
                    machine's apt sources, newest listed version first; else the Apache archive
  --stock           without our patches, otherwise the same: what the tests and benches compare with
  --allow-older     build a source older than the apache2 that is installed, that apt would install, or whose
                    source is listed but cannot be fetched: for tests, not for service. Otherwise that is an error.
                    A source that the patches do not fit, or that fails its smoke test, gives way to the next older
                    one, then to the Apache archive's, then to those of Debian's other releases; one note says which
  --sanitize        with AddressSanitizer, UndefinedBehaviorSanitizer and httpd's own assertions (AP_DEBUG)
  --jobs N          parallel compilations; default: number of processors
  --force           build again although nothing has changed
  --check-apply     builds nothing: tries the patches on every 2.4.6x (and newer) source that this
                    machine can get, and prints one line a version, and one a part where not all fit exactly;
                    exit 1 if a 2.4.6x fails or the newest could not be checked. With --source: only that one,
                    which may be an unpacked tree, of httpd's trunk for instance; exit 1 if it fails
  --tree TREE       builds this source tree as it is, in place, and installs it: what the test of the series' parts does
  --modules LIST    with these modules only, comma separated; default: those of the web tier
  --print-source    gets the source and prints the name of the tarball
  --help            this text

A second call with the same source, patches and flags does nothing. If only standby/ has changed, it compiles
mod_standby.so again and nothing else (seconds); httpd may run meanwhile. Interrupting is safe: the installed
server is only touched at the very end. Environment: CC, CFLAGS (part of what is cached), IC2_BUILD (default:
build/ at the repository's root; if its path has spaces, it has links to /var/tmp/ic2-build-...), HTTPD_ARCHIVE_URL.
EOF
}

say() { echo "build.sh: $*"; }
note() { echo "build.sh: note: $*" >&2; }
die() {
    echo "build.sh: error: $*" >&2
    exit 1
}

# shellcheck source=lib/source.sh
. "$HERE/lib/source.sh"

# apply_parts TREE: src/ and patches/ in order. Returns 1 and sets FAILED (part: file: what) when one does not apply.
apply_parts() {
    "$HERE/series" apply "$1" >"$1/.parts.log" 2>"$1/.parts.err" && return
    FAILED=$(sed 's/^series: error: //' "$1/.parts.err")
    return 1
}

does_not_apply() {
    die "the patches do not apply to httpd $1: $FAILED
    What to do: build with a release that they apply to (build.sh --check-apply lists them; give one with
    --source), or port them: httpd-online/series apply, edit, refresh (CONTRIBUTING.md)."
}

check_tools() {
    local missing=() pair tool
    for pair in gcc:build-essential make:build-essential patch:patch perl:perl python3:python3 git:git apr-1-config:libapr1-dev \
        apu-1-config:libaprutil1-dev pcre2-config:libpcre2-dev flock:util-linux; do
        tool=${pair%%:*}
        [ "$tool" = gcc ] && tool=${CC:-gcc}
        command -v "${tool%% *}" >/dev/null || missing+=("${pair#*:}")
    done
    for pair in openssl/ssl.h:libssl-dev zlib.h:zlib1g-dev nghttp2/nghttp2.h:libnghttp2-dev; do
        echo "#include <${pair%%:*}>" | ${CC:-cc} -E - >/dev/null 2>&1 || missing+=("${pair#*:}")
    done
    [ ${#missing[@]} -eq 0 ] || die "missing on this machine: ${missing[*]}. Install them (make deps does)."
}

# Everything that the result depends on, as one hash.
build_hash() {
    {
        sha256sum <"$SOURCE"
        [ $STOCK = yes ] || (cd "$HERE" && find patches src series lib/series.py -type f | LC_ALL=C sort | xargs sha256sum)
        cat "$HERE/build.sh"
        echo "$PREFIX|$MPMS|${MODULES//$'\n'/}|$STOCK|$SANITIZE|${CC:-}|${CFLAGS:-}"
    } | sha256sum | cut -c1-32
}

# Makes the private directory that serves for ASKED, and links from there to what is in it.
link_elsewhere() {
    local part
    [ "$ASKED" != "$BUILD" ] || return 0
    mkdir -p "$ASKED"
    mkdir -m 700 "$BUILD" 2>/dev/null || [ -d "$BUILD" ] && [ ! -L "$BUILD" ] && [ -O "$BUILD" ] ||
        die "$BUILD: expected a directory of yours, for what cannot be built below \"$ASKED\"; remove it"
    for part in httpd-src "$FLAVOUR"; do
        [ -L "$ASKED/$part" ] || rm -rf "${ASKED:?}/$part"
        ln -sfn "$BUILD/$part" "$ASKED/$part"
    done
}

# mod_standby is no part of httpd's tree, so it has a hash of its own: its sources, and the httpd that it is compiled for.
standby_hash() {
    (cd "$HERE/standby" && sha256sum -- *.c *.h Makefile && echo "$HASH") | sha256sum | cut -c1-32
}

# Compiles mod_standby with the installed apxs and puts it among the modules, unless it is there already.
install_standby() {
    local hash out=$WORK/standby-$FLAVOUR module=$PREFIX/modules/mod_standby.so
    hash=$(standby_hash)
    if [ $FORCE = no ] && [ -f "$module" ] && grep -qx "standby $hash" "$PREFIX/.built"; then
        return
    fi
    rm -rf "$out"
    make -C "$HERE/standby" APXS="$PREFIX/bin/apxs" OUT="$out" >"$out.log" 2>&1 \
        || die "mod_standby cannot be compiled; what $out.log says:
$(grep -nE 'error:|Error [0-9]' "$out.log" | head -n 15)"
    grep -E 'warning:' "$out/log" >&2 || true
    # a new file under the old name: a server that runs keeps the one that it has loaded
    mkdir -p "$PREFIX/modules"
    install -m 755 "$out/mod_standby.so" "$module.new"
    mv "$module.new" "$module"
    sed '/^standby /d' "$PREFIX/.built" >"$PREFIX/.built.part"
    echo "standby $hash" >>"$PREFIX/.built.part"
    mv "$PREFIX/.built.part" "$PREFIX/.built"
    say "installed $module"
}

refuse_running() {
    local pid
    pid=$(cat "$PREFIX/logs/httpd.pid" 2>/dev/null) || return 0
    case $(readlink "/proc/$pid/exe" 2>/dev/null) in
        "$PREFIX"/*) die "a server is running from $PREFIX (pid $pid); stop it before installing over it" ;;
    esac
}

configure_and_make() {
    local cflags=${CFLAGS:--O2 -g} ldflags= cppflags= linked_in= mpms=${MPMS//,/ } module static= shared=
    if [ $SANITIZE = yes ]; then
        cflags="${CFLAGS:--O1 -g} -fno-omit-frame-pointer -fsanitize=address,undefined"
        ldflags="-fsanitize=address,undefined"
        cppflags="-DAP_DEBUG"
    fi
    # conftests and generators run during the build; httpd's pools are not freed at exit, which is no leak to report
    export ASAN_OPTIONS=detect_leaks=0
    # online_env is linked in: a configuration of an earlier build loads no module for its ReconfigureVariable lines.
    # (--enable-online-env=static would need a configure made anew, by autoconf.)
    [ ! -e "$TREE/modules/metadata/mod_online_env.c" ] || linked_in=--with-module=metadata:modules/metadata/mod_online_env.c
    for module in $MODULES; do
        case $LINKED_IN in
            *" $module "*) static+=" $module" ;;
            *) shared+=" $module" ;;
        esac
    done
    # a given tree may be configured already (for the part of the series before): then only its Makefiles are made anew
    if [ $DO = build_tree ] && [ -x "$TREE/config.status" ] \
        && { [ -z "$linked_in" ] || grep -q online_env "$TREE/config.status"; }; then
        (cd "$TREE" && ./config.status) >"$TREE.log" 2>&1 || die "config.status failed; see $TREE.log"
    else
        # shellcheck disable=SC2086
        (cd "$TREE" && CFLAGS=$cflags LDFLAGS=$ldflags CPPFLAGS=$cppflags ./configure --prefix="$PREFIX" \
            --with-apr="$(command -v apr-1-config)" --with-apr-util="$(command -v apu-1-config)" \
            --with-pcre="$(command -v pcre2-config)" --enable-so --enable-mpms-shared="$mpms" \
            --enable-modules=none --enable-mods-static="$static" --enable-mods-shared="$shared" $linked_in) >"$TREE.log" 2>&1 \
            || die "configure failed; the end of $TREE.log:
$(tail -n 15 "$TREE.log")"
    fi
    make -C "$TREE" -j "$JOBS" >>"$TREE.log" 2>&1 || die "make failed; what $TREE.log says:
$(grep -nE 'error:|Error [0-9]' "$TREE.log" | head -n 15)"
    grep -E 'warning:' "$TREE.log" | grep -E 'reconf|online_env|mpm_unix|event\.c|worker\.c|mod_status|mod_deflate|fdqueue' >&2 || true
}

stage_tree() {
    rm -rf "$TREE.stage"
    make -C "$TREE" install DESTDIR="$TREE.stage" >>"$TREE.log" 2>&1 || die "make install failed; see $TREE.log"
}

# Whether what is staged serves, and changes while it does.
smoke_test() {
    local said mpms=" ${MPMS//,/ } "
    # shellcheck disable=SC2086
    said=$("$HERE/lib/smoke.py" "$TREE.stage$PREFIX" ${mpms/ prefork / }) || die "the patched httpd $VERSION fails its smoke test: $said"
}

# Moves each part of what is staged into place; conf, htdocs, cgi-bin and logs of an earlier installation stay.
install_tree() {
    local stage="$TREE.stage" part name
    refuse_running
    mkdir -p "$PREFIX"
    rm -f "$PREFIX/.built"
    for part in "$stage$PREFIX"/*; do
        name=$(basename "$part")
        case $name in
            conf | htdocs | cgi-bin | logs) [ ! -e "$PREFIX/$name" ] || continue ;;
        esac
        rm -rf "${PREFIX:?}/$name"
        mv "$part" "$PREFIX/$name"
    done
    rm -rf "$stage"
    { echo "hash $HASH"; echo "version $VERSION"; echo "tree $TREE"; echo "source $VERIFIED"; } >"$PREFIX/.built.part"
    mv "$PREFIX/.built.part" "$PREFIX/.built"
}

build() {
    [ ! -d "$GIVEN" ] || die "--source $GIVEN: a tree can only be checked (--check-apply); to build, give a tarball"
    get_source "$GIVEN"
    HASH=$(build_hash)
    if [ $FORCE = no ] && [ -x "$PREFIX/bin/httpd" ] && grep -qx "hash $HASH" "$PREFIX/.built" 2>/dev/null; then
        VERSION=$(sed -n 's/^version //p' "$PREFIX/.built")
        mind_older "$VERSION"
        install_standby
        say "$PREFIX is up to date (httpd $VERSION)"
        return
    fi
    check_tools
    if [ -e "$PREFIX" ] && [ ! -e "$PREFIX/.built" ] && [ -n "$(ls -A "$PREFIX")" ] && [ "$PREFIX" != "$DEFAULT_PREFIX" ]; then
        die "--prefix $PREFIX: there is something in it that build.sh did not install; give an empty or new directory"
    fi
    refuse_running
    TREE=$WORK/tree-$FLAVOUR
    if [ -n "$GIVEN" ] || [ $STOCK = yes ] || [ $OLDER = refused ]; then
        make_tree
    else
        while :; do
            attempt make_tree # in no condition: errors end it
            [ -n "$REASON" ] || break
            skip "$(basename "$SOURCE")" "$REASON"
            TRIED+="$(sha256sum "$SOURCE" | cut -d' ' -f1) "
            choose_source
            HASH=$(build_hash)
        done
    fi
    VERSION=$(source_version "$TREE")
    mind_older "$VERSION"
    install_tree
    install_standby
    say "installed $PREFIX/bin/httpd (httpd $VERSION)"
}

# attempt COMMAND: if it dies, REASON is why, in a line; what it says to standard error is only shown if it does not
attempt() {
    local status
    set +e
    (set -e; "$@") 2>"$WORK/said"
    status=$?
    set -e
    REASON=
    [ $status -eq 0 ] || REASON=$(sed -n '0,/^build\.sh: error: /s/^build\.sh: error: //p' "$WORK/said")
    [ -n "$REASON" ] || cat "$WORK/said" >&2
    [ $status -eq 0 ] || [ -n "$REASON" ] || exit $status
}

# Unpacks, patches and compiles SOURCE in TREE, and stages it.
make_tree() {
    say "source: $(basename "$SOURCE") ($VERIFIED)"
    unpack "$SOURCE" "$TREE"
    VERSION=$(source_version "$TREE")
    case $VERSION in
        2.4.*) ;;
        *) die "$SOURCE is httpd $VERSION; the patches are for httpd 2.4" ;;
    esac
    # what is refused for its age need not be compiled first
    [ $OLDER = allowed ] || (mind_older "$VERSION") 2>/dev/null || mind_older "$VERSION"
    if [ $STOCK = no ]; then
        apply_parts "$TREE" || does_not_apply "$VERSION"
        say "httpd $VERSION, patched: $(cd "$HERE/patches" && echo *.patch)"
        ! grep -q fuzz "$TREE/.parts.log" || note "patches applied with fuzz; see $TREE/.parts.log"
    else
        say "httpd $VERSION, without patches"
    fi
    say "building $MPMS into $PREFIX (log: $TREE.log)"
    configure_and_make
    stage_tree
    [ $STOCK = yes ] || smoke_test
}

# check_one LABEL TARBALL|TREE: one line of the table, and a line for each part if not all fit exactly.
check_one() {
    local tree=$WORK/check version result report
    unpack "$2" "$tree"
    version=$(source_version "$tree")
    if report=$("$HERE/series" try "$tree" 2>&1); then
        result="applies$([[ $report != *fuzz* ]] || echo ', with fuzz')"
    else
        result="does NOT apply"
        case $version in 2.4.6?) CHECK_FAILED=yes ;; esac
        [ -z "$GIVEN" ] || CHECK_FAILED=yes
    fi
    rm -rf "$tree"
    CHECKED+=" $version"
    printf '%-8s  %-42s  %s\n' "$version" "$1" "$result"
    [[ $result = applies ]] || printf '%s\n' "$report" | sed 's/^/    /'
}

build_tree() {
    [ -n "$GIVEN_TREE" ] && [ "$PREFIX" != "$DEFAULT_PREFIX" ] || die "--tree needs --prefix"
    check_tools
    TREE=$(readlink -f "$GIVEN_TREE")
    VERSION=$(source_version "$TREE") HASH=none VERIFIED="given tree, NOT verified"
    configure_and_make
    stage_tree
    install_tree
    say "installed $PREFIX/bin/httpd (httpd $VERSION)"
}

print_source() {
    get_source "$GIVEN" >&2
    echo "$SOURCE"
}

check_apply() {
    local version tarball newest seen=0
    CHECK_FAILED=no CHECKED=
    if [ -n "$GIVEN" ]; then
        given_source "$GIVEN"
        check_one "$(basename "$SOURCE")" "$SOURCE"
        seen=1
    elif apt_refresh "$SUITES"; then
        for version in $(apt_versions); do
            case $version in 2.4.[6-9][0-9]* | 2.4.[1-9][0-9][0-9]*) ;; *) continue ;; esac
            if tarball=$(apt_download "$version"); then
                check_one "Debian source package $version" "$tarball"
                seen=$((seen + 1))
            else
                printf '%-8s  %-42s  %s\n' "${version%%-*}" "Debian source package $version" "listed, but cannot be fetched"
            fi
        done
    fi
    rm -rf "$WORK/apt/parts"
    [ $seen -gt 0 ] || die "no source could be fetched to check against; give one with --source"
    if [ -z "$GIVEN" ]; then
        newest=$(newest_known)
        for version in $CHECKED; do
            is_older "$version" "${newest%% *}" || newest=
        done
        [ -z "$newest" ] || die "the newest, apache2 $newest, was not checked: its source cannot be fetched"
        [ $REFRESHED = yes ] || die "whether there is a newer one is not known: apt could not read every source list"
    fi
    [ $CHECK_FAILED = no ]
}

# Debian's, of which there may be an httpd that fits
SUITES="bullseye bullseye-security bookworm bookworm-security trixie trixie-security sid"
SKIPPED= TRIED=" "
PREFIX= MPMS=worker,event,prefork GIVEN= OLDER=refused LISTED= STOCK=no SANITIZE=no FORCE=no JOBS=$(nproc) DO=build GIVEN_TREE=
need() { [ $# -ge 2 ] && [ -n "$2" ] || { echo "build.sh: $1 needs a value; see --help" >&2; exit 2; }; }
while [ $# -gt 0 ]; do
    case $1 in
        --prefix) need "$@"; PREFIX=$2; shift ;;
        --mpms) need "$@"; MPMS=$2; shift ;;
        --source) need "$@"; GIVEN=$2; shift ;;
        --jobs) need "$@"; JOBS=$2; shift ;;
        --stock) STOCK=yes ;;
        --allow-older) OLDER=allowed ;;
        --sanitize) SANITIZE=yes ;;
        --force) FORCE=yes ;;
        --check-apply) DO=check_apply ;;
        --print-source) DO=print_source OLDER=allowed ;;
        --modules) need "$@"; MODULES=${2//,/ }; shift ;;
        --tree) need "$@"; DO=build_tree GIVEN_TREE=$2; shift ;;
        -h | --help) usage; exit 0 ;;
        *) echo "build.sh: unknown argument $1; see --help" >&2; exit 2 ;;
    esac
    shift
done
for mpm in ${MPMS//,/ }; do
    case $mpm in
        worker | event | prefork) ;;
        *) echo "build.sh: --mpms: $mpm is none of worker, event, prefork" >&2; exit 2 ;;
    esac
done
FLAVOUR=httpd$([ $STOCK = yes ] && echo -stock || true)$([ $SANITIZE = yes ] && echo -asan || true)
DEFAULT_PREFIX=$BUILD/$FLAVOUR
PREFIX=$(readlink -m "${PREFIX:-$DEFAULT_PREFIX}")
case $PREFIX in
    *[!A-Za-z0-9/._+-]*) die "--prefix $PREFIX: httpd can only be installed below a path of letters, digits and / . _ + -" ;;
esac
link_elsewhere
mkdir -p "$WORK"
if [ $DO = build_tree ] || { [ $DO = print_source ] && [ -f "$WORK/source" ]; }; then
    :   # touches nothing that another build needs
else
    exec 9>"$WORK/lock"
    flock -n 9 || { say "another build is running; waiting for it" >&2; flock 9; }
fi
$DO
