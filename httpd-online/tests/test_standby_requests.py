# SPDX-License-Identifier: Apache-2.0
"""Which requests mod_standby may answer: whatever a request says of itself that is not in the key, and that the module does not
know as harmless, keeps it away from the store. The application shows what it was told in a disguise, to several visitors alike,
so that neither the search for reflections nor the comparison of builds can help."""

import codecs

import pytest

from harness.application import parse
from harness.ladder import ATTACKED, hit, new_visitor, passed_by, plain, running_tier
from harness.waiting import eventually

VOLATILE, KEYED = 1, 2      # of the server's further ports: where headers of the client's address are of that kind
HOSTS = """
Listen 127.0.0.1:@PORT1@
Listen 127.0.0.1:@PORT2@
Listen 127.0.0.1:@PORT3@
Listen 127.0.0.1:@PORT4@
<VirtualHost 127.0.0.1:@PORT1@>
    ServerName localhost
    RewriteEngine On
    StandbyVolatileHeaders {names}
</VirtualHost>
<VirtualHost 127.0.0.1:@PORT2@>
    ServerName localhost
    RewriteEngine On
    StandbyKeyedHeaders {names}
</VirtualHost>
<VirtualHost 127.0.0.1:@PORT3@>
    ServerName localhost
    RewriteEngine On
    RequestHeader set X-Role staff "expr=-R '127.251.0.0/16'"
</VirtualHost>
<VirtualHost 127.0.0.1:@PORT4@>
    ServerName localhost
    RewriteEngine On
    ProxyFCGISetEnvIf "-R '127.252.0.0/16'" ROLE staff
</VirtualHost>
"""
VIRTUAL_HOST = r"""
SetEnvIf Remote_Addr "^127\\.251\\." ROLE=staff
ErrorDocument 404 /index.php/not-found
<Location "/index.php/guarded">
    Require all denied
</Location>
LogFormat "%U %{cache-status}e %{ic2_member}e" standby
CustomLog logs/standby.log standby
"""
IDENTITY = """X-Remote-User Remote-User X-Forwarded-User X-Forwarded-Email X-Forwarded-Preferred-Username X-Forwarded-Groups
    X-Forwarded-Access-Token X-Auth-Request-User X-Auth-Request-Email X-Auth-Request-Groups X-Auth-Request-Access-Token X-Auth-User
    X-Auth-Token X-Authenticated-User X-Authenticated-Userid CF-Access-Authenticated-User-Email CF-Access-Jwt-Assertion
    X-Goog-Authenticated-User-Email X-Goog-Iap-Jwt-Assertion X-Amzn-Oidc-Identity X-Amzn-Oidc-Data X-Amzn-Oidc-Accesstoken
    X-Ms-Client-Principal X-Ms-Client-Principal-Name X-Webauth-User X-User X-User-Id X-Username X-Api-Key X-Vouch-User
    Oidc-Claim-Sub X-Pomerium-Jwt-Assertion X-Ssl-Client-S-Dn Tailscale-User-Login""".split()
ADDRESS = "X-Forwarded-For X-Real-IP True-Client-IP Client-IP CF-Connecting-IP".split()
FRAGMENTS = {"HX-Request": "true", "Turbo-Frame": "messages", "X-PJAX": "true", "X-Requested-With": "XMLHttpRequest"}
PROXY = """Forwarded X-Forwarded-Proto X-Forwarded-Host X-Forwarded-Port X-Forwarded-Prefix X-Forwarded-Uri X-Forwarded-Path X-Original-Uri
    X-Original-URL X-Rewrite-URL X-HTTP-Host-Override X-Forwarded-Https Front-End-Https X-HTTP-Method-Override Origin Via
    X-Country-Code CloudFront-Viewer-Country DPR Viewport-Width Device-Memory X-Device X-Wap-Profile Profile Cookie2
    X-Invented-By-A-Test""".split()
