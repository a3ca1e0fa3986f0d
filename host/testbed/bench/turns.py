#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What ic2-host costs over many guests (acceptance R4): CPU as a share of a core, memory, and the time of its decisions.

  turns.py [--guests 50] [--period 3s] [--seconds 60] [--rounds 3] [--warm-up 120] [--mode advise]

Each round counts between two moments after the warm-up, by which Java has compiled what runs each turn, and in mode act the guests
have given back most of the memory that they do not use; the guests each want 2 % of a CPU. Needs root."""

import argparse
import os
import pathlib
import statistics
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from host_agent import HostAgent, joint  # noqa: E402
from guests import Guests  # noqa: E402

TICKS = os.sysconf("SC_CLK_TCK")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--guests", type=int, default=50)
    parser.add_argument("--period", default="3s")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--warm-up", type=float, default=120, help="seconds after the first turn")
    parser.add_argument("--mode", default="advise")
    options = parser.parse_args()
    with Guests() as guests, tempfile.TemporaryDirectory() as directory:
        for number in range(options.guests):
            guests.add(f"guest{number}").burn(2, 1000)
        agent = HostAgent(directory, joint(guests, period=options.period))
        try:
            measure(agent.start(options.mode), options)
        finally:
            agent.end()


def cpu_seconds(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def memory_kb(pid, field):
    lines = pathlib.Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(field))


def measure(agent, options):
    pid = agent.process.pid
    turns = set()

    def status():
        now = agent.status() or {}
        turns.add((now.get("time"), now.get("decision_seconds")))
        return now

    agent.await_true(lambda: status().get("guests"), "its first turns")
    time.sleep(options.warm_up)
    shares = []
    for _ in range(options.rounds):
        used, began = cpu_seconds(pid), time.monotonic()
        time.sleep(options.seconds)
        shares.append(100 * (cpu_seconds(pid) - used) / (time.monotonic() - began))
        status()
    decisions = [1e3 * seconds for _, seconds in turns if seconds is not None]
    print(f"{options.guests} guests, a turn each {options.period}, mode {options.mode}, {options.rounds} rounds of"
          f" {options.seconds:g} s: CPU {statistics.median(shares):.2f} ({min(shares):.2f}..{max(shares):.2f}) % of a core,"
          f" memory {memory_kb(pid, 'VmRSS') / 1024:.0f} MB, at most {memory_kb(pid, 'VmHWM') / 1024:.0f} MB,"
          f" decisions {statistics.median(decisions):.2f} ms (at most {max(decisions):.2f} of {len(decisions)} looked at)")


if __name__ == "__main__":
    main()
