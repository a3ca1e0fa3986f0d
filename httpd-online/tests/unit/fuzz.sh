#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# fuzz.sh [SECONDS]: fuzzes the parser of the tunables file (default: 60 seconds) with clang's libFuzzer,
# AddressSanitizer and UndefinedBehaviorSanitizer. New inputs stay in build/httpd-fuzz/corpus; a crash is in
# build/httpd-fuzz/crash-* and the exit status is not 0. Needs the patched source: runs httpd-online/build.sh.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=${IC2_BUILD:-$(cd "$here/../../.." && pwd)/build}
prefix=${HTTPD_PREFIX:-$build/httpd}
work=$build/httpd-fuzz
[ -n "${HTTPD_PREFIX:-}" ] || "$here/../../build.sh" --allow-older
tree=$(sed -n 's/^tree //p' "$prefix/.built")
clang=$(command -v clang) || { echo "fuzz.sh: no clang; install clang" >&2; exit 1; }
mkdir -p "$work/corpus"
printf '# comment\nMaxRequestWorkers 400\nKeepAliveTimeout 5\nReconfigureVariable MITIGATION 2\n' >"$work/corpus/ordinary"
printf '\tMaxClients 30\r\nKeepAliveTimeout 250ms' >"$work/corpus/variants"
APR_POOL_DEBUG= "$clang" -g -O1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined \
    -I"$tree/include" -I"$tree/support" -I"$tree/os/unix" \
    $(apr-1-config --cppflags --includes) "$here/fuzz_tunables.c" "$tree/server/reconfigure_file.c" \
    "$tree/support/htreconfigure_file.c" \
    $(apr-1-config --link-ld) -o "$work/fuzz_tunables"
cd "$work"
exec ./fuzz_tunables -max_total_time="${1:-60}" -max_len=4096 -timeout=5 -dict="$here/tunables.dict" \
    -artifact_prefix="$work/" -print_final_stats=1 corpus
