# SPDX-License-Identifier: Apache-2.0
"""Reconfiguration beside everything else that happens to a server: start, restarts, crashes, storms, the end."""

import os
import signal
import subprocess
import threading
import time
from dataclasses import replace

import pytest

from harness import procs
from harness.errorlog import GRACEFUL, RESTART
from harness.load import Driver, Group
from harness.server import Shape
from harness.waiting import always, eventually

# (room for some old generations, which may take their time to end)
SHAPE = Shape(threads_per_child=5, server_limit=24, start_servers=4, max_request_workers=20)


@pytest.fixture
def server(mpm, make_server, allow_reconfigure_lines):
    return allow_reconfigure_lines(make_server(mpm, shape=SHAPE, variables={"MITIGATION": 0}))


def signal_rate(pid, number, rate, seconds):
    """Signals at an even rate; the input of a storm."""
    end, sent = time.monotonic() + seconds, 0
    while time.monotonic() < end:
        os.kill(pid, number)
        sent += 1
        time.sleep(1 / rate)
    return sent


def test_storm_of_signals(mpm, make_server, allow_reconfigure_lines):
    """H9: the main loop wakes for each signal; maintenance must not run as often. H2: nothing is done in the handler."""
    # workers enough that event never closes kept-alive connections for want of one, as stock does too
    shape = replace(SHAPE, threads_per_child=20, max_request_workers=80, keep_alive_timeout="60")
    server = allow_reconfigure_lines(make_server(mpm, shape=shape, variables={"MITIGATION": 0}))
    children, pid = server.children(), server.pid
    groups = [Group("users", 10, "/10k.bin", think="exp:30")]
    with Driver(server.port, groups, directory=server.root) as load:
        load.wait_connections(10)
        storm = threading.Thread(target=signal_rate, args=(pid, signal.SIGUSR2, 200, 5))
        storm.start()
        always(lambda: server.children() == children, during=5, what=lambda: f"children changed: {server.children()}")
        storm.join()
        load.wait_more_answers(50)
        assert load.failures() == {}
        assert [r for r in load.records if r.server_closed] == []
    assert server.status().reconfigurations > 0
    server.reconfigure("MITIGATION=4")
    assert server.status().variables == {"MITIGATION": 4}


def test_storm_while_the_pool_grows(mpm, make_server, allow_reconfigure_lines, slow_backend):
    """H9: signals must not speed up the spawning beyond httpd's own rate, nor retire children."""
    server = allow_reconfigure_lines(make_server(
        mpm, shape=Shape(threads_per_child=5, server_limit=20, start_servers=2, max_request_workers=100, min_spare=5,
                         max_spare=15, async_factor=10),
        extra=f"ProxyPass /b/ http://127.0.0.1:{slow_backend.port}/\n"))
    storm = threading.Thread(target=signal_rate, args=(server.pid, signal.SIGUSR2, 200, 2.5))
    storm.start()
    begun, samples = time.monotonic(), []
    with Driver(server.port, [Group("users", 40, "/b/d/100")], directory=server.root) as load:
        while time.monotonic() < begun + 2.0:
            children = len(server.children())
            samples.append((time.monotonic() - begun, children))
            time.sleep(0.05)    # sampling
        storm.join()
        # event closes readable kept-alive connections of a child without an idle worker, stock too (H15)
        failed = {k: n for k, n in load.failures().items() if k != "timeout" and (k, mpm) != ("fail_reuse", "event")}
    # 1 + 2 + 4 in the first two seconds is what maintenance once a second may add to the two, 8 in the third if that is sampled
    assert [(at, children) for at, children in samples if children > 2 + 2 ** (int(at) + 2) - 1] == []
    assert failed == {}


