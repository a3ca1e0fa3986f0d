# SPDX-License-Identifier: Apache-2.0
"""mod_standby's store: whatever is wrong with it, the site answers as without us. It is bounded, and answers that break off are
never stored."""

import contextlib
import os
import random
import shutil
import socketserver
import subprocess
import threading

import pytest

from harness.application import COOKIE, FILLER, Application
from harness.backend import Http
from harness.client import Closed, Connection
from harness.fcgi import Broken, FastCgi
from harness.ladder import hit, ladder_server, new_visitor, page, plain, running_tier
from harness.waiting import eventually

AS_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="needs another user's files")


def tier_of(name, request, **kwargs):
    return running_tier(name, sanitized=request.config.getoption("--asan"), **kwargs)


def assert_site_answers(tier, paths=6, at="/site"):
    """Each page is whole and the one that was asked for, for strangers and for members, on a level that would serve copies."""
    for level in (0, 4):
        tier.go(level)
        for number in range(paths):
            path = f"{at}/{number}"
            for user in (None, None, None, "u1"):
                facts, response = tier.page(path, user=user, source=new_visitor())
                assert response.status == 200 and facts["path"] == path and facts["user"] == (user or "anon")
                assert plain(response).endswith(f"{FILLER}\n")


# -- the directory -------------------------------------------------------------------------------------------------------

def owned_by_another(store):
    store.mkdir(mode=0o700)
    os.chown(store, 1, 1)


def open_to_others(store):
    store.mkdir()
    shutil.chown(store, "nobody")
    store.chmod(0o755)


def a_file(store):
    store.write_text("something else\n")
    shutil.chown(store, "nobody")
    store.chmod(0o700)


def a_link(store):
    elsewhere = store.with_name("elsewhere")
    elsewhere.mkdir(mode=0o700)
    shutil.chown(elsewhere, "nobody")
    store.symlink_to(elsewhere)


def unreadable(store):
    store.mkdir()
    shutil.chown(store, "nobody")
    store.chmod(0o000)


@AS_ROOT
@pytest.mark.parametrize("wrong, says",
                         [(owned_by_another, "belongs to user 1"), (open_to_others, "mode 755"), (a_file, "directory"),
                          (a_link, "directory"), (unreadable, "")],
                         ids=lambda value: getattr(value, "__name__", None))
def test_store_that_cannot_be_used_is_said_and_the_site_answers(request, wrong, says):
    def prepare(server):
        wrong(server.store)
        server.log.expect("AH12025", "AH12024")

    with tier_of("stock", request, prepare=prepare) as tier:
        state = tier.status().lines["StandbyStore"]
        if says:
            assert state != "ok" and says in state
            assert [e.level for e in tier.server.log.with_text("StandbyStore")], "the error log says it too"
        assert_site_answers(tier)
        assert says == "" or not tier.is_kept("/site/0")
        assert list(tier.server.root.glob("elsewhere/*")) == [], "nothing is written where a link leads"


def test_store_in_a_directory_that_is_not_there_is_said_and_the_site_answers(make_server, build, backends):
    application = Application(build_seconds=0)
    port = backends.enter_context(FastCgi(application)).port
    server = ladder_server(make_server, "event", f'SetHandler "proxy:fcgi://127.0.0.1:{port}"', of=build,
                           virtual_host="StandbyStore @ROOT@/nowhere/store")
    server.log.expect("AH12024")
    server.start()
    server.ladder.go(4)
    for number in range(6):
        assert page(server, "/page", source=new_visitor())[0]["path"] == "/page", number
    assert application.count("/page") == 6
    assert server.log.with_text("nowhere/store")


def test_store_that_goes_away_costs_its_pages_alone(request):
    with tier_of("worker", request) as tier:
        tier.go(4)
        tier.until_kept("/before")
        shutil.rmtree(tier.server.store)
        assert_site_answers(tier)
        assert not tier.is_kept("/before", 3)
        assert tier.status().lines["StandbyStore"] not in ("ok", "off")


@AS_ROOT
@pytest.mark.parametrize("size", ["size=40k", "nr_inodes=8", "size=300k"])
def test_full_store_costs_its_pages_alone(request, size):
    with contextlib.ExitStack() as mounts:
        def prepare(server):
            server.store.mkdir()
            options = f"{size},mode=0700,uid={server._user()}"      # pylint: disable=protected-access
            done = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", server.store], capture_output=True, text=True,
                                  check=False)
            if done.returncode:
                pytest.skip(f"no mount here: {done.stderr}")
            mounts.callback(subprocess.run, ["umount", "-l", server.store], check=True)

        with tier_of("worker", request, prepare=prepare) as tier:
            assert_site_answers(tier, paths=12)
            mounts.close()


