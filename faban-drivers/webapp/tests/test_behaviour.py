# SPDX-License-Identifier: Apache-2.0
"""Brownout, concurrency, and what happens when the database goes away."""
import concurrent.futures
import os
import pathlib
import subprocess
import time

import pytest

import installation
from olio import Client


def get(base, path):
    client = Client(base)
    try:
        return client.get(path)
    finally:
        client.close()


@pytest.mark.parametrize("asked,optional", [("", "full"), ("0", "full"), ("1", "left-out")])
def test_the_optional_part_is_left_out_when_the_server_asks(environment, asked, optional):
    with installation.php_server(dict(environment, MITIGATION_BROWNOUT=asked)) as base:
        for path in ("/", "/tag/1", "/event/7", "/person/3"):
            page = get(base, path)
            assert page.status == 200 and page.headers["x-optional"] == optional
            assert ("You may also like" in page.text) == (optional == "full")


def test_a_client_cannot_ask_for_the_brownout(base):
    client = Client(base, headers={"MITIGATION_BROWNOUT": "1", "MITIGATION-BROWNOUT": "1"})
    assert client.get("/?MITIGATION_BROWNOUT=1").headers["x-optional"] == "full"
    client.close()


def test_the_same_page_recommends_the_same_events(base):
    part = [get(base, "/event/7").text.split("You may also like")[1].split("</section>")[0] for _ in range(2)]
    assert part[0] == part[1] and part[0].count('<article class="card">') == 12


def test_no_visitor_gets_the_page_of_another(base):
    def visit(person):
        client = Client(base)
        client.login(person)
        seen = {(page.user, page.shown_user) for page in (client.get(path) for path in ("/", "/tag/1", "/event/7") * 5)}
        client.close()
        return seen == {(str(person), str(person))}
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        assert all(pool.map(visit, range(11, 27)))


def test_a_login_is_given_once_however_many_ask_together(base):
    def register(_):
        client = Client(base)
        try:
            return client.add_person(login="only-one").status
        finally:
            client.close()
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        assert sorted(pool.map(register, range(8))) == [303] + [422] * 7


def test_many_who_attend_together_all_count(base):
    host = Client(base)
    host.login(5)
    event = host.add_event(tags="crowd").location
    host.close()

    def attend(person):
        client = Client(base)
        client.login(person)
        status = client.post(event + "/attend", _csrf=client.get("/").csrf).status
        client.close()
        return status
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        assert list(pool.map(attend, range(31, 51))) == [303] * 20
    assert "<h2>20 going</h2>" in get(base, event).text


def test_many_who_announce_with_the_same_tags_together_all_succeed(base):
    def announce(person):
        client = Client(base)
        client.login(person)
        statuses = [client.add_event(tags=tags).status for tags in ("rush-a rush-b jazz", "jazz rush-b rush-a")]
        client.close()
        return statuses
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        assert list(pool.map(announce, range(51, 67))) == [[303, 303]] * 16
    page = get(base, get(base, "/search?tag=rush-a").location)
    assert "32 events carry this tag" in page.text


def age(environment, name, seconds):
    """As if the cache had been filled this many seconds ago; in the future, if less than none."""
    file = pathlib.Path(environment["OLIO_STATE"]) / "data" / name
    os.utime(file, (time.time() - seconds, time.time() - seconds))


def test_in_the_profile_olio_the_home_page_comes_from_a_cache_and_is_everybodys_own_all_the_same(environment):
    with installation.php_server(dict(environment, OLIO_PROFILE="olio", OLIO_WALK_STEPS="2000")) as base:
        member = Client(base)
        member.login(9)
        assert "Kept for ten seconds" not in get(base, "/").text
        age(environment, "home", -600)  # what follows takes a busy machine more than ten seconds
        assert 'name="document"' in member.get("/add-event").text
        assert member.add_event(title="Kept for ten seconds").status == 303
        anonymous, own = get(base, "/"), member.get("/")
        assert [page.text.count("Kept for ten seconds") for page in (anonymous, own)] == [0, 0]
        assert (anonymous.user, anonymous.shown_user, anonymous.headers["cache-control"]) == ("anon", "anon", "public, max-age=0")
        assert (own.user, own.shown_user, own.headers["cache-control"]) == ("9", "9", "private, no-store")
        assert "My events" in own.text and "My events" not in anonymous.text and own.csrf not in anonymous.text
        # two pages may be of one millisecond
        assert any(get(base, "/").built > anonymous.built for _ in range(50)), "the page around what is kept is built for each request"
        age(environment, "home", 60)
        assert "Kept for ten seconds" in get(base, "/").text
        member.close()
    with installation.php_server(dict(environment, OLIO_PROFILE="olio", OLIO_WALK_STEPS="2000", MITIGATION_BROWNOUT="1")) as base:
        page = get(base, "/")
        assert page.headers["x-optional"] == "left-out" and "You may also like" not in page.text


def test_a_wrong_setting_is_named(environment, tmp_path):
    assert "OLIO_PROFILE=other: expected public or olio" in installation.load(dict(environment, OLIO_PROFILE="other")).stderr
    broken = dict(environment, OLIO_WAIT_MS="soon")
    result = installation.load(broken)
    assert result.returncode == 1 and "OLIO_WAIT_MS=soon: expected a number from 0 to 60000" in result.stderr


def failure(environment):
    """The 500 page of a wrong installation, and what its log says."""
    with installation.php_server(environment) as base:
        page = get(base, "/event/7")
        log = installation.log_of(environment, base).read_text()
    assert (page.status, page.name, page.headers["cache-control"]) == (500, "error", "private, no-store")
    return page, log


def test_a_setting_that_went_wrong_is_a_500_page_with_the_reason_in_the_log(environment):
    page, log = failure(dict(environment, OLIO_WALK_STEPS="many"))
    assert "OLIO_WALK_STEPS=many: expected a number" in log and "OLIO_WALK_STEPS" not in page.text


def test_a_missing_graph_is_a_500_page_with_the_reason_in_the_log(tmp_path):
    settings = installation.app_environment(tmp_path)
    installation.make_files(tmp_path, settings)
    assert installation.load(settings, "0.01").returncode == 0
    (tmp_path / "graph.php").unlink()
    page, log = failure(settings)
    assert "graph.php is missing: run docker/web/prepare" in log and str(tmp_path) not in page.text


@pytest.mark.skipif(not installation.has_mariadb(), reason="mariadbd is missing; install the package mariadb-server")
def test_a_database_that_went_away_is_a_503_and_comes_back(short_tmp):
    state = short_tmp / "away"
    with installation.mariadb(state) as database:
        settings = installation.app_environment(state, **database)
        installation.make_files(state, settings)
        assert installation.load(settings, "0.01").returncode == 0
    with installation.php_server(settings) as base:
        page = get(base, "/event/7")
        assert (page.status, page.name, page.headers["cache-control"]) == (503, "error", "private, no-store")
        assert page.headers["retry-after"] == "5"
        with installation.running_mariadb(state):
            assert get(base, "/event/7").status == 200
        assert get(base, "/event/7").status == 503
        with installation.running_mariadb(state) as server:
            assert get(base, "/event/7").status == 200
            server.kill()
            server.wait()
            assert get(base, "/event/7").status == 503


def test_all_php_files_parse():
    files = [str(file) for file in installation.APP.rglob("*.php")]
    assert len(files) > 20
    for file in files:
        result = subprocess.run(["php", "-l", file], capture_output=True, text=True)
        assert result.returncode == 0, result.stdout