HINTS = {"Save-Data": "on", "Sec-Fetch-Dest": "iframe", "Sec-CH-UA-Mobile": "?1", "Sec-CH-Prefers-Color-Scheme": "dark", "Sec-GPC": "1",
         "DNT": "1",
         "Sec-Purpose": "prefetch"}
BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"


@pytest.fixture(scope="module", params=ATTACKED)
def shared(request):
    only = request.config.getoption("--mpm")
    if only and request.param not in (only, "stock"):
        pytest.skip(f"--mpm {only}")
    with running_tier(request.param, sanitized=request.config.getoption("--asan"), virtual_host=VIRTUAL_HOST,
                      directives=HOSTS.format(names=" ".join(ADDRESS)), extra_ports=4,
                      prepare=lambda server: server.log.expect("AH01630")) as tier:
        tier.application.build_seconds = 0
        yield tier


@pytest.fixture
def tier(shared):
    shared.application.further, shared.application.shows = {}, {}
    shared.go(0)
    return shared


def disguised(text):
    return codecs.encode(text, "rot13")[::-1]


def shown_in_disguise(name):
    """The application's: what the header says, so that no search finds it."""
    variable = "HTTP_" + name.upper().replace("-", "_")
    return lambda parameters: disguised(parameters.get(variable, "nothing"))


def attack(tier, path, headers, expected, *, others=(), kept=True, port=None):
    """Two visitors who send `headers`, on level 4, on 0 and on 4 again, must get what is `expected`, and all others what is theirs."""
    def see(sent):
        facts, response = tier.page(path, headers=dict(sent), source=new_visitor(), port=port)
        assert response.status == 200
        return facts["shows"], response

    for level in (4, 0, 4):
        tier.go(level)
        for sent in (headers, headers, *[others] * 3, headers, headers):
            shows, response = see(sent)
            assert shows == (expected if sent is headers else disguised("nothing")), (level, headers, sent, response["x-cache"])
    if kept:
        eventually(lambda: hit(see(others)[1]), what=f"{path} to be kept for those who send no such header")
    shows, response = see(headers)
    assert shows == expected
    return response


@pytest.mark.parametrize("names, value", [(IDENTITY, "alice"), (PROXY, "on"), (ADDRESS, "203.0.113.9")],
                         ids=["identity", "proxies", "address"])
def test_unknown_header_keeps_the_request_away_from_the_store(tier, names, value):
    for name in names:
        path = f"/header/{name}"
        tier.application.shows[path] = shown_in_disguise(name)
        response = attack(tier, path, {name: value}, disguised(value))
        assert passed_by(response), name


def test_unknown_headers_are_counted_by_name(tier):
    tier.page("/counted", headers={"X-Counted-By-A-Test": "1"})
    before = tier.status()
    for _ in range(3):
        tier.page("/counted", headers={"X-Counted-By-A-Test": "1"})
    after = tier.status()
    assert after.count("StandbyHeader", "X-Counted-By-A-Test") == before.count("StandbyHeader", "X-Counted-By-A-Test") + 3
    assert after.count("StandbyPassed", "header") == before.count("StandbyPassed", "header") + 3


@pytest.mark.parametrize("name", FRAGMENTS)
def test_fragment_is_no_page(tier, name):
    tier.application.shows["/fragment"] = shown_in_disguise(name)
    attack(tier, "/fragment", {name: FRAGMENTS[name]}, disguised(FRAGMENTS[name]))


@pytest.mark.parametrize("name", HINTS)
def test_hint_of_a_browser_makes_another_page(tier, name):
    tier.application.shows[f"/hint/{name}"] = shown_in_disguise(name)
    attack(tier, f"/hint/{name}", {name: HINTS[name]}, disguised(HINTS[name]))


@pytest.mark.parametrize("accept",
                         ["application/activity+json", "text/html;q=0, application/activity+json", "application/json", "text/html;q=0",
                                    "application/json, text/html;q=0.5", "text/html;level=1", "text/vnd.turbo-stream.html, text/html",
                                    "text/html, application/activity+json",
                                    "application/xml, text/html;q=0.9", "*/*, application/rss+xml", "text/html;q=2", "text/html;q=x"])