@AS_ROOT
def test_page_that_cannot_be_stored_any_more_takes_its_old_copy_away(request):
    with contextlib.ExitStack() as mounts:
        def prepare(server):
            server.store.mkdir()
            options = f"size=600k,mode=0700,uid={server._user()}"      # pylint: disable=protected-access
            done = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", server.store], capture_output=True, text=True, check=False)
            if done.returncode:
                pytest.skip(f"no mount here: {done.stderr}")
            mounts.callback(subprocess.run, ["umount", "-l", server.store], check=True)

        with tier_of("worker", request, prepare=prepare) as tier:
            tier.go(4)
            tier.until_kept("/before")
            with contextlib.suppress(OSError), open(tier.server.store / "filler", "wb", buffering=0) as filler:
                while True:
                    filler.write(bytes(4096))
            tier.application.shows = {"/before": "changed"}
            tier.go(0)
            tier.page("/before", source=new_visitor())
            tier.go(4)
            assert {tier.page("/before", source=new_visitor())[0]["shows"] for _ in range(4)} == {"changed"}
            mounts.close()


@AS_ROOT
def test_read_only_store_costs_its_pages_alone(request):
    with contextlib.ExitStack() as mounts:
        def mount(store, *options):
            done = subprocess.run(["mount", *options, store], capture_output=True, text=True, check=False)
            if done.returncode:
                pytest.skip(f"no mount here: {done.stderr}")

        def prepare(server):
            server.store.mkdir()
            mount(server.store, "-t", "tmpfs", "-o", f"mode=0700,uid={server._user()}", "tmpfs")      # pylint: disable=protected-access
            mounts.callback(subprocess.run, ["umount", "-l", server.store], check=True)

        with tier_of("stock", request, prepare=prepare) as tier:
            tier.go(4)
            tier.until_kept("/before")
            mount(tier.server.store, "-o", "remount,ro")
            tier.application.shows = {"/before": "changed"}
            assert_site_answers(tier)
            mounts.close()


def damage(kind, path, chooser):
    data = path.read_bytes()
    if kind == "cut":
        path.write_bytes(data[:chooser.randrange(len(data))])
    elif kind == "longer":
        path.write_bytes(data + b"x" * 100)
    elif kind == "noise":
        path.write_bytes(chooser.randbytes(len(data)))
    elif kind == "empty":
        path.write_bytes(b"")
    elif kind == "huge-numbers":        # in the head, where lengths stand
        path.write_bytes(data[:8] + b"\xff" * 120 + data[128:])
    elif kind == "link":
        path.unlink()
        path.symlink_to("/etc/passwd")
    elif kind == "directory":
        path.unlink()
        path.mkdir()
    elif kind == "fifo":
        path.unlink()
        os.mkfifo(path)
    elif kind == "bits":        # in what stands before the page: a page itself is as trustworthy as its owner
        at = chooser.randrange(200)
        path.write_bytes(data[:at] + bytes([data[at] ^ 1 << chooser.randrange(8)]) + data[at + 1:])


def copies(server):
    return [path for path in server.store.rglob("*") if path.is_file() and path.stat().st_size > 100]


@pytest.fixture(scope="module")
def damaged(request):
    with tier_of("stock", request) as tier:
        yield tier


@pytest.mark.parametrize("kind", ["cut", "longer", "noise", "empty", "huge-numbers", "link", "directory", "fifo"])
def test_garbage_in_the_store_is_no_page(damaged, kind):
    tier, chooser = damaged, random.Random(kind)
    tier.go(4)
    for number in range(6):
        tier.until_kept(f"/{kind}/{number}")
    for path in copies(tier.server):
        damage(kind, path, chooser)
    assert_site_answers(tier, at=f"/{kind}")


def test_copy_under_another_pages_name_is_not_served_for_it(damaged):
    """As after a mistake in moving the store: each page knows whose it is."""
    tier = damaged
    tier.go(4)
    for number in range(4):
        tier.until_kept(f"/swapped/{number}")
    paths = copies(tier.server)
    contents = [path.read_bytes() for path in paths]
    for path, data in zip(paths, contents[1:] + contents[:1]):
        path.write_bytes(data)
    for number in range(4):
        for _ in range(3):
            assert tier.page(f"/swapped/{number}", source=new_visitor())[0]["path"] == f"/swapped/{number}"


