# SPDX-License-Identifier: Apache-2.0
"""mod_standby before a wiki that behaves as MediaWiki 1.39 does: special pages have a colon in their title, which comes in the
path or in the query in many spellings, and those that show a visitor's own things come with status 200 and no Cache-Control."""

import itertools
import re
import urllib.parse

import pytest

from harness.fcgi import FastCgi
from harness.ladder import AGE, ages, hit, new_visitor, passed_by, plain, standby_server
from harness.standby import standby_module
from harness.waiting import eventually

CONFIG = """
LoadModule standby_module {module}
AddOutputFilterByType DEFLATE text/html
DirectoryIndex index.php
<Files "index.php">
    SetHandler "proxy:fcgi://127.0.0.1:{port}"
</Files>
StandbyLevel @LEVEL@
StandbyStore @ROOT@/store
{rules}
<Directory "@ROOT@/htdocs">
    StandbyApplication @ROOT@/htdocs/index.php
    StandbyPages /wiki/* /index.php /index.php/* /
    StandbyParameters title curid
    {ages}
</Directory>
Listen 127.0.0.1:@PORT1@
<VirtualHost 127.0.0.1:@PORT@>
    ServerName localhost
    StandbySharedAge rewrite
    RewriteEngine On
    <Directory "@ROOT@/htdocs">
        StandbyNamespaces Talk User User_talk Project File Help Category Hilfe Kategorie
    </Directory>
</VirtualHost>
<VirtualHost 127.0.0.1:@PORT1@>
    ServerName localhost
    RewriteEngine On
</VirtualHost>
"""
RULES = """
RewriteEngine On
RewriteOptions InheritDown
RewriteRule "^/wiki/" "/index.php" [PT,L]
"""
TOLD, UNTOLD = 0, 1     # the hosts: where the namespaces are named, and where they are not
SPECIAL = ("special", "spezial", "служебная", "特別")
SPELLINGS = ["/index.php?title=Special:MyTalk", "/index.php?title=%53pecial:MyTalk", "/index.php?title=special:mytalk",
             "/index.php?title=_Special:MyTalk",
             "/index.php?title=Special%3AMyTalk", "/index.php?title=%20Special:MyTalk", "/index.php?title=+Special:MyTalk",
             "/index.php?title=Special:_MyTalk",
             "/index.php?title=Special_:MyTalk", "/index.php?title=:Special:MyTalk", "/index.php?title=SPECIAL:MyContributions",
             "/?title=Special:MyTalk",
             "/index.php?title=Spezial:Meine_Diskussionsseite", "/index.php?title=Spezial:Meine_Beitr%C3%A4ge",
             "/index.php?title=" + urllib.parse.quote("Служебная:Мой вклад"),
             "/index.php?title=" + urllib.parse.quote("特別:自分の投稿記録"), "/index.php/Special:MyTalk", "/index.php/special:MyUploads",
             "/wiki/Special:MyTalk", "/wiki/special:mytalk",
             "/wiki/Spezial:Meine_Diskussionsseite", "/wiki/Spezial:Meine_Beitr%C3%A4ge", "/wiki/Special%3AMyTalk",
             "/wiki/%53pecial:MyTalk",
             "/wiki/_Special:MyTalk", "/wiki/" + urllib.parse.quote("Служебная:Мой_вклад"), "/index.php?curid=7&title=Special:MyPage",
             "/index.php?title=Special:MyTalk&utm_source=x"]


class Wiki:
    """Answers for a title: an article, or what is a visitor's own. `secret` is what a special page shows of the visitor."""

    def __init__(self):
        self.serial = itertools.count()
        self.secret = lambda parameters: f"User talk:{parameters['REMOTE_ADDR']}"
        self.headers = []

    def __call__(self, parameters):
        query = urllib.parse.parse_qs(parameters.get("QUERY_STRING", ""))
        path = urllib.parse.unquote(parameters["REQUEST_URI"].partition("?")[0])
        title = query["title"][0] if "title" in query else re.sub(r"^/(?:wiki|index\.php)?/?", "", path) or "Main Page"
        title = title.replace("_", " ").strip(" :")
        headers = [("Status", "200"), ("Content-Type", "text/html; charset=UTF-8"), ("Vary", "Accept-Encoding,Cookie")]
        if title.partition(":")[0].strip().lower() in SPECIAL:
            shown = self.secret(parameters)
        else:
            shown = f"article {title}"
            headers += self.headers
        return headers, f"<title>{shown}</title>\n<!-- served in {next(self.serial)} ms -->\n{'text of the article ' * 200}"


@pytest.fixture
def wiki():
    return Wiki()


@pytest.fixture
def ask(make_server, backends, build, wiki):
    """ask(path, ...): the title that is shown, and the response; from a server on level 4, each time by another visitor."""
    extra = CONFIG.format(module=standby_module(build), port=backends.enter_context(FastCgi(wiki)).port, ages=ages(AGE), rules=RULES)
    server = standby_server(make_server, "worker", extra, of=build)
    (server.root / "htdocs" / "index.php").write_text("the wiki answers\n")
    server.start()
    server.ladder.go(4)

    def ask(path, *, on=TOLD, source=None, headers=(), **kwargs):
        response = server.get(path, port=server.ports[0] if on == UNTOLD else None, source=source or new_visitor(),
                              headers={"Accept-Encoding": "gzip", **dict(headers)}, **kwargs)
        found = re.search("<title>(.*?)</title>", plain(response))
        return found and found[1], response

    ask.server = server
    return ask


