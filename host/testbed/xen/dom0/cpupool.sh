# SPDX-License-Identifier: Apache-2.0
# T8, second half: the same three in a pool of that one CPU.
. /out/lib.sh
for i in 1 2 3; do
    xl sched-credit -d g$i -w 256 -c 0
    xl vcpu-pin g$i 0 all
done
pool credit
keep 30-cpupool-list sh -c 'xl cpupool-list; xl cpupool-list -c'
keep 31-cpupool-migrate sh -c 'for i in 1 2 3; do xl cpupool-migrate g$i Pool-G; done
    xl cpupool-list; xl vcpu-list; xl sched-credit'
xl sched-credit -d g2 -w 512
xl sched-credit -d g3 -w 1024
sleep 2
keep 32-xentop-credit1-pool-weights-1-2-4 sh -c 'xl sched-credit; xentop -b -d 15 -i 2'
xl sched-credit -d g2 -w 256 -c 10
xl sched-credit -d g3 -w 768
sleep 1
keep 33-xentop-credit1-pool-w1-3-cap10-g2 sh -c 'xl sched-credit; xentop -b -d 15 -i 2'
for i in 1 2 3; do xl sched-credit -d g$i -w 256 -c 0; done
# xentrace cannot write straight to the shared folder ("Bad address"); xenalyze makes nothing of what is left, with status 0
keep 34-xentrace-refused sh -c 'xentrace -D -e 0x0002f000 -T 1 -S 256 /out/refused.bin; ls -la /out/refused.bin'
keep 35-xenalyze-of-nothing xenalyze -s /out/refused.bin
rm -f /out/refused.bin
