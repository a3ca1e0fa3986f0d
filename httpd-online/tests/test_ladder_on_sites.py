# SPDX-License-Identifier: Apache-2.0
"""mod_standby before a site that others wrote: wherever the rewrite rules stand, every request is answered by what answers it
without the module, for the visitor who asked."""

import gzip
import re

import pytest

from harness.blog import HTACCESS, MEMBER, RULES, Blog, facts, lay_out
from harness.build import COMPONENT
from harness.client import Connection
from harness.fcgi import FastCgi
from harness.ladder import AGE, ages, hit, new_visitor, standby_server
from harness.server import Shape
from harness.standby import standby_module
from harness.waiting import eventually

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
    "directory-index": '<Directory "@ROOT@/htdocs">\nFallbackResource disabled\n</Directory>',
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


CONFIG = """
LoadModule standby_module {module}
AddOutputFilterByType DEFLATE text/html
DirectoryIndex index.php
<FilesMatch "\\.php$">
    SetHandler "proxy:fcgi://127.0.0.1:{port}"
</FilesMatch>
StandbyLevel @LEVEL@
StandbyStore @ROOT@/store
<Directory "@ROOT@/htdocs">
    StandbyApplication @ROOT@/htdocs/index.php
    StandbyPages /*
    StandbyExcept /wp-*
    {ages}
</Directory>
{hosts}
"""


class Site:
    """One virtual host of the server."""

    def __init__(self, server, name):
        self.server, self.name, self.port = server, name, server.ports[list(SITES).index(name)]

    def ask(self, path, *, method="GET", cookie=None, host="localhost", source=None, body=b"", **headers):
        """Asks from an address of its own, and accepts compression, as browsers do; the body comes plain."""
        headers = {"Accept-Encoding": "gzip", "Connection": "close", **{n.replace("_", "-"): v for n, v in headers.items()}}
        if cookie:
            headers["Cookie"] = cookie
        with Connection(self.port, host=host, source=source or new_visitor()) as connection:
            response = connection.get(path, method=method, headers=headers, body=body)
        if response["content-encoding"] == "gzip" and response.body:
            response.body = gzip.decompress(response.body)
        return response

    def facts(self, path, **kwargs):
        return facts(self.ask(path, **kwargs))

    def is_kept(self, path, visits=5, **kwargs):
        return any(hit(self.ask(path, **kwargs)) for _ in range(visits))

    def until_kept(self, path, **kwargs):
        """What the first visitor gets who gets it from the store."""
        def kept():
            answer = self.ask(path, **kwargs)
            return answer if hit(answer) else None
        return eventually(kept, what=f"{path} of {self.name} to be answered from the store")


@pytest.fixture
def blog():
    return Blog("")


@pytest.fixture
def start(make_server, build, backends, blog):
    """start(): a server with all SITES, on level 4."""
    def start(mpm="event", of=None, level=4):
        port = backends.enter_context(FastCgi(blog)).port
        hosts = "".join(HOST.format(number=n,
                                    lines=ACCESS + (lines if name in ("not-a-word-of-it", "directory-index") else REDIRECTION + lines))
                        for n, (name, lines) in enumerate(SITES.items(), 1))
        of = of or build
        extra = CONFIG.format(module=standby_module(of), port=port, ages=ages(AGE), hosts=hosts)
        server = standby_server(make_server, mpm, extra, of=of, extra_ports=len(SITES),
                                shape=Shape(threads_per_child=20, server_limit=2, start_servers=1, max_request_workers=20))
        blog.root = str(server.root / "htdocs")
        lay_out(server.root / "htdocs")
        (server.root / "htdocs" / ".htaccess").write_text(HTACCESS)
        server.log.expect("AH01630", text="client denied by server configuration")
        server.start()
        server.ladder.go(level)
        return {name: Site(server, name) for name in SITES}
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
    return answer.status, answer["location"], {n: v for n,
                                               v in says.items() if n not in ("serial", "text", "comments")} or says["text"][:40]


