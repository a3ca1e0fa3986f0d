# SPDX-License-Identifier: Apache-2.0
"""The seven operations as README.md's section 1 promises them, on both databases."""
import re
import time

import pytest

from olio import Client

PUBLIC_PAGES = [("/", "home"), ("/tag/1", "tag"), ("/event/7", "event"), ("/person/3", "person")]
PRIVATE_PAGES = [("/login", "login"), ("/add-person", "add-person")]


@pytest.fixture
def visitor(base):
    client = Client(base)
    yield client
    client.close()


@pytest.fixture
def member(visitor):
    assert visitor.login(5).status == 303
    return visitor


@pytest.mark.parametrize("path,name", PUBLIC_PAGES)
def test_an_anonymous_page_may_be_cached_and_sets_no_cookie(visitor, path, name):
    before = time.time()
    page = visitor.get(path)
    assert (page.status, page.name, page.user, page.shown_user) == (200, name, "anon", "anon")
    assert page.headers["cache-control"] == "public, max-age=0"
    assert "Cookie" in page.headers["vary"]
    assert page.cookies == []
    assert page.headers["x-optional"] == "full" and "You may also like" in page.text
    assert before - 0.01 <= page.built <= time.time()
    assert len(re.findall(r'<img class="hero', page.text)) == 1


@pytest.mark.parametrize("path,name", PUBLIC_PAGES + PRIVATE_PAGES + [("/add-event", "add-event")])
def test_a_members_page_is_private_and_built_for_the_member(member, path, name):
    page = member.get(path)
    assert (page.status, page.name, page.user, page.shown_user) == (200, name, "5", "5")
    assert page.headers["cache-control"] == "private, no-store"


@pytest.mark.parametrize("path,name", PRIVATE_PAGES)
def test_a_form_is_private_and_its_cookie_stays_on_its_path(visitor, path, name):
    page = visitor.get(path)
    assert (page.status, page.name) == (200, name)
    assert page.headers["cache-control"] == "private, no-store"
    [cookie] = page.cookies
    assert cookie.startswith("olio_form=" + page.csrf)
    for part in ("path=" + path, "HttpOnly", "SameSite=Strict"):
        assert part in cookie


@pytest.mark.parametrize("path", ["/", "/tag/1", "/event/7", "/login", "/add-person"])
def test_pages_have_the_size_of_a_usual_site(visitor, path):
    assert 12_000 <= len(visitor.get(path).body) <= 52_000


def test_login_starts_a_session_and_logout_ends_it(visitor):
    answer = visitor.login(7)
    assert (answer.status, answer.location) == (303, "/")
    [cookie] = answer.cookies
    assert cookie.startswith("olio_session=") and "HttpOnly" in cookie and "SameSite=Lax" in cookie
    session = visitor.cookies["olio_session"]
    home = visitor.get("/")
    assert home.user == "7" and 'id="my-events"' in home.text
    answer = visitor.post("/logout", _csrf=home.csrf)
    assert (answer.status, answer.location) == (303, "/")
    assert "olio_session" not in visitor.cookies
    visitor.cookies["olio_session"] = session
    assert visitor.get("/").user == "anon", "the old cookie must be worth nothing"


def test_a_new_login_replaces_the_session(visitor):
    visitor.login(7)
    first = visitor.cookies["olio_session"]
    visitor.login(8)
    assert visitor.get("/").user == "8"
    visitor.cookies["olio_session"] = first
    assert visitor.get("/").user == "anon"


@pytest.mark.parametrize("login,password", [("user7", "pass8"), ("nobody", "x"), ("user7' OR '1'='1", "x"), ("", "")])
def test_a_wrong_login_shows_the_form_again(visitor, login, password):
    page = visitor.post("/login", _csrf=visitor.get("/login").csrf, login=login, password=password)
    assert (page.status, page.name, page.user) == (422, "login", "anon")
    assert "olio_session" not in visitor.cookies
    assert '<ul class="errors">' in page.text


def test_an_unknown_session_cookie_is_anonymous_but_never_cached(visitor):
    visitor.cookies["olio_session"] = ("0" * 32, "/")
    page = visitor.get("/")
    assert (page.user, page.headers["cache-control"]) == ("anon", "private, no-store")


@pytest.mark.parametrize("path,fields", [("/login", {"login": "user7", "password": "pass7"}), ("/add-person", {"login": "abc"})])
def test_an_open_form_without_its_cookie_or_token_is_refused(base, visitor, path, fields):
    token = visitor.get(path).csrf
    assert visitor.post(path, **fields).status == 403
    assert visitor.post(path, _csrf="0" * 32, **fields).status == 403
    stranger = Client(base)
    assert stranger.post(path, _csrf=token, **fields).status == 403
    stranger.close()


@pytest.mark.parametrize("path", ["/logout", "/event/7/attend", "/add-event"])
def test_a_members_form_without_the_sessions_token_is_refused(member, path):
    assert member.post(path).status == 403
    assert member.post(path, _csrf="f" * 32).status == 403
    assert member.get("/").user == "5"


def test_a_form_sent_from_another_site_is_refused(member):
    token = member.get("/").csrf
    page = member.request("POST", "/logout", f"_csrf={token}",
                          {"Content-Type": "application/x-www-form-urlencoded", "Origin": "https://evil.example"})
    assert page.status == 403


