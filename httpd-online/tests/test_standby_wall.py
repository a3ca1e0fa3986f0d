# SPDX-License-Identifier: Apache-2.0
"""The wall of mod_standby: while it is up, a visitor without a pass gets stored pages alone; and crawlers by class, each with a
rate of its own."""

import concurrent.futures
import contextlib
import pathlib
import re
import time

import pytest

from harness.application import COOKIE
from harness.build import COMPONENT
from harness.http2 import curl
from harness.ladder import ATTACKED, hit, new_visitor, passed_by, plain, running_tier
from harness.waiting import eventually

WALLED = 0      # of the server's further ports: where the wall is up from level 1 on
LIMITED, BRIEF, OFF, BEHIND = 1, 2, 3, 4
HOSTS = """
Listen 127.0.0.1:@PORT1@
Listen 127.0.0.1:@PORT2@
Listen 127.0.0.1:@PORT3@
Listen 127.0.0.1:@PORT4@
Listen 127.0.0.1:@PORT5@
StandbyVolatileHeaders X-Real-IP
<VirtualHost 127.0.0.1:@PORT1@>
    ServerName localhost
    RewriteEngine On
    StandbyWall 1
    StandbyWallRate 6000 60000
    StandbyWallFrom 127.253.0.0/16
    StandbyWallEngines TrueBot localhost
    StandbyWallEngines FalseBot example.org
    Header set Cache-Control "public, max-age=600"
    ErrorDocument 404 /index.php/error
</VirtualHost>
<VirtualHost 127.0.0.1:@PORT2@>
    ServerName localhost
    RewriteEngine On
    StandbyWall 1
    StandbyWallRate 12 24
</VirtualHost>
<VirtualHost 127.0.0.1:@PORT3@>
    ServerName localhost
    RewriteEngine On
    StandbyWall 6
    StandbyWallPass 2
</VirtualHost>
<VirtualHost 127.0.0.1:@PORT4@>
    ServerName localhost
    RewriteEngine On
    StandbyWall off
</VirtualHost>
<VirtualHost 127.0.0.1:@PORT5@>
    ServerName localhost
    RewriteEngine On
    StandbyWall 1
    StandbyWallRate 12 24
    StandbyClientHeader X-Real-IP
    StandbyWallEngines TrueBot example.org
</VirtualHost>
StandbyCrawlers training WholeBot
StandbyCrawlers search PartBot "Some Other"
StandbyCrawlerRate training 2 0
StandbyCrawlerRate search 2 12
StandbyCrawlerRate search 3 0
"""
AGENT = "Mozilla/5.0 (compatible; {}/1.0)"
PASS = re.compile(r"(ic2_pass_[0-9a-f]{6})=([0-9a-f]{8})-([0-9a-f]{16})-([0-9a-f]{16}); Path=/; Max-Age=(\d+); HttpOnly; SameSite=Lax")


@pytest.fixture(scope="module", params=ATTACKED)
def shared(request):
    only = request.config.getoption("--mpm")
    if only and request.param not in (only, "stock"):
        pytest.skip(f"--mpm {only}")
    with running_tier(request.param, sanitized=request.config.getoption("--asan"), directives=HOSTS, extra_ports=5) as tier:
        tier.application.build_seconds = 0
        yield tier


@pytest.fixture
def tier(shared):
    shared.application.further, shared.application.shows = {}, {}
    shared.go(1)
    shared.port = shared.server.ports[WALLED]
    return shared


def ask(tier, path, *, source, cookie=None, port=None, **kwargs):
    headers = {**kwargs.pop("headers", {}), **({"Cookie": cookie} if cookie else {})}
    return tier.server.get(path, source=source, port=port or tier.port, headers=headers, **kwargs)


def is_wall(response):
    """The page that asks again, as it is to be; else False."""
    if response.status != 503 or "http-equiv" not in plain(response):
        return False
    assert int(response["retry-after"]) >= 1
    assert "no-store" in [v for n, v in response.headers if n == "cache-control"]
    assert f'content="{response["retry-after"]}"' in plain(response)
    return True


