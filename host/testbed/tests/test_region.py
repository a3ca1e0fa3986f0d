# SPDX-License-Identifier: Apache-2.0
"""iTune's observer on real control groups: the region of the load gives the weights; and what guests send and receive, in a network
namespace of the test's own."""

import json
import os
import signal
import subprocess
import sys

import pytest

import host_agent as agents

FEATURES = ("cpu_percent", "vcpu_ratio", "vm_count", "net_mbit")
WEIGHTS = {"HOST": 5120, "LS1": 1024, "LS2": 768, "LS3": 512, "NLS": 128}
CONFIG = """\
backend: {{type: cgroup, groups: {groups}}}
guests:
  web: {{class: LS1}}
  db: {{class: LS2}}
controllers:
  schedule: {{library: regions.json, period: 1s, confirm: 2}}
journal: journal.jsonl
"""


def region(guests, radius, settings=True):
    """A region around so many guests, whatever else the load is."""
    found = {"centre": {**dict.fromkeys(FEATURES, 0), "vm_count": guests}, "radius": radius, "points": 100}
    if settings:
        found["settings"] = {"weights": WEIGHTS, "base_cost": 10, "cost": 5, "held_out_gain": 0.5, "provenance": "a test"}
    return found


def library(*regions):
    return json.dumps({"format": 1, "silhouette": 0.8, "regions": regions, "scaling": {
        "kind": "zscore", "mean": dict.fromkeys(FEATURES, 0),
        "spread": {**dict.fromkeys(FEATURES, 1e6), "vm_count": 1}}})


@pytest.fixture
def agent(guests, tmp_path):
    if not agents.JAR.exists():
        pytest.skip(f"needs {agents.JAR}: mvn -pl host/agent -am package")
    for name in ("web", "db", "batch"):
        guests.add(name).burn(20)
    made = agents.HostAgent(tmp_path / "agent", CONFIG.format(groups=guests.name))
    yield made
    made.end(signal.SIGKILL)


def weights(guests):
    """As the kernel has them, in the unit of the knob."""
    texts = {name: guest.knobs() for name, guest in guests.guests.items()}
    return {name: int(knobs["cpu.shares"]) / 4 if "cpu.shares" in knobs else round(int(knobs["cpu.weight"]) * 2.56)
            for name, knobs in texts.items()}


def test_the_region_of_the_load_gives_the_weights_and_the_end_takes_them_back(agent, guests):
    before = {name: guest.knobs() for name, guest in guests.guests.items()}
    (agent.directory / "regions.json").write_text(library(region(30, 0.1), region(3, 1)))
    agent.start("act")
    agent.await_true(lambda: weights(guests) == {"web": 1024, "db": 768, "batch": 128}, "the weights of region 2")
    agent.await_true(lambda: {wanted["controller"] for wanted in agent.status()["wanted"]} == {"schedule"}, "the turn that set them is over")
    assert agent.status()["host"]["net.rate"] >= 0
    guests.add("late")
    agent.await_true(lambda: weights(guests)["late"] == 128, "one that comes later is weighed, too")
    assert agent.end() in (0, 128 + signal.SIGTERM)
    assert {name: guests.guests[name].knobs() for name in before} == before


def test_a_load_in_no_region_changes_nothing(agent, guests):
    before = {name: guest.knobs() for name, guest in guests.guests.items()}
    (agent.directory / "regions.json").write_text(library(region(30, 0.1)))
    agent.start("act")
    agent.await_true(lambda: "unknown load" in " ".join((agent.status() or {}).get("held", [])), "it says that it does not know the load")
    assert {name: guest.knobs() for name, guest in guests.guests.items()} == before


SETUP = """\
set -e
mkdir groups; mount --rbind /sys/fs/cgroup groups
mount -t sysfs sysfs /sys; mount --rbind groups /sys/fs/cgroup
ip link set lo up
ip link add host0 type veth peer name guest0
ip netns add "$1"
trap 'ip netns del "$1"' EXIT
ip link set guest0 netns "$1"
ip address add 192.0.2.1/30 dev host0; ip link set host0 up
ip -n "$1" address add 192.0.2.2/30 dev guest0; ip -n "$1" link set guest0 up
ip link add br0 type bridge; ip link set br0 up
"$2" "$3" "$4" "$5"
"""

TRAFFIC = """\
import json, socket, subprocess, sys, threading, time
command, config = sys.argv[1:]
sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
agent = subprocess.Popen([command, "run", "-c", config, "--mode", "observe"])
busy = threading.Event()
def send():
    while True:
        busy.wait()
        for _ in range(10):
            sender.sendto(b"x" * 1200, ("192.0.2.2", 9))
        time.sleep(0.01)
threading.Thread(target=send, daemon=True).start()
def until(condition):
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        done = subprocess.run([command, "status", "--json", "-c", config], capture_output=True, text=True)
        said = json.loads(done.stdout) if done.returncode == 0 else {}
        rate = said.get("host", {}).get("net.rate")  # there is no host before the first turn
        if rate is not None and condition(rate):
            return rate
        time.sleep(0.05)
    sys.exit("never")
try:
    quiet = until(lambda rate: rate < 0.5)
    busy.set()
    print(json.dumps([quiet, until(lambda rate: rate > 2)]))
finally:
    agent.terminate()
    agent.wait()
"""


def test_what_guests_send_and_receive_is_seen_on_their_devices(agent, guests, tmp_path):
    """About 9.6 Mbit/s at most to a guest behind a veth device; that its namespace has a bridge and loopback makes no difference."""
    (agent.directory / "regions.json").write_text(library(region(3, 1)))
    (tmp_path / "traffic.py").write_text(TRAFFIC)
    done = subprocess.run(["unshare", "--net", "--mount", "bash", "-c", SETUP, "bash", f"ic2-{os.getpid()}", sys.executable,
                           tmp_path / "traffic.py", agents.COMMAND, agent.config],
                          cwd=tmp_path, capture_output=True, text=True, timeout=300)
    if "Unknown device type" in done.stderr or "Operation not permitted" in done.stderr:
        pytest.skip("this kernel makes no veth devices: " + done.stderr.strip().splitlines()[0])
    assert done.returncode == 0, done.stdout + done.stderr
    quiet, busy = json.loads(done.stdout)
    assert quiet < 0.5 and 2 < busy < 12
