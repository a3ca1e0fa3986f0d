# SPDX-License-Identifier: Apache-2.0
"""A whole compare on a real testbed in its shortest form: IC² off and IC² with the ladder beside LLCProbe, what it gains, the
report, and that an interrupt leaves nothing behind. Takes some minutes; needs root, like the testbed."""

import csv
import json
import pathlib
import signal
import subprocess

import pages
import pytest
from conftest import ONE_AT_A_TIME, TRAIN

PATIENCE_S = 1200
FILES = ["report.html", "periods.csv", "quiet.csv", "machine.csv", "freshness.csv", "summary.json", "summary.md"]
TARGET = "100ms"    # with one that is never reached the agent does nothing, and the test of what it gains fails
TRIES = 3
HALF = 0.5  # of the response time without IC²; on an idle machine a tenth is left
SHORTEST = ("--on", "12s", "--off", "15s", "--first-half", "5s", "--run", "30s")
# on a machine that others use many a sample is not learned from, and detection takes a while
PATIENT = ("--on", "40s", "--off", "45s", "--first-half", "20s", "--run", "90s")
TOO_BUSY = "This machine was too busy to measure"

pytestmark = pytest.mark.xdist_group(ONE_AT_A_TIME)


def command(bed, out, times=SHORTEST, *words):
    return [*TRAIN, "compare", "--testbed", bed.dir, "--out", out, "--arms", "off,ladder", "--neighbour", "llcprobe", *times,
            "--interval", "500ms", "--target", TARGET, *words]


def at_baseline(bed):
    lines = (bed.dir / "tunables.conf").read_text().splitlines()
    return {"MaxRequestWorkers 240", "KeepAliveTimeout 1", "ReconfigureVariable MITIGATION 0"} <= set(lines)


def test_interrupted_and_resumed_it_measures_both_arms_and_reports(bed, tmp_path):
    out = tmp_path / "compare"
    broken = subprocess.Popen(command(bed, out), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    for line in broken.stderr:
        if "neighbour off" in line:
            broken.send_signal(signal.SIGINT)
            break
    _, told = broken.communicate(timeout=PATIENCE_S)
    assert broken.returncode in (1, 130)
    assert told.strip().splitlines() == ["ic2-train: interrupted; what was measured is kept, the same command goes on from there"]
    assert not bed.members("neighbour"), "the neighbour ended with the run"
    assert at_baseline(bed)
    assert "ended too early" in (out / "report.html").read_text()

    done = subprocess.run(command(bed, out), check=True, timeout=PATIENCE_S, capture_output=True, text=True)

    *outcome, path = done.stdout.strip().splitlines()
    assert outcome[0].startswith("Without IC²  users waited ") and any(line.startswith("With IC²     users waited ") for line in outcome)
    assert all(len(line) <= 80 for line in outcome) and not any("missing" in line for line in outcome)
    assert path == f"Report       {out / 'report.html'}"
    for line in ("neighbour ON for ", "neighbour ON: "):
        assert done.stderr.count(line) == 2, "one line when a phase begins, and one with its figures when it is over"
    periods = list(csv.DictReader((out / "periods.csv").open()))
    assert sorted(row["arm"] for row in periods) == ["ladder", "off"]
    for row in periods:
        assert row["cut"] == "false" and float(row["second_throughput"]) > 0 and float(row["second_cpu_per_operation"]) > 0
        assert (float(row["agent_memory"] or 0) > 0) == (row["arm"] == "ladder")
    assert len(list(csv.DictReader((out / "quiet.csv").open()))) == 2
    assert json.loads((out / "summary.json").read_text())["outcome"].startswith("Without IC²: users waited ")
    assert (out / "r1-llcprobe-ladder" / "journal.jsonl").stat().st_size > 0
    page = (out / "report.html").read_text()
    assert "<svg" in page and "src=" not in page and "NaN" not in page
    pages.is_fit_to_read(out / "report.html")
    assert not bed.members("neighbour") and at_baseline(bed)

    first = {name: (out / name).read_bytes() for name in FILES}
    for name in FILES:
        (out / name).unlink()
    again = subprocess.run([*TRAIN, "compare", "--again", "--out", out], check=True, capture_output=True, text=True)
    assert again.stdout == done.stdout
    assert {name: (out / name).read_bytes() for name in FILES} == first


def test_the_ladder_acts_and_users_wait_less_than_half_as_long_beside_the_neighbour(bed, tmp_path):
    """One that was disturbed, by the rule of compare, may be tried again; on a machine that did nothing else it must hold at once. A skip
    only where compare itself says each time that the agent could not learn."""
    bed("calibrate", "--quick", "--estimate")     # enough users that half a CPU is too little for them
    said = []
    for number in range(TRIES):
        out = tmp_path / f"compare-{number}"
        subprocess.run(command(bed, out, PATIENT, "--wait-for-quiet", "30s"), check=True, timeout=PATIENCE_S, capture_output=True, text=True)
        summary = json.loads((out / "summary.json").read_text())
        ladder, off = sorted(csv.DictReader((out / "periods.csv").open()), key=lambda row: row["arm"])
        waited = [float(row["second_interactive_response_time"]) for row in (off, ladder)]
        said.append((waited, ladder["reconfigurations"], summary["outcome"]))
        print(said[-1])
        if int(ladder["reconfigurations"]) >= 1 and waited[1] < HALF * waited[0]:
            return
        assert summary["machine"]["busy"], said
    if all(TOO_BUSY in outcome for *_, outcome in said):
        pytest.skip(said[-1][-1])
    pytest.fail(f"in none of {TRIES} tries, all disturbed, did it act and help: {said}")
