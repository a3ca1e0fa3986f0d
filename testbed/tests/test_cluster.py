# SPDX-License-Identifier: Apache-2.0
"""Servers behind a real HAProxy: they come up in their places and go without a trace, the site outlives what dies beside it, and a
network that is cut leaves what was told last."""

import contextlib
import http.cookiejar
import http.server
import json
import os
import pathlib
import signal
import socket
import subprocess
import threading
import time
import urllib.request

import pytest

from conftest import PATIENCE_S, ROOT, await_true
from testbed import balancer, cgroups, cluster
from testbed.errors import TestbedError
from testbed.options import Options

AS_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="the testbed makes cgroups and must run as root")
CHEAP = ("--webs", "3", "--balancer", "haproxy", "--scale", "0.1", "--users", "12")


def servers(*names):
    return [{"name": name, "http": 8000 + i, "agent": 9000 + i} for i, name in enumerate(names)]


def test_haproxy_asks_each_server_for_its_share_and_knows_visitors_again_if_it_shall():
    plain = balancer.configuration("/s", 80, "leastconn", False, servers("web1", "web2"))
    assert "    balance leastconn\n" in plain and "bind 127.0.0.1:80\n" in plain and "cookie" not in plain
    assert ("    server web2 127.0.0.1:8001 weight 100 maxconn 200 check agent-check agent-addr 127.0.0.1 agent-port 9001 agent-inter 500ms\n"
            in plain)
    sticky = balancer.configuration("/s", 80, "roundrobin", True, servers("web1"))
    assert "    cookie server insert indirect nocache\n" in sticky and " check cookie web1 agent-check" in sticky


@pytest.mark.parametrize("options, said", [
    (Options(webs=3), "--webs 3: several servers need --balancer haproxy"),
    (Options(webs=0, balancer="haproxy"), "--webs 0: expected 1 to 9"),
    (Options(webs=3, balancer="haproxy", scheme="http", quota=2), "--quota 2: expected 0.05 to 0.9"),
    (Options(webs=3, balancer="haproxy", scheme="http", weight=0), "--weight 0: expected 0.1 to 10"),
    (Options(webs=3, balancer="haproxy", scheme="http", application="wordpress"), "--application wordpress: a cluster .* has olio"),
    (Options(webs=3, balancer="haproxy", scheme="http", hosted=True), "--hosted: not with --balancer")])
def test_impossible_clusters_are_refused(options, said):
    with pytest.raises(TestbedError, match=said):
        cluster.check(options)


@pytest.mark.parametrize("version, share, quota", [(1, "cpu.shares", "6000"), (2, "cpu.weight", "6000 20000")])
def test_a_server_has_a_quota_that_its_neighbour_takes_from(tmp_path, version, share, quota):
    (tmp_path / "ic2-0-vm2").mkdir()
    (tmp_path / "ic2-0-vm2" / "cgroup.subtree_control").write_text("")
    found = cgroups.Hierarchies(tmp_path, version, tmp_path if version == 2 else None)
    groups = cgroups.create_server(found, "ic2-0", 2, 0.3, 4)
    assert (tmp_path / "ic2-0-vm2" / ("cpu.cfs_quota_us" if version == 1 else "cpu.max")).read_text() == quota
    web, neighbour = (int((groups[role].directories[0] / share).read_text()) for role in ("web", "neighbour"))
    assert neighbour == 4 * web
    assert set(groups["web"].directories) <= {d for group in cgroups.all_of(found, "ic2-0") for d in group.directories}


def fetch(url, jar=None):
    opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(jar))
    with opener.open(url, timeout=120) as answer:
        return answer.read().decode()


def pages_of(state):
    """How many pages each server gave so far, by HAProxy's log."""
    lines = [line.split() for line in pathlib.Path(state["files"]["haproxy_log"]).read_text().splitlines()]
    served = [cells[1] for cells in lines if len(cells) == 7 and cells[2] == "200"]
    return {one["name"]: served.count(one["name"]) for one in state["servers"]}


def haproxy(path, words):
    with socket.socket(socket.AF_UNIX) as call:
        call.settimeout(PATIENCE_S)
        call.connect(str(path))
        call.sendall(words.encode() + b"\n")
        return b"".join(iter(lambda: call.recv(65536), b"")).decode()


def weights(path):
    lines = haproxy(path, "show stat").lstrip("# ").splitlines()
    rows = [dict(zip(lines[0].split(","), line.split(","))) for line in lines[1:] if line.startswith("web,web")]
    return {row["svname"]: int(row["weight"]) for row in rows}


