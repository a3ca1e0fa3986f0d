# SPDX-License-Identifier: Apache-2.0
"""The example of standby-parts.php: our own application keeps its recommendations, for members too, behind the real httpd and php-fpm."""
import time

import pytest

import tier as tiers
from olio import Client


@pytest.fixture(scope="module")
def tier(short_tmp):
    with tiers.running(short_tmp / "parts", OLIO_PARTS="on") as running:
        yield running


@pytest.fixture
def member(tier):
    opened = []

    def log_in(person):
        opened.append(Client(tier.plain))
        opened[-1].login(person)
        # what login set, as who has just sent a form; parts are kept for who has not
        opened[-1].cookies.pop("ic2_fresh", None)
        return opened[-1]
    yield log_in
    tier.level(0)
    for client in opened:
        client.close()


def recommended(page):
    assert page.status == 200 and page.headers["x-optional"] == "full", (page.status, page.headers)
    return page.text.split("You may also like")[1].split("</section>")[0]


def test_a_member_gets_what_was_built_for_another_one_and_who_writes_sees_the_new_at_once(tier, member):
    first, second, writer = member(11), member(12), member(13)
    old = recommended(first.get("/event/7"))
    assert recommended(second.get("/event/7")) == old
    tier.level(4)
    assert writer.add_event(title="One more").status == 303        # with the number of events the recommendations change
    assert recommended(writer.get("/event/7")) == old
    attended = writer.post("/event/7/attend", _csrf=writer.get("/event/7").csrf)
    assert attended.status == 303 and writer.cookies["ic2_fresh"][1] == "/event/7", "the page on which the own change is to be seen"
    own = writer.get("/event/7")
    new = recommended(own)
    assert new != old and own.user == "13"
    assert recommended(second.get("/event/7")) == new, "what the writer had built is stored for all"
    assert second.get("/event/7").user == "12", "the page around it is the member's own"


def test_below_the_level_each_page_has_them_built(tier, member):
    first, second, writer = member(21), member(22), member(23)
    old = recommended(first.get("/event/8"))
    tier.level(4)
    assert writer.add_event(title="Another").status == 303
    assert recommended(second.get("/event/8")) == old, "kept"
    tier.level(2)
    assert recommended(second.get("/event/8")) != old, "built"


def test_on_the_last_level_only_what_is_not_kept_is_left_out(tier, member):
    reader = member(31)
    kept = recommended(reader.get("/event/9"))
    tier.level(6)
    assert recommended(reader.get("/event/9")) == kept
    page = reader.get("/event/10")
    assert page.headers["x-optional"] == "left-out" and "You may also like" not in page.text
    assert reader.get("/").headers["x-optional"] == "left-out" and reader.get("/tag/3").status == 200


def test_a_page_of_many_members_under_load_is_their_own(tier, member):
    clients = {person: member(person) for person in range(41, 47)}
    tier.level(4)
    end = time.monotonic() + 3
    while time.monotonic() < end:
        for person, client in clients.items():
            for path in ("/", "/event/7", "/tag/1", "/person/3"):
                page = client.get(path)
                assert (page.status, page.user, page.shown_user) == (200, str(person), str(person)), path
