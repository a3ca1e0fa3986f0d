# SPDX-License-Identifier: Apache-2.0
"""MemAccess in a guest, and what experiments with it share."""

import json
import os
import pathlib
import subprocess
import sys
import threading
import time

from guests import NO_LIMIT, end_in_order

MEMACCESS = pathlib.Path(__file__).with_name("memaccess.py")


class Served:
    """A guest whose MemAccess serves; on one CPU if it is said which."""

    def __init__(self, guest, *words, cpu=None):
        self.guest = guest
        pin = [] if cpu is None else ["taskset", "-c", str(cpu)]
        self.process = guest.run(*pin, sys.executable, MEMACCESS, "--all", *map(str, words), stdin=subprocess.PIPE,
                                 stdout=subprocess.PIPE, text=True)

    def begin(self, steps):
        """Begins to serve steps of (seconds, requests a second, MB of heap)."""
        self.process.stdin.write(" ".join(f"{number:g}" for step in steps for number in step) + "\n")
        self.process.stdin.flush()

    def answer(self):
        """What came of it, when it is over."""
        return json.loads(self.process.stdout.readline())

    def serve(self, steps):
        self.begin(steps)
        return self.answer()

    def end(self):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()


class Swap:
    """A swap file for the time of an experiment."""

    def __init__(self, directory, megabytes=512):
        self.file = directory / f"ic2-{os.getpid()}.swap"
        self.megabytes = megabytes

    def __enter__(self):
        end_in_order()
        try:
            with open(self.file, "wb") as out:
                self.file.chmod(0o600)
                for _ in range(self.megabytes):
                    out.write(bytes(1 << 20))
            subprocess.run(["mkswap", self.file], check=True, capture_output=True)
            subprocess.run(["swapon", self.file], check=True, capture_output=True, text=True)
        except subprocess.CalledProcessError as e:
            self.file.unlink()
            sys.exit(f"needs a swap file: {e.stderr}")
        except BaseException:
            self.file.unlink(missing_ok=True)
            raise

    def __exit__(self, *_):
        subprocess.run(["swapoff", self.file], check=True)
        self.file.unlink()


class Watch(threading.Thread):
    """Memory in use, limit and major faults of a guest, in MB and since the second before, each second."""

    def __init__(self, guest):
        super().__init__(daemon=True)
        self.guest = guest
        self.seen = []
        self.over = threading.Event()

    def run(self):
        faults = self.guest.major_faults()
        began = time.monotonic()
        while not self.over.wait(max(0, began + len(self.seen) + 1 - time.monotonic())):
            usage, limit = self.guest.memory()
            now = self.guest.major_faults()
            self.seen.append((usage >> 20, min(limit, NO_LIMIT) >> 20, now - faults))
            faults = now

    def end(self):
        self.over.set()
        self.join()
        return self.seen


def quantile(ordered, part):
    """Of a sorted list."""
    return ordered[min(len(ordered) - 1, int(len(ordered) * part))]


def means(answer, seconds, skip=0):
    """Mean response times, ms, by the interval in which the requests came; intervals without a request are left out."""
    by_interval = {}
    for came, took in zip(answer["came"], answer["times"]):
        if came >= skip:
            by_interval.setdefault(int(came / seconds), []).append(took)
    return [sum(times) / len(times) for _, times in sorted(by_interval.items())]
