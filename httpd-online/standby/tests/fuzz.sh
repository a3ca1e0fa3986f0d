#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# fuzz.sh [SECONDS]: fuzzes what mod_standby makes of queries, cookies, headers and pages (default: 60 seconds) with clang's
# libFuzzer, AddressSanitizer and UndefinedBehaviorSanitizer. New inputs stay in build/standby-fuzz/corpus; a crash is in
# build/standby-fuzz/crash-* and the exit status is not 0.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
work=${IC2_BUILD:-$(cd "$here/../../.." && pwd)/build}/standby-fuzz
clang=$(command -v clang) || { echo "fuzz.sh: no clang; install clang" >&2; exit 1; }
mkdir -p "$work/corpus"
seed() { printf "$2" >"$work/corpus/$1"; }
seed path '\0/wiki/%%e4%%b8%%ad/Talk:Page'
seed query '\1title=Talk:Main_Page&utm_source=x&page=2&p=3'
seed cookies '\2_ga=GA1.1.5; _ga_X=1; author_5c=Ann; session=1'
seed accept '\3text/html,application/xhtml+xml,application/xml;q=0.9,image/webp,*/*;q=0.8'
seed control '\3public, s-maxage=600, max-age="0"'
seed page '\4192.0.2.17\0<html><!-- built in 0.12 s --><p>hello 192.0.2.17</p>"time":12,</html>'
seed builds '\5\0\1\1\2\4\5\10\0'
seed pass '\6192.0.2.0/24\00000003b6-00000000000000ff-0123456789abcdef'
seed rate '\7\074\1\1\1\2\2\2\3\3\200\300\1'
seed known '\10\0\101\202\303\1\1\1\300\377'
"$clang" -g -O1 -D_GNU_SOURCE -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined \
    $(apr-1-config --cppflags --includes) $(apu-1-config --includes) -I"$here/.." "$here/fuzz_standby.c" "$here"/../standby_{text,look,store,pass,rate,known}.c \
    $(apr-1-config --link-ld) $(apu-1-config --link-ld) -o "$work/fuzz_standby"
cd "$work"
exec ./fuzz_standby -max_total_time="${1:-60}" -max_len=8192 -timeout=5 -dict="$here/standby.dict" \
    -artifact_prefix="$work/" -print_final_stats=1 corpus
