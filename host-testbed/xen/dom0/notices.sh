# SPDX-License-Identifier: Apache-2.0
# What host and tenant could tell each other through xenstore, and what the store says when it does not like it: from Dom0 first,
# then from a guest that has the same tools. Its first process does what it is told, and says so on its console.
. /out/lib.sh

# tenant SCRIPT: a guest of which SCRIPT is the first process; an archive after the usual one takes the place of its files
tenant() {
    rm -rf /tmp/tenant
    mkdir -p /tmp/tenant/bin /tmp/tenant/lib64 /tmp/tenant/lib/x86_64-linux-gnu
    for tool in read write ls rm chmod; do cp "/usr/bin/xenstore-$tool" /tmp/tenant/bin/; done
    for word in head cut seq; do ln -s busybox "/tmp/tenant/bin/$word"; done
    cp /lib64/ld-linux-x86-64.so.2 /tmp/tenant/lib64/
    for library in libc.so.6 libxenstore.so.4 libxentoolcore.so.1; do
        cp "/lib/x86_64-linux-gnu/$library" /tmp/tenant/lib/x86_64-linux-gnu/
    done
    cat >/tmp/tenant/init
    chmod 755 /tmp/tenant/init
    (cd /tmp/tenant && find . | busybox cpio -o -H newc 2>/dev/null >/tmp/tenant.cpio)
    (gunzip -c /guests/initrd.gz && cat /tmp/tenant.cpio) | gzip -1 >/tmp/initrd-tenant.gz
    cat >/tmp/tenant.cfg <<CONFIG
name="tenant"
type="pv"
kernel="/guests/vmlinuz"
ramdisk="/tmp/initrd-tenant.gz"
memory=96
vcpus=1
extra="console=hvc0 quiet other=$1"
on_crash="destroy"
CONFIG
    rm -f /var/log/xen/guest-tenant.log
    xl create -q /tmp/tenant.cfg
}

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

tenant "$id" <<'TENANT'
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
