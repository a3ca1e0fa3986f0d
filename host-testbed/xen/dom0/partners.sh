# SPDX-License-Identifier: Apache-2.0
# P2: partners.sh PREFIX sched-credit|sched-credit2. In each of two guests of four vCPUs on two CPUs the kernels whose ranks wait for
# partners, one after another, turning and asleep. Each begins in both guests at once, when those before it have had the seconds that they need with this
# scheduler; meanwhile they keep CPUs busy, which is the machine's time.
. /out/lib.sh
scheduler $1 $2
jobs=
begin=20
# UNITS of 26 us: CPU time of a step as docs/host-study.md has it
while read -r kernel units phases credit1 credit2; do
    jobs="$jobs+$kernel,4,$units,$phases,4,$begin"
    case $2 in
        sched-credit) begin=$((begin + credit1)) ;;
        *) begin=$((begin + credit2)) ;;
    esac
done <<TABLE
cg 6 50 20 3
lu 9 310 7 4
sp 27 80 32 4
bt 85 60 26 6
mg 192 42 14 8
ft 58 49 16 4
cg-block 6 150 4 4
lu-block 9 930 7 7
sp-block 27 240 7 7
bt-block 85 180 13 13
mg-block 192 126 16 16
ft-block 58 147 8 8
TABLE
two "${jobs#+}" 4
seen 'SUM ft-block' 2000
ended $1-partners
