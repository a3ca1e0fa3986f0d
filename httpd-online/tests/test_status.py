# SPDX-License-Identifier: Apache-2.0
"""mod_status shows what runs: that is how a caller verifies."""

import re
import signal

import pytest

from harness.server import Shape
from harness.waiting import eventually

SHAPE = Shape(threads_per_child=5, server_limit=8, start_servers=4, max_request_workers=20)


@pytest.fixture
def server(mpm, make_server, allow_reconfigure_lines):
    return allow_reconfigure_lines(make_server(mpm, shape=SHAPE, variables={"MITIGATION": 2, "OTHER": 65535}))


def test_auto_lines(server):
    lines = server.get("/server-status?auto").text.splitlines()
    for line in ("MaxRequestWorkers: 20", "KeepAliveTimeoutMs: 5000", "ReconfigureVariable: MITIGATION=2",
                 "ReconfigureVariable: OTHER=65535", "Reconfigurations: 0", "ReconfigurePending: 0", "WithheldWorkers: 0",
                 "MaxRequestWorkersLeast: 5", "MaxRequestWorkersMost: 40"):
        assert lines.count(line) == 1, f"{line!r} should be there once: {lines}"


def test_auto_follows(server):
    # one signal: the command gives a slow server more, and each counts
    server.write_tunables("MaxRequestWorkers 17\nKeepAliveTimeout 750ms\nReconfigureVariable MITIGATION 0\n")
    server.signal(signal.SIGUSR2)
    # (the worker of the question before may still be ending its connection)
    eventually(lambda: server.state().get("accepted") == "1" and server.status().pending == 0 and server.status().withheld == 3,
               what=lambda: f"the change to be made: {server.state()}, {server.status().fields}")
    status = server.status()
    assert (status.max_request_workers, status.keep_alive_ms) == (17, 750)
    assert status.variables == {"MITIGATION": 0, "OTHER": 65535}
    assert status.reconfigurations == 1
    server.reconfigure("MaxRequestWorkers=1", expect=1)
    assert server.status().reconfigurations == 1, "a refusal is not counted"


def test_html(server):
    server.reconfigure("MaxRequestWorkers=17", "KeepAliveTimeout=750ms", "MITIGATION=1")
    page = re.sub(r"<[^>]+>", " ", server.get("/server-status").text)
    for pattern in (r"MaxRequestWorkers\D+17", r"KeepAliveTimeout\D+750", r"MITIGATION\D+1\b", r"OTHER\D+65535"):
        assert re.search(pattern, page), f"{pattern} is not on the page"
    assert re.search(r"[Rr]econfigur", page)


def test_scoreboard_and_counts_agree(server):
    server.reconfigure("MaxRequestWorkers=9")

    def counts():
        status = server.status()
        return status.idle + status.busy, status.withheld
    # threads that have just been started are neither idle nor busy yet
    eventually(lambda: counts() == (9, 11), what=lambda: f"9 workers and 11 withheld: {counts()}")


def test_unpatched_lines_stay(server):
    status = server.status()
    for name in ("BusyWorkers", "IdleWorkers", "Scoreboard", "Uptime", "ServerMPM"):
        assert name in status.fields


def test_pending_is_shown_while_a_child_cannot_answer(server):
    """A stopped child cannot acknowledge: pending says so, the command tells, and it is cured when the child goes on."""
    import os
    child = server.children()[0]
    os.kill(child, signal.SIGSTOP)
    try:
        server.write_tunables("MaxRequestWorkers 20\nKeepAliveTimeout 6\nReconfigureVariable MITIGATION 3\n")
        server.signal(signal.SIGUSR2)
        eventually(lambda: server.state().get("pending") == "1", what=lambda: f"one child pending: {server.state()}")
    finally:
        os.kill(child, signal.SIGCONT)
    eventually(lambda: server.status().pending == 0, what="the child to acknowledge")
    assert server.status().keep_alive_ms == 6000


def test_prefork_has_no_such_lines(make_server):
    server = make_server("prefork", shape=Shape(start_servers=2, server_limit=10, max_request_workers=10))
    status = server.status()
    assert "Reconfigurations" not in status.fields
    assert status.fields["ReconfigureRefused"].startswith("the MPM prefork can't be reconfigured online")
