# SPDX-License-Identifier: Apache-2.0
"""mod_standby: each mitigation level does what it says, on the patched server and on stock httpd, and nothing that was stored
is older than promised, somebody else's, or withdrawn."""

import gzip
import itertools
import os
import random
import stat
import threading
import time

import pytest

from harness.application import COOKIE, parse
from harness.ladder import EARLY, KNOWN, SHORT_AGE, TIERS, hit, new_visitor, passed_by, running_tier
from harness.waiting import eventually


def running(request, **kwargs):
    only = request.config.getoption("--mpm")
    if only and request.param not in (only, "stock"):
        pytest.skip(f"--mpm {only}")
    return running_tier(request.param, sanitized=request.config.getoption("--asan"), **kwargs)


@pytest.fixture(scope="module", params=TIERS)
def shared(request):
    with running(request) as tier:
        yield tier


@pytest.fixture(scope="module", params=TIERS)
def shared_ageing(request):
    with running(request, age=SHORT_AGE, early=EARLY) as tier:
        yield tier


def at_the_beginning(tier):
    application = tier.application
    application.further, application.shows, application.conditional, application.build_seconds = {}, {}, [], 0.005
    tier.go(0)
    return tier


@pytest.fixture
def tier(shared):
    return at_the_beginning(shared)


@pytest.fixture
def ageing(shared_ageing):
    """With ages that a test can wait for; what is stored may be too old before a busy machine asks for it again."""
    return at_the_beginning(shared_ageing)


# -- levels --------------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("level", [0, 1, 2])
def test_below_level_3_every_page_is_built_and_looks_as_without_the_module(tier, level):
    tier.application.further = {"/quiet": [("ETag", '"tag"'), ("Cache-Control", "max-age=600"), ("Last-Modified", "Sun, 01 Nov 2026 00:00:00 GMT")]}
    tier.go(level)
    assert len(set(tier.serials("/quiet", 6))) == 6
    facts, eligible = tier.page("/quiet")
    bypass, other = tier.page("/quiet", headers={"Cookie": "unknown=1"})
    assert eligible["x-cache"] == "MISS" and passed_by(other), "the second was not offered to the store"
    headers = [sorted((n, v) for n, v in r.headers if n not in ("x-cache", "date", "content-length")) for r in (eligible, other)]
    assert headers[0] == headers[1]
    volatile = {"built", "serial"}
    assert {n: v for n, v in facts.items() if n not in volatile} == {n: v for n, v in bypass.items() if n not in volatile}


@pytest.mark.parametrize("shared", [name for name in TIERS if name != "stock"], indirect=True)
def test_level_1_compresses_with_level_1(tier):
    sizes = {}
    for level in (0, 1, 6):
        tier.go(level)
        _, response = tier.page("/static/big.html")
        sizes[level] = len(response.body), len(tier.page(f"/compressed/{level}")[1].body)
        assert b"alpha" in gzip.decompress(response.body)
    assert sizes[1][0] > sizes[0][0] and sizes[1][1] > sizes[0][1] and sizes[6][0] == sizes[1][0]


@pytest.mark.parametrize("level", [3, 4, 5])
def test_store_is_warm_when_it_is_needed(tier, level):
    path = f"/warm/{level}"
    before = int(tier.status().lines["StandbyProven"])
    stored = tier.prove(path)
    eventually(lambda: tier.status().number("StandbyProven") > before, what=f"{path} to be proven")
    tier.go(level)
    answers = [tier.page(path, source=new_visitor()) for _ in range(4)]
    assert len({facts["serial"] for facts, _ in answers}) == 1 and answers[0][0]["serial"] in stored, "built without interference"
    assert all(hit(response) and response["age"] is not None and response["content-encoding"] == "gzip" for _, response in answers)
    tier.go(2)
    assert not stored & set(tier.serials(path))


def test_level_6_serves_pages_of_level_3(tier):
    tier.prove("/warm/six")
    tier.go(6)
    assert tier.until_kept("/warm/six")[0]["optional"] in ("yes", "no")


