# SPDX-License-Identifier: Apache-2.0
"""The bridge to Dom0's commands, tried on a stand-in of QEMU whose console is a shell of this machine."""

import os
import pathlib
import subprocess
import sys
import time

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from bridge import Bridge  # noqa: E402
from machine import Machine, MachineError  # noqa: E402

PATIENCE_S = 120


@pytest.fixture
def machine(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", f"{tmp_path}/out/far:{os.environ['PATH']}")     # where the stand-in finds an xl
    made = Machine("m", tmp_path / "run")
    made.start([sys.executable, HERE / "stand_in.py", "boot"])
    made.wait("DOM0 READY", PATIENCE_S)
    yield made
    made.end()


@pytest.fixture(scope="module")
def ask(tmp_path_factory):
    """The bridge's end, built for this machine."""
    program = tmp_path_factory.mktemp("ask") / "ask"
    subprocess.run(["gcc", "-O2", "-Wall", "-Wextra", "-Werror", "-o", program, HERE.parent / "ask.c"], check=True)
    return program


@pytest.fixture
def bridge(machine, tmp_path, ask):
    out = tmp_path / "out"
    out.mkdir()
    with Bridge(machine, out, str(out), ask) as made:
        yield made


def runs(machine):
    return machine.qmp("query-status")["return"]["running"]


def await_true(condition):
    end = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_output_errors_and_status_come_apart_and_whole(bridge):
    assert bridge.run("printf 'a\\0b\\r\\n'; echo bad >&2; exit 7") == (7, "a\0b\r\n", "bad\n")


def test_words_arrive_as_they_are(bridge):
    words = ["a b", "'", '"', "$HOME", "`x`", "\\", "*", "", "-n", "ä"]
    assert bridge.run("printf", "<%s>", *words)[1] == "".join(f"<{word}>" for word in words)


def test_time_goes_on_only_while_somebody_waits(machine, bridge):
    assert not runs(machine)
    bridge.run("true")
    assert not runs(machine)


def test_several_run_side_by_side(bridge, tmp_path):
    flag = tmp_path / "flag"
    client = called(bridge, "xentop", f"until [ -e {flag} ]; do sleep 0.05; done; echo seen")
    bridge.run("touch", str(flag))
    assert client.communicate(timeout=PATIENCE_S)[0] == "seen\n" and client.returncode == 0


def test_what_is_called_may_go_through_another_command(bridge):
    environment = bridge.environment("sh", "-c", 'printf "<%s>" "$0" "$@"; exit 3')
    done = subprocess.run([bridge.directory / "bin" / "xl", "a b", "'"], env=environment, capture_output=True, text=True, check=False)
    assert (done.stdout, done.returncode) == ("<xl><a b><'>", 3)


def called(bridge, name, script):
    """A call of one of the bridge's commands, behind which there is a shell script here."""
    environment = bridge.environment()
    far = bridge.out / "far"
    far.mkdir(exist_ok=True)
    (far / name).write_text(f"#!/bin/sh\n{script}\n")
    (far / name).chmod(0o755)
    near = pathlib.Path(environment["PATH"].split(":")[0]) / name
    return subprocess.Popen([near], env=environment, stdout=subprocess.PIPE, text=True)


def test_who_is_killed_takes_its_command_with_it(machine, bridge, tmp_path):
    alive = tmp_path / "alive"
    client = called(bridge, "xl", f"while :; do touch {alive}; sleep 0.05; done")
    await_true(alive.exists)
    assert runs(machine)
    client.kill()
    client.wait()
    await_true(lambda: not runs(machine))
    alive.unlink()
    time.sleep(0.3)
    assert not alive.exists()


def test_lines_come_as_they_are_written(bridge, tmp_path):
    client = called(bridge, "xentop", "echo first; exec sleep 1000")
    assert client.stdout.readline() == "first\n"
    client.kill()
    client.wait()


def test_what_does_not_end_is_an_error(machine, bridge):
    with pytest.raises(MachineError, match="did not end within"):
        bridge.run("sleep 1000", patience=0.5)
    assert not runs(machine)


def test_another_rm_is_this_machine_s(bridge, tmp_path):
    (tmp_path / "x").touch()
    subprocess.run(["rm", tmp_path / "x"], env=bridge.environment(), check=True)
    assert not (tmp_path / "x").exists()


def test_without_a_bridge_it_says_so(bridge):
    done = subprocess.run([bridge.directory / "bin" / "xl"], env={}, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "the bridge to Dom0" in done.stderr


def test_nothing_is_left(machine, tmp_path, ask):
    out = tmp_path / "out2"
    out.mkdir()
    with Bridge(machine, out, str(out), ask) as made:
        directory = made.directory
        made.run("true")
    assert not directory.exists() and not list(out.iterdir())


def test_what_cannot_be_run_or_is_killed_has_a_shell_s_status(bridge):
    assert bridge.run("no-such-program", "x") == (127, "", "ask: no-such-program: No such file or directory\n")
    assert bridge.run("/", "x")[0] == 126
    assert bridge.run("kill -9 $$")[0] == 137


@pytest.mark.parametrize("words", [b"", b"x\0" * 5000, b"x" * 70000], ids=["none", "many", "long"])
def test_words_that_are_none_run_nothing(ask, tmp_path, words):
    (tmp_path / "1.words").write_bytes(words)
    assert subprocess.run([ask, tmp_path, "1"], check=False).returncode == 255
    assert (tmp_path / "1.rc").read_text() == "255\n" and (tmp_path / "1.err").read_text().startswith("ask: 1: words: ")
    assert not (tmp_path / "1.pid").exists()


def test_where_nothing_runs_a_kill_is_told_all_the_same(ask, tmp_path):
    subprocess.run([ask, tmp_path, "kill", "7"], check=True)
    assert (tmp_path / "7.told").read_text() == "0\n"


def test_without_words_it_says_how_it_is_used(ask):
    done = subprocess.run([ask], capture_output=True, text=True, check=False)
    assert done.returncode == 2 and done.stderr.startswith("usage: ask ")
