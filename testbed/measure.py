# SPDX-License-Identifier: Apache-2.0
"""Runs an experiment on a testbed that is up: load, neighbours and settings after one plan, then tables and plots."""

import csv
import os
import signal
import subprocess
import time
from pathlib import Path

from . import bed, cgroups, svg, windows
from .errors import TestbedError, tail
from .layout import ROOT
from .plan import BASE, BASE_PHP, schedule

END_S = 2
CALIBRATION_USERS = 40
CALIBRATION_S = 10
PLOTTED = ("response_time", "response_time_p95", "interactive_response_time", "throughput", "cpu_per_operation",
           "oldest_wait")
ALONE = "alone"


class Harness:
    """One run of one experiment. `say` gets a line per slot."""

    def __init__(self, layout, known, experiment, seed, users, say=print):
        self.layout, self.known, self.experiment, self.users, self.say = layout, known, experiment, users, say
        self.slots = experiment.slots(seed)
        self.seed = seed
        self.out = _new_directory(layout.results / experiment.name)
        hierarchies = cgroups.find_hierarchies()
        self.web, self.neighbour = (cgroups.group_of(hierarchies, layout.name, r) for r in ("web", "neighbour"))
        self.php = BASE_PHP
        self.children = []

    def run(self):
        """Measures; returns [(slot, result)]. The base setting is back at the end, whatever happens."""
        bed.enter_outside(self.known)
        try:
            load = self._start_load()
            begin = self._load_start(load) + self.experiment.ramp_up
            self._start_neighbours(begin)
            edges = [self._slot(slot, begin + i * self.experiment.slot_length) for i, slot in enumerate(self.slots)]
            self._await_end(load)
        finally:
            self._end()
        rows = windows.read_intervals((self.out / "load" / "intervals.csv").read_text())
        try:
            return [(slot, windows.window(rows, *pair, self.experiment.interval))
                    for slot, pair in zip(self.slots, edges)]
        except ValueError as e:
            raise TestbedError(f"{self.out}/load/intervals.csv: {e}; was the load interrupted?") from e

    def _start_load(self):
        e = self.experiment
        steady = len(self.slots) * e.slot_length + END_S
        return self._start(load_command(self.layout, self.out, self.users, e.ramp_up, steady, e.interval)
                           + ["--seed", str(self.seed)], "load.log")

    def _start(self, command, log):
        with open(self.out / log, "wb") as output:
            child = subprocess.Popen([str(c) for c in command], stdin=subprocess.DEVNULL, stdout=output,
                                     stderr=subprocess.STDOUT, start_new_session=True)
        self.children.append(child)
        return child

    def _load_start(self, load):
        """When the load's ramp-up began, by its own first line."""
        file = self.out / "load" / "intervals.csv"
        deadline = time.monotonic() + 60 + 2 * self.experiment.interval
        while time.monotonic() < deadline and load.poll() is None:
            if file.exists():
                rows = windows.read_intervals(file.read_text())
                if rows:
                    return rows[0]["time"] - rows[0]["elapsed"]
            time.sleep(0.05)
        raise TestbedError(f"the load did not start; {self.out}/load.log ends with:{tail(self.out / 'load.log')}")

    def _start_neighbours(self, begin):
        for neighbour in dict.fromkeys(s.neighbour for s in self.slots if s.neighbour):
            length = self.experiment.slot_length
            own = bed.neighbour_command(self.known, neighbour.placement, [
                "--log", str(self.out / "neighbour.csv"), "--start-at", f"{begin:.3f}",
                "--duration", f"{len(self.slots) * length}s", "-s", schedule(self.slots, neighbour, length),
                "--", *neighbour.command])
            self._start(own, f"neighbour-{len(self.children)}.log")

    def _slot(self, slot, begin):
        """Sets the arm at the slot's start and reads the counters at the edges of its window."""
        experiment = self.experiment
        _sleep_until(begin)
        bed.reconfigure(self.known, **slot.arm.values)
        php = slot.arm.php or BASE_PHP
        if php != self.php:
            bed.change_php_children(self.known, php)
            self.php = php
        _sleep_until(begin + experiment.settle)
        before = self._counters()
        _sleep_until(begin + experiment.slot_length)
        after = self._counters()
        self._check(slot)
        return before, after

    def _check(self, slot):
        dead = [c.args[0] for c in self.children if c.poll()]
        if dead:
            logs = "".join(f"\n  {log}:{tail(log)}" for log in sorted(self.out.glob("*.log")))
            raise TestbedError(f"{', '.join(dead)} ended in the middle of the experiment{logs}")
        self.say(f"  round {slot.round}: {slot.arm.label:<12} {slot.neighbour.label if slot.neighbour else ALONE}")

    def _counters(self):
        busy, steal = _cpu_times(self.known["cpus"]["web"])
        return windows.Counters(time.time(), cgroups.cpu_use(self.web), cgroups.cpu_use(self.neighbour),
                                cgroups.cpu_full_stall(self.web), busy, steal)

    def _await_end(self, load):
        try:
            load.wait(60)
        except subprocess.TimeoutExpired:
            raise TestbedError("the load did not end in time") from None
        if load.returncode:
            raise TestbedError(f"the load failed; {self.out}/load.log ends with:{tail(self.out / 'load.log')}")

    def _end(self):
        for child in self.children:
            if child.poll() is None:
                child.send_signal(signal.SIGTERM)
        for child in self.children:
            try:
                child.wait(15)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()
        bed.reconfigure(self.known, **BASE)
        if self.php != BASE_PHP:
            bed.change_php_children(self.known, BASE_PHP)


