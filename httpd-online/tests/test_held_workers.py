# SPDX-License-Identifier: Apache-2.0
"""Workers that one request or idle connection each holds for long: a limit that leaves none to others is refused."""

import contextlib
import signal
import socket

import pytest

from harness.client import fetch
from harness.server import Shape, Status
from harness.waiting import eventually

SHAPE = Shape(max_request_workers=20, keep_alive_timeout="300", async_factor=20)
LONG, IDLE = 12, 4


@pytest.fixture
def mute(backends):
    """A backend that never answers; closing it resets all who wait."""
    return backends.enter_context(socket.create_server(("127.0.0.1", 0), backlog=2 * LONG))


@pytest.fixture
def server(mpm, make_server, mute, allow_reconfigure_lines):
    return allow_reconfigure_lines(make_server(
        mpm, shape=SHAPE, variables={"MITIGATION": 0},
        extra=f"ProxyPass /mute http://127.0.0.1:{mute.getsockname()[1]}/\nProxyTimeout 300\n"))


def status(server):
    return Status.parse(fetch(server.port, "/server-status?auto", timeout=60 * server.build.slow).text)


@contextlib.contextmanager
def held(server, mpm, mute):
    """Requests without end and idle connections; yields how many workers they hold."""
    with contextlib.ExitStack() as stack:
        stack.callback(server.log.expect, "AH01102", "AH00898")    # the backend goes
        stack.callback(mute.close)
        for _ in range(LONG):
            stack.enter_context(server.connect()).send("/mute")
        for _ in range(IDLE):
            assert stack.enter_context(server.connect()).get("/").status == 200
        holding = LONG + (IDLE if mpm == "worker" else 0)
        eventually(lambda: status(server).number("HeldWorkers") == holding,
                   what=lambda: f"{holding} held workers: {status(server).fields}")
        yield holding


def refused(server, holding, limit):
    return (f"httpd: reconfigure refused: {server.tunables}:2: MaxRequestWorkers {limit} would leave no worker to others: {holding} "
            f"have each been held for more than 5 s by one request or connection; give {holding + 1} or more, wait until these end, "
            "or use --force; nothing was changed\n")


def test_a_limit_that_leaves_no_worker_is_refused(server, mpm, mute):
    before = server.tunables.read_bytes()
    with held(server, mpm, mute) as holding:
        for limit in (holding, holding - 2):
            done = server.reconfigure(f"MaxRequestWorkers={limit}", "MITIGATION=1", expect=1)
            assert (done.out, done.err) == ("", refused(server, holding, limit))
        server.write_tunables(before.decode().replace("Workers 20", f"Workers {holding}"))
        server.signal(signal.SIGUSR2)
        eventually(lambda: len(server.log.with_text("^reconfiguration refused: .* would leave no worker")) >= 3,
                   what="a signal without the command to be refused")
        server.write_tunables(before.decode())
        now = status(server)
        assert (now.max_request_workers, now.variables, now.number("OwedWorkers")) == (20, {"MITIGATION": 0}, 0)

        done = server.reconfigure(f"MaxRequestWorkers={holding + 2}", "MITIGATION=1")
        assert fetch(server.port, "/", timeout=60 * server.build.slow).status == 200
        # what does not lower it goes on to be done
        assert server.reconfigure("MITIGATION=0").values["MITIGATION"] == ("1", "0")


def test_force_lowers_and_says_what_is_owed(server, mpm, mute):
    with held(server, mpm, mute) as holding:
        limit = holding - 4
        for order in (("--force", f"MaxRequestWorkers={limit}"), (f"MaxRequestWorkers={limit}", "--force")):
            done = server.reconfigure(*order)
            assert done.values["MaxRequestWorkers"] == ("20", str(limit))
            owed = [line for line in done.out.splitlines() if line.startswith("OwedWorkers: ")]
            # (in event idle connections hold none; a child's quota may be more than is held there)
            assert len(owed) == 1 and 4 <= int(owed[0].split()[1].rstrip(",")) <= holding, done.out
            with socket.create_connection(("127.0.0.1", server.port)) as waiting:
                waiting.sendall(b"GET / HTTP/1.0\r\n\r\n")
                # raising needs no --force, and the client that has waited is served
                server.reconfigure("MaxRequestWorkers=20")
                waiting.settimeout(60 * server.build.slow)
                assert b" 200 " in waiting.recv(4096).split(b"\r\n")[0]


def test_an_unknown_option_is_refused(server):
    assert "'--fast' is not of the form NAME=value" in server.reconfigure("--fast", "MaxRequestWorkers=15", expect=1).err
