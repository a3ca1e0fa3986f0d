#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""MemAccess, the workload of the joint controller's paper (section III), as a program: it serves requests, each of which burns
CPU and touches random places of a heap that is made of 5 MB chunks.

  memaccess.py [--file PATH] [--cpu-ms 5] [--touches 100] [--seed 1] [--all]

Reads lines from its input and answers each with a line of JSON:

  SECONDS RATE HEAP_MB   serves that long, with requests that come at random (exponential, RATE a second on average), from a heap
                         of that size; chunks are added or given back first

The answer holds the number of requests and their response times in milliseconds: mean, p50, p95, p99, max; with --all each of
them. A response time is from the request's coming to its end, waiting for the one before it included; there is one server. With
--file the heap is a file's pages, which the kernel can drop without swap; else it is anonymous memory."""

import argparse
import json
import mmap
import os
import random
import sys
import time

CHUNK = 5 << 20
PAGE = 4096


class Heap:
    def __init__(self, path):
        self.path = path
        self.chunks = []

    def resize(self, megabytes):
        wanted = max(1, (megabytes << 20) // CHUNK)
        while len(self.chunks) > wanted:
            self._drop()
        while len(self.chunks) < wanted:
            self.chunks.append(self._make(len(self.chunks)))

    def _make(self, number):
        if self.path:
            descriptor = os.open(f"{self.path}.{number}", os.O_RDWR | os.O_CREAT, 0o600)
            os.ftruncate(descriptor, CHUNK)
            chunk = mmap.mmap(descriptor, CHUNK)
            os.close(descriptor)
        else:
            chunk = mmap.mmap(-1, CHUNK)
        chunk.madvise(mmap.MADV_RANDOM)
        for offset in range(0, CHUNK, PAGE):
            chunk[offset] = 1
        if self.path:
            chunk.flush()   # clean pages can be dropped
        return chunk

    def _drop(self):
        self.chunks.pop().close()
        if self.path:
            os.unlink(f"{self.path}.{len(self.chunks)}")

    def close(self):
        while self.chunks:
            self._drop()

    def touch(self, choose):
        return self.chunks[choose.randrange(len(self.chunks))][choose.randrange(0, CHUNK, PAGE)]


def serve(heap, seconds, rate, cpu_s, touches, choose):
    """Response times, in seconds, of the requests that come in that time."""
    times = []
    end = time.monotonic() + seconds
    arrival = time.monotonic() + choose.expovariate(rate)
    while arrival < end:
        time.sleep(max(0.0, arrival - time.monotonic()))
        total = 0
        for _ in range(touches):
            total += heap.touch(choose)
        used = time.process_time()      # what faults cost comes on top
        while time.process_time() - used < cpu_s:
            total += 1
        times.append(time.monotonic() - arrival)
        arrival += choose.expovariate(rate)
        if time.monotonic() > end + seconds:
            break       # hopelessly behind: what has not come by now is not waited for
    return times


def summary(times):
    ordered = sorted(1e3 * one for one in times)
    if not ordered:
        return {"requests": 0}
    return {"requests": len(ordered), "mean": sum(ordered) / len(ordered), "max": ordered[-1],
            **{f"p{part}": ordered[min(len(ordered) - 1, len(ordered) * part // 100)] for part in (50, 95, 99)}}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--file")
    parser.add_argument("--cpu-ms", type=float, default=5)
    parser.add_argument("--touches", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--all", action="store_true")
    options = parser.parse_args()
    choose = random.Random(options.seed)
    heap = Heap(options.file)
    try:
        for line in sys.stdin:
            seconds, rate, megabytes = line.split()
            heap.resize(int(megabytes))
            times = serve(heap, float(seconds), float(rate), options.cpu_ms / 1e3, options.touches, choose)
            answer = summary(times)
            if options.all:
                answer["times"] = [round(1e3 * one, 3) for one in times]
            print(json.dumps(answer), flush=True)
    finally:
        heap.close()


if __name__ == "__main__":
    main()
