# SPDX-License-Identifier: Apache-2.0
# T8, planner and weights together, on four CPUs: a web server, two guests that lean on memory (weights 1 : 3), two others.
# place.sh guests: they run. place.sh shares NAME: who gets what, and where it lives. place.sh realise FILE: what
# `ic2-host advise` printed for a person, weights again included.
. /out/lib.sh
case $1 in
    guests)
        xl vcpu-pin Domain-0 0 0        # the CPU that the plan leaves to it (reserve)
        for name in web b1 b2 n1 n2; do guest $name 100 100; done
        up web b1 b2 n1 n2
        xl sched-credit -d b2 -w 768
        ;;
    shares)
        keep "$2" sh -c 'xl cpupool-list; xl cpupool-list -c; xl sched-credit; xl vcpu-list'
        keep "$2-xentop" xentop -b -d 15 -i 2
        ;;
    realise)
        keep 153-place-realise sh -ex "$2"
        keep 155-place-weights xl sched-credit
        xl sched-credit -d b2 -w 768    # in its new pool it has 256 again
        ;;
esac
