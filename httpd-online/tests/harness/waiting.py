# SPDX-License-Identifier: Apache-2.0
"""Waiting for conditions, never for time."""

import time

PATIENCE = 60       # s: what has not come by then does not come, however busy the machine is


def eventually(condition, *, within, what, every=0.01):
    """Returns the first true value of condition(); fails after `within` seconds, or PATIENCE, saying `what` was awaited."""
    within = max(within, PATIENCE)
    end = time.monotonic() + within
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise AssertionError(f"not within {within:.1f} s: {what() if callable(what) else what}")
        time.sleep(every)


def always(condition, *, during, what, every=0.02):
    """Fails as soon as condition() is false within `during` seconds."""
    end = time.monotonic() + during
    while time.monotonic() < end:
        assert condition(), what() if callable(what) else what
        time.sleep(every)
