# SPDX-License-Identifier: Apache-2.0
"""A server with mod_standby in front of an application, the mitigation levels of it, and what visitors see.

A page is served from the store only after builds for two client addresses were the same, so visitors have addresses of their
own here: any of 127.0.0.0/8. A page may be old for minutes, longer than any test takes; SHORT_AGE is for tests that wait for it.
"""

import collections
import contextlib
import gzip
import itertools
import os
import re
from dataclasses import dataclass, field

from .application import COOKIE, FILLER, Application, parse
from .build import debian_build, server_build
from .client import fetch
from .errorlog import RECONFIGURE
from .fcgi import FastCgi
from .server import Server, Shape
from .standby import standby_module
from .waiting import eventually

TIERS = ("worker", "event", "stock")        # patched, but for the last: Debian's own, event, and the level in a file
ATTACKED = ("stock", "worker", "event", "prefork")      # prefork is Debian's own too
AGE = {0: 0, 1: 0, 2: 0, 3: 200, 4: 500, 5: 500, 6: 500}    # seconds that a page may be old
SHORT_AGE = {**AGE, 3: 3, 4: 4, 5: 4, 6: 4}
EARLY = 1       # s, on level 3 where ages are short
KNOWN = "commenter"                 # the cookie of a visitor who is known, not logged in
CONFIG = """
LoadModule standby_module {module}
AddOutputFilterByType DEFLATE text/html text/plain
<Files "index.php">
    {handler}
</Files>
SetEnvIfExpr "reqenv('MITIGATION') -ge 1" deflate-level=1
SetEnvIfExpr "reqenv('MITIGATION') -ge 6" MITIGATION_BROWNOUT=1
StandbyLevel {level}
StandbyStore @ROOT@/store
StandbyCrawlers 2 GPTBot AhrefsBot
{directives}
<Directory "@ROOT@/htdocs">
    StandbyApplication @ROOT@/htdocs/index.php
    StandbyPages /*
    StandbyParameters page p
    StandbySessionCookies {cookie}
    StandbyKnownCookies 5 {known}
    {ages}
    {site}
</Directory>
RewriteEngine On
RewriteOptions InheritDown
RewriteRule "^/(?!static/|server-status|index\\.php)(.*)$" "/index.php/$1" [PT,L]
<VirtualHost 127.0.0.1:@PORT@>
    ServerName localhost
    RewriteEngine On
    {virtual_host}
</VirtualHost>
"""
_visitors = itertools.count()


def new_visitor():
    """An address that nobody had before, in another network than the one before it."""
    number = next(_visitors)
    return f"127.{1 + number % 250}.{1 + number // 250 % 250}.{1 + number // 62500 % 250}"


def ages(age, early=None):
    """The lines that say how old a page may be."""
    return f"StandbyAge 3 {age[3]} {early or ''}\n    StandbyAge 4 {age[4]}"


def level_by(build, mpm):
    """How this server is told its level: only our worker and event have variables that change online."""
    return "variable MITIGATION" if build.patched and mpm != "prefork" else "file @ROOT@/mitigation.map"


def build_of(name, sanitized=False):
    """The server of one of TIERS or ATTACKED. Debian's own has no sanitizers: with them, what is not patched is built as well."""
    patched = name not in ("stock", "prefork")
    return server_build(patched=patched, sanitized=sanitized) if patched or sanitized else debian_build()


class Ladder:
    """The levels of a server: by the online variable, or by the file."""

    def __init__(self, server):
        self.server = server
        self.map = server.root / "mitigation.map"
        self.newest = 0

    def go(self, level):
        if self.server.build.patched and self.server.mpm != "prefork":
            self.server.reconfigure(f"MITIGATION={level}")
        else:
            self.write(f"MITIGATION {level}\n")

    def write(self, text):
        fresh = self.map.with_suffix(".new")
        fresh.write_text(text)
        fresh.chmod(0o644)
        # httpd reads it again when it is newer, and two may be written within one tick of the file system's clock
        newest = max(fresh.stat().st_mtime_ns, self.newest + 1_000_000)
        os.utime(fresh, ns=(newest, newest))
        self.newest = newest
        fresh.replace(self.map)


def shape(mpm):
    if mpm == "prefork":
        return Shape(threads_per_child=1, server_limit=40, start_servers=8, max_request_workers=40)
    return Shape(threads_per_child=20, server_limit=4, start_servers=2, max_request_workers=40)


def standby_server(make_server, mpm, extra, *, of, **kwargs):
    """Not started yet; `extra` is its configuration after the LoadModule line."""
    online = of.patched and mpm != "prefork"
    server = make_server(mpm, of=of, extra=extra.replace("@LEVEL@", level_by(of, mpm)), start=False,
                         reconfigure=online, **{"variables": {"MITIGATION": 0} if online else {}, "extra_ports": 1, "shape": shape(mpm),
                                                **kwargs})
    server.ladder = Ladder(server)
    server.store = server.root / "store"
    server.log.expect(*RECONFIGURE)
    if mpm == "prefork":        # a child that is ended between two requests leaves its connection to the application behind
        server.log.expect("", text=r"apr_reslist\.c:\d+: reslist_cleanup: Assertion")
    return server