@AS_ROOT
def test_three_servers_are_one_site_and_go_without_a_trace(bed):
    bed.up(*CHEAP)
    state = bed.state
    assert [one["name"] for one in state["servers"]] == ["web1", "web2", "web3"]
    for _ in range(6):
        assert 'data-page="home"' in fetch(state["urls"]["http"])
    await_true(lambda: set(pages_of(state).values()) >= {2}, "each in turn")
    assert weights(state["files"]["haproxy_socket"]) == {"web1": 100, "web2": 100, "web3": 100}
    groups = [pathlib.Path(one["cgroups"]["web"]["join"][0]) for one in state["servers"]]
    assert all(str(state["processes"][f"php-fpm-web{i}"]["pid"]) in (group / "cgroup.procs").read_text().split()
               for i, group in enumerate(groups, 1))

    neighbour = subprocess.Popen([ROOT / "bin" / "testbed", "neighbour", "--dir", bed.dir, "--server", "2", "-s", "1h on", "--", "llcprobe",
                                  "--size", "1MiB"], stdout=subprocess.DEVNULL)
    members = groups[1].parent / "neighbour" / "cgroup.procs"
    await_true(lambda: members.read_text().split(), "the neighbour is in the group of web2")
    neighbour.terminate()
    assert neighbour.wait(PATIENCE_S) is not None
    assert "--server 4: expected 1 to 3" in bed("neighbour", "--server", "4", "-s", "1s on", "--", "dcopy", check=1).stderr
    assert "calibrate: not on a cluster" in bed("calibrate", check=1).stderr

    bed("balance", "leastconn", "--sticky", check=0)
    assert bed.state["options"]["balance"] == "leastconn" and bed.state["options"]["sticky"]
    jar, before = http.cookiejar.CookieJar(), pages_of(state)
    for _ in range(6):
        fetch(state["urls"]["http"], jar)
    assert [cookie.value for cookie in jar if cookie.name == "server"][0] in before
    await_true(lambda: 6 in [count - before[name] for name, count in pages_of(state).items()], "all by one of them")

    os.kill(bed.pid("haproxy"), signal.SIGKILL)
    await_true(lambda: "not running: haproxy" in bed("status").stdout, "its death is seen")
    (bed.dir / "testbed.json").unlink()
    assert bed("down", check=0).stdout == "down\n"  # what is left is looked for when the test ends


AGENT = """
application: shop
mode: act
interval: 500ms
members:
  web:
    role: web
    sensors: {{status: {{type: mod-status, url: '{status}'}}}}
    actuators:
      httpd: {{type: httpd-online, apachectl: {apachectl}}}
      balancer: {{type: haproxy-agent, listen: '127.0.0.1:{port}', allow: [127.0.0.0/8], max-connections: 200, control: {control}}}
levers: [share]
baseline: {{max-request-workers: 240, keep-alive-timeout: 1s, mitigation: 0, share: 100}}
bounds: {{max-request-workers: [240, 240], keep-alive-timeout: [1s, 1s], mitigation: [0, 0], share: [20, 100]}}
journal: {journal}
"""


def ic2(*words):
    done = subprocess.run([ROOT / "bin" / "ic2", *words], capture_output=True, text=True, timeout=PATIENCE_S)
    assert done.returncode == 0, done.stdout + done.stderr


@contextlib.contextmanager
def agents_of(state, folder):
    """One at each server, in mode act: what a person applies is left alone. Yields their configurations and processes."""
    running = []
    try:
        for one in state["servers"]:
            own = folder / one["name"]
            own.mkdir()
            config = own / "ic2.yaml"
            config.write_text(AGENT.format(status=one["urls"]["status"], apachectl=one["files"]["apachectl"], port=one["ports"]["agent"],
                                           control=one["files"]["share_socket"], journal=own / "journal.jsonl"))
            with open(own / "log", "w") as log:
                running.append((config, subprocess.Popen([ROOT / "bin" / "ic2", "run", "-c", config], stdout=log, stderr=log)))
        yield running
    finally:
        for _, process in running:
            process.terminate()
        for _, process in running:
            process.wait(PATIENCE_S)


def rows(file):
    text = file.read_text() if file.exists() else ""
    lines = text[:text.rfind("\n") + 1].splitlines()
    return [dict(zip(lines[0].split(","), line.split(","))) for line in lines[1:]]


