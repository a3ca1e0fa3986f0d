# SPDX-License-Identifier: Apache-2.0
# T8, a plan of cores and weights together: CPU 1 for the web server alone, CPUs 2 and 3 for four others, weights 1 : 1 : 2 : 2.
# place.sh pinned: by pinning. place.sh pools: after that, by pools of these CPUs, with the commands that a person would give.
. /out/lib.sh
others="b1 b2 b3 b4"
if [ "$1" = pinned ]; then
    xl vcpu-pin 0 0 0
    for name in web $others; do guest $name 100 100; done
    up web $others
    xl vcpu-pin web 0 1
    for name in $others; do xl vcpu-pin $name 0 2-3; done
    xl sched-credit -d b3 -w 512
    xl sched-credit -d b4 -w 512
    sleep 2
    keep 150-place-pinned sh -c 'xl sched-credit; xl vcpu-list'
    keep 151-place-pinned-xentop xentop -b -d 15 -i 2
    exit
fi
# A guest may only move to a pool on one of whose CPUs it may run: its pinning goes first. Weights go with it.
cat >/tmp/realise.sh <<'COMMANDS'
xl vcpu-pin web all all
xl vcpu-pin b1 all all
xl vcpu-pin b2 all all
xl vcpu-pin b3 all all
xl vcpu-pin b4 all all
xl cpupool-cpu-remove Pool-0 1-3
xl cpupool-create name="ic2-web" sched="credit" cpus="1"
xl cpupool-create name="ic2-rest" sched="credit" cpus="2-3"
xl cpupool-migrate web ic2-web
xl cpupool-migrate b1 ic2-rest
xl cpupool-migrate b2 ic2-rest
xl cpupool-migrate b3 ic2-rest
xl cpupool-migrate b4 ic2-rest
COMMANDS
keep 152-place-realise sh -ex /tmp/realise.sh
sleep 2
keep 153-place-pools sh -c 'xl cpupool-list; xl cpupool-list -c; xl sched-credit; xl vcpu-list'
keep 154-place-pools-xentop xentop -b -d 15 -i 2
