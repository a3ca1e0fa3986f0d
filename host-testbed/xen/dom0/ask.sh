# SPDX-License-Identifier: Apache-2.0
# The bridge's end in Dom0: `setsid ask.sh N` runs what ask/N.sh says and leaves output and status beside it; `ask.sh kill N` ends
# it with all that it has started.
cd "$(dirname "$0")/ask" || exit 1
if [ "$1" = kill ]; then
    kill -s KILL -- "-$(cat "$2.pid")" 2>/dev/null
    exit 0
fi
exec >"$1.out" 2>"$1.err" </dev/null
echo $$ >"$1.pid"
sh "$1.sh"
echo $? >"$1.status"
mv "$1.status" "$1.rc"
