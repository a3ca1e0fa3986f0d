# SPDX-License-Identifier: Apache-2.0
"""Debian's WordPress on the testbed: its pages, its load, the ladder's part in it; on both servers."""

import gzip
import http.cookiejar
import itertools
import json
import os
import pathlib
import re
import ssl
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request

import pytest

from conftest import PATIENCE_S, ROOT, Bed, await_true, leftovers
from test_life import loaded, table

pytestmark = [pytest.mark.skipif(os.geteuid() != 0, reason="the testbed makes cgroups and must run as root"),
              pytest.mark.xdist_group("one WordPress for all")]

# the level's line of mitigation.conf, on both servers, without the cache: what is tested here is WordPress
BROWNOUT = """
<IfDefine MITIGATION_MAP>
    SetEnvIfExpr "file('${MITIGATION_MAP}') =~ /^MITIGATION [6-9]/" MITIGATION_BROWNOUT=1
</IfDefine>
<IfDefine !MITIGATION_MAP>
    SetEnvIfExpr "reqenv('MITIGATION') -ge 6" MITIGATION_BROWNOUT=1
</IfDefine>
"""


class Browser:
    """Keeps cookies, follows redirects, believes any certificate."""

    def __init__(self, base):
        self.base = base
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        self.jar = http.cookiejar.CookieJar()
        self.opener = urllib.request.build_opener(urllib.request.HTTPSHandler(context=context), urllib.request.HTTPCookieProcessor(self.jar))

    def __call__(self, path, binary=False, accept="identity", **form):
        data = urllib.parse.urlencode(form).encode() if form else None
        try:
            with self.opener.open(urllib.request.Request(self.base + path, data, {"Accept-Encoding": accept}), timeout=120) as answer:
                self.at = answer.geturl()
                body = answer.read()
                return answer.status, answer.headers, body if binary else body.decode()
        except urllib.error.HTTPError as e:
            return e.code, e.headers, e.read().decode()

    def set_cookie(self, name, value):
        self.jar.set_cookie(http.cookiejar.Cookie(0, name, value, None, False, "127.0.0.1", True, False, "/", True, False, None, True, None, None, {}))

    def log_in(self, login):
        self("wp-login.php")
        return self("wp-login.php", log=login, pwd=f"pass-{login}", testcookie="1")


def visitor(page):
    found = re.findall(r"<!-- ic2 built=(\d+) visitor=(\S+) -->", page)
    assert len(found) == 1, page[-500:]
    assert abs(time.time() - int(found[0][0]) / 1000) < 120
    return found[0][1]


@pytest.fixture(scope="module", params=["patched", "stock"])
def wordpress(request, tmp_path_factory):
    directory = tmp_path_factory.mktemp("wordpress")
    directory.parent.chmod(0o755)
    (directory / "brownout.conf").write_text(BROWNOUT)
    bed = Bed(directory / "bed")
    bed("up", "--application", "wordpress", "--server", request.param, "--mpm", "event", "--scale", "0.2", "--set",
        f"IC2_MITIGATION={directory}/brownout.conf", check=0)
    yield bed
    store = pathlib.Path(bed.state["files"]["store"])
    bed("down", "--all", check=0)
    assert not leftovers(directory) and not store.exists()


@pytest.fixture
def browser(wordpress):
    return Browser(wordpress.state["urls"]["https"])


@pytest.fixture
def level(wordpress):
    yield lambda n: wordpress("level", str(n), check=0)
    wordpress("level", "0", check=0)


def pages(wordpress):
    return [line.split(",") for line in pathlib.Path(wordpress.state["files"]["pages"]).read_text().splitlines()]


def test_every_page_of_the_list_is_there_and_says_for_whom_it_is(wordpress, browser):
    found = pages(wordpress)
    assert found[0] == ["/", ""] and sum(1 for _, post in found if post) == 20
    for path, post in found:
        status, _, page = browser(path[1:])
        assert status == 200 and visitor(page) == "anonymous", path
        assert not post or f"postid-{post} " in page
    for path in ("feed/", "comments/feed/", "?s=garden", "wp-login.php"):
        status, _, page = browser(path)
        assert status == 200 and visitor(page) == "anonymous", path
    assert browser("nothing-here/")[0] == 404
    status = Browser("")(wordpress.state["urls"]["status"])[2]
    assert "Scoreboard" in status
    assert ("Debian" in status) == (wordpress.state["options"]["server"] == "stock"), "Debian's own binary says so"


