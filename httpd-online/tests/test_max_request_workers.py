# SPDX-License-Identifier: Apache-2.0
"""MaxRequestWorkers: exact, at once, in both directions, and nobody pays for it.

The backend counts the requests in flight: with a zero-think load that exceeds the limit this is the number of
workers in use.
"""

import contextlib
import os
import signal
import statistics
import time
from dataclasses import replace

import pytest

from harness import procs
from harness.client import fetch
from harness.load import CLOSE, FAIL_TIMEOUT, OK, Driver, Group
from harness.server import Shape, Status
from harness.waiting import always, eventually

# more children than the least limit would be refused, so ThreadsPerChild >= children
SHAPE = Shape(threads_per_child=10, server_limit=8, start_servers=4, max_request_workers=40, async_factor=20)


@pytest.fixture
def server(mpm, make_server, slow_backend, allow_reconfigure_lines):
    return allow_reconfigure_lines(make_server(
        mpm, shape=SHAPE, extra=f"ProxyPass /b/ http://127.0.0.1:{slow_backend.port}/\nProxyTimeout 60\n"))


def failures(mpm, load):
    """What may not fail. event closes a readable kept-alive connection if its child has no idle worker, and a saturating
    load meets that in stock too (H15): test_saturation_fails_nothing_that_stock_would_not compares the two."""
    tolerated = {"timeout"} | ({"fail_reuse"} if mpm == "event" else set())
    return {kind: n for kind, n in load.failures().items() if kind not in tolerated}


def saturate(server, conns=60, path="/b/d/500", **kwargs):
    """(The requests are long, so that all that may be are in flight at once on a slow machine too.)"""
    return Driver(server.port, [Group("users", conns, path)], directory=server.root, **kwargs)


def most_in_flight(backend, seconds):
    """The largest number of requests in flight within a window."""
    backend.reset()
    time.sleep(seconds)
    return backend.stats()["max"]


def steady_concurrency(backend, limit):
    """Waits until the limit is kept over some requests' time, then measures for more than a request's time.

    A single look would not do: all users may be between two requests for a moment. On a busy machine that may be so for
    longer, so there are more windows until the limit was reached; it may be exceeded in none of them.
    """
    eventually(lambda: most_in_flight(backend, 1) <= limit, what=lambda: f"at most {limit} in flight; {backend.stats()}")
    end, seen = time.monotonic() + 60, [most_in_flight(backend, 0.6)]
    while max(seen) < limit and time.monotonic() < end:
        seen.append(most_in_flight(backend, 0.6))
    return max(seen)


@pytest.mark.parametrize("steps", [(40, 27, 13, 33, 10, 40)], ids=["40-27-13-33-10-40"])
def test_limit_is_exact_under_saturation(server, slow_backend, steps):
    """Exact to one worker in both directions, although the load never leaves a worker idle (H11, H14)."""
    children = server.children()
    with saturate(server) as load:
        load.wait_more_answers(200)
        for limit in steps:
            server.reconfigure(f"MaxRequestWorkers={limit}")
            # worker: threads that idle kept-alive connections hold; here nobody is idle
            seen = steady_concurrency(slow_backend, limit)
            assert seen == limit, f"MaxRequestWorkers {limit}: {seen} requests were in flight at once"
            status_line = server.state()
            assert status_line["MaxRequestWorkers"] == str(limit)
        assert failures(server.mpm, load) == {}
    assert server.children() == children, "lowering and raising must end and fork no process"


def test_no_arrival_above_the_limit_once_it_is_acknowledged(server, slow_backend):
    late = []
    with saturate(server, path="/b/d/200") as load:
        # on a busy machine what is on its way may take longer once, but not each time
        for _ in range(5):
            eventually(lambda: most_in_flight(slow_backend, 0.3) > 15,
                       what=lambda: f"more than 15 in flight: {slow_backend.stats()}")
            server.reconfigure("MaxRequestWorkers=15")
            acknowledged = time.monotonic()
            load.wait_more_answers(300)
            late = [row for row in slow_backend.series() if row[0] > acknowledged and row[1] > 15]
            # worker and event: what was accepted before the change may still be on its way to the backend
            late = [row for row in late if row[0] > acknowledged + 0.4 * server.build.slow]
            if not late:
                break
            server.reconfigure("MaxRequestWorkers=40")
    assert late == [], f"arrivals that saw more than 15 in flight after the acknowledgement: {late}"