def given(response):
    """The cookie of an answer of the wall, as a browser sends it back."""
    match = PASS.fullmatch(response["set-cookie"])
    assert match, response["set-cookie"]
    return f"{match[1]}={'-'.join(match.groups()[1:4])}"


def pass_for(tier, source, port=None):
    return given(ask(tier, "/for-a-pass", source=source, port=port))


def counted(tier):
    status = tier.status()
    return {name: status.count("StandbyWall", name) for name in ("met", "limited", "stored", "pass", "engine", "open")}


# -- who meets it --------------------------------------------------------------------------------------------------------

def test_visitor_meets_the_wall_once(tier):
    visitor, before = new_visitor(), counted(tier)
    first = ask(tier, "/once?x=1&y=2", source=visitor)
    assert is_wall(first) and tier.application.count("/once") == 0
    cookie = given(first)
    for path in ("/once?x=1&y=2", "/next", "/once"):
        answer = ask(tier, path, source=visitor, cookie=cookie)
        assert answer.status == 200 and answer["set-cookie"] is None, path
    assert {n: v - before[n] for n, v in counted(tier).items() if v != before[n]} == {"met": 1, "pass": 3}


def test_page_asks_for_the_same_address_and_holds_nothing_of_it(tier):
    for path in ('/"><script>alert(1)</script>', "/?q=%22%3E%3Cscript%3E", "//example.org/x", "/x';url=http://example.org/", "/?a=1&b=<i>"):
        answer = ask(tier, path, source=new_visitor(), headers={"User-Agent": "<script>", "Referer": "http://example.org/<script>"})
        assert is_wall(answer), path
        text = plain(answer)
        assert re.findall(r'http-equiv="refresh" content="([^"]*)"', text) == ["1"]     # no address: the same again
        assert 'href=""' in text and not re.search(r"script|example|alert|url=|<i>|q=", text), path


def test_head_and_a_page_that_is_not_there_meet_the_wall(tier):
    answer = ask(tier, "/head", source=new_visitor(), method="HEAD")
    assert (answer.status, answer.body, answer["retry-after"]) == (503, b"", "1") and given(answer)
    assert is_wall(ask(tier, "/missing", source=new_visitor()))


@pytest.mark.parametrize("headers", [{"X-Unknown": "1"}, {"Range": "bytes=0-9"}, {"Accept": "application/json"}, {"Sec-Fetch-Dest": "empty"},
                                     {"Cookie": "_ga=GA1.1.5; _fbp=1"}, {"Cookie": "ic2_pass_000000=1"}, {"Content-Length": "0"},
                                     {"Accept": "a/b," * 900}, {"Cookie": "_ga=1;" * 60}, {"Cookie": ""}, {"Cookie": ";"}],
                         ids=lambda headers: str(headers)[:30])
def test_what_keeps_from_the_store_does_not_let_through(tier, headers):
    assert is_wall(ask(tier, "/kept-away", source=new_visitor(), headers=headers))
    assert tier.application.count("/kept-away") == 0


@pytest.mark.parametrize("path", ["/a//b", "/%41", "/x;y", "/?" + "a" * 5000, "/?unknown=1", "/feedback/../x"])
def test_odd_addresses_meet_the_wall(tier, path):
    assert is_wall(ask(tier, path, source=new_visitor()))


@pytest.mark.parametrize("kwargs", [{"cookie": f"{COOKIE}=ann"}, {"cookie": "_ga=1; theme=dark"}, {"cookie": "commenter=Ann"}, {"cookie": "ic2_fresh=1"},
                                    {"headers": {"Authorization": "Basic eA=="}}, {"method": "POST", "body": b"a=1"},
                                    {"method": "POST", "headers": {"Content-Length": "0"}}, {"method": "OPTIONS"}, {"method": "DELETE"}],
                         ids=str)
def test_members_and_who_sends_something_pass(tier, kwargs):
    for _ in range(3):
        answer = ask(tier, "/member", source=new_visitor(), **kwargs)
        assert answer.status == 200 and "ic2_pass" not in (answer["set-cookie"] or "") and answer["retry-after"] is None


