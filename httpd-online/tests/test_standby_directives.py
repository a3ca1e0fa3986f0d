# SPDX-License-Identifier: Apache-2.0
"""mod_standby's directives: each wrong value is refused in one line, an inner section replaces an outer one, several applications
in one httpd have their own; and what its lines in mod_status say."""

import pytest

from harness.application import COOKIE, Application
from harness.client import fetch
from harness.fcgi import FastCgi
from harness.ladder import AGE, ages, hit, ladder_server, new_visitor, page, standby_server, standby_status
from harness.standby import standby_module
from harness.waiting import eventually

WRONG = {
    "StandbyLevel": ["file", "file relative/path", "variable", "variable no-such:name", "number 3", "3"],
    "StandbyStore": ["relative/path", "/", '""', "/one /two"],
    "StandbyStoreLimit": ["128M", "0 100", "-5M 100", "128X 100", "128M 0", "128M many", "99999999999999999G 100"],
    "StandbyMaxPage": ["0", "1X", "5G", "-1", "many"],
    "StandbyKeyedHeaders": ["", "Cookie", "authorization", "Content-Length", "*", "X-A,X-B", '"X Y"'],
    "StandbyVolatileHeaders": ["", "Cookie", "Transfer-Encoding", "*"],
    "StandbyClientHeader": ["", "X-Real-IP", '"X Y"'],      # the second is not named as volatile
    "StandbyPurgeFrom": ["", "somewhere", "10.0.0.0/99", "300.1.1.1"],
    "StandbyCrawlers": ["2", "0 GPTBot", "GPTBot", "70000 GPTBot", "2 x", "2x GPTBot", "a/b GPTBot", '"" GPTBot'],
    "StandbyCrawlerRate": ["training", "training 2", "training 0 10", "training 2 -1", "training 2 60001", "training 2 many", "training 2 10"],
    "StandbyWall": ["", "on", "0", "70000", "-1", "1 2", "off flag"],
    "StandbyWallRate": ["60", "0 60", "60 0", "60 59", "60 60001", "x 60"],
    "StandbyWallPass": ["", "0", "forever", "99999999"],
    "StandbyWallFrom": ["", "somewhere", "10.0.0.0/99"],
    "StandbyWallEngines": ["Googlebot", "G google.com", "Googlebot .google.com", "Googlebot google/com",
                           "Googlebot " + "a" * 300],
    "StandbyWallOpen": ["", "relative/*", "feed"],
    "StandbySharedAge": ["", "yes", "keep rewrite"],
    "StandbyApplication": ["relative.php", "/nowhere/index.php", "/tmp"],
    "StandbyPages": ["", "relative/*", "news"],
    "StandbyExcept": ["", '""'],
    "StandbyPublic": ["", "3", "/media/*", "x /media/*", "-1 /media/*", "70000 /media/*", "3 media"],
    "StandbyNamespaces": ["", "Special:", '"User talk"', "*", "a/b"],
    "StandbyParameters": ["", "*", "page=2", "a&b", '"a b"'],
    "StandbyHarmlessParameters": ["", "*", "utm=1"],
    "StandbyHarmlessCookies": ["", "*", "a=b", "a;b"],
    "StandbyKnownCookies": ["5", "0 name", "name", "5 *", "5 a;b"],
    "StandbySessionCookies": ["", "*", "a=b"],
    "StandbyAge": ["3", "0 60", "3 0", "3 60 61", "3 -1", "3 60s", "x 60", "3 99999999"],
    "StandbyTypes": ["", "html", "*"],
    "StandbyStatuses": ["", "302", "404", "204", "206", "20x", "99"],
    "StandbyMask": ["<time>", '"" "</time>"', '"<time>" ""'],
    "StandbyIgnoreAnswerHeaders": ["", "Set-Cookie", "cache-control", "Vary", "*"],
    "StandbyIgnoreEnvironment": ["", "*", '"A B"'],
    "StandbyTwins": ["3600", "0 60", "60 0", "x 60", "60 forever"],
}


@pytest.mark.parametrize("directive", WRONG)
def test_wrong_value_is_refused_in_one_line(make_server, build, directive):
    server = make_server("event", start=False, reconfigure=False, extra=f"LoadModule standby_module {standby_module(build)}")
    config = server.config.read_text()
    for value in WRONG[directive]:
        server.config.write_text(f"{config}\n{directive} {value}\n")
        done = server.run("-t")
        assert done.code != 0, f"{directive} {value}"
        said = [line for line in (done.out + done.err).splitlines() if directive in line and "Syntax error on line" not in line]
        assert len(said) == 1, (value, done.out, done.err)
    server.config.write_text(config)
    assert server.run("-t").code == 0


