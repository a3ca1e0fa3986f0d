#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The first process of the guest of talk.sh: it takes a tenth of a CPU, and runs what its console says: a line with a number
# and how many words there are, then each word on a line. What comes of it is said in lines that begin with that number.
export PATH=/bin
mount -t proc proc /proc
mount -t devtmpfs dev /dev
exec </dev/console >/dev/console 2>&1
stty -echo
burn 10 20 5 >/dev/null &
echo "GUEST UP"
while read -r number count; do
    set --
    while [ $# -lt "$count" ] && IFS= read -r word; do set -- "$@" "$word"; done
    "$@" >/out 2>/err </dev/null
    status=$?
    while IFS= read -r line || [ -n "$line" ]; do echo "$number out $line"; done </out
    while IFS= read -r line || [ -n "$line" ]; do echo "$number err $line"; done </err
    echo "$number rc $status"
done
