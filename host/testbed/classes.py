#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Response times by class (iTune's figures 11 to 14), on real control groups: four guests with MemAccess, one of each class, share
one CPU that is more than full; equal weights, and those of iTune's Table 3, which `ic2-host` sets from a library, in turn. Prints a
line for each guest and setting.

  classes.py [--rounds 3] [--seconds 20] [--load 1.05]

Needs root and host/agent/target/ic2-host.jar; two minutes, on a machine that has nothing else to do."""

import argparse
import os
import statistics
import tempfile
import time

from guests import Guests
from host_agent import SCHEDULE, HostAgent
from served import Served, quantile

TABLE_3 = {"LS1": 43008, "LS2": 18176, "LS3": 2560, "NLS": 256}
REQUEST_MS = 5


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--load", type=float, default=1.05, help="CPUs that the four want together")
    options = parser.parse_args()
    began = time.monotonic()
    seen = {setting: {name: [] for name in TABLE_3} for setting in ("equal", "Table 3")}
    with Guests() as guests, tempfile.TemporaryDirectory() as directory:
        served = {}
        try:
            for seed, name in enumerate(TABLE_3):
                served[name] = Served(guests.add(name), "--cpu-ms", REQUEST_MS, "--seed", seed, cpu=os.cpu_count() - 1)
            for _ in range(options.rounds):
                one_round(served, seen["equal"], options)
                agent = HostAgent(directory, config(guests), weights=TABLE_3).start("act")
                try:
                    agent.await_true(lambda: weights(guests) == list(TABLE_3.values()), "it sets the weights")
                    one_round(served, seen["Table 3"], options)
                finally:
                    agent.end()
        finally:
            for one in served.values():
                one.end()
    show(seen)
    print(f"{time.monotonic() - began:.0f} s; {options.rounds} rounds of {options.seconds:g} s, requests of {REQUEST_MS} ms, together"
          f" {options.load:g} of one CPU")


def config(guests):
    return (f"backend: {{type: cgroup, groups: {guests.name}}}\nguests:\n"
            + "".join(f"  {name}: {{class: {name}}}\n" for name in TABLE_3) + f"controllers:\n{SCHEDULE}journal: journal.jsonl\n")


def weights(guests):
    return [guests.guests[name].weight() for name in TABLE_3]


def one_round(served, seen, options):
    rate = options.load / len(served) / REQUEST_MS * 1e3
    for one in served.values():
        one.begin([(options.seconds, rate, 10)])
    for name, one in served.items():
        seen[name].append(sorted(one.answer()["times"]))


def show(seen):
    for setting, guests in seen.items():
        for name, rounds in guests.items():
            parts = []
            for part in (0.5, 0.95, 0.99):
                values = [quantile(times, part) for times in rounds]
                parts.append(f"{statistics.median(values):.1f} ({min(values):.1f}..{max(values):.1f})")
            print(f"{setting}, {name}: response time, ms, median {parts[0]}, 95 % {parts[1]}, 99 % {parts[2]}", flush=True)
        print(f"{setting}: LS1 < LS2 < LS3 < NLS in {sum(ordered(guests, number, part) for number in range(len(guests['LS1'])) for part in (0.5, 0.95))}"
              f" of {2 * len(guests['LS1'])} (medians and 95 % of each round)")


def ordered(guests, number, part):
    values = [quantile(rounds[number], part) for rounds in guests.values()]
    return values == sorted(values) and len(set(values)) == len(values)


if __name__ == "__main__":
    main()