@pytest.mark.parametrize("name", SITES)
def test_module_never_changes_which_script_answers_nor_for_whom(sites, name):
    site = sites[name]
    asked = [(path, visitor) for visitor in VISITORS for path in PATHS]
    mitigated = {key: [told(site, *key) for _ in range(3)] for key in asked}
    site.server.ladder.go(0)
    for key in asked:
        without = told(site, *key)
        if isinstance(without[2], str):     # a page of the server's own, with times and ids
            without, mitigated[key] = without[:2], [seen[:2] for seen in mitigated[key]]
        assert mitigated[key] == [without] * 3, key
    assert told(site, "/wp-admin/", "member")[2]["script"] == "/wp-admin/index.php"
    if name != "directory-index":
        assert told(site, "/2024/post", "member")[2]["member"] == "ann"
        assert told(site, "/2024/post", "cart")[2]["cart"] == "c7"
    if name not in ("pass-through", "directory-index"):      # there the address is another before Location is looked at
        assert (told(site, "/intern", "anonymous")[0], told(site, "/intern", "guest-list")[0]) == (403, 200)


# the sites that have pages below /
FRONT_CONTROLLERS = [name for name in SITES if name not in ("query", "directory-index")]


def test_pages_are_kept_wherever_the_rules_of_the_site_stand(sites):
    for name, site in sites.items():
        assert facts(site.until_kept("/"))["uri"] == "/", name
        if name in FRONT_CONTROLLERS:
            assert facts(site.until_kept("/2024/post"))["uri"] == "/2024/post", name
    posts = {facts(sites["query"].ask(f"/2024/{n % 2}"))["uri"] for n in range(8)}
    assert posts == {"/2024/0", "/2024/1"}, "rules that add a query: each address has its own page"


def test_visitors_with_a_cookie_pass_the_store_by_but_for_analytics(sites):
    site = sites["virtual-host"]
    own = ["cart=c1", f"{MEMBER}=ann", "PHPSESSID=1", "_gadget=1", "x_ga=1", "_ga=1; lang=de", "_ga=1;lang=de", "lang=de; _ga=1",
           "_ga=a=b; _gid=1,lang=de", "lang"]
    kept = facts(site.until_kept("/2024/post"))["serial"]
    for cookie in own:
        answers = [site.ask("/2024/post", cookie=cookie) for _ in range(2)]
        assert all(answer["x-cache"] is None and facts(answer)["serial"] != kept for answer in answers), cookie
    shared = ["_ga=GA1.1.5", "_ga_X7=GS1; _gid=2;_fbp=fb.1", "_pk_id.1.1fff=9; _pk_ses.1.1fff=1", "  _ga=1", "_ga=1;"]
    for cookie in shared:
        assert facts(site.ask("/2024/post", cookie=cookie))["serial"] == kept, cookie


WRITING = [(name, path) for name in ("virtual-host", "htaccess", "fallback", "not-a-word-of-it",
                                     "pass-through") for path in ("/2024/post", "/")]


@pytest.mark.parametrize("name, page", [*WRITING, ("directory-index", "/")])
@pytest.mark.parametrize("level", [0, 4])
def test_a_writer_sees_the_new_page_at_once(sites, name, page, level):
    """The comment is posted to the page itself, and the redirection after it must not end at the page as it was."""
    site = sites[name]
    site.until_kept("/2024/post" if name != "directory-index" else "/")
    site.server.ladder.go(level)
    answer = site.ask(f"{page}?c1", method="POST", body=b"comment=c1")
    assert (answer.status, answer["location"]) == (302, "/2024/post")
    cookie, value, attributes = re.fullmatch(r"(\w+)=(\w+); (.*)", answer["set-cookie"]).groups()
    assert (cookie, value) == ("ic2_fresh", "1")
    attributes = dict(part.partition("=")[::2] for part in attributes.split("; "))
    assert attributes == {"Path": attributes["Path"], "Max-Age": str(AGE[4]), "HttpOnly": "", "SameSite": "Lax"}
    assert "/2024/post".startswith(attributes["Path"])
    site.server.ladder.go(4)
    if name != "directory-index":
        seen = [site.facts("/2024/post", cookie=f"_ga=1; {cookie}={value}") for _ in range(2)]
        assert all("c1" in facts["comments"] for facts in seen)


def path_of(cookie):
    return re.fullmatch(r"ic2_fresh=1; Path=(/[\w/-]*); Max-Age=\d+; HttpOnly; SameSite=Lax", cookie)[1]