def test_members_and_commenters_get_pages_of_their_own_which_no_cache_may_keep(wordpress, browser):
    path, post = next(row for row in pages(wordpress) if row[1])
    member = Browser(browser.base)
    member.log_in("member7")
    for address in (path[1:], "wp-admin/profile.php"):
        status, headers, page = member(address)
        assert status == 200 and visitor(page) == "member:member7"
        assert "private" in headers["Cache-Control"] or "no-store" in headers["Cache-Control"] or "wp-admin" in address
    form = {"comment": "Seen at once.", "author": "Reader", "email": "r@example.org", "comment_post_ID": post, "comment_parent": "0",
            "wp-comment-cookies-consent": "yes"}
    status, headers, page = browser("wp-comments-post.php", **form)
    assert status == 200 and visitor(page) == "commenter:Reader" and "Seen at once." in page
    assert "private" in headers["Cache-Control"]
    assert "Cache-Control" not in Browser(browser.base)(path[1:])[1], "for anybody else the page is as WordPress makes it"


def test_on_the_last_level_a_post_has_its_text_the_latest_comments_and_the_form(wordpress, browser, level):
    path, post = next(row for row in pages(wordpress)[10:] if row[1])
    _, _, whole = browser(path[1:])
    level(6)
    status, _, short = browser(path[1:])
    assert status == 200 and visitor(short) == "anonymous"
    text = [re.findall(r"<p>(\w+(?: \w+){25})", page.split('class="wp-block-comments')[0]) for page in (whole, short)]
    assert len(text[0]) > 5 and text[0] == text[1], "nothing of the post itself is left out"
    assert "is-layout-constrained" in short and "wp-container-" in whole and "wp-container-" not in short
    assert len(re.findall(r'<li id="comment-\d+"', short)) == 5 and 'id="commentform"' in short
    status, _, page = browser("wp-comments-post.php", comment="On the last level <b>too</b>.", author="R<i>", email="r@example.org",
                              comment_post_ID=post, comment_parent="0")
    assert status == 200 and "On the last level too." in page, "who has just commented sees it"
    assert urllib.parse.urlsplit(browser.at).path == path, "at the post's own address, for which the cookie of who has written is"
    level(0)
    assert "wp-container-" in browser(path[1:])[2]


def test_a_post_that_is_withdrawn_is_purged(wordpress):
    """By the requests that make a cache forget the old page; here they are shown in place of being sent."""
    path, post = [row for row in pages(wordpress) if row[1]][-1]
    site = wordpress.state["files"]["site"]
    environment = dict(line.removeprefix("export ").replace("'", "").split("=", 1)
                       for line in pathlib.Path(wordpress.state["files"]["environment"]).read_text().splitlines())
    asked = f"""
        $_SERVER['HTTP_HOST'] = '127.0.0.1';
        require '{site}/wp-load.php';
        add_filter('pre_http_request', function ($no, $how, $url) {{
            echo $url, ' ', $how['headers']['Host'], ' ', $how['method'], ' ', $how['blocking'] ? 'waits' : 'goes on', "\\n";
            return [];
        }}, 10, 3);
        wp_trash_post({post});
        wp_untrash_post({post});
        wp_publish_post({post});
    """
    said = subprocess.run(["php", "-r", asked], env={**os.environ, **environment}, capture_output=True, text=True, check=True).stdout
    port = wordpress.state["ports"]["https"]
    assert sorted(said.splitlines()) == [f"https://127.0.0.1:{port}{one} 127.0.0.1:{port} PURGE goes on" for one in ("/", path)]


