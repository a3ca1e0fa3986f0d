# SPDX-License-Identifier: Apache-2.0
"""Debian's apache2 beside a site that runs, in its place the one with online reconfiguration, and back: configuration, service and
visitors. `packaging/make-apache2` builds it first, which takes ten minutes, if nothing is built or something has changed."""
import hashlib
import re
import shutil
import subprocess

import pytest
from booted import Booted, Unbootable
from plain import PATIENCE_S, ROOT, debian, have_agent, install_agent, purge_agent, put, served, serves, wordpress

NEEDED = ("apache2", "apache2-bin", "apache2-data", "apache2-utils")
NEW = ["/etc/apache2/conf-available/online-reconfigure.conf", "/etc/apache2/tunables.conf"]
SERVER_STATUS = "http://127.0.0.1:8099/server-status?auto"
STATUS_PAGE = """Listen 127.0.0.1:8099
<VirtualHost 127.0.0.1:8099>
    <Location /server-status>
        SetHandler server-status
        Require local
    </Location>
</VirtualHost>
"""
RELEASE = """Origin: Debian
Label: Debian-Security
Suite: oldstable-security
Codename: bookworm-security
Architectures: {architecture}
SHA256:
 {sum} {size} Packages
"""


def packages(folder):
    return sorted(folder.glob("apache2*.deb"))


@pytest.fixture(scope="module")
def ours():
    """The folder with the packages of this tree."""
    subprocess.run([ROOT / "packaging/make-apache2", "--release", "bookworm", "--allow-older"], check=True)
    return ROOT / "build/packages/bookworm"