def test_who_asks_for_another_type_makes_no_page(tier, accept):
    for others in ({"Accept": BROWSER}, {}, {"Accept": "*/*"}):
        path = "/accept/" + "".join(c if c.isalnum() else "-" for c in f"{accept} {others}")
        tier.application.shows[path] = lambda p: disguised(accept if p.get("HTTP_ACCEPT") == accept else "nothing")
        attack(tier, path, {"Accept": accept}, disguised(accept), others=others)


@pytest.mark.parametrize("kind", ["image/webp", "image/avif", "application/xhtml+xml"])
def test_browsers_that_take_other_types_get_other_pages(tier, kind):
    """Applications write <picture> or an XHTML page for those who can show it."""
    path = "/takes/" + kind.replace("/", "-").replace("+", "-")
    tier.application.shows[path] = lambda p: "modern" if kind in p.get("HTTP_ACCEPT", "") else disguised("nothing")
    attack(tier, path, {"Accept": f"text/html,{kind},*/*;q=0.8"}, "modern", others={"Accept": "text/html,*/*;q=0.8"})


#: In which a proxy names the client
FORWARDING = ("X-Forwarded-For", "Forwarded", "X-Real-IP", "CF-Connecting-IP", "True-Client-IP")


@pytest.mark.parametrize("name", ADDRESS)
def test_volatile_header_is_neither_a_key_nor_ever_on_a_strangers_page(tier, name):
    port = tier.server.ports[VOLATILE - 1]
    tier.go(4)
    path = f"/volatile/{name}"
    if name in FORWARDING:      # each address of a proxy may have the same visitor behind it
        assert not any(hit(tier.page(path, headers={name: "203.0.113.1"}, source=new_visitor(), port=port)[1]) for _ in range(8))
        kept = tier.until_kept(path, port=port)[0]["serial"]
    else:
        kept = tier.until_kept(path, headers={name: "203.0.113.1"}, port=port)[0]["serial"]
    for number in range(3):
        facts, response = tier.page(path, headers={name: f"203.0.113.2{number}"}, source=new_visitor(), port=port)
        assert hit(response) and facts["serial"] == kept
    shown = f"/volatile/shown/{name}"
    tier.application.shows[shown] = lambda p: p.get("HTTP_" + name.upper().replace("-", "_"), "nothing")
    for value in ("203.0.113.31",) * 3 + ("203.0.113.32", "203.0.113.33", None) * 2:
        facts, response = tier.page(shown, headers={name: value} if value else {}, source=new_visitor(), port=port)
        assert facts["shows"] == (value or "nothing"), response["x-cache"]


@pytest.mark.parametrize("name", ADDRESS)
def test_each_value_of_a_keyed_header_is_another_page(tier, name):
    port = tier.server.ports[KEYED - 1]
    tier.go(4)
    path = f"/keyed/{name}"
    tier.application.shows[path] = lambda p: p.get("HTTP_" + name.upper().replace("-", "_"), "nothing")
    for value in ("203.0.113.41", "203.0.113.42", None) * 2:
        for _ in range(3):
            facts, _ = tier.page(path, headers={name: value} if value else {}, source=new_visitor(), port=port)
            assert facts["shows"] == (value or "nothing")
    assert tier.until_kept(path, headers={name: "203.0.113.41"}, port=port)[0]["shows"] == "203.0.113.41"


def staff(network="127.251."):
    """An address for which the configuration sets ROLE."""
    return network + new_visitor().rpartition(".")[0].partition(".")[2]


@pytest.mark.parametrize("host", ["SetEnvIf", "RequestHeader"])
def test_what_the_configuration_tells_the_application_of_some_visitors_stays_theirs(tier, host):
    """By an environment variable, or by a header that this httpd sets."""
    port = tier.server.ports[2] if host != "SetEnvIf" else None
    path = f"/role/{host}"
    tier.application.shows[path] = lambda p: disguised(p.get("ROLE") or p.get("HTTP_X_ROLE") or "nobody")
    for level in (4, 0, 4):
        tier.go(level)
        for source, role in ((staff, "staff"), (new_visitor, "nobody"), (staff, "staff"), (new_visitor, "nobody")):
            for _ in range(3):
                facts, response = tier.page(path, source=source(), port=port)
                assert facts["shows"] == disguised(role), (level, response["x-cache"])
    tier.until_kept(path, port=port)


