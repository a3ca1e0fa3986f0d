# SPDX-License-Identifier: Apache-2.0
# P2, side by side: side.sh MODE..., spin, block or ep: kernels on both schedulers at once, in two pools of two CPUs of one machine
# of five; Dom0 has a CPU of its own. Two guests of two vCPUs in each pool: as kernels.sh has them on two machines.
. /out/lib.sh
for cpu in 1 2 3 4; do xl cpupool-cpu-remove Pool-0 $cpu; done
xl cpupool-create 'name="Pool-1"' 'sched="credit"' 'cpus=["1","2"]' >/dev/null
xl cpupool-create 'name="Pool-2"' 'sched="credit2"' 'cpus=["3","4"]' >/dev/null
keep 140-side-pools sh -c 'xl cpupool-list; xl cpupool-list -c; xl sched-credit -s; xl sched-credit2 -s'

# all MODE JOB
all() {
    rm -f /var/log/xen/guest-s?.log
    for n in 1 2 3 4; do job s$n "$2" 2 Pool-$(((n + 1) / 2)); done
    for n in 1 2 3 4; do xl unpause s$n; done
    if [ "$1" = spin ]; then
        sleep 6
        trace 141-side-$1 2
    fi
    tries=0
    while [ "$(cat /var/log/xen/guest-s?.log 2>/dev/null | grep -c SUM)" -lt 4 ] && [ $tries -lt 240 ]; do
        sleep 1
        tries=$((tries + 1))
    done
    keep 141-side-$1-credit tail -n 20 /var/log/xen/guest-s1.log /var/log/xen/guest-s2.log
    keep 141-side-$1-credit2 tail -n 20 /var/log/xen/guest-s3.log /var/log/xen/guest-s4.log
    keep 141-side-$1-list xl list
    for n in 1 2 3 4; do xl destroy s$n; done
    sleep 0.5
}

for mode in "$@"; do
    case $mode in
        spin | block) all $mode $mode,2,100,200,6 ;;
        ep) all ep ep,2,1000,60,5 ;;
    esac
done
