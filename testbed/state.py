# SPDX-License-Identifier: Apache-2.0
"""testbed.json: what runs and where; other programs (agent, training) read it."""

import contextlib
import fcntl
import json
import os

from .errors import TestbedError
from .processes import Process

VERSION = 1


def read(layout):
    """The state, or None if the testbed is not up. A damaged file counts as not up: `up` and `down` clean up anyway."""
    try:
        state = json.loads(layout.json.read_text())
    except FileNotFoundError:
        return None
    except (ValueError, OSError):
        return None
    return state if isinstance(state, dict) and state.get("version") == VERSION else None


def write(layout, state):
    """Replaces the file in one step, so that a reader never sees half of it."""
    temporary = layout.json.with_suffix(".json.new")
    temporary.write_text(json.dumps(state, indent=2) + "\n")
    os.replace(temporary, layout.json)


def processes(state):
    """Service name -> Process."""
    return {name: Process(p["pid"], p["start"]) for name, p in state["processes"].items()}


def dead(state):
    """Names of the services that should run and do not."""
    return [name for name, p in processes(state).items() if not p.alive()]


@contextlib.contextmanager
def locked(layout):
    """Only one `up` or `down` at a time for one testbed."""
    layout.lock.parent.mkdir(parents=True, exist_ok=True)
    with open(layout.lock, "w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise TestbedError(f"another `testbed up` or `down` is at work on {layout.asked}; wait for it") from None
        try:
            yield
        finally:
            layout.lock.unlink(missing_ok=True)
