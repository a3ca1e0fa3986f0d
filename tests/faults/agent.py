# SPDX-License-Identifier: Apache-2.0
"""The real agent, started and stopped as packaging/systemd/ic2.service says; of its journal, what a person would read."""
import contextlib
import fcntl
import json
import shutil
import signal
import socket
import subprocess
import time

from tier import BASELINE, ROOT, Values, eventually, send, setting

UNIT = "ic2.service"
BASELINE_PROGRAM = ROOT / "ic2-agent" / "target" / "ic2-baseline"
STOP_SECONDS = int(setting(UNIT, "TimeoutStopSec")[0])
CLASSIFIER = {
    "format": 1, "attributes": ["steal"], "classes": ["NO_INTERFERENCE", "TRANSIENT", "INTERFERENCE"],
    "cost_matrix": [[0.0, 1.0, 5.0], [1.0, 0.0, 1.0], [10.0, 1.0, 0.0]], "provenance": {"made": "for the fault suite"},
    "tree": {"attribute": "steal", "threshold": 0.2, "le": {"label": "NO_INTERFERENCE", "counts": {"NO_INTERFERENCE": 1.0}},
             "gt": {"label": "INTERFERENCE", "counts": {"INTERFERENCE": 1.0}}}}
CONFIG = """\
application: faults
interval: {interval}
mode: act
members:
  web:
    role: web
    sensors:
      response: {{type: access-log, file: "{place}/access.log", format: "%D %>s"}}
      system: {{type: cgroup, path: "{place}/group", cpus: 1}}
      status: {{type: mod-status, url: "http://127.0.0.1:{port}/server-status?auto"}}
      probe: {{type: memory-latency, command: ["{place}/probe"]}}
    actuators: {{httpd: {{type: httpd-online, {way}}}}}
baseline: {{max-request-workers: 20, keep-alive-timeout: 5s, mitigation: 0}}
bounds: {{max-request-workers: [10, 20], keep-alive-timeout: [5s, 30s], mitigation: [0, 2]}}
levers: [{levers}]
detector: {{type: tree, model: {model}}}
target-response-time: 0.1s
safety: {{cool-down: 500ms, actions-per-hour: 1000, stale-after: 5s, min-requests: 1, warm-up: 1}}
journal: {journal}
"""
PROBE = "#!/bin/sh\nunset IC2_FAULTS\nwhile echo 80; do sleep 0.5; done\n"


