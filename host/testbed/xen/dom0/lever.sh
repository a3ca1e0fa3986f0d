# SPDX-License-Identifier: Apache-2.0
# T6: g4 wants 20 % of the CPU in pieces of 2 ms, two burners want all of it. What do time slice and weight do to g4's waiting?
# The guests are made anew: one that came back from a Credit2 pool to a Credit1 pool has brought Xen 4.17.7 down (csched_tick).
. /out/lib.sh
for g in g1 g2 g3; do xl destroy $g 2>/dev/null; done
pool credit
guest g1 100 100 Pool-G
guest g2 100 100 Pool-G
guest g4 20 10 Pool-G
up g1 g2 g4
sleep 2
xl sched-credit -s -p Pool-G -t 30 -r 1000
trace 70-c1-ts30-equal 4
xl sched-credit -s -p Pool-G -t 5 -r 1000
sleep 1
trace 71-c1-ts5-equal 4
xl sched-credit -s -p Pool-G -t 34 -r 1600
xl sched-credit -d g4 -w 43008
sleep 1
trace 72-c1-ts34-w43008 4
pool credit2 g1 g2 g4
sleep 2
trace 73-c2-equal 4
keep 75-xenstore sh -c 'xenstore-ls -f /local/domain/$(xl domid g4)'
