# SPDX-License-Identifier: Apache-2.0
# Read by the experiments, which run in Dom0.

# keep NAME COMMAND...: runs a command and keeps what it printed and its status in /out/NAME.txt, exactly: parsers are tested on
# these files.
keep() {
    name=$1
    shift
    "$@" >/tmp/keep.out 2>/tmp/keep.err
    rc=$?
    {
        printf '# $ %s\n' "$(printf '%s' "$*" | tr -s ' \n' ' ')"
        echo "# rc=$rc"
        echo "# --- stdout"
        cat /tmp/keep.out
        echo "# --- stderr"
        cat /tmp/keep.err
    } >"/out/$name.txt"
    echo "$name rc=$rc"
}

# guest NAME DUTY PERIOD_MS [POOL]: a guest of one vCPU and 96 MB that takes DUTY percent of a CPU if it gets it, paused until `up`:
# the next ones are made in half the time where nobody burns yet
guest() {
    cat >"/tmp/$1.cfg" <<CONFIG
name="$1"
type="pv"
kernel="/guests/vmlinuz"
ramdisk="/guests/initrd.gz"
memory=96
maxmem=160
vcpus=1
extra="console=hvc0 quiet duty=$2 period=$3"
on_crash="destroy"
pool="${4:-Pool-0}"
CONFIG
    xl create -q -p "/tmp/$1.cfg"
}

# job NAME KERNEL,THREADS,UNITS,PHASES,RUNS[,told][+...] VCPUS [POOL]: a guest that runs kernels, paused
job() {
    cat >"/tmp/$1.cfg" <<CONFIG
name="$1"
type="pv"
kernel="/guests/vmlinuz"
ramdisk="/guests/initrd.gz"
memory=96
vcpus=$3
extra="console=hvc0 quiet mitigations=off job=$2"
on_crash="destroy"
pool="${4:-Pool-0}"
CONFIG
    xl create -q -p "/tmp/$1.cfg"
}

# scheduler PREFIX sched-credit|sched-credit2: keeps which one it is, and how it is set
scheduler() {
    keep "$1-00-sched-s" sh -c "xl info | grep xen_scheduler; xl $2; xl $2 -s"
}

# two JOB VCPUS: j1 and j2 begin the same job
two() {
    rm -f /var/log/xen/guest-j?.log
    for name in j1 j2; do job $name "$1" "$2"; done
    for name in j1 j2; do xl unpause $name; done
}

# seen WORDS ROUNDS: waits until both of them have said the words; false after so many rounds of 0.2 s
seen() {
    tries=0
    until [ "$(grep -l "$1" /var/log/xen/guest-j?.log 2>/dev/null | wc -l)" -eq 2 ]; do
        [ $tries -lt "$2" ] || return 1
        sleep 0.2
        tries=$((tries + 1))
    done
}

# ended NAME: keeps what they have said, and ends them
ended() {
    keep "$1" sh -c 'tail -n 80 /var/log/xen/guest-j1.log /var/log/xen/guest-j2.log; xl list'
    for name in j1 j2; do xl destroy $name; done
    sleep 0.5
}

# pool SCHEDULER GUEST...: Pool-G, made anew with CPU 1 and a scheduler, with these guests in it
pool() {
    scheduler=$1
    shift
    if xl cpupool-list Pool-G >/dev/null 2>&1; then
        xl list -c | awk '$NF == "Pool-G" { print $1 }' | while read -r name; do xl cpupool-migrate "$name" Pool-0; done
        xl cpupool-destroy Pool-G
    else
        xl cpupool-cpu-remove Pool-0 1
    fi
    xl cpupool-create 'name="Pool-G"' "sched=\"$scheduler\"" 'cpus=["1"]' >/dev/null
    for name in "$@"; do
        xl vcpu-pin "$name" 0 all
        xl cpupool-migrate "$name" Pool-G
    done
}

# tenant WORDS <SCRIPT: a paused guest by this name, of which SCRIPT is the first process, with xenstore's commands and WORDS on its kernel's
# command line; an archive after the usual one takes the place of its files
tenant() {
    rm -rf /tmp/tenant
    mkdir -p /tmp/tenant/bin /tmp/tenant/lib64 /tmp/tenant/lib/x86_64-linux-gnu
    for tool in read write ls rm chmod; do cp "/usr/bin/xenstore-$tool" /tmp/tenant/bin/; done
    for word in head cut seq stty; do ln -s busybox "/tmp/tenant/bin/$word"; done
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
extra="console=hvc0 quiet $1"
on_crash="destroy"
CONFIG
    rm -f /var/log/xen/guest-tenant.log
    xl create -q -p /tmp/tenant.cfg
}

# up NAME...: lets these run. A guest that gets little of the CPU boots slowly: it is up when its console says so.
up() {
    for name in "$@"; do xl unpause "$name"; done
    for name in "$@"; do
        tries=0
        until grep -q 'GUEST UP' "/var/log/xen/guest-$name.log" 2>/dev/null || [ $tries -ge 60 ]; do
            sleep 1
            tries=$((tries + 1))
        done
    done
}

# trace NAME SECONDS: what the scheduler traced meanwhile, summed up; which guest has which number is in NAME-domains.
# (xentrace cannot write to the shared folder: "Bad address". The trace stays at /tmp/trace.bin for whoever wants its records.)
trace() {
    rm -f /tmp/trace.bin
    xentrace -D -e 0x0002f000 -T "$2" -S 512 /tmp/trace.bin >/tmp/trace.log 2>&1
    keep "$1-xenalyze" xenalyze -s --cpu-hz "$HZ" /tmp/trace.bin
    keep "$1-domains" xl list
}

# xenalyze prints cycles of a clock whose speed it must be told.
HZ=$(xl info | awk '/^cpu_mhz/ { printf "%.3fG", $3 / 1000 }')