@pytest.mark.parametrize("path", ["/feed", "/feed/", "/blog/post/feed/", "/news.rss", "/sitemap.xml", "/robots.txt", "/.well-known/acme-challenge/x",
                                  "/health", "/healthz", "/ping", "/api/v1/items?x=1", "/shop/api/x", "/wp-json/wp/v2/posts", "/wc-api/gateway",
                                  "/payment/webhook", "/order/callback/9", "/graphql"])
def test_named_paths_pass(tier, path):
    assert ask(tier, path, source=new_visitor()).status == 200


def test_addresses_of_the_configuration_pass(tier):
    assert ask(tier, "/monitor", source="127.253.7.7").status == 200
    assert is_wall(ask(tier, "/monitor", source="127.252.7.7"))


def test_static_files_have_no_wall(tier):
    assert ask(tier, "/static/big.html", source=new_visitor()).status == 200


def test_pages_that_other_files_answer_have_no_wall(tier):
    (tier.server.root / "htdocs" / "static" / "other.html").write_text("other")
    assert ask(tier, "/static/other.html", source=new_visitor()).text == "other"


def test_error_page_of_the_application_is_no_way_around(tier):
    """Of a file that is not there, by ErrorDocument: one page of the application for each invented address."""
    before = tier.application.count("/error")
    for number in range(3):
        assert is_wall(ask(tier, f"/static/no-file-{number}", source=new_visitor()))
    assert tier.application.count("/error") == before
    visitor, counts = new_visitor(), counted(tier)
    answer = ask(tier, "/static/no-file", source=visitor, cookie=pass_for(tier, visitor))
    assert (answer.status, tier.application.count("/error")) == (200, before + 1)
    assert counted(tier)["pass"] == counts["pass"] + 1
    assert ask(tier, "/static/no-file", source="127.253.7.7").status == 200


# -- what is stored ------------------------------------------------------------------------------------------------------

def test_stored_page_is_served_before_the_wall(tier):
    """On a level without stored pages, too: built by two visitors with a pass."""
    for visitor in (new_visitor(), new_visitor()):
        assert ask(tier, "/stored", source=visitor, cookie=pass_for(tier, visitor)).status == 200
    before = counted(tier)
    for method in ("GET", "HEAD", "GET"):
        answer = ask(tier, "/stored", source=new_visitor(), method=method)
        assert answer.status == 200 and hit(answer) and answer["set-cookie"] is None and answer["x-user"] == "anon"
    assert counted(tier)["stored"] == before["stored"] + 3
    visitor = new_visitor()
    assert not hit(ask(tier, "/stored", source=visitor, cookie=pass_for(tier, visitor))), "on this level a page is built for who has a pass"
    assert tier.application.count("/stored") == 3


def test_on_a_level_with_stored_pages_who_has_a_pass_gets_them(tier):
    tier.go(3)
    one, other = new_visitor(), new_visitor()
    for visitor in (one, other):
        assert ask(tier, "/kept/3", source=visitor, cookie=pass_for(tier, visitor)).status == 200
    assert hit(ask(tier, "/kept/3", source=one, cookie=pass_for(tier, one)))


def test_pass_is_no_difference_between_two_visitors(tier):
    """An application that shows its visitors' cookies: the pass is searched for like any other."""
    tier.application.shows["/shows-cookies"] = lambda parameters: parameters.get("HTTP_COOKIE", "none")
    for visitor in (new_visitor(), new_visitor(), new_visitor()):
        answer = ask(tier, "/shows-cookies", source=visitor, cookie=pass_for(tier, visitor))
        assert not hit(answer) and "shows=ic2_pass_" in plain(answer)
    assert is_wall(ask(tier, "/shows-cookies", source=new_visitor()))


# -- passes --------------------------------------------------------------------------------------------------------------

def test_pass_of_another_address_does_not_hold(tier):
    visitor = new_visitor()
    cookie = pass_for(tier, visitor)
    assert ask(tier, "/replayed", source=visitor, cookie=cookie).status == 200
    for _ in range(3):
        assert is_wall(ask(tier, "/replayed", source=new_visitor(), cookie=cookie))