def test_raising_within_children_is_immediate(server, slow_backend):
    server.reconfigure("MaxRequestWorkers=10")
    reached = []
    with saturate(server, path="/b/d/1000") as load:
        # a busy machine may take longer once, but not each time
        while not reached or reached[-1] > 0.5 * server.build.slow and len(reached) < 10:
            if reached:
                server.reconfigure("MaxRequestWorkers=10")
            eventually(lambda: slow_backend.inflight == 10, what=lambda: f"10 in flight; {slow_backend.inflight}")
            slow_backend.reset()
            server.reconfigure("MaxRequestWorkers=40")
            raised = time.monotonic()
            eventually(lambda: slow_backend.stats()["max"] >= 40, what=lambda: f"40 in flight; {slow_backend.stats()}")
            reached.append(time.monotonic() - raised)
        assert failures(server.mpm, load) == {}
    assert reached[-1] <= 0.5 * server.build.slow, f"40 workers were in use only after so many seconds: {reached}"


def test_growth_beyond_existing_children(mpm, make_server, slow_backend, allow_reconfigure_lines):
    """Raising over what is forked follows httpd's spawn logic, up to exactly the new limit, never above it (H11)."""
    server = allow_reconfigure_lines(make_server(
        mpm, shape=Shape(threads_per_child=5, server_limit=10, start_servers=1, max_request_workers=5, min_spare=5,
                         max_spare=100, async_factor=20),
        extra=f"ProxyPass /b/ http://127.0.0.1:{slow_backend.port}/\n"))
    with saturate(server, conns=60) as load:
        eventually(lambda: slow_backend.inflight == 5, what="5 in flight")
        server.reconfigure("MaxRequestWorkers=33")
        slow_backend.reset()
        eventually(lambda: slow_backend.inflight == 33,
                   what=lambda: f"33 in flight; {slow_backend.inflight}, {len(server.children())} children")
        always(lambda: slow_backend.inflight <= 33, during=1.5, what="the limit was overshot")
        assert slow_backend.stats()["max"] == 33
        assert len(server.children()) == 7
        assert failures(mpm, load) == {}


def test_down_up_does_not_ratchet(mpm, make_server, slow_backend, allow_reconfigure_lines):
    """H17: MinSpareThreads, MaxSpareThreads and StartServers are left alone, so the pool is as before."""
    server = allow_reconfigure_lines(make_server(
        mpm, shape=Shape(threads_per_child=5, server_limit=8, start_servers=8, max_request_workers=40, min_spare=20,
                         max_spare=40, async_factor=20),
        extra=f"ProxyPass /b/ http://127.0.0.1:{slow_backend.port}/\n"))
    server.reconfigure("MaxRequestWorkers=10", expect=None)
    server.reconfigure("MaxRequestWorkers=40")
    # stock's own maintenance may retire and fork meanwhile; the limit and the spare threads have to be there
    eventually(lambda: server.status().idle >= 19, what=lambda: f"MinSpareThreads to be idle again: {server.status().fields}")
    with saturate(server, conns=60, path="/b/d/1000") as load:
        eventually(lambda: slow_backend.inflight == 40, what=lambda: f"40 in flight; {slow_backend.inflight}")
        load.stop()


def test_requests_in_flight_complete(server, mpm, slow_backend):
    """Lowering 40 to 10 while 40 requests of 10 s are being served cuts none of them."""
    # event, stock too, may let one or two wait for a worker of their child while another child has one idle;
    # with worker one that is late would wait for the idle connections that hold the ten threads
    all_there = 40 if mpm == "worker" else 36
    with Driver(server.port, [Group("long", 40, "/b/d/10000", think="hold", once=True)], directory=server.root) as load:
        eventually(lambda: slow_backend.inflight >= all_there, what=lambda: f"{all_there} in flight; {slow_backend.inflight}")
        server.reconfigure("MaxRequestWorkers=10")
        assert slow_backend.inflight > 10, "the command has to end before the requests do"
        eventually(lambda: load.ok == 40, what=lambda: f"40 answers; {load.ok}")
        assert load.failures() == {}
        answers = [r for r in load.records if r.outcome == OK]
    assert len(answers) == 40 and all(r.status == 200 for r in answers)


