# SPDX-License-Identifier: Apache-2.0
"""`make test` itself: a red suite, one that dies, one that says nothing, an interruption; and the suites that it knows."""

import contextlib
import importlib.machinery
import importlib.util
import os
import pathlib
import re
import shlex
import signal
import subprocess
import sys
import time

import pytest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE))

from schedule import count  # noqa: E402

PATIENCE_S = 120
GREEN = "echo '3 passed, 1 skipped, 2 warnings in 0.01s'"
RED = "echo 'FAILED a_test'; echo '=== 1 failed, 1 error, 2 passed in 0.01s ==='; exit 1"
SCRIPT = """\
import sys
sys.path.insert(0, {here!r})
from schedule import Part, Run
def part(name, script, **more):
    return Part(name, ("sh", "-c", script), **more)
sys.exit(Run([{phases}], {logs!r}, grace_s={grace_s}, silence_s={silence_s}).main())
"""


@pytest.fixture
def command(tmp_path):
    """command(PHASE...) -> the command that runs suites; a phase as Python writes it."""
    def made(*phases, grace_s=60, silence_s=60):
        script = tmp_path / "script.py"
        script.write_text(SCRIPT.format(here=str(HERE), phases=", ".join(phases), logs=str(tmp_path / "logs"), grace_s=grace_s,
                                        silence_s=silence_s))
        return [sys.executable, script]

    return made


@pytest.fixture
def run(command):
    def ended(*phases, **more):
        return subprocess.run(command(*phases, **more), capture_output=True, text=True, timeout=PATIENCE_S)

    return ended


def row(output, name):
    """A line of the table, as words."""
    table = output[output.index("\nsuite "):]
    return next(line.split() for line in table.splitlines() if line.startswith(name))


def await_true(condition, what):
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline, f"never came true: {what}"
        time.sleep(0.02)


def test_all_green_is_status_0_with_the_sum_in_the_last_line(run):
    done = run(f"([part('one', {GREEN!r}), part('two', {GREEN!r})], 2)", f"([part('three', {GREEN!r})], 1)")
    assert done.returncode == 0, done.stdout + done.stderr
    assert row(done.stdout, "three")[:4] == ["three", "3", "0", "1"]
    last = done.stdout.splitlines()[-1].split()
    assert last[:4] == ["together", "9", "0", "3"] and last[-2:] == ["all", "green"]


def test_a_red_suite_does_not_stop_the_rest(run):
    done = run(f"([part('bad', {RED!r}), part('good', {GREEN!r})], 1)", f"([part('later', {GREEN!r})], 1)")
    assert done.returncode == 1
    assert row(done.stdout, "bad")[:4] == ["bad", "2", "2", "0"] and "RED:" in row(done.stdout, "bad")
    for name in ("good", "later"):
        assert row(done.stdout, name)[:4] == [name, "3", "0", "1"] and "RED:" not in row(done.stdout, name)
    assert done.stdout.splitlines()[-1].endswith("1 red")
    assert "    FAILED a_test" in done.stdout.splitlines(), "the log's end is shown"


@pytest.mark.parametrize("script, why", [("true", "it printed no counts"), ("echo 'no tests ran in 0.01s'", "it printed no counts"),
                                         (f"{GREEN}; kill -9 $$", "killed by SIGKILL"), (f"{GREEN}; exit 3", "exit status 3"),
                                         ("echo '1 failed in 0.01s'", "exit status 0 in spite of failures")])
def test_a_suite_that_dies_or_says_nothing_is_red(run, script, why):
    done = run(f"([part('odd', {script!r}), part('good', {GREEN!r})], 1)")
    assert done.returncode == 1
    assert f"RED: {why}" in " ".join(row(done.stdout, "odd"))
    assert row(done.stdout, "good")[1] == "3"


def test_suites_of_a_failed_build_fail_without_a_run(run, tmp_path):
    mark = tmp_path / "ran"
    done = run("([part('build', 'exit 2', tests=False), part('on-it', 'true', tests=False, needs=frozenset(['build'])), "
               f"part('other', {GREEN!r})], 2)", f"([part('last', 'touch {mark}', needs=frozenset(['on-it']))], 1)")
    assert done.returncode == 1 and not mark.exists()
    assert "RED: not run, as on-it is red" in " ".join(row(done.stdout, "last"))
    assert "RED: exit status 2" in " ".join(row(done.stdout, "build"))
    assert row(done.stdout, "other")[1] == "3"


