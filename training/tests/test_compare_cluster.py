# SPDX-License-Identifier: Apache-2.0
"""`ic2-train compare --cluster` on a real cluster in its shortest form: all three servers noisy at once, no server below the floor, the
site up. Needs root, like the testbed."""

import csv
import json
import os
import subprocess

import pages
import pytest
from conftest import CHEAPER, ONE_AT_A_TIME, TRAIN, Bed

PATIENCE_S = 1200
FLOOR = 15

pytestmark = pytest.mark.xdist_group(ONE_AT_A_TIME)


@pytest.fixture
def cluster(tmp_path):
    if os.geteuid() != 0:
        pytest.skip("the testbed needs root")
    bed = Bed(tmp_path / "bed")
    try:
        bed("up", "--webs", "3", "--balancer", "haproxy", "--users", "30", "--scale", "0.1", "--weight", "10", "--set", CHEAPER)
        yield bed
    finally:
        bed("down", "--all")


def test_none_is_below_the_floor(cluster, tmp_path):
    out = tmp_path / "c"     # short: agents have sockets below it
    done = subprocess.run([*TRAIN, "compare", "--cluster", "--testbed", cluster.dir, "--out", out, "--arms", "share+ladder", "--noisy", "3", "--on", "6s",
                           "--off", "3s", "--interval", "500ms", "--cool-down", "2s", "--target", "20ms", "--least-share", str(FLOOR), "--share-headroom", "1.75"], timeout=PATIENCE_S,
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["A cluster beside noisy neighbours: 1 run", str(out / "report.html")]
    run = out / "r1-n3-share-ladder"
    weights = list(csv.DictReader((run / "weights.csv").open()))
    assert {row["server"] for row in weights} == {"web1", "web2", "web3"}
    assert min(int(row["weight"]) for row in weights) >= FLOOR
    assert all(row["status"].startswith("UP") for row in weights)
    rows = list(csv.DictReader((run / "load" / "intervals.csv").open()))
    assert sum(float(row["throughput"]) for row in rows) > 0 and sum(int(row["errors"]) for row in rows) == 0
    for i in (1, 2, 3):
        assert [row["event"] for row in csv.DictReader((run / f"web{i}" / "neighbour.csv").open())].count("start") == 1
        assert (run / f"web{i}" / "journal.jsonl").stat().st_size > 0
        agent = (run / f"web{i}" / "agent.yaml").read_text()
        assert f"share: [{FLOOR}, 100]" in agent and "share-headroom: 1.75" in agent
    facts = json.loads((run / "run.json").read_text())
    assert (facts["least_share"], facts["share_headroom"]) == (FLOOR, 1.75)
    pages.is_fit_to_read(out / "report.html")
    assert "| share+ladder | web3, noisy |" in (out / "summary.md").read_text()
