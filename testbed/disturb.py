# SPDX-License-Identifier: Apache-2.0
"""What is no neighbour, but slows a tenant's pages too: its own jobs inside the tier's group, and a database that answers late.
Both end with the calling process, however that ends."""

import os
import signal
import subprocess
import time
from pathlib import Path

from . import state
from .errors import TestbedError

END_PATIENCE_S = 5
STOPPED_S, RUNNING_S = 0.06, 0.02  # of a slow database: a query comes a quarter of a page's time later on the average


def _enter(known):
    """Moves the calling process to where the tier's are, with their priority."""
    for directory in known["cgroups"]["web"]["join"]:
        Path(directory, "cgroup.procs").write_text("0")
    os.sched_setaffinity(0, {known["cpus"]["web"]})
    os.setpriority(os.PRIO_PROCESS, 0, 0)


def become_inside(known, command):
    """Becomes a command with the tier's CPU and control group, as the tenant's agent is."""
    _enter(known)
    try:
        os.execvp(command[0], command)
    except OSError as e:
        raise TestbedError(f"inside: cannot run {command[0]} ({e.strerror})") from e


def inside(known, command, seconds):
    """Runs a command with the tier's CPU and control group, as a job of the tenant's, for so long; one that ends by itself ends it."""
    try:
        child = subprocess.Popen(command, start_new_session=True, preexec_fn=lambda: _enter(known))
    except OSError as e:
        raise TestbedError(f"inside: cannot run {command[0]} ({e.strerror})") from e
    try:
        status = child.wait(seconds)
    except subprocess.TimeoutExpired:
        status = 0
    finally:
        _end(child)
    if status:
        raise TestbedError(f"inside: {command[0]} failed with status {status}")


def _end(child):
    """All of its processes: what a shell has started is not its only one."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(child.pid, number)
            child.wait(END_PATIENCE_S)
        except (ProcessLookupError, subprocess.TimeoutExpired):
            pass


def slow_database(known, seconds):
    """Stops the database for most of the time, a few hundredths of a second each, as a disk or a lock would."""
    database = state.processes(known).get("database")
    if database is None:
        raise TestbedError("slow-database: this testbed has no database server (--db sqlite)")
    until = time.monotonic() + seconds
    try:
        while time.monotonic() < until and database.alive():
            database.send(signal.SIGSTOP)
            time.sleep(STOPPED_S)
            database.send(signal.SIGCONT)
            time.sleep(RUNNING_S)
    finally:
        database.send(signal.SIGCONT)
