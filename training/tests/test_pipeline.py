# SPDX-License-Identifier: Apache-2.0
"""The whole training on a real testbed in its shortest form: three phases, the judgement, the report; and that it goes
on where it was broken off. Needs root, like the testbed."""

import csv
import json
import pathlib
import signal
import subprocess
import time

import pytest
from conftest import ONE_AT_A_TIME, ROOT, TRAIN

pytestmark = pytest.mark.xdist_group(ONE_AT_A_TIME)
PATIENCE_S = 3600
SOME_SAMPLES = 5
#: However small the scale, a phase of the neighbour lasts for 28 samples: from 20 what is normal is learned, and a machine that
#: stands still for a second or two may miss some. Each needs ten requests, on a slow machine too.
SHORTEST = ("--scale", "0.0001", "--interval", "300ms")


def pipeline(bed, out):
    return [*TRAIN, "pipeline", "--testbed", bed.dir, "--out", out, *SHORTEST]


def lines(file):
    return file.read_text().count("\n") if file.exists() else 0


def break_off(bed, out):
    """Starts the pipeline and ends it while its first run is being measured."""
    run = out / "phase-1" / "phase-1-1"
    broken = subprocess.Popen(pipeline(bed, out), stderr=subprocess.PIPE, text=True)
    try:
        deadline = time.monotonic() + PATIENCE_S
        while lines(run / "neighbour.csv") < 1 or not (run / "begun.json").exists():
            assert broken.poll() is None and time.monotonic() < deadline, broken.stderr.read()
            time.sleep(0.05)
        recorded = lines(run / "recording.csv")
        while lines(run / "recording.csv") < recorded + SOME_SAMPLES:
            assert broken.poll() is None and time.monotonic() < deadline, broken.stderr.read()
            time.sleep(0.05)
    finally:
        broken.send_signal(signal.SIGTERM)
        said = broken.communicate(timeout=PATIENCE_S)[1]
    assert broken.returncode != 0
    assert "interrupted" in said
    assert json.loads((run / "run.json").read_text())["facts"]["broken"]


def test_interrupted_and_resumed_it_makes_a_tree_and_a_report(bed, tmp_path):
    out = tmp_path / "pipeline"
    bed("calibrate", "--quick", "--estimate")    # a fast machine has CPU to spare for a few users: a neighbour would do them too little harm to be judged
    break_off(bed, out)
    assert not bed.members("neighbour"), "the neighbour ended with the run"

    subprocess.run(pipeline(bed, out), check=True, timeout=PATIENCE_S)
    assert not bed.members("neighbour")

    kept = list(csv.DictReader((out / "phase-1" / "phase-1-1-broken-1" / "samples.csv").open()))
    assert kept, "nothing measured is lost"
    tree = json.loads((out / "classifier.json").read_text())
    assert tree["tree"] and "dcopy" in tree["provenance"]["neighbours"]
    assert "llcprobe" not in tree["provenance"]["neighbours"], "held out"
    page = (out / "report.html").read_text()
    assert "scale 1.0E-4" in page and "<svg" in page and "src=" not in page
    figures = list(csv.DictReader((out / "figures.csv").open()))
    assert {row["attributes"] for row in figures} == {"paper", "relative", "extended"}
    for kind in ("surge", "deployment"):
        assert all(row["false_alarms"] for row in figures if row["judged_on"] == kind), "the negatives were judged"
    assert any(row["judged_on"] == "beside" and row["runs"] == "1" for row in figures), "a neighbour on the other core"
    assert "times the CPU an operation" in page
    assert any(row["judged_on"] == "steady" and row["swings_an_hour"] for row in figures)
    explained = subprocess.run([ROOT / "bin" / "ic2", "explain", "-c", out / "evaluation" / "evaluation-1" / "agent.yaml"],
                               check=True, capture_output=True, text=True).stdout
    acted_by = json.loads((out / "tree-3" / "classifier.json").read_text())
    assert acted_by["tree"].get("attribute", "INTERFERENCE") in explained

    again = subprocess.run(pipeline(bed, out), check=True, timeout=PATIENCE_S, capture_output=True, text=True)
    assert "starting" not in again.stderr, "what is recorded is not recorded again"
    assert "about 0 s to record" in again.stderr
