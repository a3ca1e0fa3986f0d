# SPDX-License-Identifier: Apache-2.0
"""`ic2-host` over the guests of a test: configuration, life and what it says."""

import json
import os
import pathlib
import signal
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
COMMAND = ROOT / "bin" / "ic2-host"
JAR = ROOT / "host" / "agent" / "target" / "ic2-host.jar"
PATIENCE_S = float(os.environ.get("HOST_PATIENCE", "300"))    # each look at the agent is a start of Java; an interpreted machine needs more

# Weights by class, whatever the load is.
SCHEDULE = "  schedule: {knobs: [weight], library: regions.json, period: 1s, confirm: 1}\n"
FEATURES = ("cpu_percent", "vcpu_ratio", "vm_count", "net_mbit")
WEIGHTS = {"LS1": 512, "LS2": 448, "LS3": 384, "NLS": 320}


def library(weights=None):
    """One region that holds every load."""
    nought, one = dict.fromkeys(FEATURES, 0), dict.fromkeys(FEATURES, 1)
    settings = {"weights": weights or WEIGHTS, "base_cost": 1, "cost": 1, "held_out_gain": 0, "provenance": "written by hand"}
    region = {"centre": nought, "radius": 1e12, "points": 1, "settings": settings}
    return json.dumps({"format": 1, "scaling": {"kind": "none", "mean": nought, "spread": one}, "silhouette": 0, "regions": [region]})


def joint(guests, knobs="[cap, memory]", period="1s", rules=None, more="", host="", controllers=""):
    """A configuration with the joint controller over all guests, or those of `rules`, and other controllers."""
    names = list(rules or guests.guests)
    rule = "{class: LS1, memory: [32MiB, 256MiB], cpu: [0.1, 0.9]}"
    return (f"backend: {{type: cgroup, groups: {guests.name}}}\n{host}"
            "guests:\n" + "".join(f"  {name}: {(rules or {}).get(name, rule)}\n" for name in names) +
            f"controllers:\n  joint: {{guests: [{', '.join(names)}], knobs: {knobs}, period: {period}, take: always{more}}}\n{controllers}"
            "journal: journal.jsonl\n")


class HostAgent:
    """One running agent in a directory of its own."""

    patience_s = PATIENCE_S

    def __init__(self, directory, config, environment=None, weights=None):
        self.environment = environment
        self.directory = pathlib.Path(directory)
        self.directory.mkdir(parents=True, exist_ok=True)
        self.config = self.directory / "host.yaml"
        self.config.write_text(config)
        (self.directory / "regions.json").write_text(library(weights))
        self.process = None

    def start(self, mode, *words):
        log = open(self.directory / "log", "ab")
        with log:
            self.process = subprocess.Popen([COMMAND, "run", "-c", self.config, "--mode", mode, *words], stdout=log, stderr=log,
                                            env=self.environment)
        return self

    def verb(self, *words):
        return subprocess.run([COMMAND, *words, "-c", self.config], capture_output=True, text=True, timeout=self.patience_s,
                              env=self.environment)

    def status(self):
        """What it says of itself; None while it does not."""
        result = self.verb("status", "--json")
        return json.loads(result.stdout) if result.returncode == 0 else None

    def log(self):
        return (self.directory / "log").read_text()

    def end(self, number=signal.SIGTERM):
        """Ends it; the exit status."""
        if self.process is None:
            return None
        if self.process.poll() is None:
            self.process.send_signal(number)
        status = self.process.wait(self.patience_s)
        self.process = None
        return status

    def await_true(self, condition, what, pause_s=0.05):
        deadline = time.monotonic() + self.patience_s
        while not condition():
            assert self.process is None or self.process.poll() is None, f"the agent has ended: {self.log()}"
            assert time.monotonic() < deadline, f"never came true: {what}\n{self.log()}" + self.verb("status").stdout
            time.sleep(pause_s)
