# SPDX-License-Identifier: Apache-2.0
"""Waiting for conditions, never for time."""

import time

PATIENCE = 300      # s: what has not come by then does not come, however busy the machine is


def eventually(condition, *, what, every=0.01, patience=PATIENCE):
    """Returns the first true value of condition(); fails when patience is at its end, saying `what` was awaited. It promises nothing
    about how soon that comes: what must be fast is measured."""
    end = time.monotonic() + patience
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise AssertionError(f"not within {patience:g} s: {what() if callable(what) else what}")
        time.sleep(every)


def always(condition, *, during, what, every=0.02):
    """Fails as soon as condition() is false within `during` seconds."""
    end = time.monotonic() + during
    while time.monotonic() < end:
        assert condition(), what() if callable(what) else what
        time.sleep(every)
