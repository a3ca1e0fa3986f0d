# SPDX-License-Identifier: Apache-2.0
"""MaxRequestWorkers among the children of event: whatever one child could use, no other is forgotten.

Which child serves a connection is decided by stopping the other one while the connection is opened. (In worker a stopped
child may hold the accept mutex; there each connection holds its thread, and nothing is lent that somebody waits for.)
"""

import contextlib
import os
import pathlib
import select
import signal
import socket
import time

import pytest

from harness.load import Driver, Group
from harness.server import Shape
from harness.waiting import always, eventually

SIZE = 16 << 20     # more than the buffers of a socket hold


@pytest.fixture
def make_event(request, make_server, slow_backend, allow_reconfigure_lines):
    """make_event(threads_per_child, ...) -> (server, *pids of the children)."""
    if request.config.getoption("--mpm") == "worker":
        pytest.skip("event only")

    def make(threads_per_child, *, children=2, keep_alive_timeout="300", log_level="notice"):
        server = allow_reconfigure_lines(make_server(
            "event", shape=Shape(threads_per_child=threads_per_child, server_limit=2 * children, start_servers=children,
                                 max_request_workers=children * threads_per_child, keep_alive_timeout=keep_alive_timeout,
                                 async_factor=20),
            log_level=log_level,
            # (only what sendfile() sends does not hold a worker)
            extra=f"ProxyPass /b/ http://127.0.0.1:{slow_backend.port}/\nProxyTimeout 60\nEnableSendfile On\n"))
        with open(server.root / "htdocs" / "big.bin", "wb") as file:
            file.truncate(SIZE)
        return server, *server.children()

    return make