def until_kept(ask, path, **kwargs):
    return eventually(lambda: (lambda title, response: [title, response] if hit(response) else None)(*ask(path, **kwargs)),
                      what=f"{path} to be kept")


def test_visitors_own_pages_are_nobody_elses(ask, wiki):
    """Two neighbours of one network share what is shown here, so that neither search nor comparison helps: the name alone."""
    wiki.secret = lambda p: "contributions of " + {"1": "alice"}.get(p["REMOTE_ADDR"].split(".")[1], "others")
    for path in SPELLINGS:
        alice = [ask(path, source=f"127.1.77.{n}") for n in (1, 2, 3)]
        assert {title for title, _ in alice} == {"contributions of alice"}, path
        others = [ask(path, source=f"127.2.77.{n}") for n in (1, 2, 3, 4)]
        assert {title for title, _ in others} == {"contributions of others"}, path
        assert all(passed_by(response) for _, response in alice + others), path


def test_visitors_own_pages_are_nobody_elses_where_no_namespace_is_named(ask, wiki):
    """Then the evidence has to do: the address, and a list that differs for each visitor."""
    lists = {}
    for secret in (wiki.secret,
                   lambda p: "contributions " + lists.setdefault(p["REMOTE_ADDR"],
                                                                 f"list-{chr(97 + len(lists) % 26) * (1 + len(lists) // 26)}")):
        wiki.secret = secret
        for path in SPELLINGS:
            visitors = [new_visitor() for _ in range(3)]
            for source in visitors * 2:
                title, response = ask(path, on=UNTOLD, source=source)
                assert title == secret({"REMOTE_ADDR": source}), (path, response["x-cache"])


def test_articles_are_kept_in_each_form(ask):
    for path, title in (("/index.php?title=Main_Page", "article Main Page"), ("/wiki/Caf%C3%A9", "article Café"),
                        ("/wiki/Talk:Cats", "article Talk:Cats"),
                        ("/index.php/Help:Contents", "article Help:Contents"),
                        ("/index.php?title=User_talk:Ann", "article User talk:Ann"), ("/", "article Main Page"),
                        ("/index.php?title=Hilfe:%C3%9Cbersicht", "article Hilfe:Übersicht")):
        assert until_kept(ask, path)[0] == title


@pytest.mark.parametrize("path",
                         ["/index.php?title=Cats&action=edit", "/index.php?title=Cats&oldid=3", "/index.php?search=cats",
                          "/api.php?action=query",
                                  "/index.php?title=Cats&uselang=de", "/index.php?title=Cats&title=Special:MyTalk",
                                  "/index.php?title=Nowhere:Cats",
                                  "/wiki/Cats?action=history", "/load.php?modules=x"])
def test_other_requests_pass_the_store_by(ask, path):
    assert all(passed_by(ask(path)[1]) for _ in range(3))


def test_shared_age_is_rewritten_as_mediawiki_asks(ask, wiki):
    """includes/OutputPage.php: the CDN needs to replace the header, or caches behind it keep pages for hours."""
    wiki.headers = [("Cache-Control", "s-maxage=18000, must-revalidate, max-age=0")]
    rewritten = "s-maxage=0, must-revalidate, max-age=0"
    first = ask("/wiki/Age")[1]
    kept = until_kept(ask, "/wiki/Age")[1]
    member = ask("/wiki/Age", headers={"Cookie": "wikiSession=1"})[1]
    assert [response["cache-control"] for response in (first, kept, member)] == [rewritten] * 3
    assert passed_by(member) and member["x-cache"] is None
    ask.server.ladder.go(0)
    assert ask("/wiki/Age")[1]["cache-control"] == rewritten, "on each level"
    assert ask("/wiki/Age", on=UNTOLD)[1]["cache-control"] == wiki.headers[0][1], "and is kept without the directive"


@pytest.mark.parametrize("control",
                         ["private, s-maxage=600", "no-store, s-maxage=600", "private, must-revalidate, max-age=0", "max-age=60",
                          "no-cache"])
def test_nothing_private_becomes_public_by_the_rewriting(ask, wiki, control):
    wiki.headers = [("Cache-Control", control)]
    words = [word for word in ("private", "no-store", "no-cache", "max-age=60") if word in control]
    for _ in range(4):
        said = ask("/wiki/Private")[1]["cache-control"]
        assert all(word in said for word in words), said


def test_purge_of_the_wiki_reaches_the_store(ask):
    for path in ("/index.php?title=Purged", "/wiki/Purged"):
        until_kept(ask, path)
        assert ask(path, method="PURGE", source="127.0.0.1")[1].status == 200
        assert not hit(ask(path)[1])