def test_storm_with_debug_log(mpm, make_server, allow_reconfigure_lines):
    """H2: a handler that logged or allocated would deadlock here sooner or later."""
    # workers enough that event never closes kept-alive connections for want of one, as stock does too
    shape = Shape(threads_per_child=25, server_limit=4, start_servers=2, max_request_workers=50)
    server = allow_reconfigure_lines(make_server(mpm, shape=shape, log_level="debug"))
    with Driver(server.port, [Group("users", 10, "/10k.bin", think="exp:5")], directory=server.root) as load:
        load.wait_connections(10)
        signal_rate(server.pid, signal.SIGUSR2, 500, 1.5)
        load.wait_more_answers(200)
        assert load.failures() == {}
    eventually(lambda: server.status().pending == 0, what="all children to acknowledge")


def test_signal_to_a_child_is_harmless(server):
    for child in server.children():
        for _ in range(20):
            os.kill(child, signal.SIGUSR2)
    children = server.children()
    assert len(children) == 4
    server.reconfigure("MaxRequestWorkers=11")
    assert server.children() == children
    assert server.get("/").status == 200


@pytest.mark.parametrize("round", range(3))
def test_signal_during_startup(mpm, make_server, allow_reconfigure_lines, round):
    """H1: from the moment the pid file names the server, SIGUSR2 does not kill it."""
    server = allow_reconfigure_lines(make_server(mpm, shape=SHAPE, start=False))
    stop = threading.Event()
    sent = []

    def shoot():
        while not stop.is_set():
            try:
                os.kill(int(server.pid_file.read_text()), signal.SIGUSR2)
                sent.append(time.monotonic())
            except (OSError, ValueError):
                pass

    shooter = threading.Thread(target=shoot)
    shooter.start()
    try:
        server.start()
        eventually(lambda: sent, what="the first signal")
    finally:
        stop.set()
        shooter.join()
    assert procs.alive(server.pid) and server.get("/").status == 200
    eventually(lambda: server.status().pending == 0, what="all children to acknowledge")
    server.reconfigure("MaxRequestWorkers=9")
    assert server.status().max_request_workers == 9


@pytest.mark.parametrize("again", ["graceful", "restart"])
def test_signals_during_a_restart(server, again):
    """The handler stays over restarts, and a change written during one is never lost."""
    stop = threading.Event()

    def shoot():
        while not stop.is_set():
            os.kill(server.pid, signal.SIGUSR2)
            time.sleep(0.001)

    shooter = threading.Thread(target=shoot)
    shooter.start()
    try:
        for _ in range(3):
            getattr(server, again)()
    finally:
        stop.set()
        shooter.join()
    assert procs.alive(server.pid) and server.get("/").status == 200
    server.reconfigure("MaxRequestWorkers=8", "MITIGATION=3")
    assert server.status().max_request_workers == 8


@pytest.mark.parametrize("delay", [0.0, 0.02, 0.2])
def test_graceful_then_reconfigure(server, slow_backend, delay):
    """H21: old-generation children see new quotas in their slots; nothing may come of it."""
    server.log.expect(*GRACEFUL)
    # (fewer than the limit: in worker each of them holds a thread, and the status page needs one)
    with Driver(server.port, [Group("users", 5, "/10k.bin", think="exp:20")], directory=server.root) as load:
        load.wait_connections(5)
        server.run("-k", "graceful")
        time.sleep(delay)       # another phase of the restart each time: this is the input
        # in the very moment of the restart the command may have to be repeated
        eventually(lambda: server.reconfigure("MaxRequestWorkers=7", "MITIGATION=2", expect=None).code == 0,
                   what="the command to succeed")
        eventually(lambda: server.status().max_request_workers == 7, what=lambda: f"7 after graceful: {server.status().fields}")
        load.wait_more_answers(100)
        failed = {k: n for k, n in load.failures().items() if k != "fail_reuse"}    # event closes idle ones at graceful
    assert failed == {}
    assert server.status().variables == {"MITIGATION": 2}


def test_stop_is_clean(server):
    server.log.expect("AH00045")    # a child takes 3 s to exit: the machine does
    server.reconfigure("MaxRequestWorkers=5")
    server.stop_by_command()
    assert not server.pid_file.exists() and not server.state_file.exists()
    assert server.log.unexpected() == []