@AS_ROOT
def test_the_site_outlives_agents_and_responders_and_no_request_fails_by_them(bed, tmp_path):
    """All servers at the floor, then kill -9 of an agent and of a responder, then of HAProxy itself, all under load."""
    bed.up(*CHEAP)
    state, out = bed.state, tmp_path / "load"
    path = state["files"]["haproxy_socket"]
    load = subprocess.Popen([ROOT / "bin" / "testbed", "load", "--dir", bed.dir, "--steady", "1h", "--ramp-up", "1s", "--open", "20",
                             "--runtime-stats", "500ms", "--out", out], stdout=subprocess.DEVNULL)

    def served(more):
        """This number of further operations, none of them failed."""
        done = sum(float(row["throughput"]) / 2 for row in rows(out / "intervals.csv"))
        await_true(lambda: sum(float(row["throughput"]) / 2 for row in rows(out / "intervals.csv")) > done + more, "the site is up")
        failed = sum(int(row["errors"]) for row in rows(out / "intervals.csv"))
        assert failed == 0, (out / "agent.log").read_text()

    try:
        with agents_of(state, tmp_path) as agents:
            for config, _ in agents:
                await_true((config.parent / "control.sock").exists, "the agent hears")
                ic2("apply", "-c", config, "--set", "share=20")
            await_true(lambda: weights(path) == {"web1": 20, "web2": 20, "web3": 20}, "all are at the floor")
            served(20)
            agents[0][1].kill()
            await_true(lambda: weights(path) == {"web1": 100, "web2": 20, "web3": 20}, "a dead agent's share is whole")
            os.kill(bed.pid("share-web2"), signal.SIGKILL)
            served(20)
            assert weights(path)["web2"] == 20, "no agent says otherwise"
            os.kill(bed.pid("haproxy"), signal.SIGKILL)
            bed("balance", "roundrobin", check=0)
            await_true(lambda: weights(path) == {"web1": 100, "web2": 20, "web3": 20}, "they are back, and web2's agent has said it again")
            assert 'data-page="home"' in fetch(state["urls"]["http"])
        await_true(lambda: set(weights(path).values()) == {100}, "who ends leaves all as it was")
    finally:
        load.terminate()
        load.wait(PATIENCE_S)


CUT = """
global
    stats socket {socket} mode 600 level admin
defaults
    mode http
    timeout connect 1s
    timeout client 5s
    timeout server 5s
    option redispatch
frontend site
    bind fd@{site}
    default_backend web
backend web
    balance roundrobin
    server web1 127.0.0.1:{page} weight 100 agent-check agent-addr 10.213.{net}.2 agent-port 9777 agent-inter 200ms
    server web2 127.0.0.1:{page} weight 100
"""


@contextlib.contextmanager
def far_away():
    """A network namespace behind a pair of interfaces; yields its name, the near interface's, and a number of the network between."""
    number = os.getpid() % 250 + 1
    name, near = f"ic2t{os.getpid()}", f"ic2n{number}"
    made = f"""ip netns add {name} && ip link add {near} type veth peer name far netns {name} && ip addr add 10.213.{number}.1/24 dev {near} &&
        ip link set {near} up && ip -n {name} addr add 10.213.{number}.2/24 dev far && ip -n {name} link set far up"""
    try:
        if subprocess.run(["sh", "-c", made], capture_output=True).returncode:
            pytest.skip("no network namespaces here")
        yield name, near, number
    finally:
        subprocess.run(["ip", "link", "del", near], capture_output=True)
        subprocess.run(["ip", "netns", "del", name], capture_output=True)


class Page(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", "4")
        self.end_headers()
        self.wfile.write(b"here")

    def log_message(self, *_):
        pass


def say(path, line):
    with socket.socket(socket.AF_UNIX) as call:
        call.settimeout(PATIENCE_S)
        call.connect(str(path))
        call.sendall(line.encode() + b"\n")
        return call.makefile().readline().strip()


@AS_ROOT
@pytest.mark.skipif(not balancer.SHARE.exists(), reason="needs ic2-agent/target/ic2-share: make java-apache")
def test_a_network_that_is_cut_leaves_the_share_that_was_told_last_and_heals(tmp_path):
    control, stats = tmp_path / "c", tmp_path / "s"
    with far_away() as (name, near, number), contextlib.ExitStack() as stack:
        def start(*command, **more):
            child = subprocess.Popen([str(word) for word in command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **more)
            stack.callback(child.wait)
            stack.callback(child.kill)

        web = stack.enter_context(http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page))
        threading.Thread(target=web.serve_forever, daemon=True).start()
        stack.callback(web.shutdown)
        site = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        start("ip", "netns", "exec", name, balancer.SHARE, control, tmp_path / "state")
        await_true(control.exists, "the responder hears")
        assert say(control, f"serve 10.213.{number}.2 9777 10.213.{number}.0/24 0") == "ok"
        (tmp_path / "cfg").write_text(CUT.format(socket=stats, site=site.fileno(), page=web.server_address[1], net=number))
        start("haproxy", "-db", "-f", tmp_path / "cfg", pass_fds=[site.fileno()])
        await_true(stats.exists, "HAProxy is there")
        agent = stack.enter_context(socket.socket(socket.AF_UNIX))
        agent.connect(str(control))
        agent.sendall(b"share 30\n")
        await_true(lambda: weights(stats) == {"web1": 30, "web2": 100}, "the share is there")

        subprocess.run(["ip", "link", "set", near, "down"], check=True)
        agent.close()  # from now on it would say 100 %
        checks = time.monotonic() + 3  # several times agent-inter and the connection's time-out
        while time.monotonic() < checks:
            assert fetch(f"http://127.0.0.1:{site.getsockname()[1]}/") == "here"
            assert weights(stats) == {"web1": 30, "web2": 100}, "no agent can say otherwise"

        subprocess.run(["ip", "link", "set", near, "up"], check=True)
        await_true(lambda: weights(stats) == {"web1": 100, "web2": 100}, "it asks again")
