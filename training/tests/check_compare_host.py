# SPDX-License-Identifier: Apache-2.0
"""`ic2-train compare --host` on a real testbed in its shortest form: host and tenant together, the report, and that nothing of theirs is
left. Not in `make test`, as it takes two minutes: `make check-compare-host`; needs root, like the testbed."""

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


def caps(bed):
    group = pathlib.Path(bed.state["cgroups"]["web"]["join"][0])
    file = next(file for file in (group / "cpu.cfs_quota_us", group / "cpu.max") if file.exists())
    return [(group.parent / role / file.name).read_text().split()[0] for role in ("web", "neighbour")]


def test_both_agents_run_tell_each_other_and_go_home(hosted, tmp_path):
    out = tmp_path / "compare"
    assert set(caps(hosted)) <= {"-1", "max"}
    done = subprocess.run([*TRAIN, "compare", "--host", "--testbed", hosted.dir, "--out", out, "--neighbour", "llcprobe", "--on", "8s",
                           "--off", "8s", "--first-half", "4s", "--run", "16s", "--interval", "500ms"], check=True, timeout=PATIENCE_S,
                          capture_output=True, text=True)
    assert "missing" not in done.stdout
    assert set(caps(hosted)) <= {"-1", "max"}, "the host's agent put the caps back"
    run = out / "r1-llcprobe-hd"
    turns = [json.loads(line) for line in (run / "host.jsonl").read_text().splitlines()[1:]]
    assert any(value.get("app.rt", 0) > 0 for turn in turns for value in turn["metrics"].values()), "the tenant told the host"
    assert len({knob["value"] for turn in turns for knob in turn["knobs"] if knob["name"] == "neighbour"}) > 1, "the host moved the neighbour"
    told = [row["host_memory_pressure"] for row in csv.DictReader((run / "recording.csv").open())]
    assert told, "the tenant recorded"
    assert not list((run / "contract" / "notice").iterdir()), "the host took its notice away"
    knobs = {row["knob"] for row in csv.DictReader((out / "host.csv").open()) if row["arm"] == "hd"}
    assert {"host: neighbour's cap", "host: web's cap", "tenant: mitigation"} <= knobs
    for table in ("Do host and tenant fight?", "Is the tenant no worse off with both?"):
        assert table in (out / "report.html").read_text()
