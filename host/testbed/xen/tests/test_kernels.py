# SPDX-License-Identifier: Apache-2.0
"""The guests' kernels come to their end however their threads wait for each other, and refuse what they cannot run."""

import contextlib
import pathlib
import re
import select
import subprocess
import threading

import pytest

SOURCE = pathlib.Path(__file__).resolve().parent.parent / "guest" / "kernels.c"
PARTNERS = ["cg", "lu", "sp", "bt", "mg", "ft"]
PATIENCE_S = 60


@pytest.fixture(scope="module")
def kernels(tmp_path_factory):
    program = tmp_path_factory.mktemp("kernels") / "kernels"
    subprocess.run(["gcc", "-O2", "-Wall", "-Wextra", "-Werror", "-pthread", "-o", program, SOURCE, "-lm"], check=True)
    return program


@contextlib.contextmanager
def running(*words):
    """A program whose input and output are pipes; it ends when its time is over, or with this."""
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        patience = threading.Timer(PATIENCE_S, process.kill)
        patience.start()
        try:
            yield process
        finally:
            patience.cancel()
            process.kill()


def lines_until_sum(program, *words):
    """What it prints up to its SUM; it keeps a CPU busy for as long as it is there."""
    with running(program, *words) as process:
        lines = []
        for line in process.stdout:
            lines.append(line.strip())
            if line.startswith("SUM "):
                break
        return lines


# (16 threads asleep only: those that turn would take turns on this machine's CPUs for minutes)
@pytest.mark.parametrize("threads, kernel", [("2", "ep"), ("2", "spin"), ("3", "block"), *[("4", name) for name in PARTNERS],
                                             *[("16", f"{name}-block") for name in PARTNERS]])
def test_each_comes_to_its_end_and_sums_up(kernels, threads, kernel):
    lines = lines_until_sum(kernels, kernel, threads, "20", "30", "2")
    assert len(lines) == 3 and all(line.startswith(f"RES {kernel} rep {run} ") for run, line in enumerate(lines[:2]))
    seconds = [float(line.split()[4]) for line in lines[:2]]
    mean, deviation = map(float, re.fullmatch(rf"SUM {kernel} mean (\S+) sd (\S+) cv \d+\.\d+", lines[2]).groups())
    half_a_millisecond = 0.000501    # its sums are rounded to milliseconds, its runs to microseconds
    assert mean == pytest.approx(sum(seconds) / 2, abs=half_a_millisecond)
    assert deviation == pytest.approx(abs(seconds[0] - seconds[1]) / 2 ** 0.5, abs=half_a_millisecond)


def test_kernels_one_after_another_begin_when_they_are_told(kernels):
    with running("sh", "-c", 'for one in ep cg-block; do "$0" $one 4 20 30 2 told; done', kernels) as process:
        for name in ("ep", "cg-block"):
            assert process.stdout.readline() == f"READY {name}\n"
            assert not select.select([process.stdout], [], [], 0.3)[0]      # nothing begins by itself
            process.stdin.write("go\n")
            process.stdin.flush()
            assert [process.stdout.readline().split()[:2] for _ in range(3)] == [["RES", name], ["RES", name], ["SUM", name]]
        assert process.stdout.read() == "" and process.wait() == 0


def test_one_that_nobody_can_tell_says_so(kernels):
    done = subprocess.run([kernels, "ep", "2", "20", "30", "2", "told"], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=PATIENCE_S, check=False)
    assert done.returncode == 1 and done.stdout == "READY ep\n"
    assert done.stderr == "kernels: ep was not told to begin: its standard input has ended\n"


@pytest.mark.parametrize("words", [[], ["ep"], ["ep", "0", "1", "1", "2"], ["ep", "65", "1", "1", "2"], ["ep", "2", "1", "1", "1"],
                                   ["is", "4", "1", "1", "2"], ["cg-spin", "4", "1", "1", "2"], ["cg-block2", "4", "1", "1", "2"], ["ep", "2", "1", "1", "2", "1"], ["ep", "2", "1", "1", "2", "told", "1"],
                                   ["", "4", "1", "1", "2"], *[[name, count, "1", "1", "2"] for name in PARTNERS for count in ("1", "2", "8", "9")]],
                         ids=" ".join)
def test_what_it_cannot_run_is_one_line(kernels, words):
    done = subprocess.run([kernels, *words], capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    assert done.returncode == 2 and done.stdout == "" and re.fullmatch(r"usage: kernels [^\n]+\n", done.stderr)