def test_style_sheets_and_scripts_are_compressed_once_and_pages_for_each_response(wordpress, browser):
    """The baseline is a server that an expert has tuned."""
    site = pathlib.Path(wordpress.state["files"]["site"])
    found = sorted({path for path in re.findall(r"""["'](?:https?://[^/"']+)?/(wp-(?:content|includes)/[^"'?]+\.(?:css|js))[?"']""", browser("")[2])})
    assert found, "the front page has some"
    for path, kind in [(found[0], ""), ("wp-includes/css/dashicons.css", "text/css"), ("wp-includes/js/jquery/jquery.js", "text/javascript")]:
        plain, packed = browser(path, binary=True), browser(path, binary=True, accept="gzip")
        assert plain[0] == packed[0] == 200 and plain[2] == (site / path).read_bytes()
        assert "Content-Encoding" not in plain[1] and packed[1]["Content-Encoding"] == "gzip"
        assert packed[2] == (site / f"{path}.gz").read_bytes() and gzip.decompress(packed[2]) == plain[2]
        for headers in (plain[1], packed[1]):
            assert headers.get_all("Vary") == ["Accept-Encoding"] and kind in headers["Content-Type"]
    assert browser("", binary=True, accept="gzip")[1]["Content-Encoding"] == "gzip"
    assert not list(site.glob("wp-admin/**/*.gz"))


def test_phps_jit_is_on_as_it_was_measured_to_help(wordpress, browser):
    page = pathlib.Path(wordpress.state["files"]["site"], "jit.php")
    page.write_text("<?php echo json_encode(opcache_get_status(false)['jit']);")
    try:
        assert json.loads(browser("jit.php")[2])["on"] is True
    finally:
        page.unlink()


def test_a_load_without_an_error(wordpress, tmp_path):
    out = tmp_path / "load"
    with loaded(wordpress, "--users", "8", "--ramp-up", "1s", "--runtime-stats", "1s", "--out", out):
        await_true(lambda: sum(int(row["pages_checked"]) for row in table(out / "intervals.csv")) > 16, "some pages of each user")
        failed = (out / "agent.log").read_text()
    assert failed == "" and {row["leaks"] for row in table(out / "intervals.csv")} == {"0"}, failed
    assert {"Anonymous", "Member", "Commenter", "Search", "Feed", "Comment", "Crawler"} == {
        row["operation"] for row in table(out / "operations.csv")}


def test_compare_measures_the_application_that_was_asked_for(wordpress, tmp_path):
    def compare(*words):
        return subprocess.run([ROOT / "bin" / "ic2-train", "compare", "--testbed", wordpress.dir, "--out", tmp_path / "out", *words],
                              capture_output=True, text=True, timeout=PATIENCE_S)
    refused = compare()
    assert refused.returncode and "--application olio: the testbed in" in refused.stderr and "runs wordpress" in refused.stderr
    if wordpress.state["options"]["server"] == "stock":
        refused = compare("--application", "wordpress", "--arms", "off,paper-online")
        assert refused.returncode and "on a stock httpd paper-online and paper-graceful cannot be compared" in refused.stderr


def test_the_level_is_what_was_set_by_hand(wordpress, level):
    level(3)
    if path := wordpress.state["files"].get("mitigation_map"):
        assert pathlib.Path(path).read_text() == "MITIGATION 3\n"
    else:
        await_true(lambda: "MITIGATION 3" in pathlib.Path(wordpress.state["files"]["tunables"]).read_text(), "the tunables file")
    assert "expected 0 or more" in wordpress("level", "-1", check=1).stderr
    assert json.loads(wordpress("status", "--json", check=0).stdout)["dead"] == []


# --- ic2-parts.php

WORDPRESS = ROOT / "httpd-online" / "docs" / "wordpress"

