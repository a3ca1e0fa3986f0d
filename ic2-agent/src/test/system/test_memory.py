# SPDX-License-Identifier: Apache-2.0
"""As many long answers at a time as there are clients fit into the agent's small memory, also while nobody takes them."""
import concurrent.futures
import json
import re
import socket
import time
import urllib.parse

import pytest
from running import Agent, status_page, wait
from test_dashboard import history

CLIENTS = 32


@pytest.fixture
def agent(tmp_path):
    history(tmp_path / "history", time.time())
    with status_page() as url:
        running = Agent(tmp_path, url)
        try:
            yield running
        finally:
            running.end()


def ask(address, path):
    """A client far away: over loopback's long segments the system would take the answer in its place."""
    client = socket.socket()
    client.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, 536)
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8192)
    client.settimeout(180)
    client.connect(address)
    client.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
    return client


def piece(client, size):
    """Nothing at the end, or where it was cut off."""
    try:
        return client.recv(size)
    except ConnectionResetError:
        return b""


def taken(client):
    return b"".join(iter(lambda: piece(client, 65536), b""))


def answers(address, path):
    """Those of all clients, which are under way, or cut off already, before anybody goes on."""
    clients = [ask(address, path) for _ in range(CLIENTS)]
    begun = [piece(client, 1) for client in clients]
    for client in clients:      # now they are to take it soon
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
    with concurrent.futures.ThreadPoolExecutor(CLIENTS) as pool:
        whole = list(pool.map(taken, clients))
    for client in clients:
        client.close()
    return [first + rest for first, rest in zip(begun, whole)]


def points(answer):
    """0 of one that was cut off."""
    assert answer.startswith(b"HTTP/1.1 200 ") or len(answer) < 13, answer[:80]
    try:
        return len(json.loads(answer.partition(b"\r\n\r\n")[2])["points"])
    except ValueError:
        return 0


def test_a_full_history_goes_to_all_clients_at_a_time(agent):
    address = ("127.0.0.1", urllib.parse.urlsplit(agent.url()).port)
    path = f"/api/history?since={int(time.time()) - 21000}"
    for _ in range(2):      # what is left of the first answers is in the way of the next ones
        for _ in range(10):     # who takes his for more than 10 s is cut off: that is how long a machine may stand still
            least = min(points(answer) for answer in answers(address, path))
            if least > 0:
                break
        assert least > 2000
    assert agent.process.poll() is None
    wait(lambda: taken(ask(address, "/healthz")).startswith(b"HTTP/1.1 200 "), agent.log)
    assert "OutOfMemory" not in agent.log.read_text()


def test_loaded_classes_are_in_the_archive_and_no_mapper_is(tmp_path):
    """Each class beside the archive, and each of Jackson's 400 that map objects, costs an agent memory for good."""
    loaded = tmp_path / "loaded"
    with status_page() as url:
        running = Agent(tmp_path, url, environment=[f"JAVA_OPTS=-Xlog:class+load:file={loaded}"])
        try:
            address = ("127.0.0.1", urllib.parse.urlsplit(running.url()).port)
            for path in ("/", "/metrics", "/api/config", "/api/status", "/api/samples", "/api/events", "/api/history?since=1"):
                assert taken(ask(address, path)).startswith(b"HTTP/1.1 200 "), path
        finally:
            running.end()
    sources = dict(re.findall(r"\] (\S+) source: (.*)", loaded.read_text()))
    assert {"org.ic2.agent.http.HistoryJson", "org.ic2.agent.http.Metrics", "picocli.CommandLine"} <= sources.keys()
    parsed = [name for name, source in sources.items() if source.startswith(("file:", "jrt:"))]
    assert len(parsed) < len(sources) / 50, parsed
    assert [name for name in sources if re.search(r"jackson\.databind\.(ser|deser|introspect)\.|ObjectMapper", name)] == []
