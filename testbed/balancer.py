# SPDX-License-Identifier: Apache-2.0
"""HAProxy in front of a cluster's servers, as docs/cluster.md has it, and the responders that tell it each server's share."""

import socket

from . import processes, services
from .errors import TestbedError
from .layout import SHARE

WAYS = ("roundrobin", "leastconn")
FULL = 200  # connections of a server at its whole share: fewer than its 240 workers
PATIENCE_S = 120
ANSWER_S = 5

CONFIGURATION = """# written by bin/testbed
global
    stats socket {socket} mode 600 level admin
    maxconn 4000
    nbthread 1
    log stdout len 512 format raw local0
defaults
    mode http
    log global
    option redispatch
    timeout connect 5s
    timeout client 60s
    timeout server 60s
    timeout queue 60s
frontend site
    bind 127.0.0.1:{port}
    log-format "%[date(0,ms)] %s %ST %Ta %Tr %ts %HP"
    default_backend web
backend web
    balance {balance}
{lines}
"""
SERVER = ("    server {name} 127.0.0.1:{http} weight 100 maxconn {full} check{cookie} agent-check agent-addr 127.0.0.1 agent-port {agent} "
          "agent-inter 500ms")


def configuration(stats, port, balance, sticky, servers):
    """haproxy.cfg for servers with `name`, and `http` and `agent` for their ports."""
    lines = ["    cookie server insert indirect nocache"] if sticky else []
    lines += [SERVER.format(full=FULL, cookie=f" cookie {one['name']}" if sticky else "", **one) for one in servers]
    return CONFIGURATION.format(socket=stats, port=port, balance=balance, lines="\n".join(lines))


def need():
    if not SHARE.exists():
        raise TestbedError(f"{SHARE} is missing; build it: make java-apache")
    return services.need("haproxy", "haproxy")


def start_responder(layout, name, place, port, running):
    """The program that HAProxy asks for a server's share; it says the whole one until an agent says otherwise."""
    log = layout.logs / "share.log"
    child, running[name] = processes.start([SHARE, control(layout), layout.state / "share.state"], place, log)
    serve = f"serve 127.0.0.1 {port} 127.0.0.0/8 {FULL}"
    processes.await_true(lambda: _say(control(layout), serve) == "ok", f"{name} does not answer \"{serve}\"", PATIENCE_S, log, child)


def control(layout):
    """Where an agent talks to a server's responder."""
    return layout.state / "share.sock"


def _say(path, line):
    """Says a line at a socket; returns the first one of the answer, none if no process listens."""
    try:
        with socket.socket(socket.AF_UNIX) as s:
            s.settimeout(ANSWER_S)
            s.connect(str(path))
            s.sendall(line.encode() + b"\n")
            return s.makefile().readline().strip()
    except OSError:
        return ""


def start(layout, place, text, running):
    """HAProxy with this configuration; ready when it shows its servers."""
    file, log = layout.state / "haproxy.cfg", layout.logs / "haproxy.log"
    program = services.need("haproxy", "haproxy")
    file.write_text(text)
    processes.run([program, "-c", "-q", "-f", file], "haproxy -c", log)
    child, running["haproxy"] = processes.start([program, "-db", "-f", file], place, log)
    processes.await_true(lambda: _say(stats(layout), "show info"), "HAProxy does not answer", PATIENCE_S, log, child)


def stats(layout):
    """Its socket: a short path, as HAProxy binds it by another name, some characters longer, first."""
    return layout.state / "haproxy.sock"