def test_idle_connections_survive_a_lower_limit(mpm, make_server, allow_reconfigure_lines):
    """event: no connection ends. worker: only as many as hold threads above the limit, and each is told so."""
    server = allow_reconfigure_lines(make_server(mpm, shape=replace(SHAPE, keep_alive_timeout="300")))
    connections = [server.connect() for _ in range(30)]
    try:
        for connection in connections:
            assert connection.get("/").status == 200
        server.reconfigure("MaxRequestWorkers=10")
        if mpm == "event":
            assert all(c.is_open() for c in connections)
        closing = 0
        for connection in connections:
            assert connection.is_open(), "an idle connection was closed without a word"
            response = connection.get("/")
            assert response.status == 200
            if response.closing:
                closing += 1
                connection.close()      # as a client does; else the server lingers for it, with a thread
        if mpm == "event":
            assert closing == 0
        if mpm == "worker":
            # the surplus, and for each child the worker that its listener has taken for the next connection
            assert 20 <= closing <= 24
    finally:
        for connection in connections:
            connection.close()


def test_idle_connections_shut_nobody_out(request, make_server, allow_reconfigure_lines):
    """event: as many connections may be open as before, so that new clients and the status page are served beside them."""
    if request.config.getoption("--mpm") == "worker":
        pytest.skip("event only")
    shape = Shape(threads_per_child=25, server_limit=4, start_servers=4, max_request_workers=100, keep_alive_timeout="300")
    server = allow_reconfigure_lines(make_server("event", shape=shape))
    patience = 60 * server.build.slow
    with contextlib.ExitStack() as stack:
        # 4 x (25 threads + 25 idle ones x AsyncRequestWorkerFactor 2) = 300 may be open
        for _ in range(280):
            assert stack.enter_context(server.connect(timeout=patience)).get("/").status == 200
        server.reconfigure("MaxRequestWorkers=25")
        for _ in range(6):
            assert fetch(server.port, "/", timeout=patience).status == 200
        # (who has just answered may still be ending that)
        eventually(lambda: Status.parse(fetch(server.port, "/server-status?auto", timeout=patience).text).withheld == 75,
                   what="75 withheld workers")


def test_worker_debt_is_paid_by_close_only(make_server, slow_backend, allow_reconfigure_lines, request):
    """H14: with zero think time and MaxKeepAliveRequests 0 nobody would ever give a thread back."""
    if request.config.getoption("--mpm") == "event":
        pytest.skip("worker only")
    server = allow_reconfigure_lines(make_server("worker", shape=SHAPE,
                                                 extra=f"ProxyPass /b/ http://127.0.0.1:{slow_backend.port}/\n"))
    with saturate(server, conns=40, path="/b/d/20") as load:
        load.wait_more_answers(400)
        before = len(load.groups)
        server.reconfigure("MaxRequestWorkers=25")
        eventually(lambda: slow_backend.inflight <= 25, what=lambda: f"at most 25 in flight; {slow_backend.inflight}")
        load.wait_more_answers(300)
        failed = failures("worker", load)
        announced = [r for r in load.records if r.outcome == OK and r.flags & CLOSE]
    assert before and failed == {}
    assert 15 <= len(announced) <= 30, f"{len(announced)} connections were told to close; 15 hold surplus threads"


def test_lowering_is_no_alarm(mpm, make_server, slow_backend, allow_reconfigure_lines):
    """A limit that was lowered on purpose to the threads that run is no reason to be told to raise it."""
    server = allow_reconfigure_lines(make_server(
        mpm, shape=Shape(threads_per_child=5, server_limit=8, start_servers=4, max_request_workers=40, min_spare=19),
        extra=f"ProxyPass /b/ http://127.0.0.1:{slow_backend.port}/\n"))
    server.reconfigure("MaxRequestWorkers=20")
    with contextlib.ExitStack() as stack:
        for _ in range(2):
            stack.enter_context(server.connect()).send("/b/d/4000")
        eventually(lambda: slow_backend.inflight == 2, what="two requests in flight")
        # as the parent looks once a second, it does so within the requests
        eventually(lambda: slow_backend.inflight == 0, what="the requests to end")
    assert len(server.children()) == 4
    assert server.log.with_text("MaxRequestWorkers, consider raising") == []