def test_no_more_run_at_once_than_may_and_none_before_what_it_follows(run, tmp_path):
    """Each notes begin and end; the first ones wait for each other."""
    log = tmp_path / "log"
    noting = "echo +{0} >>{1}; until [ $(grep -c + {1}) -ge 2 ]; do sleep 0.05; done; sleep 0.2; echo -{0} >>{1}; " + GREEN
    made = [f"part({name!r}, {noting.format(name, log)!r}{more})"
            for name, more in (("a", ""), ("b", ", after='a'"), ("c", ""), ("d", ""), ("e", ", needs=frozenset(['d'])"))]
    assert run(f"([{', '.join(made)}], 2)").returncode == 0
    events = log.read_text().split()
    running = [sum(1 if event[0] == "+" else -1 for event in events[:end]) for end in range(len(events))]
    assert max(running) == 2
    assert events.index("-a") < events.index("+b") and events.index("-d") < events.index("+e")


def test_each_suite_is_told_as_it_ends_and_what_runs_meanwhile(command, tmp_path):
    gate = tmp_path / "gate"
    slow = f"while [ ! -e {gate} ]; do sleep 0.05; done; {GREEN}"
    process = subprocess.Popen(command(f"([part('slow', {slow!r}), part('quick', {GREEN!r})], 2)", silence_s=0), text=True,
                               stdout=subprocess.PIPE)
    with process:
        assert re.match(r" *\d+:\d\d  quick +3 passed, 1 skipped, \d+ s$", process.stdout.readline())
        assert re.match(r" +running: slow \(0:\d\d\)$", process.stdout.readline())
        gate.touch()
        process.stdout.read()
    assert process.returncode == 0


def test_only_interactive_suites_have_the_terminal(run, tmp_path):
    """sudo asks for a password where its session is the terminal's; packages tell how far they are."""
    session = "cut -d' ' -f6 /proc/self/stat"
    asks = f"echo in $({session}); exit 1"
    done = run(f"([part('deps', {asks!r}, tests=False, terminal=True), part('quiet', {f'{session}; {GREEN}'!r})], 1)")
    assert f"in {os.getsid(0)}" in done.stdout.splitlines()
    assert "RED: exit status 1" in " ".join(row(done.stdout, "deps"))
    assert (tmp_path / "logs" / "quiet.log").read_text().split()[0] != str(os.getsid(0))


# A test's server as they are: in a session of its own, its parent gone; it says its pid, and does not listen to SIGTERM.
DAEMON = "setsid sh -c 'trap \"\" TERM INT; echo $$ >{0}.new; mv {0}.new {0}; while :; do sleep 1; done' & "


def alive(pid):
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    return False


@pytest.fixture
def interrupted(command, tmp_path):
    """interrupted(SIGNAL, SCRIPT, grace_s): status and output of a run with a server, which is signalled when all have begun."""
    def ended(number, script, grace_s, again=False):
        daemon, begun = tmp_path / "daemon", tmp_path / "begun"
        words = command(f"([part('server', {DAEMON.format(daemon) + 'wait'!r}), part('cleans', {script.format(begun=begun)!r})], 2)",
                        f"([part('later', {GREEN!r})], 1)", grace_s=grace_s)
        process = subprocess.Popen(words, text=True, stdout=subprocess.PIPE)
        with process:
            try:
                await_true(lambda: daemon.exists() and begun.exists(), "all have begun")
                process.send_signal(number)
                while again and process.poll() is None:
                    time.sleep(1.5)     # one within a second is taken for make's copy of the first
                    process.send_signal(number)
                output, _ = process.communicate(timeout=PATIENCE_S)
            finally:
                process.kill()
        pid = int(daemon.read_text())
        left = alive(pid)
        if left:
            os.kill(pid, signal.SIGKILL)
        assert not left, "the server still runs"
        return process.returncode, output

    return ended


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_lets_suites_clean_up_and_leaves_nothing_running(interrupted, tmp_path, number):
    cleaned = tmp_path / "cleaned"
    script = f"trap 'echo cleaned >{cleaned}; exit 2' INT; touch {{begun}}; while :; do sleep 0.1; done"
    status, output = interrupted(number, script, grace_s=3)
    assert status == 128 + number
    assert cleaned.exists(), "the suite was interrupted as by Ctrl-C"
    assert "RED: interrupted" in " ".join(row(output, "cleans"))
    assert row(output, "later") == ["later", "not", "run"]
    assert output.endswith("Interrupted; nothing is left running.\n")


def test_a_second_signal_does_not_wait_for_the_suites(interrupted):
    status, _ = interrupted(signal.SIGTERM, "trap '' INT TERM; touch {begun}; while :; do sleep 0.1; done", grace_s=1e6, again=True)
    assert status == 128 + signal.SIGTERM


def test_a_server_that_a_suite_leaves_is_told_and_ended(run, tmp_path):
    daemon = tmp_path / "daemon"
    waiting = f"while [ ! -e {daemon} ]; do sleep 0.05; done; {GREEN}"
    done = run(f"([part('leaves', {DAEMON.format(daemon) + waiting!r})], 1)")
    pid = int(daemon.read_text())
    assert f"Left running by the tests, and ended now: sh ({pid})" in done.stdout
    assert not alive(pid)


