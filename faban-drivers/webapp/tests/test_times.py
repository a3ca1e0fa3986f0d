# SPDX-License-Identifier: Apache-2.0
"""What is told by time: beside other work it goes first (`make test-web-times`)."""
import statistics
import time

import installation
from olio import Client


def times(environment, count, **settings):
    """Seconds of requests to an application as it is and to one with the settings, in turn: what the machine does meets both."""
    with installation.php_server(dict(environment, OLIO_WALK_STEPS="0")) as plain, \
            installation.php_server(dict(environment, **{"OLIO_WALK_STEPS": "0", **settings})) as other:
        clients = [Client(plain), Client(other)]
        taken = []
        for _ in range(count + 1):
            for client in clients:
                start = time.monotonic()
                assert client.get("/tag/1").status == 200
                taken.append(time.monotonic() - start)
        for client in clients:
            client.close()
    return taken[2::2], taken[3::2]


def test_waiting_and_work_follow_the_settings(environment):
    # half of the exponential waits of 200 ms are shorter than 139 ms; the median of 40 has a standard deviation of 32 ms
    plain, waiting = times(environment, 40, OLIO_WAIT_MS="200")
    assert 0.025 < statistics.median(waiting) - statistics.median(plain) < 0.325
    for work in ({"OLIO_CPU_ROUNDS": "1000"}, {"OLIO_WALK_STEPS": "1000000"}):
        plain, working = times(environment, 8, **work)
        # nothing makes work shorter, and a machine that is busy for a moment is not busy each time
        assert min(working) > min(plain) + 0.01
