# SPDX-License-Identifier: Apache-2.0
"""Runs in which something else than a neighbour slows the pages, in their shortest form, on a real testbed."""

import csv
import pathlib
import statistics
import subprocess
import time

from conftest import OFF_THE_TIER

PATIENCE_S = 1200
TRIES = 3
INTERVAL_S = 0.5
RUN_S = 15      # in the middle third of which it happens
USERS = 20      # of whom a slow machine bears as many too: where the tier is full, pages wait for nothing but its CPU
WAIT_S = 0.06 ** 2 / (2 * 0.08)     # of a query that comes at any time: of 80 ms the database is stopped for 60


def stolen(bed):
    """Seconds that a hypervisor has taken from the tier's CPU so far."""
    cpu = f"cpu{bed.state['cpus']['web']} "
    line = next(line for line in pathlib.Path("/proc/stat").read_text().splitlines() if line.startswith(cpu))
    return int(line.split()[8]) / 100


def stood_still(out):
    """Whether some load came too late for two of its intervals: so did what it measured."""
    for file in out.glob("*/load/intervals.csv"):
        elapsed = [float(row["elapsed"]) for row in csv.DictReader(file.open())]
        if any(after - before > 3 * INTERVAL_S for before, after in zip(elapsed, elapsed[1:])):
            return True
    return False


def thirds(out):
    """Response times of the database's run, seconds: the medians of each third's intervals, without the first interval."""
    rows = [row for row in csv.DictReader((out / "r1-database-ladder" / "load" / "intervals.csv").open()) if row["phase"] == "steady"]
    begin = float(rows[0]["elapsed"])
    found = [[], [], []]
    for row in rows:
        third, into = divmod(float(row["elapsed"]) - begin, RUN_S / 3)
        if row["response_time_p50"] and third < 3 and into > INTERVAL_S / 2:
            found[int(third)].append(float(row["response_time_p50"]))
    return [statistics.median(third) if third else float("nan") for third in found]


def measured(bed, tmp_path):
    """The command and what it said, of a try in which the machine itself was no neighbour; else of the last one."""
    for number in range(TRIES):
        out = tmp_path / f"alarms-{number}"
        command = [*OFF_THE_TIER, "alarms", "--testbed", bed.dir, "--out", out, "--scenarios", "mix,cron,database",
                   "--run", f"{RUN_S}s", "--interval", f"{INTERVAL_S * 1000:.0f}ms", "--users", str(USERS)]
        begun, before = time.monotonic(), stolen(bed)
        done = subprocess.run(command, check=True, timeout=PATIENCE_S, capture_output=True, text=True)
        first, _, last = thirds(out)
        if stolen(bed) - before < 0.01 * (time.monotonic() - begun) and not stood_still(out) and abs(last - first) < WAIT_S / 2:
            break
    return out, command, done


def test_causes_other_than_a_neighbour_are_measured_and_cause_no_action(bed, tmp_path):
    out, command, done = measured(bed, tmp_path)
    print(done.stdout)
    assert done.stdout.strip().splitlines()[-1] == "No action, as it should be."
    rows = {row["scenario"]: row for row in csv.DictReader((out / "alarms.csv").open())}
    assert list(rows) == ["mix", "cron", "database"]
    assert all(row["actions"] == "0" and float(row["throughput_during"]) > 0 for row in rows.values())
    first, middle, last = thirds(out)
    # what else slows the machine does not begin and end with the database's pauses
    assert middle > max(first, last) + WAIT_S / 2, f"the database was slow in the middle third alone: {first}, {middle}, {last} s"
    assert (out / "r1-cron-ladder" / "disturbance-5.log").stat().st_size == 0, "the job had nothing to complain about"
    again = subprocess.run(command, check=True, timeout=PATIENCE_S, capture_output=True, text=True)
    assert again.stdout == done.stdout, "what is there is not measured again"
