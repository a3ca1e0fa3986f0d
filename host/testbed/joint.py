#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Joint control's memory law on a real control group (the paper's figure 6): MemAccess' heap goes through two peaks and a valley
while `ic2-host` sets the memory limit; then it doubles at once. Prints two lines for each arm: no limit, `law: paper`,
`law: asymmetric`.

  joint.py [--step 6] [--rate 30] [--arms none,paper,asymmetric] [--directory DIR]

What it needs is the heap and what the server has beside it. In how many of the controller's intervals of 3 s the limit was below
that is counted in the first interval after each growth, and in all others.

Needs root, host/agent/target/ic2-host.jar, and leave to use a swap file of 512 MB, made in DIR (a disk) and removed at the end:
the heap is anonymous memory, as a virtual machine's is. Some three minutes an arm, on a machine that has nothing else to do."""

import argparse
import pathlib
import tempfile
import time

from guests import ROOT, Guests
from host_agent import HostAgent, joint
from served import Served, Swap, Watch, quantile

PEAKS = [128, 160, 192, 224, 256, 224, 192, 160, 128, 160, 192, 224, 256, 224, 192, 160, 128]
DOUBLED = [128, 128, 256, 256, 256, 256]
MOST = 512
PERIOD_S = 3


def arm(name, options):
    with Guests() as guests, tempfile.TemporaryDirectory() as directory:
        web = guests.add("web")
        rule = f"{{class: LS1, memory: [64MiB, {MOST}MiB]}}"
        agent = HostAgent(directory, joint(guests, "[memory]", f"{PERIOD_S}s", {"web": rule}, f", law: {name}" if name != "none" else ""))
        server = Served(web)
        try:
            serve(server, PEAKS[:1], options)
            beside = (web.memory()[0] >> 20) - chunks(PEAKS[0])
            if name != "none":
                web.limit(MOST)
                agent.start("act")
                agent.await_true(lambda: web.memory()[1] != MOST << 20, "it moves memory")
                serve(server, PEAKS[:1] * 5, options)
            for title, heaps in (("two peaks", PEAKS), ("doubled", DOUBLED)):
                watch = Watch(web)
                watch.start()
                answer = serve(server, heaps, options)
                show(name, title, answer, watch.end(), [chunks(heap) + beside for heap in heaps], options.step)
        finally:
            server.end()
            agent.end()


def chunks(heap):
    """MB of a heap's whole chunks."""
    return heap - heap % 5


def serve(server, heaps, options):
    return server.serve([(options.step, options.rate, heap) for heap in heaps])


def show(name, title, answer, seen, needs, step):
    times = sorted(answer["times"])
    limits = [limit for _, limit, _ in seen]
    part = 100 * sum(limits) / len(limits) / MOST
    allocation = f"mean allocation {part:.0f} % of the most" if max(limits) <= MOST else "no limit"
    print(f"{name}, {title}: {len(times)} requests ({answer['unserved']} not served), mean {answer['mean']:.1f} ms,"
          f" p95 {quantile(times, 0.95):.1f} ms, {allocation}; {shortage(limits, needs, step)};"
          f" {sum(faults > 20 for _, _, faults in seen)} of {len(seen)} s with more than 20 major faults,"
          f" {sum(faults for _, _, faults in seen)} in all", flush=True)


def shortage(limits, needs, step):
    """In how many intervals the limit was below the need at their end: the first ones after a growth, and all others."""
    first, later, firsts, all_ = 0, 0, 0, 0
    for end in range(PERIOD_S, len(limits) + 1, PERIOD_S):
        at = min(len(needs) - 1, int((end - 1) // step))
        grew = at > 0 and needs[at] > needs[at - 1] and end - at * step <= PERIOD_S
        short = limits[end - 1] < needs[at]
        firsts, all_ = firsts + grew, all_ + 1
        first, later = first + (short and grew), later + (short and not grew)
    return f"less than needed at the end of {first} of {firsts} first intervals of a growth and of {later} of {all_ - firsts} others"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--step", type=float, default=6, help="seconds at each size of the heap")
    parser.add_argument("--rate", type=float, default=30)
    parser.add_argument("--arms", default="none,paper,asymmetric")
    parser.add_argument("--directory", type=pathlib.Path, default=ROOT / "build")
    options = parser.parse_args()
    options.directory.mkdir(exist_ok=True)
    began = time.monotonic()
    with Swap(options.directory):
        for name in options.arms.split(","):
            arm(name, options)
    print(f"{time.monotonic() - began:.0f} s; most memory {MOST} MB, heap {min(PEAKS)} to {max(PEAKS)} MB,"
          f" {options.rate:g} requests/s")


if __name__ == "__main__":
    main()