PARTS_TEST = r"""<?php
// What a page holds, as JSON, and how often its own part was built. A question in the address would be no address of a part.
if (!isset($_SERVER['HTTP_X_PARTS'])) { return; }
$_SERVER['MITIGATION'] = $_SERVER['HTTP_X_LEVEL'] ?? '0';
update_option('widget_recent-posts', [2 => ['title' => '', 'number' => 3], '_multiwidget' => 1]);
update_option('sidebars_widgets', ['parts' => ['recent-posts-2'], 'array_version' => 3]);
add_filter('ic2_parts_ages', fn () => [3 => 3, 4 => 300]);
add_action('init', function () {
    register_sidebar(['id' => 'parts', 'name' => 'parts']);
    if (!wp_get_nav_menu_object('parts')) {
        $menu = wp_create_nav_menu('parts');
        wp_update_nav_menu_item($menu, 0, ['menu-item-title' => 'Garden', 'menu-item-url' => home_url('/garden/'), 'menu-item-status' => 'publish']);
    }
});
// a plugin that hides something from all but some
add_filter('render_block_core/latest-comments', fn ($html) => $_SERVER['HTTP_X_SAY'] === 'premium' ? $html : '(for premium members)');
add_filter('wp_nav_menu_items', fn ($items, $args) => $items . (empty($args->menu_id) ? "<li>$_SERVER[HTTP_X_SAY]</li>" : ''), 10, 2);
if (($fill = $_SERVER['HTTP_X_FILL'] ?? '') !== '') {
    foreach (range(1, 64) as $i) { $fill === 'yes' ? apcu_store("fill$i", str_repeat('x', 500000)) : apcu_delete("fill$i"); }
}
add_action('template_redirect', function () {
    $built = 0;
    $said = $_SERVER['HTTP_X_SAY'] ?? '';
    $own = function () use (&$built, $said) { $built++; return "<p>$said</p>"; };
    $effects = [
        'style rules' => fn () => wp_add_inline_style('wp-block-library', ".x$built{color:red}"),
        'hook' => fn () => add_action('wp_footer', '__return_null'),
        'identifier' => fn () => wp_unique_id(),
        'header' => fn () => header('X-Part: 1', false),
        'output' => fn () => print ' ',
        'new script' => fn () => wp_register_script('new-one', '/new.js'),
        'script' => fn () => $GLOBALS['more'] = '<script>f()</script>',
        'large' => fn () => $GLOBALS['more'] = str_repeat('x', 70000),
        'another user' => fn () => wp_set_current_user(1),
    ];
    $out = ['who' => wp_get_current_user()->user_login, 'own' => ic2_part('own', $own), 'built' => $built,
        'with style' => ic2_part('style', function () { wp_enqueue_style('wp-jquery-ui-dialog'); return 'styled'; }),
        'styled' => wp_style_is('wp-jquery-ui-dialog', 'enqueued')];
    if ($said === 'queued') { wp_enqueue_script('wp-dom'); }
    $out['script of a member'] = ic2_part('script of a member', function () { wp_enqueue_script('wp-dom'); return 'x'; });
    $out['scripted'] = wp_script_is('wp-dom', 'enqueued');
    $out['outer'] = ic2_part('outer ' . ($_SERVER['HTTP_X_OUTER'] ?? ''), fn () => 'outer ' . ic2_part('inner', fn () => $said));
    $kinds = [
        'blocks' => fn () => do_blocks('<!-- wp:archives /--><!-- wp:latest-posts {"postsToShow":3} /-->'),
        'hidden' => fn () => do_blocks('<!-- wp:latest-comments /-->'),
        'sidebar' => function () { ob_start(); dynamic_sidebar('parts'); return ob_get_clean(); },
        'menu' => fn () => wp_nav_menu(['echo' => false, 'menu' => 'parts', 'menu_id' => 'parts', 'fallback_cb' => false]),
        'menus' => fn () => wp_nav_menu(['echo' => false, 'theme_location' => 'none', 'menu_id' => 'primary'])
            . '|' . wp_nav_menu(['echo' => false, 'menu' => 'parts', 'menu_id' => 'footer', 'fallback_cb' => fn () => '']),
        'counted' => fn () => wp_nav_menu(['echo' => false, 'menu' => 'parts']),
        'the_widget' => function () { ob_start(); the_widget('WP_Widget_Pages'); return ob_get_clean(); },
    ];
    foreach ($kinds as $kind => $print) {
        $before = get_num_queries();
        $out[$kind] = $print();
        $out['queries'][$kind] = get_num_queries() - $before;
    }
    $out['the_widget fired'] = did_action('the_widget');
    foreach ($effects as $name => $effect) {
        $GLOBALS['more'] = '';
        $html = ic2_part($name, function () use ($effect, $said) { $effect(); return $said . $GLOBALS['more']; });
        $out['effects'][$name] = str_starts_with($html, $said) ? 'built' : 'stored';
    }
    echo wp_json_encode($out);
    exit;
});
"""


