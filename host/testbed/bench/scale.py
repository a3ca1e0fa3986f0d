#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What many guests cost ic2-host in mode act, and how long it takes to restore them all.

  scale.py [--guests 500] [--period 3s] [--seconds 60] [--warm-up 60]

The guests are control groups with a process that sleeps, so that the machine is the agent's. The agent ends twice: by SIGTERM, and by
kill -9 with `restore` after it. Needs root."""

import argparse
import pathlib
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from host_agent import HostAgent, joint  # noqa: E402
from guests import Guests  # noqa: E402
from turns import cpu_seconds, memory_kb  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--guests", type=int, default=500)
    parser.add_argument("--period", default="3s")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--warm-up", type=float, default=60, help="seconds after the first moves")
    options = parser.parse_args()
    with Guests() as guests, tempfile.TemporaryDirectory() as directory:
        for number in range(options.guests):
            guests.add(f"guest{number}").run("sleep", "100000")
        measure(guests, HostAgent(directory, joint(guests, period=options.period)), options)


def away(guests, baseline):
    return sum(one.knobs() != baseline[name] for name, one in guests.guests.items())


def begin(guests, agent, baseline):
    agent.start("act")
    agent.await_true(lambda: away(guests, baseline) > len(baseline) / 2, "half of the guests moved", pause_s=1)


def measure(guests, agent, options):
    baseline = {name: one.knobs() for name, one in guests.guests.items()}
    begin(guests, agent, baseline)
    time.sleep(options.warm_up)
    pid = agent.process.pid
    used, began = cpu_seconds(pid), time.monotonic()
    time.sleep(options.seconds)
    share = 100 * (cpu_seconds(pid) - used) / (time.monotonic() - began)
    rss, peak = memory_kb(pid, "VmRSS") / 1024, memory_kb(pid, "VmHWM") / 1024
    entries = [len(line) for line in (agent.directory / "journal.jsonl").open()]
    moved, began = away(guests, baseline), time.monotonic()
    agent.end()
    ended, left = time.monotonic() - began, away(guests, baseline)
    begin(guests, agent, baseline)
    agent.end(9)
    killed, began = away(guests, baseline), time.monotonic()
    restored = agent.verb("restore")
    took = time.monotonic() - began
    print(f"{options.guests} guests, a turn each {options.period}: CPU {share:.2f} % of a core, memory {rss:.0f} MB, at most {peak:.0f} MB;"
          f" {len(entries)} entries of the journal, the longest of {max(entries) / 1024:.1f} KiB;"
          f" {moved} guests moved, SIGTERM restored all but {left} in {ended:.1f} s;"
          f" {killed} moved at kill -9, restore (status {restored.returncode}) left {away(guests, baseline)} in {took:.1f} s")


if __name__ == "__main__":
    main()
