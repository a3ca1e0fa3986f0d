# SPDX-License-Identifier: Apache-2.0
"""`ic2-host` over the guests of a test: configuration, life and what it says."""

import json
import pathlib
import signal
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
COMMAND = ROOT / "bin" / "ic2-host"
JAR = ROOT / "host-agent" / "target" / "ic2-host.jar"
PATIENCE_S = 60


def joint(guests, knobs="[cap, memory]", period="1s", rules=None, more=""):
    """A configuration with the joint controller over all guests."""
    names = list(guests.guests)
    rule = "{class: LS1, memory: [32MiB, 256MiB], cpu: [0.1, 0.9]}"
    return (f"backend: {{type: cgroup, groups: {guests.name}}}\n"
            "guests:\n" + "".join(f"  {name}: {(rules or {}).get(name, rule)}\n" for name in names) +
            f"controllers:\n  joint: {{guests: [{', '.join(names)}], knobs: {knobs}, period: {period}{more}}}\n"
            "journal: journal.jsonl\n")


class HostAgent:
    """One running agent in a directory of its own."""

    patience_s = PATIENCE_S

    def __init__(self, directory, config, environment=None):
        self.environment = environment
        self.directory = pathlib.Path(directory)
        self.directory.mkdir(parents=True, exist_ok=True)
        self.config = self.directory / "host.yaml"
        self.config.write_text(config)
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

    def await_true(self, condition, what):
        deadline = time.monotonic() + self.patience_s
        while not condition():
            assert self.process is None or self.process.poll() is None, f"the agent has ended: {self.log()}"
            assert time.monotonic() < deadline, f"never came true: {what}\n{self.log()}" + self.verb("status").stdout
            time.sleep(0.05)
