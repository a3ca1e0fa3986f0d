# SPDX-License-Identifier: Apache-2.0
"""Every level of the ladder with the real application, and switching between them under load: nobody gets a page of
somebody else, none is older than promised, none fails."""
import concurrent.futures
import contextlib
import random
import re
import shutil
import signal
import subprocess
import threading
import time

import pytest

import browser
import tier as tiers
from olio import Client

# seconds that an anonymous page may be old, by level
KEPT = {0: 0, 1: 0, 2: 0, 3: tiers.AGES[0], 4: tiers.AGES[1], 5: tiers.AGES[1], 6: tiers.AGES[1]}
# between PHP's start and the client's clock: building, sending, waiting for a busy machine's CPU
SLACK_S = 1.0
PAGES = ("/", "/tag/1", "/event/7", "/event/8", "/person/3")


def new_client(tier):
    """Accepts compression as all browsers do."""
    return Client(tier.tls, {"Accept-Encoding": "gzip"})


@pytest.fixture
def visitor(tier):
    client = new_client(tier)
    yield client
    client.close()
    tier.level(0)


def purge(tier, path):
    client = new_client(tier)
    client.request("PURGE", path)
    client.close()


def proven(tier, visitor, path):
    """The visitor's page, built anew, of which the store knows that another visitor gets the same."""
    purge(tier, path)
    other = new_client(tier)
    other.get(path)
    other.close()
    return visitor.get(path)


def in_time(kept, ask):
    """What ask() returns, its first page and others, from a time in which the first one was young enough to be kept for all."""
    for _ in range(30):
        first, pages = ask()
        if time.time() - first.built < kept - SLACK_S:
            return first, pages
    raise AssertionError(f"this machine does not ask {len(pages)} times within {kept} s")


@pytest.mark.parametrize("level", KEPT)
def test_what_each_level_does(tier, visitor, level):
    def ask():
        tier.level(0)
        usual = proven(tier, visitor, "/event/7")
        tier.level(level)
        return usual, [visitor.get("/event/7") for _ in range(3)]
    usual, pages = in_time(KEPT[level] or float("inf"), ask)
    assert {page.status for page in pages} == {200}
    assert {page.user for page in pages} == {"anon"}
    built = {page.built for page in pages}
    assert len(built) == 3 if KEPT[level] == 0 else built == {usual.built}, "what quiet has stored is there at once"
    assert {page.from_cache for page in pages} == {KEPT[level] > 0}
    assert all(page.text.rstrip().endswith("</html>") for page in pages)
    purge(tier, "/event/7")
    fresh = visitor.get("/event/7")
    assert fresh.built not in built and fresh.headers["x-optional"] == ("left-out" if level == 6 else "full")
    if 1 <= level <= 5:
        assert len(usual.body) * 1.03 < len(fresh.body) < len(usual.body) * 1.4


@pytest.mark.parametrize("level", [2, 3, 4, 6])
def test_a_level_without_those_below_it_does_nothing_else(tier, visitor, level):
    def ask():
        tier.level(0)
        usual = proven(tier, visitor, "/event/7")
        tier.level(100 + level)
        return usual, [visitor.get("/event/7") for _ in range(3)]
    usual, pages = in_time(KEPT[level] if level in (3, 4) else float("inf"), ask)
    assert {page.status for page in pages} == {200}
    assert {page.from_cache for page in pages} == {level in (3, 4)}
    purge(tier, "/event/7")
    fresh = visitor.get("/event/7")
    assert fresh.headers["x-optional"] == ("left-out" if level == 6 else "full")
    if level < 6:
        assert len(fresh.body) < len(usual.body) * 1.02, "compressed as hard as ever"


