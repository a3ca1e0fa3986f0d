# SPDX-License-Identifier: Apache-2.0
"""docs/mitigation.conf: each rung does what it says, on the patched server and on stock httpd, and nothing that was stored is
older than promised, somebody else's, or withdrawn."""

import gzip
import itertools
import os
import random
import re
import stat
import subprocess
import threading
import time

import pytest

from harness.application import COOKIE, parse
from harness.client import Connection
from harness.ladder import AGE, EARLY, EARLY_PORTS, KNOWN, SHORT_AGE, TIERS, hit, running_tier
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
        tier.server.log.expect("AH00708", "AH00699")    # a copy is taken away while another request opens or replaces it
        yield tier


def at_the_beginning(tier):
    application = tier.application
    application.further, application.conditional, application.build_seconds = {}, [], 0.005
    tier.go(0)
    return tier


@pytest.fixture
def tier(shared):
    return at_the_beginning(shared)


@pytest.fixture
def ageing(shared_ageing):
    """With ages that a test can wait for; what is stored may be too old before a busy machine asks for it again."""
    return at_the_beginning(shared_ageing)


# -- rungs ---------------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("rung", [0, 1, 2])
def test_below_rung_3_every_page_is_built_and_looks_as_it_does_without_us(tier, rung):
    tier.application.further = {"/quiet": [("ETag", '"tag"'), ("Cache-Control", "max-age=600"), ("Last-Modified", "Sun, 01 Nov 2026 00:00:00 GMT")]}
    tier.go(rung)
    assert len(set(tier.serials("/quiet", 6))) == 6
    facts, stored = tier.page("/quiet")
    bypass, other = tier.page("/quiet", headers={"Cookie": "unknown=1"})
    assert stored["x-cache"].startswith("MISS") and other["x-cache"] is None, "the second was not offered to the store"
    usual = [sorted((n, v) for n, v in r.headers if n not in ("x-cache", "date", "vary", "content-length", "transfer-encoding")) for r in (stored, other)]
    assert usual[0] == usual[1]
    assert {w.strip() for w in stored["vary"].split(",")} == {w.strip() for w in other["vary"].split(",")}
    for name in ("user", "path", "query", "mitigation", "optional", "script", "info", "uri"):
        assert facts[name] == bypass[name], name


@pytest.mark.parametrize("shared", [name for name in TIERS if name != "stock"], indirect=True)
def test_rung_1_compresses_with_level_1(tier):
    sizes = {}
    for rung in (0, 1, 6):
        tier.go(rung)
        _, response = tier.page("/static/big.html")
        sizes[rung] = len(response.body), len(tier.page(f"/compressed/{rung}")[1].body)
        assert b"alpha" in gzip.decompress(response.body)
    assert sizes[1][0] > sizes[0][0] and sizes[1][1] > sizes[0][1] and sizes[6][0] == sizes[1][0]


@pytest.mark.parametrize("rung", [3, 4, 5, 6])
def test_store_is_warm_when_it_is_wanted(tier, rung):
    path = f"/warm/{rung}"
    stored = tier.serials(path, 3)[-1]
    tier.go(rung)
    answers = [tier.page(path) for _ in range(4)]
    assert {facts["serial"] for facts, _ in answers} == {stored}, "what was built in quiet answers at once"
    assert all(hit(response) and response["age"] is not None and response["content-encoding"] == "gzip" for _, response in answers)
    tier.go(2)
    assert stored not in tier.serials(path)


