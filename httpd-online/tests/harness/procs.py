# SPDX-License-Identifier: Apache-2.0
"""Accounting for processes: everything that a test starts carries a mark in its environment."""

import os
import pathlib
import signal
import uuid

from .waiting import eventually

MARK = "HTTPD_ONLINE_TEST"


def new_mark():
    return uuid.uuid4().hex


def _read(pid, name):
    try:
        return pathlib.Path(f"/proc/{pid}/{name}").read_bytes()
    except OSError:
        return b""


def marked(mark):
    """Pids of the living processes with this mark, however they were orphaned or re-parented."""
    wanted = f"{MARK}={mark}".encode()
    return sorted(int(p) for p in os.listdir("/proc")
                  if p.isdigit() and wanted in _read(p, "environ").split(b"\0") and alive(int(p)))


def alive(pid):
    """False for zombies: they run no more, whoever has to reap them."""
    stat = _read(pid, "stat")
    return bool(stat) and stat.rpartition(b")")[2].split()[0] not in (b"Z", b"X")


def children(pid):
    """Living children of a process, in the kernel's order."""
    return [int(c) for c in _read(pid, f"task/{pid}/children").split() if alive(int(c))]


def threads(pid):
    try:
        return len(os.listdir(f"/proc/{pid}/task"))
    except OSError:
        return 0


def cpu_seconds(pid):
    """User and system time that the process has used."""
    fields = _read(pid, "stat").rpartition(b")")[2].split()
    return sum(int(f) for f in fields[11:13]) / os.sysconf("SC_CLK_TCK") if fields else 0.0


def kill_leftovers(mark):
    """Kills by pid what still carries the mark, and returns what there was."""
    left = marked(mark)
    for pid in left:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    if left:
        eventually(lambda: not marked(mark), what=f"processes {left} to die from SIGKILL")
    return left
