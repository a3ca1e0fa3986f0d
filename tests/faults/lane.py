# SPDX-License-Identifier: Apache-2.0
"""Runs trials one after the other, on one tier for each server and way."""
import contextlib
import ctypes
import os
import pathlib
import subprocess
import tempfile
import time

import plans
from agent import Agent, install
from tier import ROOT, Tier
from trial import Disks, Trial, Violation

KINDS = [(mpm, way) for mpm in ("worker", "event") for way in ("direct", "helper")]
NEW_MOUNTS = 0x00020000


def httpd_prefix():
    return pathlib.Path(os.environ.get("HTTPD_PREFIX") or ROOT / "build" / "httpd").resolve()


def own_mounts():
    """True if small disks can be mounted that no other process sees: for root, in a mount namespace of this process."""
    if os.geteuid() != 0 or ctypes.CDLL(None).unshare(NEW_MOUNTS) != 0:
        return False
    return subprocess.run(["mount", "--make-rprivate", "/"], stderr=subprocess.DEVNULL, check=False).returncode == 0


class Lane:
    """The tiers of one process; each is made when a trial first needs it."""

    def __init__(self, installed):
        self.mounts = own_mounts()
        self.stack = contextlib.ExitStack()
        self.place = pathlib.Path(self.stack.enter_context(tempfile.TemporaryDirectory(prefix="ic2-faults-")))
        self.place.chmod(0o755)
        self.ic2 = install(installed)
        self.tiers = {}

    def tier(self, mpm, way):
        if (mpm, way) not in self.tiers:
            tier = Tier(self.place / f"{mpm}-{way}", httpd_prefix(), mpm, way)
            self.stack.callback(tier.close)
            agent = Agent(tier, self.ic2)
            disks = Disks(tier, agent) if self.mounts else None
            if disks:
                self.stack.callback(disks.close)
            agent.learn()
            self.tiers[mpm, way] = tier, agent, disks
        return self.tiers[mpm, way]

    def run(self, mpm, way, steps):
        """None, or what was violated, as text; and the notes of the trial."""
        trial = Trial(*self.tier(mpm, way))
        begun = time.monotonic()
        try:
            trial.run(steps)
            return None, trial.notes, time.monotonic() - begun
        except Violation as violation:
            return f"{violation}\n{trial.told()}", trial.notes, time.monotonic() - begun
        except Exception as error:      # the suite's own, or a part that broke in an unforeseen way
            return f"{type(error).__name__}: {error}\n{trial.told()}", trial.notes, time.monotonic() - begun

    def draw(self, seed, number):
        mpm, way = KINDS[number % len(KINDS)]
        return mpm, way, plans.plan(seed, number, way, self.mounts)

    def close(self):
        self.stack.close()


def repeat(mpm, way, steps):
    return f"tests/faults/run --mpm {mpm} --way {way} --steps '{'; '.join(steps)}'"
