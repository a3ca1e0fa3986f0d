# SPDX-License-Identifier: Apache-2.0
"""Processes of the testbed: started in their place, recognised again later, waited for, ended."""

import os
import pathlib
import signal
import subprocess
import time
from dataclasses import dataclass

from .errors import TestbedError, tail

POLL_S = 0.02


@dataclass(frozen=True)
class Place:
    """Where a process runs: its cgroup (or None), its CPU, its nice value."""

    group: object
    cpu: int
    nice: int = 0

    def enter(self):
        """Runs in the child before exec."""
        if self.group:
            self.group.join()
        os.sched_setaffinity(0, {self.cpu})
        os.setpriority(os.PRIO_PROCESS, 0, self.nice)
        os.umask(0o022)


@dataclass(frozen=True)
class Process:
    """A pid together with its start time (clock ticks after boot), so that a reused pid is not taken for it."""

    pid: int
    start: int

    def alive(self):
        fields = _stat(self.pid)
        return fields is not None and int(fields[19]) == self.start and fields[0] not in "ZX"

    def send(self, number):
        if self.alive():
            try:
                os.kill(self.pid, number)
            except ProcessLookupError:
                pass  # it has ended by itself in between


def _stat(pid):
    """The fields of /proc/PID/stat from the state on, or None."""
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except (FileNotFoundError, ProcessLookupError):
        return None


def process(pid):
    """The process that has this pid now."""
    fields = _stat(pid)
    if fields is None:
        raise TestbedError(f"process {pid} has ended right after its start")
    return Process(pid, int(fields[19]))


def process_from_file(path, what, log, patience_s=120):
    """The process whose pid a daemon writes into a file."""
    def read():
        try:
            return int(pathlib.Path(path).read_text())
        except (OSError, ValueError):
            return None

    await_true(read, f"{what} wrote no pid into {path}", patience_s, log)
    return process(read())


def start(command, place, log, environment=None):
    """Starts a long-running program in its place, detached from this one, its output appended to `log`."""
    with open(log, "ab") as output, open(os.devnull) as nothing:
        child = subprocess.Popen([str(word) for word in command], stdin=nothing, stdout=output,
                                 stderr=subprocess.STDOUT, env=environment, start_new_session=True,
                                 preexec_fn=place.enter)
    return child, process(child.pid)


def run(command, what, log, place=None, environment=None):
    """Runs a program to its end, output to `log`; raises with the log's last lines if it fails."""
    with open(log, "ab") as output, open(os.devnull) as nothing:
        child = subprocess.run([str(word) for word in command], stdin=nothing, stdout=output,
                               stderr=subprocess.STDOUT, env=environment, preexec_fn=place.enter if place else None)
    if child.returncode:
        raise TestbedError(f"{what} failed (exit status {child.returncode}); {log} ends with:{tail(log)}")


def await_true(condition, problem, patience_s, log=None, child=None):
    """Waits for a condition; raises with `problem` and the log's end when it does not come, or at once when
    the child that should bring it about has ended."""
    deadline = time.monotonic() + patience_s
    while not condition():
        ended = child is not None and child.poll() is not None
        if ended or time.monotonic() > deadline:
            reason = f"it ended with status {child.returncode}" if ended else f"waited {patience_s} s"
            raise TestbedError(f"{problem} ({reason})" + (f"; {log} ends with:{tail(log)}" if log else ""))
        time.sleep(POLL_S)


def end(processes, number, patience_s):
    """Sends a signal to some processes, waits, and kills those that stay. Returns those that had to be killed."""
    for p in processes:
        p.send(number)
        p.send(signal.SIGCONT)
    deadline = time.monotonic() + patience_s
    while any(p.alive() for p in processes) and time.monotonic() < deadline:
        _reap()
        time.sleep(POLL_S)
    left = [p for p in processes if p.alive()]
    for p in left:
        p.send(signal.SIGKILL)
    return left


def _reap():
    """Collects ended children of this very process (in tests, `up` and `down` run in one)."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass
