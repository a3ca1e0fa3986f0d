# SPDX-License-Identifier: Apache-2.0
"""Guests that are gone again after each test; without root or control groups the tests are skipped."""

import pathlib
import sys
import time

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "host" / "testbed"))

import guests as groups  # noqa: E402

PATIENCE_S = 300


@pytest.fixture
def guests():
    try:
        made = groups.Guests().__enter__()
    except groups.TestbedError as e:
        pytest.skip(str(e))
    try:
        yield made
    finally:
        made.__exit__()


def await_true(condition, what, patience_s=PATIENCE_S):
    deadline = time.monotonic() + patience_s
    while not condition():
        assert time.monotonic() < deadline, f"never came true: {what}"
        time.sleep(0.02)
