# SPDX-License-Identifier: Apache-2.0
"""The C load driver and the C backend as context managers."""

import collections
import json
import os
import pathlib
import signal
import struct
import subprocess
import threading
from dataclasses import dataclass

from . import build
from .client import Connection, fetch
from .waiting import eventually

OK, FAIL_REUSE, FAIL_FRESH, FAIL_MID, FAIL_REFUSED, FAIL_TIMEOUT, IDLE_CLOSED, LEFT_OPEN = range(8)
FAILURES = {FAIL_REUSE: "fail_reuse", FAIL_FRESH: "fail_fresh", FAIL_MID: "fail_mid",
            FAIL_REFUSED: "refused", FAIL_TIMEOUT: "timeout"}
CLOSE, RESET, FRESH, RETRY = 1, 2, 4, 8
RECORD = struct.Struct("=ddIIHHBBBx8x")


class Record(collections.namedtuple("Record", "start end bytes connection status keep_alive group outcome flags")):
    """See tools/kadriver.c. Times are time.monotonic() seconds."""

    __slots__ = ()

    @property
    def failed(self):
        return self.outcome in FAILURES or (self.outcome == OK and self.status >= 400)

    @property
    def server_closed(self):
        """The server ended the connection: announced, while idle, or under a request."""
        return (self.outcome == OK and bool(self.flags & CLOSE)) or self.outcome in (IDLE_CLOSED, FAIL_REUSE, FAIL_MID)


@dataclass(frozen=True)
class Group:
    """Connections that behave alike. `think`: milliseconds, "exp:MS", "LO:HI", or "hold" (one request, then idle)."""

    name: str
    conns: int
    path: str = "/"
    think: str = "0"
    spread: float = 0.5
    once: bool = False
    host: str = "localhost"

    def spec(self):
        return (f"name={self.name},conns={self.conns},path={self.path},think={self.think},spread={self.spread},"
                f"once={int(self.once)},host={self.host}")


class Driver:
    """Runs the load until stopped; the records are there afterwards."""

    def __init__(self, port, groups, *, directory, timeout=120, seed=1):
        self.groups = list(groups)
        self.file = pathlib.Path(directory) / f"driver-{os.getpid()}-{id(self)}.bin"
        command = [build.tool("kadriver"), "--port", str(port), "--out", self.file, "--timeout", str(timeout),
                   "--seed", str(seed)]
        for group in self.groups:
            command += ["--group", group.spec()]
        self.status = (0.0, 0, 0, 0, 0, 0)
        self.records = None
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        for line in self.process.stdout:
            time, *counts = line.split()
            self.status = (float(time), *map(int, counts))

    @property
    def connections(self):
        return self.status[1]

    @property
    def busy(self):
        return self.status[2]

    @property
    def ok(self):
        return self.status[3]

    @property
    def failed(self):
        return self.status[4]

    def wait_connections(self, count):
        eventually(lambda: self.connections >= count,
                   what=lambda: f"{count} connections open (there are {self.connections}; {self.failed} failures)")

    def wait_more_answers(self, count):
        target = self.ok + count
        eventually(lambda: self.ok >= target,
                   what=lambda: f"{target} answers (there are {self.ok}; {self.failed} failures, {self.busy} busy)")

    def stop(self):
        if self.records is None:
            self.process.stdin.close()
            code = self.process.wait(timeout=120)
            self.reader.join()
            self.process.stdout.close()
            data = self.file.read_bytes()
            self.file.unlink()
            self.records = [Record(*fields) for fields in RECORD.iter_unpack(data)]
            assert code == 0, f"kadriver ended with {code}"
        return self.records

    def failures(self):
        """Failures by kind, after stop()."""
        kinds = collections.Counter()
        for record in self.stop():
            if record.outcome in FAILURES:
                kinds[FAILURES[record.outcome]] += 1
            elif record.failed:
                kinds[f"status {record.status}"] += 1
        return dict(kinds)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.stop()
        finally:
            if self.process.poll() is None:
                self.process.send_signal(signal.SIGKILL)
                self.process.wait()


class SlowBackend:
    """tools/slowback.c: exact delays, exact number of requests in flight."""

    def __init__(self):
        self.process = subprocess.Popen([build.tool("slowback")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.port = int(self.process.stdout.readline())

    def _ask(self, path):
        return fetch(self.port, path).text

    def stats(self):
        return json.loads(self._ask("/stats"))

    @property
    def inflight(self):
        return self.stats()["inflight"]

    def reset(self):
        return json.loads(self._ask("/reset"))

    def series(self):
        """(time of a 20-ms slot, most in flight seen by a request that arrived in it, arrivals), in order."""
        rows = (line.split() for line in self._ask("/series").splitlines())
        return [(float(t), int(most), int(arrivals)) for t, most, arrivals in rows]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        try:
            self.process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()


__all__ = ["Connection", "Driver", "Group", "Record", "SlowBackend"]
