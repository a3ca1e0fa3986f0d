# SPDX-License-Identifier: Apache-2.0
"""What a service manager hears of the agent, on a socket as systemd has it."""
import contextlib
import shutil
import socket
import subprocess
import threading
import time

import pytest

from running import IC2, Agent, status_page, wait

pytestmark = pytest.mark.skipif(shutil.which("systemd-notify") is None, reason="systemd-notify is missing; install the package systemd")


class Manager:
    """A socket like systemd's, and when what came."""

    def __init__(self, path):
        self.heard = []
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(str(path))
        self.thread = threading.Thread(target=self.listen)
        self.thread.start()

    def listen(self):
        while True:
            message, descriptors, _, _ = socket.recv_fds(self.socket, 4096, 1)
            # systemd-notify waits until what came with BARRIER=1 is closed
            for descriptor in descriptors:
                socket.close(descriptor)
            if message == b"end":
                return
            self.heard.append((time.monotonic(), message.decode().split()))

    def times(self, text):
        return [when for when, lines in self.heard if text in lines]

    def close(self):
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as last:
            last.sendto(b"end", self.socket.getsockname())
        self.thread.join()
        self.socket.close()


@pytest.fixture
def manager(tmp_path):
    with contextlib.closing(Manager(tmp_path / "notify")) as listening:
        yield listening


@contextlib.contextmanager
def service(tmp_path, *environment, apachectl="/bin/false"):
    with status_page() as url:
        agent = Agent(tmp_path, url, apachectl, [f"NOTIFY_SOCKET={tmp_path}/notify", *environment])
        try:
            yield agent
        finally:
            agent.end()


def test_it_says_when_it_is_ready_reads_again_and_ends(tmp_path, manager):
    with service(tmp_path) as agent:
        wait(lambda: manager.times("READY=1"), agent.log)
        agent.reload()
        wait(lambda: len(manager.times("READY=1")) == 2, agent.log)
        reloading = manager.times("RELOADING=1")
        assert len(reloading) == 1 and manager.times("READY=1")[0] < reloading[0] < manager.times("READY=1")[1]
        assert not manager.times("STOPPING=1") and not manager.times("WATCHDOG=1"), "nobody watches"
    wait(lambda: manager.times("STOPPING=1"), agent.log)
    assert len(manager.times("STOPPING=1")) == 1


def test_the_loop_gives_the_signs_of_life_and_a_loop_that_waits_gives_none(tmp_path, manager):
    slow = tmp_path / "apachectl"
    begun, enough = tmp_path / "begun", tmp_path / "enough"
    slow.write_text(f"#!/bin/sh\n: >'{begun}'\nwhile [ ! -e '{enough}' ]; do sleep 0.1; done\nexit 1\n")
    slow.chmod(0o755)
    with service(tmp_path, "WATCHDOG_USEC=8000000", apachectl=slow) as agent:
        wait(lambda: len(manager.times("WATCHDOG=1")) >= 9, agent.log)
        assert manager.times("WATCHDOG_USEC=8000000"), "as systemd said, since the interval is short"
        signs = manager.times("WATCHDOG=1")
        # each may come late, and the next one in time
        assert (signs[-1] - signs[1]) / (len(signs) - 2) > 1.5, "a quarter of the time, not more often"
        asking = subprocess.Popen([IC2, "apply", "-c", agent.config, "--mxc", "300"], stdout=subprocess.DEVNULL)
        wait(begun.exists, agent.log)
        before = len(manager.times("WATCHDOG=1"))
        time.sleep(7)   # less than a command has: three signs would be due
        within = len(manager.times("WATCHDOG=1")) - before
        enough.touch()
        asking.wait(180)
        assert within <= 1, "the loop stood still, and whoever watches must see that; one from before may come late"
        count = len(manager.times("WATCHDOG=1"))
        wait(lambda: len(manager.times("WATCHDOG=1")) > count, agent.log)
