# SPDX-License-Identifier: Apache-2.0
"""docs/mitigation.conf before a site that others wrote, with nothing defined but MITIGATION_APPLICATION: wherever the rewrite
rules stand, every request is answered by what answers it without the ladder, for the visitor who asked."""

import gzip
import re

import pytest

from harness.blog import HTACCESS, MEMBER, RULES, Blog, facts, lay_out
from harness.build import COMPONENT
from harness.client import Connection
from harness.fcgi import FastCgi
from harness.ladder import AGE, ages
from harness.server import Shape

HOST = """
Listen 127.0.0.1:@PORT{number}@
<VirtualHost 127.0.0.1:@PORT{number}@>
    ServerName localhost
    {lines}
</VirtualHost>
"""
# where the rules of the site stand
SITES = {
    "virtual-host": RULES,
    "virtual-host-with-options": RULES + "RewriteOptions AllowNoSlash",
    "htaccess": 'RewriteEngine On\n<Directory "@ROOT@/htdocs">\nAllowOverride FileInfo\n</Directory>',
    "fallback": 'RewriteEngine On\n<Directory "@ROOT@/htdocs">\nFallbackResource /index.php\n</Directory>',
    "engine-not-named": '<Directory "@ROOT@/htdocs">\nAllowOverride FileInfo\n</Directory>',
    "not-a-word-of-it": '<Directory "@ROOT@/htdocs">\nFallbackResource /index.php\nOptions None\n</Directory>',
    "rules-first": RULES + "RewriteOptions Inherit",
    "pass-through": RULES.replace("[L]", "[PT,L]") + "RewriteOptions Inherit",
    "own-rules-only": RULES + "RewriteOptions IgnoreInherit",
    "query": RULES.replace(". /index.php [L]", "^/(.+) /index.php?path=$1 [L]"),
}
ACCESS = """
<Location "/intern">
    Require expr "%{HTTP:Pass} == 'yes'"
</Location>
<Location "/moved">
    Redirect 302 /elsewhere
</Location>
"""
# the commonest of all rules, as certbot writes it
REDIRECTION = """
RewriteCond %{REQUEST_URI} ^/secure
RewriteRule ^ https://%{SERVER_NAME}%{REQUEST_URI} [END,NE,R=permanent]
"""


class Site:
    """One virtual host of the server."""

    def __init__(self, server, name):
        self.server, self.name, self.port = server, name, server.ports[list(SITES).index(name)]

    def ask(self, path, *, method="GET", cookie=None, host="localhost", **headers):
        """Accepts compression, as browsers do; the body comes plain."""
        headers = {"Accept-Encoding": "gzip", "Connection": "close", **{n.replace("_", "-"): v for n, v in headers.items()}}
        if cookie:
            headers["Cookie"] = cookie
        with Connection(self.port, host=host) as connection:
            response = connection.get(path, method=method, headers=headers)
        if response["content-encoding"] == "gzip" and response.body:
            response.body = gzip.decompress(response.body)
        return response

    def facts(self, path, **kwargs):
        return facts(self.ask(path, **kwargs))

    def serials(self, path, count=4, **kwargs):
        return [self.facts(path, **kwargs)["serial"] for _ in range(count)]


@pytest.fixture
def blog(tmp_path):
    return Blog("")


@pytest.fixture
def start(make_server, backends, blog, allow_reconfigure_lines):
    """start(defines): a server with all SITES, on rung 4."""
    def start(defines="", rung=4):
        port = backends.enter_context(FastCgi(blog)).port
        hosts = "".join(HOST.format(number=n, lines=ACCESS + (lines if name == "not-a-word-of-it" else REDIRECTION + lines)) for n, (name, lines) in enumerate(SITES.items(), 1))
        server = make_server("event", start=False, extra_ports=len(SITES), variables={"MITIGATION": 0},
                             shape=Shape(threads_per_child=20, server_limit=2, start_servers=1, max_request_workers=20), extra=f"""
AddOutputFilterByType DEFLATE text/html
DirectoryIndex index.php
<FilesMatch "\\.php$">
    SetHandler "proxy:fcgi://127.0.0.1:{port}"
</FilesMatch>
Define MITIGATION_APPLICATION @ROOT@/htdocs/index.php
Define MITIGATION_STORE @ROOT@/cache
{ages(AGE)}
{defines}
Include {COMPONENT}/docs/mitigation.conf
{hosts}""")
        blog.root = str(server.root / "htdocs")
        lay_out(server.root / "htdocs")
        (server.root / "htdocs" / ".htaccess").write_text(HTACCESS)
        (server.root / "cache").chmod(0o700)
        server.log.expect("AH01630", text="client denied by server configuration")
        server.start()
        server.reconfigure(f"MITIGATION={rung}")
        return {name: Site(allow_reconfigure_lines(server), name) for name in SITES}
    return start


