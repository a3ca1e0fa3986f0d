# SPDX-License-Identifier: Apache-2.0
"""Online variables: every part of httpd that reads the environment sees the running value, early enough."""

import time

import pytest

from harness.fcgi import FastCgi
from harness.http2 import nghttp
from harness.load import Driver, Group
from harness.server import Shape
from harness.waiting import eventually

CGI = "#!/bin/sh\necho Content-Type: text/plain\necho\nenv | sort\n"

EXTRA = """
ScriptSock cgisock
ScriptAlias /cgi/ "@ROOT@/cgi-bin/"
SetEnvIf MITIGATION "^[23]$" BY_SETENVIF=yes
SetEnvIf MITIGATION "^4$" no-gzip=1
Header always set X-Mitigation "%{MITIGATION}e"
Header always set X-Second "%{SECOND}e"
Header always set X-Generation "%{RECONFIGURE_GENERATION}e"
Header always set X-SetEnvIf "%{BY_SETENVIF}e" env=BY_SETENVIF
<If "reqenv('MITIGATION') -ge 2">
    Header always set X-If yes
</If>
<Location /guarded.txt>
    <If "reqenv('MITIGATION') == '3'">
        Require all denied
    </If>
</Location>
RewriteEngine On
RewriteOptions InheritDown
RewriteCond %{ENV:MITIGATION} ^[23]$
RewriteRule ^/rewritten\\.txt$ /instead.txt [PT]
AddOutputFilterByType DEFLATE text/html text/plain
ErrorDocument 404 /cgi/env.sh
DirectoryIndex index.html
<Location /fcgi>
    SetHandler "proxy:fcgi://127.0.0.1:@FCGI@"
</Location>
<VirtualHost 127.0.0.1:@PORT@>
    ServerName localhost
    RewriteEngine On
</VirtualHost>
<VirtualHost 127.0.0.1:@PORT@>
    ServerName second
    RewriteEngine On
    DocumentRoot "@ROOT@/htdocs"
</VirtualHost>
Protocols h2c http/1.1
"""


@pytest.fixture
def server(mpm, make_server, backends, allow_reconfigure_lines):
    fcgi = backends.enter_context(FastCgi())
    # workers enough that event never closes kept-alive connections for want of one, as stock does too
    shape = Shape(threads_per_child=20, server_limit=8, start_servers=2, max_request_workers=40, keep_alive_timeout="60")
    server = make_server(mpm, shape=shape, start=False, extra=EXTRA.replace("@FCGI@", str(fcgi.port)),
                         modules=["cgid", "http2"], variables={"MITIGATION": 0, "SECOND": 7})
    script = server.root / "cgi-bin" / "env.sh"
    script.write_text(CGI)
    script.chmod(0o755)
    (server.root / "htdocs" / "rewritten.txt").write_text("as requested\n" * 50)
    (server.root / "htdocs" / "instead.txt").write_text("instead\n" * 50)
    (server.root / "htdocs" / "guarded.txt").write_text("guarded\n")
    return allow_reconfigure_lines(server.start())


def environment(text):
    return dict(line.split("=", 1) for line in text.splitlines() if "=" in line)


def test_header_and_first_request_after_the_command(server):
    assert server.get("/")["x-mitigation"] == "0"
    for value in (1, 2, 3, 65535, 0):
        server.reconfigure(f"MITIGATION={value}")
        assert [server.get("/")["x-mitigation"] for _ in range(8)] == [str(value)] * 8
        assert server.get("/")["x-second"] == "7"


def test_open_connection_sees_it_in_the_next_request(server):
    with server.connect() as connection:
        assert connection.get("/")["x-mitigation"] == "0"
        server.reconfigure("MITIGATION=2")
        assert connection.get("/")["x-mitigation"] == "2"


def test_setenvif_if_rewritecond(server):
    for value, acts in ((0, False), (1, False), (2, True), (3, True), (4, False)):
        server.reconfigure(f"MITIGATION={value}")
        response = server.get("/rewritten.txt")
        assert response["x-setenvif"] == ("yes" if acts else None), value
        assert response["x-if"] == ("yes" if value >= 2 else None), value
        assert response.text.startswith("instead" if acts else "as requested"), value
        server.log.expect("AH01630")    # client denied by server configuration
        assert server.get("/guarded.txt").status == (403 if value == 3 else 200)