def test_signals_that_the_caller_ignores_are_not_ignored_by_suites(command):
    """A shell ignores SIGINT for what it starts in the background, and tests start servers that are told to end by it."""
    script = f"grep -E 'Sig(Ign|Blk)' /proc/self/status; {RED}"     # a red one's log is shown
    words = command(f"([part('masks', {script!r})], 1)")
    done = subprocess.run(["sh", "-c", f"trap '' INT HUP; exec {shlex.join(map(str, words))}"], capture_output=True, text=True,
                          timeout=PATIENCE_S)
    masks = [int(mask, 16) for mask in re.findall(r"Sig(?:Ign|Blk):\s+([0-9a-f]+)", done.stdout)]
    assert len(masks) == 2
    assert not any(mask & (1 << signal.SIGINT - 1 | 1 << signal.SIGHUP - 1 | 1 << signal.SIGTERM - 1) for mask in masks)


def test_counts_are_those_of_all_summaries_in_a_log():
    log = ("....\n12 passed in 1.00s\n  9 failed in 1.00s\nfound 5 passed\n"
           "============ 1 failed, 2 passed, 3 skipped, 4 deselected, 5 xfailed, 6 xpassed, 7 warnings, 8 errors in 61.23s (0:01:01) ====\n")
    assert count(log) == {"passed": 20, "failed": 9, "skipped": 8}
    assert count("1 skipped in 0.1s\n") == {"passed": 0, "failed": 0, "skipped": 1}
    assert count("1 deselected in 0.1s\n") == count("no tests ran in 0.01s\n") == {}


def test_the_tests_that_failed_are_named_above_the_table(run):
    script = "printf 'FAILED tests/a.py::test_one[x - y] - assert 1\\nERROR org.A::two()\\nFAILED is no test\\n2 failed in 0.1s\\n'; exit 1"
    done = run(f"([part('bad', {script!r}), part('good', {GREEN!r})], 1)")
    assert [line for line in done.stdout.splitlines() if line.startswith("failed: ")] == [
        "failed: bad: tests/a.py::test_one[x - y] - assert 1", "failed: bad: org.A::two()"]
    assert done.stdout.index("failed: bad") < done.stdout.index("\nsuite ")


@pytest.fixture(scope="module")
def front_door():
    loader = importlib.machinery.SourceFileLoader("front_door", str(HERE / "run"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("front_door", loader))
    loader.exec_module(module)
    return module


def test_every_target_that_tests_is_run_or_told_as_left_out(front_door):
    makefile = (ROOT / "Makefile").read_text()
    targets = set(re.findall(r"^((?:test|check)-[a-z0-9-]+|fuzz):", makefile, re.MULTILINE))
    run = {*front_door.BESIDE_BUILDS, *front_door.SIDE_BY_SIDE, *front_door.ALONE, *front_door.ASIDE}
    left_out = {name.partition(" ")[0] for name in front_door.NOT_IN_IT}
    assert run | left_out == targets and not run & left_out


def test_a_suite_needs_what_the_makefile_says(front_door):
    needs = front_door.prerequisites((ROOT / "Makefile").read_text())
    assert needs["test-httpd"] == {"deps", "httpd", "httpd-stock", "wordpress"}
    assert needs["test-host"] == {"deps", "java"}
    assert needs["deps"] == frozenset()
    names = {*front_door.BUILDS, *front_door.BESIDE_BUILDS, *front_door.SIDE_BY_SIDE, *front_door.ALONE, *front_door.ASIDE}
    assert names <= set(needs)
    command = next(front_door.parts(["limiter"], needs)).command
    assert "limiter" in command and command[command.index("limiter") - 1] != "-o"
    assert command[command.index("httpd") - 1] == "-o"


def test_the_makes_variables_reach_the_suites_and_its_options_do_not(front_door, monkeypatch):
    monkeypatch.setenv("MAKEFLAGS", " -j8 --jobserver-auth=3,4 -- MAVEN=mvn\\ -o")
    monkeypatch.setenv("MAKELEVEL", "1")
    environment = front_door.environment()
    assert environment["MAKEFLAGS"] == " -- MAVEN=mvn\\ -o" and "MAKELEVEL" not in environment
    made = subprocess.run(["make", "-s", "-f", "-"], env=environment, input="all:\n\t@echo '$(MAVEN)'\n", capture_output=True, text=True)
    assert made.stdout == "mvn -o\n"
    monkeypatch.setenv("MAKEFLAGS", "j8 --jobserver-auth=3,4")
    assert "MAKEFLAGS" not in front_door.environment()