# -- bounds --------------------------------------------------------------------------------------------------------------

def test_store_is_bounded_and_goes_on_to_be_used(request):
    """Of 600 pages of 12 KB it may hold 2 MB."""
    with tier_of("worker", request, directives="StandbyStoreLimit 2M 20000") as tier:
        tier.application.build_seconds = 0
        tier.go(4)
        for source in (new_visitor(), new_visitor()):
            with tier.server.connect(source=source) as connection:
                for number in range(600):
                    tier.page(f"/bounded/{number}", connection=connection)
        assert 20 < len(copies(tier.server)) and sum(path.stat().st_size for path in copies(tier.server)) < 4 << 20
        tier.until_kept("/bounded/new")


def test_number_of_pages_is_bounded_too(request):
    with tier_of("stock", request, directives="StandbyStoreLimit 128M 64") as tier:
        tier.application.build_seconds = 0
        with tier.server.connect(source=new_visitor()) as connection:
            for number in range(600):
                tier.page(f"/many/{number}", connection=connection)
        assert 20 < len(copies(tier.server)) < 400


def test_page_that_is_too_large_is_served_whole_and_not_stored(request):
    with tier_of("worker", request, directives="StandbyMaxPage 100K") as tier:
        tier.go(4)
        large = "".join(random.Random(1).choices("abcdefghij ", k=150_000))
        tier.application.shows = {"/large": large, "/small": large[:20_000]}
        for _ in range(5):
            facts, response = tier.page("/large", source=new_visitor())
            assert facts["shows"] == large.strip() or facts["shows"] == large and not hit(response)
        assert tier.status().count("StandbyRefused", "too-large") >= 5
        assert tier.until_kept("/small")[0]["shows"] == large[:20_000]


# -- what is no whole answer ---------------------------------------------------------------------------------------------

def never_kept(server, path):
    for encoding in ("gzip", "identity"):
        for number in range(5):
            try:
                with Connection(server.port, source=new_visitor()) as connection:
                    response = connection.get(path, headers={"Accept-Encoding": encoding, "Connection": "close"})
                assert not hit(response), (path, encoding, number)
            except Closed:
                pass        # as without the module


