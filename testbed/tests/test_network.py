# SPDX-License-Identifier: Apache-2.0
"""testbed/bench/network in its shortest form: its link, its load, and that nothing stays."""

import csv
import pathlib
import subprocess
import time

BENCH = pathlib.Path(__file__).resolve().parents[1] / "bench" / "network"


def spaces(process):
    """Namespaces that this run of the bench made; others' tests make some at the same time."""
    mine = {f"ic2-{process % 10000}-{place}" for place in ("router", "tier", "users", "neighbour")}
    return mine & {line.split()[0] for line in subprocess.run(["ip", "netns", "list"], capture_output=True, text=True, check=True).stdout.splitlines()}


def test_a_neighbour_that_fills_the_link_has_segments_sent_again(tmp_path):
    out = tmp_path / "out.csv"
    words = ["--workers", "50", "--neighbour", "0,40", "--users", "20", "--rounds", "1", "--seconds", "4", "--out", out]
    with subprocess.Popen([BENCH, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as bench:
        seen = set()
        while bench.poll() is None:
            seen |= spaces(bench.pid)
            time.sleep(0.2)
        told = "".join(bench.communicate())
    assert bench.returncode == 0, told
    assert len(seen) == 4, f"the namespaces have other names than this test looks for: {seen}"
    rows = {row["neighbour_mbit"]: row for row in csv.DictReader(out.open())}
    assert float(rows["40"]["retransmits"]) > 0.05 + float(rows["0"]["retransmits"]), rows
    # how long users wait is measured; on a machine that does other things too, four seconds cannot tell whether it is longer
    assert all(float(row["wait"]) > 0 for row in rows.values()), rows
    assert not spaces(bench.pid)


def test_mistakes_are_told():
    for wrong in (["--rounds", "0"], ["--neighbour", "-1"], ["--mpm", "prefork"], ["--workers", "many"]):
        done = subprocess.run([BENCH, *wrong], capture_output=True, text=True)
        assert done.returncode == 2 and "network: error: " in done.stderr and "Traceback" not in done.stderr
