# SPDX-License-Identifier: Apache-2.0
"""mod_standby stores a page only if its status is 200 and no header says that it is somebody's own, whatever validators and
ages the application sends, and by whatever way httpd gets the page."""

import concurrent.futures
import email.utils
import itertools
import time

import pytest

from harness.application import COOKIE, Application
from harness.backend import CGI_SCRIPT, Http
from harness.fcgi import FastCgi
from harness.http2 import curl
from harness.ladder import AGE, SHORT_AGE, hit, ladder_server, new_visitor, page, passed_by
from harness.waiting import eventually

# on level 4 longer than a test takes, on level 3 so short that one can wait for it
AGES = {**AGE, 3: SHORT_AGE[3]}
NOW = time.time()
VALIDATORS = {
    "last-modified": [("Last-Modified", email.utils.formatdate(NOW - 864000, usegmt=True))],
    "etag": [("ETag", '"tag"')],
    "both-validators": [("ETag", 'W/"tag"'), ("Last-Modified", email.utils.formatdate(NOW - 864000, usegmt=True))],
    "expires": [("Expires", email.utils.formatdate(NOW + 86400, usegmt=True))],
    "max-age": [("Cache-Control", "max-age=600")],
    "s-maxage": [("Cache-Control", "s-maxage=600")],
    "public": [("Cache-Control", "public, max-age=600, s-maxage=600, must-revalidate"), ("ETag", '"tag"')],
    "max-age-0": [("Cache-Control", "max-age=0, must-revalidate"), ("ETag", '"tag"')],
    "max-age-and-old-expires": [("Cache-Control", "max-age=600"), ("Expires", "Sun, 19 Nov 1978 05:00:00 GMT")],
    "two-ages": [("Cache-Control", "public"), ("Cache-Control", "max-age=600")],
    "date-ahead": [("Date", email.utils.formatdate(NOW + 3600, usegmt=True)), ("ETag", '"tag"')],
    "nothing": [],
}
# what makes a page private, alone and with whatever validator
PRIVATE = {
    "cookie": [("Set-Cookie", "visitor=@; Path=/")],
    "cookies": [("Set-Cookie", "a=@; Path=/"), ("Set-Cookie", "b=@; Path=/")],
    "same-cookie": [("Set-Cookie", "consent=asked; Path=/")],
    "private": [("Cache-Control", "private")],
    "capital-private": [("Cache-Control", "Private, Max-Age=600")],
    "private-field": [("Cache-Control", 'private="X-User", max-age=600')],
    "private-in-second": [("Cache-Control", "max-age=600"), ("Cache-Control", "private")],
    "no-store": [("Cache-Control", "no-store")],
    "capital-no-store": [("Cache-Control", "NO-STORE")],
    "no-store-in-third": [("Cache-Control", "public"), ("Cache-Control", "max-age=600"), ("Cache-Control", "no-store")],
    "no-cache": [("Cache-Control", "no-cache")],
    "no-cache-field": [("Cache-Control", 'max-age=600, no-cache="Set-Cookie"')],
    "no-cache-in-second": [("Cache-Control", "max-age=600"), ("Cache-Control", "No-Cache")],
    "s-maxage-0": [("Cache-Control", "public, max-age=600, s-maxage=0")],
    "pragma-no-cache": [("Pragma", "no-cache")],
    "pragma-and-public": [("Pragma", "No-Cache"), ("Cache-Control", "max-age=600")],
    "vary-all": [("Vary", "*")],
    "vary-all-too": [("Vary", "Accept-Encoding, *")],
    "vary-user-agent": [("Vary", "Accept-Encoding, User-Agent")],
    "vary-language-in-second": [("Vary", "Accept-Encoding"), ("Vary", "Accept-Language")],
    "vary-unknown": [("Vary", "X-Invented")],
    "expires-0": [("Expires", "0")],
    "expires-long-ago": [("Expires", "Thu, 19 Nov 1981 08:52:00 GMT")],
}
STATUSES = ("201 Created", "203 Non-Authoritative", "300 Multiple Choices", "301 Moved Permanently", "302 Found",
            "303 See Other", "307 Temporary Redirect", "308 Permanent Redirect", "403 Forbidden", "404 Not Found", "410 Gone",
            "500 Internal Server Error", "503 Service Unavailable")


