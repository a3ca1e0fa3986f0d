# SPDX-License-Identifier: Apache-2.0
"""mod_standby serves a page only after builds for two client addresses were the same, and never one that holds something of the
request that had it built."""

import hashlib
import html
import itertools
import json
import random
import time
import urllib.parse

import pytest

from harness.ladder import hit, new_visitor, running_tier
from harness.waiting import eventually

TIERS = ("stock", "worker")
WINDOW, LIFETIME = 2, 3     # s
SITE = r"""
    StandbyMask "<time>" "</time>"
    StandbyIgnoreAnswerHeaders X-Trace
    StandbyHarmlessParameters from
    StandbyHarmlessCookies visitor_id
"""
DIRECTIVES = f"""
<LocationMatch "/window/">
    StandbyTwins {WINDOW} 3600
</LocationMatch>
<LocationMatch "/lifetime/">
    StandbyTwins 3600 {LIFETIME}
</LocationMatch>
StandbyVolatileHeaders CF-Ray X-Forwarded-For
"""


@pytest.fixture(scope="module", params=TIERS)
def shared(request):
    only = request.config.getoption("--mpm")
    if only and request.param not in (only, "stock"):
        pytest.skip(f"--mpm {only}")
    with running_tier(request.param, sanitized=request.config.getoption("--asan"), site=SITE, directives=DIRECTIVES) as tier:
        tier.application.build_seconds = 0
        yield tier


@pytest.fixture
def tier(shared):
    shared.application.further, shared.application.shows = {}, {}
    shared.go(4)
    return shared


# -- twins ---------------------------------------------------------------------------------------------------------------

def test_one_address_proves_nothing(tier):
    alone, other = new_visitor(), new_visitor()
    assert not any(hit(tier.page("/alone", source=alone)[1]) for _ in range(8))
    assert not hit(tier.page("/alone", source=other)[1])
    tier.until_kept("/alone")
    assert hit(tier.page("/alone", source=alone)[1])


def test_two_addresses_prove_a_page_on_each_level(tier):
    for level in (0, 2, 3, 4):
        tier.go(level)
        path = f"/two/{level}"
        built = tier.prove(path)
        tier.go(4)
        assert tier.until_kept(path)[0]["serial"] in built or level >= 3


@pytest.mark.parametrize("kind", ["body", "header", "length"])
def test_page_that_differs_for_each_visitor_is_never_served(tier, kind):
    """Its difference is no text of the request, so that no search finds it."""
    path, lengths = f"/differs/{kind}", {}

    def secret(parameters):
        return hashlib.sha256(parameters["REMOTE_ADDR"].encode()).hexdigest()

    def shows(parameters):
        return {"body": secret(parameters), "header": "", "length": "x" * lengths.setdefault(secret(parameters), 1 + len(lengths))}[kind]

    tier.application.shows[path] = shows
    tier.application.further[path] = lambda p: [("X-Account", secret(p))] if kind == "header" else []
    for level in (0, 3, 4):
        tier.go(level)
        for _ in range(6):
            source = new_visitor()
            facts, response = tier.page(path, source=source)
            expected = {"REMOTE_ADDR": source}
            assert facts["shows"] == shows(expected)
            assert kind != "header" or response["x-account"] == secret(expected)
    said = [line for line in tier.status().pages["StandbyDiffers"] if line.startswith(f"{path} ")]
    assert len(said) == 1, "the page is named once"
    if kind == "body":
        at = int(said[0].split(" at byte ")[1].split(":")[0])
        where = int(len("<!-- built=12345.123456 mitigation=4 serial=100 -->\n"))
        assert abs(at - where) < 1024, "to a block"


def test_a_difference_revokes_the_proof(tier):
    personal = []
    tier.application.shows["/revoked"] = lambda p: hashlib.sha256(p["REMOTE_ADDR"].encode()).hexdigest() if personal else "for everybody"
    tier.until_kept("/revoked")
    tier.go(0)
    personal.append(True)
    for _ in range(3):
        tier.page("/revoked", source=new_visitor())
    tier.go(4)
    for _ in range(8):
        source = new_visitor()
        facts, response = tier.page("/revoked", source=source)
        assert facts["shows"] == hashlib.sha256(source.encode()).hexdigest(), response["x-cache"]


