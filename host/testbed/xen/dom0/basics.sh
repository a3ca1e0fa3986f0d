# SPDX-License-Identifier: Apache-2.0
# What xl prints on a Credit1 host, alone and with one guest.
. /out/lib.sh
keep 01-xl-info xl info
keep 02-xl-list-dom0 xl list
keep 03-xl-vcpu-list-dom0 xl vcpu-list
keep 04-xl-sched-credit xl sched-credit
keep 05-xl-sched-credit-s xl sched-credit -s
keep 06-xl-sched-credit2-wrong-sched xl sched-credit2
keep 07-xl-cpupool-list xl cpupool-list
keep 08-xl-dmesg xl dmesg
guest g1 100 100
up g1
keep 09-xl-list xl list
