# SPDX-License-Identifier: Apache-2.0
# P2: partners.sh PREFIX sched-credit|sched-credit2. In each of two guests of four vCPUs on two CPUs the kernels whose ranks wait for
# partners, one after another, turning and asleep. Each begins in both guests at once, when those before it have had the seconds that they need on Credit1.
. /out/lib.sh
scheduler $1 $2
jobs=
begin=20
# UNITS of 26 us: CPU time of a step as docs/host-study.md has it
while read -r kernel units phases seconds; do
    jobs="$jobs+$kernel,4,$units,$phases,4,$begin"
    begin=$((begin + seconds))
done <<TABLE
cg 6 50 12
lu 9 310 6
sp 27 80 25
bt 85 60 21
mg 192 42 12
ft 58 49 14
cg-block 6 150 3
lu-block 9 930 6
sp-block 27 240 6
bt-block 85 180 11
mg-block 192 126 14
ft-block 58 147 7
TABLE
two "${jobs#+}" 4
seen 'SUM ft-block' 1500
ended $1-partners