def test_forged_pass_does_not_hold(tier):
    visitor = new_visitor()
    name, _, value = pass_for(tier, visitor).partition("=")
    since, number, signature = value.split("-")
    later = f"{int(since, 16) + 3600:08x}"
    for forged in (f"{later}-{number}-{signature}", f"{since}-{number[::-1]}-{signature}", f"{since}-{number}-{'0' * 16}",
                   f"{since}-{number}-", f"{since}-{number}", "", "-" * 42, value.upper(), value + "0", value[1:], f"{value}-{signature}",
                   "0" * 8 + value[8:], "%00" + value, "f" * 4000, value.replace("-", "_")):
        assert forged == value or is_wall(ask(tier, "/forged", source=visitor, cookie=f"{name}={forged}")), forged
    assert is_wall(ask(tier, "/forged", source=visitor, cookie=f"ic2_pass_ffffff={value}"))
    assert ask(tier, "/forged", source=visitor, cookie=f"_ga=1; ic2_pass_ffffff=x; {name}=1; {name}={value}").status == 200


def test_pass_ends(tier):
    """Of a server where it holds for 2 s."""
    port, visitor = tier.server.ports[BRIEF], new_visitor()
    tier.go(6)
    cookie = pass_for(tier, visitor, port=port)

    def ended():
        answer = ask(tier, "/ends?x=1", source=visitor, cookie=cookie, port=port)
        return answer if is_wall(answer) and answer["set-cookie"] else None

    again = eventually(ended, what="the pass to end")
    assert given(again) != cookie and "Max-Age=2;" in again["set-cookie"]
    eventually(lambda: ask(tier, "/ends?x=1", source=visitor, cookie=pass_for(tier, visitor, port=port), port=port).status == 200,
               what="a new pass to be used in time")


def test_pass_has_a_rate_of_its_own(tier):
    """12 a minute, two of them at once; then the page asks again when there is one more."""
    port, visitor = tier.server.ports[LIMITED], new_visitor()
    cookie = pass_for(tier, visitor, port=port)
    answers = [ask(tier, f"/rate/{n}", source=visitor, cookie=cookie, port=port) for n in range(20)]
    let_through = [a for a in answers if a.status == 200]
    waiting = [a for a in answers if a.status == 503]
    assert 1 <= len(let_through) <= 19 and waiting
    for answer in waiting:
        assert is_wall(answer) and answer["set-cookie"] is None and 1 <= int(answer["retry-after"]) <= 5
    eventually(lambda: ask(tier, "/rate/later", source=visitor, cookie=cookie, port=port).status == 200, what="one more request a minute")


def test_many_passes_of_one_address_have_its_rate(tier):
    """24 a minute from one address, four of them at once, however many passes it fetches."""
    port, visitor = tier.server.ports[LIMITED], new_visitor()
    passes = [pass_for(tier, visitor, port=port) for _ in range(30)]
    assert len(set(passes)) == 30
    began = time.monotonic()
    let_through = sum(ask(tier, f"/many/{n}", source=visitor, cookie=cookie, port=port).status == 200 for n, cookie in enumerate(passes))
    assert 1 <= let_through <= 4 + (time.monotonic() - began) * 24 / 60 + 1
    other = new_visitor()
    assert ask(tier, "/many/other", source=other, cookie=pass_for(tier, other, port=port), port=port).status == 200


def test_addresses_of_a_header_are_networks_too(tier):
    """Behind a proxy that names its clients: whoever has a network's addresses has one rate for them."""
    port = tier.server.ports[BEHIND]

    def from_client(client, cookie=None):
        return ask(tier, "/behind?x=1", source="127.0.0.1", port=port, cookie=cookie, headers={"X-Real-IP": client})

    cookie = given(from_client("203.0.113.7"))
    assert from_client("203.0.113.200", cookie).status == 200
    assert is_wall(from_client("203.0.112.7", cookie))
    began = time.monotonic()
    passes = [(f"203.0.113.{n}", given(from_client(f"203.0.113.{n}"))) for n in range(30)]
    let_through = sum(from_client(*each).status == 200 for each in passes)
    assert let_through <= 4 + (time.monotonic() - began) * 24 / 60 + 1
    other = given(from_client("2001:db8:1::5"))
    assert from_client("2001:db8:1:ffff::9", other).status == 200 and is_wall(from_client("2001:db8:2::5", other))


