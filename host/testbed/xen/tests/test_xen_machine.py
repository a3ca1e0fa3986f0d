# SPDX-License-Identifier: Apache-2.0
"""Driving a machine by its console and QMP, tried on a stand-in of QEMU; what the check says when something lacks."""

import importlib.machinery
import importlib.util
import json
import pathlib
import shutil
import signal
import subprocess
import sys
import threading
from types import SimpleNamespace

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from machine import LAB, Machine, MachineError, share, xen  # noqa: E402

PATIENCE_S = 120


@pytest.fixture
def machine(tmp_path):
    made = Machine("m", tmp_path)
    yield made
    made.end()


def stand_in(mode):
    return [sys.executable, HERE / "stand_in.py", mode]


def booted(machine):
    machine.start(stand_in("boot"))
    machine.wait("DOM0 READY", PATIENCE_S)
    return machine


def runs(machine):
    return machine.qmp("query-status")["return"]["running"]


def test_it_stands_still_but_while_a_command_runs(machine):
    machine.start(stand_in("boot"))
    assert not runs(machine)
    assert "DOM0 READY" in machine.wait("DOM0 READY", PATIENCE_S)
    assert not runs(machine)
    machine.shell("true", PATIENCE_S)
    assert not runs(machine)


def test_a_command_gives_its_output_and_its_status(machine):
    booted(machine)
    status, said = machine.shell("echo one; echo two; false", PATIENCE_S)
    assert (status, said.splitlines()[-2:]) == (1, ["one", "two"])


def test_the_echo_of_a_command_is_not_its_end(machine):
    booted(machine)
    status, said = machine.shell("sleep 0.3; echo late", PATIENCE_S)
    assert status == 0 and said.rstrip().endswith("late")


def test_a_long_line_arrives_whole(machine):
    booted(machine)
    assert machine.shell("echo " + "x" * 1000, PATIENCE_S)[1].splitlines()[-1] == "x" * 1000


def test_what_the_console_said_is_in_the_log(machine):
    booted(machine).shell("echo remembered", PATIENCE_S)
    assert b"DOM0 READY" in machine.log.read_bytes() and b"remembered" in machine.log.read_bytes()


def test_a_panic_ends_the_wait_and_is_shown(machine):
    machine.start(stand_in("panic"))
    with pytest.raises(MachineError, match="Kernel panic - not syncing: no init"):
        machine.wait("DOM0 READY", PATIENCE_S)
    assert not runs(machine)


@pytest.mark.parametrize("how", ["die", "vanish"])
def test_the_machine_s_death_ends_the_wait(machine, how):
    machine.start(stand_in(how))
    with pytest.raises(MachineError, match="its console was closed"):
        machine.wait("DOM0 READY", PATIENCE_S)


def test_what_is_typed_to_a_machine_that_is_gone_is_said_so(machine):
    machine.start(stand_in("vanish"))
    with pytest.raises(MachineError, match="its console was closed"):
        machine.shell("echo late", PATIENCE_S)


def test_what_never_comes_is_an_error_that_says_where_to_look(machine):
    booted(machine)
    with pytest.raises(MachineError, match=r"DOM0 GONE: nothing after 0 s; the end of .*m\.log"):
        machine.wait("DOM0 GONE", 0.2)
    assert not runs(machine)


def test_a_qemu_that_refuses_is_quoted(machine):
    with pytest.raises(MachineError, match="qemu: no such machine"):
        machine.start(stand_in("refuse"))


def test_an_error_of_qmp_is_an_answer(machine):
    machine.start(stand_in("boot"))
    assert machine.qmp("nonsense") == {"error": {"desc": "no such command"}}


def test_nothing_is_left_after_its_end(machine):
    machine.start(stand_in("boot"))
    state = json.loads(machine.state.read_text())
    assert machine.alive()
    machine.end()
    assert not pathlib.Path(state["sockets"]).exists() and not machine.state.exists()
    machine.end()


def test_two_may_end_it_at_once(machine, tmp_path, monkeypatch):
    """An interrupted check ends its machines beside the parts that end their own."""
    machine.start(stand_in("boot"))
    rmtree = shutil.rmtree

    def beside(path, **options):
        rmtree(path, **options)
        Machine("m", tmp_path).state.unlink()

    with monkeypatch.context() as patched:
        patched.setattr("machine.shutil.rmtree", beside)
        machine.end()
    assert not machine.alive()
    machine.end()


def test_a_machine_that_runs_is_not_started_again(machine):
    machine.start(stand_in("boot"))
    with pytest.raises(MachineError, match="runs already"):
        machine.start(stand_in("boot"))


def test_a_machine_that_was_not_started_says_so(machine):
    with pytest.raises(MachineError, match="m was not started"):
        machine.shell("true", PATIENCE_S)