def install(place):
    """The agent as its package lays it out, so that an upgrade can replace its jar; by the first who asks."""
    place.mkdir(exist_ok=True)
    ic2 = place / "bin" / "ic2"
    with (place / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not ic2.exists():
            for folder in ("bin", "share/ic2"):
                (place / folder).mkdir(parents=True)
            for source, folder in (("ic2-agent/target/ic2.jar", "share/ic2"), ("packaging/ic2-archive", "share/ic2"), ("bin/ic2", "bin")):
                shutil.copy2(ROOT / source, place / folder)
            subprocess.run([ic2, "--version"], stdout=subprocess.DEVNULL, check=True)
    return ic2


def values(entry, name):
    """The values that an entry of the journal has under a name; None if it has none."""
    found = entry.get(name)
    return Values(found["mxc"], round(found["kat"] * 1000), found["mitigation"]) if isinstance(found, dict) else None


class Agent:
    """One agent of a tier, over restarts."""

    def __init__(self, tier, ic2):
        self.tier, self.ic2 = tier, ic2
        self.state = tier.place / "state"
        self.state.mkdir()
        self.config, self.log = tier.place / "ic2.yaml", tier.place / "agent.log"
        self.journal = self.state / "journal.jsonl"
        (tier.place / "classifier.json").write_text(json.dumps(CLASSIFIER))
        (tier.place / "probe").write_text(PROBE)
        (tier.place / "probe").chmod(0o755)
        self.process = None
        self.knowledge = ic2.parent.parent / "state.json"

    def configure(self, interval="200ms", levers="max-request-workers, keep-alive-timeout, mitigation", model="classifier.json",
                  journal=None):
        way = f"helper: {self.tier.socket}" if self.tier.way == "helper" else f"apachectl: {self.tier.command}"
        self.config.write_text(CONFIG.format(interval=interval, place=self.tier.place, port=self.tier.port, way=way, levers=levers,
                                             model=model, journal=journal or self.journal))

    def learn(self):
        """In quiet, by the first who comes: every trial begins with the knowledge of what is normal."""
        with (self.knowledge.parent / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if self.knowledge.exists():
                return
            self.fresh()
            self.start()
            known = eventually(lambda: self.status().get("medians", {}).get("count", 0) >= 22, 180, every=0.1)
            self.process.terminate()
            self.process.wait(180)
            if not known:
                raise RuntimeError("the agent learns nothing: " + self.log.read_text()[-3000:])
            shutil.copy(self.state / "state.json", self.knowledge)

    def fresh(self):
        """A new journal, nothing logged, the configuration as it was."""
        for path in list(self.state.iterdir()) + list(self.tier.place.glob("other*")):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        self.log.write_text("")
        self.configure()
        if self.knowledge.exists():
            shutil.copy(self.knowledge, self.state)

    # -- its life ------------------------------------------------------------------------------------------------------

    def run(self, *words, log=None):
        with (log or self.log).open("a") as out:
            return subprocess.Popen(["env", "--default-signal", str(self.ic2), *words], stdout=out, stderr=subprocess.STDOUT,
                                    stdin=subprocess.DEVNULL, env=self.tier.environment, start_new_session=True)

    def start(self):
        self.process = self.run("run", "-c", str(self.config))

    def alive(self):
        return self.process is not None and self.process.poll() is None

    def ready(self, within):
        """True as soon as it takes samples; starts it again when it could not start, as the unit says."""
        def sampling():
            if not self.alive():
                time.sleep(0.3)
                self.start()
            return "sample" in self.status()
        return eventually(sampling, within, every=0.05)

    def signal(self, number):
        if self.alive():
            send([self.process.pid], number)

    def after_stop(self):
        """What the unit runs when the agent has ended."""
        for line in setting(UNIT, "ExecStopPost"):
            words = line.lstrip("-+!").split()
            own = {"/usr/bin/ic2-baseline": BASELINE_PROGRAM, "/usr/bin/ic2": self.ic2, "/var/lib/ic2": self.state}
            with contextlib.suppress(subprocess.TimeoutExpired), self.log.open("a") as out:
                subprocess.run([*(own.get(word, word) for word in words), "-c", self.config], stdout=out, stderr=subprocess.STDOUT, timeout=STOP_SECONDS,
                               env={**self.tier.environment, "SERVICE_RESULT": "success"}, check=False)

    # -- what it says --------------------------------------------------------------------------------------------------

    def ask(self, seconds=5, **request):
        with socket.socket(socket.AF_UNIX) as channel:
            channel.settimeout(seconds)
            channel.connect(str(self.state / "control.sock"))
            channel.sendall(json.dumps(request).encode() + b"\n")
            channel.shutdown(socket.SHUT_WR)
            answer = b""
            while chunk := channel.recv(65536):
                answer += chunk
        return json.loads(answer)

    def status(self):
        try:
            return self.ask(verb="status").get("status", {})
        except (OSError, ValueError):
            return {}

    def entries(self):
        """The journal's lines; one that is no JSON is an entry of the kind "broken"."""
        found = []
        with contextlib.suppress(FileNotFoundError):
            for line in self.journal.read_text(errors="replace").split("\n"):
                if not line:
                    continue
                try:
                    found.append(json.loads(line))
                except ValueError:
                    found.append({"kind": "broken", "text": line})
        return found

    def said(self, text):
        return text in self.log.read_text(errors="replace")


def believed(entries):
    """What the journal says is in force: of the last entry that knows it."""
    for entry in reversed(entries):
        known = values(entry, "configuration")
        if known and entry["kind"] in ("start", "applied", "failed", "stop"):
            return known
    return BASELINE