def test_graceful_stop_lets_requests_finish(mpm, make_server, slow_backend, allow_reconfigure_lines):
    server = allow_reconfigure_lines(make_server(mpm, shape=SHAPE,
                                                 extra=f"ProxyPass /b/ http://127.0.0.1:{slow_backend.port}/\n"))
    server.reconfigure("MaxRequestWorkers=8")
    # (fewer than the limit: event, stock too, may let a connection wait for a worker of its own child)
    with Driver(server.port, [Group("long", 4, "/b/d/8000", think="hold", once=True)], directory=server.root) as load:
        eventually(lambda: slow_backend.inflight == 4, what="4 in flight")
        server.graceful_stop()
        eventually(lambda: load.ok == 4, what=lambda: f"4 answers; {load.ok}, failed {load.failed}")
        assert load.failures() == {}
    assert not server.state_file.exists()
    assert procs.marked(server.mark) == []


def test_stop_during_changes(server):
    """The wait for acknowledgements does not hold up the end."""
    def seconds():
        child = server.children()[0]
        os.kill(child, signal.SIGSTOP)
        server.signal(signal.SIGUSR2)
        os.kill(child, signal.SIGCONT)
        start = time.monotonic()
        server.stop_by_command()
        return time.monotonic() - start

    server.log.expect("AH00045")    # (on a busy machine)
    took = [seconds()]
    while took[-1] >= 5 * server.build.slow and len(took) < 5:      # a machine may be busy now and then
        server.start()
        took.append(seconds())
    assert took[-1] < 5 * server.build.slow, took


def test_children_that_reach_max_connections(mpm, make_server, allow_reconfigure_lines):
    """MaxConnectionsPerChild replaces children all the time; values and the limit hold, the command does not fail."""
    server = allow_reconfigure_lines(make_server(
        mpm, shape=Shape(threads_per_child=5, server_limit=40, start_servers=3, max_request_workers=15,
                         max_connections_per_child=40), variables={"MITIGATION": 0}))
    first = server.children()
    stop = threading.Event()

    def hammer():
        while not stop.is_set():
            assert server.get("/").status == 200

    users = [threading.Thread(target=hammer) for _ in range(4)]
    for user in users:
        user.start()
    try:
        for n in range(1, 25):
            server.reconfigure(f"MaxRequestWorkers={5 + n % 11}", f"MITIGATION={n}", f"KeepAliveTimeout={n}")
        eventually(lambda: not set(first) & set(server.children()), what="all first children to be replaced")
    finally:
        stop.set()
        for user in users:
            user.join()
    status = server.status()
    assert status.variables == {"MITIGATION": 24} and status.keep_alive_ms == 24000
    assert status.max_request_workers == 5 + 24 % 11


def test_crashed_children_are_replaced_with_the_running_values(server):
    server.reconfigure("MaxRequestWorkers=12", "KeepAliveTimeout=9", "MITIGATION=2")
    server.log.expect("AH00052", "AH00051")     # (the other one with a core dump)
    victims = server.children()[:2]
    os.kill(victims[0], signal.SIGKILL)     # httpd does not log who was killed by SIGKILL
    os.kill(victims[1], signal.SIGSEGV)
    eventually(lambda: not set(victims) & set(server.children()), what="the crashes")
    eventually(lambda: server.log.with_text("exit signal Segmentation"), what="the crash to be logged")
    # 12 workers need three children of five
    eventually(lambda: len(server.children()) >= 3, what="a third child again")
    server.wait_children(3)
    eventually(lambda: (lambda s: s.idle + s.busy)(server.status()) == 12,
               what=lambda: f"12 usable workers: {server.status().fields}")
    for _ in range(12):
        with server.connect() as connection:
            assert connection.get("/").keep_alive == 9
    done = server.reconfigure("MaxRequestWorkers=20")
    assert done.summary[0] >= 3


