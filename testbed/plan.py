# SPDX-License-Identifier: Apache-2.0
"""Which setting is measured when, beside which neighbour.

The state of a shared machine drifts by the minute, so two settings measured one after the other say little. An
experiment is therefore one long run of the load, cut into slots of equal length; each round gives every pair of
setting and neighbour one slot, in random order. A slot begins with a time to settle that is not counted."""

import random
from dataclasses import dataclass

from .errors import TestbedError


@dataclass(frozen=True)
class Neighbour:
    """An interfering program and where it runs."""

    label: str
    placement: str  # same-core or other-core
    command: tuple  # such as ("llcprobe", "--size", "32MiB")


@dataclass(frozen=True)
class Arm:
    """One setting of the web tier. `values` go to `apachectl reconfigure`, `php` (if any) to the PHP pool."""

    label: str
    values: dict
    php: int | None = None


@dataclass(frozen=True)
class Slot:
    """One stretch of time: a round, a setting, a neighbour (None: alone)."""

    round: int
    arm: Arm
    neighbour: Neighbour | None


@dataclass(frozen=True)
class Experiment:
    """A question, its settings and neighbours. Times in seconds; `window` must be a multiple of `interval`."""

    name: str
    title: str
    x_label: str
    arms: tuple
    neighbours: tuple  # None means: no neighbour
    rounds: int = 3
    interval: int = 5  # of the load's statistics
    settle: int = 5
    window: int = 10
    ramp_up: int = 20  # the largest neighbour touches 3 GB in this time

    @property
    def slot_length(self):
        return self.settle + self.window

    def slots(self, seed):
        """All rounds, each in its own random order; the same seed gives the same order."""
        chance = random.Random(seed)
        plan = []
        for number in range(1, self.rounds + 1):
            pairs = [Slot(number, arm, n) for arm in self.arms for n in self.neighbours]
            chance.shuffle(pairs)
            plan += pairs
        return plan


def schedule(slots, neighbour, slot_length):
    """The plan of one neighbour as `neighbour -s` reads it: when it is on, when off, over the whole run."""
    phases = []
    for slot in slots:
        on = slot.neighbour == neighbour
        if phases and phases[-1][0] == on:
            phases[-1][1] += slot_length
        else:
            phases.append([on, slot_length])
    return ", ".join(f"{length}s {'on' if on else 'off'}" for on, length in phases)


LLC = Neighbour("llcprobe 32MiB, same core", "same-core", ("llcprobe", "--size", "32MiB"))
BASE = {"MaxRequestWorkers": 240, "KeepAliveTimeout": 1, "MITIGATION": 0}
BASE_PHP = 60
SHORT = {"interval": 4, "settle": 4, "window": 8}  # many settings still fit into eight minutes


def _arm(label, php=None, **values):
    return Arm(label, {**BASE, **values}, php)


def experiments():
    """The measured baseline of docs/testbed.md, by name."""
    neighbours = tuple(
        Neighbour(f"{label}, {place.replace('-', ' ')}", place, command)
        for place in ("same-core", "other-core")
        for label, command in (("dcopy 20MB", ("dcopy", "--size", "20MB")),
                               ("dcopy 1.5GB", ("dcopy", "--size", "1.5GB")),
                               ("llcprobe 32MiB", ("llcprobe", "--size", "32MiB"))))
    both = (None, LLC)
    all_of = (
        Experiment("effect", "The recommended setting, alone and beside the neighbour", "setting", (_arm("base"),),
                   both, ramp_up=10),
        Experiment("neighbours", "The tier alone and beside each neighbour", "setting", (_arm("base"),),
                   (None, *neighbours)),
        Experiment("mxc", "MaxRequestWorkers", "MaxRequestWorkers",
                   tuple(_arm(str(n), MaxRequestWorkers=n) for n in (60, 90, 120, 240)), both, **SHORT),
        Experiment("kat", "KeepAliveTimeout", "KeepAliveTimeout (s)",
                   tuple(_arm(str(t), KeepAliveTimeout=t) for t in ("300ms", "1", "4", "10")), both,
                   **SHORT),
        Experiment("php", "PHP children (pm.max_children, by reload)", "PHP children",
                   tuple(_arm(str(n), php=n) for n in (4, 8, 60)), both, interval=4, settle=8, window=8),
        Experiment("rungs", "The mitigation ladder", "rung",
                   tuple(_arm(str(n), MITIGATION=n) for n in range(5)), both, **SHORT),
        Experiment("starvation", "MaxRequestWorkers below the users with a long KeepAliveTimeout", "MXC / KAT",
                   (_arm("240 / 1 s"), _arm("75 / 1 s", MaxRequestWorkers=75), _arm("240 / 4 s", KeepAliveTimeout=4),
                    _arm("75 / 4 s", MaxRequestWorkers=75, KeepAliveTimeout=4)), both, interval=4, settle=8, window=8),
    )
    return {e.name: e for e in all_of}


def find(name):
    """The experiment of that name, or a message with all names."""
    known = experiments()
    if name not in known:
        raise TestbedError(f"{name}: no such experiment; there are {', '.join(known)}")
    return known[name]