def test_change_that_one_visitor_alone_sees_is_not_served_to_others(tier):
    """Not even if it is the visitor whose build is stored."""
    special = []
    tier.application.shows["/special"] = lambda p: "for you alone" if p["REMOTE_ADDR"] in special else "for everybody"
    tier.go(0)
    tier.prove("/special")
    last = new_visitor()
    tier.page("/special", source=last)
    special.append(last)
    for _ in range(3):
        assert tier.page("/special", source=last)[0]["shows"] == "for you alone"
    tier.go(4)
    assert {tier.page("/special", source=new_visitor())[0]["shows"] for _ in range(4)} == {"for everybody"}


def test_changed_page_is_served_as_it_is_now(tier):
    """After a change two builds prove it again, and the old one never comes back."""
    version = ["one"]
    tier.application.shows["/changed"] = lambda p: version[0]
    tier.until_kept("/changed")
    tier.go(0)
    version[0] = "two"
    tier.page("/changed", source=new_visitor())
    tier.go(4)
    seen = [tier.page("/changed", source=new_visitor())[0]["shows"] for _ in range(4)]
    assert seen == ["two"] * 4 and tier.until_kept("/changed")[0]["shows"] == "two"


@pytest.mark.parametrize("header, values", [("Accept-Language", ("de", "en")), ("User-Agent", ("Mobile", "Desktop"))])
def test_page_by_a_header_without_vary_is_never_served_to_the_wrong_visitor(tier, header, values):
    """The application chooses by a header that all browsers send. Visitors of both kinds have been here."""
    path = f"/chosen/{header}"
    tier.application.shows[path] = lambda p: p.get("HTTP_" + header.upper().replace("-", "_"), "none")[::-1]
    chooser = random.Random(1)
    tier.go(0)
    for value in (*values, values[0], *(chooser.choice(values) for _ in range(6))):
        tier.page(path, source=new_visitor(), headers={header: value})
    tier.go(4)
    for number in range(40):
        value = chooser.choice(values)
        facts, response = tier.page(path, source=new_visitor(), headers={header: value})
        assert facts["shows"] == value[::-1], (number, response["x-cache"])


@pytest.mark.parametrize("first, then", [("de-DE,de;q=0.9", "en-GB"), ("en", "de"), ("fr, en;q=0.5", "en, fr;q=0.5")])
def test_page_by_the_first_language_is_never_served_to_the_wrong_visitor(tier, first, then):
    """Not even where all visitors so far had one language."""
    path = f"/first-language/{first[:2]}-{then[:2]}"
    tier.application.shows[path] = lambda p: p.get("HTTP_ACCEPT_LANGUAGE", "none")[:2]
    assert tier.until_kept(path, headers={"Accept-Language": first})[0]["shows"] == first[:2]
    for language in (then, then, first, then):
        assert tier.page(path, source=new_visitor(), headers={"Accept-Language": language})[0]["shows"] == language[:2]


@pytest.mark.parametrize("first, then", [
    ("nl-BE,nl;q=0.9,fr;q=0.8", "nl,en;q=0.5"), ("en", "en,fr;q=0.3"), ("zh-CN,zh;q=0.9", "zh-TW,zh;q=0.9"), ("sr-Latn-RS", "sr-Cyrl-RS"),
    ("nl;q=0.1,fr", "nl,fr;q=0.1"), ("nl;q=0,fr", "nl,fr"), ("nl, fr", "nl")])
def test_page_by_another_language_is_never_served_to_the_wrong_visitor(tier, first, then):
    """The application does not have the first one, and takes the next."""
    path = "/next-language/" + "".join(filter(str.isalnum, first + then))
    tier.application.shows[path] = lambda p: "one" if p.get("HTTP_ACCEPT_LANGUAGE") == first else "other"
    assert tier.until_kept(path, headers={"Accept-Language": first})[0]["shows"] == "one"
    for _ in range(3):
        assert tier.page(path, source=new_visitor(), headers={"Accept-Language": then})[0]["shows"] == "other"


