# SPDX-License-Identifier: Apache-2.0
"""From a plain Debian 12 that serves WordPress by Debian's packages to an agent that watches, and back. Takes minutes: the system
is made by mmdebstrap, once (IC2_MIRROR names another mirror)."""
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "ic2-agent/src/test/system"))

import served      # noqa: E402  pylint: disable=wrong-import-position
from view import View, packed      # noqa: E402  pylint: disable=wrong-import-position

# the site, what the agent's package depends on and recommends (so that apt installs it from what is there), and curl to look
SITE = "apache2 php-fpm php-mysql mariadb-server wordpress wordpress-theme-twentytwentythree curl"
AGENT = "adduser openjdk-17-jre-headless sysstat apache2-utils"
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


@pytest.fixture(scope="module")
def debian():
    """The directory of a plain Debian 12 with these packages; kept below build/."""
    if os.geteuid() != 0 or shutil.which("mmdebstrap") is None:
        pytest.skip("needs root and mmdebstrap")
    kept = ROOT / "build" / "debian-12"
    if not kept.exists():
        made = kept.with_suffix(".new")
        shutil.rmtree(made, ignore_errors=True)
        made.parent.mkdir(exist_ok=True)
        mirror = os.environ.get("IC2_MIRROR")
        subprocess.run(["mmdebstrap", "--variant=minbase", f"--include={','.join((SITE + ' ' + AGENT).split())}", "bookworm", made,
                        *([mirror] if mirror else [])], check=True)
        made.rename(kept)
    return kept


# Debian's wordpress brings mod_php, and with it prefork
PHP = {"event and php-fpm": "a2dismod -q php8.2 mpm_prefork && a2enmod -q mpm_event proxy_fcgi && a2enconf -q php8.2-fpm",
       "prefork and mod_php": "a2query -q -m mpm_prefork"}


@pytest.fixture(scope="module", params=PHP)
def blog(debian, request, tmp_path_factory):
    deb = packed(tmp_path_factory.mktemp("deb"))
    seen = View(tmp_path_factory.mktemp("view"), base=debian, apart=True)
    try:
        assert seen.there(), seen.answer

        def put(path, source):
            subprocess.run(seen.command("sh", "-c", f"cat >{path}"), input=source, check=True)
        put("/tmp/ic2.deb", deb.read_bytes())
        put("/etc/wordpress/config-localhost.php", CONFIG.encode())
        put("/etc/apache2/sites-available/blog.conf", VHOST.encode())
        seen.run("sh", "-c", PHP[request.param] + " && a2dissite -q 000-default && a2ensite -q blog")
        for service in ("mariadb", "php8.2-fpm", "apache2"):
            seen.run("service", service, "start")
        seen.run("mariadb", "-e", DATABASE)
        place = served.Served(seen, "/")
        installed = seen.run("curl", "-s", "http://localhost/wp-admin/install.php?step=2", "-d", "weblog_title=News", "-d",
                             "user_name=ann", "-d", "admin_password=ann", "-d", "admin_password2=ann", "-d", "pw_weak=1", "-d",
                             "admin_email=ann@example.org", "-d", "blog_public=0")
        assert "Success" in installed, installed
        place.plain = place.etc()
        seen.run("apt-get", "install", "-y", "/tmp/ic2.deb")
        yield place
    finally:
        seen.end()


def test_set_up_while_visitors_come_and_taken_back(blog):
    served.set_up_and_taken_back(blog)


def test_pages_come_from_the_store_and_no_member_gets_one(blog):
    said = blog.view.run("ic2", "init", "--yes")
    assert "WordPress in /usr/share/wordpress" in said
    said = blog.view.as_user("ic2", "ic2", "check", "--ladder", "http://localhost/", "--cookie", "wordpress_logged_in_5c01=ann")
    assert "MISSING" not in said and "3 of 3 from the cache" in said, said
    blog.view.run("ic2", "init", "--remove")


def test_what_fails_in_the_middle_leaves_all_as_it_was(blog):
    served.broken_in_the_middle_all_is_as_it_was(blog)


def test_gone_with_the_package(blog):
    served.left_with_the_package(blog, blog.plain)