def test_no_gzip(server):
    zipped = {"Accept-Encoding": "gzip"}
    assert server.get("/rewritten.txt", headers=zipped)["content-encoding"] == "gzip"
    server.reconfigure("MITIGATION=4")
    assert server.get("/rewritten.txt", headers=zipped)["content-encoding"] is None
    server.reconfigure("MITIGATION=0")
    assert server.get("/rewritten.txt", headers=zipped)["content-encoding"] == "gzip"


def test_access_log(server):
    server.get("/index.html?before")
    server.reconfigure("MITIGATION=3")
    server.get("/index.html?after")
    lines = eventually(lambda: [line for line in server.access_log() if "?" in line] if any(
        "?after" in line for line in server.access_log()) else None, what="the line in the access log")
    (before, after) = (next(line for line in lines if word in line).split() for word in ("?before", "?after"))
    assert (before[-2], after[-2]) == ("0", "3")
    assert int(after[-1]) > int(before[-1])


@pytest.mark.parametrize("path", ["/cgi/env.sh", "/fcgi/x"], ids=["cgi", "fastcgi"])
def test_programs(server, path):
    server.reconfigure("MITIGATION=4")
    seen = environment(server.get(path).text)
    assert (seen["MITIGATION"], seen["SECOND"]) == ("4", "7")
    assert int(seen["RECONFIGURE_GENERATION"]) > 0


def test_virtual_hosts(server):
    server.reconfigure("MITIGATION=2")
    for host in ("localhost", "second", "unknown"):
        response = server.get("/rewritten.txt", host=host)
        assert response["x-mitigation"] == "2" and response["x-if"] == "yes"
        assert response.text.startswith("instead"), host


def test_internal_redirects(server):
    """ErrorDocument and DirectoryIndex: the variable keeps its own name, not only REDIRECT_..."""
    server.reconfigure("MITIGATION=3")
    response = server.get("/does-not-exist")
    assert response.status == 404
    seen = environment(response.text)
    assert seen["MITIGATION"] == "3" and seen["REDIRECT_MITIGATION"] == "3"
    assert int(seen["RECONFIGURE_GENERATION"]) > 0
    assert server.get("/")["x-mitigation"] == "3"


def test_http2_streams(server):
    paths = [f"/rewritten.txt?{n}" for n in range(6)]
    streams = nghttp(server, *paths)
    assert len(streams) == 6, streams
    assert {s["x-mitigation"] for s in streams} == {"0"} and {s[":status"] for s in streams} == {"200"}
    server.reconfigure("MITIGATION=2")
    streams = nghttp(server, *paths)
    assert {s["x-mitigation"] for s in streams} == {"2"}
    assert all(s.get("x-if") == "yes" and s.get("x-setenvif") == "yes" for s in streams)


