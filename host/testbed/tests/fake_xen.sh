#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Called by the name of xl, xenstore-read or xentop: a Xen with one guest, whose cap is in a file, and in whose format the
# real one was recorded. While there is a file "hang", no xl ends.
#   FAKE_XEN  directory of these files
set -eu
state=${FAKE_XEN:?}
hang() {
    if [ -e "$state/hang" ]; then
        exec sleep 100000
    fi
}
case ${0##*/} in
xenstore-read)
    printf '/vm/d2453411-99c8-4123-814f-f9eb8fdb7d31\n163840\n'
    ;;
xentop)
    while :; do
        echo "      NAME  STATE   CPU(sec) CPU(%)     MEM(k) MEM(%)  MAXMEM(k) MAXMEM(%) VCPUS NETS NETTX(k) NETRX(k) VBDS   VBD_OO   VBD_RD   VBD_WR  VBD_RSECT  VBD_WSECT SSID"
        echo "  Domain-0 -----r         21    1.3     921600   50.0     921600      50.0     1    0        0        0    0        0        0        0          0          0    0"
        echo "       web ------         19   33.5      98304    5.3      99328       5.4     1    0        0        0    0        0        0        0          0          0    0"
        sleep 1
    done
    ;;
xl)
    hang
    case $* in
    list)
        printf 'Name ID Mem VCPUs State Time(s)\nDomain-0 0 900 1 r----- 26.0\nweb 1 96 1 ------ 37.9\n'
        ;;
    info)
        printf 'nr_cpus                : 2\ncpu_mhz                : 2596.143\n'
        printf 'total_memory           : 1799\nfree_memory            : 878\n'
        ;;
    sched-credit)
        printf 'Cpupool Pool-0: tslice=30ms ratelimit=1000us migration-delay=0us\n'
        printf 'Name ID Weight Cap\nDomain-0 0 256 0\nweb 1 256 %s\n' "$(cat "$state/cap")"
        ;;
    sched-credit2) ;;
    cpupool-list)
        printf 'Name CPUs Sched Active Domain count\nPool-0 2 credit y 2\n'
        ;;
    "cpupool-list -c")
        printf 'Name CPU list\nPool-0 0-1\n'
        ;;
    vcpu-list)
        printf 'Name ID VCPU CPU State Time(s) Affinity (Hard / Soft)\n'
        printf 'Domain-0 0 0 0 r-- 26.3 all / all\nweb 1 0 1 --- 38.0 all / all\n'
        ;;
    "sched-credit -d 1 -c "*)
        echo "$5" > "$state/cap"
        ;;
    *)
        echo "fake xl: unexpected: $*" >&2
        exit 1
        ;;
    esac
    ;;
esac
