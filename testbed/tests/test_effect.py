# SPDX-License-Identifier: Apache-2.0
"""What the testbed is for: at the recommended setting a neighbour multiplies the response time."""

import csv
import os
import re

import pytest

from conftest import ROOT

pytestmark = [
    pytest.mark.skipif(os.geteuid() != 0, reason="the testbed makes cgroups and must run as root"),
    pytest.mark.skipif(not (ROOT / "faban-drivers/runtime/target/ic2-load.jar").exists(),
                       reason="ic2-load is not built: mvn -pl faban-drivers/runtime -am package"),
]

AT_LEAST = 5


def test_a_neighbour_apart_takes_the_caches_and_no_cpu(bed):
    bed.up("--layout", "apart", "--users", "100")
    bed("measure", "effect", "--rounds", "1", check=0)
    with open(bed.dir / "results" / "effect" / "1" / "windows.csv", newline="") as file:
        by_neighbour = {row["placement"]: row for row in csv.DictReader(file)}
    assert set(by_neighbour) == {"", "other-core"}
    for row in by_neighbour.values():
        assert float(row["stall"]) < 0.1 and float(row["errors"]) == 0


def test_the_neighbour_multiplies_response_time_and_takes_half_the_cpu(bed):
    bed.up()
    users = int(re.search(r"(\d+) users need", bed("calibrate", check=0).stdout)[1])
    assert f"<fa:scale>{users}</fa:scale>" in (bed.dir / "run.xml").read_text()
    assert bed.up().stdout.startswith("already up")

    bed("measure", "effect", "--rounds", "1", check=0)
    out = bed.dir / "results" / "effect" / "1"
    with open(out / "windows.csv", newline="") as file:
        by_neighbour = {row["placement"]: row for row in csv.DictReader(file)}
    alone, beside = by_neighbour[""], by_neighbour["same-core"]
    print((out / "windows.csv").read_text())
    for column in ("response_time", "interactive_response_time"):
        assert float(beside[column]) >= AT_LEAST * float(alone[column]), column
    assert float(alone["stall"]) < 0.1 < 0.4 < float(beside["stall"]) < 0.6
    assert 0.4 < float(beside["cpu_use"]) < 0.6
    assert float(beside["throughput"]) < float(alone["throughput"])
    assert all(float(r["errors"]) == 0 and float(r["leaks"]) == 0 for r in (alone, beside))

    with open(out / "neighbour.csv", newline="") as file:
        events = list(csv.DictReader(file))
    assert [e["event"] for e in events] == ["start", "stop"]
    times, late = ([float(e[column]) for e in events] for column in ("time", "lateness_ms"))
    assert times[1] - times[0] == pytest.approx(15 + (late[1] - late[0]) / 1000, abs=0.1)
    assert max(late) < 500
    assert (out / "plot.svg").read_text().startswith("<svg")
