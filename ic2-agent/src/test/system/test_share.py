# SPDX-License-Identifier: Apache-2.0
"""ic2-share, the responder that a real HAProxy asks for a server's share, and that outlives the agent."""
import functools
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time

import pytest

SHARE = pathlib.Path(__file__).resolve().parents[3] / "target" / "ic2-share"
PATIENCE_S = 300
MOST_OF_A_CALL_S = 60

pytestmark = pytest.mark.skipif(not SHARE.exists(), reason="needs ic2-agent/target/ic2-share: make java-apache")


def until(condition, what):
    end = time.monotonic() + PATIENCE_S
    while True:
        value = condition()
        if value:
            return value
        assert time.monotonic() < end, f"not within {PATIENCE_S} s: {what}"
        time.sleep(0.02)


class Line:
    """A connection to the control socket."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(MOST_OF_A_CALL_S)
        self.socket.connect(str(path))
        self.file = self.socket.makefile("rw", newline="\n")

    def say(self, text):
        self.file.write(text + "\n")
        self.file.flush()
        return self.file.readline().rstrip("\n")

    def asked(self):
        """How many balancers ask, what the latest of them knows, and the share that holds."""
        words = self.say("asked").split()
        return int(words[1]), int(words[3]), int(words[4])

    def close(self):
        self.file.close()
        self.socket.close()


class Responder:
    def __init__(self, folder):
        self.control = folder / "control.sock"
        self.state = folder / "state"
        self.log = folder / "log"
        self.lines = []
        self.process = None
        self.start()

    def start(self):
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen([SHARE, self.control, self.state], stderr=log)
        until(self.reachable, "it listens")

    def reachable(self):
        assert self.process.poll() is None, self.log.read_text()
        try:
            Line(self.control).close()
            return True
        except OSError:
            return False

    def line(self):
        self.lines.append(Line(self.control))
        return self.lines[-1]

    def serve(self, networks="127.0.0.0/8", full=0, host="127.0.0.1"):
        """The port at which it listens then: one of those that another test took meanwhile is another try."""
        for _ in range(20):
            with socket.socket() as probe:
                probe.bind((host, 0))
                port = probe.getsockname()[1]
            answer = self.line().say(f"serve {host} {port} {networks} {full}")
            if answer == "ok":
                return port
            assert "in use" in answer, answer
        raise AssertionError("no port")

    def end(self):
        for line in self.lines:
            line.close()
        self.process.send_signal(signal.SIGCONT)
        self.process.kill()
        self.process.wait()


@pytest.fixture
def responder(tmp_path):
    made = Responder(tmp_path)
    yield made
    made.end()


def ask(port, source="127.0.0.1", text=b""):
    """What a balancer hears; empty if nothing."""
    with socket.create_connection(("127.0.0.1", port), MOST_OF_A_CALL_S, (source, 0)) as call:
        if text:
            call.sendall(text)
        heard = b""
        try:
            while chunk := call.recv(100):
                heard += chunk
        except ConnectionResetError:
            pass
        return heard.decode()


def test_a_share_is_told_with_all_that_belongs_to_it(responder):
    port = responder.serve(full=200)
    assert ask(port) == "100% maxconn:200\n"
    agent = responder.line()
    assert agent.say("share 62").startswith("ok 1 ")
    assert ask(port) == "62% maxconn:124\n"
    assert agent.say("share 20").split()[3:] == ["62", "20"], "what was told, and what holds now"
    assert ask(port, text=b"whatever it sends\n" * 100) == "20% maxconn:40\n"
    assert agent.asked() == (1, 20, 20)


def test_without_max_connections_nothing_is_said_of_them(responder):
    port = responder.serve()
    responder.line().say("share 35")
    assert ask(port) == "35%\n"


def test_the_least_share_leaves_some_connections(responder):
    port = responder.serve(full=20)
    responder.line().say("share 5")
    assert ask(port) == "5% maxconn:1\n"


@pytest.mark.parametrize("words", ["share 0", "share 4", "share 101", "share -5", "share", "share 50 60", "share fifty", "drain", "",
                                   "up ready", "share 5" + "0" * 500, "serve", "serve 127.0.0.1 1 10.0.0.0/33 0",
                                   "serve 127.0.0.1 1 any -1", "serve nowhere 1 any 0", "serve 127.0.0.1 99999 any 0",
                                   "serve 127.0.0.1 1 10.0.0.0/8, 0", "serve 127.0.0.1 1 any 0 more", "serve 127.0.0.1 1 \x00 0"])
def test_unknown_input_changes_nothing(responder, words):
    port = responder.serve()
    agent = responder.line()
    agent.say("share 44")
    assert responder.line().say(words).startswith("error "), words
    assert ask(port) == "44%\n"


def test_an_endless_line_is_closed(responder):
    port = responder.serve()
    talker = responder.line()
    with pytest.raises((ConnectionError, BrokenPipeError)):
        while True:
            talker.socket.sendall(b"x" * 1000)
    assert ask(port) == "100%\n"


def test_when_the_agent_has_gone_the_share_is_whole(responder):
    port = responder.serve(full=50)
    agent = responder.line()
    agent.say("share 25")
    assert ask(port) == "25% maxconn:13\n"
    agent.close()
    until(lambda: ask(port) == "100% maxconn:50\n", "all of it")


def test_an_agent_that_hangs_has_gone_after_five_seconds(responder):
    port = responder.serve()
    agent = responder.line()
    began = time.monotonic()
    agent.say("share 25")
    until(lambda: ask(port) == "100%\n", "all of it")
    assert time.monotonic() - began >= 5
    agent.say("share 25")
    assert ask(port) == "25%\n", "it is back"


def test_a_reader_is_not_the_agent(responder):
    port = responder.serve()
    agent = responder.line()
    agent.say("share 25")
    looker = responder.line()
    assert looker.asked()[2] == 25
    looker.close()
    until(lambda: responder.line().asked()[2] == 25, "it holds")
    newer = responder.line()
    newer.say("share 80")
    agent.close()
    until(lambda: responder.line().asked()[2] == 80 and ask(port) == "80%\n", "the newer agent answers")


def test_callers_from_elsewhere_hear_nothing(responder):
    port = responder.serve(networks="127.0.0.2,127.9.0.0/16,fd00::/8")
    assert ask(port, source="127.0.0.2") == "100%\n"
    assert ask(port, source="127.9.3.4") == "100%\n"
    assert ask(port, source="127.0.0.1") == ""
    assert ask(port, source="127.0.0.3") == ""
    assert ask(port, source="127.10.0.1") == ""
    assert responder.line().asked()[0] == 2


def test_after_a_kill_it_listens_again_where_it_did(responder):
    port = responder.serve(full=30)
    responder.line().say("share 25")
    responder.process.kill()
    responder.process.wait()
    responder.start()
    assert ask(port) == "100% maxconn:30\n"


def test_a_garbage_state_does_not_prevent_the_service(responder):
    port = responder.serve()
    for text in ["", "nonsense\n", "127.0.0.1 notaport any 0", "\0" * 5000, f"127.0.0.1 {port} any"]:
        responder.process.kill()
        responder.process.wait()
        responder.state.write_text(text)
        responder.start()
        again = responder.serve()
        assert ask(again) == "100%\n"


def test_a_refused_address_leaves_the_old_one(responder):
    port = responder.serve()
    with socket.create_server(("127.0.0.1", 0)) as taken:
        answer = responder.line().say(f"serve 127.0.0.1 {taken.getsockname()[1]} 127.0.0.0/8 0")
    assert answer == "error Address already in use"
    until(lambda: ask(port) == "100%\n", "the old one")
    assert responder.line().say(f"serve 0.0.0.0 {port} 127.0.0.0/8 7") == "ok", "the same port at another address"
    assert ask(port) == "100% maxconn:7\n"


def test_a_thousand_silent_callers_delay_no_other(responder):
    port = responder.serve()
    agent = responder.line()
    callers = []
    try:
        for _ in range(1000):
            caller = socket.create_connection(("127.0.0.1", port), MOST_OF_A_CALL_S)
            callers.append(caller)
        agent.say("share 50")
        assert ask(port) == "50%\n"
        answered = [caller.recv(100) for caller in callers]
        assert set(answered) <= {b"100%\n", b"50%\n"} and len(answered) == 1000
    finally:
        for caller in callers:
            caller.close()
    until(lambda: len(os.listdir(f"/proc/{responder.process.pid}/fd")) < 20, "they are seen off")


def test_callers_who_never_stop_talking_are_seen_off(responder):
    port = responder.serve()
    over = threading.Event()
    ended = []

    def talk():
        with socket.create_connection(("127.0.0.1", port), MOST_OF_A_CALL_S) as call:
            try:
                while not over.wait(0.01):
                    call.sendall(b"x" * 10000)
            except OSError:
                ended.append(1)

    talkers = [threading.Thread(target=talk) for _ in range(5)]
    try:
        for talker in talkers:
            talker.start()
        until(lambda: len(ended) == 5, "all are seen off")
        assert ask(port) == "100%\n"
    finally:
        over.set()
        for talker in talkers:
            talker.join()


HAPROXY = """
global
    stats socket {socket} mode 600 level admin
