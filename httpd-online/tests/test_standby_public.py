# SPDX-License-Identifier: Apache-2.0
"""StandbyPublic: what the application itself calls public is served to members, too, from a level on; nothing else is, and not to
somebody who has just written."""

import time

import pytest

from harness.ladder import ATTACKED, hit, new_visitor, passed_by, running_tier
from harness.waiting import eventually

FIRST = 3                   # the level of the section, for all but /always/
AGE = {0: 0, 1: 0, 2: 0, 3: 200, 4: 500, 5: 500, 6: 500}    # s
SHORT = 3                   # s, on level 3 below /media/short-age/
PUBLIC = [("Content-Type", "image/png"), ("Cache-Control", "public, max-age=600"), ("Vary", "Accept-Encoding")]
SITE = f"""
    StandbyPublic {FIRST} /media/* /feed
    StandbyExcept /media/private/*
    StandbyHarmlessCookies ic2_*
"""
DIRECTIVES = f"""
<LocationMatch "^/index.php/media/short-age/">
    StandbyAge 3 {SHORT}
</LocationMatch>
<LocationMatch "^/index.php/media/expires">
    ExpiresActive On
    ExpiresByType image/png "access plus 1 hour"
</LocationMatch>
<LocationMatch "^/index.php/media/longer">
    Header always set Cache-Control "public, max-age=600"
    Header set Cache-Control "public, max-age=600"
</LocationMatch>
<LocationMatch "^/index.php/media/walled">
    StandbyPublic 5 /media/walled
</LocationMatch>
<LocationMatch "^/index.php/always/">
    StandbyPublic 0 /always/*
</LocationMatch>
<LocationMatch "^/index.php/fragment/">
    StandbyPublic 3 /fragment/*
    StandbyTypes text/html
</LocationMatch>
"""


@pytest.fixture(scope="module", params=ATTACKED)
def shared(request):
    only = request.config.getoption("--mpm")
    if only and request.param not in (only, "stock"):
        pytest.skip(f"--mpm {only}")
    with running_tier(request.param, sanitized=request.config.getoption("--asan"), site=SITE, directives=DIRECTIVES, age=AGE) as tier:
        tier.application.build_seconds = 0
        yield tier


@pytest.fixture
def tier(shared):
    shared.application.further, shared.application.shows = {}, {}
    shared.go(4)
    return shared


def member(name="ann"):
    return {"Cookie": f"member_id=secret-of-{name}", "Accept": "image/avif,image/webp,*/*;q=0.8", "Sec-Fetch-Dest": "image", "Sec-Fetch-Mode": "no-cors"}


def picture(tier, path, headers=None, **kwargs):
    return tier.page(path, source=new_visitor(), headers=member() if headers is None else headers, **kwargs)


def is_kept(tier, path, headers=None, visits=4):
    return any(hit(picture(tier, path, headers)[1]) for _ in range(visits))


def test_members_get_what_is_public_after_one_build(tier):
    tier.application.further["/media/1"] = PUBLIC
    built = picture(tier, "/media/1")[0]["serial"]
    for name in ("ann", "bob", "eve"):
        facts, response = picture(tier, "/media/1", member(name))
        assert facts["serial"] == built and hit(response) and int(response["age"]) <= AGE[4]
        assert response["content-type"] == "image/png" and response["cache-control"] == "public, max-age=600"


def test_curl_sees_it_as_the_page_says(tier):
    """docs/public.md, See it."""
    tier.application.further["/media/curl"] = PUBLIC
    curl = {"User-Agent": "curl/7.88.1", "Accept": "*/*", "Cookie": "member=somebody"}
    answers = [tier.server.get("/media/curl", headers=curl, source="127.0.0.1") for _ in range(2)]
    assert [answer["x-cache"] for answer in answers] == ["MISS", "HIT"]


def test_visitors_without_a_cookie_share_it(tier):
    tier.application.further["/media/shared"] = PUBLIC
    built = picture(tier, "/media/shared")[0]["serial"]
    anonymous = {name: value for name, value in member().items() if name != "Cookie"}
    assert picture(tier, "/media/shared", anonymous)[0]["serial"] == built