@pytest.fixture
def parts(wordpress):
    """Asks an address of its own for its parts, as somebody: parts(browser, say, level)."""
    plugins = pathlib.Path(wordpress.state["files"]["site"], "wp-content", "mu-plugins")
    made = {plugins / "a-parts-test.php": None, plugins / "ic2-parts.php": WORDPRESS / "ic2-parts.php",
            plugins / "ic2" / "parts.php": WORDPRESS / "ic2" / "parts.php",
            plugins / "ic2" / "standby-parts.php": WORDPRESS.parent / "php" / "standby-parts.php"}
    (plugins / "ic2").mkdir()
    for path, source in made.items():
        path.write_text(source.read_text() if source else PARTS_TEST)
    address = [row[0][1:] for row in pages(wordpress) if row[1]][next(posts) % 20]

    def ask(who, say, level=0, at=address, outer="a", fill=""):
        request = urllib.request.Request(who.base + at, headers={"X-Parts": "1", "X-Say": say, "X-Level": str(level), "X-Outer": outer,
                                                                 "X-Fill": fill})
        try:
            with who.opener.open(request, timeout=PATIENCE_S) as answer:
                text = answer.read().decode()
                return json.loads(text[text.index("{"):])
        except urllib.error.HTTPError as e:
            assert e.code == 404
            return json.loads(e.read().decode().strip())
    yield ask
    for one in made:
        one.unlink()
    (plugins / "ic2").rmdir()


#: No test finds what another one has stored.
posts = itertools.count()


@pytest.fixture
def members(wordpress):
    """Two subscribers and an author, and nobody."""
    found = [Browser(wordpress.state["urls"]["https"]) for _ in range(4)]
    for one, login in zip(found, ("member3", "member4", "author1")):
        one.log_in(login)
    return found


def test_a_part_of_nobodys_is_served_to_members_of_proven_roles(parts, members):
    first, second, author, nobody = members
    assert parts(nobody, "all")["own"] == "<p>all</p>"
    assert parts(second, "own", 4)["own"] == "<p>own</p>", "no member had the same yet; and now one had another"
    assert parts(first, "all")["own"] == "<p>all</p>"
    assert parts(second, "own", 4)["own"] == "<p>own</p>", "who differs ends it for these roles"


def test_members_share_what_a_member_had_the_same(parts, members):
    first, second, author, nobody = members
    parts(nobody, "all")
    said = parts(first, "all", 4)
    assert said["built"] == 1
    said = parts(second, "own", 4)
    assert (said["own"], said["built"]) == ("<p>all</p>", 0) and said["with style"] == "styled" and said["styled"]
    said = parts(author, "own", 4)
    assert (said["who"], said["own"]) == ("author1", "<p>own</p>"), "of other roles none was the same"
    assert parts(second, "own", 2)["own"] == "<p>own</p>", "below the level it is built"
    assert parts(nobody, "new", 4)["own"] == "<p>new</p>", "nobody else gets stored parts"


def test_nothing_of_a_member_is_ever_stored(parts, members):
    first, second, author, nobody = members
    parts(first, "secret"), parts(first, "secret", 4)
    for other in (second, author, nobody):
        assert parts(other, "own", 4)["own"] == "<p>own</p>"
    parts(nobody, "all")
    parts(first, "secret")
    assert parts(second, "own", 4)["own"] == "<p>own</p>" and parts(nobody, "all", 4)["own"] == "<p>all</p>"


@pytest.mark.parametrize("cookie", ["cart=7", "wp-postpass_x=1", "comment_author_x=Ann", "PHPSESSID=x", "_gax=1"])
def test_a_visitor_with_a_cookie_is_neither_nobody_nor_a_member(parts, members, cookie):
    first, second, _, nobody = members
    nobody.set_cookie(*cookie.split("="))
    parts(nobody, "all")
    assert parts(first, "all", 4)["own"] == "<p>all</p>"
    assert parts(second, "own", 4)["own"] == "<p>own</p>", "nothing was stored"
    nobody.jar.clear()
    for name in ("_ga", "_ga_X1", "wordpress_test_cookie"):
        nobody.set_cookie(name, "1")
    parts(nobody, "all")
    parts(first, "all", 4)
    assert parts(second, "own", 4)["own"] == "<p>all</p>", "with harmless ones it is"