def test_a_writer_sees_the_new_page_behind_a_second_redirection(sites):
    site = sites["virtual-host"]
    first = site.ask("/wp-comments-post.php?far", method="POST", Content_Length="0")
    assert (first["location"], path_of(first["set-cookie"])) == ("/on-the-way", "/on-the-way")
    second = site.ask("/on-the-way", cookie="ic2_fresh=1")
    assert (second["location"], path_of(second["set-cookie"])) == ("/2024/post", "/2024/post")
    assert site.ask("/on-the-way")["set-cookie"] is None
    assert site.ask("/2024/post", cookie="ic2_fresh=1")["set-cookie"] is None


@pytest.mark.parametrize("headers, path", [
    ({"Sec_Fetch_Mode": "navigate"}, "/"), ({"Accept": "text/html,*/*;q=0.8"}, "/"), ({"Sec_Fetch_Mode": "cors", "Accept": "text/html"}, "/form"),
    ({"Accept": "text/html, */*; q=0.01", "X_Requested_With": "XMLHttpRequest"}, "/form"), ({"Accept": "*/*"}, "/form")])
def test_a_writer_sees_new_pages_everywhere_after_a_page_without_a_redirection(sites, headers, path):
    """It has links, or leads on by itself; but a script that writes changes the page that it is on."""
    answer = sites["virtual-host"].ask("/wp-comments-post.php?thanks", method="POST", Content_Length="0", Referer="http://localhost/form", **headers)
    assert (answer.status, path_of(answer["set-cookie"])) == (200, path)


@pytest.mark.parametrize("path", ["/forum/../topic/5", "/a/./b", "/a\\b", "/" + "x" * 1001], ids=["up", "here", "backslash", "long"])
def test_a_writer_sees_new_pages_where_a_browser_makes_another_path_of_it(sites, path):
    answer = sites["virtual-host"].ask("/wp-comments-post.php?thanks", method="POST", Content_Length="0", Accept="*/*", Referer="http://localhost" + path)
    assert (answer.status, path_of(answer["set-cookie"])) == (200, "/")


@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE", "PROPPATCH"])
def test_other_writing_methods_give_the_cookie_too(sites, method):
    for name in ("virtual-host", "fallback"):
        answer = sites[name].ask("/2024/post", method=method, body=b"x=1")
        assert answer.status < 400 and answer["set-cookie"].startswith("ic2_fresh=1; "), name


def test_no_cookie_for_reading_nor_for_a_refused_write(sites):
    site = sites["virtual-host"]
    assert site.ask("/2024/post")["set-cookie"] is None
    assert site.ask("/2024/post", method="HEAD")["set-cookie"] is None
    assert site.ask("/2024/post", method="OPTIONS")["set-cookie"] is None
    refused = site.ask("/wp-comments-post.php?refused", method="POST", Content_Length="0")
    assert (refused.status, refused["set-cookie"]) == (403, None)


def test_cookie_after_a_write_leads_to_no_other_place(sites, blog):
    """Its path is that of the page that the browser goes to, or /: never something that a header could end early."""
    site = sites["virtual-host"]
    for referer in ("http://localhost/a;Domain=evil", "http://localhost//evil.example", "http://localhost/x\tHttpOnly", "javascript:1"):
        answer = site.ask("/wp-comments-post.php?c", method="POST", Content_Length="0", Referer=referer)
        assert re.fullmatch(r"ic2_fresh=1; Path=/[\w/]*; Max-Age=\d+; HttpOnly; SameSite=Lax", answer["set-cookie"]), referer


@pytest.mark.parametrize("name", [*FRONT_CONTROLLERS, "directory-index"])
def test_a_body_in_a_get_makes_no_page_of_others(sites, name):
    site = sites[name]
    for path in ("/",) if name == "directory-index" else ("/", "/2024/poison"):
        for headers in ({"body": b'{"poison":1}'}, {"body": b"c\r\n{\"poison\":1}\r\n0\r\n\r\n", "Transfer_Encoding": "chunked"},
                        {"Content_Length": "0"}):
            answers = [site.ask(path, **headers) for _ in range(4)]
            assert {answer["x-cache"] for answer in answers} == {None}, (path, headers)
        assert "CONTENT_LENGTH" not in facts(site.until_kept(path))["asked"]