@pytest.mark.parametrize("why, further", {
    "said nothing": [("Content-Type", "image/png"), ("Vary", "Accept-Encoding")],
    "no age": [("Content-Type", "image/png"), ("Cache-Control", "public"), ("Vary", "Accept-Encoding")],
    "age 0": [("Content-Type", "image/png"), ("Cache-Control", "public, max-age=0"), ("Vary", "Accept-Encoding")],
    "shared age 0": [("Content-Type", "image/png"), ("Cache-Control", "public, max-age=600, s-maxage=0"), ("Vary", "Accept-Encoding")],
    "age alone": [("Content-Type", "image/png"), ("Cache-Control", "max-age=600"), ("Vary", "Accept-Encoding")],
    "private, too": [("Content-Type", "image/png"), ("Cache-Control", "public, private, max-age=600"), ("Vary", "Accept-Encoding")],
    "no-store, too": [*PUBLIC, ("Cache-Control", "no-store")],
    "a cookie": [*PUBLIC, ("Set-Cookie", "seen=1")],
    "by cookie": [*PUBLIC[:2], ("Vary", "Accept-Encoding, Cookie")],
    "by authorization": [*PUBLIC[:2], ("Vary", "Authorization")],
    "by anything": [*PUBLIC[:2], ("Vary", "*")],
    "by language": [*PUBLIC[:2], ("Vary", "Accept-Language")],
    "a page": [("Content-Type", "text/html"), *PUBLIC[1:]],
    "data": [("Content-Type", "application/json"), *PUBLIC[1:]],
    "no type": [("Content-Type", "x"), *PUBLIC[1:]],
    "not found": [*PUBLIC, ("Status", "404 Not Found")],
    "elsewhere": [*PUBLIC, ("Status", "302 Found"), ("Location", "/elsewhere")],
    "of another cache": [*PUBLIC, ("Age", "590")],
    "a time alone": [("Content-Type", "image/png"), ("Cache-Control", "public"), ("Expires", "Fri, 01 Jan 2099 00:00:00 GMT"), ("Vary", "Accept-Encoding")],
    "a file of httpd": [*PUBLIC, ("X-Sendfile", "/nowhere")],
    "in the past": [("Content-Type", "image/png"), ("Cache-Control", "public"), ("Expires", "Thu, 19 Nov 1981 08:52:00 GMT"), ("Vary", "Accept-Encoding")],
}.items(), ids=lambda value: value.replace(" ", "-") if isinstance(value, str) else "")
def test_what_is_not_public_is_not_stored(tier, why, further):
    path = f"/media/not/{why.replace(' ', '-')}"
    tier.application.further[path] = further
    assert not is_kept(tier, path) and tier.application.count(path) == 4


def test_a_fragment_of_html_needs_its_type(tier):
    tier.application.further["/fragment/menu"] = [("Content-Type", "text/html"), *PUBLIC[1:]]
    assert is_kept(tier, "/fragment/menu")


def test_a_page_of_a_member_that_is_not_named_is_not_stored(tier):
    """However public the application calls it."""
    for path in ("/account", "/media/private/1", "/mediafile", "/media"):
        tier.application.further[path] = PUBLIC
        assert not is_kept(tier, path)
        assert all(passed_by(picture(tier, path)[1]) for _ in range(2))


@pytest.mark.parametrize("shows", [lambda p: p["HTTP_COOKIE"].partition("=")[2], lambda p: p["HTTP_USER_AGENT"], lambda p: p["REMOTE_ADDR"]],
                         ids=["cookie", "user-agent", "address"])
def test_what_holds_something_of_the_visitor_is_not_stored(tier, shows, request):
    path = f"/media/holds/{request.node.callspec.id}"
    tier.application.further[path], tier.application.shows[path] = PUBLIC, shows
    assert not is_kept(tier, path, {**member(), "User-Agent": "Browser of Ann 123"})


