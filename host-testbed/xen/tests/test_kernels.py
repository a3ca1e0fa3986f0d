# SPDX-License-Identifier: Apache-2.0
"""The guests' kernels come to their end however their threads wait for each other, and refuse what they cannot run."""

import pathlib
import re
import subprocess
import threading
import time

import pytest

SOURCE = pathlib.Path(__file__).resolve().parent.parent / "guest" / "kernels.c"
PARTNERS = ["cg", "lu", "sp", "bt", "mg", "ft"]
PATIENCE_S = 60


@pytest.fixture(scope="module")
def kernels(tmp_path_factory):
    program = tmp_path_factory.mktemp("kernels") / "kernels"
    subprocess.run(["gcc", "-O2", "-Wall", "-Wextra", "-Werror", "-pthread", "-o", program, SOURCE, "-lm"], check=True)
    return program


def lines_until_sum(program, *words):
    """What it prints up to its SUM; it keeps a CPU busy for as long as it is there."""
    with subprocess.Popen([program, *words], stdout=subprocess.PIPE, text=True) as running:
        patience = threading.Timer(PATIENCE_S, running.kill)
        patience.start()
        try:
            lines = []
            for line in running.stdout:
                lines.append(line.strip())
                if line.startswith("SUM "):
                    break
            return lines
        finally:
            patience.cancel()
            running.kill()


# (16 threads asleep only: those that turn would take turns on this machine's CPUs for minutes)
@pytest.mark.parametrize("threads, kernel", [("2", "ep"), ("2", "spin"), ("3", "block"), *[("4", name) for name in PARTNERS],
                                             *[("16", f"{name}-block") for name in PARTNERS]])
def test_each_comes_to_its_end_and_sums_up(kernels, threads, kernel):
    lines = lines_until_sum(kernels, kernel, threads, "20", "30", "2")
    assert len(lines) == 3 and all(line.startswith(f"RES {kernel} rep {run} ") for run, line in enumerate(lines[:2]))
    seconds = [float(line.split()[4]) for line in lines[:2]]
    mean, deviation = map(float, re.fullmatch(rf"SUM {kernel} mean (\S+) sd (\S+) cv \d+\.\d+", lines[2]).groups())
    assert mean == pytest.approx(sum(seconds) / 2, abs=0.001)
    assert deviation == pytest.approx(abs(seconds[0] - seconds[1]) / 2 ** 0.5, abs=0.001)


def test_one_begins_when_it_shall_and_ends_after_its_sum(kernels):
    begin = time.monotonic() + 1
    done = subprocess.run([kernels, "ep", "2", "20", "30", "2", str(begin)], capture_output=True, text=True, timeout=PATIENCE_S, check=True)
    assert time.monotonic() >= begin and [line.split()[0] for line in done.stdout.splitlines()] == ["RES", "RES", "SUM"]


def test_one_that_is_too_late_says_so(kernels):
    done = subprocess.run([kernels, "cg-block", "4", "20", "30", "2", "1"], capture_output=True, text=True, timeout=PATIENCE_S, check=True)
    assert re.match(r"LATE cg-block by \d+\.\d+ s\n", done.stdout) and "SUM cg-block " in done.stdout


@pytest.mark.parametrize("words", [[], ["ep"], ["ep", "0", "1", "1", "2"], ["ep", "65", "1", "1", "2"], ["ep", "2", "1", "1", "1"],
                                   ["is", "4", "1", "1", "2"], ["cg-spin", "4", "1", "1", "2"], ["cg-block2", "4", "1", "1", "2"], ["ep", "2", "1", "1", "2", "1", "1"],
                                   ["", "4", "1", "1", "2"], *[[name, count, "1", "1", "2"] for name in PARTNERS for count in ("1", "2", "8", "9")]],
                         ids=" ".join)
def test_what_it_cannot_run_is_one_line(kernels, words):
    done = subprocess.run([kernels, *words], capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    assert done.returncode == 2 and done.stdout == "" and re.fullmatch(r"usage: kernels [^\n]+\n", done.stderr)