def test_least_limit_does_not_hang(mpm, make_server, allow_reconfigure_lines):
    """H13: a child whose share would be 0 must not sit on its connections."""
    server = allow_reconfigure_lines(make_server(
        mpm, shape=Shape(threads_per_child=2, server_limit=8, start_servers=6, max_request_workers=12, min_spare=1)))
    done = server.reconfigure("MaxRequestWorkers=2", expect=None)
    if done.code:
        assert "child" in done.err and server.status().max_request_workers == 12
        server.reconfigure("MaxRequestWorkers=6")
    with Driver(server.port, [Group("users", 30, "/10k.bin", think="exp:20")], directory=server.root) as load:
        load.wait_more_answers(600)
        assert load.failures() == {}


def test_withheld_workers_are_not_idle(server):
    total = SHAPE.started
    eventually(lambda: server.status().idle + server.status().busy == total, what="all threads to have started")
    assert server.status().withheld == 0

    def counts():
        status = server.status()
        return status.withheld, status.idle + status.busy

    for limit in (13, 40):
        server.reconfigure(f"MaxRequestWorkers={limit}")
        # (the worker of the question before may still be ending its connection)
        eventually(lambda: counts() == (total - limit, limit),
                   what=lambda: f"{total - limit} withheld workers and {limit} others: {counts()}")


def test_threads_and_children_stay(server):
    children = server.children()

    # the thread that starts the workers ends when it has: then there are the main thread, the listener and the workers
    threads = {c: SHAPE.threads_per_child + 2 for c in children}

    def all_there():
        eventually(lambda: {c: procs.threads(c) for c in server.children()} == threads,
                   what=lambda: f"{threads}; there are { {c: procs.threads(c) for c in server.children()} }")

    all_there()
    for limit in (10, 40, 11, 39, 10, 40):
        server.reconfigure(f"MaxRequestWorkers={limit}")
    all_there()


def test_quota_follows_load(server, slow_backend):
    """One child's busy workers are not starved by an even share: a low limit is used in full wherever requests are."""
    server.reconfigure("MaxRequestWorkers=12")
    # (requests so long that the time between two of them counts for little, on a busy machine too)
    samples = []

    def used():
        samples.clear()
        for _ in range(20):
            samples.append(slow_backend.inflight)
            time.sleep(0.03)    # spaced samples
        return statistics.median(samples) >= 11

    with saturate(server, conns=30) as load:
        load.wait_more_answers(60)
        eventually(used, what=lambda: f"a limit of 12 to be used; it is like this: {samples}")
        assert failures(server.mpm, load) == {}


def test_shrink_then_crash_of_a_high_slot_then_graceful_and_stop(mpm, make_server, allow_reconfigure_lines):
    """H10: children in slots above the lowered limit are still reaped, counted and told to go."""
    server = allow_reconfigure_lines(make_server(
        mpm, shape=Shape(threads_per_child=8, server_limit=8, start_servers=8, max_request_workers=64)))
    first = server.children()
    server.reconfigure("MaxRequestWorkers=8")
    os.kill(first[-1], signal.SIGKILL)
    eventually(lambda: not os.path.exists(f"/proc/{first[-1]}"), what="the killed child to be reaped")
    assert server.get("/").status == 200
    server.graceful()
    eventually(lambda: not set(first) & set(server.children()),
               what=lambda: f"the old generation {first} to end; {server.children()} are there")
    assert server.get("/").status == 200
    server.graceful_stop()
    assert procs.marked(server.mark) == []


def test_values_survive_graceful_and_restart(server):
    """H18: the tunables file is the one source; exact also where httpd would round to ThreadsPerChild."""
    server.reconfigure("MaxRequestWorkers=27", "KeepAliveTimeout=1700ms")
    for again in (server.graceful, server.restart):
        again()
        eventually(lambda: server.status().max_request_workers == 27,
                   what=lambda: f"27 after {again.__name__}: {server.status().max_request_workers}")
        assert server.status().keep_alive_ms == 1700
    assert "AH00316" not in server.run("-t").err and "AH00513" not in server.run("-t").err


