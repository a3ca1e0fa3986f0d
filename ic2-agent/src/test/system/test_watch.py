# SPDX-License-Identifier: Apache-2.0
"""`ic2 watch` and `ic2 events` in a terminal (a pty), as their users see them."""
import codecs
import contextlib
import fcntl
import json
import os
import re
import select
import signal
import socket
import struct
import subprocess
import termios
import threading
import time

import pytest
from running import IC2, Agent, status_page, wait

# who runs the tests may ignore them, and a Java that inherits that never hears one
HEARD = (signal.SIGINT, signal.SIGHUP, signal.SIGTSTP)
SEQUENCE = re.compile(r"\x1b\[(\??)([\d;]*)([A-Za-z])")


class Terminal:
    """Follows what a command writes, and shows what a person would see of it; an unknown sequence is an error."""

    def __init__(self, command, rows=24, columns=80, **environment):
        ours, theirs = os.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.fd, self.raw, self.modes = ours, "", set()
        self.decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self.theirs = theirs  # held open, so that its settings can be asked for when the command has ended
        self.before = termios.tcgetattr(theirs)
        self.process = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True,
                                        preexec_fn=self.becomes,
                                        env={**os.environ, "TERM": "xterm-256color", "LC_ALL": "C.UTF-8", "NO_COLOR": "", **environment})
        self.lock, self.ending = threading.Lock(), False
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    @staticmethod
    def becomes():
        """What a shell does for who has the terminal."""
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
        for number in HEARD:
            signal.signal(number, signal.SIG_DFL)

    def read(self):
        while not self.ending:
            if select.select([self.fd], [], [], 0.1)[0]:
                self.take()

    def take(self):
        """What has come; a character may come in two pieces."""
        text = self.decoder.decode(os.read(self.fd, 65536))
        with self.lock:
            self.raw += text

    @property
    def text(self):
        with self.lock:
            return self.raw

    def rows(self):
        """The rows of the screen that is shown now."""
        screens, now, row, column, at = {"main": {}, "other": {}}, "main", 0, 0, 0
        text = self.text
        self.modes = set()
        while at < len(text):
            found = SEQUENCE.match(text, at)
            if found:
                private, numbers, letter = found.groups()
                at = found.end()
                if private:
                    (self.modes.add if letter == "h" else self.modes.discard)(numbers)
                    now = "other" if "1049" in self.modes else "main"
                elif letter == "H":
                    row, column = (int(number) - 1 for number in numbers.split(";"))
                elif letter == "K":
                    screens[now][row] = {}
                elif letter == "J":
                    screens[now] = {}
                else:
                    assert letter == "m", found.group()
                continue
            if text[at] == "\x1b":
                break  # the rest of it is under way
            if text[at] == "\n":
                row += 1
            elif text[at] == "\r":
                column = 0
            else:
                assert text[at] >= " ", repr(text[at - 20:at + 20])
                screens[now].setdefault(row, {})[column] = text[at]
                column += 1
            at += 1
        return {row: "".join(cells.get(column, " ") for column in range(max(cells) + 1)) for row, cells in screens[now].items() if cells}

    def fills(self, height):
        """Whether the last row is there: of a picture that is under way some are missing."""
        return max(self.rows(), default=-1) == height - 1

    def shows(self, pattern):
        """Waits until a row matches."""
        end = time.monotonic() + 180
        while time.monotonic() < end:
            rows = self.rows()
            if any(re.search(pattern, row) for row in rows.values()):
                return rows
            assert self.process.poll() is None, self.text
            time.sleep(0.1)
        raise AssertionError(f"no {pattern} in {self.rows()}")

    def resize(self, rows, columns):
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def type(self, keys):
        os.write(self.fd, keys.encode())

    def ended(self):
        """Its status, and what the terminal is like then."""
        status = self.process.wait(180)
        self.ending = True
        self.reader.join()
        while select.select([self.fd], [], [], 0)[0]:
            self.take()
        return status

    def as_before(self):
        self.rows()
        assert termios.tcgetattr(self.theirs) == self.before
        # the first screen, the cursor, rows that wrap
        assert "1049" not in self.modes and self.text.endswith("\x1b[?7h\x1b[?25h\x1b[?1049l"), repr(self.text[-100:])

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(180)
        self.ending = True
        self.reader.join()
        os.close(self.fd)
        os.close(self.theirs)


@pytest.fixture(scope="module")
def agent(tmp_path_factory):
    with status_page() as url:
        running = Agent(tmp_path_factory.mktemp("agent"), url)
        try:
            running.url()
            yield running
        finally:
            running.end()


@contextlib.contextmanager
def terminal(*command, **options):
    shown = Terminal([str(word) for word in command], **options)
    try:
        yield shown
    finally:
        shown.close()


def watch(agent, **options):
    return terminal(IC2, "watch", "-c", agent.config, **options)


