# SPDX-License-Identifier: Apache-2.0
"""Pins come back as they were, whatever happens: acceptance R1 to R3 for sets of CPUs and affinities, on real control groups."""

import os
import random
import signal
import subprocess
import time

import pytest

import host_agent as agents
import pinned
from writes import Writes

ENDED = (0, 128 + signal.SIGTERM)    # Java says by which signal
KILLS = int(os.environ.get("HOST_KILLS", "3"))
RULES = {"web": "{class: LS1, cpu: [0.1, 1]}", "vm": "{class: NLS}"}
# a shell whose only thread has a virtual CPU's name, as QEMU's have
VCPU = "echo 'CPU 0/KVM' >/proc/$$/comm; while read -r line; do :; done"


@pytest.fixture
def guests():
    if not agents.JAR.exists():
        pytest.skip(f"needs {agents.JAR}: mvn -pl host/agent -am package")
    if os.cpu_count() < 2:
        pytest.skip("needs two CPUs")
    try:
        made = pinned.PinnedGuests().__enter__()
    except pinned.TestbedError as e:
        pytest.skip(str(e))
    try:
        yield made
    finally:
        made.__exit__()


@pytest.fixture
def host(guests, tmp_path):
    """A server's guest and a machine with one virtual CPU, and the agent over both."""
    guests.add("web").burn(10)
    vcpu = guests.add("vm").run("bash", "-c", VCPU, stdin=subprocess.PIPE)
    agent = agents.HostAgent(tmp_path / "agent", pinned.placement(guests, RULES))
    made = Placed(guests, agent, vcpu)
    agent.await_true(lambda: (open(f"/proc/{vcpu.pid}/comm", encoding="utf-8").read()).startswith("CPU 0"), "the thread has its name")
    yield made
    agent.end(signal.SIGKILL)


class Placed:
    def __init__(self, guests, agent, vcpu):
        self.guests = guests
        self.agent = agent
        self.vcpu = vcpu
        self.before = self.now()

    def now(self):
        """The server's set and the virtual CPU's affinity."""
        return pinned.cpu_set(self.guests.guests["web"]).read_text().strip(), pinned.allowed(self.vcpu.pid)

    def pinned(self):
        return all(text.isdigit() for text in self.now())

    def moved(self):
        return self.now() != self.before


def test_what_it_pinned_is_back_when_it_ends(host):
    host.agent.start("act")
    host.agent.await_true(host.pinned, "it pins both")
    web, vm = host.now()
    assert web != vm, "the server's core is its own"
    assert host.agent.end() in ENDED
    assert host.now() == host.before


def test_after_a_kill_a_restore_is_possible(host):
    """R1; the moments are drawn anew each time, HOST_KILLS says how many."""
    for trial in range(KILLS):
        host.agent.start("act")
        host.agent.await_true(host.moved, "it pins something")
        time.sleep(random.uniform(0, 1))
        host.agent.end(signal.SIGKILL)
        result = host.agent.verb("restore")
        assert result.returncode == 0, result.stdout + result.stderr
        assert host.now() == host.before, f"after kill {trial}"


def test_the_next_start_brings_back_what_a_killed_one_left(host):
    host.agent.start("act")
    host.agent.await_true(host.pinned, "it pins both")
    host.agent.end(signal.SIGKILL)
    assert host.pinned()
    host.agent.start("observe")
    host.agent.await_true(lambda: host.now() == host.before, "the next one puts it back, in whatever mode")
    assert host.agent.end() in ENDED


def test_advice_pins_nothing_and_a_plan_in_force_is_not_made_again(host):
    """R3, by the kernel's own count of writes; an affinity is no file, and is looked at."""
    file = pinned.cpu_set(host.guests.guests["web"])
    writes = Writes([file])
    try:
        host.agent.start("advise")
        host.agent.await_true(lambda: (host.agent.status() or {}).get("wanted"), "it says what it would do")
        advice = host.agent.verb("advise")
        assert "web's cpuset: " in advice.stdout and "vm vCPU 0's affinity: " in advice.stdout, advice.stdout + advice.stderr
        assert host.agent.end() in ENDED
        assert writes.seen() == []
        assert host.now() == host.before
        host.agent.start("act")
        host.agent.await_true(host.pinned, "it pins both")
        assert set(writes.seen()) == {file}
        there = host.now()
        time.sleep(4)       # some periods
        assert writes.seen() == [], "a second call changes nothing"
        assert host.now() == there
    finally:
        writes.close()


def test_somebody_elses_pin_stays(host):
    """R2, also where it comes before the agent has looked at its own."""
    host.agent.start("act")
    host.agent.await_true(host.pinned, "it pins both")
    web, _ = host.now()
    subprocess.run(["taskset", "-pc", web, str(host.vcpu.pid)], check=True, capture_output=True)
    host.agent.await_true(lambda: (host.agent.status() or {}).get("left_alone"), "it gives the virtual CPU up")
    assert host.agent.end() in ENDED
    assert host.now() == (host.before[0], web)
