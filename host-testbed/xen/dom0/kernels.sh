# SPDX-License-Identifier: Apache-2.0
# P2: kernels.sh PREFIX sched-credit|sched-credit2. Two guests of two vCPUs on two CPUs: no barrier, barriers at which they
# sleep, barriers at which they turn. Each is traced for 2 s once both guests have ended a run, so that no trace shows them boot.
. /out/lib.sh
prefix=$1
keep $prefix-00-sched-s sh -c "xl info | grep xen_scheduler; xl $2; xl $2 -s"

# both MODE JOB
both() {
    rm -f /var/log/xen/guest-j?.log
    job j1 "$2" 2
    job j2 "$2" 2
    xl unpause j1
    xl unpause j2
    tries=0
    while [ "$(grep -l 'rep 0' /var/log/xen/guest-j?.log 2>/dev/null | wc -l)" -lt 2 ] && [ $tries -lt 240 ]; do
        sleep 0.2
        tries=$((tries + 1))
    done
    trace $prefix-$1 2
    tries=0
    while [ "$(cat /var/log/xen/guest-j?.log 2>/dev/null | grep -c SUM)" -lt 2 ] && [ $tries -lt 120 ]; do
        sleep 1
        tries=$((tries + 1))
    done
    keep $prefix-$1 sh -c 'tail -n 20 /var/log/xen/guest-j1.log /var/log/xen/guest-j2.log; xl list'
    xl destroy j1
    xl destroy j2
    sleep 0.5
}

both block block,2,5,200,5
both ep ep,2,50,120,2
both spin spin,2,5,200,5