def test_it_fills_the_terminal_and_gives_it_back_at_q(agent):
    with watch(agent) as shown:
        shown.shows(r"throughput +[\d.]+/s +.*[\u2581-\u2588]")
        wait(lambda: shown.fills(24), agent.log)
        rows = shown.rows()
        assert max(rows) == 23 and max(len(row) for row in rows.values()) <= 80
        assert rows[0].startswith("ic2  shop, mode observe") and rows[23].startswith("q or Ctrl-C")
        assert {"1049"} <= shown.modes and "25" not in shown.modes, "another screen, without a cursor"
        assert "\x1b[32m" in shown.text or "\x1b[33m" in shown.text, "in colour"
        shown.resize(40, 132)
        shown.shows(r"^ic2 .* {60}")
        wait(lambda: shown.fills(40), agent.log)
        shown.resize(24, 80)
        wait(lambda: shown.fills(24) and max(len(row) for row in shown.rows().values()) <= 80, agent.log)
        shown.type("xq")
        assert shown.ended() == 0
        shown.as_before()


def test_ctrl_c_gives_it_back_and_ctrl_z_for_a_while(agent):
    with watch(agent) as shown:
        shown.shows("^running")
        shown.type("\x1a")
        wait(lambda: open(f"/proc/{shown.process.pid}/stat").read().rsplit(")", 1)[1].split()[0] == "T", agent.log)
        wait(lambda: shown.text.endswith("\x1b[?1049l"), agent.log)
        shown.as_before()
        stopped = len(shown.text)
        shown.process.send_signal(signal.SIGCONT)
        wait(lambda: "running" in shown.text[stopped:], agent.log)
        shown.shows("^running")
        shown.type("\x03")
        assert shown.ended() in (130, -signal.SIGINT)
        shown.as_before()


def test_without_colours_there_are_none_and_without_unicode_only_ascii(agent):
    with watch(agent, NO_COLOR="1", LC_ALL="C") as shown:
        shown.shows("throughput .*[#=]")
        assert not re.search(r"\x1b\[[\d;]*m", shown.text.replace("\x1b[0m\x1b[?7h", "")) and shown.text.isascii()
        shown.type("q")
        assert shown.ended() == 0


def test_a_dumb_terminal_and_a_pipe_get_lines(agent):
    with watch(agent, TERM="dumb") as shown:
        wait(lambda: shown.text.count("\n") >= 2, agent.log)
        assert "\x1b" not in shown.text
        shown.type("\x03")
        assert shown.ended() in (130, -signal.SIGINT)
    said = subprocess.run([IC2, "watch", "-c", agent.config, "--count", "2"], capture_output=True, text=True, timeout=180)
    assert (said.returncode, said.stderr) == (0, "") and re.fullmatch(r"(\d{4}-\d\d-\d\dT[\d:]+Z \w+, .*\n){2}", said.stdout), said


def test_it_begins_with_what_the_agent_knows(agent):
    """The trends are those of the samples before; whoever may only look gets them."""
    def asked():
        with socket.socket(socket.AF_UNIX) as reader:
            reader.connect(str(agent.config.parent / "status.sock"))
            reader.sendall(b'{"verb": "trends", "since": 0}\n')
            answer = json.loads(reader.makefile().read())
        # a state that has just changed may stand in one of them first
        same = answer["trends"]["states"][-1:] == [answer["status"].get("state")]
        return answer if same and answer["trends"]["values"].get("throughput") else None
    answer = wait(asked, agent.log)
    trends = answer["trends"]
    assert trends["target"] == 0.5 and trends["levels"] == 4 and answer["status"]["application"] == "shop"
    assert 0 < len(trends["time"]) <= 600 and trends["time"][0] <= trends["state_since"] <= trends["time"][-1]
    assert len(trends["states"]) == len(trends["values"]["level"]) == len(trends["time"])
    assert trends["time"] == sorted(trends["time"]) and len(trends["values"]["throughput"]) == len(trends["time"])


def test_an_agent_that_hangs_ends_and_comes_back_is_said_to(tmp_path):
    with status_page() as url:
        agent = Agent(tmp_path, url)
        try:
            agent.url()
            with watch(agent) as shown:
                shown.shows("throughput .*[\u2581-\u2588]")
                agent.process.send_signal(signal.SIGSTOP)
                shown.shows(r"^no answer for \d+ s: does the agent hang\? What is shown is old")
                agent.process.send_signal(signal.SIGCONT)
                wait(lambda: not any("no answer" in row for row in shown.rows().values()), agent.log)
                agent.end()
                rows = shown.shows(r"^no answer for \d+ s, trying again: no agent answers at ")
                assert any(re.match("throughput .*[\u2581-\u2588]", row) for row in rows.values()), "what was seen stays"
                agent = Agent(tmp_path, url)
                wait(lambda: not any("no answer" in row for row in shown.rows().values()), agent.log)
                shown.shows(r"^ic2  shop")
                shown.type("q")
                assert shown.ended() == 0
                shown.as_before()
        finally:
            agent.end()


def test_events_are_as_wide_as_the_terminal_and_whole_in_a_pipe(agent):
    with terminal(IC2, "events", "-c", agent.config, columns=100) as shown:
        assert shown.ended() == 0
        lines = shown.text.replace("\r", "").splitlines()
        assert len(lines) > 100 and {len(line) for line in lines if "old entry" in line} == {100}
        assert all(line.endswith("\u2026") for line in lines if "old entry" in line)
    with terminal(IC2, "events", "-c", agent.config, "--wide") as shown:
        assert shown.ended() == 0
        assert "x" * 1000 in shown.text
    whole = subprocess.run([IC2, "events", "-c", agent.config], capture_output=True, text=True, timeout=180).stdout
    assert "x" * 1000 in whole