@pytest.mark.parametrize("level", [3, 6])
def test_who_is_logged_in_never_gets_a_kept_page(tier, visitor, level):
    tier.level(level)
    anonymous, again = in_time(KEPT[level], lambda: (proven(tier, visitor, "/"), [visitor.get("/")]))
    assert again[0].from_cache
    member = new_client(tier)
    member.login(9)
    pages = [member.get("/") for _ in range(3)]
    assert [page.user for page in pages] == ["9"] * 3
    assert len({page.built for page in pages} | {anonymous.built}) == 4
    assert visitor.get("/").user == "anon"
    member.post("/logout", _csrf=pages[0].csrf)
    assert member.get("/").user == "anon"
    member.close()


@pytest.mark.parametrize("level", [0, 4])
def test_forms_are_never_kept(tier, visitor, level):
    tier.level(level)
    for path in ("/login", "/add-person"):
        tokens = set()
        for _ in range(3):
            client = new_client(tier)
            tokens.add(client.get(path).csrf)
            client.close()
        assert len(tokens) == 3


def test_a_cookie_that_no_list_knows_passes_the_store_by(tier, visitor):
    tier.level(4)
    first, (again, weighed, counted, plain, unknown) = in_time(KEPT[4], lambda: (proven(tier, visitor, "/tag/2"), [
        visitor.get("/tag/2"), visitor.get("/tag/2", **{"Accept-Encoding": "br, gzip;q=0.8"}), visitor.get("/tag/2", Cookie="_ga=GA1.1.17"),
        visitor.get("/tag/2", **{"Accept-Encoding": "br, gzip;q=0"}), visitor.get("/tag/2", Cookie="analytics=17")]))
    assert {page.built for page in (again, weighed, counted)} == {first.built}
    assert "content-encoding" not in plain.headers
    assert unknown.built != first.built and "x-cache" not in unknown.headers
    stranger = visitor.get("/tag/2", Cookie="olio_session=" + "0" * 32)
    assert stranger.user == "anon" and stranger.built != first.built
    assert stranger.headers["cache-control"] == "private, no-store"
    assert visitor.get("/tag/2?x=1").built != first.built


def test_a_page_kept_long_ago_is_not_served_to_a_crowd(tier, visitor):
    tier.level(3)
    kept, again = in_time(KEPT[3], lambda: (proven(tier, visitor, "/event/9"), [visitor.get("/event/9")]))
    old = kept.built
    assert again[0].built == old
    time.sleep(KEPT[3])  # it must grow older than promised

    def fetch(_):
        client = new_client(tier)
        page = client.get("/event/9")
        client.close()
        return page.built
    with concurrent.futures.ThreadPoolExecutor(10) as pool:
        assert old not in set(pool.map(fetch, range(10)))


class Timeline:
    """Which levels were in force when; a level counts from before its command until after the next one's."""

    def __init__(self):
        self.spans = [[0, time.time(), None]]
        self.lock = threading.Lock()

    def switch(self, tier, level):
        with self.lock:
            self.spans.append([level, time.time(), None])
        tier.level(level)
        with self.lock:
            self.spans[-2][2] = time.time()

    def promised(self, start, end):
        with self.lock:
            return max(KEPT[level] for level, begin, over in self.spans if begin <= end and (over is None or over >= start))


