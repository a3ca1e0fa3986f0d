# SPDX-License-Identifier: Apache-2.0
"""mod_standby: PURGE takes pages away, from this machine and the named addresses only, and a graceful restart leaves them."""

import pytest

from harness.ladder import hit, new_visitor, running_tier


def tier_of(name, request, **kwargs):
    return running_tier(name, sanitized=request.config.getoption("--asan"), **kwargs)


def purge(tier, path, **kwargs):
    return tier.server.get(path, method="PURGE", **{"source": "127.0.0.1", **kwargs}).status


@pytest.fixture(scope="module", params=["stock", "worker", "prefork"])
def purged(request):
    with tier_of(request.param, request) as tier:
        yield tier


def test_purge_takes_all_copies_of_a_page_away(purged):
    tier = purged
    tier.go(4)
    for headers in ({"Accept-Encoding": "gzip"}, {"Accept-Encoding": "identity"}, {"Accept": "text/html"}):
        tier.until_kept("/purge?page=2", headers=headers)
    tier.until_kept("/purge?page=3")
    assert [purge(tier, "/purge?page=2"), purge(tier, "/purge?page=2"), purge(tier, "/never-built")] == [200, 404, 404]
    for headers in ({"Accept-Encoding": "gzip"}, {"Accept-Encoding": "identity"}, {"Accept": "text/html"}):
        assert not hit(tier.page("/purge?page=2", headers=headers, source=new_visitor())[1])
    assert hit(tier.page("/purge?page=3", source=new_visitor())[1])
    tier.until_kept("/purge?page=2")


@pytest.mark.parametrize("way", [{"method": "HEAD"}, {"headers": {"If-Match": '"x"', "Accept-Language": "qq"}},
                                 {"headers": {"Range": "bytes=0-", "Accept-Language": "qq"}}], ids=["head", "if-match", "range"])
def test_answer_that_is_about_the_request_takes_no_page_away(purged, way):
    tier = purged
    path = f"/refuses/{way.get('method', 'condition')}-{len(way.get('headers', {}).get('Range', ''))}"
    tier.application.further[path] = lambda p: [("Status", "405 Not Allowed")] if p["REQUEST_METHOD"] == "HEAD" else (
        [("Status", "412 Precondition Failed")] if "HTTP_IF_MATCH" in p or "HTTP_RANGE" in p else [])
    tier.go(4)
    tier.until_kept(path)
    assert tier.server.get(path, source=new_visitor(), **way).status in (200, 405, 412)
    assert hit(tier.page(path, source=new_visitor())[1])


def test_page_that_is_gone_is_taken_away(purged):
    tier = purged
    tier.go(4)
    tier.until_kept("/gone")
    tier.application.further["/gone"] = [("Status", "410 Gone")]
    assert tier.server.get("/gone", source=new_visitor(), headers={"Accept-Language": "qq"}).status == 410
    assert tier.server.get("/gone", source=new_visitor(), headers={"Accept-Encoding": "gzip"}).status == 410


def test_purged_page_is_served_as_it_is_now(purged):
    tier = purged
    tier.go(4)
    tier.application.shows = {"/edited": "before"}
    tier.until_kept("/edited")
    tier.application.shows = {"/edited": "after"}
    assert purge(tier, "/edited") == 200
    assert {tier.page("/edited", source=new_visitor())[0]["shows"] for _ in range(4)} == {"after"}


@pytest.mark.parametrize("kwargs",
                         [{"headers": {"X-Forwarded-For": "203.0.113.9"}}, {"headers": {"Forwarded": "for=203.0.113.9"}},
                          {"headers": {"Via": "1.1 proxy"}}],
                         ids=["x-forwarded-for", "forwarded", "via"])
def test_purge_through_a_proxy_takes_nothing_away(purged, kwargs):
    """A proxy on this machine passes on what strangers say."""
    tier = purged
    tier.go(4)
    tier.until_kept("/guarded")
    purge(tier, "/guarded", **kwargs)
    assert hit(tier.page("/guarded", source=new_visitor())[1])


def test_purge_is_for_the_named_addresses(request):
    with tier_of("worker", request, directives="StandbyPurgeFrom 127.0.0.8/30 10.0.0.1") as tier:
        tier.go(4)
        tier.until_kept("/page")
        for source in ("127.0.0.1", "127.0.0.12", new_visitor()):
            purge(tier, "/page", source=source)
            assert hit(tier.page("/page", source=new_visitor())[1]), source
        assert purge(tier, "/page", source="127.0.0.9") == 200


def test_graceful_restart_keeps_the_store_and_its_proofs(purged):
    tier = purged
    tier.go(4)
    kept = tier.until_kept("/kept")[0]["serial"]
    if tier.server.build.patched:
        tier.server.tunables.write_text(tier.server.tunables.read_text())
    tier.server.log.expect("AH00171")
    tier.server.graceful()
    facts, response = tier.page("/kept", source=new_visitor())
    assert hit(response) and facts["serial"] == kept
    tier.until_kept("/after")
    assert tier.status().lines["StandbyStore"] == "ok"