def test_who_has_used_up_a_pass_gets_what_is_stored(tier):
    port = tier.server.ports[LIMITED]
    for visitor in (new_visitor(), new_visitor()):
        assert ask(tier, "/used-up/stored", source=visitor, cookie=pass_for(tier, visitor, port=port), port=port).status == 200
    visitor = new_visitor()
    cookie = pass_for(tier, visitor, port=port)
    eventually(lambda: is_wall(ask(tier, "/used-up/other", source=visitor, cookie=cookie, port=port)), what="the pass to be used up")
    assert hit(ask(tier, "/used-up/stored", source=visitor, cookie=cookie, port=port))


def memory(server):
    """KB that the largest child has changed."""
    return max(sum(int(kb) for kb in re.findall(r"^(?:Private|Shared)_Dirty: +(\d+) kB", pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text(), re.M))
               for pid in server.children())


def test_thousands_of_cookies_take_no_memory(tier):
    if tier.server.build.sanitized:
        pytest.skip("a sanitizer keeps what was freed")
    visitor = new_visitor()
    name, _, value = pass_for(tier, visitor).partition("=")

    def storm(begin, count):
        for number in range(begin, begin + count):
            forged = ask(tier, "/storm", source=visitor, cookie=f"{name}={number:08x}{value[8:]}")
            assert is_wall(forged) and given(forged)

    def all_at_once(begin, count):
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            list(pool.map(lambda part: storm(begin + part * count, count), range(4)))

    all_at_once(0, 250)
    before = memory(tier.server)
    all_at_once(10_000, 1000)
    assert memory(tier.server) < before + 4096


# -- search engines ------------------------------------------------------------------------------------------------------

def test_search_engine_passes_when_its_name_is_confirmed(tier):
    """127.0.0.1 is localhost and localhost is 127.0.0.1; the first request does not wait for that."""
    true = {"User-Agent": AGENT.format("TrueBot")}

    def see():
        return ask(tier, "/engine", source="127.0.0.1", headers=true)

    answer = see()
    assert answer.status == 200 or is_wall(answer)
    eventually(lambda: see().status == 200, what="the name to be confirmed")
    assert counted(tier)["engine"] >= 1
    for _ in range(3):
        answer = ask(tier, "/engine", source="127.0.0.1", headers=true, port=tier.server.ports[BEHIND])
        assert is_wall(answer), "another host takes only other domains"
        time.sleep(0.05)


@pytest.mark.parametrize("agent, source", [("TrueBot", "127.77.0.9"), ("FalseBot", "127.0.0.1"), ("Googlebot", "127.0.0.1"), ("Mozilla", "127.0.0.1")])
def test_who_says_to_be_one_meets_the_wall(tier, agent, source):
    for _ in range(5):
        answer = ask(tier, "/false-engine", source=source, headers={"User-Agent": AGENT.format(agent)})
        assert is_wall(answer) and answer.status == 503
        time.sleep(0.05)


def test_who_is_turned_away_is_counted_as_mod_status_counts(tier):
    """So that whoever reads the page can leave them out: the accesses that are left are those that were answered."""
    tier.go(2)

    def seen():
        page = tier.server.get("/server-status?auto").text
        return {name: int(re.search(rf"^{name}: (\d+)$", page, re.M)[1])
                for name in ("Total Accesses", "StandbyTurnedAway", "StandbyTurnedAwayDuration")}

    before = seen()
    for number in range(40):
        assert is_wall(ask(tier, f"/turned/{number}", source=new_visitor()))
        assert see_bot(tier, "WholeBot").status == 503
    assert [see_bot(tier, "Mozilla").status for _ in range(10)] == [200] * 10

    def all_counted():
        after = seen()
        answered = after["Total Accesses"] - before["Total Accesses"] - 80
        return (after, answered) if after["StandbyTurnedAway"] - before["StandbyTurnedAway"] == 80 and answered >= 11 else None

    # httpd counts a request when it is over, which is after the visitor has its answer
    after, answered = eventually(all_counted, what="the last ones to be counted")
    assert answered <= 11 + 300 and after["StandbyTurnedAwayDuration"] >= before["StandbyTurnedAwayDuration"]