def state_of(task):
    """Of a thread; None if it has just ended."""
    try:
        return (task / "stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return None


@contextlib.contextmanager
def stopped(*pids):
    """Meanwhile every new connection goes to the other child."""
    try:
        for pid in pids:
            os.kill(pid, signal.SIGSTOP)
            tasks = pathlib.Path(f"/proc/{pid}/task")
            eventually(lambda: all(state_of(task) in ("T", None) for task in tasks.iterdir()),
                       what=f"all threads of {pid} to stop")
        yield
    finally:
        for pid in pids:
            os.kill(pid, signal.SIGCONT)


class SlowDownload:
    """A client that has stopped reading: the response waits for it, without a worker."""

    def __init__(self, port, timeout):
        self.socket = socket.socket()
        self.socket.settimeout(timeout)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 16384)
        self.socket.connect(("127.0.0.1", port))
        self.socket.sendall(b"GET /big.bin HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        head, mark, body = self.socket.recv(8192).partition(b"\r\n\r\n")
        assert mark and b" 200 " in head.splitlines()[0], head
        self.received = len(body)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def _read(self):
        data = self.socket.recv(1 << 16)
        assert data, f"the response ended after {self.received} of {SIZE} bytes"
        self.received += len(data)

    def make_room(self):
        """Reads what has been sent already, so that the server could write again."""
        while select.select([self.socket], [], [], 0.5)[0]:
            self._read()
        assert self.received < SIZE, "the server has sent everything without waiting"

    def read_on(self):
        """Reads to the end."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
        while self.received < SIZE:
            self._read()


def not_accepted(port):
    """Connections that the server has not accepted yet."""
    for line in pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:]:
        _, local, _, state, queues = line.split()[:5]
        if state == "0A" and local == f"0100007F:{port:04X}":
            return int(queues.partition(":")[2], 16)
    raise AssertionError(f"nobody listens on {port}")


def wait_accepted(server, load, conns):
    """Until so many connections of the load are accepted, so that none is left for another child."""
    eventually(lambda: load.connections >= conns and not_accepted(server.port) == 0, patience=60 * server.build.slow,
               what=lambda: f"{conns} accepted connections; {load.connections} opened, {not_accepted(server.port)} not accepted")


def wait_without_busy(server):
    """Until no worker is busy but the one that says so."""
    eventually(lambda: server.status().busy == 1, what=lambda: f"no busy worker: {server.status().fields}")


@contextlib.contextmanager
def saturated(server, busy, quiet, backend, conns, limit):
    """Users without think time on `busy` only, as many as `limit`, so that one waits while `quiet` keeps a worker.

    (No more: beyond ThreadsPerChild event, stock too, accepts connections only where workers are idle.)
    """
    with contextlib.ExitStack() as stack:
        with stopped(quiet):
            load = stack.enter_context(Driver(server.port, [Group("users", conns, "/b/d/300")], directory=server.root))
            wait_accepted(server, load, conns)
        # the balance is made once a second: that it lends what it can is what this waits for
        eventually(lambda: backend.inflight >= limit - 1, what=lambda: f"{limit - 1} in flight; {backend.stats()}")
        always(lambda: backend.inflight <= limit, during=2.5, what=lambda: f"above {limit} in flight: {backend.stats()}")
        yield load


def test_a_child_that_has_lent_its_workers_answers(make_event, slow_backend):
    """One child could use every worker for as long as it likes; the other one's users, idle until now, are served."""
    server, busy, quiet = make_event(8)
    server.reconfigure("MaxRequestWorkers=8")
    with contextlib.ExitStack() as stack:
        with stopped(busy):
            idle = [stack.enter_context(server.connect(timeout=60 * server.build.slow)) for _ in range(3)]
            for connection in idle:
                assert connection.get("/").status == 200
        with saturated(server, busy, quiet, slow_backend, 8, 8) as load:
            for _ in range(2):
                for connection in idle:
                    assert connection.get("/").status == 200
            load.wait_more_answers(50)
            assert {kind: n for kind, n in load.failures().items() if kind != "timeout"} == {}


def test_a_download_of_a_child_that_has_lent_its_workers_goes_on(make_event, slow_backend):
    server, busy, quiet = make_event(8)
    server.reconfigure("MaxRequestWorkers=8")
    with contextlib.ExitStack() as stack:
        with stopped(busy):
            download = stack.enter_context(SlowDownload(server.port, 60 * server.build.slow))
            wait_without_busy(server)
        with saturated(server, busy, quiet, slow_backend, 8, 8) as load:
            download.read_on()
            load.wait_more_answers(50)
            assert {kind: n for kind, n in load.failures().items() if kind != "timeout"} == {}


def test_the_listener_does_not_sleep_for_a_worker(make_event, slow_backend):
    """The only worker is busy for long and a response wants to go on: what the listener has to do it still does."""
    server, _, *others = make_event(4, children=4, keep_alive_timeout="5", log_level="notice mpm_event:trace6")
    server.reconfigure("MaxRequestWorkers=4")      # one for each child
    with contextlib.ExitStack() as stack:
        with stopped(*others):
            download = stack.enter_context(SlowDownload(server.port, 60 * server.build.slow))
            wait_without_busy(server)
            idle = stack.enter_context(server.connect())
            assert idle.get("/").status == 200
            long = stack.enter_context(server.connect())
            long.send("/b/d/20000")
            eventually(lambda: slow_backend.inflight == 1, what="the long request in flight")
            download.make_room()
            # (the close itself is for a worker)
            eventually(lambda: server.log.with_text("deferring close"), what="the end of the idle connection's time")
            assert slow_backend.inflight == 1, "the idle connection's time ended only when a worker was idle"
        download.read_on()
        assert long.receive().status == 200


def test_a_child_that_has_lent_its_workers_ends(make_event, slow_backend):
    """A graceful restart while a child has lent what it can: without a worker it could not end."""
    server, busy, quiet = make_event(8)
    server.reconfigure("MaxRequestWorkers=8")
    with contextlib.ExitStack() as stack:
        with stopped(busy):
            for _ in range(3):
                assert stack.enter_context(server.connect()).get("/").status == 200
            download = stack.enter_context(SlowDownload(server.port, 60 * server.build.slow))
            wait_without_busy(server)
        with saturated(server, busy, quiet, slow_backend, 8, 8):
            server.graceful()
            download.read_on()
            eventually(lambda: not {busy, quiet} & set(server.children()),
                       what=lambda: f"{busy} and {quiet} to end; there are {server.children()}")


def test_saturated_children_share(make_event, slow_backend):
    """Users of a child that has few workers of many are not worse off for as long as the overload lasts."""
    server, first, second = make_event(16)
    server.reconfigure("MaxRequestWorkers=16")
    users = {first: 17, second: 15}
    with contextlib.ExitStack() as stack:
        loads = {}
        for child, other in ((first, second), (second, first)):
            # the first one meanwhile gets all workers but the one that the idle child keeps
            with stopped(other):
                loads[child] = stack.enter_context(Driver(server.port, [Group("users", users[child], "/b/d/200")],
                                                          directory=server.root))
                wait_accepted(server, loads[child], users[child])
                if child == first:
                    eventually(lambda: slow_backend.inflight == 15, what=lambda: f"15 in flight; {slow_backend.stats()}")
        rates = []

        def shared():
            """A user's answers in a second, in both children: within a factor of 3."""
            before = {child: load.ok for child, load in loads.items()}
            time.sleep(1)   # a sample
            rates.append([(load.ok - before[child]) / users[child] for child, load in loads.items()])
            return min(rates[-1]) > 0 and max(rates[-1]) <= 3 * min(rates[-1])

        eventually(shared, what=lambda: f"fair shares; a user's answers a second: {rates}")
        slow_backend.reset()
        for load in loads.values():
            load.wait_more_answers(100)
        assert slow_backend.stats()["max"] <= 16
        for load in loads.values():
            assert {kind: n for kind, n in load.failures().items() if kind != "timeout"} == {}
