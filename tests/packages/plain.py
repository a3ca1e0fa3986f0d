# SPDX-License-Identifier: Apache-2.0
"""A plain Debian 12 or 13 in a directory, made by mmdebstrap once, and a WordPress that it serves by Debian's packages. Takes minutes; as
root. IC2_MIRROR names another mirror (its URL, or a file of apt's lines)."""
import fcntl
import functools
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "ic2-agent/src/test/system"))

import served      # noqa: E402  pylint: disable=wrong-import-position
from view import packed     # noqa: E402  pylint: disable=wrong-import-position

# the sites; what the agent's package depends on and recommends (so that apt installs it from what is there); what looks after a
# server; and curl to look
SITE = "apache2 php-fpm php-mysql mariadb-server wordpress wordpress-theme-twentytwentythree mediawiki php-apcu dokuwiki"
AGENT = "adduser default-jre-headless sysstat"
CARE = "logrotate unattended-upgrades curl systemd-sysv"
RELEASES = {"bookworm": "debian-12", "trixie": "debian-13"}
DATABASE = "CREATE DATABASE blog; CREATE USER blog@localhost IDENTIFIED BY 'blog'; GRANT ALL ON blog.* TO blog@localhost"
CONFIG = """<?php
define('DB_NAME', 'blog'); define('DB_USER', 'blog'); define('DB_PASSWORD', 'blog'); define('DB_HOST', 'localhost');
define('WP_CONTENT_DIR', '/var/lib/wordpress/wp-content'); define('AUTOMATIC_UPDATER_DISABLED', true); define('DISABLE_WP_CRON', true);
"""
VHOST = """<VirtualHost *:80>
    ServerName localhost
    DocumentRoot /usr/share/wordpress
    <Directory /usr/share/wordpress>
        Require all granted
    </Directory>
    Alias /wp-content /var/lib/wordpress/wp-content
    <Directory /var/lib/wordpress/wp-content>
        Require all granted
    </Directory>
</VirtualHost>
"""
# Debian's wordpress brings mod_php, and with it prefork
PHP = {"event and php-fpm": "php=php$(ls /etc/php) && a2dismod -q $php mpm_prefork && a2enmod -q mpm_event proxy_fcgi && a2enconf -q $php-fpm",
       "prefork and mod_php": "a2query -q -m mpm_prefork"}
# no application but the one that a test asks for
ALONE = "for each in mediawiki dokuwiki javascript-common; do ! a2query -q -c $each || a2disconf -q $each; done"
PATIENCE_S = 300


def system(name, packages, release="bookworm"):
    """The directory of a system with these packages; kept below build/ until others are asked for."""
    if os.geteuid() != 0 or shutil.which("mmdebstrap") is None:
        pytest.skip("needs root and mmdebstrap")
    kept, wanted = ROOT / "build" / name, ",".join(sorted(packages.split()))
    said = ROOT / "build" / f"{name}.packages"
    kept.parent.mkdir(exist_ok=True)
    with open(ROOT / "build" / f"{name}.lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not said.exists() or said.read_text(encoding="ascii") != wanted:
            said.unlink(missing_ok=True)
            shutil.rmtree(kept, ignore_errors=True)
            mirror = os.environ.get("IC2_MIRROR")
            subprocess.run(["mmdebstrap", "--variant=minbase", f"--include={wanted}", release, kept, *([mirror] if mirror else [])],
                           check=True)
            said.write_text(wanted, encoding="ascii")
    return kept


def debian(release):
    """The directory of a plain Debian with the sites and with what the agent needs."""
    return system(RELEASES[release], f"{SITE} {AGENT} {CARE}", release)


def module(release):
    """The package of mod_standby, built if something has changed."""
    subprocess.run([ROOT / "packaging/make-mod-standby", "--release", release], check=True, stdout=subprocess.DEVNULL)
    deb, = (ROOT / "build/packages" / release).glob("libapache2-mod-standby_*.deb")
    return deb


@functools.cache
def agent():
    """Its package, made once in a run of the tests."""
    with tempfile.TemporaryDirectory() as directory:
        return packed(directory).read_bytes()


def have_agent(view):
    """The agent's package lies in /tmp, and the one that it recommends beside it."""
    release = view.run("sh", "-c", ". /etc/os-release && echo $VERSION_CODENAME").strip()
    put(view, "/tmp/ic2.deb", agent())
    put(view, "/tmp/libapache2-mod-standby.deb", module(release).read_bytes())


def install_agent(view):
    view.run("apt-get", "install", "-y", "/tmp/ic2.deb", "/tmp/libapache2-mod-standby.deb")


def purge_agent(view):
    """With what was installed for it alone."""
    view.run("apt-get", "purge", "-y", "ic2", "libapache2-mod-standby")


def put(view, path, source):
    subprocess.run(view.command("sh", "-c", f"cat >{path}"), input=source, check=True)


def answer(view):
    """The status of the site's first page; 000 while httpd does not listen, which a start or restart does not wait for."""
    asked = view.command("curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", "http://localhost/")
    return subprocess.run(asked, capture_output=True, text=True, check=False).stdout


def serves(view):
    served.wait(lambda: answer(view) == "200", "the site after a start", PATIENCE_S)


def start(view, *services):
    """php-fpm is the one that is installed."""
    for service in services:
        name = f"php{view.run('ls', '/etc/php').strip()}-fpm" if service == "php-fpm" else service
        view.run("service", name, "start")


def wordpress(view, php):
    """A WordPress that the view serves, installed."""
    assert view.there(), view.answer
    put(view, "/etc/wordpress/config-localhost.php", CONFIG.encode())
    put(view, "/etc/apache2/sites-available/blog.conf", VHOST.encode())
    view.run("sh", "-c", f"{ALONE} && {PHP[php]} && a2dissite -q 000-default && a2ensite -q blog")
    start(view, "mariadb", "php-fpm", "apache2")
    view.run("mariadb", "-e", DATABASE)
    served.wait(lambda: answer(view) != "000", "httpd", PATIENCE_S)
    installed = view.run("curl", "-s", "http://localhost/wp-admin/install.php?step=2", "-d", "weblog_title=News", "-d",
                         "user_name=ann", "-d", "admin_password=ann", "-d", "admin_password2=ann", "-d", "pw_weak=1", "-d",
                         "admin_email=ann@example.org", "-d", "blog_public=0")
    assert "Success" in installed, installed
    return served.Served(view, "/")