def test_crash_between_signal_and_acknowledgement(server):
    """A child that dies instead of acknowledging holds nobody up."""
    child = server.children()[-1]
    os.kill(child, signal.SIGSTOP)
    server.write_tunables("MaxRequestWorkers 8\nKeepAliveTimeout 3\n")
    server.signal(signal.SIGUSR2)
    eventually(lambda: server.state().get("pending") not in (None, "0"),
               what=lambda: f"the stopped child to be pending: {server.state()}")
    os.kill(child, signal.SIGKILL)
    eventually(lambda: server.status().pending == 0, what="pending to return to 0")
    assert server.status().max_request_workers == 8


SLOW_MODULE = r"""
#include "httpd.h"
#include "http_config.h"
#include <unistd.h>
/* children start when the file is gone */
static void slow_init(apr_pool_t *p, server_rec *s)
{
    while (access(SLOW, F_OK) == 0)
        usleep(10000);
}
static void slow_hooks(apr_pool_t *p)
{
    ap_hook_child_init(slow_init, NULL, NULL, APR_HOOK_MIDDLE);
}
AP_DECLARE_MODULE(slow) = { STANDARD20_MODULE_STUFF, NULL, NULL, NULL, NULL, NULL, slow_hooks };
"""


def test_variables_do_not_wait_for_a_child_that_starts(mpm, make_server, build, allow_reconfigure_lines, tmp_path):
    """It begins with the values that are there; only what is changed while it starts has to be acknowledged by it."""
    source, module = tmp_path / "mod_slow.c", tmp_path / "mod_slow.so"
    source.write_text(SLOW_MODULE)
    flags = subprocess.run(["apr-1-config", "--cppflags", "--includes"], capture_output=True, text=True, check=True).stdout
    apu = subprocess.run(["apu-1-config", "--includes"], capture_output=True, text=True, check=True).stdout
    server = allow_reconfigure_lines(make_server(mpm, shape=SHAPE, variables={"MITIGATION": 0}, start=False,
                                                 extra=f"LoadModule slow_module {module}\n"))
    slow = server.root / "run" / "slow"
    subprocess.run(["cc", "-shared", "-fPIC", f'-DSLOW="{slow}"', f"-I{build.prefix}/include", *flags.split(), *apu.split(),
                    "-o", module, source], check=True)
    server.start()
    before = set(procs.children(server.pid))
    slow.touch()
    os.kill(server.children()[0], signal.SIGKILL)
    starting = eventually(lambda: set(procs.children(server.pid)) - before, what="a new child to start")
    server.reconfigure("MITIGATION=3")
    assert server.status().variables == {"MITIGATION": 3} and server.status().pending == 0
    server.write_tunables("MaxRequestWorkers 12\nKeepAliveTimeout 5\nReconfigureVariable MITIGATION 3\n")
    server.signal(signal.SIGUSR2)
    eventually(lambda: server.status().pending == 1, what="the new child to be pending")
    slow.unlink()
    eventually(lambda: server.status().pending == 0, what="the new child to acknowledge")
    assert starting <= set(procs.children(server.pid))
    eventually(lambda: (lambda s: s.idle + s.busy)(server.status()) == 12,
               what=lambda: f"12 usable workers: {server.status().fields}")


def test_killed_parent_leaves_a_state_file_that_nobody_trusts(server):
    """kill -9 of the parent: the file stays, its lock does not; the command refuses and signals nobody."""
    children, pid = server.children(), server.pid
    os.kill(pid, signal.SIGKILL)
    eventually(lambda: not procs.alive(pid), what="the parent to die")
    assert server.state_file.exists()
    done = server.reconfigure("MaxRequestWorkers=10", expect=None)
    assert done.code == 1 and "nothing was changed" in done.err
    assert all(procs.alive(c) for c in children), "the orphans were signalled"
    for child in children:
        os.kill(child, signal.SIGKILL)
    server.wait_gone()
    # (the threads of a child that is gone may be on their way still, with its sockets)
    eventually(lambda: not server._accepts(), what="the port to be free")
    server.pid_file.unlink()
    server.start()      # a new life takes the stale state file over
    server.reconfigure("MaxRequestWorkers=10")
    assert server.state_locked_by() == server.pid