@pytest.mark.parametrize("level", [3, 4])
def test_page_is_never_older_than_promised(ageing, level):
    """Under load, with an application that takes its time."""
    tier = ageing
    tier.application.build_seconds = 0.05
    tier.go(level)
    oldest, problems, answers, enough = [0.0], [], [0], threading.Event()
    begun = time.monotonic()

    def built():
        return sum(tier.application.count(f"/aged/{level}/{n}") for n in range(3))

    def visitor(number):
        with tier.server.connect(source=new_visitor()) as connection:
            while not enough.is_set() and time.monotonic() < begun + 60:
                asked = time.monotonic()
                if asked > begun + SHORT_AGE[level] + 1.5 and answers[0] > 100 and built() < answers[0] / 3:
                    enough.set()
                facts, response = tier.page(f"/aged/{level}/{number % 3}", connection=connection)
                age = asked - float(facts["built"])
                oldest[0] = max(oldest[0], age)
                answers[0] += 1
                if hit(response) and not age - 2 <= int(response["age"]) <= SHORT_AGE[level]:
                    problems.append(f"{age} s old, and says {response['age']}")

    run_all(visitor, 8)
    assert problems == []
    assert oldest[0] < SHORT_AGE[level], "counted from the moment in which it was asked for"
    assert enough.is_set(), f"{answers[0]} answers, {built()} of them built"