@contextlib.contextmanager
def crowd(tier):
    """Twenty anonymous readers who never pause: the tier works at its limit. At the end no answer may have been an error.
    (Connections may end: the event MPM closes kept ones when a child's threads are all busy, on a fixed level too.)"""
    def served():
        client = Client(tier.plain)
        try:
            return int(re.search(r"Total Accesses: (\d+)", client.get("/server-status?auto").text).group(1))
        finally:
            client.close()
    before = served()
    load = subprocess.Popen(["wrk", "-t1", "-c20", "-d900s", "-H", "Accept-Encoding: gzip", tier.tls + "/event/7"],
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        yield lambda: served() - before
    finally:
        load.send_signal(signal.SIGINT)
        said = load.communicate(timeout=180)[0]
    assert "Non-2xx" not in said, said
    assert int(re.search(r"(\d+) requests in", said).group(1)) > 500, said


def test_switching_under_load(tier, visitor):
    timeline, stop, faults, kept = Timeline(), threading.Event(), [], []

    def visit(number):
        rng = random.Random(number)
        client = Client(tier.tls if number % 2 else tier.plain, {"Accept-Encoding": "gzip"})
        person = str(number) if number > 8 else "anon"
        if person != "anon":
            plain = Client(client.base.geturl())
            plain.login(number)
            client.cookies = plain.cookies
            plain.close()
        while not stop.is_set():
            path = rng.choice(PAGES)
            start = time.time()
            page = client.get(path)
            end = time.time()
            age = end - page.built
            kept.append(page.from_cache)
            limit = (timeline.promised(start, end) if person == "anon" else 0) + (end - start) + SLACK_S
            if page.status != 200 or page.user != person or page.shown_user != person or age > limit:
                faults.append((person, path, page.status, page.user, round(age, 2), round(limit, 2)))
        client.close()

    def enough(served):
        return len(kept) > 200 and min(sum(kept), len(kept) - sum(kept)) > 20 and served() > len(kept) + 700

    with crowd(tier) as served, concurrent.futures.ThreadPoolExecutor(12) as pool:
        try:
            visitors = [pool.submit(visit, number) for number in range(1, 13)]
            end = time.monotonic() + 600
            while True:     # once on most machines
                for level in (1, 2, 3, 4, 2, 0, 3, 0, 6, 5, 3, 1, 0, 4, 0):
                    timeline.switch(tier, level)
                    time.sleep(0.4)  # the time that this level is in force
                if faults or enough(served) or time.monotonic() > end:
                    break
        finally:
            stop.set()
        for future in visitors:
            future.result()
    print(len(kept), "visits,", sum(kept), "from the store")
    assert faults == []
    assert len(kept) > 200 and min(sum(kept), len(kept) - sum(kept)) > 20


@pytest.mark.parametrize("level", KEPT)
def test_curl_and_wrk_can_use_every_level(tier, visitor, tmp_path, level):
    tier.level(level)
    jar = tmp_path / "cookies"

    def curl(path, *more):
        return subprocess.run(["curl", "--silent", "--show-error", "--fail", "--noproxy", "*", "--insecure", "--compressed",
                               "--location", "--cookie", jar, "--cookie-jar", jar, *more, tier.tls + path],
                              capture_output=True, text=True, check=True, timeout=180).stdout

    def shown(page):
        return re.search(r'<body data-page="([a-z-]+)" data-user="([a-z0-9]+)"', page).groups()

    assert shown(curl("/")) == ("home", "anon")
    token = re.search(r'name="_csrf" value="([0-9a-f]{32})"', curl("/login")).group(1)
    form = f"_csrf={token}&login=user{40 + level}&password=pass{40 + level}"
    assert shown(curl("/login", "--data", form)) == ("home", str(40 + level))
    assert shown(curl("/search?tag=jazz")) == ("tag", str(40 + level))
    for header in ("Accept-Encoding: gzip", "Accept: */*"):
        for _ in range(20):     # a second may pass without anything on a busy machine
            said = subprocess.run(["wrk", "-t1", "-c4", "-d1s", "-H", header, tier.tls + "/event/7"], capture_output=True,
                                  text=True, timeout=180).stdout
            requests = int(re.search(r"(\d+) requests in", said).group(1))
            assert "Non-2xx" not in said, said
            if requests > 0:
                break
        assert requests > 0, said


@pytest.mark.skipif(shutil.which("chromedriver") is None, reason="chromedriver is missing; install the package chromium-driver")
def test_a_browser_can_use_every_level(tier, visitor):
    # the MPM makes no difference to a browser: all levels on one, one level on the other
    for level in KEPT if tier.environment["IC2_MPM"] == "worker" else [3]:
        tier.level(level)
        with browser.browser() as window:
            browser.visit(window, tier.tls, person=20 + level)
