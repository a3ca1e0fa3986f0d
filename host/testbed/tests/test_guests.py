# SPDX-License-Identifier: Apache-2.0
"""The guests and the workloads themselves."""

import json
import pathlib
import subprocess
import sys

import pytest

from conftest import ROOT, await_true
from guests import find_mounts

MEMACCESS = ROOT / "host" / "testbed" / "memaccess.py"


def test_what_runs_in_a_guest_is_counted_there_and_ends_with_it(guests):
    web, idle = guests.add("web"), guests.add("idle")
    burner = web.burn(100)
    await_true(lambda: web.cpu_seconds() > 0.2, "a burner's CPU time is counted")
    assert idle.cpu_seconds() < 0.1
    web.remove()
    assert burner.wait(60) != 0
    assert not any(directory.exists() for directory in web.directories)


def ended(pid):
    """Whether a process is gone, or dead and not waited for yet."""
    try:
        return not pathlib.Path(f"/proc/{pid}/cmdline").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return True


def test_an_experiment_that_is_told_to_end_leaves_no_group_and_no_process():
    script = ("import time; from guests import Guests\n"
              "with Guests() as guests:\n    print(guests.name, guests.add('web').burn(1).pid, flush=True); time.sleep(600)")
    experiment = subprocess.Popen([sys.executable, "-c", script], cwd=ROOT / "host" / "testbed", stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL, text=True)
    with experiment:
        name, burner = experiment.stdout.readline().split()
        assert pathlib.Path(f"/proc/{burner}").exists()
        experiment.terminate()
    assert not [mount for mount in find_mounts().values() if (mount / name).exists()]
    assert ended(burner)


@pytest.mark.parametrize("kind", ["file", "anonymous"])
def test_memaccess_serves_from_a_heap_that_grows_and_shrinks(guests, tmp_path, kind):
    web = guests.add("web")
    words = ["--file", str(tmp_path / "heap")] if kind == "file" else []
    server = web.run(sys.executable, MEMACCESS, "--cpu-ms", "0.5", *words, stdin=subprocess.PIPE,
                     stdout=subprocess.PIPE, text=True)
    try:
        sizes = []
        for megabytes in (20, 60, 10):
            server.stdin.write(f"0.5 50 {megabytes}\n")
            server.stdin.flush()
            answer = json.loads(server.stdout.readline())
            assert answer["requests"] > 0 and answer["mean"] >= 0.5
            sizes.append(web.memory()[0] >> 20)
        assert sizes[1] > sizes[0] + 30
        if kind == "anonymous":
            assert sizes[2] < sizes[1] - 30, "given back"
        server.stdin.close()
        assert server.wait(60) == 0
    finally:
        server.kill()
        server.wait()
        server.stdout.close()
    assert not list(pathlib.Path(tmp_path).glob("heap*"))


def test_the_knee_is_where_the_heap_no_longer_fits(guests, tmp_path):
    """J, figures 2 and 3, by the counter of major faults: none while the heap fits, and some a request when not."""
    web = guests.add("web")
    disk = ROOT / "build"
    disk.mkdir(exist_ok=True)
    heap = disk / f"heap-{guests.name}"     # not on tmpfs, whose pages need swap
    server = web.run(sys.executable, MEMACCESS, "--cpu-ms", "0.1", "--file", str(heap), stdin=subprocess.PIPE,
                     stdout=subprocess.PIPE, text=True)

    def faults_by_request(limit):
        web.limit(limit)
        before = web.major_faults()
        server.stdin.write("1 100 80\n")
        server.stdin.flush()
        requests = json.loads(server.stdout.readline())["requests"]
        return (web.major_faults() - before) / requests

    try:
        faults_by_request(None)
        assert faults_by_request(200) < 1
        assert faults_by_request(40) > 10
        server.stdin.close()
        assert server.wait(60) == 0
    finally:
        server.kill()
        server.wait()
        server.stdout.close()
        for left in disk.glob(heap.name + ".*"):
            left.unlink()