def test_what_mod_proxy_fcgi_tells_some_visitors_keeps_their_virtual_host_from_the_store(tier):
    """ProxyFCGISetEnvIf: what it tells the application cannot be seen from outside."""
    tier.application.shows["/role/fcgi"] = lambda p: disguised(p.get("ROLE") or "nobody")
    for level in (0, 4):
        tier.go(level)
        for source, role in ((lambda: staff("127.252."), "staff"), (new_visitor, "nobody")) * 2:
            facts, response = tier.page("/role/fcgi", source=source(), port=tier.server.ports[3])
            assert facts["shows"] == disguised(role) and passed_by(response)
    tier.until_kept("/role/other")


@pytest.mark.parametrize("body",
                         [{"body": b'{"poison":1}'},
                          {"body": b"c\r\n{\"poison\":1}\r\n0\r\n\r\n", "headers": {"Transfer-Encoding": "chunked"}},
                                  {"headers": {"Content-Length": "0"}}], ids=["length", "chunked", "empty"])
def test_get_with_a_body_makes_no_page(tier, body):
    path = "/body/page"
    tier.application.shows[path] = lambda p: "poisoned" if p.get("CONTENT_LENGTH", "") + p.get("HTTP_TRANSFER_ENCODING", "") else "clean"
    for level in (0, 4):
        tier.go(level)
        answers = [tier.page(path, source=new_visitor(), **body)[1] for _ in range(4)]
        assert all(passed_by(answer) for answer in answers)
        assert {tier.page(path, source=new_visitor())[0]["shows"] for _ in range(4)} == {"clean"}


HIDDEN = ["utm_source=a;page=9", "utm_source=a%3Bpage=9", "utm_source=a;page=9&utm_medium=b", "utm_source=;page=9", "gclid=1?page=9",
          "utm_source=a%26page=9", "utm_[page]=9",
          "utm_;page=9", "pk_id=9", "pk_=9"]


@pytest.mark.parametrize("query", HIDDEN)
def test_parameter_within_a_harmless_one_makes_no_page(tier, query):
    """Rack, Bottle and others take a semicolon for the end of a parameter, some decode twice, and pk_id may be an application's own."""
    path = "/plain/hidden/" + "".join(c if c.isalnum() else "-" for c in query)
    tier.application.shows[path] = lambda p: "nine" if "9" in p.get("QUERY_STRING", "") else "one"
    for level in (4, 0, 4):
        tier.go(level)
        seen = [tier.page(f"{path}?{query}", source=new_visitor()) for _ in range(3)]
        assert {facts["shows"] for facts, _ in seen} == {"nine"}, query
        assert {tier.page(path, source=new_visitor())[0]["shows"] for _ in range(3)} == {"one"}, query


@pytest.mark.parametrize("name, value",
                         [("If-None-Match", '"x"'), ("If-Match", '"x"'), ("If-Modified-Since", "Sun, 22 Nov 2026 00:00:00 GMT"),
                          ("Range", "bytes=0-")])
def test_answer_to_a_condition_makes_no_page(tier, name, value):
    path = f"/condition/{name}"
    tier.application.shows[path] = lambda p: "conditional" if p.get("HTTP_" + name.upper().replace("-", "_")) else "whole"
    for level in (4, 0, 4):
        tier.go(level)
        seen = [tier.page(path, source=new_visitor(), headers={name: value, "Accept-Encoding": "identity"}) for _ in range(3)]
        assert all(hit(response) for facts, response in seen if facts["shows"] != "conditional")
        assert {tier.page(path, source=new_visitor(), headers={"Accept-Encoding": "identity"})[0]["shows"] for _ in range(4)} == {"whole"}