# -- when it is up -------------------------------------------------------------------------------------------------------

@contextlib.contextmanager
def flag(tier):
    """The wall alone, on level 0."""
    online = tier.server.build.patched and tier.server.mpm != "prefork"
    if online:
        pytest.skip("the flag is an online variable there: see test_flag_is_an_online_variable")
    tier.server.ladder.write("MITIGATION 0\nMITIGATION_WALL 1\n")
    try:
        yield
    finally:
        tier.server.ladder.write("MITIGATION 0\n")


def test_flag_raises_it_on_level_0(tier):
    port = tier.server.ports[BRIEF]
    assert ask(tier, "/flag", source=new_visitor(), port=port).status == 200, "level 1 does not"
    with flag(tier):
        assert is_wall(ask(tier, "/flag", source=new_visitor(), port=port))
        assert is_wall(ask(tier, "/flag", source=new_visitor())), "where a level raises it, too"
        assert ask(tier, "/flag", source=new_visitor(), port=tier.server.ports[OFF]).status == 200, "where it is off"
        assert "StandbyWallFlag: 1\n" in tier.server.get("/server-status?auto").text
    assert ask(tier, "/flag", source=new_visitor(), port=port).status == 200
    assert "StandbyWallFlag: 0\n" in tier.server.get("/server-status?auto").text


@pytest.mark.parametrize("text", ["MITIGATION_WALL 0\n", "MITIGATION_WALL 2\n", "MITIGATION_WALLS 1\n", "MITIGATION_WALL1\n", "WALL 1\n", ""])
def test_file_without_the_flag(tier, text):
    with flag(tier):
        tier.server.ladder.write(text)
        assert ask(tier, "/no-flag", source=new_visitor(), port=tier.server.ports[BRIEF]).status == 200


def test_no_client_raises_or_opens_it(tier):
    port = tier.server.ports[BRIEF]
    for headers in ({"MITIGATION_WALL": "1"}, {"Mitigation-Wall": "1"}):
        assert ask(tier, "/no-client", source=new_visitor(), port=port, headers=headers).status == 200
        assert is_wall(ask(tier, "/no-client", source=new_visitor(), headers={**headers, "MITIGATION_WALL": "0"}))


def test_on_level_0_and_where_it_is_off_nobody_meets_it(tier):
    answers = {}
    for level in (0, 1, 2, 3):
        tier.go(level)
        for port in (tier.server.port, tier.server.ports[OFF]):
            before = counted(tier)
            answers[level, port] = ask(tier, "/off?x=1", source=new_visitor(), port=port)
            assert counted(tier) == before
    tier.go(0)
    answers[0, tier.port] = ask(tier, "/off?x=1", source=new_visitor())
    for answer in answers.values():
        names = [n for n, _ in answer.headers if n not in ("date", "keep-alive", "cache-control")]
        assert answer.status == 200 and passed_by(answer) and "set-cookie" not in names and "retry-after" not in names
        assert set(names) == set(n for n, _ in answers[0, tier.server.port].headers) - {"date", "keep-alive", "cache-control"}


def test_level_raises_and_ends_it(tier):
    for level, up in ((0, False), (1, True), (0, False), (6, True)):
        tier.go(level)
        assert is_wall(ask(tier, "/level?x=1", source=new_visitor())) == up


TLS = """
StandbyWall 1
Protocols h2 h2c http/1.1
Listen 127.0.0.1:@PORT1@
<VirtualHost 127.0.0.1:@PORT1@>
    ServerName localhost
    RewriteEngine On
    SSLEngine on
    SSLCertificateFile "{tls.cert}"
    SSLCertificateKeyFile "{tls.key}"
</VirtualHost>
"""


@pytest.mark.parametrize("tls", [False, True], ids=["plain", "tls"])
def test_over_http2(certificate, request, tls):
    with running_tier("event", sanitized=request.config.getoption("--asan"), modules=("ssl", "http2"),
                      directives=TLS.format(tls=certificate), prepare=lambda server: server.log.expect("AH01873")) as tier:
        tier.go(1)
        port = tier.server.ports[0] if tls else tier.server.port
        first = curl(port, "/h2?x=1", tls=tls)
        assert first.status == 503 and first["retry-after"] == "1" and "http-equiv" in first.text
        assert first["set-cookie"].endswith("; Secure") == tls
        assert curl(port, "/h2?x=1", tls=tls, headers={"Cookie": first["set-cookie"].partition(";")[0]}).status == 200