def test_a_part_has_the_age_of_its_level_and_so_has_what_holds_it(parts, members):
    first, second, _, nobody = members
    begun = time.monotonic()
    parts(nobody, "all"), parts(nobody, "all", outer="b"), parts(first, "all")
    assert parts(second, "own", 4)["outer"] == "outer all"
    time.sleep(max(0, begun + 2 - time.monotonic()))
    parts(first, "all", 3, outer="b")       # of a stored one, 2 s old
    time.sleep(max(0, begun + 3.5 - time.monotonic()))
    said = parts(second, "own", 3, outer="b")
    assert said["own"] == "<p>own</p>" and said["outer"] == "outer own"


def test_who_has_just_written_gets_parts_built(parts, members):
    first, second, _, nobody = members
    parts(nobody, "all"), parts(first, "all")
    assert parts(second, "own", 4)["own"] == "<p>all</p>"
    second.set_cookie("ic2_fresh", "1")
    assert parts(second, "own", 4)["own"] == "<p>own</p>"


def test_a_part_that_does_more_than_return_html_is_built(parts, members):
    first, second, _, nobody = members
    for who in (nobody, first, nobody, first):
        parts(who, "all", 0)
    said = parts(second, "own", 4)
    assert said["own"] == "<p>all</p>"
    assert set(said["effects"].values()) == {"built"}, said["effects"]


def test_a_script_that_only_nobody_has_anyhow_is_not_lost(parts, members):
    first, second, _, nobody = members
    parts(nobody, "queued"), parts(first, "all")
    said = parts(second, "own", 4)
    assert said["scripted"], "the member's page needs it"


def test_who_differs_ends_it_when_the_memory_is_full_too(parts, members):
    first, second, _, nobody = members
    parts(nobody, "all"), parts(first, "all")
    assert parts(second, "own", 4)["own"] == "<p>all</p>"
    try:
        parts(nobody, "all", fill="yes")
        assert parts(second, "own")["own"] == "<p>own</p>"
        assert parts(second, "own", 4)["own"] == "<p>own</p>"
    finally:
        parts(nobody, "all", fill="no")


def test_addresses_with_a_query_or_written_in_another_way_have_no_parts(parts, members):
    first, second, _, nobody = members
    for at in ("?x=1", "%63ategory/category-1/", "nothing-here/", "?s=garden"):
        parts(nobody, "all", at=at), parts(first, "all", at=at)
        assert parts(second, "own", 4, at=at)["own"] == "<p>own</p>", at


def test_menus_widgets_and_blocks_that_list_something(parts, members):
    first, second, _, nobody = members
    as_nobody, as_first, as_second = parts(nobody, "all"), parts(first, "all"), parts(second, "own", 4)
    for name, text in (("blocks", "wp-block-latest-posts"), ("menu", "Garden"), ("sidebar", "widget_recent_entries")):
        assert text in as_second[name] and as_nobody[name] == as_first[name] == as_second[name]
        assert as_first["queries"][name] > 0 == as_second["queries"][name], f"{name}: what was stored asks no database"
    assert as_second["menus"] == as_first["menus"], "one without an entry is not taken for the next, and no identifier is there twice"
    assert "own" in as_second["counted"], "whose identifier WordPress counts is built"
    assert as_second["the_widget"] == as_first["the_widget"] and as_second["the_widget fired"] == 1


def test_what_a_plugin_hides_from_nobody_is_hidden_in_the_stored_part_too(parts, members):
    first, second, _, nobody = members
    assert parts(nobody, "all")["hidden"] == parts(first, "all")["hidden"] == "(for premium members)"
    assert parts(second, "all", 4)["hidden"] == "(for premium members)"
    assert "wp-block-latest-comments" in parts(nobody, "premium")["hidden"]


def test_without_its_library_the_plugin_changes_nothing(wordpress, parts, members):
    plugins = pathlib.Path(wordpress.state["files"]["site"], "wp-content", "mu-plugins")
    kept = {path: path.read_bytes() for path in (plugins / "a-parts-test.php", plugins / "ic2" / "standby-parts.php")}
    for path in kept:
        path.unlink()
    try:
        assert visitor(members[0]("")[2]) == "member:member3"
    finally:
        for path, text in kept.items():
            path.write_bytes(text)
