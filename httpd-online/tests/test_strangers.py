# SPDX-License-Identifier: Apache-2.0
"""bench/strangers in its shortest form: many strangers, members, writers and attackers, and no answer wrong or too old. And that it
would say so."""

import pathlib
import re
import subprocess

import pytest

from harness.application import Application
from harness.build import COMPONENT, server_build
from harness.fcgi import FastCgi
from harness.ladder import ladder_server
from harness.server import Server

STRANGERS = COMPONENT / "bench" / "strangers"
LINE = re.compile(r"level (\S+): (\d+) answers checked in \d+ s, (\d+) wrong, (\d+) too old .* (\d+) errors, hits ([\d.]+) %")


def strangers(*words):
    done = subprocess.run([STRANGERS, "--threads", "4", "--age", "3=3,4=6", *map(str, words)], capture_output=True, text=True,
                          timeout=600, check=False)
    levels = {level: {"answers": int(answers), "wrong": int(wrong), "old": int(old), "errors": int(errors), "hits": float(hits)}
              for level, answers, wrong, old, errors, hits in LINE.findall(done.stdout)}
    return done, levels


def test_nothing_is_wrong_or_too_old_on_each_level():
    done, levels = strangers("--self", "stock", "--levels", "0,3,4", "--answers", 700)
    assert done.returncode == 0, done.stdout + done.stderr
    assert {level: (seen["wrong"], seen["old"], seen["errors"]) for level, seen in levels.items()} == dict.fromkeys(("0", "3", "4"),
                                                                                                                    (0, 0, 0))
    assert levels["0"]["hits"] == 0 < min(levels["3"]["hits"], levels["4"]["hits"])


def test_nothing_is_wrong_while_the_level_changes():
    done, levels = strangers("--self", "event", "--levels", "0,2,3,4,6", "--answers", 1200, "--switch", "0.2")
    assert done.returncode == 0, done.stdout + done.stderr
    assert levels["switched"]["hits"] > 0


def test_a_level_ends_when_its_time_does():
    done, levels = strangers("--self", "stock", "--levels", "0", "--answers", 10 ** 9, "--seconds", "1")
    assert done.returncode == 0 and levels["0"]["answers"] > 0, done.stdout + done.stderr
    done, levels = strangers("--self", "stock", "--levels", "0", "--answers", 10 ** 9, "--seconds", "0")
    assert done.returncode == 1 and levels["0"]["answers"] == 0, "nothing was checked"


FAULTS = {"somebody else's": lambda p, seen: seen.setdefault(p["PATH_INFO"], p.get("HTTP_USER_AGENT", "")), "another page": lambda p,
          seen: "<title>another</title>",
          "a member's": lambda p, seen: "user=ann "}


@pytest.mark.parametrize("fault", FAULTS)
def test_it_says_what_is_wrong(fault, request):
    """The application itself confuses its visitors."""
    seen = {}
    application = Application(build_seconds=0)
    calls = []

    def shows(parameters):
        calls.append(1)
        return FAULTS[fault](parameters, seen) if len(calls) > 20 else "<title>right</title>"

    application.shows = {"/page": shows}
    build = server_build(patched=False, sanitized=request.config.getoption("--asan"))
    with FastCgi(application) as fcgi:
        server = ladder_server(lambda mpm, *, of, start, **kwargs: Server(of, mpm, **kwargs), "event",
                               f'SetHandler "proxy:fcgi://127.0.0.1:{fcgi.port}"', of=build)
        try:
            server.start()
            done, levels = strangers(f"http://127.0.0.1:{server.port}", "--levels", "0", "--answers", 200, "--path", "/page",
                                     "--members", 0, "--member", "session_of_app=ann::user=ann ",
                                     "--level-file", pathlib.Path(server.root) / "mitigation.map")
        finally:
            server.finish()
    assert done.returncode == 1 and levels["0"]["wrong"] > 50, done.stdout + done.stderr