def test_sample_configuration_is_a_page(make_server, build):
    """docs/mitigation.conf, with the paths of this test."""
    from harness.build import COMPONENT
    text = (COMPONENT / "docs" / "mitigation.conf").read_text()
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    assert len(lines) <= 60
    assert not [line for line in lines if "mod_cache" in line or "RewriteRule" in line]


PLACES = """
Listen 127.0.0.1:@PORT1@
<VirtualHost 127.0.0.1:@PORT1@>
    ServerName localhost
    StandbyStore off
    RewriteEngine On
</VirtualHost>
<LocationMatch "/never/">
    StandbyApplication off
</LocationMatch>
<LocationMatch "/except/">
    StandbyExcept /except/b*
    StandbyParameters sort
</LocationMatch>
<LocationMatch "/type/">
    StandbyTypes application/xml
    StandbyStatuses 200 203
</LocationMatch>
"""


@pytest.fixture
def started(make_server, build, backends):
    """started(...): (server on level 4, application); see harness.ladder."""
    def start(**kwargs):
        application = Application(build_seconds=0)
        port = backends.enter_context(FastCgi(application)).port
        server = ladder_server(make_server, "event", f'SetHandler "proxy:fcgi://127.0.0.1:{port}"', of=build, **kwargs)
        server.start()
        server.ladder.go(4)
        return server, application
    return start


def is_kept(server, path, visits=5, **kwargs):
    return any(hit(page(server, path, source=new_visitor(), **kwargs)[1]) for _ in range(visits))


def until_kept(server, path, **kwargs):
    eventually(lambda: hit(page(server, path, source=new_visitor(), **kwargs)[1]), what=f"{path} to be kept")


def test_inner_section_replaces_the_outer_one(started):
    server, application = started(directives=PLACES, site="StandbyExcept /except/a*")
    application.further = {path: [("Content-Type", "application/xml")] for path in ("/type/xml", "/outer/xml")}
    application.further["/type/203"] = [("Status", "203"), ("Content-Type", "application/xml")]
    for path in ("/plain", "/except/a", "/except/c?sort=1"):
        until_kept(server, path)
    for path in ("/never/page", "/except/b", "/except/c?page=1", "/plain?sort=1", "/outer/xml"):
        assert not is_kept(server, path), path
    assert not is_kept(server, "/plain", port=server.ports[0]), "the virtual host has no store"


TWO = """
LoadModule standby_module {module}
StandbyLevel @LEVEL@
StandbyStore @ROOT@/store
{sites}
<Location /shop/off>
    StandbyApplication off
</Location>
"""
ONE = """
<Directory "@ROOT@/htdocs/{name}">
    FallbackResource /{name}/index.php
    StandbyApplication @ROOT@/htdocs/{name}/index.php
    StandbyPages /{name}/*
    StandbyParameters {parameter}
    {ages}
    <Files "index.php">
        SetHandler "proxy:fcgi://127.0.0.1:{port}"
    </Files>
</Directory>
"""


def test_several_applications_have_their_own_directives(make_server, build, backends):
    applications = {name: Application(build_seconds=0) for name in ("shop", "forum")}
    sites = "".join(ONE.format(name=name, parameter=parameter, port=backends.enter_context(FastCgi(applications[name])).port,
                               ages=ages(AGE))
                    for name, parameter in (("shop", "item"), ("forum", "thread")))
    server = standby_server(make_server, "event", TWO.format(module=standby_module(build), sites=sites), of=build)
    for name, application in applications.items():
        (server.root / "htdocs" / name).mkdir()
        (server.root / "htdocs" / name / "index.php").write_text("the application answers in its place\n")
        application.shows[f"/{name}/page"] = name
    server.start()
    server.ladder.go(4)
    for name, own, others in (("shop", "item", "thread"), ("forum", "thread", "item")):
        until_kept(server, f"/{name}/page")
        assert page(server, f"/{name}/page", source=new_visitor())[0]["shows"] == name
        until_kept(server, f"/{name}/page?{own}=1")
        assert not is_kept(server, f"/{name}/page?{others}=1")


