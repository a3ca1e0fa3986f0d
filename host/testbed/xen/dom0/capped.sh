# SPDX-License-Identifier: Apache-2.0
# T7, first half: is a capped vCPU that Credit1 has parked "runnable" (so: waiting) or "offline" in the trace?
# Three burners in the one-CPU pool; g2 may have 25 %. Then alone, so that nobody else wants the CPU.
. /out/lib.sh
pool credit g1 g2 g3
for i in 1 2 3; do xl sched-credit -d g$i -w 256 -c 0; done
xl sched-credit -d g2 -c 25
sleep 2
trace 90-cap25-three 4
# the records of a parking and an unparking, as they are: every line of the trace that names g2's vCPU, for 120 lines
id=$(xl domid g2)
keep 90-cap25-three-records sh -c "xenalyze -a --cpu-hz $HZ /tmp/trace.bin 2>/dev/null | grep d${id}v0 | head -n 120"
for g in g1 g3; do xl pause $g; done
sleep 2
trace 91-cap25-alone 4
keep 91-cap25-alone-records sh -c "xenalyze -a --cpu-hz $HZ /tmp/trace.bin 2>/dev/null | grep d${id}v0 | head -n 120"
keep 91-cap25-alone-xentop xentop -b -d 10 -i 2
for g in g1 g3; do xl unpause $g; done
xl sched-credit -d g2 -c 0
