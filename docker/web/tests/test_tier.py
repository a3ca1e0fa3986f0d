# SPDX-License-Identifier: Apache-2.0
"""What the configuration files promise: TLS, compression, static files, status, errors; worker and event."""
import gzip
import json
import re
import socket
import ssl
import subprocess

import pytest

import tier as tiers
from olio import Client


JIT = "<?php echo json_encode(opcache_get_status(false)['jit']);"


@pytest.fixture
def visitor(tier):
    client = Client(tier.tls)
    yield client
    client.close()


def test_a_visit_over_tls(tier, visitor):
    assert visitor.get("/").name == "home"
    login = visitor.login(5)
    assert login.status == 303 and "secure" in login.cookies[0].lower()
    assert visitor.get("/event/7").user == "5"
    answer = visitor.add_event(image=("p.jpg", "image/jpeg", (tier.state / "media/event/3.jpg").read_bytes()))
    assert answer.status == 303
    picture = re.search(r'<img class="hero"[^>]*src="([^"]+)"', visitor.get(answer.location).text).group(1)
    assert visitor.get(picture).headers["content-type"] == "image/jpeg"


def test_both_ports_serve_the_application_and_head_works(tier):
    for base in (tier.plain, tier.tls):
        client = Client(base)
        assert client.get("/tag/1").name == "tag"
        head = client.request("HEAD", "/tag/1")
        assert (head.status, head.body, head.user) == (200, b"", "anon")
        client.close()


def test_pages_are_compressed_for_those_who_accept_it(visitor):
    plain = visitor.get("/event/7")
    packed = visitor.get("/event/7", **{"Accept-Encoding": "gzip"})
    assert "content-encoding" not in plain.headers
    assert packed.headers["content-encoding"] == "gzip"
    assert {"Cookie", "Accept-Encoding"} <= set(re.split(r",\s*", packed.headers["vary"]))
    assert b'data-page="event"' in gzip.decompress(packed.body)
    assert len(packed.body) < len(plain.body) / 3


@pytest.mark.parametrize("name,kind", [("app.css", "text/css"), ("app.js", "text/javascript"), ("icon.svg", "image/svg+xml")])
def test_static_files_are_compressed_once_and_kept_for_ever(tier, visitor, name, kind):
    plain = visitor.get(f"/static/1/{name}")
    packed = visitor.get(f"/static/1/{name}", **{"Accept-Encoding": "gzip, br"})
    for page in (plain, packed):
        assert page.status == 200 and page.headers["content-type"] == kind
        assert page.headers["cache-control"] == "public, max-age=31536000, immutable"
        assert page.headers["vary"] == "Accept-Encoding"
    assert "content-encoding" not in plain.headers and packed.headers["content-encoding"] == "gzip"
    # the very bytes of the prepared file: nothing was compressed for this request
    assert packed.body == (tier.state / "static" / "1" / (name + ".gz")).read_bytes()
    assert gzip.decompress(packed.body) == plain.body
    again = visitor.get(f"/static/1/{name}", **{"If-None-Match": plain.headers["etag"]})
    assert again.status == 304


def test_pictures_may_be_kept_for_a_day(visitor):
    picture = visitor.get("/media/event/7.jpg")
    assert picture.headers["cache-control"] == "public, max-age=86400"
    assert picture.headers["content-type"] == "image/jpeg" and picture.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("path", ["/env", "/tunables.conf", "/../env", "/static/../env", "/static/..%2fenv", "/media/up/",
                                  "/src/App.php", "/index.php", "/.ic2/", "/.ic2/pg0123456789abcdef0123456789abcdef/event/7", "/graph.php", "/static/1/"])
def test_nothing_else_is_reachable(visitor, path):
    page = visitor.get(path)
    assert page.status in (400, 403, 404) and b"IC2_STATE" not in page.body


def test_only_pictures_come_from_the_folder_of_uploads(tier, visitor):
    for name in ("x.php", "x.html", "x.jpg.php", "x.svg"):
        (tier.state / "media" / "up" / name).write_text("<?php echo 'ran'; ?><script>alert(1)</script>")
        assert visitor.get(f"/media/up/{name}").status == 403


