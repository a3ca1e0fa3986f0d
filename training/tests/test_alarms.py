# SPDX-License-Identifier: Apache-2.0
"""Runs in which something else than a neighbour slows the pages, in their shortest form, on a real testbed."""

import csv
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
PATIENCE_S = 600


def test_what_is_no_neighbour_is_measured_and_the_agent_leaves_it_alone(bed, tmp_path):
    out = tmp_path / "alarms"
    command = [ROOT / "bin" / "ic2-train", "alarms", "--testbed", bed.dir, "--out", out, "--scenarios", "mix,cron,database", "--run", "15s",
               "--interval", "500ms"]
    done = subprocess.run(command, check=True, timeout=PATIENCE_S, capture_output=True, text=True)
    assert done.stdout.strip().splitlines()[-1] == "No action, as it should be."
    rows = {row["scenario"]: row for row in csv.DictReader((out / "alarms.csv").open())}
    assert list(rows) == ["mix", "cron", "database"]
    assert all(row["actions"] == "0" and float(row["throughput_during"]) > 0 for row in rows.values())
    slow = rows["database"]
    assert float(slow["response_time_during"]) > 1.5 * float(slow["response_time_before"]), "the database did answer late"
    assert (out / "r1-cron-d" / "disturbance-5.log").stat().st_size == 0, "the job had nothing to complain about"
    again = subprocess.run(command, check=True, timeout=PATIENCE_S, capture_output=True, text=True)
    assert again.stdout == done.stdout, "what is there is not measured again"
