# SPDX-License-Identifier: Apache-2.0
"""docs/mitigation.conf: each rung does what it says, and switching under load never shows a page of somebody else,
one older than promised, or an error."""

import concurrent.futures
import gzip
import random
import threading
import time

import pytest

from harness.application import COOKIE, Application, parse
from harness.fcgi import FastCgi
from harness.ladder import ARRIVAL, PROMISED, ladder_server, page


@pytest.fixture
def application():
    return Application()


@pytest.fixture
def server(mpm, make_server, backends, application, allow_reconfigure_lines):
    fcgi = backends.enter_context(FastCgi(application))
    server = ladder_server(make_server, mpm, f'SetHandler "proxy:fcgi://127.0.0.1:{fcgi.port}"')
    return allow_reconfigure_lines(server.start())


def serials(server, path="/", count=6, **kwargs):
    return [page(server, path, **kwargs)[0]["serial"] for _ in range(count)]


def test_rung_0_leaves_everything_alone(server, application):
    assert len(set(serials(server))) == 6, "rung 0 must not cache"
    assert application.count("/") == 6
    facts, response = page(server)
    assert facts["optional"] == "yes" and response["cache-control"] is None


def test_rung_1_compresses_with_level_1(server, application):
    _, normal = page(server, "/static/big.html")
    sizes = {0: len(page(server)[1].body)}
    server.reconfigure("MITIGATION=1")
    _, cheap = page(server, "/static/big.html")
    sizes[1] = len(page(server)[1].body)
    assert len(cheap.body) > len(normal.body), "level 1 makes larger bodies than level 6"
    assert sizes[1] > sizes[0]
    assert gzip.decompress(cheap.body) == gzip.decompress(normal.body)
    assert len(set(serials(server))) == 6, "rung 1 must not cache"


@pytest.mark.parametrize("rung", [2, 3, 4])
def test_micro_cache_answers_anonymous_visitors(server, application, rung):
    server.reconfigure(f"MITIGATION={rung}")
    built = application.count("/tag/7")
    seen = serials(server, "/tag/7", count=20)
    assert application.count("/tag/7") - built <= 3, "20 requests within moments need one page, or few at a second's turn"
    assert len(set(seen)) <= 3
    facts, response = page(server, "/tag/7")
    assert facts["user"] == "anon" and facts["path"] == "/tag/7"
    assert response["content-encoding"] == "gzip", "the compressed page is what is kept"
    assert response["x-cache"], "CacheHeader tells"
    assert "max-age=0" in response["cache-control"], "browsers and proxies outside must not keep it"
    plain = server.get("/tag/7")
    assert parse(plain.text)["path"] == "/tag/7" and plain["content-encoding"] is None


@pytest.mark.parametrize("rung", [2, 3])
def test_page_is_never_older_than_promised(server, application, rung):
    server.reconfigure(f"MITIGATION={rung}")
    oldest, hits, end = 0.0, 0, time.monotonic() + 2.6 + PROMISED[rung]
    with server.connect() as connection:
        last = None
        while time.monotonic() < end:
            asked = time.monotonic()
            facts, _ = page(server, "/event/1", connection=connection)
            oldest = max(oldest, asked - float(facts["built"]))
            hits += facts["serial"] == last
            last = facts["serial"]
    assert hits > 100
    assert oldest <= PROMISED[rung] + ARRIVAL * server.build.slow, f"a page was {oldest:.2f} s old; promised are {PROMISED[rung]} s"


def herd(server, path, size=10):
    """The facts of one page, asked for by many at once."""
    with concurrent.futures.ThreadPoolExecutor(size) as pool:
        return list(pool.map(lambda _: page(server, path)[0], range(2 * size)))


@pytest.mark.parametrize("rung", [2, 3])
def test_page_that_nobody_asked_for_is_gone(server, application, rung):
    """The staleness hazard of CacheLock: the first herd after a long pause must not get the old copy."""
    server.reconfigure(f"MITIGATION={rung}")
    first = page(server, "/home")[0]["serial"]
    time.sleep(PROMISED[rung] + ARRIVAL)    # the condition under test
    assert all(facts["serial"] != first for facts in herd(server, "/home"))


