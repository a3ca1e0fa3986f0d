# SPDX-License-Identifier: Apache-2.0
"""The one exception that users see as a line of text."""


class TestbedError(Exception):
    """Says what was expected, what came, and what to do; the command prints it and exits with 1."""

    __test__ = False  # the name is no test's


def tail(path, lines=8):
    """The last lines of a log file, indented, for an error message; empty if there is none."""
    try:
        with open(path, errors="replace") as log:
            return "".join(f"\n    {line.rstrip()}" for line in log.readlines()[-lines:])
    except OSError:
        return ""
