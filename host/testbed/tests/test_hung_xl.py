# SPDX-License-Identifier: Apache-2.0
"""An `xl` that does not end: acceptance R2, on commands that speak as a real Xen's did."""

import os
import pathlib
import signal

import pytest

import host_agent as agents

FAKE = pathlib.Path(__file__).resolve().parent / "fake_xen.sh"
CONFIG = """\
backend: {type: xen}
guests:
  web: {class: LS1, cpu: [0.1, 0.9]}
controllers:
  joint: {guests: [web], knobs: [cap], period: 1s, take: always}
journal: journal.jsonl
"""


class Xen:
    """The fake's files."""

    def __init__(self, directory):
        self.directory = directory
        self.commands = directory / "bin"
        self.commands.mkdir(parents=True)
        for name in ("xl", "xentop", "xenstore-read"):
            (self.commands / name).symlink_to(FAKE)
        (directory / "cap").write_text("0\n")

    def cap(self):
        return (self.directory / "cap").read_text().strip()

    def hang(self):
        (self.directory / "hang").touch()

    def answer(self):
        (self.directory / "hang").unlink()


@pytest.fixture
def xen(tmp_path, monkeypatch):
    if not agents.JAR.exists():
        pytest.skip(f"needs {agents.JAR}: mvn -pl host/agent -am package")
    made = Xen(tmp_path / "xen")
    monkeypatch.setenv("FAKE_XEN", str(made.directory))
    monkeypatch.setenv("PATH", f"{made.commands}:{os.environ['PATH']}")
    return made


@pytest.fixture
def agent(xen, tmp_path):
    made = agents.HostAgent(tmp_path / "agent", CONFIG)
    yield made
    made.end(signal.SIGKILL)


def test_a_turn_is_held_and_the_loop_goes_on(agent, xen):
    agent.start("act")
    agent.await_true(lambda: xen.cap() not in ("", "0"), "it moves the cap")
    xen.hang()
    agent.await_true(lambda: "nothing is decided: the host cannot be measured: xl did not end within 10000 ms and was killed"
                     in agent.log(), "the turn is held, with its reason")
    xen.answer()
    agent.await_true(lambda: "the host can be measured again" in agent.log(), "the loop goes on")
    agent.await_true(lambda: "fault" not in (agent.status() or {"fault": "no answer"}), "nothing is wrong any more")
    agent.end()
    assert xen.cap() == "0"


def test_sigterm_ends_it_all_the_same_and_a_restore_stays_possible(agent, xen):
    agent.start("act")
    agent.await_true(lambda: xen.cap() not in ("", "0"), "it moves the cap")
    xen.hang()
    agent.end()     # within a minute, or this fails
    assert xen.cap() != "0", "no command could put it back"
    xen.answer()
    result = agent.verb("restore")
    assert result.returncode == 0, result.stdout + result.stderr
    assert xen.cap() == "0"