def test_two_servers_do_not_disturb_each_other(mpm, make_server, allow_reconfigure_lines):
    one, two = (allow_reconfigure_lines(make_server(mpm, shape=SHAPE)) for _ in range(2))
    one.reconfigure("MaxRequestWorkers=9", "KeepAliveTimeout=2")
    two.reconfigure("MaxRequestWorkers=14")
    assert (one.status().max_request_workers, two.status().max_request_workers) == (9, 14)
    assert (one.status().keep_alive_ms, two.status().keep_alive_ms) == (2000, 5000)
    one.stop()
    two.reconfigure("MaxRequestWorkers=15")


def test_listener_buckets(mpm, make_server, allow_reconfigure_lines):
    """ListenCoresBucketsRatio > 0: several listener groups (where the machine has the processors for it)."""
    # workers enough that event never closes kept-alive connections for want of one, as stock does too
    shape = replace(SHAPE, threads_per_child=10, max_request_workers=40)
    server = allow_reconfigure_lines(make_server(mpm, shape=shape, extra="ListenCoresBucketsRatio 1\n"))
    children = server.children()
    with Driver(server.port, [Group("users", 10, "/10k.bin", think="exp:20")], directory=server.root) as load:
        load.wait_connections(10)
        for n in range(10):
            server.reconfigure(f"MaxRequestWorkers={10 + n}", f"KeepAliveTimeout={5 + n}")
        load.wait_more_answers(100)
        assert load.failures() == {}
    assert server.children() == children
    # (a worker more than its child's quota allows may still be ending its connection)
    eventually(lambda: (lambda s: s.idle + s.busy + s.withheld)(server.status()) == shape.started,
               what=lambda: f"{shape.started} workers in all: {server.status().fields}")


def test_one_process_mode_runs(mpm, make_server, allow_reconfigure_lines):
    """httpd -X serves; SIGUSR2 is left alone there, so the command has to refuse and must not signal."""
    server = allow_reconfigure_lines(make_server(mpm, shape=SHAPE, start=False))
    process = subprocess.Popen([str(server.build.httpd), "-X", "-d", str(server.root), "-f", str(server.config)],
                               env=server.environment, stderr=subprocess.DEVNULL)
    try:
        eventually(lambda: server.pid_file.exists() and server._accepts(), what="httpd -X")
        done = server.reconfigure("MaxRequestWorkers=10", expect=None)
        assert done.code == 1 and done.err
        assert process.poll() is None, "httpd -X was killed"
        assert server.get("/").status == 200
    finally:
        server.log.breaking_off()
        process.terminate()
        process.wait(timeout=60)


def test_restart_after_a_bad_edit(server):
    """A tunables file that httpd cannot parse: the running server goes on, restarts are refused as ever."""
    server.write_tunables("MaxRequestWorkers many\n")
    assert server.reconfigure(expect=None).code == 1
    assert server.run("-k", "graceful").code != 0
    assert server.get("/").status == 200
    server.write_tunables("MaxRequestWorkers 11\nKeepAliveTimeout 5\n")
    server.reconfigure()
    assert server.status().max_request_workers == 11


def test_restart_takes_the_edited_file(server):
    server.write_tunables("MaxRequestWorkers 18\nKeepAliveTimeout 4\nReconfigureVariable MITIGATION 1\n")
    server.log.expect(*RESTART)
    server.graceful()

    def running():
        status = server.status()
        return status.max_request_workers, status.keep_alive_ms, status.variables

    # (a child of the old generation may not have stopped accepting yet)
    eventually(lambda: running() == (18, 4000, {"MITIGATION": 1}), what=lambda: f"what the file says to run: {running()}")