def not_to_be_kept():
    """{path: headers}"""
    for (why, private), (what, validators) in itertools.product(PRIVATE.items(), VALIDATORS.items()):
        # a max-age makes an Expires of the past void, and no page has two of them
        void = why.startswith("expires") and ("expires" in what or any("max" in v for n, v in validators if n == "Cache-Control"))
        if not void:
            yield f"/{why}-{what}", validators + private
    for status, (what, validators) in itertools.product(STATUSES, VALIDATORS.items()):
        answer = [("Status", status), *validators]
        if status[0] == "3":
            answer.append(("Location", "/elsewhere"))
        yield f"/{status[:3]}-{what}", answer
        yield f"/{status[:3]}-{what}-cookie", answer + PRIVATE["cookie"]


KEPT = {**{f"/{what}": headers for what, headers in VALIDATORS.items()},
        "/vary": [("Vary", "Accept-Encoding, Cookie"), ("ETag", '"tag"')],
        "/pragma": [("Pragma", "public"), ("Cache-Control", "max-age=600")]}
NOT_KEPT = dict(not_to_be_kept())


@pytest.fixture
def application():
    return Application(build_seconds=0)


@pytest.fixture
def start(make_server, build):
    """start(handler, ...): a server on a level that answers from the store, see harness.ladder."""
    def start(handler, *, level=4, prepare=lambda server: None, **kwargs):
        server = ladder_server(make_server, "event", handler, of=build, age=AGES, **kwargs)
        prepare(server)
        server.start()
        server.ladder.go(level)
        return server
    return start


@pytest.fixture
def fastcgi(backends, application):
    """The lines for httpd."""
    return f'SetHandler "proxy:fcgi://127.0.0.1:{backends.enter_context(FastCgi(application)).port}"'


def install_cgi(server, further):
    """A CGI script at index.php, with the headers that each path has."""
    root = server.root / "htdocs"
    (root / "index.php").write_text(CGI_SCRIPT)
    (root / "index.php").chmod(0o755)
    (root / "headers").mkdir()
    for path, headers in further.items():
        (root / "headers" / path[1:]).write_text("".join(f"{n}: {v}\n" for n, v in headers))


@pytest.fixture(params=["fastcgi", "http", "cgi"])
def get(request, start, backends, application, fastcgi):
    """get(path): the pages KEPT and NOT_KEPT, behind each kind of handler, on level 4; each time for another visitor."""
    further = {**KEPT, **NOT_KEPT}
    if request.param == "cgi":
        server = start("SetHandler cgi-script\n    Options +ExecCGI", modules=("cgid",),
                       prepare=lambda server: install_cgi(server, further))
    elif request.param == "fastcgi":
        server = start(fastcgi)
    else:
        server = start(backends.enter_context(Http(application)).config, directives="StandbyKeyedHeaders X-Path-Info")
    application.further = further

    def get(path):
        return page(server, path, source=new_visitor())

    get.ladder = server.ladder
    return get


def all_of(response, name):
    return [value for n, value in response.headers if n == name]


def herd(work, items):
    """Eight at once; the results in their order."""
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        return list(pool.map(work, items))


def faults(answers):
    """What is wrong with answers to one address that must not be kept."""
    if len({facts.get("serial") for facts, _ in answers}) < len(answers):
        yield "a page was served twice"
    if any(hit(response) for _, response in answers):
        yield "a hit"
    handed_out = [cookie for _, response in answers for cookie in all_of(response, "set-cookie") if not cookie.startswith("consent")]
    if len(set(handed_out)) < len(handed_out):
        yield f"a cookie was handed out twice: {handed_out}"


def words(values):
    """The parts of a header's values. mod_deflate marks the ETag of what it compresses."""
    return {word.strip().lower().replace("-gzip", "") for value in values for word in value.split(",")}


def lost(response, sent):
    """What the application sent and the client did not get."""
    for name in {name for name, _ in sent} - {"Status", "Date"}:
        missing = words(v for n, v in sent if n == name and "@" not in v) - words(all_of(response, name.lower()))
        if missing or not response[name.lower()]:
            yield name, missing


def test_nothing_is_kept_that_may_be_somebodys_own(get):
    def check(path):
        answers = [get(path) for _ in range(4)]
        found = [*faults(answers), *lost(answers[-1][1], NOT_KEPT[path])]
        return [(path, *found)] if found else []

    found = sum(herd(check, NOT_KEPT), [])
    assert found == [], f"{len(found)} of {len(NOT_KEPT)} addresses"


