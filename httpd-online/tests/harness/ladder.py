# SPDX-License-Identifier: Apache-2.0
"""A server with the ladder that we ship, docs/mitigation.conf, in front of an application, and what visitors see of it."""

import gzip

from .application import COOKIE, FILLER, parse
from .build import COMPONENT
from .server import Shape

CONFIG = """
AddOutputFilterByType DEFLATE text/html text/plain
<Files "index.php">
    {handler}
</Files>
Define MITIGATION_SESSION_COOKIE {cookie}
Define MITIGATION_APPLICATION @ROOT@/htdocs/index.php
Define MITIGATION_LOCKS @ROOT@/locks
Include {mitigation}
RewriteEngine On
RewriteOptions InheritDown
RewriteRule "^/(?!static/|server-status|index\\.php)(.*)$" "/index.php/$1" [PT,L]
<VirtualHost 127.0.0.1:@PORT@>
    ServerName localhost
    RewriteEngine On
    {virtual_host}
</VirtualHost>
"""
PROMISED = {0: 0.0, 1: 0.0, 2: 2.0, 3: 5.0, 4: 5.0}     # seconds that a page of each rung may be old
ARRIVAL = 0.2       # s from the application's stamp until httpd has the page, whose age counts from then on


def ladder_server(make_server, mpm, handler, *, virtual_host="", modules=()):
    """On rung 0; `handler` are the lines by which httpd hands /index.php to the application."""
    extra = CONFIG.format(handler=handler, cookie=COOKIE, mitigation=COMPONENT / "docs" / "mitigation.conf",
                          virtual_host=virtual_host)
    server = make_server(mpm, extra=extra, variables={"MITIGATION": 0}, start=False, modules=modules,
                         shape=Shape(threads_per_child=20, server_limit=4, start_servers=2, max_request_workers=40))
    (server.root / "htdocs" / "index.php").write_text("the application answers in its place\n")
    (server.root / "locks").mkdir()
    (server.root / "locks").chmod(0o777)
    (server.root / "htdocs" / "static").mkdir()
    (server.root / "htdocs" / "static" / "big.html").write_text(FILLER)
    return server


def page(server, path="/", *, user=None, headers=(), connection=None):
    """(facts of the page, response)."""
    all_headers = {"Accept-Encoding": "gzip", **dict(headers)}
    if user:
        all_headers["Cookie"] = f"{COOKIE}={user}"
    response = (connection or server).get(path, headers=all_headers)
    text = gzip.decompress(response.body).decode() if response["content-encoding"] == "gzip" else response.text
    return parse(text), response
