# SPDX-License-Identifier: Apache-2.0
"""The package libapache2-mod-standby of each release that was built here (packaging/make-mod-standby --release NAME), on a plain system of
it with the distribution's own apache2, and on ours where it was built: installed, enabled, upgraded, removed while the site serves."""
import subprocess

import pytest
from booted import Booted, Unbootable
from plain import ROOT, module, put, served, serves, system

BUILT = sorted(mark.parent.name for mark in (ROOT / "build/packages").glob("*/.built-standby")) or ["bookworm"]
LADDER = """StandbyLevel file /run/level
StandbyStore /run/ic2-standby
<Directory /var/www/html>
    StandbyApplication /var/www/html/index.html
    StandbyPages /
</Directory>
"""


@pytest.fixture(scope="module", params=BUILT)
def site(request, tmp_path_factory):
    """A plain system that serves a page, on systemd."""
    deb = module(request.param)
    base = system(f"{request.param}-small", "apache2 curl procps systemd-sysv", request.param)
    try:
        view = Booted(tmp_path_factory.mktemp("view"), base)
    except Unbootable as reason:
        pytest.skip(f"systemd can't be started here: {reason}")
    try:
        put(view, "/tmp/standby.deb", deb.read_bytes())
        put(view, "/etc/apache2/conf-available/ladder.conf", LADDER.encode())
        view.run("systemctl", "start", "apache2")
        serves(view)
        place = served.Served(view, "/")
        place.release = request.param
        place.deb = deb
        yield place
    finally:
        view.end()


def test_lintian(site):
    # a version with a commit and with changes makes the name of the file long
    subprocess.run(["lintian", "--allow-root", "--fail-on", "warning", "--suppress-tags", "package-has-long-file-name", site.deb], check=True)


def install(site):
    site.view.run("sh", "-c", "DEBIAN_FRONTEND=noninteractive apt-get install -y --reinstall /tmp/standby.deb")


def enabled(site):
    return "(enabled by" in site.view.run("sh", "-c", "a2query -m standby 2>&1 || true")


def cached(site, address):
    """X-Cache of the page as somebody from there gets it; None without one."""
    said = site.view.run("curl", "-si", "--interface", address, "http://localhost/")
    assert said.startswith("HTTP/1.1 200"), said
    return next((line.split(": ")[1] for line in said.splitlines() if line.startswith("X-Cache: ")), None)


def from_the_store(site):
    """Two visitors have the page built at level 0; a third gets it at level 3."""
    put(site.view, "/run/level", b"MITIGATION 0\n")
    served.wait(lambda: [cached(site, address) for address in ("127.0.0.2", "127.0.0.3")] == ["MISS", "MISS"], "the module")
    put(site.view, "/run/level", b"MITIGATION 3\n")
    return cached(site, "127.0.0.4") == "HIT"


def parent(site):
    return site.view.run("cat", "/var/run/apache2/apache2.pid")


def test_installation_leaves_httpd_alone(site):
    before, reloads, etc = parent(site), site.reloads(), site.etc()
    install(site)
    assert not enabled(site)
    assert parent(site) == before and site.reloads() == reloads
    served.same([line for line in site.etc() if "standby" not in line], etc)


def test_enabled_without_directives_it_does_nothing(site):
    site.view.run("sh", "-c", "a2enmod -q standby && systemctl reload apache2")
    served.wait(lambda: "StandbyStore: off" in site.view.run("curl", "-s", "http://127.0.0.1/server-status?auto"), "the module")
    assert cached(site, "127.0.0.2") is None


def test_pages_come_from_the_store(site):
    site.view.run("sh", "-c", "a2enconf -q ladder && apache2ctl -t && systemctl reload apache2")
    assert from_the_store(site)
    assert site.view.run("stat", "-c", "%U %a", "/run/ic2-standby").strip() == "www-data 700"


def test_upgrade_reloads_httpd_gracefully(site):
    before, reloads = parent(site), site.reloads()
    with site.visitors() as visitors:
        install(site)
        served.wait(lambda: site.reloads() == reloads + 1, "the reload")
    assert set(visitors.answers) == {"200"}, "no request failed"
    assert enabled(site) and parent(site) == before
    assert from_the_store(site)


def test_it_works_in_httpd_with_online_reconfiguration(site):
    """The same file: both have one interface for modules."""
    ours = sorted((ROOT / "build/packages" / site.release).glob("apache2*.deb"))
    if not ours:
        pytest.skip(f"packaging/make-apache2 --release {site.release} was not run")
    view = site.view
    view.run("mkdir", "-p", "/tmp/ours")
    for deb in ours:
        put(view, f"/tmp/ours/{deb.name}", deb.read_bytes())
    view.run("sh", "-c", "DEBIAN_FRONTEND=noninteractive apt-get install -y --allow-downgrades /tmp/ours/*.deb")
    view.run("systemctl", "restart", "apache2")
    serves(view)
    assert "online_env_module" in view.run("apache2ctl", "-M") and enabled(site)
    assert from_the_store(site)


def test_configuration_that_still_names_it_does_not_end_httpd(site):
    """A removal cannot reload httpd then, and says so; it serves on as it was."""
    said = site.view.run("sh", "-c", "DEBIAN_FRONTEND=noninteractive apt-get remove -y libapache2-mod-standby 2>&1")
    assert "Your configuration is broken. Not reloading Apache 2" in said and "Invalid command 'StandbyLevel'" in said, said
    serves(site.view)
    install(site)
    site.view.run("sh", "-c", "a2enmod -q standby && apache2ctl -t && systemctl reload apache2")
    assert from_the_store(site)


def test_purge_leaves_nothing(site):
    site.view.run("a2disconf", "-q", "ladder")
    reloads = site.reloads()
    with site.visitors() as visitors:
        site.view.run("sh", "-c", "DEBIAN_FRONTEND=noninteractive apt-get purge -y libapache2-mod-standby")
        served.wait(lambda: site.reloads() > reloads, "the reload")
    assert set(visitors.answers) == {"200"}, "no request failed"
    assert site.view.run("sh", "-c", "ls -d /run/ic2-standby /etc/apache2/mods-*/*standby* /usr/lib/apache2/modules/mod_standby.so "
                         "/var/lib/apache2/module/*/*standby* 2>/dev/null || true") == ""
    assert cached(site, "127.0.0.2") is None
