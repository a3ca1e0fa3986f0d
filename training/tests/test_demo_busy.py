# SPDX-License-Identifier: Apache-2.0
"""The demo in its shortest form beside programs of others: IC² acts, and users wait less than without it. Takes some minutes; needs
root, like the testbed."""

import json
import os
import re

import pytest
from demos import demo  # noqa: F401

# as long without interference as the demo's usual one: on a busy machine many a sample is not learned from
TIMES = "--run 90s --on 40s --off 45s --first-half 20s --interval 500ms --wait-for-quiet 6s"
WHOLE_S = 1500
LESS = 0.7  # of the time that users wait without IC²; on an idle machine a tenth is left
TOO_BUSY = "This machine was too busy to measure"

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="the testbed needs root")


def test_beside_the_work_of_others_the_agent_acts_and_users_wait_less(demo, others):
    assert demo.start(TIMES).process.wait(WHOLE_S) == 0, demo.text

    verdict = demo.text[demo.text.index("\nWithout IC² "):]
    print(demo.text)
    said = " ".join(verdict.split())
    if TOO_BUSY in said:
        assert "IC² changed nothing" in said, "it says so of an agent alone that did nothing"
        pytest.skip(said[said.index(TOO_BUSY):])
    result, = demo.dir.glob("2*")
    summary = json.loads((result / "summary.json").read_text())
    without, with_ = (next(arm["interference"][0]["second_half"] for arm in summary["arms"] if arm["arm"] == name)
                      ["interactive_response_time"] for name in ("off", "ladder"))
    assert with_ < LESS * without, said
    assert re.search(r"With IC² users waited \d+\.\d{3} s, \d+ % less \(one run, ", said), said
    assert re.search(r"It did acted after \d+\.\d s, up to level [1-6]", said), said
    assert re.search(r"This machine was busy: \d+ % of the CPU went elsewhere", said), said
    assert f"\nReport       {result}/report.html\n" in verdict
    shown = [line for line in demo.text.splitlines() if str(demo.dir) not in line and not line.startswith("Then two runs")]
    assert all(len(line) <= 80 for line in shown), "a terminal breaks no line"
