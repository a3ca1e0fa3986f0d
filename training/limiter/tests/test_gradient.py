# SPDX-License-Identifier: Apache-2.0
"""The limit by itself, with times that are given."""
import ctypes
import os
import pathlib

import pytest

BUILT = pathlib.Path(os.environ.get("LIMITER", pathlib.Path(__file__).resolve().parents[3] / "build" / "limiter"))


class State(ctypes.Structure):
    _fields_ = [("limit", ctypes.c_double), ("usual", ctypes.c_double), ("first_sum", ctypes.c_double), ("first_count", ctypes.c_uint),
                ("window_end", ctypes.c_double), ("window_sum", ctypes.c_double), ("window_count", ctypes.c_uint),
                ("window_most", ctypes.c_uint)]


class Limiter:
    """A second holds a hundred requests."""

    def __init__(self):
        self.code = ctypes.CDLL(str(BUILT / "gradient.so"))
        self.code.gradient_add.argtypes = [ctypes.POINTER(State), ctypes.c_double, ctypes.c_double, ctypes.c_uint]
        self.state, self.now = State(), 1000.0
        self.code.gradient_init(ctypes.byref(self.state))

    def seconds(self, count, took, at_a_time):
        for _ in range(100 * count):
            self.now += 0.01
            self.code.gradient_add(ctypes.byref(self.state), self.now, took, at_a_time)
        return self.limit

    @property
    def limit(self):
        return self.code.gradient_limit(ctypes.byref(self.state))


@pytest.fixture
def limiter():
    return Limiter()


def test_the_limit_stays_where_it_is_not_reached(limiter):
    assert limiter.limit == 20
    assert limiter.seconds(60, took=0.03, at_a_time=5) == 20


def test_the_limit_grows_to_a_bound_while_requests_take_no_longer(limiter):
    grown = limiter.seconds(30, took=0.03, at_a_time=150)
    assert 35 < grown < 60
    assert limiter.seconds(1000, took=0.03, at_a_time=250) == 200


def test_it_falls_where_requests_take_longer_than_usual_and_comes_back(limiter):
    grown = limiter.seconds(200, took=0.03, at_a_time=150)
    fallen = limiter.seconds(20, took=0.3, at_a_time=grown)
    assert fallen < grown / 2
    limiter.seconds(60, took=0.03, at_a_time=150)
    assert limiter.limit > fallen + 20


def test_never_below_what_it_begins_with(limiter):
    limiter.seconds(30, took=0.03, at_a_time=20)
    assert limiter.seconds(100, took=3, at_a_time=200) == 20


def test_after_a_pause_it_begins_at_the_first_limit(limiter):
    assert limiter.seconds(100, took=0.03, at_a_time=150) > 50
    limiter.now += 60
    limiter.seconds(1, took=0.03, at_a_time=1)
    assert limiter.limit == 20
