# SPDX-License-Identifier: Apache-2.0
"""docs/mitigation.conf: the stand-by cache stores a page only if its status is 200 and no header says that it is somebody's
own, whatever validators and ages the application sends, and by whatever way httpd gets the page."""

import concurrent.futures
import email.utils
import itertools
import os
import re
import subprocess
import time

import pytest

from harness.application import COOKIE, Application
from harness.backend import CGI_SCRIPT, Http
from harness.build import COMPONENT
from harness.fcgi import FastCgi
from harness.http2 import nghttp
from harness.ladder import AGE, SHORT_AGE, hit, ladder_server, page
from harness.waiting import eventually

# on rung 4 longer than a test takes, on rung 3 so short that one can wait for it
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
    "vary-all-too": [("Vary", "Accept-Language, *")],
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
        "/vary": [("Vary", "Accept-Language"), ("ETag", '"tag"')],
        "/pragma": [("Pragma", "public"), ("Cache-Control", "max-age=600")]}
NOT_KEPT = dict(not_to_be_kept())



@pytest.fixture
def application():
    return Application(build_seconds=0)


@pytest.fixture
def start(make_server, allow_reconfigure_lines):
    """start(handler, ...): a server on a rung that answers from the store, see harness.ladder."""
    def start(handler, *, rung=4, prepare=lambda server: None, **kwargs):
        server = ladder_server(make_server, "event", handler, age=AGES, **kwargs)
        prepare(server)
        server.start()
        server.ladder.go(rung)
        return allow_reconfigure_lines(server)
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
    """get(path): the pages KEPT and NOT_KEPT, behind each kind of handler, on rung 4."""
    further = {**KEPT, **NOT_KEPT}
    if request.param == "cgi":
        server = start("SetHandler cgi-script\n    Options +ExecCGI", modules=("cgid",),
                       prepare=lambda server: install_cgi(server, further))
    elif request.param == "fastcgi":
        server = start(fastcgi)
    else:
        server = start(backends.enter_context(Http(application)).config)
    application.further = further
    # compressed, it would be kept only if all of it had come from the application when httpd began to compress
    headers = {"Accept-Encoding": "identity"} if request.param == "http" else {}

    def get(path):
        return page(server, path, headers=headers)

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
    if any("HIT" in (response["x-cache"] or "") for _, response in answers):
        yield "a hit"
    handed_out = [cookie for _, response in answers for cookie in all_of(response, "set-cookie")]
    if len(set(handed_out)) < len(handed_out):
        yield f"a cookie was handed out twice: {handed_out}"


def words(values):
    """The parts of a header's values. mod_deflate marks the ETag of what it compresses."""
    return {word.strip().lower().replace("-gzip", "") for value in values for word in value.split(",")}


def lost(response, sent):
    """What the application sent and the client did not get."""
    controls = [value for name, value in sent if name == "Cache-Control"]
    if len(controls) > 1:       # then those that make nothing private give way to ours, and so do the validators
        sent = [(name, value) for name, value in sent if name == "Set-Cookie"]
    for name in {name for name, _ in sent} - {"Status", "Date"}:
        missing = words(v for n, v in sent if n == name and "@" not in v) - words(all_of(response, name.lower()))
        if missing or not response[name.lower()]:
            yield name, missing


def test_nothing_is_kept_that_may_be_somebodys_own(get):
    def check(path):
        answers = [get(path) for _ in range(3)]
        found = [*faults(answers), *lost(answers[-1][1], NOT_KEPT[path])]
        if "public" in (control := ", ".join(all_of(answers[-1][1], "cache-control"))).lower() and "private" not in control.lower():
            found.append(f"for caches outside: {control}")
        return [(path, *found)] if found else []

    found = sum(herd(check, NOT_KEPT), [])
    assert found == [], f"{len(found)} of {len(NOT_KEPT)} addresses"


def test_pages_for_everybody_are_stored_as_they_are_for_as_long_as_the_rung_says_and_no_longer(get):
    first = {}
    for path, sent in KEPT.items():
        answers = [get(path)]
        eventually(lambda: hit(get(path)[1]), what=f"{path} to be stored")    # a client has it before it is
        answers += [get(path) for _ in range(3)]
        first[path] = {facts["serial"] for facts, _ in answers}
        assert [hit(response) for _, response in answers] == [False, True, True, True], path
        assert len({facts["serial"] for facts, _ in answers[1:]}) == 1, path
        for _, response in answers:
            assert "s-maxage" not in (response["cache-control"] or "") or path in ("/s-maxage", "/public"), "nothing new for caches outside"
            ages = [v for n, v in sent if n == "Cache-Control" and re.search("max-age=[1-9]", v)]
            assert not ages or "max-age=600" in ", ".join(all_of(response, "cache-control")), path
            assert (response["expires"] == "Thu, 01 Jan 1970 00:00:00 GMT") == (path == "/max-age-0"), path
            assert "max-age=0" not in (response["cache-control"] or "")
        assert not list(lost(answers[0][1], [(n, v) for n, v in sent if n in ("ETag", "Last-Modified")])), f"{path}: clients may use them"
        assert not set(dict(answers[-1][1].headers)) & {"etag", "last-modified"}, "no copy has what a later 304 could refer to"
    get.ladder.go(3)
    time.sleep(AGES[3])     # the condition under test: older than promised
    late = herd(lambda path: (path, get(path)[0]["serial"]), [path for path in KEPT for _ in range(2)])
    assert [path for path, serial in late if serial in first[path]] == []