def test_slow_application_builds_a_page_once_at_a_time(server, application):
    """When a page takes longer than the cache keeps it fresh, others get the old copy; they don't all have it built."""
    server.reconfigure("MITIGATION=2")
    page(server, "/home")
    before = application.count("/home")
    application.build_seconds = 0.8
    end, answers = time.monotonic() + 4, []
    while time.monotonic() < end:
        answers += herd(server, "/home", size=16)
    builds = application.count("/home") - before
    assert builds <= 8, f"{builds} times in four seconds for {len(answers)} answers"
    assert len(answers) > 20 * builds


def test_rung_4_tells_the_application(server, application):
    server.reconfigure("MITIGATION=3")
    assert page(server, "/home")[0]["optional"] == "yes"
    server.reconfigure("MITIGATION=4")
    assert page(server, "/home")[0]["optional"] == "no", "also the first request after the change, cached pages of rung 3 or not"
    assert page(server, "/home", user="u1")[0]["optional"] == "no"
    server.reconfigure("MITIGATION=0")
    assert page(server, "/home")[0]["optional"] == "yes"


def test_logged_in_users_are_never_cached(server, application):
    server.reconfigure("MITIGATION=3")
    page(server, "/home")
    for user in ("u1", "u2", "u1"):
        facts = [page(server, "/home", user=user)[0] for _ in range(3)]
        assert [f["user"] for f in facts] == [user] * 3
        assert len({f["serial"] for f in facts}) == 3
    assert page(server, "/home")[0]["user"] == "anon"


def test_other_cookies_do_not_matter(server, application):
    server.reconfigure("MITIGATION=3")
    seen = [page(server, "/home", headers={"Cookie": f"analytics={n}; other=x{COOKIE}"})[0]["serial"] for n in range(8)]
    assert len(set(seen)) == 1
    facts, _ = page(server, "/home", headers={"Cookie": f"analytics=1; {COOKIE}=u5"})
    assert facts["user"] == "u5"
    facts, _ = page(server, "/home", headers={"Cookie": f"analytics=1;{COOKIE}=u6"})
    assert facts["user"] == "u6"


@pytest.mark.parametrize("path", ["/login", "/counts-visitors"])
def test_private_pages_and_cookies_are_not_kept(server, application, path):
    server.reconfigure("MITIGATION=3")
    assert len(set(serials(server, path))) == 6


def test_post_authorization_and_queries_pass(server, application):
    server.reconfigure("MITIGATION=3")
    for n in range(3):
        response = server.get("/home", method="POST", headers={"Content-Length": "0"})
        assert response.status == 200 and parse(response.text)["method"] == "POST"
    assert len(set(serials(server, "/home", headers={"Authorization": "Basic eA=="}))) == 6
    assert len(set(serials(server, "/home?x=1"))) == 6
    assert page(server, "/home?x=2")[0]["query"] == "x=2"


def test_missing_pages_stay_missing(server, application):
    for rung in (0, 3):
        server.reconfigure(f"MITIGATION={rung}")
        assert server.get("/missing").status == 404
        assert server.get("/missing").status == 404


def test_failing_application_is_not_hidden_by_old_pages(server, application):
    server.reconfigure("MITIGATION=2")
    assert page(server, "/home")[1].status == 200
    application.failing = True
    server.log.expect("AH01071")
    end, statuses = time.monotonic() + 3.2, []
    while time.monotonic() < end:
        statuses.append((time.monotonic(), server.get("/home").status))
    late = [status for at, status in statuses if at > end - 1.0]
    assert set(late) == {500}, "after its second an old page must not stand in for the failure"
    application.failing = False
    assert page(server, "/home")[1].status == 200, "an error must not be kept"


