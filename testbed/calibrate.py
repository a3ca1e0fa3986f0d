# SPDX-License-Identifier: Apache-2.0
"""How many users a machine bears: measures what an operation costs, by the load's own lines and the tier's CPU use."""

import subprocess
import time
from dataclasses import dataclass

from . import bed, cgroups
from .errors import TestbedError, tail
from .layout import ROOT

ROUNDS = 5
FULL = 0.99


@dataclass(frozen=True)
class Care:
    """How long a number of users is measured, after as long a ramp-up, and what share of the CPU is near enough."""

    steady_s: int = 10
    near: float = 0.03


QUICK = Care(5, 0.08)


@dataclass(frozen=True)
class Load:
    """What a number of users made of the tier: its use of its CPU, 0 to 1, and CPU seconds per operation."""

    users: int
    share: float
    cost: float


def calibrate(layout, known, target, care=Care()):
    """How many users take `target` of the tier's CPU when nobody disturbs it. The users that it has are tried; an operation costs
    more the busier the tier is, so what they say is tried too, and corrected, until the share that is taken is near. Returns the
    nearest Load."""
    bed.enter_outside(known)
    out = _new_directory(layout.results / "calibrate")
    group = cgroups.group_of(cgroups.find_hierarchies(), layout.name, "web", hosted=known["options"].get("hosted", False))
    if not group.usage:
        raise TestbedError("this machine has no v2 hierarchy that counts the CPU use of a cgroup; choose --users")
    return search(target, known["options"]["users"], lambda users: _measure(layout, group, users, out / f"load-{users}", care.steady_s),
                  care.near)


def search(target, users, measure, near=Care.near):
    """The nearest of the loads that `measure` made of numbers of users, each in proportion to what the one before took. Of more
    than the CPU bears nothing is known but that it is too much: half of it is tried."""
    loads = {}
    while users not in loads and len(loads) < ROUNDS:
        loads[users] = load = measure(users)
        if abs(load.share - target) <= near:
            break
        too_many = min(each.share for each in loads.values()) >= FULL
        users = max(1, users // 2 if too_many else round(users * target / load.share))
    return min(loads.values(), key=lambda load: abs(load.share - target))


def said(load, target, near=Care.near):
    """What was found, and that it is not what was asked for if it is not."""
    far = "" if abs(load.share - target) <= near else ", the nearest of all tries: what an operation costs here changes from one to the next"
    return f"{1000 * load.cost:.2f} ms of CPU per operation: {load.users} users need {load.share:.2f} of the CPU (asked: {target:g}{far})"


def _measure(layout, group, users, out, steady_s):
    """Some seconds of so many users."""
    command = [ROOT / "bin" / "ic2-load", "run", "-f", layout.run_xml, "--out", out, "--users", str(users),
               "--ramp-up", f"{steady_s}s", "--steady", f"{steady_s}s", "--ramp-down", "1s",
               "--runtime-stats", f"{steady_s}s"]
    said = out.with_suffix(".log")
    with open(said, "wb") as log:
        child = subprocess.Popen([str(c) for c in command], stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        try:
            rows, used = [], []
            while len(rows) < 2:  # the first line ends the ramp-up, the second the steady state
                if child.poll() not in (None, 0):
                    raise TestbedError(f"the load failed; {said} ends with:{tail(said)}")
                time.sleep(0.02)
                file = out / "intervals.csv"
                new = read_intervals(file.read_text()) if file.exists() else []
                if len(new) > len(rows):
                    rows = new
                    used.append(cgroups.cpu_use(group))
            child.wait(60)
        finally:
            if child.poll() is None:
                child.kill()
                child.wait()
    seconds, cpu = rows[1]["time"] - rows[0]["time"], used[1] - used[0]
    if not rows[1]["throughput"] or not cpu:
        raise TestbedError(f"{users} users completed nothing; {said} ends with:{tail(said)}")
    return Load(users, cpu / seconds, cpu / (rows[1]["throughput"] * seconds))


def read_intervals(text):
    """The load's CSV as dicts of numbers; an empty field is None. The file may still grow: a line without its end, or
    a file without its header, is not there yet."""
    lines = text[:text.rfind("\n") + 1].splitlines()
    names = lines[0].split(",") if lines else []
    return [{name: _number(field) for name, field in zip(names, line.split(","), strict=True)} for line in lines[1:]]


def _number(text):
    if text == "":
        return None
    try:
        return float(text)
    except ValueError:
        return text


def _new_directory(base):
    number = 1
    while True:
        try:
            (base / str(number)).mkdir(parents=True)
            return base / str(number)
        except FileExistsError:
            number += 1
