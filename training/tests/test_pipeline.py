# SPDX-License-Identifier: GPL-3.0-or-later
"""The whole training on a real testbed in its shortest form: three phases, the judgement, the report; and that it goes
on where it was broken off. Takes some minutes; needs root, like the testbed."""

import csv
import json
import os
import pathlib
import signal
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TRAIN = ROOT / "bin" / "ic2-train"
PATIENCE_S = 900
SHORTEST = "0.0001"

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="the testbed needs root")


@pytest.fixture(scope="module")
def testbed(tmp_path_factory):
    folder = ROOT / "build" / "test-training"
    subprocess.run([ROOT / "bin" / "testbed", "up", "--dir", folder, "--users", "60", "--scale", "0.1"], check=True)
    yield folder
    subprocess.run([ROOT / "bin" / "testbed", "down", "--all", "--dir", folder], check=True)


def pipeline(testbed, out):
    return [TRAIN, "pipeline", "--testbed", testbed, "--out", out, "--scale", SHORTEST, "--interval", "500ms"]


def members(testbed, role):
    state = json.loads((testbed / "testbed.json").read_text())
    return pathlib.Path(state["cgroups"][role]["join"][0], "cgroup.procs").read_text().split()


def test_interrupted_and_resumed_it_makes_a_tree_and_a_report(testbed, tmp_path):
    out = tmp_path / "pipeline"
    broken = subprocess.Popen(pipeline(testbed, out), stderr=subprocess.PIPE, text=True)
    for line in broken.stderr:
        if line.startswith("phase-1-1: 10 of"):
            broken.send_signal(signal.SIGTERM)
            break
    broken.communicate(timeout=60)
    assert broken.returncode != 0
    assert not members(testbed, "neighbour"), "the neighbour ended with the run"
    assert json.loads((out / "phase-1/phase-1-1/run.json").read_text())["facts"]["broken"]

    subprocess.run(pipeline(testbed, out), check=True, timeout=PATIENCE_S)

    assert (out / "phase-1/phase-1-1-broken-1/samples.csv").stat().st_size > 500, "nothing measured is lost"
    tree = json.loads((out / "classifier.json").read_text())
    assert tree["tree"] and tree["provenance"]["neighbours"].count("dcopy")
    assert "llcprobe" not in tree["provenance"]["neighbours"], "held out"
    page = (out / "report.html").read_text()
    assert "scale 1.0E-4" in page and "<svg" in page and "src=" not in page
    figures = list(csv.DictReader((out / "figures.csv").open()))
    assert {row["attributes"] for row in figures} == {"paper", "relative", "extended"}
    explained = subprocess.run([ROOT / "bin" / "ic2", "explain", "-c", out / "evaluation/evaluation-1/agent.yaml"], check=True,
                               capture_output=True, text=True).stdout
    assert tree["tree"].get("attribute", "INTERFERENCE") in explained
    assert not members(testbed, "neighbour")
