#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""MemAccess, the workload of the joint controller's paper (section III), as a program: it serves requests, each of which burns
CPU and touches random places of a heap that is made of 5 MB chunks.

  memaccess.py [--file PATH] [--cpu-ms 5] [--touches 100] [--seed 1] [--all] [--tell FILE]

Reads lines from its input and answers each with a line of JSON:

  SECONDS RATE HEAP_MB [SECONDS RATE HEAP_MB ...]
                         serves that long, with requests that come at random (exponential, RATE a second on average), from a heap
                         of that size; chunks are added or given back when their time has come. What waits, waits on

The answer holds the number of requests and their response times in milliseconds: mean, p50, p95, p99, max; how many came and were
not served at the end, as it was behind by a minute or as long as it was to serve; with --all each one's time, and when it came, in
seconds. A response time is from the request's coming to its end, waiting for the one before it included; there is one server. With
--file the heap is a file's pages, which the kernel can drop without swap; else it is anonymous memory. With --tell it writes every
3 s what a tenant tells its host (host/docs/operations.md, contract): how many requests it has served, and their mean response time."""

import argparse
import json
import mmap
import os
import random
import sys
import time

CHUNK = 5 << 20
PAGE = 4096
PATIENCE_S = 60
TELL_S = 3


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


class Teller:
    """Tells the host of what was served since it told last."""

    def __init__(self, path):
        self.path = path
        self.times = []
        self.due = time.monotonic() + TELL_S

    def served(self, seconds):
        if self.path:
            self.times.append(seconds)
            self.tell()

    def tell(self):
        if not self.path or time.monotonic() < self.due:
            return
        self.due = time.monotonic() + TELL_S
        mean = sum(self.times) / len(self.times) if self.times else None
        fresh = self.path + ".new"
        with open(fresh, "w", encoding="ascii") as out:
            json.dump({"v": 1, "time": time.time(), "response_time": mean, "requests": len(self.times)}, out)
        os.replace(fresh, self.path)
        self.times.clear()


class Server:
    """Serves a heap's requests one after the other, on one clock from the first step to the last."""

    def __init__(self, heap, options):
        self.heap = heap
        self.cpu_s = options.cpu_ms / 1e3
        self.touches = options.touches
        self.choose = random.Random(options.seed)
        self.teller = Teller(options.tell)

    def serve(self, steps):
        """When requests came, since the begin, their response times, both in seconds, and how many were not served."""
        came, times = [], []
        began = time.monotonic()
        due = began
        end = began + sum(seconds for seconds, _, _ in steps)
        patience = min(end - began, PATIENCE_S)
        for seconds, rate, megabytes in steps:
            arrival = due + self.choose.expovariate(rate)
            due += seconds
            self._wait(due - seconds)
            self.heap.resize(int(megabytes))
            while arrival < due:
                if time.monotonic() > end + patience:
                    return came, times, sum(rate * seconds for seconds, rate, _ in steps) - len(times)
                self._wait(arrival)
                self._one()
                came.append(arrival - began)
                times.append(time.monotonic() - arrival)
                self.teller.served(times[-1])
                arrival += self.choose.expovariate(rate)
        return came, times, 0

    def _wait(self, until):
        while (left := until - time.monotonic()) > 0:
            self.teller.tell()
            time.sleep(min(left, TELL_S / 10))

    def _one(self):
        total = 0
        for _ in range(self.touches):
            total += self.heap.touch(self.choose)
        used = time.process_time()      # what faults cost comes on top
        while time.process_time() - used < self.cpu_s:
            total += 1


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
    parser.add_argument("--tell", help="the tenant's file of the contract")
    options = parser.parse_args()
    heap = Heap(options.file)
    server = Server(heap, options)
    try:
        for line in sys.stdin:
            words = [float(word) for word in line.split()]
            came, times, unserved = server.serve(list(zip(words[::3], words[1::3], words[2::3], strict=True)))
            answer = {**summary(times), "unserved": round(unserved)}
            if options.all:
                answer["times"] = [round(1e3 * one, 3) for one in times]
                answer["came"] = [round(one, 3) for one in came]
            print(json.dumps(answer), flush=True)
    finally:
        heap.close()


if __name__ == "__main__":
    main()
