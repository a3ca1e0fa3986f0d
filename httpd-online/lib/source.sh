# SPDX-License-Identifier: Apache-2.0
# Gets a pristine httpd source tarball and says how it was verified. Sourced by build.sh, which sets
# WORK (private directory for downloads), HERE (this folder's parent) and the functions say, note and die.
#
# Debian: the machine's own apt sources are copied, with "deb" turned into "deb-src", into a private
# directory under WORK; apt runs with private lists and cache, so that nothing under /etc or /var changes.

ARCHIVE_URL=${HTTPD_ARCHIVE_URL:-https://archive.apache.org/dist/httpd}

# The private apt: apt_private COMMAND ARGS...
apt_private() {
    local command=$1
    shift
    "$command" -o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts="$WORK/apt/parts" \
        -o Dir::State::lists="$WORK/apt/lists" -o Dir::Cache="$WORK/apt/cache" \
        -o APT::Sandbox::User="$(id -un)" -o Debug::NoLocking=true -o Acquire::Retries=2 \
        -o APT::Get::Only-Source=true "$@"
}

# Writes the deb-src form of every apt source of this machine to WORK/apt/parts.
# With an argument (a list of suites), adds these suites of the same Debian archive.
apt_derive_sources() {
    local extra=${1:-} file
    rm -rf "$WORK/apt/parts"
    mkdir -p "$WORK/apt/parts" "$WORK/apt/lists/partial" "$WORK/apt/cache/archives/partial"
    for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
        [ -r "$file" ] || continue
        # one-line format: "deb [options] uri suite components"
        sed -n -E 's/^[[:space:]]*deb(-src)?[[:space:]]+/deb-src /p' "$file" \
            | sort -u >"$WORK/apt/parts/$(basename "$file" .list)-oneline.list"
    done
    for file in /etc/apt/sources.list.d/*.sources; do
        [ -r "$file" ] || continue
        sed -E 's/^Types:.*/Types: deb-src/I' "$file" >"$WORK/apt/parts/$(basename "$file")"
    done
    [ -z "$extra" ] || apt_add_suites "$extra"
}

# For checking only: adds stanzas for other suites of the same Debian archives.
apt_add_suites() {
    local suites=$1 uri keyring=/usr/share/keyrings/debian-archive-keyring.gpg suite
    uri=$(cat "$WORK"/apt/parts/* | grep -oE 'https?://[^ ]+/debian/?([[:space:]]|$)' | head -n 1 | tr -d '[:space:]')
    [ -n "$uri" ] || { note "no Debian archive among this machine's apt sources; other suites are not checked"; return 0; }
    for suite in $suites; do
        case $suite in
            *-security) echo "deb-src [signed-by=$keyring] ${uri%/}-security $suite main" ;;
            *) echo "deb-src [signed-by=$keyring] $uri $suite main" ;;
        esac
    done >"$WORK/apt/parts/zz-other-suites.list"
}

# Refreshes the private lists. Success means that at least one version of the source package is listed.
apt_refresh() {
    command -v apt-get >/dev/null || { note "no apt-get on this machine"; return 1; }
    apt_derive_sources "${1:-}"
    REFRESHED=yes
    apt_private apt-get -q -o APT::Update::Error-Mode=any update >"$WORK/apt/update.log" 2>&1 || {
        REFRESHED=partly
        note "apt could not read every source list (see $WORK/apt/update.log); going on with the rest"
    }
    local newest
    newest=$(apt_versions | head -n 1)
    LISTED=${newest:-$LISTED}
    [ -n "$newest" ]
}

# Listed versions of the source package, newest first.
apt_versions() {
    apt_private apt-cache showsrc --only-source apache2 2>/dev/null \
        | sed -n 's/^Version: //p' | sort -u | sort -rV
}

# skip WHAT WHY: one of the sources that are not taken; said once, by mind_older or at the end
skip() {
    case $SKIPPED in
        *"$1: "*) ;;
        *) SKIPPED+="
    not taken: $1: $2" ;;
    esac
}

# tried SOURCE: has it failed before?
tried() {
    [[ $TRIED == *" $(sha256sum "$1" | cut -d' ' -f1) "* ]]
}

# The newest apache2 that is installed, that apt would install, or whose source was listed when ours was got, as
# "2.4.71-1~deb12u1 (apt's candidate)". Nothing where nobody knows of one.
newest_known() {
    {
        dpkg-query -W -f '${db:Status-Status} ${Version}\n' apache2-bin 2>/dev/null | sed -n 's/^installed \(.*\)/\1 (installed)/p'
        LC_ALL=C apt-cache policy apache2-bin 2>/dev/null | sed -n "s/^ *Candidate: \([0-9].*\)/\1 (apt's candidate)/p"
        [ -z "${LISTED:-}" ] || echo "$LISTED (listed as source)"
    } | sort -V | tail -n 1
}

# is_older VERSION DEBIAN_VERSION: by what httpd's developers call them
is_older() {
    local theirs=${2#*:}
    theirs=${theirs%-*}
    [ "$1" != "$theirs" ] && [ "$(printf '%s\n' "$1" "$theirs" | sort -V | head -n 1)" = "$1" ]
}

# mind_older VERSION: who has security updates must not lose them without a word
mind_older() {
    local known theirs
    known=$(newest_known)
    theirs=${known%% *}
    if [ -z "$known" ]; then
        note "whether httpd $1 is the newest cannot be told: no apt here knows apache2. See https://httpd.apache.org$SKIPPED"
    elif ! is_older "$1" "$theirs"; then
        case $theirs in
            *"$1"-[0-9] | *"$1"-[0-9]~deb*u1 | *"$1"-[0-9]~bpo*) ;;
            *"$1"-*) note "apache2 $known has patches of Debian's, perhaps security fixes; this build of httpd $1 has not" ;;
        esac
        [ -z "$SKIPPED" ] || note "httpd $1 was taken$SKIPPED"
    elif [ $OLDER = allowed ]; then
        note "httpd $1 is older than apache2 $known, and may lack security fixes: do not put it into service (--allow-older)$SKIPPED"
    else
        die "httpd $1 is older than apache2 $known, and may lack its security fixes.
    What to do: try again later, or with another mirror, when the newer source can be had; or give it with --source.
    Or, not for service: --allow-older.$SKIPPED"
    fi
}

# apt_download VERSION: leaves the upstream tarball in WORK/debian/VERSION; prints its path.
# apt checks the Release file's signature and the index; the tarball is checked against that index here again.
apt_download() {
    local version=$1 dir="$WORK/debian/${1//[:~]/_}" tarball name sum
    mkdir -p "$dir"
    (cd "$dir" && apt_private apt-get -q source --download-only --tar-only "apache2=$version") >"$dir/download.log" 2>&1 \
        || true   # a mirror may lack a file that we do not need: what counts is the tarball
    tarball=$(find "$dir" -maxdepth 1 -name '*.orig.tar.*' ! -name '*.asc' | head -n 1)
    [ -n "$tarball" ] || return 1
    name=$(basename "$tarball")
    sum=$(apt_private apt-cache showsrc --only-source apache2 2>/dev/null | awk -v f="$name" '$3 == f && length($1) == 64 {print $1; exit}')
    echo "$sum  $tarball" | sha256sum --check --status \
        || die "$name: its sha256 is not the one in Debian's signed index; remove $dir and try again"
    echo "$tarball"
}

# debian_source [SUITES]: the newest listed version that can be fetched (the very newest may already be gone from a mirror) and was not
# tried before; with SUITES also of these. Sets SOURCE and VERIFIED.
debian_source() {
    local version
    apt_refresh "${1:-}" || { note "this machine's apt sources list no source package apache2"; return 1; }
    for version in $(apt_versions); do
        if SOURCE=$(apt_download "$version"); then
            ! tried "$SOURCE" || continue
            VERIFIED="Debian source package apache2 $version: sha256 as in the index, which apt checked against the signed Release file"
            return 0
        fi
        skip "apache2 $version" "listed, but its files cannot be fetched ($(grep -m 1 -oE '(404|Could not|Failed|Unable)[^[]*[^[ ]' "$WORK/debian/${version//[:~]/_}/download.log" || echo 'see download.log'))"
    done
    return 1
}

# archive_source: the Apache archive, checked against sources.sha256 in this repository.
archive_source() {
    local sum name
    while read -r sum name; do
        mkdir -p "$WORK/archive"
        if [ ! -f "$WORK/archive/$name" ]; then
            curl --fail --silent --show-error --location --retry 2 --connect-timeout 15 \
                --output "$WORK/archive/$name.part" "$ARCHIVE_URL/$name" 2>"$WORK/archive/$name.log" || { skip "$ARCHIVE_URL/$name" "cannot be fetched"; continue; }
            mv "$WORK/archive/$name.part" "$WORK/archive/$name"
        fi
        if echo "$sum  $WORK/archive/$name" | sha256sum --check --status; then
            ! tried "$WORK/archive/$name" || continue
            SOURCE="$WORK/archive/$name"
            VERIFIED="Apache archive: sha256 as listed in httpd-online/sources.sha256"
            return 0
        fi
        rm -f "$WORK/archive/$name"
        skip "$ARCHIVE_URL/$name" "has not the sha256 of httpd-online/sources.sha256"
    done < <(grep -v '^#' "$HERE/sources.sha256")
    return 1
}

# older_release_source: a listed version of another release of Debian, for tests. What is newest is still what this machine's own lists say.
older_release_source() {
    local listed=$LISTED found=no
    [ $OLDER = allowed ] || return 1
    ! debian_source "$SUITES" 2>/dev/null || found=yes # (a list that cannot be read is of no release of ours)
    LISTED=$listed
    [ $found = yes ]
}

# given_source FILE
given_source() {
    [ -e "$1" ] || die "--source $1: no such file"
    SOURCE=$(readlink -f "$1")
    if [ -d "$SOURCE" ]; then
        VERIFIED="given tree, NOT verified"
        return
    fi
    local sum
    sum=$(sha256sum "$SOURCE" | cut -d' ' -f1)
    if grep -q "^$sum " "$HERE/sources.sha256"; then
        VERIFIED="given tarball: sha256 as listed in httpd-online/sources.sha256"
    else
        VERIFIED="given tarball, NOT verified: its sha256 $sum is not in httpd-online/sources.sha256"
    fi
}

# get_source [TARBALL]: sets SOURCE and VERIFIED. The choice is remembered, so that a second call needs no network.
get_source() {
    local remembered="$WORK/source" at_hand= sum
    if [ -n "${1:-}" ]; then
        given_source "$1"
        return
    fi
    if [ -f "$remembered" ]; then
        { read -r sum; read -r SOURCE; read -r VERIFIED; read -r LISTED || true; } <"$remembered"
        if [ -f "$SOURCE" ] && echo "$sum  $SOURCE" | sha256sum --check --status; then
            [ $OLDER = refused ] && is_older "$(tarball_version "$SOURCE")" "$(newest_known)" || return 0
            note "$(basename "$SOURCE") is not the newest any more"
            at_hand=$SOURCE
        fi
    fi
    say "getting the source"
    choose_source "$at_hand"
}

# choose_source [AT_HAND]: the first that was not tried yet, newest first; remembers it.
choose_source() {
    SOURCE=
    debian_source || archive_source || older_release_source || SOURCE=${1:-}
    [ -n "$SOURCE" ] || die "no httpd source$([ "$TRIED" = " " ] || echo " that fits"): no Debian source package and no file from $ARCHIVE_URL.
    What to do: give one with --source httpd-2.4.68.tar.gz, or give this machine an apt source of Debian.$SKIPPED"
    local remembered="$WORK/source"
    printf '%s\n' "$(sha256sum "$SOURCE" | cut -d' ' -f1)" "$SOURCE" "$VERIFIED" "$LISTED" >"$remembered.part"
    mv "$remembered.part" "$remembered"
}

# unpack TARBALL|TREE DIR: the tarball's single top directory, or a copy of the tree, becomes DIR.
unpack() {
    rm -rf "$2"
    mkdir -p "$2"
    if [ -d "$1" ]; then
        cp -R "$1/." "$2"
    else
        tar --extract --file "$1" --directory "$2" --strip-components=1 --no-same-owner \
            || die "$1: cannot be unpacked; is it a whole httpd tarball?"
    fi
    [ -f "$2/include/ap_release.h" ] || die "$1: no include/ap_release.h in it, so this is no httpd source"
}

# source_version DIR: the version that the source itself states.
source_version() {
    read_version <"$1/include/ap_release.h"
}

# tarball_version TARBALL: the same of one that is not unpacked.
tarball_version() {
    tar --extract --to-stdout --file "$1" --wildcards '*/include/ap_release.h' | read_version
}

read_version() {
    awk '/#define AP_SERVER_(MAJOR|MINOR)VERSION_NUMBER|#define AP_SERVER_PATCHLEVEL_NUMBER/ {v = v (v == "" ? "" : ".") $3} END {print v}'
}