def test_attending_counts_once(member):
    event = member.add_event().location
    token = member.get("/").csrf
    assert "<h2>0 going</h2>" in member.get(event).text
    for _ in range(2):
        answer = member.post(event + "/attend", _csrf=token)
        assert (answer.status, answer.location) == (303, event)
    page = member.get(event)
    assert "<h2>1 going</h2>" in page.text and "You are going." in page.text


def test_an_added_event_appears_everywhere_at_once(base, member):
    answer = member.add_event(title='Tea & "Scones" <now>', tags="jazz tea-time")
    assert answer.status == 303 and re.fullmatch(r"/event/\d+", answer.location)
    visitor = Client(base)
    title = "Tea &amp; &quot;Scones&quot; &lt;now&gt;"
    event = visitor.get(answer.location)
    assert f"<h1>{title}</h1>" in event.text and "<now>" not in event.text
    assert "Sat 1 Aug 2026, 10:00" in event.text
    assert title in visitor.get("/").text
    found = visitor.get("/search?tag=Tea-Time")
    assert found.status == 303 and re.fullmatch(r"/tag/\d+", found.location)
    assert title in visitor.get(found.location).text
    assert title in visitor.get("/person/5").text
    visitor.close()


@pytest.mark.parametrize("field,value,reason", [
    ("title", "", "title"), ("title", "x" * 121, "title"), ("summary", "", "summary"), ("place", "", "place"),
    ("starts", "tomorrow", "start"), ("starts", "2026-02-30T10:00", "start"), ("tags", "", "tags"),
    ("tags", "no_underscore", "tags"), ("tags", "a1 a2 a3 a4 a5 a6 a7 a8 a9", "tags")])
def test_a_bad_event_shows_the_form_with_the_reason(member, field, value, reason):
    page = member.add_event(**{field: value})
    assert (page.status, page.name) == (422, "add-event")
    assert reason in re.search(r'<ul class="errors">(.*?)</ul>', page.text, re.S).group(1)
    if field != "title":
        assert 'value="Harbour Swim"' in page.text, "what was entered must not be lost"


def test_only_members_add_events(visitor):
    assert visitor.get("/add-event").location == "/login"
    assert visitor.multipart("/add-event", {"title": "x"}).location == "/login"


def test_a_new_person_can_log_in(visitor):
    answer = visitor.add_person(login="nelly.new", password="correct horse", name="Nelly <New>")
    assert answer.status == 303 and re.fullmatch(r"/person/\d+", answer.location)
    page = visitor.get(answer.location)
    assert page.user == "anon" and "<h1>Nelly &lt;New&gt;</h1>" in page.text
    visitor.post("/login", _csrf=visitor.get("/login").csrf, login="nelly.new", password="correct horse")
    assert "/person/" + visitor.get("/").user == answer.location
    again = visitor.add_person(login="Nelly.New")
    assert (again.status, again.name) == (422, "add-person") and "taken" in again.text


@pytest.mark.parametrize("field,value", [("login", "ab"), ("login", "a b c"), ("password", "12345"), ("password", "p" * 73),
                                         ("name", ""), ("city", "c" * 81), ("summary", "s" * 1001)])
def test_a_bad_person_shows_the_form_with_the_reason(visitor, field, value):
    page = visitor.add_person(**{field: value})
    assert (page.status, page.name) == (422, "add-person") and '<ul class="errors">' in page.text


@pytest.mark.parametrize("path", ["/nope", "/event/0", "/event/99999999", "/tag/99999999", "/person/99999999", "/event/1x",
                                  "/event/7%0a", "/search?tag=unheard-of", "/search?tag[]=x", "/event/7'--"])
def test_a_missing_object_is_a_404_page(visitor, path):
    page = visitor.get(path)
    assert (page.status, page.name, page.headers["cache-control"]) == (404, "error", "private, no-store")


def test_a_wrong_method_is_a_405(visitor):
    assert visitor.post("/event/7").status == 405
    assert visitor.get("/logout").status == 405
    assert visitor.request("DELETE", "/").status == 405


def test_a_searched_word_is_escaped(visitor):
    page = visitor.get("/search?tag=%3Cscript%3Ealert(1)%3C/script%3E")
    assert page.status == 404 and "<script>alert" not in page.text


def test_a_word_may_be_searched_by_a_post_too(visitor):
    assert visitor.post("/search", tag="Jazz").location == visitor.get("/search?tag=jazz").location
    assert visitor.post("/search", tag="no-such-tag").status == 404


def test_the_words_of_the_loaded_tags_for_programs(visitor):
    words = visitor.get("/api/tags").text.splitlines()
    assert len(words) == 20
    assert [visitor.post("/search", tag=word).location for word in words] == [f"/tag/{i}" for i in range(1, 21)]


def test_size_and_health_for_programs(visitor):
    size = visitor.get("/api/size")
    assert size.headers["content-type"] == "application/json"
    assert size.text == '{"events":100,"persons":100,"tags":20}'
    assert visitor.get("/health").text == "ok\n"


def test_every_page_that_a_page_links_to_exists(visitor):
    links = set()
    for path, _ in PUBLIC_PAGES:
        links |= set(re.findall(r'(?:href|src)="(/[^"]*)"', visitor.get(path).text))
    assert len(links) > 60
    broken = {link: status for link in links if (status := visitor.get(link).status) not in (200, 303)}
    assert broken == {}
