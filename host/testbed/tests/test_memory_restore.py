# SPDX-License-Identifier: Apache-2.0
"""Memory while it is restored: down in steps, and never below what the guest lives on, on real control groups."""

import json
import signal
import subprocess
import sys

import pytest

import host_agent as agents
from conftest import ROOT

BASELINE_MB = 64
RULE = "{class: LS1, memory: [200MiB, 256MiB], cpu: [0.1, 0.9]}"


@pytest.fixture
def web(guests):
    if not agents.JAR.exists():
        pytest.skip(f"needs {agents.JAR}: mvn -pl host/agent -am package")
    web = guests.add("web")
    web.limit(BASELINE_MB)
    if not web.v1:
        web.limit(None)
        web.file("memory", "memory.high").write_text(str(BASELINE_MB << 20))
    return web


@pytest.fixture
def agent(guests, web, tmp_path):
    made = agents.HostAgent(tmp_path / "agent", agents.joint(guests, knobs="[memory]", rules={"web": RULE}))
    yield made
    made.end(signal.SIGKILL)


def limit_mb(guest):
    return int(guest.file("memory", "memory.limit_in_bytes" if guest.v1 else "memory.high").read_text()) >> 20


class Heap:
    """Memory of the guest that has no file behind it."""

    def __init__(self, guest):
        self.server = guest.run(sys.executable, ROOT / "host" / "testbed" / "memaccess.py", "--cpu-ms", "0.1", stdin=subprocess.PIPE,
                                stdout=subprocess.PIPE, text=True)

    def hold(self, megabytes):
        self.server.stdin.write(f"1 20 {megabytes}\n")
        self.server.stdin.flush()
        return json.loads(self.server.stdout.readline())["requests"]

    def end(self):
        self.server.kill()
        self.server.wait()
        self.server.stdin.close()
        self.server.stdout.close()


@pytest.fixture
def heap(web):
    made = Heap(web)
    yield made
    made.end()


def test_a_guest_that_lives_on_more_keeps_it_until_it_can_be_restored(agent, web, heap):
    before = web.knobs()
    heap.hold(20)
    agent.start("act")
    agent.await_true(lambda: limit_mb(web) >= 200, "it grows to what the file says at least")
    assert heap.hold(150) > 0
    for signals in (signal.SIGTERM, signal.SIGKILL):     # both ends: its own restore, and ExecStopPost's
        agent.end(signals)
        done = agent.verb("restore")
        assert done.returncode == 1
        assert "while it is restored to 64 MiB: its guest lives on 1" in done.stdout, done.stdout
        assert 150 <= limit_mb(web) <= 256
        assert heap.hold(150) > 0, "it lives"
        agent.start("act")
        agent.await_true(lambda: limit_mb(web) >= 200, "the next agent goes on from there")
    agent.end(signal.SIGKILL)
    heap.hold(10)
    done = agent.verb("restore")
    assert done.returncode == 0, done.stdout + done.stderr
    assert web.knobs() == before, "exactly"
    assert heap.hold(10) > 0