@pytest.mark.parametrize("odd", ["gzip;q=1;x", "gzip;q=0.5;q=1", "*;q=0.1;x, gzip;x=1", "gzip;x"])
def test_page_in_an_encoding_that_was_not_understood_is_for_nobody_else(tier, odd):
    """httpd may compress for whom the module has in the class of those who cannot read it."""
    path, plain = f"/odd-encoding/{''.join(filter(str.isalnum, odd))}", {"Accept-Encoding": "identity"}
    tier.application.shows[path] = lambda p: "long " * 500
    for _ in range(4):
        tier.page(path, source=new_visitor(), headers={"Accept-Encoding": odd})
    for _ in range(3):
        answer = tier.server.get(path, source=new_visitor(), headers=plain)
        assert not answer["content-encoding"] and b"long long" in answer.body
    tier.until_kept(path, headers=plain)
    tier.page(path, source=new_visitor(), headers={"Accept-Encoding": odd})
    assert hit(tier.page(path, source=new_visitor(), headers=plain)[1]), "one odd visitor takes no page away"


@pytest.mark.parametrize("first, then", [("de,en", "de,en;q=0.5"), ("de;q=0.8;q=0.1,en;q=0.5", "de;q=0.8,en;q=0.5"), ("=en", "en"), ("nl,=en", "nl,en")])
def test_languages_that_are_liked_the_same_are_no_order(tier, first, then):
    path = "/liked-the-same/" + "".join(filter(str.isalnum, first + then))
    tier.until_kept(path, headers={"Accept-Language": first})
    assert not hit(tier.page(path, source=new_visitor(), headers={"Accept-Language": then})[1])


@pytest.mark.parametrize("first, then", [("de-DE,de;q=0.9,en-US;q=0.8,en;q=0.7", "de,en-US;q=0.7,en;q=0.3"), ("en-US,en;q=0.5", "en_GB"), ("fr,", "FR;q=1")])
def test_visitors_who_read_the_same_share_a_page(tier, first, then):
    """Browsers write it with other qualities and regions."""
    path = f"/same-language/{first[:2]}"
    tier.until_kept(path, headers={"Accept-Language": first})
    assert hit(tier.page(path, source=new_visitor(), headers={"Accept-Language": then})[1])


def test_page_for_half_of_the_visitors_is_never_served_to_the_other_half(tier):
    """By a property of theirs that the module cannot see, as in a test of two variants."""
    def variant(parameters):
        return "AB"[int(hashlib.sha256(parameters["REMOTE_ADDR"].encode()).hexdigest(), 16) % 2]

    tier.application.shows["/half"] = variant
    tier.go(0)
    for wanted in "ABABBAAB":
        source = next(source for source in iter(new_visitor, None) if variant({"REMOTE_ADDR": source}) == wanted)
        tier.page("/half", source=source)
    tier.go(4)
    for number in range(40):
        source = new_visitor()
        facts, response = tier.page("/half", source=source)
        assert facts["shows"] == variant({"REMOTE_ADDR": source}), (number, response["x-cache"])


@pytest.mark.parametrize("text, kept",
                         [("<!-- built in {n} ms by {n} queries -->", True), ("<time>{w}</time>", True), ("<time>{w}{long}</time>", False),
                                        ("<!-- for {w} -->", False), ("built in {n} ms", False), ("<time>{w}", False)],
                         ids=["comment", "mask", "long-mask", "words-in-comment", "numbers", "open-mask"])
def test_masks_say_what_may_differ(tier, text, kept, request):
    path = f"/mask/{request.node.callspec.id}"
    numbers, words = itertools.count(95), itertools.cycle(("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"))
    tier.application.shows[path] = lambda p: text.format(n=next(numbers), w=next(words), long="-" * 40_000)
    if kept:
        tier.until_kept(path)
    else:
        assert not tier.is_kept(path, 8)


def test_ignored_header_of_an_answer_is_neither_compared_nor_stored(tier):
    tier.application.further["/trace"] = [("X-Trace", "number-@")]
    tier.application.further["/other-trace"] = [("X-Other-Trace", "number-@")]
    assert tier.page("/trace")[1]["x-trace"], "it is sent with a page that is built"
    assert tier.until_kept("/trace")[1]["x-trace"] is None
    assert not tier.is_kept("/other-trace", 6)


