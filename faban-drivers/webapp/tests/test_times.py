# SPDX-License-Identifier: Apache-2.0
"""What is told by time: nothing else runs beside it (`make test-times`)."""
import statistics
import time

import installation
from olio import Client


def test_waiting_and_work_follow_the_settings(environment):
    def seconds(times=40, **settings):
        with installation.php_server(dict(environment, **settings)) as base:
            client = Client(base)
            client.get("/tag/1")
            taken = []
            for _ in range(times):
                start = time.monotonic()
                client.get("/tag/1")
                taken.append(time.monotonic() - start)
            client.close()
            return taken
    # medians: a machine that is busy for a moment does not count
    plain = statistics.median(seconds(OLIO_WALK_STEPS="0"))
    # half of the exponential waits of 40 ms are shorter than 27.7 ms; the median of 40 has a standard deviation of 6.3 ms
    assert 0.005 < statistics.median(seconds(OLIO_WALK_STEPS="0", OLIO_WAIT_MS="40")) - plain < 0.065
    assert statistics.median(seconds(OLIO_WALK_STEPS="0", OLIO_CPU_ROUNDS="1000", times=5)) > plain + 0.01
    assert statistics.median(seconds(OLIO_WALK_STEPS="1000000", times=5)) > plain + 0.01
