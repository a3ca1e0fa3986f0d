# SPDX-License-Identifier: Apache-2.0
"""The agent as its users start it, beside a status page that looks like httpd's."""
import contextlib
import http.server
import json
import pathlib
import re
import signal
import subprocess
import threading
import time

IC2 = pathlib.Path(__file__).resolve().parents[4] / "bin" / "ic2"
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

    def __init__(self, folder, url, apachectl="/bin/false", environment=(), options=(), listen="127.0.0.1:0", http="", past=(), levels=4):
        self.log = folder / "log"
        journal = folder / "journal.jsonl"
        journal.write_text("".join(json.dumps({"time": f"2026-01-01T00:{i // 60:02}:{i % 60:02}Z", "kind": "note",
                                               "reason": f"old entry {i} " + "x" * 1000}) + "\n" for i in range(OLD_ENTRIES))
                           + "".join(json.dumps(entry) + "\n" for entry in past))
        self.config = config = folder / "ic2.yaml"
        config.write_text(f"""
application: shop
mode: observe
members:
  web:
    role: web
    sensors:
      response: {{type: mod-status, url: "{url}"}}
      load: {{type: load-average}}
    actuators: {{httpd: {{type: httpd-online, apachectl: {apachectl}}}}}
baseline: {{max-request-workers: 400, keep-alive-timeout: 5s, mitigation: 0}}
bounds: {{max-request-workers: [200, 400], keep-alive-timeout: [5s, 30s], mitigation: [0, {levels}]}}
journal: {journal}
http: {{listen: "{listen}"{http}}}
""")
        # who runs the tests may ignore SIGHUP, and a Java that inherits that never hears one
        self.command = ["env", "--default-signal=HUP", *environment, IC2, "run", "-c", config, *options]
        self.start()

    def start(self):
        with self.log.open("a", encoding="utf-8") as log:
            self.process = subprocess.Popen(self.command, stdout=log, stderr=subprocess.STDOUT)

    def url(self):
        """Of the dashboard, when the agent says that it is there."""
        return wait(lambda: re.search(r"\bmanaging .* in mode [a-z-]+, (https?://\S+:\d+), ", self.log.read_text()), self.log).group(1) + "/"

    def reload(self):
        self.process.send_signal(signal.SIGHUP)

    def end(self):
        self.process.terminate()
        assert self.process.wait(180) in (0, 143, -signal.SIGTERM), self.log.read_text()


def wait(condition, log, what=lambda: ""):
    end = time.monotonic() + 180
    while time.monotonic() < end:
        seen = condition()
        if seen:
            return seen
        time.sleep(0.1)
    raise AssertionError(f"waited in vain; {what()} the agent wrote: {log.read_text()}")
