# SPDX-License-Identifier: Apache-2.0
# T8, first half: three burners pinned to one of two CPUs under Credit1: what do weights 1 : 2 : 4 and a cap of 25 do?
. /out/lib.sh
guest g2 100 100
guest g3 100 100
up g2 g3
keep 10-xl-vcpu-pin-setup sh -c 'xl vcpu-pin Domain-0 0 0; for i in 1 2 3; do xl vcpu-pin g$i 0 1; done; xl vcpu-list'
keep 11-sched-credit-default xl sched-credit
sleep 1
keep 12-xentop-equal-weights xentop -b -d 5 -i 3
keep 13-set-weights sh -c 'xl sched-credit -d g1 -w 256; xl sched-credit -d g2 -w 512; xl sched-credit -d g3 -w 1024
    xl sched-credit'
sleep 2
keep 14-xentop-weights-1-2-4 xentop -b -d 10 -i 3
keep 15-set-cap sh -c 'xl sched-credit -d g3 -c 25; xl sched-credit -d g3; xl sched-credit'
sleep 2
keep 16-xentop-cap25-on-g3 xentop -b -d 10 -i 3
keep 17-set-sched-params sh -c 'xl sched-credit -s -t 5 -r 500; xl sched-credit -s; xl sched-credit -s -t 5 -r 9000; echo rc=$?;
    xl sched-credit -s -t 30 -r 1000; xl sched-credit -s'
keep 18-xl-list xl list
keep 19-xl-vcpu-list xl vcpu-list
