# SPDX-License-Identifier: Apache-2.0
"""Fixtures: a testbed of the tests' own, taken down in every case."""

import glob
import json
import os
import pathlib
import signal
import subprocess
import sys
import time

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
USERS = 60
ONE_AT_A_TIME = "one testbed at a time"     # the neighbour of another would be one of this too
CHEAPER = "OLIO_CPU_ROUNDS=1"   # pages of which a slow machine makes enough for a sample too
# Off the tier's CPU, where a process in no group of a testbed hardly gets a turn, and before what else the machine does; that not
# where it starts jobs inside the tier, which would come before its pages.
OFF_THE_TIER = ("taskset", "-c", "1", ROOT / "bin" / "ic2-train")
TRAIN = ("nice", "-n", "-19", *OFF_THE_TIER)

# a shell ignores SIGINT for what it starts in the background, nohup ignores SIGHUP, and all children would inherit that
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)


class Bed:
    """A running testbed in a directory of its own."""

    def __init__(self, directory):
        self.dir = directory

    def __call__(self, verb, *words):
        subprocess.run([ROOT / "bin" / "testbed", verb, "--dir", self.dir, *words], check=True)

    @property
    def state(self):
        return json.loads((self.dir / "testbed.json").read_text())

    def members(self, role):
        """Processes in the control group of `web` or `neighbour`."""
        return pathlib.Path(self.state["cgroups"][role]["join"][0], "cgroup.procs").read_text().split()


def pytest_configure(config):
    """SIGTERM ends the tests as Ctrl-C does: in order, so that no testbed is left."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)


@pytest.fixture(scope="session")
def bed(tmp_path_factory):
    """One for all tests: with few users and little data, because the tests look at what comes out, not at how fast."""
    if os.geteuid() != 0:
        pytest.skip("the testbed needs root")
    bed = Bed(tmp_path_factory.mktemp("training") / "bed")
    try:
        bed("up", "--load-first", "--users", str(USERS), "--scale", "0.1", "--set", CHEAPER)
        yield bed
    finally:
        bed("down", "--all")


@pytest.fixture
def others():
    """Four programs that use the CPUs, as other programs would."""
    child = subprocess.Popen(["stress-ng", "--cpu", "4", "--timeout", "1h"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                             start_new_session=True)
    try:
        children = pathlib.Path(f"/proc/{child.pid}/task/{child.pid}/children")
        await_true(lambda: len(children.read_text().split()) == 4, "stress-ng runs")
        yield
    finally:
        child.terminate()
        child.wait()


def leftovers(directory):
    """Processes whose command line names the directory or a testbed in it, and control groups of such a testbed."""
    sys.path.insert(0, str(ROOT))
    from testbed.layout import layout_of
    name = layout_of(directory / "testbed").name
    found = glob.glob(f"/sys/fs/cgroup/**/{name}-*", recursive=True)     # others' come and go meanwhile
    for entry in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        try:
            text = entry.read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if name in text or str(directory) in text:
            found.append(text)
    return found


def await_true(condition, what, patience_s=120):
    deadline = time.monotonic() + patience_s
    while not condition():
        assert time.monotonic() < deadline, f"never came true: {what}"
        time.sleep(0.05)