@pytest.mark.parametrize("kwargs", [
    {"method": "POST", "body": b"a=1"}, {"body": b"a=1"}, {"headers": {"Authorization": "Bearer ann"}}, {"headers": {"X-Remote-User": "ann"}},
    {"headers": {"Range": "bytes=0-9"}}, {"headers": {"Cookie": "member_id"}}, {"headers": {"Cookie": "; ".join(f"a{n}=1" for n in range(200))}},
    {"headers": {"Accept": "application/x-eve"}}, {"headers": {"Sec-Fetch-Dest": "x"}}, {"headers": {"Sec-Fetch-Mode": "x"}},
    {"headers": {"Sec-Fetch-Site": "x"}}, {"headers": {"Cookie": "member_id=1; ic2_fresh=1"}}, {"headers": {"Cookie": "ic2_fresh=1"}}], ids=lambda kwargs: str(kwargs)[:40])
def test_request_of_another_kind_gets_no_stored_answer(tier, kwargs):
    path = "/media/kind"
    tier.application.further[path] = PUBLIC
    picture(tier, path)
    assert hit(picture(tier, path)[1])
    headers = {**member(), **kwargs.get("headers", {})}
    assert not hit(tier.page(path, source=new_visitor(), **{**kwargs, "headers": headers})[1])


def test_who_has_written_gets_the_new_one(tier):
    path, version = "/media/avatar", ["old"]
    tier.application.further[path] = PUBLIC
    tier.application.shows[path] = lambda p: version[0]
    picture(tier, path)
    assert hit(picture(tier, path)[1])
    version[0] = "new"
    answer = tier.server.get(path, source=new_visitor(), method="POST", body=b"picture=1", headers={**member(), "Content-Type": "text/plain"})
    cookies = [value.partition(";")[0] for name, value in answer.headers if name == "set-cookie"]
    assert cookies == ["ic2_fresh=1"]
    again = {**member(), "Cookie": f"{member()['Cookie']}; {cookies[0]}"}
    assert picture(tier, path, again)[0]["shows"] == "new"


def test_level_from_which_it_is_served(tier):
    tier.application.further["/media/level"] = PUBLIC
    tier.go(0)
    assert not is_kept(tier, "/media/level")
    tier.go(FIRST - 1)
    assert not is_kept(tier, "/media/level", visits=2)
    tier.go(FIRST)
    assert hit(picture(tier, "/media/level")[1]), "it was stored before"


def test_level_0_is_always(tier):
    tier.application.further["/always/1"] = PUBLIC
    tier.go(0)
    assert is_kept(tier, "/always/1")


def test_it_gets_no_older_than_the_level_and_the_application_allow(tier):
    tier.go(3)
    tier.application.further["/media/short-age/1"] = PUBLIC
    tier.application.further["/media/own-age"] = [PUBLIC[0], ("Cache-Control", "public, max-age=1"), PUBLIC[2]]
    for path, most in (("/media/short-age/1", SHORT), ("/media/own-age", 1)):
        built = float(picture(tier, path)[0]["built"])

        def next_one(path=path, built=built, most=most):
            asked = time.monotonic()
            facts, response = picture(tier, path)
            assert not hit(response) or asked - float(facts["built"]) <= most + 0.01
            return float(facts["built"]) > built

        eventually(next_one, what=f"{path} to be built again")


def test_what_was_public_and_is_not_any_more_goes(tier):
    tier.application.further["/media/now-private"] = PUBLIC
    picture(tier, "/media/now-private")
    assert hit(picture(tier, "/media/now-private")[1])
    tier.application.further["/media/now-private"] = [PUBLIC[0], ("Cache-Control", "private")]
    fresh = {**member(), "Cookie": "member_id=1", "If-None-Match": '"x"'}
    assert tier.server.get("/media/now-private", method="PURGE", source="127.0.0.1").status == 200
    picture(tier, "/media/now-private", fresh)
    assert not is_kept(tier, "/media/now-private")


@pytest.mark.parametrize("answer", [[("Status", "302 Found"), ("Location", "/login")], [("Status", "404 Not Found")], [("Status", "410 Gone")]],
                         ids=["elsewhere", "missing", "gone"])
def test_the_error_of_one_visitor_takes_nothing_from_others(tier, answer, request):
    """It may be about who asks, and how. The others' copies end with their age."""
    path = f"/media/led/{request.node.callspec.id}"
    tier.application.further[path] = lambda p: answer if "eve" in p.get("HTTP_COOKIE", "") else PUBLIC
    other = {**member("bob"), "Accept": "image/webp"}
    picture(tier, path, other)
    assert hit(picture(tier, path, other)[1])
    for accept in ("image/png", "application/x-eve", None):
        picture(tier, path, {name: value for name, value in {**member("eve"), "Accept": accept}.items() if value})
    assert hit(picture(tier, path, other)[1])


