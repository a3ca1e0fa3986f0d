# SPDX-License-Identifier: Apache-2.0
"""Fixtures: the testbed's command, and testbeds that are gone again after each test."""

import glob
import json
import os
import pathlib
import shlex
import subprocess
import sys
import time

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

PATIENCE_S = 600


class Bed:
    """One testbed directory, driven through bin/testbed as a user would."""

    def __init__(self, directory):
        self.dir = directory

    def __call__(self, verb, *words, check=None):
        result = subprocess.run([ROOT / "bin" / "testbed", verb, "--dir", self.dir, *words], capture_output=True,
                                text=True, timeout=PATIENCE_S)
        if check is not None:
            assert result.returncode == check, result.stdout + result.stderr
        return result

    def up(self, *words, check=0):
        """TESTBED_UP may hold further options, for example another --httpd."""
        return self("up", *shlex.split(os.environ.get("TESTBED_UP", "")), *words, check=check)

    @property
    def state(self):
        return json.loads((self.dir / "testbed.json").read_text())

    def pid(self, service):
        return self.state["processes"][service]["pid"]


@pytest.fixture
def bed(tmp_path):
    bed = Bed(tmp_path / "bed")
    yield bed
    bed("down", "--all", check=0)
    assert not leftovers(tmp_path), "down left something behind"


def leftovers(directory):
    """Processes whose command line names the directory (or where it really is), and cgroups of it."""
    from testbed.layout import layout_of
    name = layout_of(directory / "bed").name
    found = processes_of(directory) + glob.glob(f"/sys/fs/cgroup/**/{name}-*", recursive=True)     # others' come and go meanwhile
    found += [str(p) for p in pathlib.Path("/var/tmp").glob(name)]
    return found


def processes_of(directory):
    """Command lines that name the testbed in the directory."""
    from testbed.layout import layout_of
    name = layout_of(directory / "bed").name
    found = []
    for entry in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        try:
            text = entry.read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if name in text or str(directory / "bed") in text and int(entry.parent.name) != os.getpid():
            found.append(text)
    return found


def await_true(condition, what, patience_s=180):
    deadline = time.monotonic() + patience_s
    while not condition():
        assert time.monotonic() < deadline, f"never came true: {what}"
        time.sleep(0.02)
