# SPDX-License-Identifier: Apache-2.0
"""`ic2-train compare --host` on a real testbed in its shortest form: host and tenant together, the report, and that nothing of theirs is
left. Not in `make test`, as it takes minutes: `make check-compare-host`; needs root, like the testbed."""

import csv
import json
import os
import pathlib
import subprocess

import pytest
from conftest import CHEAPER, TRAIN, USERS, Bed

PATIENCE_S = 1200


@pytest.fixture
def hosted(tmp_path):
    if os.geteuid() != 0:
        pytest.fail("the testbed needs root")
    bed = Bed(tmp_path / "bed")
    try:
        bed("up", "--hosted", "--users", str(USERS), "--scale", "0.1", "--db", "sqlite", "--set", CHEAPER)
        yield bed
    finally:
        bed("down", "--all")


def knobs(bed):
    """Cap, weight and set of CPUs of tier and neighbour, each in the words of its file."""
    names = ("cpu.cfs_quota_us", "cpu.max", "cpu.shares", "cpu.weight", "cpuset.cpus")
    return {f"{role} {name}": file.read_text() for role in ("web", "neighbour") for directory in bed.state["cgroups"][role]["join"]
            for name in names if (file := pathlib.Path(directory, name)).exists()}


def moved(run, kind):
    """How many values of the neighbour's knob the host had in force."""
    turns = [json.loads(line) for line in (run / "host.jsonl").read_text().splitlines()[1:]]
    return len({knob["value"] for turn in turns for knob in turn["knobs"] if (knob["name"], knob["kind"]) == ("neighbour", kind)})


def test_both_agents_run_tell_each_other_and_restore(hosted, tmp_path):
    out, before = tmp_path / "compare", knobs(hosted)
    assert {name.split()[1] for name in before} >= {"cpuset.cpus"}
    done = subprocess.run([*TRAIN, "compare", "--host", "caps,weights,pins", "--testbed", hosted.dir, "--out", out, "--neighbour", "llcprobe",
                           "--on", "8s", "--off", "8s", "--first-half", "4s", "--run", "16s", "--interval", "500ms"], check=True,
                          timeout=PATIENCE_S, capture_output=True, text=True)
    assert "missing" not in done.stdout
    assert knobs(hosted) == before, "the host's agent put back what it had moved"
    run = out / "r1-llcprobe-host-caps-ladder"
    turns = [json.loads(line) for line in (run / "host.jsonl").read_text().splitlines()[1:]]
    assert any(value.get("app.rt", 0) > 0 for turn in turns for value in turn["metrics"].values()), "the tenant told the host"
    told = [row["host_memory_pressure"] for row in csv.DictReader((run / "recording.csv").open())]
    assert told, "the tenant recorded"
    assert not list((run / "contract" / "notice").iterdir()), "the host took its notice away"
    for arm, kind in (("host-caps", "cap"), ("host-weights", "weight"), ("host-pins", "cpuset")):
        assert moved(out / f"r1-llcprobe-{arm}", kind) > 1 and moved(out / f"r1-llcprobe-{arm}-ladder", kind) > 1, f"the host moved the neighbour's {kind}"
    turned = {row["knob"] for row in csv.DictReader((out / "host.csv").open()) if row["arm"] == "host-caps+ladder"}
    assert {"host: neighbour's cap", "host: web's cap", "tenant: mitigation"} <= turned
    for table in ("Do host and tenant fight?", "Is the tenant no worse off with both?"):
        assert table in (out / "report.html").read_text()
