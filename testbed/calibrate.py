# SPDX-License-Identifier: Apache-2.0
"""How many users a machine bears: measures what an operation costs, by the load's own lines and the tier's CPU use."""

import math
import statistics
import subprocess
import time
from dataclasses import dataclass

from . import bed, cgroups
from .errors import TestbedError, tail
from .layout import ROOT

ROUNDS = 5
FULL = 0.99
MOST_USERS = 5000  # of ic2-load
LOAD_MB, USER_MB = 100, 0.2  # of its memory: faban-drivers/README.md has the measurement
MEMORY_SHARE = 0.5  # of what is available
OWN_LIMIT = 0.9  # a tier that uses so much of its CPU has users waiting without anybody's help
LATE_S, STEAL, OTHERS = 0.25, 0.05, 0.1
WAITING, WAITING_AT_LEAST, LONGEST_CYCLES = 0.25, 3, 3
PATIENCE_S = 60
COLUMNS = ("time", "elapsed", "throughput", "pending_users", "oldest_wait", "generator_lag")


@dataclass(frozen=True)
class Care:
    """How long a number of users is measured, after as long a ramp-up, and what share of the CPU is near enough."""

    steady_s: int = 10
    near: float = 0.03


QUICK = Care(5, 0.08)


@dataclass(frozen=True)
class Load:
    """What a number of users made of the tier."""

    users: int
    share: float          # of its CPU that the tier used, 0 to 1
    cost: float           # CPU seconds per operation; infinite if none was completed
    cycle_s: float = 1.0  # a user who is answered at once asks once in this time
    waiting: int = 0      # users at the end
    oldest_s: float = 0   # the longest wait
    late_s: float = 0     # by which the load itself was late
    steal: float = 0      # share of the tier's CPU that the hypervisor took
    others: float = 0     # and that other programs took

    @property
    def demand(self):
        """The share that these users would take if no other program took any of it."""
        return self.users * self.cost / self.cycle_s

    @property
    def disturbed(self):
        """What shows that not only the tier and its load ran, in words; empty if nothing does."""
        words = []
        if self.others > OTHERS:
            words.append(f"other programs took {self.others:.0%} of the tier's CPU")
        if self.steal > STEAL:
            words.append(f"the hypervisor took {self.steal:.0%} of the tier's CPU")
        if self.late_s > LATE_S:
            words.append(f"the load was late by {self.late_s:.1f} s")
        if self.share < OWN_LIMIT and self.waiting > WAITING_AT_LEAST + WAITING * self.users:
            words.append(f"{self.waiting} of {self.users} users waited while the tier got {self.share:.2f} of its CPU")
        if self.share < OWN_LIMIT and self.oldest_s > LONGEST_CYCLES * self.cycle_s:
            words.append(f"a user waited for {self.oldest_s:.1f} s while the tier got {self.share:.2f} of its CPU")
        if math.isinf(self.cost):
            words.append(f"{self.users} users completed nothing")
        return words


class Unstable(TestbedError):
    """The machine gives no stable answer; `users` is the best estimate, from the `cost` of an operation (None: none was completed)."""

    def __init__(self, users, loads):
        self.users = users
        costs = [load.cost for load in loads if math.isfinite(load.cost)]
        self.cost = statistics.median(costs) if costs else None
        worst = max(loads, key=lambda load: len(load.disturbed))
        super().__init__(f"calibrate: no stable answer, this machine is busy with something else: {', '.join(worst.disturbed)}. "
                         f"Best estimate: {users} users. Repeat it when the machine is quieter, or choose the number: "
                         f"`testbed up --users {users}`, for `make demo` IC2_DEMO_USERS={users}")


def calibrate(layout, known, target, care=Care()):
    """How many users take `target` of the tier's CPU without a neighbour. The users that it has are tried; an operation costs
    more the busier the tier is, so what they say is tried too, and corrected, until the share that is taken is near. Returns the
    nearest Load."""
    bed.enter_outside(known)
    out = _new_directory(layout.results / "calibrate")
    group = cgroups.group_of(cgroups.find_hierarchies(), layout.name, "web", hosted=known["options"].get("hosted", False))
    if not group.usage:
        raise TestbedError("this machine has no v2 hierarchy that counts the CPU use of a cgroup; choose --users")
    tried = iter(range(1, ROUNDS + 1))
    return search(target, known["options"]["users"],
                  lambda users: _measure(layout, known, group, users, out / f"{next(tried)}-load-{users}", care.steady_s),
                  care.near, most_users(available_mb()))


def most_users(available):
    """No more than ic2-load takes, and than half of the memory that is available (MB) holds."""
    return max(1, min(MOST_USERS, int((MEMORY_SHARE * available - LOAD_MB) / USER_MB)))


def available_mb(meminfo="/proc/meminfo"):
    with open(meminfo) as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith("MemAvailable:")) / 1024


def search(target, users, measure, near=Care.near, most=MOST_USERS):
    """The nearest of the loads that `measure` made of numbers of users, each in proportion to what the one before took. Of more
    than the CPU bears nothing is known but that it is too much: half of it is tried. A measurement that was disturbed says only what
    an operation costs; the next one is of the users that this suggests. Raises Unstable where none came near undisturbed."""
    loads, users = [], min(users, most)
    while len(loads) < ROUNDS:
        load = measure(users)
        loads.append(load)
        calm = [each for each in loads if not each.disturbed]
        if load in calm and abs(load.share - target) <= near:
            return load
        users = _next(target, load, calm, most)
        if users in [each.users for each in calm]:
            break
    if not calm or len(calm) < len(loads) and min(abs(each.share - target) for each in calm) > near:
        raise Unstable(_estimate(target, calm or loads, most), loads)
    return min(calm, key=lambda load: abs(load.share - target))


