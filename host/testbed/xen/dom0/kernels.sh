# SPDX-License-Identifier: Apache-2.0
# P2: kernels.sh PREFIX sched-credit|sched-credit2. Two guests of two vCPUs on two CPUs: no barrier, barriers at which they
# sleep, barriers at which they turn. Each is traced for 2 s once both guests have ended a run, so that no trace shows them boot.
. /out/lib.sh
prefix=$1
scheduler $prefix $2

# both KERNEL JOB
both() {
    two "$2" 2
    seen 'rep 0' 240
    trace $prefix-$1 2
    seen SUM 900
    ended $prefix-$1
}

both block block,2,100,200,5
both ep ep,2,1000,60,8
both spin spin,2,100,200,5