@pytest.fixture
def sites(start):
    return start()


PATHS = ["/", "/2024/post", "/2024/post/", "/wp-admin/", "/wp-admin", "/wp-login.php", "/licence", "/empty/", "/intern", "/intern/x",
         "/moved", "/secure/page", "/index.php", "/index.php/2024", "/nothing.here", "/2024/post?s=x", "/server-status"]
VISITORS = {"anonymous": {}, "member": {"cookie": f"_ga=1; {MEMBER}=ann"}, "cart": {"cookie": "cart=c7"},
            "guest-list": {"Pass": "yes"}, "head": {"method": "HEAD"}}


def told(site, path, visitor):
    """Who answered, for whom."""
    answer = site.ask(path, **VISITORS[visitor])
    says = facts(answer)
    return answer.status, answer["location"], {n: v for n, v in says.items() if n not in ("serial", "text", "comments")} or says["text"][:40]


@pytest.mark.parametrize("name", SITES)
def test_ladder_never_changes_who_answers_nor_for_whom(sites, name):
    site = sites[name]
    asked = [(path, visitor) for visitor in VISITORS for path in PATHS]
    mitigated = {key: [told(site, *key) for _ in range(2)] for key in asked}
    site.server.reconfigure("MITIGATION=0")
    for key in asked:
        without = told(site, *key)
        if isinstance(without[2], str):     # a page of the server's own, with times and ids
            without, mitigated[key] = without[:2], [seen[:2] for seen in mitigated[key]]
        assert mitigated[key] == [without, without], key
    assert told(site, "/wp-admin/", "member")[2]["script"] == "/wp-admin/index.php"
    assert told(site, "/2024/post", "member")[2]["member"] == "ann"
    assert told(site, "/2024/post", "cart")[2]["cart"] == "c7"
    if name != "pass-through":      # there the address is another before Location is looked at
        assert (told(site, "/intern", "anonymous")[0], told(site, "/intern", "guest-list")[0]) == (403, 200)


def test_pages_are_kept_wherever_the_rules_of_the_site_stand(sites):
    for name, site in sites.items():
        distinct = {path: len(set(site.serials(path))) for path in ("/", "/2024/post")}
        assert distinct["/"] <= 2, name
        # a query that rules have added is one: the page would be built without it
        assert distinct["/2024/post"] <= 2 if name != "query" else distinct["/2024/post"] == 4, name


def test_who_has_a_cookie_is_somebody_but_for_analytics(sites):
    site = sites["virtual-host"]
    own = ["cart=c1", f"{MEMBER}=ann", "PHPSESSID=1", "_gadget=1", "x_ga=1", "_ga=1; lang=de", "_ga=1;lang=de", "lang=de; _ga=1",
           "_ga=a=b; _gid=1,lang=de", "lang"]
    for cookie in own:
        assert len(set(site.serials("/2024/post", cookie=cookie))) == 4, cookie
    shared = ["_ga=GA1.1.5", "_ga_X7=GS1; _gid=2;_fbp=fb.1", "_pk_id.1.1fff=9; _pk_ses.1.1fff=1", "  _ga=1", "_ga=1;"]
    for cookie in shared:
        assert len(set(site.serials("/2024/other", cookie=cookie))) <= 2, cookie