def _next(target, load, calm, most):
    if load not in calm:
        return load.users if math.isinf(load.cost) else _bounded(load.users * target / load.demand, most)
    too_many = min(each.share for each in calm) >= FULL
    return _bounded(load.users / 2 if too_many else load.users * target / load.share, most)


def _estimate(target, loads, most):
    costs = [load.cost for load in loads if math.isfinite(load.cost)]
    return _bounded(target * loads[0].cycle_s / statistics.median(costs), most) if costs else loads[0].users


def _bounded(users, most):
    return min(most, max(1, round(users)))


def said(load, target, near=Care.near):
    """What was found, and that it is not what was asked for if it is not."""
    far = "" if abs(load.share - target) <= near else ", the nearest of all tries: what an operation costs here changes from one to the next"
    return f"{1000 * load.cost:.2f} ms of CPU per operation: {load.users} users need {load.share:.2f} of the CPU (asked: {target:g}{far})"


@dataclass(frozen=True)
class Look:
    """What was so when a line of the load had come: its number, the time, and CPU seconds: the tier's, and of its CPU all, those that
    something ran and those that the hypervisor took."""

    row: int
    time: float
    tier: float
    all: float
    busy: float
    steal: float


def _measure(layout, known, group, users, out, steady_s):
    """Some seconds of this number of users."""
    command = [ROOT / "bin" / "ic2-load", "run", "-f", layout.run_xml, "--out", out, "--users", str(users),
               "--ramp-up", f"{steady_s}s", "--steady", f"{steady_s}s", "--ramp-down", "1s", "--runtime-stats", "1s"]
    said, file = out.with_suffix(".log"), out / "intervals.csv"
    deadline = time.monotonic() + 2 * steady_s + PATIENCE_S
    with open(said, "wb") as log:
        child = subprocess.Popen([str(c) for c in command], stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        try:
            begin = end = None
            while end is None:
                time.sleep(0.02)
                over = child.poll()
                rows = checked(file, read_intervals(file.read_text())) if file.exists() else []
                elapsed = rows[-1]["elapsed"] if rows else 0
                if begin is None and elapsed >= steady_s:
                    begin = _look(known, group, len(rows))
                elif begin and len(rows) > begin.row and (over == 0 or elapsed >= rows[begin.row - 1]["elapsed"] + steady_s - 1):
                    end = _look(known, group, len(rows))
                elif over is not None or time.monotonic() > deadline:
                    raise TestbedError(f"the load failed, or wrote too few lines in {2 * steady_s + PATIENCE_S} s; {said} ends with:"
                                       + tail(said))
            child.wait(PATIENCE_S)
        finally:
            if child.poll() is None:
                child.kill()
                child.wait()
    return load_of(users, rows, begin, end, known["options"]["think_ms"] / 1000)


def _look(known, group, row):
    with open("/proc/stat") as lines:
        cells = next(line.split()[1:9] for line in lines if line.startswith(f"cpu{known['cpus']['web']} "))
    user, nice, system, idle, iowait, irq, softirq, steal = (int(cell) / 100 for cell in cells)
    busy = user + nice + system + irq + softirq
    return Look(row, time.time(), cgroups.cpu_use(group), busy + idle + iowait + steal, busy, steal)


def load_of(users, rows, begin, end, cycle_s):
    """What happened between two looks. What reads the lines may be late, too."""
    window = rows[begin.row:end.row]
    steps = zip(rows[begin.row - 1:], window)
    done = sum(row["throughput"] * (row["elapsed"] - before["elapsed"]) for before, row in steps)
    tier, all_ = end.tier - begin.tier, max(0.01, end.all - begin.all)
    late = [row["generator_lag"] for row in window] + [look.time - rows[look.row - 1]["time"] for look in (begin, end)]
    return Load(users, tier / (end.time - begin.time), tier / done if done > 0 and tier > 0 else math.inf, cycle_s,
                round(window[-1]["pending_users"]), max(row["oldest_wait"] for row in window), max(late),
                (end.steal - begin.steal) / all_, max(0.0, (end.busy - begin.busy - tier) / all_))


def checked(file, rows):
    """The rows, of which all that is needed is a number. An empty field counts as none."""
    for number, row in enumerate(rows, 2):
        for name in COLUMNS:
            value = row.get(name)
            if value is None and name in row:
                row[name] = value = 0.0
            if not isinstance(value, float) or not 0 <= value < math.inf:
                raise TestbedError(f"{file}:{number}: {name}: expected a number from 0 on, got {value!r}; build the load again "
                                   "(make java-apache), and look at its log beside the folder")
    return rows


def read_intervals(text):
    """The load's CSV as dicts of numbers; an empty field is None. The file may still grow: a line without its end, or
    a file without its header, is not there yet."""
    lines = text[:text.rfind("\n") + 1].splitlines()
    names = lines[0].split(",") if lines else []
    for number, line in enumerate(lines[1:], 2):
        if line.count(",") != len(names) - 1:
            raise TestbedError(f"the load's intervals, line {number}: expected {len(names)} fields, got '{line}'")
    return [{name: _number(field) for name, field in zip(names, line.split(","))} for line in lines[1:]]


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