def test_exact_limit_from_the_start(mpm, make_server, slow_backend, allow_reconfigure_lines):
    server = allow_reconfigure_lines(make_server(
        mpm, shape=Shape(threads_per_child=5, server_limit=8, start_servers=3, max_request_workers=13, async_factor=20),
        extra=f"ProxyPass /b/ http://127.0.0.1:{slow_backend.port}/\n"))
    assert server.status().max_request_workers == 13
    with saturate(server, conns=30) as load:
        load.wait_more_answers(30)
        eventually(lambda: slow_backend.stats()["max"] == 13, what=lambda: f"13 in flight: {slow_backend.stats()}")
        load.stop()
    assert slow_backend.stats()["max"] == 13


def test_saturation_fails_nothing_that_stock_would_not(mpm, make_server, stock, slow_backend, allow_reconfigure_lines):
    """H15: 100 zero-think connections on few workers, before and after a lower limit."""
    shares = {}
    for name, kwargs in (("stock", {"of": stock, "reconfigure": False}), ("ours", {})):
        server = allow_reconfigure_lines(make_server(
            mpm, shape=SHAPE, extra=f"ProxyPass /b/ http://127.0.0.1:{slow_backend.port}/\n", **kwargs))
        with saturate(server, conns=100, path="/b/d/40") as load:
            load.wait_more_answers(500)
            if name == "ours":
                server.reconfigure("MaxRequestWorkers=20")
            # (as long again, and again, however long the command has taken)
            load.wait_more_answers(2 * load.ok)
            load.failures()
            shares[name] = sum(1 for r in load.records if r.failed and r.outcome != FAIL_TIMEOUT) / len(load.records)
        server.log.stopping()   # in the middle of responses
        server.stop()
    assert shares["ours"] <= shares["stock"], shares


def test_lowered_limit_queues_what_stock_event_would_close(server, slow_backend):
    """H15: where workers are withheld, requests of kept-alive connections wait for one; none fails for want of it."""
    server.reconfigure("MaxRequestWorkers=20")
    with saturate(server, conns=100, path="/b/d/40") as load:
        load.wait_more_answers(500)
        server.reconfigure("MaxRequestWorkers=12")
        load.wait_more_answers(500)
        server.reconfigure("MaxRequestWorkers=30")
        load.wait_more_answers(500)
        assert {k: n for k, n in load.failures().items() if k != "timeout"} == {}
    server.log.expect("AH03093")   # stock event, when it is stopped in the middle of a response


def test_storm_of_changes_under_load(mpm, make_server, slow_backend, allow_reconfigure_lines):
    """100 changes: every child's acknowledgement arrives, the children stay, no request fails (H5)."""
    # more threads a child than connections: event closes kept-alive connections when a child has no idle worker, stock too
    server = allow_reconfigure_lines(make_server(
        mpm, shape=replace(SHAPE, threads_per_child=25, max_request_workers=100),
        extra=f"ProxyPass /b/ http://127.0.0.1:{slow_backend.port}/\n"))
    children = server.children()
    groups = [Group("static", 15, "/10k.bin", think="exp:20"), Group("proxied", 5, "/b/d/10", think="exp:20")]
    with Driver(server.port, groups, directory=server.root) as load:
        load.wait_connections(20)
        for turn in range(100):
            done = server.reconfigure(f"MaxRequestWorkers={25 + turn % 16}", f"KeepAliveTimeout={5 + turn % 7}")
            assert done.summary[0] <= 4
        # (the balance that is made once a second waits for acknowledgements too)
        eventually(lambda: server.status().pending == 0, what="all children to acknowledge")
        assert load.failures() == {}
        closed = [r for r in load.records if r.server_closed]
    assert server.children() == children
    assert len(closed) == 0, f"{len(closed)} connections were closed by the server"
    # (a slow server gets the command's signal again and counts it, but nothing is left to change)
    assert len(server.log.with_text("^reconfigured: ")) == 100 <= server.status().reconfigurations
