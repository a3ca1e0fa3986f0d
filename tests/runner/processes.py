# SPDX-License-Identifier: Apache-2.0
"""Everything that this process started: also servers that left their session, since this process adopts their orphans."""

import contextlib
import ctypes
import os
import pathlib
import signal
import time

PR_SET_CHILD_SUBREAPER = 36


def adopt_orphans():
    if ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_CHILD_SUBREAPER) failed")


def read_table():
    """pid -> (parent, session, state, command) of every process."""
    table = {}
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                pid, _, rest = pathlib.Path(entry.path, "stat").read_text(errors="replace").partition(" (")
                command, _, rest = rest.rpartition(") ")
                state, parent, _, session, *_ = rest.split()
                table[int(pid)] = int(parent), int(session), state, command
    return table


def descendants():
    """Living descendants of this process: pid -> (session, command)."""
    table = read_table()
    children = {}
    for pid, (parent, *_) in table.items():
        children.setdefault(parent, []).append(pid)
    found, unseen = {}, children.get(os.getpid(), [])
    while unseen:
        pid = unseen.pop()
        unseen += children.get(pid, [])
        _, session, state, command = table[pid]
        if state not in "ZX":
            found[pid] = session, command
    return found


def send(pids, number):
    for pid in pids:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)


def reap():
    """pid -> exit status (negative: the signal) of the children that have ended."""
    ended = {}
    with contextlib.suppress(ChildProcessError):
        while True:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                break
            ended[pid] = os.waitstatus_to_exitcode(status)
    return ended


def kill_all(patience_s):
    """Kills every descendant, and what they start meanwhile; what is left then, as descendants() tells it."""
    deadline = time.monotonic() + patience_s
    while (left := descendants()) and time.monotonic() < deadline:
        send(left, signal.SIGKILL)
        reap()
        time.sleep(0.05)
    reap()
    return left