def test_redirection_with_a_cookie_is_each_visitors_own(start, fastcgi, application):
    """A 301 may be kept for as long as one likes if nothing forbids it."""
    application.further = {"/old": [("Status", "301 Moved Permanently"), ("Location", "/new"), ("Set-Cookie", "visitor=@; Path=/")]}
    server = start(fastcgi)
    seen = [server.get("/old") for _ in range(4)]
    assert {(r.status, r["location"]) for r in seen} == {(301, "/new")}
    assert len({r["set-cookie"] for r in seen}) == 4


def test_page_that_begins_to_set_cookies_is_no_longer_stored(start, fastcgi, application):
    server = start(fastcgi)
    assert len({page(server, "/home")[0]["serial"] for _ in range(4)}) == 1
    application.further = {"/home": [("ETag", '"tag"'), ("Set-Cookie", "visitor=@; Path=/")]}
    server.ladder.go(3)
    time.sleep(AGES[3])     # the condition under test: its copy is too old
    answers = [page(server, "/home") for _ in range(10)]
    handed_out = [cookie for _, response in answers for cookie in all_of(response, "set-cookie")]
    assert len(handed_out) == len(set(handed_out)) == 10


def test_application_is_asked_for_whole_pages_only(start, fastcgi, application):
    """What answers a condition with 304, and hands out a cookie with it, must not renew the page that is stored."""
    def revalidated(parameters):
        if "HTTP_IF_NONE_MATCH" in parameters:
            return [("Status", "304 Not Modified"), ("ETag", '"tag"'), ("Set-Cookie", "visitor=@; Path=/")]
        return [("ETag", '"tag"'), ("Last-Modified", email.utils.formatdate(NOW - 864000, usegmt=True))]

    application.further = {"/home": revalidated}
    server = start(fastcgi, rung=3)
    oldest, handed_out, hits, end = 0, [], 0, time.monotonic() + 60

    def stored_and_built_again():
        """A visit takes milliseconds, so a page is shown many times before it is too old, and now and then at half that age."""
        return application.count("/home") >= 3 and hits >= 10 * application.count("/home") and oldest > AGES[3] / 2

    while not stored_and_built_again() and time.monotonic() < end:
        asked = time.monotonic()
        facts, response = page(server, "/home")
        oldest = max(oldest, asked - float(facts["built"]))
        handed_out += all_of(response, "set-cookie")
        hits += hit(response)
    assert (application.conditional, handed_out) == ([], [])
    assert oldest < AGES[3]
    assert stored_and_built_again(), f"built {application.count('/home')} times, stored copies shown {hits} times, {oldest:.1f} s old"


def test_over_http2_it_is_the_same_cache(start, fastcgi, application):
    server = start(fastcgi, modules=("http2",), virtual_host="Protocols h2c http/1.1")

    def kept(*paths, **kwargs):
        streams = nghttp(server, *paths, **kwargs)
        assert [stream[":status"] for stream in streams] == ["200"] * len(paths)
        return ["HIT" in stream["x-cache"] if "x-cache" in stream else None for stream in streams]

    assert kept("/home") == [False]
    assert kept("/home", "/other") == [True, False]
    assert kept("/home", "/other") == [True, True]
    assert kept("/home", "/other", headers={"Cookie": f"{COOKIE}=ann"}) == [None, None]
    assert application.count("/home") == application.count("/other") == 2


def test_each_variant_of_a_page_is_kept_for_its_own_visitors(start, fastcgi, application):
    application.further = {"/home": lambda parameters: [
        ("Vary", "Accept-Language"), ("Content-Language", parameters.get("HTTP_ACCEPT_LANGUAGE", "none")), ("ETag", '"tag"')]}
    server = start(fastcgi)
    for _ in range(3):
        for language in ("de", "en", "fr"):
            assert page(server, "/home", headers={"Accept-Language": language})[1]["content-language"] == language
    assert application.count("/home") == 3


COOKIE_LINE = '"visitor=%{UNIQUE_ID}e; Path=/"'


