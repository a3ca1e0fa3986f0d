# SPDX-License-Identifier: Apache-2.0
"""The oracle itself: which lines of the error log are usual, and from when on."""

import pytest
from harness.errorlog import ErrorLog

CLOSE = "[Wed Nov 25 21:47:28.886881 2026] [mpm_event:error] [pid 7:tid 9] (9)Bad file descriptor: AH03092: process_lingering_close: apr_pollset_add failure"
CRASH = "[Wed Nov 25 21:47:28.886881 2026] [core:notice] [pid 7:tid 7] AH00052: child pid 8 exit signal Segmentation fault (11)"
RESUMED = "[Wed Nov 25 21:47:29.886881 2026] [mpm_event:notice] [pid 7:tid 7] AH00489: Apache/2.4.68 (Unix) configured -- resuming normal operations"


@pytest.fixture
def log(tmp_path):
    return ErrorLog(tmp_path / "error.log")


def write(log, *lines):
    with open(log.path, "a") as file:
        file.writelines(line + "\n" for line in lines)


def unexpected(log):
    return [entry.line for entry in log.unexpected()]


def test_nothing_abrupt_is_usual_while_a_server_runs(log):
    write(log, RESUMED, CLOSE, CRASH)
    assert unexpected(log) == [CLOSE, CRASH]


def test_a_stop_breaks_off_closes_and_excuses_no_crash_nor_what_was_before_it(log):
    write(log, CLOSE)
    log.breaking_off()
    write(log, CLOSE, CRASH)
    log.breaking_off()
    assert unexpected(log) == [CLOSE, CRASH]


def test_a_restart_excuses_what_ends_before_it_goes_on(log):
    log.restarting()
    write(log, CRASH, CLOSE, RESUMED, CRASH, CLOSE)
    assert unexpected(log) == [CRASH]


def test_the_end_excuses_crashes_too(log):
    write(log, CRASH)
    log.stopping()
    write(log, CRASH, CLOSE)
    assert unexpected(log) == [CRASH]
