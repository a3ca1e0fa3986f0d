#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Joint control's memory law on a real control group (the paper's figure 6): MemAccess' heap goes through two peaks and a valley
while `ic2-host` sets the memory limit; then it doubles at once. Prints two lines for each arm: no limit, `law: paper`,
`law: asymmetric`.

  joint.py [--step 6] [--rate 30] [--arms none,paper,asymmetric] [--directory DIR]

Needs root, host-agent/target/ic2-host.jar, and leave to use a swap file of 512 MB, made in DIR (a disk) and removed at the end:
the heap is anonymous memory, as a virtual machine's is. Some three minutes an arm, on a machine that has nothing else to do."""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import threading
import time

from host_agent import HostAgent, joint
from guests import NO_LIMIT, ROOT, Guests

MEMACCESS = pathlib.Path(__file__).with_name("memaccess.py")
PEAKS = [128, 160, 192, 224, 256, 224, 192, 160, 128, 160, 192, 224, 256, 224, 192, 160, 128]
DOUBLED = [128, 128, 256, 256, 256, 256]
MOST = 320


class Swap:
    """A swap file for the time of an experiment."""

    def __init__(self, directory, megabytes=512):
        self.file = directory / "joint.swap"
        with open(self.file, "wb") as out:
            for _ in range(megabytes):
                out.write(bytes(1 << 20))
        self.file.chmod(0o600)

    def __enter__(self):
        try:
            subprocess.run(["mkswap", self.file], check=True, capture_output=True)
            subprocess.run(["swapon", self.file], check=True, capture_output=True, text=True)
        except subprocess.CalledProcessError as e:
            self.file.unlink()
            sys.exit(f"needs a swap file: {e.stderr}")

    def __exit__(self, *_):
        subprocess.run(["swapoff", self.file], check=True)
        self.file.unlink()


class Watch(threading.Thread):
    """Limit, memory in use and major faults, each second."""

    def __init__(self, guest):
        super().__init__(daemon=True)
        self.guest = guest
        self.seen = []
        self.over = threading.Event()

    def run(self):
        faults = self.guest.major_faults()
        while not self.over.wait(1):
            usage, limit = self.guest.memory()
            now = self.guest.major_faults()
            self.seen.append((usage >> 20, min(limit, NO_LIMIT) >> 20, now - faults))
            faults = now

    def end(self):
        self.over.set()
        self.join()
        return self.seen


def serve(server, steps, options):
    """The response times of all requests, ms."""
    times = []
    for megabytes in steps:
        server.stdin.write(f"{options.step} {options.rate} {megabytes}\n")
        server.stdin.flush()
        times += json.loads(server.stdout.readline())["times"]
    return sorted(times)


def arm(name, options):
    with Guests() as guests, tempfile.TemporaryDirectory() as directory:
        web = guests.add("web")
        rule = f"{{class: LS1, memory: [64MiB, {MOST}MiB]}}"
        agent = HostAgent(directory, joint(guests, "[memory]", "3s", {"web": rule}, f", law: {name}" if name != "none" else ""))
        server = web.run(sys.executable, MEMACCESS, "--all", stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        try:
            serve(server, PEAKS[:1], options)
            if name != "none":
                web.limit(MOST)
                agent.start("act")
                agent.await_true(lambda: web.memory()[1] != MOST << 20, "it moves memory")
                serve(server, PEAKS[:1] * 5, options)
            for title, steps in (("two peaks", PEAKS), ("doubled", DOUBLED)):
                watch = Watch(web)
                watch.start()
                times = serve(server, steps, options)
                show(name, title, times, watch.end())
        finally:
            server.kill()
            server.wait()
            agent.end()


def show(name, title, times, seen):
    mean = sum(times) / len(times)
    limits = [limit for _, limit, _ in seen]
    part = 100 * sum(limits) / len(limits) / MOST
    allocation = f"mean allocation {part:.0f} % of the most" if max(limits) <= MOST else "no limit"
    print(f"{name}, {title}: {len(times)} requests, mean {mean:.1f} ms, p95 {times[len(times) * 95 // 100]:.1f} ms, {allocation},"
          f" {sum(faults > 20 for _, _, faults in seen)} of {len(seen)} s with more than 20 major faults,"
          f" {sum(faults for _, _, faults in seen)} in all", flush=True)


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