@pytest.mark.parametrize("lines", [
    f"Header set Set-Cookie {COOKIE_LINE}", f"Header always set Set-Cookie {COOKIE_LINE}",
    f'<Location "/">\nHeader add Set-Cookie {COOKIE_LINE}\nHeader always set Cache-Control "public, max-age=600"\n</Location>',
    f'<Location "/">\nHeader always add Set-Cookie {COOKIE_LINE}\nHeader set Cache-Control "public, max-age=600"\n</Location>',
    f'<If "true">\nHeader set Set-Cookie {COOKIE_LINE}\nHeader set Cache-Control "public, max-age=600"\n</If>',
    "Header set Cache-Control private", "Header always set Cache-Control no-store", "Header always set Pragma no-cache",
    'Header always set Cache-Control "max-age=600"\nHeader set Cache-Control private',
    'Header set Cache-Control "max-age=600"\nHeader always set Cache-Control private',
    '<Location "/">\nCacheStorePrivate On\nCacheStoreNoStore On\n</Location>\nHeader set Cache-Control "private, no-store"',
], ids=range(11))
@pytest.mark.parametrize("kind", ["application", "file"])
def test_what_httpds_own_configuration_makes_private_is_not_kept(start, fastcgi, application, kind, lines):
    """Header lines of the virtual host, before an application with validators and before a file."""
    application.further = {"/home": VALIDATORS["public"]}
    handler = "ForceType text/html\n    AcceptPathInfo On" if kind == "file" else fastcgi
    server = start(handler, virtual_host=lines, modules=("unique_id",))
    answers = [server.get("/home", headers={"Accept-Encoding": "gzip"}) for _ in range(4)]
    assert {response.status for response in answers} == {200}
    assert not any("HIT" in response["x-cache"] for response in answers)
    handed_out = [cookie for response in answers for cookie in all_of(response, "set-cookie")]
    assert len(set(handed_out)) == len(handed_out) == (4 if "Set-Cookie" in lines else 0)


def test_cookie_that_is_set_after_the_verdict_is_not_kept(start, fastcgi):
    """<If> within <Location> of a virtual host comes after everything else: the page is kept, the cookie is not."""
    lines = f'<Location "/">\n<If "true">\nHeader add Set-Cookie {COOKIE_LINE}\n</If>\n</Location>'
    server = start(fastcgi, virtual_host=lines, modules=("unique_id",))
    answers = [page(server, "/home")[1] for _ in range(6)]
    handed_out = [cookie for response in answers for cookie in all_of(response, "set-cookie")]
    assert len(handed_out) == len(set(handed_out)) < 6


def test_file_that_is_everybodys_is_stored_and_grows_no_older_than_promised(start):
    lines = {"plain": "", "expires": 'ExpiresActive On\nExpiresDefault "access plus 10 minutes"', "now": "ExpiresActive On\nExpiresDefault now",
             "always": 'Header always set Cache-Control "public, max-age=600"'}
    sections = "".join(f'<If "%{{THE_REQUEST}} =~ m#/{name}#">\n{text}\n</If>\n' for name, text in lines.items())
    server = start("ForceType text/html\n    AcceptPathInfo On", virtual_host=sections)
    for name in lines:
        server.get(f"/{name}")
        eventually(lambda: hit(server.get(f"/{name}")), what=f"{name} to be stored")
    (server.root / "htdocs" / "index.php").write_text("another\n")
    server.ladder.go(3)
    time.sleep(AGES[3])     # the condition under test
    assert {response.text for response in herd(lambda name: server.get(f"/{name}"), list(lines) * 2)} == {"another\n"}


def test_prelude_tells_scripts_their_own_names(tmp_path):
    """docs/standby.php, for mod_php: what httpd says of a page that is built for the store, and of another one."""
    script = tmp_path / "index.php"
    script.write_text("<?php foreach (['SCRIPT_NAME', 'PHP_SELF', 'PATH_INFO', 'REQUEST_URI'] as $n) echo $_SERVER[$n] ?? '-', ' ';")

    def told(**environment):
        command = ["php8.2", "-d", "variables_order=EGPCS", "-d", f"auto_prepend_file={COMPONENT}/docs/standby.php", script]
        return subprocess.run(command, env={"PATH": os.environ["PATH"], **environment}, capture_output=True, text=True, check=True).stdout.split()

    inside = {"REDIRECT_standby_inside": "1", "REDIRECT_standby_script": "/app/index.php", "PATH_INFO": "/x", "REQUEST_URI": "/news?utm_a=b"}
    assert told(**inside) == ["/app/index.php", "/app/index.php", "-", "/news?utm_a=b"]
    assert told(**inside, REDIRECT_standby_info="/news") == ["/app/index.php", "/app/index.php/news", "/news", "/news?utm_a=b"]
    harmless = {**inside, "REDIRECT_standby_harmless": "1", "REDIRECT_standby_path": "/news"}
    assert told(**harmless)[3] == "/news" and told(**harmless, QUERY_STRING="page=2")[3] == "/news?page=2"
    assert told(PATH_INFO="/x", REQUEST_URI="/y")[2:] == ["/x", "/y"]
