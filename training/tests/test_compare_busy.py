# SPDX-License-Identifier: Apache-2.0
"""compare on a machine that others use: a real `stress-ng --cpu 4` beside it is noticed, waited for, and said."""

import csv
import json
import subprocess

import pytest
from conftest import ONE_AT_A_TIME, TRAIN

PATIENCE_S = 1200

pytestmark = pytest.mark.xdist_group(ONE_AT_A_TIME)


def test_work_of_others_is_waited_for_and_said_and_a_disturbed_run_made_again_and_kept(bed, tmp_path, others):
    out = tmp_path / "compare"
    done = subprocess.run([*TRAIN, "compare", "--testbed", bed.dir, "--out", out, "--arms", "off", "--neighbour", "llcprobe", "--on", "6s",
                           "--off", "8s", "--first-half", "3s", "--run", "14s", "--interval", "500ms", "--wait-for-quiet", "7s",
                           "--repeat-disturbed", "1"], check=True, timeout=PATIENCE_S, capture_output=True, text=True)

    assert done.stderr.count("waiting for a quieter minute, ") >= 1
    assert done.stderr.count("disturbed, the machine did something else; made again") == 1
    outcome = " ".join(done.stdout.split())
    assert "Beware This machine was busy: " in outcome and " % of the CPU went elsewhere (other programs " in outcome
    assert "in 1 of 1 run. 1 disturbed run was set aside and made again. Report" in outcome
    summary = json.loads((out / "summary.json").read_text())["machine"]
    assert summary["busy"] and summary["text"] in outcome
    assert [(one["run"], one["set_aside"], one["disturbed"]) for one in summary["runs"]] == [
        ("r1-llcprobe-off-disturbed-1", True, True), ("r1-llcprobe-off", False, True)]
    for one in summary["runs"]:
        assert one["before"] > 0.1 and one["others"] > 0.1 and one["elsewhere"] <= 1 and one["runnable"] > 4
        lines = list(csv.DictReader((out / one["run"] / "machine.csv").open()))
        assert {line["phase"] for line in lines} == {"before", "run"}
        own, busy = (float(lines[-1][name]) - float(lines[0][name]) for name in ("own", "busy"))
        assert 0 < own < busy, "the testbed's own CPU time is told from that of stress-ng"
    assert summary["text"] in (out / "report.html").read_text()
