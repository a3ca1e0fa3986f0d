# SPDX-License-Identifier: Apache-2.0
# P4 and J6: what the simulator is held against (three burners on one CPU under both schedulers), and a guest's balloon.
. /out/lib.sh
pool credit g1 g2 g3
for i in 1 2 3; do xl sched-credit -d g$i -w 256 -c 0; done
sleep 1
trace 36-credit1-equal 3
keep 37-mem-set sh -c 'xl mem-set g1 64; sleep 1; xl list; xl mem-set g1 96; sleep 1; xl list
    xenstore-ls /local/domain/$(xl domid g1)/memory'
keep 37-mem-set-steps sh -c 'for goal in 80 72 64; do
    echo "goal $goal"; xl mem-set g1 $goal; for i in 1 2 3 4 5; do sleep 1; xl list g1 | tail -n 1; done; done'
xl mem-set g1 96
keep 38-debug-key-r sh -c 'xl dmesg -c >/dev/null; xl debug-keys r; xl dmesg'
pool credit2 g1 g2 g3
keep 39-cpupool-credit2 sh -c 'xl cpupool-list; xl sched-credit; xl sched-credit2; xl sched-credit2 -s'
xl sched-credit2 -d g2 -w 512
xl sched-credit2 -d g3 -w 1024
sleep 1
keep 40-xentop-credit2-weights-1-2-4 sh -c 'xl sched-credit2; xentop -b -d 15 -i 2'
xl sched-credit2 -d g3 -c 25
sleep 1
keep 41-xentop-credit2-cap25-g3 sh -c 'xl sched-credit2; xentop -b -d 10 -i 2'
trace 45-credit2-cap25-g3 3
for i in 1 2 3; do xl sched-credit2 -d g$i -w 256 -c 0; done
keep 42-credit2-sched-params sh -c 'xl sched-credit2 -s -p Pool-G; xl sched-credit2 -s -p Pool-G -r 5000
    xl sched-credit2 -s -p Pool-G; xl sched-credit2 -s -p Pool-G -r 1000'
trace 43-credit2-equal 3
keep 44-debug-key-r-credit2 sh -c 'xl dmesg -c >/dev/null; xl debug-keys r; xl dmesg'
