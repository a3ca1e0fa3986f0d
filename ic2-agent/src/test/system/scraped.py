# SPDX-License-Identifier: Apache-2.0
"""A real Prometheus that scrapes an agent, and an agent that goes through an interference on the real httpd meanwhile."""
import contextlib
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[4]
sys.path.insert(0, str(ROOT / "tests" / "faults"))

import agent as trials  # noqa: E402
from tier import Tier, free_port  # noqa: E402
from running import IC2, wait  # noqa: E402

HTTPD = pathlib.Path(os.environ.get("HTTPD_PREFIX") or ROOT / "build" / "httpd").resolve()
RULES = ROOT / "dashboards" / "alerts.yml"
SCRAPE_S = 15
APPLICATION = "shop"
LEARNED = 20    # samples of the quiet, before which it acts on nothing
# that of the fault suite, with each kind of independent signal that this machine can have, and a sensor that misses something
CONFIG = trials.CONFIG.replace("    actuators:", """\
      queue: {{type: accept-queue, port: {port}}}
      pressure: {{type: psi}}
      php: {{type: php-fpm, status-listen: "{place}/nobody.sock"}}
    actuators:""").replace("cool-down: 500ms", "cool-down: 1s").replace("stale-after: 5s", "stale-after: 60s")
CONFIG += 'http: {{listen: "127.0.0.1:0"}}\n'


def read(url):
    with urllib.request.urlopen(url, timeout=60) as answer:
        return answer.read().decode()


class Prometheus:
    """Scrapes one target as the job ic2, as docs/metrics.md says, with the rules that we ship."""

    def __init__(self, folder, target):
        self.port, self.log, self.begun = free_port(), folder / "prometheus.log", time.time()
        self.now = None     # at which it is asked; without one now
        config = folder / "prometheus.yml"
        config.write_text(f"global: {{scrape_interval: {SCRAPE_S}s, evaluation_interval: {SCRAPE_S}s}}\nrule_files: [{RULES}]\n"
                          f"scrape_configs: [{{job_name: ic2, static_configs: [{{targets: ['{target}'], "
                          f"labels: {{application: {APPLICATION}}}}}]}}]\n")
        with self.log.open("w") as log:
            self.process = subprocess.Popen(["prometheus", f"--config.file={config}", f"--storage.tsdb.path={folder}/data",
                                             f"--web.listen-address=127.0.0.1:{self.port}"], stdout=log, stderr=subprocess.STDOUT)

    def get(self, path, **parameters):
        """What it answers; who asks for nonsense is told what is wrong with it."""
        try:
            return json.loads(read(f"http://127.0.0.1:{self.port}/api/v1/{path}?{urllib.parse.urlencode(parameters)}"))["data"]["result"]
        except urllib.error.HTTPError as error:
            if error.code == 503:
                raise OSError("not ready") from None
            raise AssertionError(f"{parameters}: {error.read().decode()}") from None

    def ask(self, query):
        """What the query finds, of now or of the time that is set; nothing as long as Prometheus does not answer."""
        try:
            return self.get("query", query=query, **({"time": self.now} if self.now else {}))
        except OSError:
            return []

    def during(self, query):
        """What it finds at any time since Prometheus was started."""
        return self.get("query_range", query=query, start=self.begun, end=self.now or time.time(), step=SCRAPE_S / 3)

    def series(self, query):
        """Times and values of the one series that the query finds."""
        found = self.ask(query)
        return [(float(at), float(value)) for at, value in found[0]["values"]] if found else []

    def end(self):
        self.process.terminate()
        self.process.wait(180)


class Interference:
    """An agent that acts on a real httpd, from the quiet through a neighbour's episode and back to the baseline, and who scraped it meanwhile."""

    def __init__(self, folder, stack):
        """What it starts ends with the stack."""
        self.log, self.recording, self.journal = folder / "log", folder / "samples.csv", folder / "state" / "journal.jsonl"
        self.journal.parent.mkdir()
        self.tier = Tier(folder / "tier", HTTPD, "event", "direct")
        stack.callback(self.tier.close)
        place = self.tier.place
        (folder / "classifier.json").write_text(json.dumps(trials.CLASSIFIER))
        (place / "probe").write_text(trials.PROBE)
        (place / "probe").chmod(0o755)
        (folder / "ic2.yaml").write_text(CONFIG.format(interval="1s", place=place, port=self.tier.port, way=f"apachectl: {self.tier.command}",
                                                       levers="max-request-workers, keep-alive-timeout, mitigation",
                                                       model="classifier.json", journal=self.journal))
        with self.log.open("w") as log:
            self.agent = subprocess.Popen([IC2, "run", "-c", folder / "ic2.yaml", "--record", self.recording], stdout=log,
                                          stderr=subprocess.STDOUT)
        stack.callback(self.end)
        self.address = wait(lambda: re.search(r"127\.0\.0\.1:\d+", self.log.read_text()), self.log).group(0)
        self.prometheus = Prometheus(folder, self.address)
        stack.callback(self.prometheus.end)
        self.happen()

    def metrics(self):
        return read(f"http://{self.address}/metrics")

    def learned(self):
        return json.loads(read(f"http://{self.address}/api/status")).get("medians", {}).get("count", 0)

    def happen(self):
        """The neighbour comes when it is known what is normal, and goes when a scrape has seen what was done about it."""
        wait(lambda: self.learned() >= LEARNED, self.log)
        self.tier.neighbour.loud = True
        wait(lambda: self.prometheus.ask('ic2_state{state="I2"} == 1 and on () ic2_mitigation_level > 1'), self.log)
        self.tier.neighbour.loud = False
        wait(lambda: "\nic2_mitigated 0" in self.metrics() and '\nic2_state{state="NI2"} 1' in self.metrics(), self.log)
        restored = time.time()
        seen = wait(lambda: self.prometheus.ask(f"timestamp(ic2_mitigated == 0) > {restored}"), self.log)
        # whoever asks from now on is told of this scrape and those before: between two questions there may be another one
        self.prometheus.now = float(seen[0]["value"][1])

    def end(self):
        self.agent.terminate()
        assert self.agent.wait(180) in (0, 143, -signal.SIGTERM), self.log.read_text()


@contextlib.contextmanager
def interference():
    """One that is over, in a folder that httpd's user may enter; the agent, back in the quiet, still answers."""
    with tempfile.TemporaryDirectory(prefix="ic2-interference-") as folder, contextlib.ExitStack() as stack:
        os.chmod(folder, 0o755)
        yield Interference(pathlib.Path(folder), stack)
