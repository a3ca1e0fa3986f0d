# SPDX-License-Identifier: Apache-2.0
"""How many users a machine bears: measures what an operation costs, by the load's own lines and the tier's CPU use."""

import subprocess
import time

from . import bed, cgroups
from .errors import TestbedError, tail
from .layout import ROOT

USERS = 40
STEADY_S = 10


def calibrate(layout, known, target):
    """How many users need `target` of the tier's CPU when nobody disturbs it: measures CPU per operation under a light
    load. Returns (users, CPU milliseconds per operation)."""
    bed.enter_outside(known)
    out = _new_directory(layout.results / "calibrate")
    group = cgroups.group_of(cgroups.find_hierarchies(), layout.name, "web")
    if not group.usage:
        raise TestbedError("this machine has no v2 hierarchy that counts the CPU use of a cgroup; choose --users")
    command = [ROOT / "bin" / "ic2-load", "run", "-f", layout.run_xml, "--out", out / "load", "--users", str(USERS),
               "--ramp-up", f"{STEADY_S}s", "--steady", f"{STEADY_S}s", "--ramp-down", "1s",
               "--runtime-stats", f"{STEADY_S}s"]
    with open(out / "load.log", "wb") as log:
        child = subprocess.Popen([str(c) for c in command], stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        try:
            rows, used = [], []
            while len(rows) < 2:  # the first line ends the ramp-up, the second the steady state
                if child.poll() not in (None, 0):
                    raise TestbedError(f"the load failed; {out}/load.log ends with:{tail(out / 'load.log')}")
                time.sleep(0.02)
                file = out / "load" / "intervals.csv"
                new = read_intervals(file.read_text()) if file.exists() else []
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
