# SPDX-License-Identifier: Apache-2.0
"""The dashboard of a running agent in a headless Chromium: it loads without a complaint, and asks only for what is new.

DASHBOARD_SCREENSHOT names a PNG file to write at the end.
"""
import os
import pathlib
import shutil
import sys
import time

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[4]
sys.path.insert(0, str(ROOT / "faban-drivers" / "webapp" / "tests"))

import browser  # noqa: E402
from running import OLD_ENTRIES, Agent, status_page, wait  # noqa: E402


@pytest.fixture
def agent(tmp_path):
    with status_page() as url:
        running = Agent(tmp_path, url)
        try:
            yield running
        finally:
            running.end()


FETCHED = """return performance.getEntriesByType('resource').map(e =>
    [e.name.replace(location.origin, ''), e.decodedBodySize])"""


@pytest.mark.skipif(shutil.which("chromedriver") is None, reason="chromedriver is missing; install the package chromium-driver")
def test_the_page_draws_what_is_measured_and_fetches_only_what_is_new(agent):
    with browser.browser() as window:
        window.open(agent.url())
        wait(lambda: window.run("return document.querySelectorAll('#throughput .u-over').length === 1"
                                " && document.querySelector('#throughput b').textContent > '3'"), agent.log)
        knobs = window.run("return fetch('api/status').then(answer => answer.json()).then(s => Object.keys(s.baseline))")
        figures = window.run("return [...document.querySelectorAll('figure')].map(f => f.id)")
        assert len(knobs) > 2 and figures[-len(knobs):] == knobs, "each knob has a chart, in the agent's order"
        drawn = window.run("""const c = document.querySelector('#throughput canvas');
            return new Set(new Uint32Array(c.getContext('2d').getImageData(0, 0, c.width, c.height).data.buffer)).size""")
        assert drawn > 3, "a line, its axes and their labels"

        rows = "return [...document.querySelectorAll('#events tr')].map(row => row.textContent)"
        assert any("old entry" in row for row in window.run(rows))
        agent.reload()
        wait(lambda: any("read again" in row for row in window.run(rows)), agent.log)
        journal = [(path, size) for path, size in window.run(FETCHED) if path.startswith("/api/events")]
        assert journal[0][0] == "/api/events" and journal[0][1] > OLD_ENTRIES * 1000
        assert len(journal) > 1 and all("?since=" in path and size < 5000 for path, size in journal[1:]), journal
        samples = [path for path, _ in window.run(FETCHED) if path.startswith("/api/samples")]
        assert all("?since=" in path for path in samples[2:]), samples
        assert window.run("return performance.getEntriesByType('resource').every(e =>"
                          " e.name.startsWith(location.origin) || e.name.startsWith('data:'))"), "nothing comes from elsewhere"
        if "DASHBOARD_SCREENSHOT" in os.environ:
            time.sleep(20)
            window.screenshot(os.environ["DASHBOARD_SCREENSHOT"])
        assert window.complaints() == []
