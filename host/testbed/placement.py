#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Workload-aware placement on control groups (the paper's figure 8, in small): a server's guest and burners' guests on two CPUs.
In turns the agent is off, so that all may run on both CPUs, and acts: it gives the server's guest a core of its own and the
burners the other. Prints the server's response times of each turn, in ms, and their medians; then how often the agent wrote to
the guests' sets while the plan was in force already.

  placement.py [--seconds 15] [--rounds 3] [--burners 3] [--rate 40] [--cpu-ms 5] [--settle 4]

Needs root, control groups with cpuset, host/agent/target/ic2-host.jar and a machine that has nothing else to do. Two to three
minutes."""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

from guests import ROOT, TestbedError
from host_agent import JAR, HostAgent
from pinned import PinnedGuests, cpu_set, placement
from writes import Writes

MEMACCESS = pathlib.Path(__file__).with_name("memaccess.py")
RULES = {"web": "{class: LS1, cpu: [0.1, 1]}"}
HEAP_MB = 5


class Server:
    """MemAccess in its guest."""

    def __init__(self, guest, cpu_ms):
        self.process = guest.run(sys.executable, MEMACCESS, "--cpu-ms", str(cpu_ms), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                 text=True)

    def serve(self, seconds, rate):
        self.process.stdin.write(f"{seconds} {rate} {HEAP_MB}\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())


def placed(guests):
    """True when the server's guest has one CPU, and none of the others may use it."""
    sets = {name: cpu_set(guest).read_text().strip() for name, guest in guests.guests.items()}
    return sets["web"].isdigit() and all(text.isdigit() and text != sets["web"] for name, text in sets.items() if name != "web")


def turn(name, server, options):
    answer = server.serve(options.seconds, options.rate)
    print(f"{name:9s} requests {answer['requests']:4d}  mean {answer['mean']:7.1f}  p50 {answer['p50']:7.1f}  p95 {answer['p95']:7.1f}"
          f"  p99 {answer['p99']:7.1f}", flush=True)
    return answer


def measure(guests, agent, options):
    server = Server(guests.guests["web"], options.cpu_ms)
    baseline = {name: cpu_set(guest).read_text() for name, guest in guests.guests.items()}
    before, after, writes = [], [], 0
    for _ in range(options.rounds):
        before.append(turn("unplaced", server, options))
        agent.start("act")
        agent.await_true(lambda: placed(guests), "the guests are placed")
        time.sleep(options.settle)      # the agent's start takes CPU time of its own
        watch = Writes([cpu_set(guest) for guest in guests.guests.values()])
        after.append(turn("placed", server, options))
        writes += len(watch.seen())
        watch.close()
        agent.end()
        assert {name: cpu_set(guest).read_text() for name, guest in guests.guests.items()} == baseline, "all sets are back"
    for figure in ("p50", "p99"):
        one, other = (statistics.median(answer[figure] for answer in of) for of in (before, after))
        print(f"median {figure}: unplaced {one:.1f} ms, placed {other:.1f} ms ({100 * (other / one - 1):+.0f} %)")
    print(f"writes to the sets while the plan was in force: {writes}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=15)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--burners", type=int, default=3)
    parser.add_argument("--rate", type=float, default=40)
    parser.add_argument("--cpu-ms", type=float, default=5)
    parser.add_argument("--settle", type=float, default=4)
    options = parser.parse_args()
    if not JAR.exists():
        sys.exit(f"needs {JAR.relative_to(ROOT)}: mvn -pl host/agent -am package")
    try:
        with PinnedGuests() as guests, tempfile.TemporaryDirectory() as directory:
            guests.add("web")
            for number in range(options.burners):
                guests.add(f"batch{number}").burn(100)
            agent = HostAgent(directory, placement(guests, RULES))
            try:
                measure(guests, agent, options)
            finally:
                agent.end()
    except TestbedError as e:
        sys.exit(str(e))


if __name__ == "__main__":
    main()
