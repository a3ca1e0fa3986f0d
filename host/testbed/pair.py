#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Joint control of CPU and memory against control of the CPU alone (the paper's figures 8 to 10), on real control groups: two
guests with MemAccess share one CPU and 512 MB; when one needs much, the other needs little. A tenth of the paper's time, half of
its memory. Prints two lines for each arm, one for each guest.

  pair.py [--arms cpu,joint,weights,both] [--cycles 2] [--step 9] [--directory DIR]

  cpu      caps alone, by the law and the response times that the tenants tell; each guest has half of the memory
  joint    caps and memory
  weights  neither; iTune's weights of LS-1 and LS-2 (its Table 3), halves of the memory
  both     caps, memory and those weights

The goal of the response time is 100 ms; --step is the time of one of the ten sizes of a cycle, 90 s in the paper's time. What is
taken of a guest's memory is a twentieth each 3 s, whatever the step: at 9 s that is too slow for the cycle. Needs root,
host/agent/target/ic2-host.jar, two CPUs or more, and leave to use a swap file of 1 GB, made in DIR (a disk). Some three minutes
an arm, on a machine that has nothing else to do."""

import argparse
import os
import pathlib
import tempfile
import time

from guests import ROOT, Guests
from host_agent import HostAgent, joint
from served import Served, Swap, Watch, means, quantile

TOGETHER = 512
HEAPS = [80, 80, 165, 250, 340, 340, 340, 250, 165, 80]    # MB; the other guest's are what is left of 420
RATES = [15, 15, 25, 35, 45, 45, 45, 35, 25, 15]              # requests/s of 10 ms; of 60
GOAL_MS = 100
TOUCHES = 400   # pages a request: a fault takes a disk of today some hundredths of a millisecond, the paper's took milliseconds
INTERVAL_S = 12
TABLE_3 = {"web": 43008, "db": 18176}
ARMS = {"cpu": "[cap]", "joint": "[cap, memory]", "weights": None, "both": "[cap, memory]"}


def steps(name, options):
    """What a guest has to serve: web as it is written above, db the rest."""
    pairs = list(zip(RATES, HEAPS)) if name == "web" else [(60 - rate, 420 - heap) for rate, heap in zip(RATES, HEAPS)]
    return [(options.step, rate, heap) for rate, heap in pairs] * options.cycles


def limit_others(guests, megabytes):
    """All memory of the machine but so much is promised to another guest."""
    line = next(line for line in pathlib.Path("/proc/meminfo").read_text().splitlines() if line.startswith("MemTotal:"))
    guests.add("others").limit((int(line.split()[1]) >> 10) - megabytes)


def tell(directory, name):
    """Where a tenant tells its host; the directories of the contract are made."""
    for part in ("tenant", "notice"):
        (directory / part).mkdir(mode=0o755, exist_ok=True)
    return directory / "tenant" / f"{name}.json"


def config(guests, directory, knobs):
    rule = f"memory: [64MiB, {TOGETHER - 64}MiB], cpu: [0.1, 0.9], response-time: {GOAL_MS}ms}}"
    rules = {"web": "{class: LS1, " + rule, "db": "{class: LS2, " + rule}
    # no more CPUs than the one that they share
    host = f"reserve: {{cpus: {os.cpu_count() - 1}}}\ncontract: {{type: directory, path: {directory}}}\n"
    return joint(guests, knobs, "3s", rules, host=host)


def arm(name, options):
    with Guests() as guests, tempfile.TemporaryDirectory() as directory:
        directory = pathlib.Path(directory)
        limit_others(guests, TOGETHER)
        served = {}
        agent = None
        try:
            for guest in ("web", "db"):
                group = guests.add(guest)
                group.limit(TOGETHER // 2)
                if name in ("weights", "both"):
                    group.weigh(TABLE_3[guest])
                served[guest] = Served(group, "--cpu-ms", 10, "--touches", TOUCHES, "--tell", tell(directory, guest), cpu=os.cpu_count() - 1)
            if ARMS[name]:
                agent = HostAgent(directory / "agent", config(guests, directory, ARMS[name]))
                agent.start("act")
                agent.await_true(agent.status, "it runs")
            run(name, guests, served, options)
        finally:
            for one in served.values():
                one.end()
            if agent:
                agent.end()


def run(name, guests, served, options):
    watches = {guest: Watch(guests.guests[guest]) for guest in served}
    used = {guest: guests.guests[guest].cpu_seconds() for guest in served}
    for guest, one in served.items():
        one.begin(steps(guest, options))
        watches[guest].start()
    for guest, one in served.items():
        answer = one.answer()
        seen = watches[guest].end()
        used[guest] = guests.guests[guest].cpu_seconds() - used[guest]
        show(name, guest, answer, seen, used[guest], options)


def show(name, guest, answer, seen, used, options):
    mrt = means(answer, INTERVAL_S, skip=2 * INTERVAL_S)
    limits = [limit for _, limit, _ in seen]
    seconds = len(HEAPS) * options.step * options.cycles
    print(f"{name}, {guest}: {answer['requests']} requests ({answer['unserved']} not served); response time, ms: mean"
          f" {answer['mean']:.0f}; of intervals of {INTERVAL_S} s from the third on: mean {sum(mrt) / len(mrt):.0f}, median"
          f" {quantile(sorted(mrt), 0.5):.0f}, peak {max(mrt):.0f}, {sum(one <= 1.2 * GOAL_MS for one in mrt)} of {len(mrt)} within"
          f" {1.2 * GOAL_MS:.0f}; CPU {100 * used / seconds:.0f} %, limit {min(limits)} to {max(limits)} MB,"
          f" {sum(faults for _, _, faults in seen)} major faults", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--arms", default=",".join(ARMS))
    parser.add_argument("--cycles", type=int, default=2)
    parser.add_argument("--step", type=float, default=9)
    parser.add_argument("--directory", type=pathlib.Path, default=ROOT / "build")
    options = parser.parse_args()
    options.directory.mkdir(exist_ok=True)
    began = time.monotonic()
    with Swap(options.directory, 1024):
        for name in options.arms.split(","):
            arm(name, options)
    print(f"{time.monotonic() - began:.0f} s; {TOGETHER} MB and one CPU for both, {options.cycles} cycles of"
          f" {len(HEAPS) * options.step:.0f} s")


if __name__ == "__main__":
    main()