def test_named_cookies_are_whole_names_and_any_of_several(start):
    site = start('Define MITIGATION_SESSION_COOKIE "cart|wordpress_logged_in_[^=]*"')["virtual-host"]
    for cookie in ("cart=c1", f"{MEMBER}=ann", f"a=b; {MEMBER}=ann", f"a=b;{MEMBER}=ann"):
        assert len(set(site.serials("/2024/post", cookie=cookie))) == 4, cookie
    for cookie in ("shopping-cart=c1", "cart2=1", "x=cart", "lang=de"):
        assert len(set(site.serials("/2024/other", cookie=cookie))) <= 2, cookie
        assert site.facts("/2024/other", cookie=cookie)["member"] == ""


@pytest.mark.parametrize("defines", ["", "Define MITIGATION_SESSION_COOKIE cart"], ids=["defaults", "session"])
def test_who_writes_sees_it_at_once(start, defines):
    """The redirection after a POST must not end at the page as it was."""
    site = start(defines)["virtual-host"]
    for comment in ("c1", "c2", "c3"):
        assert site.facts("/2024/post")["serial"] == site.facts("/2024/post")["serial"], "it is kept"
        answer = site.ask(f"/wp-comments-post.php?{comment}", method="POST", Content_Length="0")
        assert (answer.status, answer["location"]) == (302, "/2024/post")
        name, value, attributes = re.fullmatch(r"(\w+)=(\w+); (.*)", answer["set-cookie"]).groups()
        assert set(attributes.split("; ")) == {"Path=/2024/post", f"Max-Age={AGE[4]}", "HttpOnly", "SameSite=Lax"}
        seen = [site.facts("/2024/post", cookie=f"_ga=1; {name}={value}") for _ in range(2)]
        assert all(comment in facts["comments"] for facts in seen)


def test_nobody_is_given_a_cookie_for_reading_or_when_refused(sites):
    site = sites["virtual-host"]
    assert site.ask("/2024/post")["set-cookie"] is None
    assert site.ask("/2024/post", method="HEAD")["set-cookie"] is None
    refused = site.ask("/wp-comments-post.php?refused", method="POST", Content_Length="0")
    assert (refused.status, refused["set-cookie"]) == (403, None)


def test_bots_are_left_alone_without_a_list(sites):
    assert sites["virtual-host"].ask("/2024/post", User_Agent="GPTBot").status == 200


@pytest.mark.parametrize("name", [name for name in SITES if name != "query"])
def test_in_quiet_the_application_is_told_what_it_is_told_without_us(sites, name):
    """Whether its page is stored or, for a cookie that no list knows, not."""
    site = sites[name]
    site.server.reconfigure("MITIGATION=0")
    for path in ("/", "/2024/post", "/index.php", "/%e4%b8%ad/x", "/wp-admin/"):
        stored, bypass = (site.facts(path, cookie=cookie) for cookie in (None, "unknown=1"))
        assert [stored.pop("serial"), bypass.pop("serial")] and stored == bypass, path
    assert site.ask("/2024/post")["x-cache"] and not site.ask("/2024/post", cookie="unknown=1")["x-cache"]


POISON = {"X-Forwarded-Proto": "https", "X-Forwarded-Host": "evil.example", "X-Forwarded-Port": "81", "X-Forwarded-Prefix": "/evil",
          "X-Forwarded-Ssl": "on", "Front-End-Https": "on", "X-Original-URL": "/evil", "X-Rewrite-URL": "/evil",
          "X-HTTP-Method-Override": "DELETE", "X-Requested-With": "XMLHttpRequest", "Origin": "http://evil.example",
          "Forwarded": "proto=https", "Accept": "application/json", "Content-Length": "0"}


@pytest.mark.parametrize("first", ["poisoned", "plain"])
def test_what_one_request_says_of_itself_makes_no_page_of_others(sites, first):
    site = sites["virtual-host"]
    for name, value in POISON.items():
        path = f"/2024/{name}"
        poisoned, plain = (lambda: site.ask(path, **{name: value})), (lambda: site.ask(path))
        answers = [ask() for ask in ([poisoned, plain] if first == "poisoned" else [plain, poisoned])]
        seen = [value in facts(answer)["asked"].partition("HTTP_HOST")[0 if name in ("Accept", "Content-Length", "Front-End-Https",
                "Forwarded") else 2] for answer in answers]
        assert seen == [first == "poisoned", first != "poisoned"], (name, [facts(answer)["asked"] for answer in answers])


