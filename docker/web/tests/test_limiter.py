# SPDX-License-Identifier: Apache-2.0
"""The concurrency limiter that experiments compare IC2 with: it limits what the application answers while its level is set, and
nothing else."""
import concurrent.futures
import os

import pytest

import tier as tiers
from olio import Client

LIMITER = tiers.ROOT / "build" / "limiter" / "mod_gradient_limit.so"
LEAST = 20  # requests at a time that the limiter never goes below
CROWD = 3 * LEAST   # who all come while the pages of the first, with a wait of their own, are not yet built
TRIES = 20


@pytest.fixture(scope="module")
def limited(short_tmp):
    if not LIMITER.exists():
        pytest.skip(f"{LIMITER}: not built; `make limiter`")
    with tiers.running(short_tmp / "limited", "event", IC2_LIMITER=os.fspath(LIMITER), OLIO_WAIT_MS="50") as running:
        yield running


def statuses(tier, path):
    """Of many who all ask at the same time, a few times over."""
    def ask(_):
        client = Client(tier.tls)
        try:
            return [client.get(path).status for _ in range(5)]
        finally:
            client.close()
    with concurrent.futures.ThreadPoolExecutor(CROWD) as crowd:
        return [status for one in crowd.map(ask, range(CROWD)) for status in one]


def test_what_is_too_much_is_refused_while_the_level_is_set(limited):
    assert set(statuses(limited, "/event/7")) == {200}
    limited.level(200)
    try:
        found = []
        for _ in range(TRIES):  # on a busy machine so many do not always come at the same time
            found += statuses(limited, "/event/7")
            if 503 in found:
                break
        assert set(found) == {200, 503} and found.count(200) >= LEAST
        assert set(statuses(limited, "/static/1/app.css")) == {200}, "files are no work for the application"
    finally:
        limited.level(0)
    assert set(statuses(limited, "/event/7")) == {200}, "and nobody counts as inside who has left"