def test_status_counts_what_was_done_and_why_not(started):
    server, application = started(directives="StandbyMaxPage 60K", site="StandbyExcept /except*")
    application.further = {"/refused/status": [("Status", "404")], "/refused/type": [("Content-Type", "text/plain")],
                           "/refused/set-cookie": [("Set-Cookie", "a=@")],
                           "/refused/private": [("Cache-Control", "private")], "/refused/vary": [("Vary", "User-Agent")],
                           "/refused/encoding": [("Content-Encoding", "x-own")]}
    application.shows = {"/refused/reflects": lambda p: p["REMOTE_ADDR"], "/refused/too-large": "x" * 70_000}
    before = standby_status(server.port)
    assert (before.lines["StandbyStore"], before.lines["StandbyLevel"], before.lines["StandbyTwins"]) == ("ok", "4", "ok")
    passing = {"method": {"method": "POST", "headers": {"Content-Length": "0"}}, "body": {"body": b"x"},
               "header": {"headers": {"X-Counted": "1"}},
               "cookie": {"headers": {"Cookie": "theme=dark; _ga=1"}}, "authorization": {"headers": {"Authorization": "Basic eA=="}},
               "accept": {"headers": {"Accept": "application/json"}}, "range": {"headers": {"Range": "bytes=0-1"}}}
    for kwargs in passing.values():
        server.get("/passed", source=new_visitor(), **kwargs)
    for path in ("/passed?unknown=1", "/a//b", "/except/1"):
        server.get(path, source=new_visitor())
    for path in ("/kept", "/kept", *application.further, *application.shows):
        server.get(path, source=new_visitor())
    assert hit(server.get("/kept", source=new_visitor()))
    after = standby_status(server.port)
    assert {name: after.number(name) for name in ("StandbyHits", "StandbyBuilds", "StandbyStored", "StandbyProven")} == {
        "StandbyHits": 1, "StandbyBuilds": 10, "StandbyStored": 2, "StandbyProven": 1}
    assert after.counts["StandbyPassed"] == {**dict.fromkeys(passing, 1), "query": 1, "path": 1, "exception": 1}
    assert after.counts["StandbyRefused"] == {path.removeprefix("/refused/"): 1 for path in (*application.further, *application.shows)}
    assert after.counts["StandbyHeader"] == {"X-Counted": 1} and after.counts["StandbyCookie"] == {"theme": 1}
    assert after.pages["StandbyReflects"] == ["/refused/reflects the client's address"]
    assert "Stand-by cache" in fetch(server.port, "/server-status").text or "StandbyHits" in fetch(server.port, "/server-status").text


def test_status_names_no_session_cookie_as_unknown(started):
    """Who reads that it kept requests from the store may take it for a harmless one."""
    server, _ = started()
    for cookie in (f"{COOKIE}=ann", f"{COOKIE}=ann; theme=dark", f"theme=dark; {COOKIE}=ann"):
        server.get("/passed", source=new_visitor(), headers={"Cookie": cookie})
    after = standby_status(server.port)
    assert (after.counts["StandbyPassed"], after.counts["StandbyCookie"]) == ({"cookie": 3}, {"theme": 2})


def test_status_escapes_what_requests_say(started):
    """Names of headers and paths come from strangers."""
    server, application = started()
    application.shows = {"/<b>&x": lambda p: p["REMOTE_ADDR"]}
    server.get("/%3Cb%3E&x", source=new_visitor(), headers={"X-<b>-&": "1", "Cookie": "<script>=1"})
    for _ in range(3):
        server.get("/%3Cb%3E&x", source=new_visitor())
    text = fetch(server.port, "/server-status").text
    assert "<b>&x" not in text and "<script>=1" not in text and "X-<b>" not in text
    for line in fetch(server.port, "/server-status?auto").text.splitlines():
        assert line.isprintable()


def test_status_without_a_store_is_off(started):
    server, _ = started(virtual_host="StandbyStore off")
    assert not is_kept(server, "/page")


@pytest.mark.parametrize("lines, says", [("", "off"), ("StandbyStore off", "off"), ("StandbyStore @ROOT@/store", "ok")])
def test_module_without_an_application_changes_nothing(make_server, build, lines, says):
    server = make_server("event", start=False, reconfigure=False, extra=f"LoadModule standby_module {standby_module(build)}\n{lines}")
    server.start()
    answers = [server.get("/", source=new_visitor()) for _ in range(4)]
    assert {(answer.status, answer["x-cache"], answer.text) for answer in answers} == {(200, None, "<html>hello</html>\n")}
    assert server.get("/", method="POST", headers={"Content-Length": "0"})["set-cookie"] is None or says == "ok"
    assert standby_status(server.port).lines["StandbyStore"] == says
