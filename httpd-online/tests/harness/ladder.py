# SPDX-License-Identifier: Apache-2.0
"""A server with the ladder that we ship, docs/mitigation.conf, in front of an application, and what visitors see of it.

A page may be old for minutes, longer than any test takes; SHORT_AGE is for those that wait for it.
"""

import contextlib
import gzip
import os

from .application import COOKIE, FILLER, Application, parse
from .build import COMPONENT, server_build
from .errorlog import RECONFIGURE
from .fcgi import FastCgi
from .server import Server, Shape

TIERS = ("worker", "event", "stock")    # patched, but for the last: event, and the map
AGE = {0: 0, 1: 0, 2: 0, 3: 200, 4: 500, 5: 500, 6: 500}    # seconds that a page may be old
SHORT_AGE = {**AGE, 3: 3, 4: 4, 5: 4, 6: 4}
EARLY = 1       # s, on rung 3 where ages are short
EARLY_PORTS = ("06", "22", "38", "54", "70", "86")  # ends of port numbers of those who have pages built early
KNOWN = "commenter"                 # the cookie of who is known, not logged in
CONFIG = """
AddOutputFilterByType DEFLATE text/html text/plain
<Files "index.php">
    {handler}
</Files>
Define MITIGATION_SESSION_COOKIE {cookie}
Define MITIGATION_KNOWN_COOKIE {known}
Define MITIGATION_PARAMETERS "page|p"
Define MITIGATION_APPLICATION @ROOT@/htdocs/index.php
Define MITIGATION_STORE @ROOT@/cache
Define MITIGATION_CRAWLERS {docs}/crawlers.conf
{ages}
{defines}
Include {docs}/mitigation.conf
Define STATUS_PORT @PORT1@
Include {docs}/status.conf
RewriteEngine On
RewriteOptions InheritDown
RewriteRule "^/(?!static/|server-status|index\\.php)(.*)$" "/index.php/$1" [PT,L]
<VirtualHost 127.0.0.1:@PORT@>
    ServerName localhost
    RewriteEngine On
    {virtual_host}
</VirtualHost>
"""


def ages(age, early=None):
    """The lines that say how old a page may be."""
    lines = f"Define MITIGATION_AGE {age[3]}\nDefine MITIGATION_LONG_AGE {age[4]}\n"
    return lines + (f"Define MITIGATION_AGE_EARLY {early}\n" if early else "")


class Ladder:
    """The rungs of a server: by the online variable, or on stock httpd by the map."""

    def __init__(self, server):
        self.server = server
        self.map = server.root / "mitigation.map"
        self.newest = 0

    def go(self, rung):
        if self.server.build.patched:
            self.server.reconfigure(f"MITIGATION={rung}")
        else:
            self.write(f"MITIGATION {rung}\n")

    def write(self, text):
        fresh = self.map.with_suffix(".new")
        fresh.write_text(text)
        fresh.chmod(0o644)
        # httpd reads it again when it is newer, and two may be written within one tick of the file system's clock
        newest = max(fresh.stat().st_mtime_ns, self.newest + 1_000_000)
        os.utime(fresh, ns=(newest, newest))
        self.newest = newest
        fresh.replace(self.map)


def ladder_server(make_server, mpm, handler, *, of=None, virtual_host="", modules=(), defines="", age=AGE, early=None):
    """On rung 0; `handler` are the lines by which httpd hands /index.php to the application. `server.ladder` moves it."""
    patched = of is None or of.patched
    extra = CONFIG.format(handler=handler, cookie=COOKIE, known=KNOWN, docs=COMPONENT / "docs", ages=ages(age, early),
                          defines=defines if patched else f"Define MITIGATION_MAP @ROOT@/mitigation.map\n{defines}",
                          virtual_host=virtual_host)
    server = make_server(mpm, of=of, extra=extra, variables={"MITIGATION": 0} if patched else {}, reconfigure=patched,
                         start=False, modules=modules, extra_ports=1,
                         shape=Shape(threads_per_child=20, server_limit=4, start_servers=2, max_request_workers=40))
    server.ladder = Ladder(server)
    (server.root / "cache").chmod(0o700)
    (server.root / "htdocs" / "index.php").write_text("the application answers in its place\n")
    (server.root / "htdocs" / "static").mkdir()
    (server.root / "htdocs" / "static" / "big.html").write_text(FILLER)
    return server


class Tier:
    """A server, its application behind FastCGI, and its rungs, shared by the tests of a module: each takes paths of its own."""

    def __init__(self, server, application):
        self.server, self.application, self.go = server, application, server.ladder.go

    def page(self, path="/", **kwargs):
        return page(self.server, path, **kwargs)

    def serials(self, path, count=4, **kwargs):
        return [self.page(path, **kwargs)[0]["serial"] for _ in range(count)]


@contextlib.contextmanager
def running_tier(name, *, sanitized=False, **kwargs):
    """One of TIERS."""
    build = server_build(patched=name != "stock", sanitized=sanitized)

    def make(mpm, *, of, start, **more):
        return Server(of, mpm, **more)

    application = Application()
    with FastCgi(application) as fcgi:
        server = ladder_server(make, "event" if name == "stock" else name, f'SetHandler "proxy:fcgi://127.0.0.1:{fcgi.port}"',
                               of=build, **kwargs)
        server.log.expect(*RECONFIGURE)
        try:
            server.start()
            yield Tier(server, application)
        finally:
            server.finish()


def page(server, path="/", *, user=None, headers=(), connection=None, method="GET"):
    """(facts of the page, response)."""
    all_headers = {"Accept-Encoding": "gzip", **dict(headers)}
    if user:
        all_headers["Cookie"] = f"{COOKIE}={user}"
    response = (connection or server).get(path, headers=all_headers, method=method)
    text = gzip.decompress(response.body).decode() if response["content-encoding"] == "gzip" and response.body else response.text
    return parse(text), response


def hit(response):
    return "HIT" in (response["x-cache"] or "")