def test_builds_further_apart_than_the_window_prove_nothing(tier):
    for number in range(4):
        path = f"/window/{number}"
        tier.page(path, source=new_visitor())
        time.sleep(WINDOW + 0.1)        # the condition under test
        begun = time.monotonic()
        tier.page(path, source=new_visitor())       # the second build, too late for the first
        third = hit(tier.page(path, source=new_visitor())[1])
        assert not third, "only two builds, and too far apart"
        if time.monotonic() < begun + WINDOW / 2:   # in time for these two
            tier.until_kept(path)
            return


def test_proof_holds_for_its_lifetime_and_no_longer(tier):
    tier.until_kept("/lifetime/page")
    time.sleep(LIFETIME + 0.1)       # the condition under test; the copy may be older
    assert not hit(tier.page("/lifetime/page", source=new_visitor())[1])
    tier.until_kept("/lifetime/page")


# -- reflections ---------------------------------------------------------------------------------------------------------

VALUE = "Sphinx-of-black-quartz"
SPECIAL = "Ab <b>\"O'Brien\" & co</b> judge my vow"
SOURCES = {
    "user-agent": lambda v: {"headers": {"User-Agent": v}}, "accept-language": lambda v: {"headers": {"Accept-Language": v}},
    "referer": lambda v: {"headers": {"Referer": f"http://elsewhere.example/{v}"}}, "cookie": lambda v: {"headers": {"Cookie": f"_ga={v}"}},
    "own-cookie": lambda v: {"headers": {"Cookie": f"_gid=1; visitor_id={v}"}}, "volatile": lambda v: {"headers": {"CF-Ray": v}},
    "forwarded": lambda v: {"headers": {"X-Forwarded-For": f"203.0.113.9, {v}"}},
"sec": lambda v: {"headers": {"Sec-CH-UA": f'"{v}";v="8"'}},
    "from": lambda v: {"headers": {"From": v}}, "cache-control": lambda v: {"headers": {"Cache-Control": f"no-cache, {v}"}},
}


def shown_of(path, tier, variable, how, value):
    """The page shows what came in `variable` if the value was there."""
    tier.application.shows[path] = lambda p: f"<p>{how(value)}</p>" if value in urllib.parse.unquote_plus(p.get(variable,
                                                                                                                "")) else "<p>nothing</p>"


def attack(tier, path, sent, expected, plain_path=None):
    """Three visitors who send the same: so builds are the same. Then others, who must not see it."""
    for level in (4, 0, 4):
        tier.go(level)
        seen = [tier.page(path, source=new_visitor(), **sent) for _ in range(4)]
        assert {facts["shows"] for facts, response in seen if not hit(response)} <= {f"<p>{expected}</p>"}
        assert {facts["shows"] for facts, response in seen if hit(response)} <= {"<p>nothing</p>"}
        assert {tier.page(plain_path or path, source=new_visitor())[0]["shows"] for _ in range(3)} == {"<p>nothing</p>"}
    tier.until_kept(plain_path or path)


@pytest.mark.parametrize("source", SOURCES)
def test_page_with_a_value_of_the_request_is_never_served(tier, source):
    variables = {"cookie": "HTTP_COOKIE", "own-cookie": "HTTP_COOKIE", "volatile": "HTTP_CF_RAY", "forwarded": "HTTP_X_FORWARDED_FOR",
                 "sec": "HTTP_SEC_CH_UA"}
    path = f"/reflects/{source}"
    variable = variables.get(source, "HTTP_" + source.upper().replace("-", "_"))
    shown = SOURCES[source](VALUE)["headers"].popitem()[1] if source in ("referer", "sec",
                                                                         "cache-control") else VALUE      # the whole of it
    tier.application.shows[path] = lambda p: f"<p>{shown}</p>" if VALUE in p.get(variable, "") else "<p>nothing</p>"
    attack(tier, path, SOURCES[source](VALUE), shown)
    assert any(line.startswith(f"{path} ") for line in tier.status().pages["StandbyReflects"])


def test_own_referer_is_no_secret(tier):
    path = "/reflects/own-referer"
    tier.application.shows[path] = lambda p: p.get("HTTP_REFERER", "nothing")
    assert tier.until_kept(path, headers={"Referer": "http://localhost/where-all-come-from"})