def test_generation_moves_with_each_change_and_restart_only(server):
    def generation():
        values = {server.get("/")["x-generation"] for _ in range(4)}
        assert len(values) == 1, f"children disagree: {values}"
        return int(values.pop())

    seen = [generation()]
    server.reconfigure()
    assert generation() == seen[-1], "nothing changed, so the generation must stay"
    for change in ("MITIGATION=1", "MITIGATION=0", "SECOND=8", "KeepAliveTimeout=6", "MaxRequestWorkers=39"):
        server.reconfigure(change)
        seen.append(generation())
        assert seen[-1] > seen[-2], change
    server.reconfigure("MITIGATION=99999", expect=1)
    assert generation() == seen[-1], "a refusal is no change"
    server.graceful()
    # (a child of the old generation may not have stopped accepting yet)
    seen.append(eventually(lambda: (lambda now: now > seen[-1] and now)(generation_of(server)),
                           what="a new generation after graceful"))
    server.restart()
    seen.append(generation_of(server))
    assert seen == sorted(set(seen)), f"a generation came back: {seen}"
    server.stop()
    # the second of the start and six digits for the changes since; a new life needs a new second
    eventually(lambda: time.time() > seen[-1] // 10**6 + 1, what="the clock to pass the generation")
    server.start()
    assert generation_of(server) > seen[-1], "a generation of an earlier life came back"


def generation_of(server):
    return int(server.get("/")["x-generation"])


def test_values_survive_graceful_and_restart(server):
    server.reconfigure("MITIGATION=4", "SECOND=9")
    for again in (server.graceful, server.restart):
        again()
        eventually(lambda: server.get("/")["x-mitigation"] == "4", what="the value of the file")
        assert server.get("/")["x-second"] == "9"


def test_declared_at_start_only(server):
    server.write_tunables(server.tunables.read_text() + "ReconfigureVariable LATE 1\n")
    done = server.reconfigure(expect=None)
    assert done.code == 1 and "LATE" in done.err
    server.graceful()
    eventually(lambda: server.status().variables.get("LATE") == 1, what="a graceful restart to declare it")
    server.reconfigure("LATE=2")
    # (a child of the old generation may not have stopped accepting yet)
    eventually(lambda: server.status().variables == {"MITIGATION": 0, "SECOND": 7, "LATE": 2},
               what=lambda: f"LATE to be 2: {server.status().variables}")


def test_sixteen_variables(mpm, make_server, allow_reconfigure_lines):
    variables = {f"V{n}": n for n in range(16)}
    headers = "\n".join(f'Header set X-V{n} "%{{V{n}}}e"' for n in range(16))
    server = allow_reconfigure_lines(make_server(mpm, variables=variables, extra=headers))
    server.reconfigure(*(f"V{n}={65535 - n}" for n in range(16)))
    response = server.get("/")
    assert [response[f"x-v{n}"] for n in range(16)] == [str(65535 - n) for n in range(16)]
    assert server.status().variables == {f"V{n}": 65535 - n for n in range(16)}


@pytest.mark.parametrize("lines, word", [
    ("".join(f"ReconfigureVariable V{n} 1\n" for n in range(17)), "16"),
    ("ReconfigureVariable BAD-NAME 1\n", "BAD-NAME"),
    ("ReconfigureVariable 1ST 1\n", "1ST"),
    ("ReconfigureVariable X 65536\n", "65535"),
    ("ReconfigureVariable X -1\n", "X"),
    ("ReconfigureVariable X 0x10\n", "X"),
    ("ReconfigureVariable X\n", "ReconfigureVariable"),
    ("ReconfigureVariable RECONFIGURE_GENERATION 1\n", "RECONFIGURE_GENERATION"),
    (f"ReconfigureVariable {'X' * 70} 1\n", "too long"),
    ("<VirtualHost *:1>\nReconfigureVariable X 1\n</VirtualHost>\n", "ReconfigureVariable"),
    ("<Directory />\nReconfigureFile conf/x\n</Directory>\n", "ReconfigureFile"),
], ids=["seventeen", "dash", "digit", "large", "negative", "hex", "no value", "reserved", "long", "vhost", "file in directory"])
def test_bad_declarations_are_configuration_errors(make_server, lines, word):
    server = make_server("event", start=False)
    server.write_config(reconfigure="Include conf/tunables.conf\nReconfigureFile conf/tunables.conf", extra=lines)
    done = server.run("-t")
    assert done.code != 0 and word in done.err, done.err


def test_changes_under_load_are_seen_whole(server):
    """A request sees one picture: both variables change together, and no request sees the one without the other."""
    from concurrent.futures import ThreadPoolExecutor
    from threading import Event
    stop, pairs = Event(), set()

    def look():
        with server.connect() as connection:
            while not stop.is_set():
                response = connection.get("/")
                pairs.add((response["x-mitigation"], response["x-second"], response["x-generation"]))

    with ThreadPoolExecutor(3) as pool:
        looking = [pool.submit(look) for _ in range(3)]
        for n in range(1, 40):
            server.reconfigure(f"MITIGATION={n}", f"SECOND={n + 7}")
        stop.set()
        for future in looking:
            future.result()
    torn = [p for p in pairs if int(p[1]) != int(p[0]) + 7]
    assert torn == [], torn
    generations = {}
    for mitigation, _, generation in pairs:
        generations.setdefault(generation, set()).add(mitigation)
    assert all(len(values) == 1 for values in generations.values()), "a generation stood for two values"


def test_no_failure_under_load(mpm, make_server, allow_reconfigure_lines):
    # more threads a child than connections: event closes kept-alive connections when a child has no idle worker
    shape = Shape(threads_per_child=20, server_limit=8, start_servers=2, max_request_workers=40, keep_alive_timeout="60")
    server = allow_reconfigure_lines(make_server(mpm, shape=shape, variables={"MITIGATION": 0}))
    with Driver(server.port, [Group("users", 15, "/index.html", think="exp:10")], directory=server.root) as load:
        load.wait_connections(15)
        for n in range(30):
            server.reconfigure(f"MITIGATION={n % 5}")
        load.wait_more_answers(100)
        assert load.failures() == {}
        assert [r for r in load.records if r.server_closed] == []
