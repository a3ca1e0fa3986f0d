# SPDX-License-Identifier: Apache-2.0
"""`make demo`, shortened: at any end, it says so and leaves nothing behind. Needs root, like the testbed."""

import os
import re
import signal
import urllib.request

import pytest
from conftest import ONE_AT_A_TIME, leftovers
from demos import PATIENCE_S, demo  # noqa: F401

PAGE = re.compile(r"with IC\u00b2: the agent's page: (http://127\.0\.0\.1:(\d+)/)\n  from your own machine: ssh -L \2:127\.0\.0\.1:\2 \S+\n")
FIGURES = re.compile(r"with IC\u00b2: neighbour off: [\d.]+ pages/s, \d+\.\d{3} s a page, normally \d+\.\d{3} s\n")

pytestmark = [pytest.mark.skipif(os.geteuid() != 0, reason="the testbed needs root"), pytest.mark.xdist_group(ONE_AT_A_TIME)]


def test_control_c_in_the_middle_stops_and_cleans(demo):
    demo.start(IC2_DEMO_USERS="60").reaches(lambda: "neighbour off" in demo.text, "the first run is measured")
    assert leftovers(demo.dir), "a testbed runs"
    link, = demo.links
    demo.reaches(lambda: PAGE.search(demo.text), "the agent's page is offered")
    with urllib.request.urlopen(PAGE.search(demo.text)[1], timeout=60) as page:
        assert "<html" in page.read().decode()
    demo.reaches(lambda: FIGURES.search(demo.text), "the first phase is over")

    assert demo.signalled(signal.SIGINT) == 130

    assert not leftovers(demo.dir) and not leftovers(link)
    text = demo.text
    assert "Then two runs are measured: --run 30s" in text.splitlines()[2], "it said what comes before it began"
    assert text.index("without IC\u00b2: neighbour ON") < text.index("with IC\u00b2: starting"), "the damage comes first"
    assert "starting database, PHP and httpd" in text and "demo: INT while measuring" in text
    assert "demo: interrupted; nothing is left running" in text
    assert list(demo.dir.glob("2*/*/samples.csv")), "what was measured is kept"


def test_a_closed_terminal_in_the_middle_of_the_set_up_stops_and_cleans(demo):
    demo.start(IC2_DEMO_USERS="60").reaches((demo.dir / "log" / "up.log").exists, "the testbed starts")

    assert demo.signalled(signal.SIGHUP) == 129

    assert not leftovers(demo.dir)
    assert "nothing is left running" in (demo.dir / "log" / "demo.log").read_text()


def test_a_step_that_fails_is_shown_with_the_end_of_its_log(demo):
    demo.dir.mkdir(parents=True)
    (demo.dir / "testbed").write_text("not a testbed")

    assert demo.start(IC2_DEMO_USERS="60").process.wait(PATIENCE_S) == 1

    assert f"demo: failed while clearing what an earlier demo left; the end of {demo.dir}/log/down.log:" in demo.text
    assert "is a file; name a directory" in demo.text.splitlines()[-1]
    (demo.dir / "testbed").unlink()
