# SPDX-License-Identifier: Apache-2.0
"""A part dies in the middle of a run: errors are counted, nothing hangs, the testbed says what died and cleans up."""

import contextlib
import os
import signal
import subprocess
import time

import pytest

from conftest import ROOT, await_true
from test_life import family, get
from testbed import calibrate

pytestmark = [
    pytest.mark.skipif(os.geteuid() != 0, reason="the testbed makes cgroups and must run as root"),
    pytest.mark.skipif(not (ROOT / "faban-drivers/runtime/target/ic2-load.jar").exists(),
                       reason="ic2-load is not built: mvn -pl faban-drivers/runtime -am package"),
]

STEADY_S = 10
LONGEST_S = 600  # ramps, start of a JVM, and a time-out of the load on top, on a slow machine


class Load:
    """bin/ic2-load on the testbed, one line of statistics a second."""

    def __init__(self, bed, out, steady_s):
        self.out = out
        self.steady_s = steady_s
        self.process = subprocess.Popen(
            [ROOT / "bin" / "testbed", "load", "--dir", bed.dir, "--users", "20", "--ramp-up", "2s", "--steady",
             f"{steady_s}s", "--ramp-down", "1s", "--runtime-stats", "1s", "--out", out],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def rows(self):
        file = self.out / "intervals.csv"
        return calibrate.read_intervals(file.read_text()) if file.exists() else []

    def await_steady(self):
        await_true(lambda: any(r["phase"] == "steady" for r in self.rows()), "the steady state")

    def end(self):
        """(standard output and error, seconds until it ended)."""
        begin = time.monotonic()
        out, err = self.process.communicate(timeout=LONGEST_S + self.steady_s)
        return out + err, time.monotonic() - begin


@pytest.fixture
def load(bed, tmp_path, request):
    service = request.node.callspec.params.get("service") if hasattr(request.node, "callspec") else None
    begun = time.monotonic()
    bed.up("--scale", "0.1", "--db", "mariadb" if service == "database" else "sqlite")
    # the slower the machine is, the longer the load goes on: the part has to die, and users to notice, before it ends
    load = Load(bed, tmp_path / "load", round(max(STEADY_S, 2 * (time.monotonic() - begun))))
    load.await_steady()
    yield load
    if load.process.poll() is None:
        load.process.kill()
        load.process.communicate()


def kill(pid):
    """With its descendants; stopped first, so that it starts no more of them."""
    os.kill(pid, signal.SIGSTOP)
    for member in family(pid):
        with contextlib.suppress(ProcessLookupError):
            os.kill(member, signal.SIGKILL)


@pytest.mark.parametrize("service, status", [("php-fpm", 503), ("database", 503), ("httpd", None)])
def test_a_part_that_dies_mid_run_becomes_counted_errors_and_no_hang(bed, load, service, status):
    kill(bed.pid(service))
    before = len(load.rows())
    text, seconds = load.end()
    after = load.rows()[before + 1:]
    assert seconds < LONGEST_S + load.steady_s
    assert after[-1]["phase"] == "ramp_down", "the load went on to its planned end"
    steady = [r for r in after if r["phase"] == "steady"]
    assert sum(r["errors"] for r in steady) > 0
    assert sum(r["throughput"] for r in steady) < 0.2 * sum(r["errors"] for r in steady) + 20
    assert all(not r["leaks"] for r in load.rows())
    assert " 0 errors" not in text and "errors" in text
    if status:
        assert get(bed.state["urls"]["http"])[0] == status
    assert f"not running: {service}" in bed("status", check=1).stdout
    assert bed("down", check=0).stdout.startswith("down")


def test_a_load_that_dies_leaves_its_lines_and_the_testbed_unharmed(bed, load):
    load.process.kill()
    load.process.communicate()
    assert all(r["errors"] == 0 for r in load.rows()) and load.rows()
    assert get(bed.state["urls"]["http"])[0] == 200
    assert bed("status", check=0)


def test_an_experiment_that_is_ended_takes_its_load_and_neighbour_with_it(bed):
    bed.up("--scale", "0.1", "--db", "sqlite")
    out = bed.dir / "results" / "effect" / "1"
    process = subprocess.Popen([ROOT / "bin" / "testbed", "measure", "--dir", bed.dir, "effect"],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    await_true(lambda: (out / "neighbour.csv").exists(), "the neighbour's log")
    children = family(process.pid)[1:]
    assert len(children) >= 2
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=LONGEST_S)
    assert process.returncode == 1 and "interrupted" in err and "Traceback" not in err
    await_true(lambda: not any(os.path.exists(f"/proc/{pid}") for pid in children), "the end of all that it had started")
    assert get(bed.state["urls"]["http"])[0] == 200
