# SPDX-License-Identifier: Apache-2.0
"""The dashboard of a running agent in a headless Chromium: it loads without a complaint, and asks only for what is new.

DASHBOARD_SCREENSHOT names a PNG file to write at the end.
"""
import contextlib
import http.server
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import threading
import time

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[4]
sys.path.insert(0, str(ROOT / "faban-drivers" / "webapp" / "tests"))

import browser  # noqa: E402

BEGINNING = time.monotonic()
OLD_ENTRIES = 150


class StatusPage(http.server.BaseHTTPRequestHandler):
    """mod_status of a server that completes 40 requests a second."""

    def do_GET(self):
        seconds = time.monotonic() - BEGINNING
        text = (f"ServerUptimeSeconds: {int(seconds) + 100}\nTotal Accesses: {int(seconds * 40) + 4000}\n"
                f"Total kBytes: 0\nTotal Duration: {int(seconds * 800) + 80000}\nBusyWorkers: 3\nIdleWorkers: 17\n"
                "MaxRequestWorkers: 400\nKeepAliveTimeoutMs: 5000\nReconfigureVariable: MITIGATION=0\n"
                "Reconfigurations: 0\nReconfigurePending: 0\nScoreboard: KKW_________________\n").encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def status_page():
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), StatusPage) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}/server-status?auto"
        server.shutdown()
        thread.join()


class Agent:
    """The daemon in mode observe, with a journal that has a past."""

    def __init__(self, folder, url):
        self.log = folder / "log"
        journal = folder / "journal.jsonl"
        journal.write_text("".join(json.dumps({"time": f"2026-01-01T00:{i // 60:02}:{i % 60:02}Z", "kind": "note",
                                               "reason": f"old entry {i} " + "x" * 1000}) + "\n" for i in range(OLD_ENTRIES)))
        config = folder / "ic2.yaml"
        config.write_text(f"""
application: shop
mode: observe
members:
  web:
    role: web
    sensors:
      response: {{type: mod-status, url: "{url}"}}
      load: {{type: load-average}}
    actuators: {{httpd: {{type: httpd-online, apachectl: /bin/false}}}}
baseline: {{max-request-workers: 400, keep-alive-timeout: 5s, mitigation: 0}}
bounds: {{max-request-workers: [200, 400], keep-alive-timeout: [5s, 30s], mitigation: [0, 4]}}
journal: {journal}
http: {{listen: "127.0.0.1:0"}}
""")
        with self.log.open("w") as log:
            # who runs the tests may ignore SIGHUP, and a Java that inherits that never hears one
            self.process = subprocess.Popen(["env", "--default-signal=HUP", ROOT / "bin" / "ic2", "run", "-c", config],
                                            stdout=log, stderr=subprocess.STDOUT)

    def url(self):
        return wait(lambda: re.search(r"http://127\.0\.0\.1:\d+", self.log.read_text()), self.log).group(0) + "/"

    def reload(self):
        self.process.send_signal(signal.SIGHUP)

    def end(self):
        self.process.terminate()
        assert self.process.wait(60) in (0, 143, -signal.SIGTERM), self.log.read_text()


def wait(condition, log):
    end = time.monotonic() + 60
    while time.monotonic() < end:
        seen = condition()
        if seen:
            return seen
        time.sleep(0.1)
    raise AssertionError(f"waited in vain; the agent wrote: {log.read_text()}")


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
        assert len(knobs) == 4 and figures[-4:] == knobs, "each knob has a chart, in the agent's order"
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