@pytest.mark.parametrize("host", ["localhost:81", "evil.example", "LOCALHOST"])
def test_page_for_one_host_name_is_not_anothers(sites, host):
    site = sites["virtual-host"]
    for name in (host, "localhost", host, "localhost"):
        assert f"HTTP_HOST={name}" in site.facts("/2024/post", host=name)["asked"].split(",")


SPELLINGS = ["//2024/post", "/2024//post", "/./2024/post", "/x/../2024/post", "/2024/%70ost", "/%2e/2024/post", "/x/%2e%2e/2024/post",
             "/2024/post;v=1", "/2024/%2e%2e/2024/post", "/2024%2fpost", "/2024/post%3fv", "/2024/post%20", "/2024/p\\..\\post"]


@pytest.mark.parametrize("name", ["virtual-host", "htaccess", "not-a-word-of-it"])
def test_one_spelling_of_an_address_is_not_kept_for_another(sites, name):
    for spelling in SPELLINGS:
        for path in (spelling, "/2024/post", spelling, "/2024/post"):
            answer = sites[name].ask(path)
            assert answer.status != 200 or facts(answer)["uri"] == path, (spelling, answer.status)
    assert len(set(sites[name].serials("/%e4%b8%ad/%E6%96%87"))) <= 2, "letters of other alphabets are no such spelling"


def test_head_is_no_page_and_takes_none_away(sites):
    site = sites["virtual-host"]
    for path in ("/2024/a", "/2024/b"):
        for method in ("HEAD", "GET", "HEAD", "GET"):
            answer = site.ask(path, method=method)
            assert answer.status == 200 and bool(answer.body) == (method == "GET"), (path, method)
    assert len(set(site.serials("/2024/a"))) <= 2


def test_http_1_0_and_no_host(sites, blog):
    site = sites["virtual-host"]
    for _ in range(3):
        with Connection(site.port) as connection:
            connection.socket.sendall(b"GET /2024/post HTTP/1.0\r\nAccept-Encoding: gzip\r\n\r\n")
            answer = connection.receive()
            assert answer.status == 200
            body = gzip.decompress(answer.body) if answer["content-encoding"] else answer.body
            assert b"HTTP_HOST" not in body and b"uri=/2024/post\n" in body
    assert "HTTP_HOST=localhost" in site.facts("/2024/post")["asked"]


@pytest.mark.parametrize("defines, says", [
    ("", "Define MITIGATION_APPLICATION /path/to/index.php before mitigation.conf is included"),
    ("Define MITIGATION_APPLICATION /nowhere/index.php", "there is no file /nowhere/index.php")])
def test_configuration_test_names_what_is_missing(make_server, defines, says):
    server = make_server("event", start=False, variables={"MITIGATION": 0}, extra=f"{defines}\nInclude {COMPONENT}/docs/mitigation.conf")
    done = server.run("-t")
    assert done.code != 0 and says in done.err + done.out


@pytest.mark.parametrize("rules", ["main", "htaccess"])
def test_status_page_has_a_virtual_host_that_no_rules_reach(make_server, allow_reconfigure_lines, rules):
    """docs/status.conf; elsewhere WordPress' rules take its address."""
    in_main = "RewriteEngine On\nRewriteOptions InheritDown\nRewriteRule ^/(?!index\\.php) /index.php [PT,L]"
    extra = f"Define STATUS_PORT @PORT1@\nInclude {COMPONENT}/docs/status.conf\n"
    extra += in_main if rules == "main" else '<Directory "@ROOT@/htdocs">\nAllowOverride FileInfo\n</Directory>'
    server = make_server("event", start=False, extra_ports=1, extra=extra)
    lay_out(server.root / "htdocs")
    (server.root / "htdocs" / ".htaccess").write_text(HTACCESS)
    server.log.expect("AH01630", text="client denied by server configuration")
    server.start()
    assert "the blog answers" in server.get("/server-status?auto").text, "the test would prove nothing"
    with Connection(server.ports[0]) as connection:
        assert "BusyWorkers" in connection.get("/server-status?auto").text
        assert connection.get("/index.php").status == 403
