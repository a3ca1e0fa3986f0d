# SPDX-License-Identifier: Apache-2.0
# What host and tenant could tell each other through xenstore, and what the store says when it does not like it: from Dom0 first,
# then from a guest that has the same tools. Its first process does what it is told, and says so on its console.
. /out/lib.sh

xl domid g1 >/dev/null 2>&1 || guest g1 20 10
id=$(xl domid g1)
data=/local/domain/$id/data
keep 100-notice-missing xenstore-read "$data/ic2/notice"
keep 101-notice-write xenstore-write "$data/ic2/notice" '{"v":1,"run":0.20,"wait":0.05}'
keep 102-notice-read xenstore-read "$data/ic2/notice"
keep 103-notice-permissions xenstore-ls -fp "$data"
keep 104-notice-2048-bytes xenstore-write "$data/ic2/notice" "$(head -c 2048 /dev/zero | tr '\0' x)"
keep 105-notice-2049-bytes xenstore-write "$data/ic2/notice" "$(head -c 2049 /dev/zero | tr '\0' x)"
# xenstore-write takes a backslash for the beginning of an escape, and xenstore-read writes two for one: but with -R
json='{"a":"\"b\n\\c"}'
keep 106-notice-escaped sh -c 'xenstore-write "$1" "$2"; xenstore-read "$1"; xenstore-read -R "$1"' sh "$data/ic2/notice" "$json"
keep 107-notice-raw sh -c 'xenstore-write -R "$1" "$2"; xenstore-read "$1"; xenstore-read -R "$1"' sh "$data/ic2/notice" "$json"
keep 108-notice-of-nobody sh -c 'xenstore-write /local/domain/99/data/ic2/notice x; xenstore-ls -f /local/domain/99
    xenstore-rm /local/domain/99'
keep 109-notice-two-at-once xenstore-read "$data/ic2/notice" "$data/ic2/tenant"

tenant "other=$id" <<'TENANT'
#!/bin/sh
export PATH=/bin
mount -t proc proc /proc
mount -t devtmpfs dev /dev
exec >/dev/console 2>&1
for word in $(cat /proc/cmdline); do
    case $word in other=*) other=${word#other=} ;; esac
done
try() {
    echo "TRY \$ $*" | cut -c1-120
    "$@"
    echo "TRY rc=$?"
}
until xenstore-read data/ic2/notice >/dev/null 2>&1; do sleep 0.2; done
try xenstore-read data/ic2/notice
try xenstore-read data/ic2/tenant
try xenstore-write data/ic2/tenant '{"v":1,"response_time":0.08,"requests":120}'
try xenstore-read data/ic2/tenant
try xenstore-write data/ic2/tenant "$(head -c 2049 /dev/zero | tr '\0' x)"
try xenstore-write data/ic2/notice '{"v":1,"forged":true}'
try xenstore-write memory/target 999999
try xenstore-write "/local/domain/$other/data/ic2/tenant" x
try xenstore-read "/local/domain/$other/data/ic2/notice"
try xenstore-read /local/domain/0/name
try xenstore-ls -p data
echo "TRY END"
for n in $(seq 1 10); do
    xenstore-write $(for m in $(seq 1 120); do echo "data/ic2/many/$n-$m x"; done) || break
done
echo "TRY FULL after $n times 120 nodes"
try xenstore-write data/ic2/tenant '{"v":1}'
try xenstore-write data/ic2/new x
echo "TRY OVER"
while :; do sleep 60; done
TENANT
id=$(xl domid tenant)
xenstore-write "/local/domain/$id/data/ic2/notice" '{"v":1,"run":0.20,"wait":0.05}'
xl unpause tenant
tries=0
until grep -q 'TRY OVER' /var/log/xen/guest-tenant.log 2>/dev/null || [ $tries -ge 40 ]; do
    sleep 1
    tries=$((tries + 1))
done
keep 111-tenant sh -c "grep -v '^\[' /var/log/xen/guest-tenant.log | tr -d '\r'"
keep 112-tenant-read xenstore-read "/local/domain/$id/data/ic2/tenant"
keep 113-tenant-permissions sh -c "xenstore-ls -fp /local/domain/$id/data | grep -v /many/"
keep 114-notice-to-a-full-one xenstore-write "/local/domain/$id/data/ic2/notice" '{"v":1,"run":0.30}'
keep 110-notice-remove sh -c "xenstore-rm $data/ic2; xenstore-rm $data/ic2"
xl destroy tenant
keep 115-tenant-gone xenstore-read "/local/domain/$id/data/ic2/tenant"
keep 116-notice-after-the-end sh -c "xenstore-write /local/domain/$id/data/ic2/notice x; xenstore-ls -f /local/domain/$id
    xenstore-rm /local/domain/$id"
