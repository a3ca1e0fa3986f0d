# SPDX-License-Identifier: Apache-2.0
# The bridge's end in Dom0: `setsid sh ask.sh N` runs what ask/N.sh says and leaves output and status beside it; `ask.sh kill N`
# ends it with all that it has started. It starts no process of its own: each is dear in a machine that is interpreted.
cd "${0%/*}/ask" || exit 1
if [ "$1" = kill ]; then
    read -r group <"$2.pid"
    kill -s KILL -- "-$group" 2>/dev/null
    exit 0
fi
exec >"$1.out" 2>"$1.err" </dev/null
echo $$ >"$1.pid"
(. "./$1.sh")
echo $? >"$1.rc"