def run_all(work, count):
    threads = [threading.Thread(target=work, args=(n,)) for n in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def ask_from(tier, path, last_bits):
    """A page, asked for from a port whose number ends so."""
    for port in itertools.count(random.randrange(2500, 3400) * 16 + last_bits, 16):
        try:
            with tier.server.connect(source=port) as connection:
                return tier.page(path, connection=connection)
        except OSError:
            assert port < 60000


def test_a_page_is_built_early_for_few(ageing):
    """On level 3, once it is EARLY seconds old: others get the copy meanwhile, and then the new one."""
    ageing.go(3)
    end, number = time.monotonic() + 60, 0
    while True:
        number += 1
        path, begun = f"/early/{number}", time.monotonic()
        ageing.prove(path)
        first = ageing.until_kept(path)[0]["serial"]
        time.sleep(EARLY + 0.1)     # the condition under test: it must be older than that
        seen = [ask_from(ageing, path, port) for port in range(16)]
        if time.monotonic() < begun + SHORT_AGE[3]:
            break
        assert time.monotonic() < end, "the machine is too slow to ask in time"
    built = [facts["serial"] for facts, response in seen if not hit(response)]
    assert len(built) == 1, "one visitor in sixteen, by the last bits of the port"
    assert seen[-1][0]["serial"] != first, "the others get the new one"


def test_level_5_takes_known_visitors_for_anonymous_ones(tier):
    for level, anonymous in ((0, False), (3, False), (4, False), (5, True), (6, True)):
        tier.go(level)
        path = f"/known/{level}"
        tier.prove(path)
        known = {"Cookie": f"_ga=1; {KNOWN}=ann"}
        if level >= 3:
            tier.until_kept(path)
        seen = [tier.page(path, headers=known)[1] for _ in range(4)]
        assert [hit(response) for response in seen] == [anonymous] * 4, level
        for cookie in (f"{KNOWN}=ann; ic2_fresh=1", f"{KNOWN}=ann; {COOKIE}=u1"):
            assert not any(hit(tier.page(path, headers={"Cookie": cookie})[1]) for _ in range(3)), (level, cookie)


def test_builds_for_known_visitors_are_never_stored(tier):
    """The application may greet them by name."""
    tier.application.shows = {"/known/greeted": lambda p: "hello " + p.get("HTTP_COOKIE", "stranger").replace("=", "-")}
    tier.go(5)
    for _ in range(4):
        facts, _ = tier.page("/known/greeted", headers={"Cookie": f"{KNOWN}=ann"}, source=new_visitor())
        assert facts["shows"] == f"hello {KNOWN}-ann"
    for _ in range(4):
        assert tier.page("/known/greeted", source=new_visitor())[0]["shows"] == "hello stranger"
    assert tier.until_kept("/known/greeted")[0]["shows"] == "hello stranger"


def test_level_6_asks_the_application_to_leave_parts_out(tier):
    for level in range(7):
        tier.go(level)
        for user in (None, "u1"):
            assert tier.page(f"/brownout/{level}", user=user)[0]["optional"] == ("no" if level == 6 else "yes")
    tier.go(5)
    assert tier.page("/brownout/0", user="u1")[0]["optional"] == "yes"


def test_named_crawlers_are_asked_to_come_back_later(tier):
    bot = {"User-Agent": "Mozilla/5.0 (compatible; gptbot/1.2)"}
    for level in range(7):
        tier.go(level)
        for path in ("/bots", "/static/big.html"):
            answer = tier.server.get(path, headers=bot)
            assert (answer.status, answer["retry-after"]) == ((503, "120") if level >= 2 else (200, None)), (level, path)
        assert tier.server.get("/robots.txt", headers=bot).status == 200
        assert tier.server.get("/bots", headers={"User-Agent": "Mozilla/5.0"}).status == 200


# -- which level ---------------------------------------------------------------------------------------------------------

def level_of(tier):
    return tier.status().lines["StandbyLevel"]


def test_status_page_says_which_level(tier):
    for level in (3, 0, 6, 1):
        tier.go(level)
        assert level_of(tier) == str(level)


@pytest.mark.parametrize("shared", ["stock"], indirect=True)
def test_file_that_names_no_level_is_level_0(tier):
    ladder = tier.server.ladder
    for text in ("", "MITIGATION\n", "MITIGATION x\n", "MITIGATION -3\n", "MITIGATION 03\n", "MITIGATION 3.5\n", "3\n", "\0" * 100,
                 "mitigation 3\n", "# MITIGATION 3\n", "MITIGATION 999999\n", "MITIGATION x\nMITIGATION 4\n", " MITIGATION 3\n", "\xff" * 5000):
        ladder.write("MITIGATION 3\n")
        assert level_of(tier) == "3"
        ladder.write(text)
        assert level_of(tier) == "0", repr(text)
        assert len(set(tier.serials("/garbage", 4))) == 4
    for text in ("MITIGATION 3", "MITIGATION 3\n", "MITIGATION\t3 \n\n", "# level\n\nMITIGATION 3 # why\nMITIGATION 4\n"):
        ladder.write(text)
        assert level_of(tier) == "3", repr(text)
    ladder.map.unlink()
    assert level_of(tier) == "0"
    ladder.map.mkdir()
    assert level_of(tier) == "0"
    ladder.map.rmdir()
    tier.server.log.expect("AH12021", text=r"mitigation\.map: the level is 0")
    if os.geteuid() == 0:
        ladder.write("MITIGATION 3\n")
        ladder.map.chmod(0)
        assert level_of(tier) == "0", "not readable for httpd's user"
        ladder.write("MITIGATION 4\n")
        assert level_of(tier) == "4"


def test_request_headers_switch_nothing(tier):
    for name in ("MITIGATION", "standby", "deflate-level", "REDIRECT_MITIGATION", "MITIGATION_BROWNOUT", "ic2_member", "cache-status"):
        assert len(set(tier.serials("/switch", 3, headers={name: "6"}))) == 3, name
        facts, _ = tier.page("/switch", headers={name: "6"})
        assert facts["mitigation"] == "0" and facts["optional"] == "yes"
    tier.go(4)
    tier.prove("/switch")
    kept = tier.until_kept("/switch")[0]["serial"]
    for header in ({"Cache-Control": "no-cache"}, {"Pragma": "no-cache"}, {"Cache-Control": "max-age=0"}, {"Cache-Control": "no-store"},
                   {"Cache-Control": "max-stale=1000000"}, {"Cache-Control": "only-if-cached"}, {"Cache-Control": "min-fresh=99999"}):
        facts, response = tier.page("/switch", headers=header)
        assert response.status == 200 and facts["serial"] == kept, header


# -- whose page ----------------------------------------------------------------------------------------------------------

def test_members_get_their_own_page(tier):
    for level in (0, 3, 6):
        tier.go(level)
        tier.prove("/own")
        for user in ("u1", "u2", "u1"):
            facts = [tier.page("/own", user=user)[0] for _ in range(3)]
            assert [f["user"] for f in facts] == [user] * 3 and len({f["serial"] for f in facts}) == 3
        for cookie in (f"_ga=1; {COOKIE}=u5", f"x=1;{COOKIE}=u5"):
            assert tier.page("/own", headers={"Cookie": cookie})[0]["user"] == "u5"
        assert tier.page("/own")[0]["user"] == "anon"


def test_private_answers_and_other_methods_are_never_stored(tier):
    tier.go(4)
    for path in ("/login", "/counts-visitors", "/missing"):
        assert not tier.is_kept(path), path
    for headers in ({"Authorization": "Basic eA=="}, {"Accept": "application/json"}):
        assert len(set(tier.serials("/whole", headers=headers))) == 4, headers
    posts = [tier.server.get("/whole", method="POST", headers={"Content-Length": "0"}, source=new_visitor()) for _ in range(4)]
    assert len({parse(p.text)["serial"] for p in posts}) == 4


def test_known_parameters_make_another_page_and_harmless_ones_do_not(tier):
    """Below /plain pages do not show their query; where they do, those with a harmless parameter are not stored."""
    tier.go(4)
    tier.prove("/plain/q?page=2&p=1")
    kept = tier.until_kept("/plain/q?page=2&p=1")[0]["serial"]
    for query in ("p=1&page=2", "page=2&p=1&utm_source=a", "utm_source=a&page=2&fbclid=b&p=1", "gclid=&page=2&p=1"):
        assert tier.page(f"/plain/q?{query}")[0]["serial"] == kept, query
    others = ("?page=2", "?page=3", "?page=", "?page", "?p=2", "?page=2&p=3", "?p=2&page=3", "")
    assert kept not in {tier.page(f"/plain/q{query}")[0]["serial"] for query in others}
    assert len({tier.until_kept(f"/plain/q{query}")[0]["serial"] for query in others}) == len(others)
    for query in ("s=x", "page=2&s=x", "page=2&page=3", "p=1&page=2&p=3", "xpage=2", "page[]=2", "pagex=1", "&", "page=1&&p=2",
                  "%70age=2", "PAGE=2", "page=1&p=1&page"):
        answers = [tier.page(f"/q?{query}", source=new_visitor()) for _ in range(4)]
        assert all(passed_by(response) and facts["query"] == query for facts, response in answers), query


def test_harmless_parameters_reach_the_application_on_each_level(tier):
    for level in (0, 4):
        tier.go(level)
        for _ in range(4):
            facts, _ = tier.page(f"/shown/{level}?utm_source=newsletter-7&page=2", source=new_visitor())
            assert (facts["query"], facts["uri"]) == ("utm_source=newsletter-7&page=2", f"/shown/{level}?utm_source=newsletter-7&page=2")
        assert not tier.is_kept(f"/shown/{level}?utm_source=newsletter-7&page=2"), "it holds something of the request"
        tier.go(4)
        assert tier.until_kept(f"/shown/{level}?page=2")[0]["query"] == "page=2"


# -- what is no whole page ---------------------------------------------------------------------------------------------------

CONDITIONS = [{"If-None-Match": '"tag"'}, {"If-None-Match": '"other"'}, {"If-None-Match": "*"}, {"If-Match": '"other"'},
              {"If-Modified-Since": "Sun, 22 Nov 2026 00:00:00 GMT"}, {"If-Unmodified-Since": "Thu, 01 Jan 1970 00:00:00 GMT"},
              {"Range": "bytes=0-9"}, {"Range": "bytes=0-9", "If-Range": '"other"'}]


def test_conditions_and_ranges_reach_the_application_below_level_3(tier):
    tier.application.further = {"/conditions": lambda p: [("ETag", '"tag"')] + (
        [("Status", "304 Not Modified"), ("Set-Cookie", "visitor=@")] if p.get("HTTP_IF_NONE_MATCH") == '"tag"' else [])}
    tier.prove("/conditions")
    for headers in CONDITIONS:
        tier.application.conditional.clear()
        answer = tier.server.get("/conditions", headers={"Accept-Encoding": "gzip", **headers}, source=new_visitor())
        assert {v for _, v in tier.application.conditional} >= {v for n, v in headers.items() if n != "If-Range"} , headers
        assert (answer.status == 304) == (headers == CONDITIONS[0])
    tier.go(4)
    plain = {"Accept-Encoding": "identity"}
    whole = tier.until_kept("/conditions", headers=plain)[0]["serial"]
    for headers in CONDITIONS:
        facts, answer = tier.page("/conditions", headers={**plain, **headers}, source=new_visitor())
        assert hit(answer) == ("Range" not in headers), headers
        assert not hit(answer) or (answer.status, facts["serial"]) == (200, whole), headers
    assert tier.until_kept("/conditions", headers=plain)[0]["serial"] == whole, "and none of their answers took the page's place"


def test_head_is_no_page_and_takes_none_away(tier):
    tier.prove("/head")
    for level in (0, 3):
        tier.go(level)
        answer = tier.server.get("/head", method="HEAD", headers={"Accept-Encoding": "gzip"}, source=new_visitor())
        assert (answer.status, answer.body, answer["x-user"]) == (200, b"", "anon")
    kept = tier.until_kept("/head")[0]["serial"]
    assert tier.server.get("/head", method="HEAD", source=new_visitor()).status == 200
    assert tier.page("/head")[0]["serial"] == kept


def test_visitors_who_take_gzip_share_a_page_and_others_get_it_plain(tier):
    tier.go(4)
    gzipped = ["gzip", "gzip, deflate", "gzip, deflate, br", "br;q=1.0, gzip;q=0.8, *;q=0.1", "deflate, gzip;q=1.0"]
    tier.prove("/variant")
    tier.until_kept("/variant")
    answers = [tier.page("/variant", headers={"Accept-Encoding": e}, source=new_visitor()) for e in gzipped]
    assert len({f["serial"] for f, _ in answers}) == 1 and {r["content-encoding"] for _, r in answers} == {"gzip"}
    others = ("identity", "br", "gzip;q=0", "br, gzip;q=0.0", "")
    tier.until_kept("/variant", headers={"Accept-Encoding": "identity"})
    answers = [tier.page("/variant", headers={"Accept-Encoding": e}, source=new_visitor()) for e in others]
    assert len({f["serial"] for f, _ in answers}) == 1 and {r["content-encoding"] for _, r in answers} == {None}


# -- withdrawal, purge, bounds ------------------------------------------------------------------------------------------------

WITHDRAWN = {"404": [("Status", "404")], "410": [("Status", "410")], "301": [("Status", "301"), ("Location", "/elsewhere")],
             "302": [("Status", "302"), ("Location", "/login")], "403": [("Status", "403")], "private": [("Cache-Control", "private")],
             "no-store": [("Cache-Control", "max-age=600, no-store")], "cookie": [("Set-Cookie", "a=b")], "503": [("Status", "503")],
             "500": [("Status", "500")]}


def test_withdrawn_pages_do_not_come_back(tier):
    tier.go(4)
    for name in WITHDRAWN:
        tier.until_kept(f"/withdrawn/{name}")
    tier.go(0)
    tier.application.further = {f"/withdrawn/{name}": headers for name, headers in WITHDRAWN.items()}
    for name in WITHDRAWN:
        tier.page(f"/withdrawn/{name}")
    tier.go(4)
    for name in WITHDRAWN:
        assert not tier.is_kept(f"/withdrawn/{name}", 3), name
    tier.application.further = {}
    for name in WITHDRAWN:
        assert tier.until_kept(f"/withdrawn/{name}")[1].status == 200


def test_store_can_be_emptied_while_it_is_used(tier):
    tier.go(4)
    before = tier.until_kept("/emptied")[0]["serial"]
    for path in sorted(tier.server.store.rglob("*"), reverse=True):
        if path.is_file():
            path.unlink(missing_ok=True)
    after = tier.serials("/emptied")
    assert before not in after
    tier.until_kept("/emptied")


def test_store_is_closed_to_others(tier):
    for number in range(5):
        tier.prove(f"/closed/{number}")
    paths = [tier.server.store, *tier.server.store.rglob("*")]
    assert {stat.S_IMODE(path.stat().st_mode) for path in paths if path.is_dir()} == {0o700}
    assert {stat.S_IMODE(path.stat().st_mode) for path in paths if path.is_file()} == {0o600}


# -- all of it at once -----------------------------------------------------------------------------------------------------

def test_switching_between_levels_under_load(ageing):
    """Users, logged in, known or not, while the level changes all the time: right person, right age, no error."""
    tier = ageing
    stop, problems, answers = threading.Event(), [], []     # answers: whether each came from the store
    history = [[0.0, 0, float("inf")]]     # [command began, level, the command that ended it had ended]

    def allowed_age(since):
        return max(SHORT_AGE[level] for _, level, ended in history if ended > since)

    def visitor(number):
        chooser = random.Random(number)
        user = f"u{number}" if number % 3 == 0 else None
        with tier.server.connect(source=new_visitor()) as connection:
            while not stop.is_set():
                path = chooser.choice(["/", "/tag/1", "/tag/2", "/event/1", "/login"])
                asked = time.monotonic()
                facts, response = tier.page(path, user=user, connection=connection)
                answers.append(hit(response))
                age = asked - float(facts.get("built", 0))      # when we asked, so that no delay of the machine counts
                if response.status != 200 or facts["path"] != path:
                    problems.append((path, response.status, facts))
                elif facts["user"] != (user or "anon") or response["x-user"] != (user or "anon"):
                    problems.append(("page of somebody else", user, facts))
                elif age > (0.0 if user or path == "/login" else allowed_age(asked)) + 0.001:
                    problems.append(("too old", round(age, 2), facts, [level for _, level, _ in history[-3:]]))
                if len(problems) > 5:
                    return

    def enough():
        return len(answers) > 300 and sum(answers) > 10

    visitors = [threading.Thread(target=visitor, args=(n,)) for n in range(9)]
    for thread in visitors:
        thread.start()
    chooser = random.Random(5)
    begun = time.monotonic()
    while (time.monotonic() < begun + 4 or not enough()) and time.monotonic() < begun + 60 and not problems:
        level = chooser.choice(range(7))
        history.append([time.monotonic(), level, float("inf")])
        tier.go(level)
        history[-2][2] = time.monotonic()
        time.sleep(chooser.choice([0.02, 0.2, 0.7]))    # how long a level lasts: part of the input
    stop.set()
    for thread in visitors:
        thread.join()
    assert problems == []
    assert enough(), f"{len(answers)} answers, {sum(answers)} of them from the store"