def test_pages_for_everybody_are_stored_unchanged_and_no_longer_than_the_level_says(get):
    served = {}
    for path, sent in KEPT.items():
        built = [get(path) for _ in range(2)]
        eventually(lambda: hit(get(path)[1]), what=f"{path} to be stored")
        answers = [get(path) for _ in range(3)]
        served[path] = {facts["serial"] for facts, _ in built + answers}
        assert [hit(response) for _, response in built + answers] == [False, False, True, True, True], path
        assert len({facts["serial"] for facts, _ in answers}) == 1, path
        validators = [(n, v) for n, v in sent if n in ("ETag", "Last-Modified")]
        assert not list(lost(built[0][1], sent)), f"{path}: the application's own answer"
        assert not list(lost(answers[0][1], [header for header in sent if header not in validators])), f"{path}: from the store"
        assert not set(dict(answers[-1][1].headers)) & {"etag", "last-modified"}, "no copy has what a later 304 could refer to"
    get.ladder.go(3)
    time.sleep(AGES[3])     # the condition under test: older than promised
    late = herd(lambda path: (path, get(path)[0]["serial"]), [path for path in KEPT for _ in range(2)])
    assert [path for path, serial in late if serial in served[path]] == []


def test_redirection_with_a_cookie_is_each_visitors_own(start, fastcgi, application):
    """A 301 may be kept for as long as one likes if nothing forbids it."""
    application.further = {"/old": [("Status", "301 Moved Permanently"), ("Location", "/new"), ("Set-Cookie", "visitor=@; Path=/")]}
    server = start(fastcgi)
    seen = [server.get("/old", source=new_visitor()) for _ in range(5)]
    assert {(r.status, r["location"]) for r in seen} == {(301, "/new")}
    assert len({r["set-cookie"] for r in seen}) == 5


CHOOSES = """#!/bin/sh
case "$PATH_INFO $REMOTE_ADDR" in
    "/choice 127.253."*) printf 'Location: /staff-only\\n\\n' ;;
    "/choice "*) printf 'Location: /for-all\\n\\n' ;;
    *) printf 'Content-Type: text/html\\n\\n<!-- serial=%s -->\\npath=%s\\n' $$ "$PATH_INFO" ;;
esac
"""


def test_redirection_within_httpd_leads_each_visitor_where_the_script_said(start):
    """A script's Location without a host: httpd goes there by itself."""
    def prepare(server):
        (server.root / "htdocs" / "index.php").write_text(CHOOSES)
        (server.root / "htdocs" / "index.php").chmod(0o755)

    server = start("SetHandler cgi-script\n    Options +ExecCGI", modules=("cgid",), prepare=prepare)
    for level in (4, 0, 4):
        server.ladder.go(level)
        for network, path in (("127.253.", "/staff-only"), ("127.252.", "/for-all"), ("127.253.", "/staff-only")):
            for _ in range(3):
                source = network + new_visitor().rpartition(".")[0].partition(".")[2]
                facts, response = page(server, "/choice", source=source)
                assert facts["path"] == path, response["x-cache"]


def test_page_that_begins_to_set_cookies_is_no_longer_stored(start, fastcgi, application):
    server = start(fastcgi)
    eventually(lambda: hit(page(server, "/home", source=new_visitor())[1]), what="/home to be stored")
    application.further = {"/home": [("ETag", '"tag"'), ("Set-Cookie", "visitor=@; Path=/")]}
    server.ladder.go(3)
    time.sleep(AGES[3])     # the condition under test: its copy is too old
    answers = [page(server, "/home", source=new_visitor()) for _ in range(10)]
    handed_out = [cookie for _, response in answers for cookie in all_of(response, "set-cookie")]
    assert len(handed_out) == len(set(handed_out)) == 10


def test_over_http2_it_is_the_same_cache(start, fastcgi, application):
    server = start(fastcgi, modules=("http2",), virtual_host="Protocols h2c http/1.1")

    def get(path="/home", **kwargs):
        response = curl(server.port, path, source=new_visitor(), **kwargs)
        assert response.status == 200
        return response

    assert [hit(get()) for _ in range(2)] == [False, False]
    eventually(lambda: hit(get()), what="the page to be stored")
    same = {"headers": {"Accept-Encoding": "identity", "Accept": "*/*"}, "host": f"127.0.0.1:{server.port}"}
    assert hit(page(server, "/home", source=new_visitor(), **same)[1]), "for HTTP/1.1 too"
    built = application.count("/home")
    assert hit(get()) and application.count("/home") == built
    assert passed_by(get(headers={"Cookie": f"{COOKIE}=ann"})) and b"user=ann" in get(headers={"Cookie": f"{COOKIE}=ann"}).body
    assert passed_by(get(method="POST", body="x=1")) and passed_by(get(method="GET", body="x=1"))
    assert not any(hit(get("/login")) for _ in range(4))


