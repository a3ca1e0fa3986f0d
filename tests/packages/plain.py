# SPDX-License-Identifier: Apache-2.0
"""A plain Debian 12 in a directory, made by mmdebstrap once, and a WordPress that it serves by Debian's packages. Takes minutes; as
root. IC2_MIRROR names another mirror (its URL, or a file of apt's lines)."""
import fcntl
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "ic2-agent/src/test/system"))

import served      # noqa: E402  pylint: disable=wrong-import-position

# the site; what the agent's package depends on and recommends (so that apt installs it from what is there); what looks after a
# server; and curl to look
SITE = "apache2 php-fpm php-mysql mariadb-server wordpress wordpress-theme-twentytwentythree"
AGENT = "adduser openjdk-17-jre-headless sysstat apache2-utils"
CARE = "logrotate unattended-upgrades curl systemd-sysv"
DATABASE = "CREATE DATABASE blog; CREATE USER blog@localhost IDENTIFIED BY 'blog'; GRANT ALL ON blog.* TO blog@localhost"
CONFIG = """<?php
define('DB_NAME', 'blog'); define('DB_USER', 'blog'); define('DB_PASSWORD', 'blog'); define('DB_HOST', 'localhost');
define('WP_CONTENT_DIR', '/var/lib/wordpress/wp-content'); define('AUTOMATIC_UPDATER_DISABLED', true); define('DISABLE_WP_CRON', true);
"""
VHOST = """<VirtualHost *:80>
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
PHP = {"event and php-fpm": "a2dismod -q php8.2 mpm_prefork && a2enmod -q mpm_event proxy_fcgi && a2enconf -q php8.2-fpm",
       "prefork and mod_php": "a2query -q -m mpm_prefork"}
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


def put(view, path, source):
    subprocess.run(view.command("sh", "-c", f"cat >{path}"), input=source, check=True)


def answer(view):
    """The status of the site's first page; 000 while httpd does not listen, which a start or restart does not wait for."""
    asked = view.command("curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", "http://localhost/")
    return subprocess.run(asked, capture_output=True, text=True, check=False).stdout


def serves(view):
    served.wait(lambda: answer(view) == "200", "the site after a start", PATIENCE_S)


def wordpress(view, php):
    """A WordPress that the view serves, installed."""
    assert view.there(), view.answer
    put(view, "/etc/wordpress/config-localhost.php", CONFIG.encode())
    put(view, "/etc/apache2/sites-available/blog.conf", VHOST.encode())
    view.run("sh", "-c", PHP[php] + " && a2dissite -q 000-default && a2ensite -q blog")
    for service in ("mariadb", "php8.2-fpm", "apache2"):
        view.run("service", service, "start")
    view.run("mariadb", "-e", DATABASE)
    served.wait(lambda: answer(view) != "000", "httpd", PATIENCE_S)
    installed = view.run("curl", "-s", "http://localhost/wp-admin/install.php?step=2", "-d", "weblog_title=News", "-d",
                         "user_name=ann", "-d", "admin_password=ann", "-d", "admin_password2=ann", "-d", "pw_weak=1", "-d",
                         "admin_email=ann@example.org", "-d", "blog_public=0")
    assert "Success" in installed, installed
    return served.Served(view, "/")