def test_flag_is_an_online_variable(request):
    if request.config.getoption("--mpm") == "worker":
        pytest.skip("--mpm worker")
    with running_tier("event", sanitized=request.config.getoption("--asan"), directives="StandbyWall flag",
                      variables={"MITIGATION": 0, "MITIGATION_WALL": 0}) as tier:
        for value in (0, 1, 0):
            tier.server.reconfigure(f"MITIGATION_WALL={value}")
            answer = tier.server.get("/variable?x=1", source=new_visitor())
            assert bool(is_wall(answer)) == bool(value) and answer.status == (503 if value else 200)
        one, other = new_visitor(), new_visitor()
        for visitor in (one, other):
            assert tier.server.get("/both", source=visitor).status == 200
        tier.server.reconfigure("MITIGATION_WALL=1")
        assert hit(tier.server.get("/both", source=new_visitor())), "what was stored before it was up"
        assert "StandbyWallFlag: 1\n" in tier.server.get("/server-status?auto").text


@pytest.mark.parametrize("wall", [True, False], ids=["wall", "none"])
def test_status_page_of_another_host_tells_the_flag(request, wall):
    """By the header that the agent reads, as docs/status.conf has it; the wall is the site's virtual host's alone."""
    status = f"Define STATUS_PORT @PORT1@\nInclude {COMPONENT}/docs/status.conf\n"
    with running_tier("stock", sanitized=request.config.getoption("--asan"), directives=status, extra_ports=1,
                      virtual_host="StandbyWall flag" if wall else "StandbyWall off") as tier:
        for flagged in ("0", "1", "0"):
            tier.server.ladder.write(f"MITIGATION 3\nMITIGATION_WALL {flagged}\n")
            page = tier.server.get("/server-status?auto", port=tier.server.ports[0])
            assert (page.status, page["ic2-mitigation"], page["ic2-wall"]) == (200, "3", flagged if wall else None)
            assert is_wall(tier.server.get("/seen?x=1", source=new_visitor())) == (wall and flagged == "1")


def test_page_says_nothing_of_a_flag_where_no_host_has_a_wall(request):
    with running_tier("worker", sanitized=request.config.getoption("--asan"), directives="StandbyWall off") as tier:
        assert "StandbyLevel: " in tier.server.get("/server-status?auto").text
        assert "StandbyWallFlag" not in tier.server.get("/server-status?auto").text


# -- crawlers ------------------------------------------------------------------------------------------------------------

def see_bot(tier, name, path="/static/big.html"):
    return tier.server.get(path, headers={"User-Agent": AGENT.format(name)})


def test_class_without_requests_is_refused(tier):
    for level, status in ((1, 200), (2, 503), (3, 503)):
        tier.go(level)
        answer = see_bot(tier, "wholebot")
        assert (answer.status, answer["retry-after"]) == (status, "120" if status == 503 else None)
        assert see_bot(tier, "WholeBot", "/robots.txt").status == 200


def test_class_has_a_rate_for_all_its_crawlers_together(tier):
    tier.go(1)
    assert {see_bot(tier, "PartBot").status for _ in range(20)} == {200}
    tier.go(2)
    before, began = tier.status().count("StandbyCrawler", "search"), time.monotonic()
    answers = [see_bot(tier, name).status for _ in range(10) for name in ("PartBot", "some other")]
    most = 2 + (time.monotonic() - began) * 12 / 60 + 1
    assert 1 <= answers.count(200) <= most and set(answers) == {200, 503}
    assert tier.status().count("StandbyCrawler", "search") == before + answers.count(503)
    eventually(lambda: see_bot(tier, "PartBot").status == 200, what="one more request a minute")
    assert see_bot(tier, "Mozilla").status == 200
    tier.go(3)
    assert {see_bot(tier, "PartBot").status for _ in range(3)} == {503}