@pytest.mark.parametrize("name", [name for name in SITES if name not in ("query", "directory-index")])
def test_application_is_told_what_it_is_told_without_the_module(sites, name):
    """Whether its page is stored or, for a cookie that no list knows, not."""
    site = sites[name]
    site.server.ladder.go(0)
    for path in ("/", "/2024/post", "/index.php", "/%e4%b8%ad/x", "/wp-admin/"):
        stored, bypass = (site.facts(path, cookie=cookie) for cookie in (None, "unknown=1"))
        assert [stored.pop("serial"), bypass.pop("serial")] and stored == bypass, path
    assert site.ask("/2024/post")["x-cache"] == "MISS" and site.ask("/2024/post", cookie="unknown=1")["x-cache"] is None


POISON = {"X-Forwarded-Proto": "https", "X-Forwarded-Host": "evil.example", "X-Forwarded-Port": "81", "X-Forwarded-Prefix": "/evil",
          "X-Forwarded-Ssl": "on", "Front-End-Https": "on", "X-Original-URL": "/evil", "X-Rewrite-URL": "/evil",
          "X-HTTP-Method-Override": "DELETE", "X-Requested-With": "XMLHttpRequest", "Origin": "http://evil.example",
          "Forwarded": "proto=https", "Accept": "application/json", "Content-Length": "0"}


@pytest.mark.parametrize("name", ["virtual-host", "fallback"])
@pytest.mark.parametrize("first", ["poisoned", "plain"])
def test_what_a_request_says_of_itself_makes_no_page_of_others(sites, name, first):
    site = sites[name]
    for header, value in POISON.items():
        path = f"/2024/{header}"
        order = [{header: value}, {}] if first == "poisoned" else [{}, {header: value}]
        for headers in (h for h in order for _ in range(3)):
            asked = site.facts(path, **headers)["asked"].partition("HTTP_HOST")
            text = asked[0 if header in ("Accept", "Content-Length", "Front-End-Https", "Forwarded") else 2]
            assert (value in text) == bool(headers), (header, headers, asked)


@pytest.mark.parametrize("host", ["localhost:81", "evil.example", "LOCALHOST"])
def test_page_for_one_host_name_is_not_anothers(sites, host):
    site = sites["virtual-host"]
    for name in (host, "localhost") * 2:
        for _ in range(3):      # two prove what the third may get
            assert f"HTTP_HOST={name}" in site.facts("/2024/post", host=name)["asked"].split(",")


SPELLINGS = ["//2024/post", "/2024//post", "/./2024/post", "/x/../2024/post", "/2024/%70ost", "/%2e/2024/post", "/x/%2e%2e/2024/post",
             "/2024/post;v=1", "/2024/%2e%2e/2024/post", "/2024%2fpost", "/2024/post%3fv", "/2024/post%20", "/2024/p\\..\\post"]


@pytest.mark.parametrize("name", ["virtual-host", "htaccess", "not-a-word-of-it"])
def test_one_spelling_of_an_address_is_not_kept_for_another(sites, name):
    for spelling in SPELLINGS:
        for path in (*[spelling] * 3, *["/2024/post"] * 3, spelling):
            answer = sites[name].ask(path)
            assert answer.status != 200 or facts(answer)["uri"] == path, (spelling, answer.status)
    assert sites[name].until_kept("/%e4%b8%ad/%E6%96%87"), "letters of other alphabets are no such spelling"


def test_head_is_no_page_and_takes_none_away(sites):
    site = sites["virtual-host"]
    for path in ("/2024/a", "/2024/b"):
        for method in ("HEAD", "GET") * 4:
            answer = site.ask(path, method=method)
            assert answer.status == 200 and bool(answer.body) == (method == "GET"), (path, method)
    assert site.until_kept("/2024/a").body


def test_http_1_0_and_no_host(sites):
    site = sites["virtual-host"]
    for _ in range(4):
        with Connection(site.port, source=new_visitor()) as connection:
            connection.socket.sendall(b"GET /2024/post HTTP/1.0\r\nAccept-Encoding: gzip\r\n\r\n")
            answer = connection.receive()
            assert answer.status == 200
            body = gzip.decompress(answer.body) if answer["content-encoding"] else answer.body
            assert b"HTTP_HOST" not in body and b"uri=/2024/post\n" in body
    assert "HTTP_HOST=localhost" in facts(site.until_kept("/2024/post"))["asked"]


@pytest.mark.parametrize("rules", ["main", "htaccess"])
def test_status_page_has_a_virtual_host_that_no_rules_reach(make_server, rules):
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
