# SPDX-License-Identifier: Apache-2.0
# P2: partners.sh PREFIX sched-credit|sched-credit2. In each of two guests of four vCPUs on two CPUs the kernels whose ranks wait for
# partners, one after another, turning and asleep. Each is told to begin in both guests at once, when those before it have ended in both;
# the one that ends first keeps a CPU busy meanwhile.
. /out/lib.sh
scheduler $1 $2
# UNITS of 26 us: CPU time of a step as host/docs/study.md has it
steps='cg 6 50
lu 9 310
sp 27 80
bt 85 60
mg 192 42
ft 58 49
cg-block 6 150
lu-block 9 930
sp-block 27 240
bt-block 85 180
mg-block 192 126
ft-block 58 147'
two "$(echo "$steps" | while read -r kernel units phases; do printf '%s,4,%s,%s,4,told+' $kernel $units $phases; done)" 4
terminals=$(for name in j1 j2; do xenstore-read "/local/domain/$(xl domid $name)/console/tty"; done)
# (a kernel comes before the one whose name goes on with -block)
for kernel in $(echo "$steps" | cut -d ' ' -f 1); do
    seen "READY $kernel" 2000 || break
    for terminal in $terminals; do echo "$kernel" >"$terminal"; done
done
seen 'SUM ft-block' 2000
ended $1-partners
