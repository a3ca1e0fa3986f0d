#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The knee of the joint controller's paper (figures 2 and 3): MemAccess' response time, major faults and CPU against the
memory limit of its control group. Prints one line for each limit, each several times, in turn. Needs root; two minutes.

  knee.py [--heap 120] [--rounds 3] [--seconds 4] [--rate 30] [--cpu-ms 5] [--touches 100] [--directory DIR]

The heap is a file's pages in DIR (a disk, not tmpfs), so that no swap is needed."""

import argparse
import pathlib
import statistics

from guests import ROOT, Guests
from served import Served


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heap", type=int, default=120, help="MB")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=4)
    parser.add_argument("--rate", type=float, default=30)
    parser.add_argument("--cpu-ms", type=float, default=5, help="of a request; what a fault costs beside it depends on the disk")
    parser.add_argument("--touches", type=int, default=100, help="random places of the heap that a request touches")
    parser.add_argument("--directory", type=pathlib.Path, default=ROOT / "build")
    options = parser.parse_args()
    options.directory.mkdir(exist_ok=True)
    with Guests() as guests:
        web = guests.add("web")
        heap = options.directory / f"heap-{guests.name}"
        server = Served(web, "--cpu-ms", options.cpu_ms, "--touches", options.touches, "--file", heap)
        try:
            sweep(web, server, options)
        finally:
            server.end()
            for left in options.directory.glob(heap.name + ".*"):
                left.unlink()


def sweep(web, server, options):
    server.serve([(1, options.rate, options.heap)])
    need = web.memory()[0] >> 20
    limits = [round(need * part) for part in (2, 1.5, 1.2, 1.1, 1.0, 0.9, 0.8, 0.65)]
    seen = {limit: [] for limit in limits}
    for _ in range(options.rounds):
        web.limit(None)
        server.serve([(0.1, options.rate, 5)])   # a heap made anew is in memory
        for limit in limits:
            web.limit(limit)
            server.serve([(0.5, options.rate, options.heap)])
            faults, cpu = web.major_faults(), web.cpu_seconds()
            answer = server.serve([(options.seconds, options.rate, options.heap)])
            usage, bound = web.memory()
            requests = answer["requests"]
            seen[limit].append((usage / bound, answer["mean"], answer["p95"], (web.major_faults() - faults) / requests,
                                1e3 * (web.cpu_seconds() - cpu) / requests))
    print(f"heap {options.heap} MB, {need} MB in use without a limit, {options.rate:g} requests/s of {options.cpu_ms:g} ms and"
          f" {options.touches} touches, {options.rounds} rounds of {options.seconds:g} s; medians (least..most)")
    for limit, rounds in seen.items():
        columns = [f"{statistics.median(column):.3g} ({min(column):.3g}..{max(column):.3g})" for column in zip(*rounds)]
        print("limit {} MB: usage/limit {}, mean {} ms, p95 {} ms, major faults a request {}, CPU {} ms a request".format(
            limit, *columns))


if __name__ == "__main__":
    main()