@pytest.mark.parametrize("path", ["/mc/1/home", "/mc/", "/mc/home", "//mc/1/home"])
def test_cache_prefix_is_not_reachable_from_outside(server, application, path):
    server.reconfigure("MITIGATION=3")
    for headers in ({}, {"Cookie": f"{COOKIE}=u1"}, {"REDIRECT_micro-cache-inside": "1"}):
        assert server.get(path, headers=headers).status == 404


def test_request_headers_cannot_switch_rungs(server, application):
    """MITIGATION is the server's variable: a client that sends such a header, or no-cache, changes nothing."""
    for name in ("MITIGATION", "micro-cache", "deflate-level", "RECONFIGURE_GENERATION"):
        assert len(set(serials(server, "/home", headers={name: "3"}))) == 6, name
        facts, _ = page(server, "/home", headers={name: "4"})
        assert facts["mitigation"] == "0" and facts["optional"] == "yes"
    server.reconfigure("MITIGATION=3")
    built = application.count("/home")
    for header in ({"Cache-Control": "no-cache"}, {"Pragma": "no-cache"}, {"Cache-Control": "max-age=0"}):
        serials(server, "/home", headers=header)
    assert application.count("/home") - built <= 2, "clients must not be able to bypass the cache"


def test_switching_off_and_on_never_shows_what_was_kept_before(server, application):
    """The staleness hazard of the notes: cache on, off for longer than its time, on again, then a herd."""
    server.reconfigure("MITIGATION=2")
    first = page(server, "/home")[0]["serial"]
    server.reconfigure("MITIGATION=0")
    time.sleep(2.2)     # longer than the page may be kept: this is the condition under test
    server.reconfigure("MITIGATION=2")
    begin = time.monotonic()
    found = herd(server, "/home")
    assert all(f["serial"] != first for f in found)
    assert all(float(f["built"]) >= begin - 0.001 for f in found), "an entry of the earlier time was found"


def test_switching_between_rungs_under_load(server, application):
    """Users, logged in or not, while the rung changes all the time: right person, right age, no error."""
    stop, problems, answers = threading.Event(), [], [0]
    history = [[0.0, 0, float("inf")]]     # [command began, rung, the command that ended it had ended]

    def allowed_age(since):
        """The largest promise of the rungs that may have been in force at this time or later."""
        rungs = [rung for _, rung, ended in history if ended > since]
        return max(PROMISED[r] for r in rungs) + (ARRIVAL * server.build.slow if any(r >= 2 for r in rungs) else 0)

    def visitor(number):
        chooser = random.Random(number)
        user = f"u{number}" if number % 3 == 0 else None
        with server.connect() as connection:
            while not stop.is_set():
                path = chooser.choice(["/", "/tag/1", "/tag/2", "/event/1", "/event/2", "/login"])
                asked = time.monotonic()
                facts, response = page(server, path, user=user, connection=connection)
                answers[0] += 1
                age = asked - float(facts.get("built", 0))      # when we asked, so that no delay of the machine counts
                if response.status != 200 or facts["path"] != path:
                    problems.append((path, response.status, facts))
                elif facts["user"] != (user or "anon") or response["x-user"] != (user or "anon"):
                    problems.append(("page of somebody else", user, facts))
                elif age > (0.0 if user or path == "/login" else allowed_age(asked)) + 0.001:
                    problems.append(("too old", round(age, 2), facts, [r for _, r, _ in history[-3:]]))
                if len(problems) > 5:
                    return

    visitors = [threading.Thread(target=visitor, args=(n,)) for n in range(9)]
    for thread in visitors:
        thread.start()
    chooser = random.Random(5)
    end = time.monotonic() + 8
    while time.monotonic() < end and not problems:
        rung = chooser.choice([0, 1, 2, 3, 4])
        history.append([time.monotonic(), rung, float("inf")])
        server.reconfigure(f"MITIGATION={rung}")
        history[-2][2] = time.monotonic()
        time.sleep(chooser.choice([0.02, 0.2, 0.7]))    # how long a rung lasts: part of the input
    stop.set()
    for thread in visitors:
        thread.join()
    assert problems == []
    assert answers[0] > 300
    assert sum(application.counts.values()) < answers[0], "the cache was never used"
