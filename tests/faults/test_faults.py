# SPDX-License-Identifier: Apache-2.0
"""The short form of the fault suite: what once went wrong, and a few trials of a fixed seed. The long form: make test-faults."""
import os
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import plans  # noqa: E402
from lane import KINDS, Lane, repeat  # noqa: E402

SEED = "short"
DRAWN = 4


def trials():
    """Those of one tier go to one of pytest's workers."""
    for name, mpm, way, steps in plans.KNOWN:
        yield pytest.param(mpm, way, steps, id=name.replace(" ", "_"), marks=pytest.mark.xdist_group(f"{mpm}-{way}"))
    for number in range(DRAWN):
        mpm, way = KINDS[number % len(KINDS)]
        yield pytest.param(mpm, way, number, id=f"{SEED}_{number}", marks=pytest.mark.xdist_group(f"{mpm}-{way}"))


@pytest.fixture(scope="session")
def lane(tmp_path_factory):
    base = tmp_path_factory.getbasetemp()
    running = Lane((base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "ic2-faults")
    yield running
    running.close()


@pytest.mark.parametrize("mpm, way, steps", trials())
def test_the_tier_is_restored(lane, mpm, way, steps):
    steps = lane.draw(SEED, steps)[2] if isinstance(steps, int) else steps.split("; ")
    if not lane.mounts and any(step.startswith(("fill", "readonly")) for step in steps):
        pytest.skip("only root can mount the small disks that it needs")
    violation, notes, _ = lane.run(mpm, way, steps)
    print(", ".join(notes))
    assert violation is None, f"{violation}\n{repeat(mpm, way, steps)}"