defaults
    mode http
    timeout connect 5s
    timeout client 5s
    timeout server 5s
backend web
    server web1 127.0.0.1:9 weight 100 maxconn 40 agent-check agent-addr 127.0.0.1 agent-port {port} agent-inter 200ms
    server web2 127.0.0.1:9 weight 100
"""


class Haproxy:
    def __init__(self, folder, port):
        self.place = tempfile.mkdtemp(prefix="ic2-")    # short: a socket's path has few characters
        self.socket = pathlib.Path(self.place) / "sock"
        config = folder / "haproxy.cfg"
        config.write_text(HAPROXY.format(socket=self.socket, port=port))
        self.process = subprocess.Popen(["haproxy", "-db", "-f", config], stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        until(self.socket.exists, "HAProxy is there")

    def command(self, words):
        with socket.socket(socket.AF_UNIX) as call:
            call.settimeout(MOST_OF_A_CALL_S)
            call.connect(str(self.socket))
            call.sendall((words + "\n").encode())
            answer = b""
            while chunk := call.recv(10000):
                answer += chunk
            return answer.decode()

    def weight(self):
        return int(self.command("get weight web/web1").split()[0])

    def column(self, name):
        lines = self.command("show stat").lstrip("# ").splitlines()
        row = next(line.split(",") for line in lines if line.startswith("web,web1,"))
        return row[lines[0].split(",").index(name)]

    def end(self):
        self.process.kill()
        self.process.wait()
        shutil.rmtree(self.place)


@pytest.fixture
def haproxy(responder, tmp_path):
    if not shutil.which("haproxy"):
        pytest.skip("needs haproxy: make deps")
    made = Haproxy(tmp_path, responder.serve(full=40))
    yield made
    made.end()


def is_told(agent, share):
    return agent.asked()[1] == share


def beating(responder, share):
    """An agent that says its share each second, in a process that can be killed."""
    script = ("import socket, sys, time\ns = socket.socket(socket.AF_UNIX)\ns.connect(sys.argv[1])\n"
              "while True:\n    s.sendall(b'share %s\\n' % sys.argv[2].encode())\n    s.recv(100)\n    time.sleep(1)\n")
    return subprocess.Popen(["/usr/bin/python3", "-c", script, responder.control, str(share)])


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGSTOP, signal.SIGTERM])
def test_haproxy_follows_and_a_dead_agent_heals(responder, haproxy, end):
    agent = beating(responder, 62)
    try:
        until(lambda: haproxy.weight() == 62 and haproxy.column("slim") == "25", "weight and connections are cut")
        assert responder.line().asked() == (1, 62, 62)
        agent.send_signal(end)
        until(lambda: haproxy.weight() == 100 and haproxy.column("slim") == "40", "all is whole again")
    finally:
        agent.kill()
        agent.wait()


def test_manual_changes_at_haproxy_stay(responder, haproxy):
    agent = responder.line()
    agent.say("share 30")
    until(lambda: haproxy.weight() == 30, "the share is there")
    haproxy.command("set server web/web1 state drain")
    drained = haproxy.column("status")
    assert "DRAIN" in drained
    for share in (80, 100):
        agent.say(f"share {share}")
        until(functools.partial(is_told, agent, share), "it was told")
        assert haproxy.column("status") == drained
    haproxy.command("set server web/web1 state ready")
    until(lambda: re.match("UP|no check", haproxy.column("status")), "people bring it back")


def test_a_restart_of_the_responder_costs_haproxy_nothing(responder, haproxy):
    agent = responder.line()
    agent.say("share 30")
    until(lambda: haproxy.weight() == 30, "the share is there")
    responder.process.kill()
    responder.process.wait()
    responder.start()
    until(lambda: haproxy.weight() == 100, "all is whole again")
    assert re.match("UP|no check", haproxy.column("status"))