def test_the_shared_folder_has_today_s_experiments_only(tmp_path):
    (tmp_path / "old.txt").write_text("old")
    names = {path.name for path in share(tmp_path).iterdir()}
    assert names == {path.name for path in (HERE.parent / "dom0").glob("*.sh")} and "lib.sh" in names


def test_xen_is_given_its_scheduler_and_counts_time_in_instructions(tmp_path):
    words = xen("sched=credit2", tmp_path)
    assert words[words.index("-append") + 1].endswith("noreboot sched=credit2")
    assert "-icount" in words and f"{LAB}/img/dom0.cpio.gz" in words[words.index("-initrd") + 1]
    assert f"path={tmp_path}," in words[words.index("-virtfs") + 1]


def test_the_experiments_are_shell_that_parses():
    for script in [*(HERE.parent / "dom0").iterdir(), HERE.parent / "guest" / "init", HERE.parent / "guest" / "balloon-init"]:
        subprocess.run(["sh", "-n", script], check=True)


def test_check_says_in_one_line_what_lacks(tmp_path):
    done = subprocess.run([sys.executable, HERE.parent / "check"], env={"PATH": str(tmp_path)}, capture_output=True, text=True,
                          check=False)
    assert done.returncode == 2 and len(done.stderr.splitlines()) == 1
    assert "not installed: qemu-system-x86 mmdebstrap" in done.stderr and "apt-get install" in done.stderr


@pytest.mark.parametrize("option", ["--at-once", "--kills", "--evaluations"])
@pytest.mark.parametrize("value", ["0", "-1", "many"])
def test_check_refuses_a_number_that_is_none(option, value):
    done = subprocess.run([sys.executable, HERE.parent / "check", option, value], capture_output=True, text=True, check=False)
    assert done.returncode == 2 and done.stderr.splitlines()[-1] == f"check: error: argument {option}: expected a whole number of 1 or more, got '{value}'"


def test_an_unknown_word_is_answered_with_the_usage():
    done = subprocess.run([HERE.parent / "machine", "dance", "x"], capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "machine xen NAME" in done.stdout


def load_check(lab, monkeypatch):
    """The program `check` as a module, with a directory of its own."""
    path = HERE.parent / "check"
    check = importlib.util.module_from_spec(importlib.util.spec_from_loader("check", importlib.machinery.SourceFileLoader("check", str(path))))
    check.__spec__.loader.exec_module(check)
    monkeypatch.setattr(check, "LAB", lab)
    return check


def test_parts_run_side_by_side_in_folders_of_their_own_and_one_that_fails_stops_no_other(tmp_path, monkeypatch, capsys):
    check = load_check(tmp_path, monkeypatch)
    both = threading.Barrier(2)

    def part(name, error=None):
        def way(out):
            both.wait(PATIENCE_S)
            (out / f"{name}.txt").write_text(f"{(out / 'lib.sh').exists()}")
            if error:
                raise error
        return way

    monkeypatch.setattr(check, "ways", lambda options: {"a": part("1-a", MachineError("it died")), "b": part("2-b"), "c": part("3-c")})
    check.run_all(["a", "b"], SimpleNamespace(at_once=2))
    assert {path.name: path.read_text() for path in check.results_in(tmp_path / "out")} == {"1-a.txt": "True", "2-b.txt": "True"}
    assert not [path for path in (tmp_path / "out").iterdir() if path.is_dir()]
    assert "check-xen: a: error: it died" in capsys.readouterr().err


def test_an_interrupted_check_ends_its_machines_and_no_other(tmp_path, monkeypatch):
    check = load_check(tmp_path, monkeypatch)
    begun = threading.Event()
    ended = {"b-one": threading.Event(), "b-late": threading.Event()}
    names = []

    class Stands:
        def __init__(self, name):
            self.name = name

        def end(self):
            signal.raise_signal(signal.SIGINT)      # an impatient user's second Ctrl-C
            names.append(self.name)
            state(self.name).unlink()
            ended[self.name].set()

    def state(name):
        return tmp_path / "run" / f"{name}.json"

    def interrupted(_):
        begun.wait(PATIENCE_S)
        raise KeyboardInterrupt

    def two_machines(_):
        begun.set()
        ended["b-one"].wait(PATIENCE_S)
        state("b-late").write_text("{}")     # it was being started meanwhile
        ended["b-late"].wait(PATIENCE_S)

    monkeypatch.setattr(check, "Machine", Stands)
    monkeypatch.setattr(check, "ways", lambda options: {"a": interrupted, "b": two_machines})
    (tmp_path / "run").mkdir()
    for name in ("b-one", "x"):
        state(name).write_text("{}")
    with pytest.raises(KeyboardInterrupt):
        check.run_all(["a", "b"], SimpleNamespace(at_once=2))
    assert names == ["b-one", "b-late"] and state("x").exists()