def ladder_server(make_server, mpm, handler, *, of, virtual_host="", directives="", site="", age=AGE, early=None, **kwargs):
    """On level 0; `handler` are the lines by which httpd hands /index.php to the application, `directives` and `site` those of
    mod_standby for server and directory. `server.ladder` changes the level."""
    extra = CONFIG.format(module=standby_module(of), handler=handler, level="@LEVEL@", cookie=COOKIE, known=KNOWN, ages=ages(age, early),
                          directives=directives, site=site, virtual_host=virtual_host)
    server = standby_server(make_server, mpm, extra, of=of, **kwargs)
    (server.root / "htdocs" / "index.php").write_text("the application answers in its place\n")
    (server.root / "htdocs" / "static").mkdir()
    (server.root / "htdocs" / "static" / "big.html").write_text(FILLER)
    return server


class Tier:
    """A server, its application behind FastCGI, and its levels, shared by the tests of a module: each takes paths of its own."""

    def __init__(self, server, application):
        self.server, self.application, self.go = server, application, server.ladder.go

    def page(self, path="/", **kwargs):
        return page(self.server, path, **kwargs)

    def serials(self, path, count=4, **kwargs):
        """What as many visitors get who have never been here. Two builds prove a page that can be stored."""
        return [self.page(path, **{"source": new_visitor(), **kwargs})[0]["serial"] for _ in range(count)]

    def prove(self, path, **kwargs):
        """The serial numbers of builds for two visitors; one of these is what further visitors get, where it may be stored."""
        return set(self.serials(path, 2, **kwargs))

    def is_kept(self, path, visits=5, **kwargs):
        """Whether any of as many visitors gets a page from the store."""
        return any(hit(self.page(path, **{"source": new_visitor(), **kwargs})[1]) for _ in range(visits))

    def until_kept(self, path, **kwargs):
        """(facts, response) of the first page from the store."""
        def kept():
            facts, response = self.page(path, **{"source": new_visitor(), **kwargs})
            return (facts, response) if hit(response) else None

        return eventually(kept, what=f"{path} to be answered from the store")

    def status(self):
        return standby_status(self.server.port)


@contextlib.contextmanager
def running_tier(name, *, sanitized=False, application=None, prepare=lambda server: None, **kwargs):
    """One of TIERS or ATTACKED."""
    build = build_of(name, sanitized)

    def make(mpm, *, of, start, **more):
        return Server(of, mpm, **more)

    application = application or Application()
    with FastCgi(application) as fcgi:
        server = ladder_server(make, "event" if name == "stock" else name, f'SetHandler "proxy:fcgi://127.0.0.1:{fcgi.port}"',
                               of=build, **kwargs)
        try:
            prepare(server)
            server.start()
            yield Tier(server, application)
        finally:
            server.finish()


def plain(response):
    """The body as text."""
    return gzip.decompress(response.body).decode() if response["content-encoding"] == "gzip" and response.body else response.text


def page(server, path="/", *, user=None, headers=(), connection=None, **kwargs):
    """(facts of the page, response)."""
    all_headers = {"Accept-Encoding": "gzip", **dict(headers)}
    if user:
        all_headers["Cookie"] = f"{COOKIE}={user}"
    response = (connection or server).get(path, headers=all_headers, **kwargs)
    return parse(plain(response)), response


def hit(response):
    return response["x-cache"] == "HIT"


def passed_by(response):
    """Whether the store had nothing to do with it."""
    return response["x-cache"] is None


@dataclass
class StandbyStatus:
    """The lines of mod_standby in /server-status?auto."""

    lines: dict = field(default_factory=dict)       # name: value, of those that stand there once
    counts: dict = field(default_factory=dict)      # StandbyPassed, StandbyRefused, StandbyHeader, StandbyCookie: {name: count}
    pages: dict = field(default_factory=dict)       # StandbyDiffers, StandbyReflects: their values

    def number(self, name):
        return int(self.lines[name])

    def count(self, line, name):
        return self.counts.get(line, {}).get(name, 0)


def standby_status(port, **kwargs):
    status = StandbyStatus(counts=collections.defaultdict(dict), pages=collections.defaultdict(list))
    for name, value in re.findall(r"^(Standby\w+): (.*)$", fetch(port, "/server-status?auto", **kwargs).text, re.M):
        if name in ("StandbyPassed", "StandbyRefused", "StandbyHeader", "StandbyCookie", "StandbyWall", "StandbyCrawler"):
            what, _, count = value.rpartition("=")
            assert what not in status.counts[name], f"{name}: {what} stands there twice"
            status.counts[name][what] = int(count)
        elif name in ("StandbyDiffers", "StandbyReflects"):
            status.pages[name].append(value)
        else:
            assert name not in status.lines, f"{name} stands there twice"
            status.lines[name] = value
    return status