@pytest.fixture(scope="module")
def version(ours):
    return subprocess.run(["dpkg-deb", "--field", packages(ours)[0], "Version"], check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture(scope="module")
def theirs(ours, version, tmp_path_factory):
    """A folder with Debian's packages of which ours were made."""
    folder = tmp_path_factory.mktemp("theirs")
    system, made_of = ROOT / "build/apache2/bookworm", version.split("+ic2.")[0]
    wanted = " ".join(f"{name}={made_of}" for name in NEEDED)
    subprocess.run(["chroot", system, "sh", "-c", f"rm -rf /theirs && mkdir /theirs && cd /theirs && apt-get -q download {wanted}"],
                   check=True)
    for deb in packages(system / "theirs"):
        deb.rename(folder / deb.name)
    assert len(packages(folder)) == len(NEEDED)
    return folder


def install(view, folder):
    view.run("sh", "-c", f"DEBIAN_FRONTEND=noninteractive apt-get install -y --allow-downgrades /tmp/{folder}/*.deb")


def installed(view):
    return set(view.run("dpkg-query", "-W", "-f", "${Version}\n", *NEEDED).split())


@pytest.fixture(scope="module")
def site(ours, theirs, tmp_path_factory):
    """A WordPress behind Debian's own apache2, on systemd."""
    try:
        seen = Booted(tmp_path_factory.mktemp("view"), debian("bookworm"))
    except Unbootable as reason:
        pytest.skip(f"systemd can't be started here: {reason}")
    try:
        place = wordpress(seen, "event and php-fpm")
        for name, folder in ("ours", ours), ("theirs", theirs):
            seen.run("mkdir", f"/tmp/{name}")
            for deb in packages(folder):
                put(seen, f"/tmp/{name}/{deb.name}", deb.read_bytes())
        put(seen, "/etc/apache2/conf-available/status-page.conf", STATUS_PAGE.encode())
        seen.run("a2enconf", "-q", "status-page")
        install(seen, "theirs")
        place.plain = place.etc()
        yield place
    finally:
        seen.end()


def status(site):
    return dict(line.split(": ", 1) for line in site.view.run("curl", "-s", SERVER_STATUS).splitlines() if ": " in line)


def reload(site, *command):
    """By the command, or as systemd does it."""
    before = status(site)["ParentServerConfigGeneration"]
    site.view.run(*(command or ("systemctl", "reload", "apache2")))
    served.wait(lambda: status(site)["ParentServerConfigGeneration"] != before, "the next generation", PATIENCE_S)


def changed(site):
    """The files of /etc that are not as they were with Debian's own."""
    return sorted({re.search(r"/etc/\S*", line)[0] for line in set(site.etc()) ^ set(site.plain)})


def test_it_takes_the_place_of_debians_and_changes_no_configuration(site, version):
    serves(site.view)
    assert installed(site.view) == {version.split("+ic2.")[0]}
    install(site.view, "ours")
    assert installed(site.view) == {version}
    serves(site.view)
    assert status(site)["MaxRequestWorkers"] == "150", "what mpm_event.conf says"
    assert changed(site) == NEW


def test_the_command_tells_what_it_wants(site):
    view = site.view
    usage = view.run("apache2ctl", "help", status=1)
    assert "reconfigure [--force] [NAME=value ...]" in usage
    # what Debian's completion offers: the third word of the first line
    assert "reconfigure" in usage.splitlines()[0].split()[2].split("|")
    for page in ("apache2ctl.8", "htreconfigure.8"):
        assert b"reconfigure" in subprocess.run(view.command("zcat", f"/usr/share/man/man8/{page}.gz"), check=True, capture_output=True).stdout
    refused = view.run("apache2ctl", "reconfigure", "MaxRequestWorkers=100", status=1)
    assert "there is no ReconfigureFile in the configuration" in refused


def test_ic2_finds_it_and_drives_it(site):
    """With the units of its package: the agent without privileges, the helper behind its socket."""
    view = site.view
    have_agent(view)
    install_agent(view)
    said = view.run("ic2", "init", "--yes")
    assert "with online variables" in said and "MISSING" not in said, said
    view.run("systemctl", "start", "ic2")
    view.as_user("ic2", "ic2", "apply", "--mitigation", "3")
    assert site.level_in_force() == "3"
    view.as_user("ic2", "ic2", "restore")
    assert site.level_in_force() == "0"
    view.run("systemctl", "stop", "ic2")
    view.run("ic2", "init", "--remove")
    purge_agent(view)
    assert changed(site) == NEW


def test_values_change_while_it_serves_and_stay(site):
    view = site.view
    with site.visitors() as visitors:
        view.run("a2enconf", "-q", "online-reconfigure")
        reload(site)
        seen = len(visitors.answers)
        done = view.run("apache2ctl", "reconfigure", "MaxRequestWorkers=100", "KeepAliveTimeout=7", "MITIGATION=2")
        assert "MaxRequestWorkers: 150 -> 100\nKeepAliveTimeout: 5000ms -> 7000ms\nMITIGATION: 0 -> 2\nreconfigured: " in done, done
        served.wait(lambda: len(visitors.answers) > seen + 20, "more visitors", PATIENCE_S)
        refused = view.run("apache2ctl", "reconfigure", "MaxRequestWorkers=100000", status=1)
        assert "/etc/apache2/tunables.conf:" in refused and "nothing was changed" in refused
        # a2enconf's link is there, and what is read there wins over mods-enabled/mpm_event.conf
        assert view.run("readlink", "/etc/apache2/conf-enabled/online-reconfigure.conf").strip() == "../conf-available/online-reconfigure.conf"
        view.run("a2enconf", "-q", "online-reconfigure")
        reload(site)
        assert "MaxRequestWorkers: 100 -> 100\nKeepAliveTimeout: 7000ms -> 7000ms\nMITIGATION: 2 -> 2\n" in view.run("apache2ctl", "reconfigure")
    assert set(visitors.answers) == {"200"}, "no request failed"


def test_logs_are_rotated(site):
    view = site.view
    with site.visitors() as visitors:
        reload(site, "logrotate", "--force", "/etc/logrotate.d/apache2")
        assert view.has("/var/log/apache2/other_vhosts_access.log.1") or view.has("/var/log/apache2/access.log.1")
        served.wait(lambda: "GET / " in view.run("sh", "-c", "cat /var/log/apache2/*access.log"), "a page in the new log", PATIENCE_S)
        assert status(site)["MaxRequestWorkers"] == "100"
    assert set(visitors.answers) == {"200"}, "no request failed"


@pytest.fixture
def security_update(site, version, theirs, tmp_path):
    """apt's lists name a newer apache2 of Debian's, as an update of its security team's. Yields its version."""
    made_of = version.split("+ic2.")[0]
    newer = made_of + ".9"
    for deb in packages(theirs):
        subprocess.run(["dpkg-deb", "--raw-extract", deb, tmp_path / "deb"], check=True)
        control = tmp_path / "deb/DEBIAN/control"
        control.write_text(control.read_text(encoding="utf-8").replace(made_of, newer), encoding="utf-8")
        subprocess.run(["dpkg-deb", "--build", tmp_path / "deb", tmp_path], check=True, capture_output=True)
        shutil.rmtree(tmp_path / "deb")
    architecture = subprocess.run(["dpkg", "--print-architecture"], check=True, capture_output=True, text=True).stdout.strip()
    listed = subprocess.run(["dpkg-scanpackages", "."], cwd=tmp_path, check=True, capture_output=True).stdout
    release = RELEASE.format(architecture=architecture, sum=hashlib.sha256(listed).hexdigest(), size=len(listed))
    site.view.run("mkdir", "/tmp/security")
    put(site.view, "/tmp/security/Packages", listed)
    put(site.view, "/tmp/security/Release", release.encode())
    for deb in packages(tmp_path):
        put(site.view, f"/tmp/security/{deb.name}", deb.read_bytes())
    site.view.run("sh", "-c", "mv /etc/apt/sources.list /tmp && echo 'deb [trusted=yes] file:/tmp/security ./' >/etc/apt/sources.list")
    site.view.run("apt-get", "update")
    yield newer
    site.view.run("mv", "/tmp/sources.list", "/etc/apt/sources.list")


def candidate(view):
    return re.search(r"Candidate: (\S+)", view.run("apt-cache", "policy", "apache2-bin"))[1]


def test_the_pin_keeps_it_and_a_newer_one_is_told(site, version, security_update):
    view, pin = site.view, "/etc/apt/preferences.d/apache2-ic2.pref"
    assert candidate(view) == security_update
    assert f"Inst apache2-bin [{version}] ({security_update}" in view.run("apt-get", "-s", "upgrade")
    assert f"apache2-bin_{security_update}" in view.run("unattended-upgrade", "--dry-run", "--debug").replace("%3a", ":")
    view.run("cp", "/usr/share/doc/apache2/examples/apache2-ic2.pref", pin)
    assert candidate(view) == version
    assert "Inst apache2" not in view.run("apt-get", "-s", "dist-upgrade")
    assert f"apache2-bin_{security_update}" not in view.run("unattended-upgrade", "--dry-run", "--debug")
    said = view.run("/usr/share/apache2/apache2-newer", status=1)
    assert said.startswith(f"apache2 {security_update} is listed; ") and version.split("+ic2.")[0] in said
    # and who has taken the newer one is not brought back
    assert "DOWNGRADED" not in view.run("apt-get", "-s", "install", f"apache2-bin={security_update}", f"apache2-data={security_update}",
                                        f"apache2-utils={security_update}", f"apache2={security_update}")
    view.run("rm", pin)


def test_back_to_debians_it_serves_on_and_the_values_are_those_of_its_configuration(site, version):
    """What a2enconf has enabled does no harm there."""
    install(site.view, "theirs")
    assert installed(site.view) == {version.split("+ic2.")[0]}
    serves(site.view)
    assert "Syntax OK" in site.view.run("apache2ctl", "-t")
    assert "Usage" in site.view.run("apache2ctl", "reconfigure", "MaxRequestWorkers=90", status=1)
    site.view.run("a2disconf", "-q", "online-reconfigure")
    reload(site)
    assert changed(site) == NEW
    serves(site.view)


def test_a_purge_leaves_nothing_of_it(site):
    install(site.view, "ours")
    site.view.run("a2enconf", "-q", "online-reconfigure")
    site.view.run("sh", "-c", "DEBIAN_FRONTEND=noninteractive apt-get purge -y apache2 apache2-bin apache2-data apache2-utils")
    assert site.view.run("sh", "-c", "find /etc /usr -name tunables.conf -o -name '*online-reconfigure*' -o -name 'htreconfigure*' "
                         "-o -name apache2-newer -o -name apache2-ic2.pref") == ""


def test_lintian_has_no_error_that_debians_have_not(ours, theirs):
    def errors(folder):
        said = subprocess.run(["lintian", "--allow-root", "--no-tag-display-limit", *packages(folder)], capture_output=True, text=True, check=False)
        return {line for line in said.stdout.splitlines() if line.startswith("E: ")}
    assert errors(ours) - errors(theirs) == set()