class _Torn(socketserver.StreamRequestHandler):
    """Speaks HTTP, but says of a page that it is twice as long, or ends in the middle of a chunk."""

    def handle(self):
        path = ""
        while line := self.rfile.readline().strip():
            if line.startswith(b"X-Path-Info:"):
                path = line.decode()
        body = b"the beginning of the page " * 500
        if "short" in path:
            framing = b"Content-Length: %d\r\n\r\n%s" % (2 * len(body), body)
        elif "chunk" in path:
            framing = b"Transfer-Encoding: chunked\r\n\r\n%x\r\n%s" % (2 * len(body), body)
        elif "last" in path:
            framing = b"Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n" % (len(body), body)
        else:
            framing = b"Content-Length: %d\r\n\r\n%s" % (len(body), body)
        self.wfile.write(b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: text/html\r\n" + framing)


def test_answer_that_breaks_off_over_http_is_never_stored(make_server, build):
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), _Torn) as backend:
        threading.Thread(target=backend.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        server = ladder_server(make_server, "event", Http.CONFIG.format(port=backend.server_address[1]), of=build,
                               directives="StandbyKeyedHeaders X-Path-Info")
        server.log.expect("AH01110", "AH01102", "AH10474", "AH10475", "AH02608")
        server.start()
        server.ladder.go(4)
        for path in ("/short", "/chunk", "/last"):
            never_kept(server, path)
        eventually(lambda: hit(server.get("/whole", source=new_visitor())), what="a whole page to be kept")
        backend.shutdown()


def test_answer_that_breaks_off_is_never_stored(request):
    def broken(parameters):
        path = parameters["REQUEST_URI"]
        headers = [("Status", "200"), ("Content-Type", "text/html")]
        body = "the beginning of the page " * 500
        if path == "/dies":
            return headers, Broken(body)
        if path == "/dies-with-length":
            return [*headers, ("Content-Length", str(2 * len(body)))], Broken(body)
        return headers, body

    with tier_of("worker", request, application=broken) as tier:
        tier.server.log.expect("AH01075", "AH01067", "AH01068", "AH01069", "AH01070", "AH02650", "AH10289")
        tier.go(4)
        for path in ("/dies", "/dies-with-length"):
            never_kept(tier.server, path)
        eventually(lambda: hit(tier.server.get("/whole", source=new_visitor())), what="a whole page to be kept")


# -- hostile requests ----------------------------------------------------------------------------------------------------

def hostile_requests(count, seed=7):
    """(path, headers) of about 8 KB."""
    chooser = random.Random(seed)
    letters = "abcXYZ019-_.~%&=?/;:@!$'()*+, \"<>\\^`{|}[]"
    pieces = ["utm_a&", "utm_source=x&", "%41", "%2e%2e/", "//", "/../", "page=2&", "&&", "a=b;", "%", "%zz", "=", "*",
              "title=Special:", "\\", ";v=1", "?"]
    for number in range(count):
        kind = number % 5
        path, headers = f"/hostile/{number}", {}
        size = chooser.choice([100, 2000, 7000])
        if kind == 0:
            text = "".join(chooser.choice(pieces) for _ in range(size))[:size]
            path += "?" + text.replace(" ", "")
        elif kind == 1:
            path += "/" + "".join(chooser.choice(["%41", "..", "//", "%2f", "a", "%e4", "~", "*", ";"]) for _ in range(size))[:size]
        elif kind == 2:
            headers["Cookie"] = "".join(chooser.choice(["_ga=1; ", "a", "=", ";", ",", " ", "_pk_*=", f"{COOKIE}", "\t",
                                                        "ic2_fresh="]) for _ in range(size))[:size]
        elif kind == 3:
            headers[chooser.choice(["Accept", "Accept-Encoding", "Accept-Language", "User-Agent", "Referer", "Cache-Control",
                                    "Sec-CH-UA", "X-Unknown"])] = (
                "".join(chooser.choice(letters) for _ in range(size)).strip())
        else:
            headers["Accept"] = ("text/html;q=0." + "1" * 50 + ", ") * (size // 70)
            headers["Accept-Encoding"] = "gzip;q=" + "0" * (size // 2) + ", *;q=1"
        yield path, headers


def test_hostile_requests_are_answered_as_without_the_module(request):
    def answer(port, path, headers):
        try:
            with Connection(port, source=new_visitor()) as connection:
                response = connection.get(path, headers={"Connection": "close", **headers})
            text = plain(response)
            return response.status, text.partition("\n")[2] if text.startswith("<!--") else ""
        except Closed:
            return None

    hosts = ("Listen 127.0.0.1:@PORT1@\n<VirtualHost 127.0.0.1:@PORT1@>\n"
             "ServerName localhost\nRewriteEngine On\nStandbyStore off\n</VirtualHost>")
    with tier_of("worker", request, directives=hosts) as tier:
        tier.server.log.expect("AH00127", "AH01071", "AH10244", "AH00128", "AH10411", "AH10508")
        tier.application.build_seconds = 0
        tier.go(4)
        for path, headers in hostile_requests(50):
            without = answer(tier.server.ports[0], path, headers)
            for _ in range(3):
                assert answer(tier.server.port, path, headers) == without, (path[:100], headers)
        assert tier.until_kept("/friendly")


@pytest.mark.parametrize("document", ["", "ErrorDocument 503 /static/big.html"], ids=["plain", "document"])
def test_error_of_httpds_own_takes_the_copies_of_a_page_away(make_server, build, document):
    """An application that has gone: httpd answers, by none of the filters through which a page goes."""
    with FastCgi(Application()) as application:
        server = ladder_server(make_server, "event", f'SetHandler "proxy:fcgi://127.0.0.1:{application.port}"', of=build,
                               virtual_host=document, directives='ProxyTimeout 5\n<Proxy "fcgi://127.0.0.1:*">\n</Proxy>')
        server.log.expect("AH01079", "AH00957", "AH01114", "AH00940")
        server.start()
        server.ladder.go(4)
        eventually(lambda: hit(server.get("/gone", source=new_visitor())), what="the page to be kept")
        kept = sum(path.name != "lock" for path in server.store.rglob("*") if path.is_file())
        server.ladder.go(0)
    assert server.get("/gone", source=new_visitor()).status == 503
    assert kept and not any(path.name != "lock" for path in server.store.rglob("*") if path.is_file())