def test_who_has_uploaded_by_a_script_gets_the_new_one(tier):
    """The cookie is for all paths: a picture lies elsewhere than the page that sent it."""
    tier.application.further["/api/upload"] = [("Cache-Control", "no-store")]
    answer = tier.server.get("/api/upload", source=new_visitor(), method="POST", body=b"picture=1", headers={
        "Content-Type": "text/plain", "Sec-Fetch-Mode": "cors", "Sec-Fetch-Dest": "empty", "Referer": "http://localhost/profile/edit",
        "Cookie": "member_id=secret-of-ann"})
    cookies = [value for name, value in answer.headers if name == "set-cookie"]
    assert len(cookies) == 1 and cookies[0].startswith("ic2_fresh=1; Path=/;")


@pytest.mark.parametrize("cookie", ["user=alice", "uid=42", "a=secret-of-ann; b=12345", "flag=1"])
def test_a_cookie_that_is_too_short_to_look_for_has_nothing_stored(tier, cookie, request):
    path = f"/media/short/{request.node.callspec.indices['cookie']}"
    tier.application.further[path] = PUBLIC
    assert not is_kept(tier, path, {**member(), "Cookie": cookie})
    picture(tier, path, member("bob"))
    assert hit(picture(tier, path, {**member(), "Cookie": cookie})[1]), "but it gets what others had built"


def test_what_httpd_adds_is_no_permission(tier):
    tier.application.further["/media/expires"] = [PUBLIC[0], ("Cache-Control", "public"), PUBLIC[2]]
    assert not is_kept(tier, "/media/expires")


def test_what_httpd_adds_makes_nothing_last_longer(tier):
    tier.application.further["/media/longer"] = [PUBLIC[0], ("Cache-Control", "public, max-age=1"), PUBLIC[2]]
    built = float(picture(tier, "/media/longer")[0]["built"])
    for _ in range(100):
        asked = time.monotonic()
        facts, response = picture(tier, "/media/longer")
        assert not hit(response) or asked - float(facts["built"]) <= 1.01
        if float(facts["built"]) > built:
            return
        time.sleep(0.05)
    raise AssertionError("never built again")


def test_a_picture_for_other_sites_is_not_served_to_our_own(tier):
    """The application knows them by the Referer, or by Sec-Fetch-Site, and says nothing of it in Vary."""
    tier.application.further["/media/linked"] = PUBLIC
    tier.application.shows["/media/linked"] = lambda p: "stolen" if "evil" in p.get("HTTP_REFERER", "") or p.get("HTTP_SEC_FETCH_SITE") == "cross-site" else "ours"
    for other in ({"Referer": "http://evil.example/"}, {"Sec-Fetch-Site": "cross-site"}):
        picture(tier, "/media/linked", {**member(), **other})
        assert picture(tier, "/media/linked", {**member(), "Referer": "http://localhost/page"})[0]["shows"] == "ours"
        assert picture(tier, "/media/linked")[0]["shows"] == "ours"


@pytest.mark.parametrize("name, values", [("Accept", ("image/webp", "image/png")), ("Sec-Fetch-Dest", ("image", "document")), ("Sec-Fetch-Mode", ("no-cors", "cors")), ("Sec-Fetch-Site", ("same-origin", "none"))])
def test_another_form_of_it_is_another_copy(tier, name, values):
    path = f"/media/form/{name}"
    tier.application.further[path] = [*PUBLIC[:2], ("Vary", "Accept")]
    tier.application.shows[path] = lambda p: p.get("HTTP_" + name.upper().replace("-", "_"), "none")
    for value in values * 3:
        assert picture(tier, path, {**member(), name: value})[0]["shows"] == value


def test_the_counters_say_why_nothing_is_stored(tier):
    before = tier.status().count("StandbyRefused", "not-public")
    tier.application.further["/media/counted"] = [("Content-Type", "image/png")]
    picture(tier, "/media/counted")
    assert tier.status().count("StandbyRefused", "not-public") == before + 1