HOW = {
    "raw": str, "html": html.escape, "php": lambda v: html.escape(v).replace("&#x27;", "&#039;"),
"go": lambda v: html.escape(v).replace("&quot;", "&#34;").replace("&#x27;", "&#39;"),
    "html-without-quotes": lambda v: html.escape(v, quote=False), "quoted": urllib.parse.quote, "plus": urllib.parse.quote_plus,
    "quoted-in-small-letters": lambda v: urllib.parse.quote(v).replace("%3C", "%3c").replace("%3E", "%3e").replace("%2F", "%2f"),
    "json": json.dumps, "json-in-html": lambda v: json.dumps(v).replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026"),
    "json-slashes": lambda v: json.dumps(v).replace("/", "\\/"),
"slashes": lambda v: v.replace("\\", "\\\\").replace("'", "\\'").replace('"', '\\"'),
}


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("source", ["parameter", "user-agent"])
def test_value_is_found_however_it_is_written(tier, source, how):
    path = f"/plain/written/{source}/{how}"
    shown_of(path, tier, "QUERY_STRING" if source == "parameter" else "HTTP_USER_AGENT", HOW[how], SPECIAL)
    if source == "parameter":
        for sent in (urllib.parse.quote(SPECIAL), urllib.parse.quote_plus(SPECIAL)):
            attack(tier, f"{path}?from={sent}", {}, HOW[how](SPECIAL), plain_path=path)
    else:
        attack(tier, path, {"headers": {"User-Agent": SPECIAL}}, HOW[how](SPECIAL))


@pytest.mark.parametrize("shown", ["%41%2Dlong%2Dname", "A-long-name", "%51uartz-of-%62lack", "Quartz-of-black"])
def test_value_that_is_sent_encoded_is_found_raw_and_decoded(tier, shown):
    path, sent = f"/encoded/{abs(hash(shown))}", {True: "%41%2Dlong%2Dname", False: "%51uartz-of-%62lack"}["long" in shown]
    tier.application.shows[path] = lambda p: f"<p>{shown}</p>" if sent in p.get("HTTP_COOKIE", "") else "<p>nothing</p>"
    attack(tier, path, {"headers": {"Cookie": f"_ga={sent}"}}, shown)


@pytest.mark.parametrize("header", ["User-Agent", "Cookie", "From"])
def test_page_of_a_request_with_too_much_to_escape_is_not_kept(tier, header):
    """To look for it in all the ways in which it may be written would take longer than the page."""
    path, strange = f"/strange/{header}", "<>&'/" * 150
    sent = {header: f"_ga={strange}" if header == "Cookie" else strange}
    for level in (0, 4):
        tier.go(level)
        assert not any(hit(tier.page(path, source=new_visitor(), headers=sent)[1]) for _ in range(4))
    assert not hit(tier.page(path, source=new_visitor())[1])
    tier.until_kept(path)


def test_value_in_a_header_of_the_answer_is_found_too(tier):
    tier.application.further["/header-reflects"] = lambda p: [("Link", f"<{p.get('HTTP_USER_AGENT', 'none')}>; rel=x")]
    tier.go(4)
    for _ in range(4):
        tier.page("/header-reflects", source=new_visitor(), headers={"User-Agent": VALUE})
    assert {tier.page("/header-reflects", source=new_visitor())[1]["link"] for _ in range(4)} == {"<none>; rel=x"}


def test_what_all_browsers_send_is_no_reflection(tier):
    """Pages hold such words, and no visitor is told apart by them."""
    tier.application.shows["/words"] = "gzip, deflate, br text/html no-cache keep-alive navigate same-origin"
    tier.until_kept("/words",
                    headers={"Accept": "text/html", "Accept-Language": "de-DE,de;q=0.9", "Cache-Control": "no-cache",
                             "Sec-Fetch-Mode": "navigate",
                                       "Sec-Fetch-Site": "same-origin", "Upgrade-Insecure-Requests": "1",
                                       "Accept-Encoding": "gzip, deflate, br"})


def test_status_says_when_all_builds_came_from_one_address(make_server, request):
    with running_tier("stock", sanitized=request.config.getoption("--asan")) as tier:
        assert tier.status().lines["StandbyTwins"] == "ok"
        for number in range(50):
            tier.page(f"/one/{number % 5}", source="127.0.0.7")
        assert tier.status().lines["StandbyTwins"] == "all builds came from one address (127.0.0.7)"
        tier.page("/one/1", source=new_visitor())
        assert tier.status().lines["StandbyTwins"] == "ok"
