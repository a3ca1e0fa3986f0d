#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Joint control of four guests with desktop traces (the paper's figures 11 to 13), on real control groups: how many intervals of 12 s
have a mean response time of at most 100 and 300 ms. Prints a line for each guest and one for all, by law.

  desktops.py [--arms paper,asymmetric] [--begin 0] [--minutes 300] [--faster 10] [--target 100] [--seed 1] [--directory DIR]

The traces are made up as those of the simulator are: a value a minute, quiet with bursts, the guests' sums scaled to peaks of 85 % of
a CPU (vm1 has one for itself and the agent, vm2 to vm4 share the other) and of 3.1 of 3.5 GB. Here memory is a quarter of that.
--begin says from which minute on the traces are played, --minutes how much of them, --faster how many times as fast; the
controller's periods stay 3 and 12 s, so it has fewer of them for each value than the paper's. MINUTES / FASTER minutes an arm: 30 with the defaults.

Needs root, two CPUs, host/agent/target/ic2-host.jar, and leave to use a swap file of 1 GB, made in DIR (a disk)."""

import argparse
import pathlib
import random
import tempfile
import time

from guests import ROOT, Guests
from host_agent import HostAgent, joint
from pair import limit_others, tell
from served import Served, Swap, means

NAMES = ("vm1", "vm2", "vm3", "vm4")
CPUS = {"vm1": 0, "vm2": 1, "vm3": 1, "vm4": 1}
TOGETHER, PEAK = 3584 // 4, 3100 / 4
REQUEST_MS = 15
INTERVAL_S = 12
LONG = 300


def draw(choose, minutes, quiet):
    """One guest's trace."""
    trace, left, burst = [], 0, 0
    for _ in range(minutes):
        left -= 1
        if left < 0:
            busy = burst == 0 and choose.randrange(3) > 0
            burst = 0.4 + 0.6 * choose.random() if busy else 0
            left = choose.randrange(3, 20) if busy else choose.randrange(5, 30)
        trace.append(max(quiet, burst) * (0.9 + 0.2 * choose.random()))
    return trace


def peak(traces, names, value):
    """These guests' traces, with the greatest sum brought to a value."""
    greatest = max(sum(minute) for minute in zip(*(traces[name] for name in names)))
    return {name: [one * value / greatest for one in traces[name]] for name in names}


def traces(options):
    """CPUs and MB by guest and minute; of five hours, whatever is played of them."""
    choose = random.Random(options.seed)
    cpu = {name: draw(choose, LONG, 0.15) for name in NAMES}
    heap = {name: draw(choose, LONG, 0.35) for name in NAMES}
    return {**peak(cpu, NAMES[:1], 0.85), **peak(cpu, NAMES[1:], 0.85)}, peak(heap, NAMES, PEAK)


def arm(law, options):
    cpu, heap = traces(options)
    with Guests() as guests, tempfile.TemporaryDirectory() as directory:
        directory = pathlib.Path(directory)
        limit_others(guests, TOGETHER)
        served = {}
        agent = None
        try:
            for name in NAMES:
                guests.add(name).limit(TOGETHER // len(NAMES))
                served[name] = Served(guests.guests[name], "--cpu-ms", REQUEST_MS, "--tell", tell(directory, name), cpu=CPUS[name])
            rule = f"{{class: LS1, memory: [{230 // 4}MiB, {TOGETHER // 2}MiB], cpu: [0.1, 0.9], response-time: {options.target}ms}}"
            config = joint(guests, "[cap, memory]", "3s", dict.fromkeys(NAMES, rule), f", law: {law}",
                           f"contract: {{type: directory, path: {directory}}}\n")
            agent = HostAgent(directory / "agent", config).start("act")
            agent.await_true(agent.status, "it runs")
            for name, one in served.items():
                one.begin([(60 / options.faster, rate / REQUEST_MS * 1e3, megabytes)
                           for rate, megabytes in list(zip(cpu[name], heap[name]))[options.begin:options.begin + options.minutes]])
            show(law, {name: one.answer() for name, one in served.items()})
        finally:
            for one in served.values():
                one.end()
            if agent:
                agent.end()


def show(law, answers):
    every = []
    for name, answer in answers.items():
        mrt = means(answer, INTERVAL_S)
        every += mrt
        print(f"{law}, {name}: {answer['requests']} requests ({answer['unserved']} not served), {line(mrt)}", flush=True)
    print(f"{law}, all: {line(every)}", flush=True)


def line(mrt):
    within = [100 * sum(one <= goal for one in mrt) / len(mrt) for goal in (100, 300)]
    return (f"{len(mrt)} intervals of {INTERVAL_S} s: within 100 ms {within[0]:.1f} %, within 300 ms {within[1]:.1f} %, mean"
            f" {sum(mrt) / len(mrt):.0f} ms, peak {max(mrt):.0f} ms")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--arms", default="paper,asymmetric")
    parser.add_argument("--begin", type=int, default=0)
    parser.add_argument("--minutes", type=int, default=300)
    parser.add_argument("--faster", type=float, default=10)
    parser.add_argument("--target", type=int, default=100, help="response time that the tenants want, ms")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--directory", type=pathlib.Path, default=ROOT / "build")
    options = parser.parse_args()
    if not (0 <= options.begin and 0 < options.minutes and options.begin + options.minutes <= LONG):
        parser.error(f"--begin, --minutes: expected a part of the {LONG} minutes that there are, got {options.minutes} from {options.begin} on")
    options.directory.mkdir(exist_ok=True)
    began = time.monotonic()
    with Swap(options.directory, 1024):
        for law in options.arms.split(","):
            arm(law, options)
    print(f"{time.monotonic() - began:.0f} s; {options.minutes} of {LONG} minutes from minute {options.begin} on, {options.faster:g} times as fast, seed"
          f" {options.seed}, target {options.target} ms")


if __name__ == "__main__":
    main()