def test_status_of_httpd_and_of_the_php_pool(visitor):
    status = visitor.get("/server-status?auto").text
    assert "MaxRequestWorkers: 240" in status and "KeepAliveTimeoutMs: 1000" in status
    assert "ReconfigureVariable: MITIGATION=0" in status
    pool = json.loads(visitor.get("/php-status?json").body)
    assert pool["pool"] == "www" and pool["process manager"] == "static" and pool["total processes"] == 12


def jit(tier, client):
    """What a running child of php-fpm says of its JIT compiler."""
    page = tier.state / "static" / "jit.php"
    page.write_text(JIT)
    try:
        return json.loads(client.get("/static/jit.php").body)
    finally:
        page.unlink()


def test_phps_jit_compiles_though_debians_files_switch_it_off(tier, visitor):
    said = jit(tier, visitor)
    assert said["on"] and said["buffer_size"] > 0, said


def test_tls_sessions_are_resumed(tier):
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    host, port = "127.0.0.1", int(tier.tls.rsplit(":", 1)[1])

    def connect(session):
        with socket.create_connection((host, port)) as raw, context.wrap_socket(raw, session=session) as tls:
            tls.sendall(b"GET /static/1/icon.svg HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            while tls.recv(65536):
                pass
            return tls.session, tls.session_reused
    session, reused = connect(None)
    assert not reused
    assert connect(session)[1]


def test_without_php_the_answer_is_a_503_that_nobody_keeps_and_it_comes_back_at_once(tier, visitor):
    tier.stop_php()
    try:
        page = visitor.get("/event/7")
        assert (page.status, page.name, page.headers["cache-control"]) == (503, "error", "no-store")
        assert visitor.get("/static/1/app.css").status == 200
    finally:
        tier.start_php()
    tiers.wait_for(lambda: visitor.get("/event/7").status == 200, "pages are back")


def test_a_reload_of_php_keeps_requests_in_flight(tier, visitor):
    with open(tier.state / "run" / "php-fpm.pid", encoding="ascii") as file:
        master = int(file.read())
    assert visitor.get("/event/7").status == 200
    subprocess.run(["kill", "-USR2", str(master)], check=True)
    for _ in range(20):
        assert visitor.get("/event/7").status == 200


def test_an_absurd_body_is_refused(visitor):
    assert visitor.request("POST", "/login", b"x" * 5_000_000, {"Content-Type": "text/plain"}).status == 413


def test_the_access_log_ends_with_the_duration_in_microseconds(tier, visitor):
    visitor.get("/tag/3?access-log")

    def line():
        lines = (tier.state / "log" / "access.log").read_text().splitlines()
        return next((line for line in lines if "/tag/3?access-log" in line), None)
    logged = tiers.wait_for(line, "the request is in the access log")
    match = re.fullmatch(r'127(?:\.\d+){3} - - \[[^]]+\] "GET /tag/3\?access-log HTTP/1\.1" 200 \d+ "-" "-" "pass: query" - (\d+)', logged)
    assert match and 500 < int(match.group(1)) < 60_000_000


def test_the_access_log_tells_members_and_none_of_their_cookies(tier, visitor):
    def line(what):
        lines = (tier.state / "log" / "access.log").read_text().splitlines()
        return next((line for line in lines if what in line), None)
    visitor.request("GET", "/tag/3?somebody", headers={"Cookie": "_ga=1; olio_session=secret"})
    visitor.request("GET", "/tag/3?nobody", headers={"Cookie": "_ga=1; olio_form=secret", "ic2_member": "1"})
    assert tiers.wait_for(lambda: line("?somebody"), "the member's request is in the access log").split()[-2] == "1"
    nobody = tiers.wait_for(lambda: line("?nobody"), "the visitor's request is in the access log")
    assert nobody.split()[-2] == "-" and "secret" not in nobody + line("?somebody")


def test_a_tier_that_does_not_come_up_leaves_no_server_running(short_tmp, monkeypatch):
    def refuse(base):
        raise AssertionError("no answer")
    monkeypatch.setattr(tiers.installation, "answers", refuse)
    state = short_tmp / "refused"
    with pytest.raises(AssertionError, match="no answer"), tiers.running(state):
        pass
    assert (state / "log" / "httpd.log").exists() and (state / "log" / "php-fpm.out").exists()

    def left():
        listed = subprocess.run(["ps", "-e", "-o", "args"], capture_output=True, text=True, check=True).stdout
        return [line for line in listed.splitlines() if str(state) in line]
    tiers.wait_for(lambda: left() == [], "all has ended")     # a process may outlive its last sign by a moment


def test_wrk_finds_no_error(tier):
    requests = errors = 0
    for _ in range(20):
        said = subprocess.run(["wrk", "-t1", "-c10", "-d2s", "--timeout", "60s", tier.plain + "/tag/1"], capture_output=True,
                              text=True, timeout=180)
        assert said.returncode == 0 and "Non-2xx" not in said.stdout, said
        # a wrk that stood still for KeepAliveTimeout finds its connections closed
        errors = "Socket errors" in said.stdout
        requests += 0 if errors else int(re.search(r"(\d+) requests in", said.stdout).group(1))
        if requests > 20:
            break
    assert requests > 20 and not errors, said


def test_in_the_profile_olio_php_sends_the_pictures_and_browsers_ask_for_their_files_again(short_tmp):
    with tiers.running(short_tmp / "olio", OLIO_PROFILE="olio", IC2_PHP_JIT="off") as tier:
        client = Client(tier.plain)
        assert client.get("/").name == "home"
        picture = client.get("/media/event/7.jpg")
        assert picture.status == 200 and picture.body == (tier.state / "media/event/7.jpg").read_bytes()
        assert picture.headers["content-type"] == "image/jpeg" and "etag" not in picture.headers
        assert client.get("/media/event/99.jpg").status == 404
        assert picture.headers["cache-control"] == "public, max-age=86400" and "vary" not in picture.headers
        assert jit(tier, client)["on"] is False
        tier.stop_php()
        kept = client.get("/media/event/7.jpg", Cookie="olio_session=" + "0" * 32)
        assert (kept.status, kept.body) == (200, picture.body) and "age" in kept.headers, "httpd keeps what is public, for everybody"
        assert "age" in client.get("/media/event/7.jpg?1").headers, "a query makes no second copy"
        assert client.get("/media/event/8.jpg").status == 503 and client.get("/").status == 503, "and nothing else"
        tier.start_php()
        tiers.wait_for(lambda: client.get("/").status == 200, "pages are back")
        files = sorted((tier.state / "static" / "olio").iterdir())
        assert len([file for file in files if file.name.startswith("common")]) == 17
        for file in files:
            whole = client.get(f"/static/olio/{file.name}")
            assert (whole.status, len(whole.body)) == (200, file.stat().st_size) and "cache-control" not in whole.headers
        again = client.get("/static/olio/common1.css", **{"If-Modified-Since": whole.headers["date"]})
        assert (again.status, again.body) == (304, b"")
        client.close()


@pytest.mark.parametrize("name,value,said", [
    ("OLIO_PROFILE", "other", "OLIO_PROFILE=other: expected public or olio"),
    ("OLIO_PARTS", "yes", "OLIO_PARTS=yes: expected off or on"),
    ("IC2_PHP_JIT", "on", "IC2_PHP_JIT=on: expected off or tracing"),
    ("IC2_MPM", "prefork", "IC2_MPM=prefork: expected worker or event"),
    ("IC2_HTTP_PORT", "eighty", "IC2_HTTP_PORT=eighty: expected a whole number"),
    ("IC2_STATE", "relative", "give an absolute path"),
    ("IC2_STATE", "/tmp/" + "x" * 80, "at most 80 bytes"),
    ("IC2_MITIGATION", "/nowhere.conf", "IC2_MITIGATION=/nowhere.conf: no such file"),
    ("OLIO_DSN", "mysql:'", "OLIO_DSN holds a quote")])
def test_a_wrong_input_is_named_before_anything_is_written(tmp_path, name, value, said):
    environment = {"PATH": "/usr/bin:/bin:/usr/sbin", "IC2_STATE": str(tmp_path), name: value}
    result = subprocess.run([str(tiers.WEB / "prepare")], env=environment, capture_output=True, text=True)
    assert result.returncode == 1 and said in result.stderr
    assert list(tmp_path.iterdir()) == []