@pytest.mark.parametrize("directives", ["", "StandbyKeyedHeaders Accept-Language"], ids=["refused", "keyed"])
def test_each_language_of_a_page_is_for_its_own_visitors(start, fastcgi, application, directives):
    application.further = {"/home": lambda parameters: [
        ("Vary", "Accept-Language"), ("Content-Language", parameters.get("HTTP_ACCEPT_LANGUAGE", "none")), ("ETag", '"tag"')]}
    server = start(fastcgi, directives=directives)
    hits = []
    for language in ("de", "en", "fr") * 2:
        for _ in range(3):
            _, response = page(server, "/home", source=new_visitor(), headers={"Accept-Language": language})
            assert response["content-language"] == language
            hits.append(hit(response))
    assert any(hits) == bool(directives), "without the directive the value is in no key"


def test_page_is_served_no_longer_than_the_application_grants(start, fastcgi, application):
    application.further = {"/brief": [("Cache-Control", "max-age=1")]}
    server = start(fastcgi)
    hits, end = 0, time.monotonic() + 60
    while not (hits and application.count("/brief") >= 6) and time.monotonic() < end:
        asked = time.monotonic()
        facts, response = page(server, "/brief", source=new_visitor())
        hits += hit(response)
        assert asked - float(facts["built"]) < 1
    assert hits, "and is served that long"


COOKIE_LINE = '"visitor=%{UNIQUE_ID}e; Path=/"'


@pytest.mark.parametrize("lines", [
    f"Header set Set-Cookie {COOKIE_LINE}", f"Header always set Set-Cookie {COOKIE_LINE}",
    f'<Location "/">\nHeader add Set-Cookie {COOKIE_LINE}\nHeader always set Cache-Control "public, max-age=600"\n</Location>',
    f'<Location "/">\nHeader always add Set-Cookie {COOKIE_LINE}\nHeader set Cache-Control "public, max-age=600"\n</Location>',
    f'<If "true">\nHeader set Set-Cookie {COOKIE_LINE}\nHeader set Cache-Control "public, max-age=600"\n</If>',
    f'<Location "/">\n<If "true">\nHeader add Set-Cookie {COOKIE_LINE}\n</If>\n</Location>',
    "Header set Cache-Control private", "Header always set Cache-Control no-store", "Header always set Pragma no-cache",
    'Header always set Cache-Control "max-age=600"\nHeader set Cache-Control private',
    'Header set Cache-Control "max-age=600"\nHeader always set Cache-Control private',
], ids=range(11))
@pytest.mark.parametrize("kind", ["application", "file"])
def test_pages_that_httpds_own_configuration_makes_private_are_not_kept(start, fastcgi, application, kind, lines):
    """Header lines of the virtual host, before an application with validators and before a file."""
    application.further = {"/home": VALIDATORS["public"]}
    handler = "ForceType text/html\n    AcceptPathInfo On" if kind == "file" else fastcgi
    server = start(handler, virtual_host=lines, modules=("unique_id",))
    answers = [server.get("/home", headers={"Accept-Encoding": "gzip"}, source=new_visitor()) for _ in range(5)]
    assert {response.status for response in answers} == {200}
    assert not any(hit(response) for response in answers)
    handed_out = [cookie for response in answers for cookie in all_of(response, "set-cookie")]
    assert len(set(handed_out)) == len(handed_out) == (5 if "Set-Cookie" in lines else 0)


def test_file_is_stored_like_a_page_and_grows_no_older_than_promised(start):
    lines = {"plain": "", "expires": 'ExpiresActive On\nExpiresDefault "access plus 10 minutes"',
             "always": 'Header always set Cache-Control "public, max-age=600"'}
    sections = "".join(f'<If "%{{THE_REQUEST}} =~ m#/{name}#">\n{text}\n</If>\n' for name, text in lines.items())
    server = start("ForceType text/html\n    AcceptPathInfo On", virtual_host=sections)
    for name in lines:
        eventually(lambda: hit(server.get(f"/{name}", source=new_visitor())), what=f"{name} to be stored")
    (server.root / "htdocs" / "index.php").write_text("another\n")
    server.ladder.go(3)
    time.sleep(AGES[3])     # the condition under test
    assert {response.text for response in herd(lambda name: server.get(f"/{name}"), list(lines) * 2)} == {"another\n"}
