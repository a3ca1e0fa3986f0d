# SPDX-License-Identifier: Apache-2.0
# T7, second half: does a cap of 100 (one whole CPU for one vCPU: iTune's rule 2) hold a guest of low weight down although the CPU
# is idle? One-CPU Credit1 pool: g5 wants 30 % of it, g1 all that it can get. With cap 0 g1 must get 70 %.
. /out/lib.sh
pool credit g1
for g in g2 g3; do xl pause $g; done
xl sched-credit -s -p Pool-G -t 30 -r 1000
guest g5 30 10 Pool-G
up g5
sleep 2
for weight in 256 1024 43008; do
    for cap in 0 100; do
        xl sched-credit -d g5 -w $weight -c 0
        xl sched-credit -d g1 -w 256 -c $cap
        sleep 2
        keep 92-rule2-w$weight-cap$cap sh -c 'xl sched-credit -p Pool-G; xentop -b -d 15 -i 2'
        trace 93-rule2-w$weight-cap$cap 4
    done
done
id=$(xl domid g1)
keep 93-rule2-w43008-cap100-records sh -c "xenalyze -a --cpu-hz $HZ /tmp/trace.bin 2>/dev/null | grep d${id}v0 | head -n 120"
xl destroy g5
xl sched-credit -d g1 -c 0
for g in g2 g3; do xl unpause $g; done
