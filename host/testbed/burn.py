#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Wants a share of a CPU: burn.py DUTY [PERIOD_MS]; DUTY in per cent of one CPU."""

import sys
import time


def main(duty, period_ms="100"):
    period = float(period_ms) / 1000
    share = float(duty) / 100
    begun = time.monotonic()
    while True:
        used = time.process_time()
        while time.process_time() - used < period * share:
            pass
        begun = max(begun + period, time.monotonic() - period)
        time.sleep(max(0.0, begun - time.monotonic()))


if __name__ == "__main__":
    main(*sys.argv[1:])