def test_answer_to_another_method_makes_no_page(tier):
    path = "/method/page"
    tier.application.shows[path] = lambda p: f"by-{p['REQUEST_METHOD']}"
    tier.go(4)
    for method in ("POST", "PUT", "OPTIONS", "DELETE", "PROPFIND", "INVENTED"):
        for _ in range(3):
            answer = tier.server.get(path, method=method, source=new_visitor(), headers={"Content-Length": "0"})
            assert passed_by(answer) and parse(plain(answer))["shows"] == f"by-{method}", method
    assert tier.until_kept(path)[0]["shows"] == "by-GET"
    headers = dict(tier.server.get(path, method="HEAD", source=new_visitor()).headers)
    assert headers["content-type"].startswith("text/html")


def test_errors_and_their_documents_are_not_stored(tier):
    """httpd's ErrorDocument leads to the application, which answers with 200 there."""
    tier.go(4)
    for _ in range(5):
        answer = tier.server.get("/static/nothing-there", source=new_visitor())
        assert passed_by(answer) and "path=/not-found" in plain(answer)
    denied = [tier.server.get("/guarded", source=new_visitor()) for _ in range(5)]
    assert {answer.status for answer in denied} == {403} and all(passed_by(answer) for answer in denied)


def test_log_says_what_the_store_did_and_why_not(tier):
    tier.go(4)
    tier.until_kept("/logged/hit")
    asked = {"/logged/miss": {}, "/logged/cookie": {"headers": {"Cookie": "session_of_app=u1"}},
             "/logged/header": {"headers": {"X-Invented": "1"}},
             "/logged/authorization": {"headers": {"Authorization": "Basic eA=="}},
             "/logged/method": {"method": "POST", "headers": {"Content-Length": "0"}},
             "/logged/body": {"body": b"x"}, "/logged/accept": {"headers": {"Accept": "application/json"}}}
    for path, kwargs in asked.items():
        tier.page(path, source=new_visitor(), **kwargs)
    tier.page("/logged/query?unknown=1", source=new_visitor())

    def logged():
        lines = (line.split(" ", 1) for line in (tier.server.root / "logs" / "standby.log").read_text().splitlines())
        found = {path.removeprefix("/index.php").removeprefix("/logged/"): what for path, what in lines if "/logged/" in path}
        # the page that was a hit in the end was built before, which has lines too
        return found if len(found) >= len(asked) + 2 and found["hit"].startswith("cache hit") else None

    found = eventually(logged, what="all requests to be logged, the hit too")
    assert found.pop("cookie") == "pass: cookie 1"
    assert found.pop("hit") == "cache hit -" and found.pop("miss") == "cache miss -"
    assert found == {reason: f"pass: {reason} -" for reason in ("header", "authorization", "method", "body", "accept", "query")}


@pytest.mark.parametrize("name, value, length", [("Accept", "text/html,*/*;q=0.8,", 512), ("Accept-Encoding", "gzip,", 512),
                                                 ("Accept-Language", "de,en;q=0.5,", 512), ("Cache-Control", "max-age=0,", 512),
                                                 ("Cookie", "_ga=GA1.1.1234567890.1234567890123456789012345678;", 2048)])
def test_list_of_unusual_length_passes_the_store_by(tier, name, value, length):
    """And one of usual length does not."""
    tier.go(3)

    def see(size):
        text = value * ((size - 1) // len(value))
        text += " " * (size - len(text) - 1) + value[-1]
        return tier.server.get("/long-list", source=new_visitor(), headers={name: text}), len(text)

    for size, passes in ((length - 1, False), (length, False), (length + 1, True), (length * 2 - 100, True)):
        before = tier.status().count("StandbyPassed", "long-list")
        answer, sent = see(size)
        assert (answer.status, sent) == (200, size)
        assert passed_by(answer) == passes, size
        assert tier.status().count("StandbyPassed", "long-list") == before + passes