@pytest.mark.parametrize("rung", [3, 4])
def test_page_is_never_older_than_promised(ageing, rung):
    """Under load, with an application that takes its time."""
    tier = ageing
    tier.application.build_seconds = 0.05
    tier.go(rung)
    oldest, problems, answers, enough = [0.0], [], [0], threading.Event()
    begun = time.monotonic()

    def built():
        return sum(tier.application.count(f"/aged/{rung}/{n}") for n in range(3))

    def visitor(number):
        with tier.server.connect() as connection:
            while not enough.is_set() and time.monotonic() < begun + 60:
                asked = time.monotonic()
                if asked > begun + SHORT_AGE[rung] + 1.5 and answers[0] > 100 and built() < answers[0] / 3:
                    enough.set()
                facts, response = tier.page(f"/aged/{rung}/{number % 3}", connection=connection)
                oldest[0] = max(oldest[0], asked - float(facts["built"]))
                answers[0] += 1
                if response["warning"]:
                    problems.append(response["warning"])

    run_all(visitor, 8)
    assert problems == []
    assert oldest[0] < SHORT_AGE[rung], "counted from the moment in which it was asked for"
    assert enough.is_set(), f"{answers[0]} answers, {built()} of them built"


def run_all(work, count):
    threads = [threading.Thread(target=work, args=(n,)) for n in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def ask_from(tier, path, ends):
    """A page, asked for from a port whose number ends so."""
    for port in itertools.count(random.randrange(400, 550) * 100 + int(ends), 100):
        try:
            with Connection(tier.server.port, source=port) as connection:
                return tier.page(path, connection=connection)[0]["serial"]
        except OSError:
            assert port < 60000


def test_some_have_a_page_built_before_all_do(ageing):
    """Of the visitors on rung 3 those with certain ports, once it is a second old; the others find the new one."""
    ageing.go(3)
    end = time.monotonic() + 60
    for path in map("/early/{}".format, itertools.count()):
        begun = time.monotonic()
        first, soon = (ask_from(ageing, path, port) for port in ("01", EARLY_PORTS[0]))
        in_time = time.monotonic() < begun + EARLY
        time.sleep(EARLY + 0.1)     # it must be older than that
        unchanged, second, third = (ask_from(ageing, path, port) for port in ("01", EARLY_PORTS[1], "03"))
        if in_time and time.monotonic() < begun + SHORT_AGE[3]:
            break
        assert time.monotonic() < end, "the machine is too slow to ask in time"
    assert soon == unchanged == first
    assert second != first and third == second


def test_rung_5_takes_who_is_known_for_anonymous(tier):
    for rung, anonymous in ((0, False), (3, False), (4, False), (5, True), (6, True)):
        tier.go(rung)
        path = f"/known/{rung}"
        seen = tier.serials(path, headers={"Cookie": f"_ga=1; {KNOWN}=ann"})
        assert (len(set(seen)) == 1) == anonymous, rung
        assert len(set(tier.serials(path, headers={"Cookie": f"{KNOWN}=ann; ic2_fresh=1"}))) == 4
        assert len(set(tier.serials(path, headers={"Cookie": f"{KNOWN}=ann; {COOKIE}=u1"}))) == 4


def test_rung_6_asks_the_application_to_leave_parts_out(tier):
    for rung in range(7):
        tier.go(rung)
        for user in (None, "u1"):
            assert tier.page(f"/brownout/{rung}", user=user)[0]["optional"] == ("no" if rung == 6 else "yes")
    tier.go(5)
    assert tier.page("/brownout/0", user="u1")[0]["optional"] == "yes"


def test_bots_of_the_list_are_asked_to_come_back_later(tier):
    bot = {"User-Agent": "Mozilla/5.0 (compatible; gptbot/1.2)"}
    for rung in range(7):
        tier.go(rung)
        for path in ("/bots", "/static/big.html"):
            answer = tier.server.get(path, headers=bot)
            assert (answer.status, answer["retry-after"]) == ((503, "120") if rung >= 2 else (200, None)), (rung, path)
        assert tier.server.get("/robots.txt", headers=bot).status == 200
        assert tier.server.get("/bots", headers={"User-Agent": "Mozilla/5.0"}).status == 200


# -- which rung ----------------------------------------------------------------------------------------------------------

def rung_of(tier):
    with Connection(tier.server.ports[0]) as status:
        return status.get("/server-status?auto")["ic2-mitigation"]


def test_status_page_says_which_rung(tier):
    for rung in (3, 0, 6, 1):
        tier.go(rung)
        assert rung_of(tier) == str(rung)


@pytest.mark.parametrize("shared", ["stock"], indirect=True)
def test_map_that_is_no_map_is_rung_0(tier):
    ladder = tier.server.ladder
    for text in ("", "MITIGATION\n", "MITIGATION x\n", "MITIGATION -3\n", "MITIGATION 03\n", "MITIGATION 3.5\n", "3\n", "\0" * 100,
                 "mitigation 3\n", "# MITIGATION 3\n", "MITIGATION 999999\n", "MITIGATION x\nMITIGATION 4\n", " MITIGATION 3\n", "\xff" * 5000):
        ladder.write("MITIGATION 3\n")
        assert rung_of(tier) == "3"
        ladder.write(text)
        assert rung_of(tier) == "0", repr(text)
        assert len(set(tier.serials("/garbage", 2))) == 2
    for text in ("MITIGATION 3", "MITIGATION 3\n", "MITIGATION\t3 \n\n", "# rung\n\nMITIGATION 3 # why\nMITIGATION 4\n"):
        ladder.write(text)
        assert rung_of(tier) == "3", repr(text)
    ladder.map.unlink()
    assert rung_of(tier) == "0"
    ladder.map.mkdir()
    assert rung_of(tier) == "0"
    ladder.map.rmdir()
    assert tier.server.log.unexpected() == []
    if os.geteuid() == 0:
        ladder.write("MITIGATION 3\n")
        ladder.map.chmod(0)
        tier.server.log.expect("", text="Cannot open file")
        assert rung_of(tier) == "0", "not readable for httpd's user"
        ladder.write("MITIGATION 4\n")
        assert rung_of(tier) == "4"


def test_request_headers_switch_nothing(tier):
    for name in ("MITIGATION", "standby", "standby_key", "deflate-level", "REDIRECT_MITIGATION", "MITIGATION_BROWNOUT", "IC2-Verdict"):
        assert len(set(tier.serials("/switch", 3, headers={name: "6"}))) == 3, name
        facts, _ = tier.page("/switch", headers={name: "6"})
        assert facts["mitigation"] == "0" and facts["optional"] == "yes"
    tier.go(4)
    kept = tier.page("/switch")[0]["serial"]
    for header in ({"Cache-Control": "no-cache"}, {"Pragma": "no-cache"}, {"Cache-Control": "max-age=0"}, {"Cache-Control": "no-store"},
                   {"Cache-Control": "max-stale=1000000"}, {"Cache-Control": "only-if-cached"}, {"Cache-Control": "min-fresh=99999"}):
        assert tier.page("/switch", headers=header)[0]["serial"] == kept, header


@pytest.mark.parametrize("path", ["/.ic2/pg0123456789abcdef0123456789abcdef/home", "/.ic2/", "/.ic2/fg0123456789abcdef0123456789abcdef/home", "/.ic2/home", "//.ic2/i/home"])
def test_prefix_is_not_reachable_from_outside(tier, path):
    tier.go(3)
    for headers in ({}, {"Cookie": f"{COOKIE}=u1"}, {"REDIRECT_standby_inside": "1", "standby_inside": "1"}):
        assert tier.server.get(path, headers=headers).status == 404


# -- whose page ----------------------------------------------------------------------------------------------------------

def test_who_is_logged_in_gets_their_own(tier):
    for rung in (0, 3, 6):
        tier.go(rung)
        tier.page("/own")
        for user in ("u1", "u2", "u1"):
            facts = [tier.page("/own", user=user)[0] for _ in range(3)]
            assert [f["user"] for f in facts] == [user] * 3 and len({f["serial"] for f in facts}) == 3
        for cookie in (f"_ga=1; {COOKIE}=u5", f"x=1;{COOKIE}=u5"):
            assert tier.page("/own", headers={"Cookie": cookie})[0]["user"] == "u5"
        assert tier.page("/own")[0]["user"] == "anon"


def test_other_cookies_matter_to_the_application_in_quiet_only(tier):
    cookies = [{"Cookie": f"visitor={n}; other=x{COOKIE}"} for n in range(4)]
    assert [tier.page("/cookies", headers=c)[1]["x-cache"] for c in cookies] == [None] * 4, "it may read them"
    assert tier.page("/cookies", headers={"Cookie": "_ga=GA1.2; _pk_id.1=2"})[1]["x-cache"]
    tier.go(4)
    assert len({tier.page("/cookies", headers=c)[0]["serial"] for c in cookies}) == 1


def test_what_is_private_or_not_a_page_is_never_stored(tier):
    tier.go(4)
    for path in ("/login", "/counts-visitors", "/missing"):
        assert not any(hit(tier.page(path)[1]) for _ in range(4)), path
    for headers in ({"Authorization": "Basic eA=="}, {"Accept": "application/json"}):
        assert len(set(tier.serials("/whole", headers=headers))) == 4, headers
    posts = [tier.server.get("/whole", method="POST", headers={"Content-Length": "0"}) for _ in range(3)]
    assert len({parse(p.text)["serial"] for p in posts}) == 3


def test_who_writes_sees_it_for_as_long_as_there_may_be_a_copy_from_before(tier):
    redirected = [("Status", "302"), ("Location", "http://localhost/fresh/page?x=1#comment")]
    cases = [([], "http://localhost/fresh/page?x#y", "/fresh/page"), ([], None, "/"), (redirected, "http://localhost/other", "/fresh/page"),
             ([("Status", "303"), ("Location", "/fresh/page")], None, "/fresh/page"),
             ([("Status", "303"), ("Location", "https://pay.example/fresh/page")], "http://localhost/x", "/"),
             ([("Status", "303"), ("Location", "page.php")], "http://localhost/x", "/"),
             ([], "http://localhost/a;Domain=evil", "/"), ([], "http://localhost//evil.example", "/")]
    for rung in (0, 4):
        tier.go(rung)
        for number, (headers, referer, path) in enumerate(cases):
            tier.application.further = {f"/write/{number}": headers}
            sent = {"Content-Length": "0", **({"Referer": referer} if referer else {})}
            answer = tier.server.get(f"/write/{number}", method="POST", headers=sent)
            cookie = next(v for n, v in answer.headers if n == "set-cookie")
            assert cookie == f"ic2_fresh=1; Path={path}; Max-Age={AGE[4]}; HttpOnly; SameSite=Lax", (number, headers, referer)
            assert answer["ic2-fresh"] is None
    tier.application.further = {"/refused": [("Status", "403")]}
    assert tier.server.get("/refused", method="POST", headers={"Content-Length": "0"})["set-cookie"] is None
    assert tier.page("/fresh/page")[1]["set-cookie"] is None
    assert len(set(tier.serials("/fresh/page", headers={"Cookie": "ic2_fresh=1"}))) == 4


def test_queries_of_known_parameters_are_addresses_and_harmless_ones_are_not(tier):
    tier.go(4)
    same = ["/q?page=2", "/q?page=2&utm_source=a", "/q?utm_source=a&page=2&fbclid=b", "/q?gclid=&page=2"]
    answers = [tier.page(path) for path in same]
    assert len({facts["serial"] for facts, _ in answers}) == 1
    assert {(f["query"], f["uri"]) for f, _ in answers} == {("page=2", "/q?page=2")}
    assert len({tier.page(f"/q?{q}")[0]["serial"] for q in ("p=1&page=2", "page=2&p=1", "page=2&utm_x=1&p=1")}) == 1
    first = tier.page("/harmless?utm_source=poison")[0]
    assert (first["query"], first["uri"]) == ("", "/harmless"), "a page of one visitor's address is not for all"
    assert tier.page("/harmless")[0]["serial"] == first["serial"]
    assert len({tier.page(f"/q?{q}")[0]["serial"] for q in ("page=2", "page=3", "page=", "page", "p=2", "page=2&p=3", "p=2&page=3")}) == 7
    for query in ("s=x", "page=2&s=x", "page=2&page=3", "p=1&page=2&p=3", "xpage=2", "page[]=2", "pagex=1", "utm_source", "&", "page=1&&p=2",
                  "%70age=2", "PAGE=2", "page=1&p=1&page"):
        answers = [tier.page(f"/q?{query}") for _ in range(2)]
        wanted = query if query != "utm_source" else ""
        assert answers[0][0]["query"] == wanted and (len({f["serial"] for f, _ in answers}) == 2 or query == "utm_source"), query


def test_harmless_parameters_reach_the_application_in_quiet(tier):
    facts, response = tier.page("/quiet-query?utm_source=a&page=2")
    assert (facts["query"], facts["uri"], response["x-cache"]) == ("utm_source=a&page=2", "/quiet-query?utm_source=a&page=2", None)


# -- what is no whole page ---------------------------------------------------------------------------------------------------

CONDITIONS = [{"If-None-Match": '"tag"'}, {"If-None-Match": '"other"'}, {"If-None-Match": "*"}, {"If-Match": '"other"'},
              {"If-Modified-Since": "Sun, 22 Nov 2026 00:00:00 GMT"}, {"If-Unmodified-Since": "Thu, 01 Jan 1970 00:00:00 GMT"},
              {"Range": "bytes=0-9"}, {"Range": "bytes=0-9", "If-Range": '"other"'}]


def test_conditions_and_ranges_are_the_applications_in_quiet_and_whole_pages_later(tier):
    tier.application.further = {"/conditions": lambda p: [("ETag", '"tag"')] + (
        [("Status", "304 Not Modified"), ("Set-Cookie", "visitor=@")] if p.get("HTTP_IF_NONE_MATCH") == '"tag"' else [])}
    whole = tier.page("/conditions")[0]["serial"]
    for headers in CONDITIONS:
        tier.application.conditional.clear()
        answer = tier.server.get("/conditions", headers={"Accept-Encoding": "gzip", **headers})
        assert answer["x-cache"] is None
        assert {v for _, v in tier.application.conditional} >= {v for n, v in headers.items() if n != "If-Range"} , headers
        assert (answer.status == 304) == (headers == CONDITIONS[0])
    tier.go(4)
    tier.application.conditional.clear()
    for headers in CONDITIONS:
        facts, answer = tier.page("/conditions", headers=headers)
        assert (answer.status, facts["serial"], hit(answer)) == (200, whole, True), headers
    assert tier.application.conditional == []


def test_head_is_no_page_and_takes_none_away(tier):
    stored = tier.page("/head")[0]["serial"]
    for rung in (0, 3):
        tier.go(rung)
        answer = tier.server.get("/head", method="HEAD", headers={"Accept-Encoding": "gzip"})
        assert (answer.status, answer.body, answer["x-user"]) == (200, b"", "anon")
    assert tier.page("/head")[0]["serial"] == stored


def test_who_takes_no_gzip_gets_none_and_all_others_share_one_page(tier):
    tier.go(4)
    gzipped = ["gzip", "gzip, deflate", "gzip, deflate, br", "br;q=1.0, gzip;q=0.8, *;q=0.1", "deflate, gzip;q=1.0"]
    answers = [tier.page("/variant", headers={"Accept-Encoding": e}) for e in gzipped]
    assert len({f["serial"] for f, _ in answers}) == 1 and {r["content-encoding"] for _, r in answers} == {"gzip"}
    plain = [tier.page("/variant", headers={"Accept-Encoding": e}) for e in ("identity", "br", "gzip;q=0", "br, gzip;q=0.0", "")]
    plain.append((parse(tier.server.get("/variant").text), tier.server.get("/variant")))
    assert len({f["serial"] for f, _ in plain}) == 1 and {r["content-encoding"] for _, r in plain} == {None}


# -- withdrawal, purge, bounds ------------------------------------------------------------------------------------------------

WITHDRAWN = {"404": [("Status", "404")], "410": [("Status", "410")], "301": [("Status", "301"), ("Location", "/elsewhere")],
             "302": [("Status", "302"), ("Location", "/login")], "403": [("Status", "403")], "private": [("Cache-Control", "private")],
             "no-store": [("Cache-Control", "max-age=600, no-store")], "cookie": [("Set-Cookie", "a=b")], "503": [("Status", "503")],
             "500": [("Status", "500")]}


def test_withdrawn_pages_do_not_come_back(tier):
    for name, headers in WITHDRAWN.items():
        path = f"/withdrawn/{name}"
        tier.go(0)
        stored = tier.page(path)[0]["serial"]
        tier.application.further = {path: headers}
        tier.page(path)
        tier.go(4)
        answer = tier.page(path)
        assert not hit(answer[1]) and answer[0].get("serial") != stored, name
        tier.application.further = {}
        assert tier.page(path)[1].status == 200 and hit(tier.page(path)[1]), name


def test_application_has_a_page_built_anew(tier):
    tier.go(4)
    first = tier.page("/refresh")[0]["serial"]
    assert tier.page("/refresh")[0]["serial"] == first
    second = tier.page("/refresh", headers={"IC2-Refresh": "1"})[0]["serial"]
    assert second != first and tier.page("/refresh")[0]["serial"] == second
    tier.application.further = {"/refresh": [("Status", "404")]}
    assert tier.page("/refresh", headers={"IC2-Refresh": "1"})[1].status == 404
    assert tier.page("/refresh")[1].status == 404


def test_store_can_be_emptied_while_it_is_used(tier):
    tier.go(4)
    before = tier.serials("/emptied")[0]
    subprocess.run(["find", tier.server.root / "cache", "-mindepth", "1", "-delete"], check=True)
    after = tier.serials("/emptied")
    assert before not in after and len(set(after)) == 1


def files(tier):
    return [path for path in (tier.server.root / "cache").rglob("*") if path.is_file()]


def test_store_is_closed_to_others_and_bounded(tier):
    for number in range(40):
        tier.page(f"/bounded/{number}")
    store = tier.server.root / "cache"
    assert {stat.S_IMODE(path.stat().st_mode) for path in [store, *store.rglob("*")] if path.is_dir()} == {0o700}
    assert {stat.S_IMODE(path.stat().st_mode) for path in files(tier)} == {0o600}
    assert sum(path.stat().st_size for path in files(tier)) > 100_000
    clean = [tier.server.build.prefix / "bin" / "htcacheclean", "-n", "-t", "-p", store, "-l", "100K"]
    subprocess.run(clean, check=True, capture_output=True)
    assert sum(path.stat().st_size for path in files(tier)) <= 100 * 1024
    tier.go(4)
    assert len(set(tier.serials("/bounded/0"))) <= 2, "and goes on to be used"


def test_page_that_is_too_large_is_not_stored(tier):
    tier.go(4)
    large = os.urandom(600_000).hex()
    tier.application.further = {"/large": [("X-Large", "1")]}
    (tier.server.root / "htdocs" / "static" / "large.html").write_text(large)
    before = len(files(tier))
    assert tier.server.get("/static/large.html").status == 200
    assert len(files(tier)) == before, "files are never stored"


# -- all of it at once -----------------------------------------------------------------------------------------------------

def test_switching_between_rungs_under_load(ageing):
    """Users, logged in, known or not, while the rung changes all the time: right person, right age, no error."""
    tier = ageing
    stop, problems, answers = threading.Event(), [], []     # answers: whether each came from the store
    history = [[0.0, 0, float("inf")]]     # [command began, rung, the command that ended it had ended]

    def allowed_age(since):
        return max(SHORT_AGE[rung] for _, rung, ended in history if ended > since)

    def visitor(number):
        chooser = random.Random(number)
        user = f"u{number}" if number % 3 == 0 else None
        with tier.server.connect() as connection:
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
                    problems.append(("too old", round(age, 2), facts, [r for _, r, _ in history[-3:]]))
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
        rung = chooser.choice(range(7))
        history.append([time.monotonic(), rung, float("inf")])
        tier.go(rung)
        history[-2][2] = time.monotonic()
        time.sleep(chooser.choice([0.02, 0.2, 0.7]))    # how long a rung lasts: part of the input
    stop.set()
    for thread in visitors:
        thread.join()
    assert problems == []
    assert enough(), f"{len(answers)} answers, {sum(answers)} of them from the store"
