# SPDX-License-Identifier: Apache-2.0
"""Control groups that stand for virtual machines of a host: children of one parent, as `ic2-host` takes them.

Version 1: a group in each of the hierarchies cpu, cpuacct and memory, and in the one of version 2 that may lie beside them
and counts pressure. Version 2 alone: one group. Everything is gone after `with`."""

import os
import pathlib
import signal
import subprocess
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from testbed import cgroups  # noqa: E402
from testbed.errors import TestbedError  # noqa: E402

CONTROLLERS = ("cpu", "cpuacct", "memory")
CONTROLLERS_2 = ("cpu", "memory", "cpuset")
PATIENCE_S = 300
NO_LIMIT = 1 << 60


def end_in_order():
    """SIGTERM ends an experiment as Ctrl-C does, so that groups, processes and swap go with it."""
    if threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGTERM) == signal.SIG_DFL:
        signal.signal(signal.SIGTERM, signal.default_int_handler)


def find_mounts(mounts="/proc/mounts"):
    """Mount points by controller; "v2" is version 2's."""
    found = {}
    for line in pathlib.Path(mounts).read_text().splitlines():
        _, where, kind, options = line.split()[:4]
        if kind == "cgroup":
            for controller in set(options.split(",")) & set(CONTROLLERS):
                found[controller] = pathlib.Path(where)
        elif kind == "cgroup2":
            found["v2"] = pathlib.Path(where)
    return found


class Guest:
    """One guest: what runs in it, and its files as the kernel has them."""

    def __init__(self, host, name):
        self.host = host
        self.name = name
        self.directories = tuple(dict.fromkeys(mount / host.name / name for mount in host.mounts.values()))
        self.group = cgroups.Group(name, self.directories, None)
        for directory in self.directories:
            directory.mkdir()

    def run(self, *command, **options):
        """Starts a command inside; it ends with the guest at the latest."""
        return subprocess.Popen(command, preexec_fn=self.group.join, **options)

    def burn(self, duty, period_ms=100):
        """A process that wants this share of a CPU, in per cent."""
        return self.run(sys.executable, ROOT / "host" / "testbed" / "burn.py", str(duty), str(period_ms))

    def _directory(self, controller):
        return self.host.mounts.get(controller, self.host.mounts.get("v2")) / self.host.name / self.name

    @property
    def v1(self):
        return "cpu" in self.host.mounts

    def file(self, controller, name):
        return self._directory(controller) / name

    def knobs(self):
        """The texts of its knobs' files."""
        names = ({"cpu": ("cpu.shares", "cpu.cfs_quota_us", "cpu.cfs_period_us"), "memory": ("memory.limit_in_bytes",)} if self.v1
                 else {"cpu": ("cpu.weight", "cpu.max"), "memory": ("memory.high",)})
        return {name: self.file(controller, name).read_text().strip() for controller, files in names.items() for name in files}

    def limit(self, megabytes):
        """Sets the memory limit; None lifts it."""
        text = ("-1" if self.v1 else "max") if megabytes is None else str(megabytes << 20)
        self.file("memory", "memory.limit_in_bytes" if self.v1 else "memory.max").write_text(text)

    def weigh(self, weight):
        """Sets its weight; 256 is the normal one."""
        name, text = ("cpu.shares", 4 * weight) if self.v1 else ("cpu.weight", max(1, min(10_000, round(weight * 100 / 256))))
        self.file("cpu", name).write_text(str(text))

    def weight(self):
        """Its weight; 256 is the normal one."""
        if self.v1:
            return int(self.file("cpu", "cpu.shares").read_text()) // 4
        return round(int(self.file("cpu", "cpu.weight").read_text()) * 256 / 100)

    def memory(self):
        """Bytes in use and limit."""
        if self.v1:
            return tuple(int(self.file("memory", f"memory.{what}_in_bytes").read_text()) for what in ("usage", "limit"))
        limit = self.file("memory", "memory.max").read_text().strip()
        return int(self.file("memory", "memory.current").read_text()), NO_LIMIT if limit == "max" else int(limit)

    def major_faults(self):
        name = "total_pgmajfault" if self.v1 else "pgmajfault"
        return next(int(line.split()[1]) for line in self.file("memory", "memory.stat").read_text().splitlines()
                    if line.split()[0] == name)

    def cpu_seconds(self):
        if self.v1:
            return int(self.file("cpuacct", "cpuacct.usage").read_text()) / 1e9
        return int(dict(line.split() for line in self.file("cpu", "cpu.stat").read_text().splitlines())["usage_usec"]) / 1e6

    def remove(self):
        """Ends what runs inside and removes the groups."""
        cgroups.kill_members(self.group)
        for directory in self.directories:
            remove(directory)


def remove(directory):
    """Removes a group; a dead process may hold it for a moment."""
    deadline = time.monotonic() + PATIENCE_S
    while directory.exists():
        try:
            directory.rmdir()
        except FileNotFoundError:
            return
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.02)


class Guests:
    """The parent of the guests, under a name of its own."""

    def __init__(self, name=None):
        self.name = name or f"ic2host-{os.getpid()}"
        self.mounts = find_mounts()
        self.guests = {}

    def __enter__(self):
        end_in_order()
        missing = set(CONTROLLERS) - set(self.mounts)
        if missing and "v2" not in self.mounts:
            raise TestbedError(f"no control groups with {', '.join(sorted(missing))} are mounted")
        if missing:
            self.mounts = {"v2": self.mounts["v2"]}
        try:
            for mount in self.mounts.values():
                (mount / self.name).mkdir()
            if missing:
                for group in (self.mounts["v2"], self.mounts["v2"] / self.name):
                    there = (group / "cgroup.controllers").read_text().split()
                    (group / "cgroup.subtree_control").write_text(" ".join(f"+{name}" for name in CONTROLLERS_2 if name in there))
        except OSError as e:
            self._remove()
            raise TestbedError(f"cannot make control groups ({e.strerror}): needs root and writable control groups") from e
        return self

    def __exit__(self, *_):
        for guest in self.guests.values():
            guest.remove()
        self._remove()

    def _remove(self):
        for mount in self.mounts.values():
            remove(mount / self.name)

    def add(self, name):
        self.guests[name] = Guest(self, name)
        return self.guests[name]
