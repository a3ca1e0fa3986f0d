# SPDX-License-Identifier: Apache-2.0
"""`ic2 init` on Debian's own Apache and php-fpm, installed in a view of this machine: set up while visitors come, and taken back."""
import os
import pathlib
import platform
import shutil
import subprocess

import pytest

import served
from view import View, packed

ROOT = pathlib.Path(__file__).resolve().parents[4]
PACKAGES = ("apache2", "apache2-bin", "apache2-data", "apache2-utils")


@pytest.fixture(scope="module")
def apache():
    """Debian's packages, as apt has them here; kept for the next time."""
    target = ROOT / "build" / "debian-apache2"
    if not target.exists():
        work = target.with_suffix(f".{os.getpid()}")
        work.mkdir(parents=True)
        done = subprocess.run(["apt-get", "download", "-o", "APT::Sandbox::User=root", *PACKAGES], cwd=work, capture_output=True,
                              text=True, check=False)
        if done.returncode:
            shutil.rmtree(work)
            pytest.skip(f"apt cannot download {' '.join(PACKAGES)}: {done.stderr.strip()}")
        work.rename(target)
    return target


@pytest.fixture(scope="module")
def standby():
    """The package of mod_standby for this release, built if it has to be."""
    subprocess.run([ROOT / "packaging" / "make-mod-standby", "--optional"], check=True, stdout=subprocess.DEVNULL, timeout=1800)
    release = platform.freedesktop_os_release()["VERSION_CODENAME"]
    built = sorted((ROOT / "build" / "packages" / release).glob("libapache2-mod-standby_*.deb"), key=lambda deb: deb.stat().st_mtime)
    if not built:
        pytest.skip("packaging/make-mod-standby cannot build the module here")
    return built[-1]


@pytest.fixture(scope="module")
def site(apache, standby, tmp_path_factory):
    if os.geteuid() != 0:
        pytest.skip("only root sees the machine with changes of its own")
    if shutil.which("dh") is None or not any(pathlib.Path("/usr/sbin").glob("php-fpm*")):
        pytest.skip("debhelper or php-fpm is missing (make deps)")
    deb = packed(tmp_path_factory.mktemp("deb"))
    seen = View(tmp_path_factory.mktemp("view"), apart=True)
    try:
        if not seen.there():
            pytest.skip(f"no view of this machine can be made here: {seen.answer}")
        for package in [*sorted(apache.glob("*.deb")), standby, deb]:
            with open(package, "rb") as content:
                subprocess.run(seen.command("sh", "-c", f"cat >/tmp/{package.name}"), stdin=content, check=True)
        # what the machine has not of what they depend on is not needed here; nor does the policy let a service be started
        seen.run("sh", "-c", "dpkg --no-triggers --force-depends --install /tmp/apache2*.deb /tmp/libapache2*.deb")
        seen.run("rm", "-rf", "/run/systemd/system")     # nobody is there who would start units
        seen.run("sh", "-c", "a2enmod -q proxy_fcgi && mkdir -p /var/www/html /run/php /run/apache2 /var/lock/apache2")
        seen.run("sh", "-c", "rm -f /var/www/html/* && cd /var/www/html && echo '<?php echo \"<title>News</title>\";' >index.php && "
                 "cp index.php wp-login.php && a2enconf -q php$(ls /etc/php)-fpm")
        seen.run("sh", "-c", "php-fpm$(ls /etc/php) --daemonize >/dev/null 2>&1 && apache2ctl start")
        place = served.Served(seen, "/")
        served.wait(lambda: place.status("/") == "200", "the site")
        place.plain = place.etc()
        seen.run("sh", "-c", "dpkg --no-triggers --force-depends --install /tmp/ic2_*.deb")
        yield place
    finally:
        seen.end()


def test_set_up_while_visitors_come_and_taken_back(site):
    served.set_up_and_taken_back(site)


def test_what_fails_in_the_middle_leaves_all_as_it_was(site):
    served.broken_in_the_middle_all_is_as_it_was(site)


def test_a_signal_in_the_middle_leaves_all_as_it_was(site):
    served.ended_in_the_middle_all_is_as_it_was(site)


def test_an_empty_ladder_has_an_exit_status_of_its_own(site):
    served.an_empty_ladder_is_said(site, "/var/www/html/index.php")


def test_gone_with_the_package(site):
    served.left_with_the_package(site, site.plain)
