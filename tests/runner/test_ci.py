# SPDX-License-Identifier: Apache-2.0
"""What CI runs, with a `make` of the test's own; what .ci/maven-test counts, with a Maven of the test's own;
and where .ci/first puts a command."""

import fcntl
import os
import pathlib
import pty
import shutil
import signal
import subprocess
import termios
import time

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PATIENCE_S = 120
REPORT = '<testsuite name="{0}" tests="{1}" errors="{2}" failures="{3}" skipped="{4}"/>'


@pytest.fixture
def ci(tmp_path):
    """ci(SCRIPT): .ci/run with a make that notes its targets in `made` and then runs the script."""
    def started(script):
        make = tmp_path / "make"
        make.write_text(f"#!/bin/sh\necho $1 >>{tmp_path}/made\n{script}\n")
        make.chmod(0o755)
        return subprocess.Popen([ROOT / ".ci" / "run"], env={**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"})

    return started


def made(tmp_path):
    file = tmp_path / "made"
    return file.read_text().split() if file.exists() else []


@pytest.mark.parametrize("script, status", [("exit 0", 0), ("[ $1 = test-packages ] || exit 2", 1), ("[ $1 = test ] || exit 2", 1)])
def test_ci_runs_both_and_is_red_if_one_is(ci, tmp_path, script, status):
    assert ci(script).wait(PATIENCE_S) == status
    assert made(tmp_path) == ["test", "test-packages"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_to_ci_reaches_what_runs_and_nothing_more_begins(ci, tmp_path, number):
    got = signal.Signals(number).name.removeprefix("SIG")
    process = ci(f"trap 'echo got-{got} >>{tmp_path}/made; exit 1' {got}; echo begun >>{tmp_path}/made; while :; do sleep 0.05; done")
    try:
        deadline = time.monotonic() + PATIENCE_S
        while "begun" not in made(tmp_path):
            assert time.monotonic() < deadline
            time.sleep(0.02)
        process.send_signal(number)
        assert process.wait(PATIENCE_S) == 128 + number
    finally:
        process.kill()
    assert made(tmp_path) == ["test", "begun", f"got-{got}"]


@pytest.fixture
def maven(tmp_path):
    """maven(SCRIPT): .ci/maven-test of a clone, with a Maven that is a script in its root."""
    root = tmp_path / "clone"
    (root / ".ci").mkdir(parents=True)
    command = shutil.copy(ROOT / ".ci" / "maven-test", root / ".ci")
    for module in ("one", "two/deep", "build/elsewhere"):
        (root / module / "target" / "surefire-reports").mkdir(parents=True)
    stale = root / "one" / "target" / "surefire-reports" / "TEST-Stale.xml"
    stale.write_text(REPORT.format("Stale", 100, 0, 0, 0))
    os.utime(stale, (1, 1))

    def run(script):
        (root / "mvn").write_text(f"#!/bin/sh\ncd {root}\n{script}\n")
        (root / "mvn").chmod(0o755)
        return subprocess.run([command, "test"], env={**os.environ, "MAVEN": f"{root}/mvn -x"}, capture_output=True, text=True)

    return run


def write(module, name, *numbers):
    return f"echo '{REPORT.format(name, *numbers)}' >{module}/target/surefire-reports/TEST-{name}.xml"


def test_java_tests_are_counted_over_all_modules_that_were_tested_now(maven):
    done = maven("\n".join([write("one", "A", 5, 0, 0, 1), write("two/deep", "B", 7, 0, 0, 0), write("build/elsewhere", "C", 50, 0, 0, 0)]))
    assert done.returncode == 0 and done.stdout.startswith("11 passed, 1 skipped in "), done.stdout + done.stderr


def test_a_red_maven_is_red_with_its_counts(maven):
    done = maven(write("one", "A", 5, 1, 2, 0) + "; exit 7")
    assert done.returncode == 7 and done.stdout.startswith("3 failed, 2 passed in ")


def test_java_tests_that_failed_are_named(maven):
    done = maven("echo '<testsuite tests=\"3\" failures=\"1\" errors=\"1\" skipped=\"0\"><testcase classname=\"a.B\" name=\"c\"><failure/></testcase>"
                 "<testcase classname=\"a.B\" name=\"d\"><error/></testcase><testcase classname=\"a.B\" name=\"e\"/></testsuite>' "
                 ">one/target/surefire-reports/TEST-B.xml")
    assert done.stdout.splitlines()[:2] == ["FAILED a.B::c", "FAILED a.B::d"] and done.stdout.splitlines()[2].startswith("2 failed, 1 passed in ")


def test_a_maven_without_tests_is_red(maven):
    done = maven("exit 0")
    assert done.returncode == 1 and done.stdout.startswith("no tests ran in ")


def test_a_red_module_does_not_keep_those_behind_it_from_being_tested(maven):
    done = maven(f'[ "$2" = -Dmaven.test.failure.ignore=true ] || exit 1\n{write("one", "A", 5, 0, 1, 0)}\n{write("two/deep", "B", 7, 0, 0, 0)}')
    assert done.returncode == 1 and done.stdout.startswith("1 failed, 11 passed in ")


def autogroup(**how):
    """What .ci/first makes of the kernel's group of a new session."""
    return subprocess.run([ROOT / ".ci" / "first", "cat", "/proc/self/autogroup"], start_new_session=True, capture_output=True,
                          text=True, check=True, **how).stdout.split()[-2:]


@pytest.mark.skipif(os.geteuid() != 0 or not pathlib.Path("/proc/self/autogroup").exists(), reason="needs root and the kernel's sched_autogroup")
def test_tests_that_are_told_by_time_come_first_and_a_terminal_keeps_its_place():
    if subprocess.run(["sh", "-c", "echo -1 >/proc/$$/autogroup"], start_new_session=True, stderr=subprocess.DEVNULL, check=False).returncode:
        pytest.skip("no right to raise a session")
    assert autogroup() == ["nice", "-10"]
    ours, theirs = pty.openpty()
    try:
        assert autogroup(preexec_fn=lambda: fcntl.ioctl(theirs, termios.TIOCSCTTY, 0)) == ["nice", "0"]
    finally:
        os.close(ours)
        os.close(theirs)


def test_commands_that_run_first_end_as_they_would_elsewhere():
    assert subprocess.run([ROOT / ".ci" / "first", "sh", "-c", "exit 7"], start_new_session=True, check=False).returncode == 7


def test_a_test_that_hangs_is_ended_and_named(tmp_path):
    """As the Makefile runs them: what a test waits for without a limit must not hold up all suites behind it."""
    (tmp_path / "test_it.py").write_text("import threading\n\n\ndef test_hangs():\n    threading.Event().wait()\n\n\ndef test_goes_on():\n    pass\n")
    (tmp_path / "Makefile").write_text(f"include {ROOT}/Makefile\nit:\n\t$(PYTEST) -n 1 test_it.py\n")
    done = subprocess.run(["make", "-s", "-C", tmp_path, "it", "PYTEST_TIMEOUT=3"], capture_output=True, text=True, timeout=PATIENCE_S)
    assert done.returncode == 2
    assert "1 failed, 1 passed" in done.stdout and "FAILED test_it.py::test_hangs - Failed: Timeout" in done.stdout, done.stdout


def test_the_makefile_sets_a_limit_of_its_own():
    makefile = "include Makefile\nit:\n\t@echo $$PYTEST_TIMEOUT\n"
    without = {name: value for name, value in os.environ.items() if name not in ("PYTEST_TIMEOUT", "MAKEFLAGS", "MAKELEVEL")}
    done = subprocess.run(["make", "-s", "-f", "-", "it"], input=makefile, cwd=ROOT, env=without, capture_output=True, text=True, check=True)
    assert 600 <= int(done.stdout) <= 1800