def load_command(layout, out, users, ramp_up_s, steady_s, interval_s):
    """ic2-load on this testbed, its files below `out`/load."""
    return [ROOT / "bin" / "ic2-load", "run", "-f", layout.run_xml, "--out", out / "load", "--users", str(users),
            "--ramp-up", f"{ramp_up_s}s", "--steady", f"{steady_s}s", "--ramp-down", "1s",
            "--runtime-stats", f"{interval_s}s"]


def calibrate(layout, known, target):
    """How many users need `target` of the tier's CPU when nobody disturbs it: measures CPU per operation under a light
    load. Returns (users, CPU milliseconds per operation)."""
    bed.enter_outside(known)
    out = _new_directory(layout.results / "calibrate")
    group = cgroups.group_of(cgroups.find_hierarchies(), layout.name, "web")
    if not group.usage:
        raise TestbedError("this machine has no v2 hierarchy that counts the CPU use of a cgroup; choose --users")
    command = load_command(layout, out, CALIBRATION_USERS, CALIBRATION_S, CALIBRATION_S, CALIBRATION_S)
    with open(out / "load.log", "wb") as log:
        child = subprocess.Popen([str(c) for c in command], stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        try:
            rows, used = [], []
            while len(rows) < 2:  # the first line ends the ramp-up, the second the steady state
                if child.poll() not in (None, 0):
                    raise TestbedError(f"the load failed; {out}/load.log ends with:{tail(out / 'load.log')}")
                time.sleep(0.02)
                file = out / "load" / "intervals.csv"
                new = windows.read_intervals(file.read_text()) if file.exists() else []
                if len(new) > len(rows):
                    rows = new
                    used.append(cgroups.cpu_use(group))
            child.wait(60)
        finally:
            if child.poll() is None:
                child.kill()
                child.wait()
    operations = rows[1]["throughput"] * (rows[1]["time"] - rows[0]["time"])
    cost = (used[1] - used[0]) / operations
    cycle = known["options"]["think_ms"] / 1000
    return max(1, round(target * cycle / cost)), 1000 * cost


def write_results(out, experiment, measured):
    """windows.csv (every window), table.md, plot.svg. Returns the table."""
    labelled = [(slot.arm.label, slot.neighbour.label if slot.neighbour else ALONE, result)
                for slot, result in measured]
    with open(out / "windows.csv", "w", newline="") as file:
        names = list(labelled[0][2])
        writer = csv.writer(file)
        writer.writerow(["round", "setting", "neighbour", "placement", "disturbed", *names])
        for (slot, result), (arm, neighbour, _) in zip(measured, labelled):
            placement = slot.neighbour.placement if slot.neighbour else ""
            writer.writerow([slot.round, arm, neighbour, placement, int(windows.disturbed(result)),
                             *("" if result[n] is None else f"{result[n]:.6g}" for n in names)])
    order = {arm.label: i for i, arm in enumerate(experiment.arms)}
    place = {ALONE if n is None else n.label: i for i, n in enumerate(experiment.neighbours)}
    labelled.sort(key=lambda entry: (order[entry[0]], place[entry[1]]))
    table = windows.markdown(labelled, experiment.x_label)
    (out / "table.md").write_text(table)
    (out / "plot.svg").write_text(plot(experiment, labelled))
    return table


def plot(experiment, labelled):
    """One panel per quantity, one position per setting, one series per neighbour."""
    panels = []
    names = list(dict.fromkeys(arm for arm, _, _ in labelled))
    for column in PLOTTED:
        heading, unit, _ = windows.COLUMNS[column]
        series = {}
        for (arm, neighbour), cell in windows.summary(labelled, column).items():
            series.setdefault(neighbour, {})[arm] = (cell.mean, cell.low, cell.high)
        panels.append(svg.Panel(f"{heading} ({unit})", names, series))
    return svg.figure(experiment.title, experiment.x_label, panels)


def _new_directory(base):
    number = 1
    while True:
        try:
            (base / str(number)).mkdir(parents=True)
            return base / str(number)
        except FileExistsError:
            number += 1


def _sleep_until(when):
    left = when - time.time()
    if left > 0:
        time.sleep(left)


def _cpu_times(cpu):
    """(busy, steal) seconds of one CPU so far, from /proc/stat."""
    for line in Path("/proc/stat").read_text().splitlines():
        if line.startswith(f"cpu{cpu} "):
            ticks = [int(t) for t in line.split()[1:9]]  # user nice system idle iowait irq softirq steal
            hz = os.sysconf("SC_CLK_TCK")
            return (sum(ticks[:3]) + ticks[5] + ticks[6]) / hz, ticks[7] / hz
    raise TestbedError(f"/proc/stat: no line for cpu{cpu}")
