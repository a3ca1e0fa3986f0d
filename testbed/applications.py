# SPDX-License-Identifier: Apache-2.0
"""What can run on a testbed: our own application, and Debian's WordPress as a tenant would have it. Each knows its files,
its data, its part of run.xml and its addresses; `bed` starts and ends both alike."""

import gzip
import os
import pwd
import re
import shutil
from pathlib import Path

from . import processes, services
from .errors import TestbedError
from .layout import DEBIAN, DRIVER, LIMITER, STANDBY


class Olio:
    """Our own application, set up by docker/web/prepare."""

    ports = ("http", "https")
    templates = {"public": DRIVER / "faban" / "META-INF" / "run.xml", "olio": DRIVER / "olio" / "run.xml"}
    database = {"IC2_DB_NAME": "olio", "OLIO_DB_USER": "olio"}

    def check(self, options):
        if options.server != "patched":
            raise TestbedError("--server stock: only with --application wordpress")

    def template(self, options):
        return self.templates[options.profile]

    def missing(self):
        """Commands that get what is not there yet, by what to say of them."""
        return {}

    def prepare(self, layout, options, ports, password):
        """Makes the tier's files; returns the environment of its servers."""
        environment = {
            **own_environment(), "IC2_STATE": str(layout.state), "IC2_HTTPD": os.path.realpath(options.httpd), "IC2_MPM": options.mpm,
            "IC2_HTTP_PORT": str(ports["http"]), "IC2_HTTPS_PORT": str(ports["https"]), "OLIO_PROFILE": options.profile,
            **_limiter(), **options.settings,
        }
        if password:
            environment |= {"OLIO_DSN": f"mysql:unix_socket={services.database_socket(layout)};dbname=olio;charset=utf8mb4",
                            "OLIO_DB_USER": "olio", "OLIO_DB_PASSWORD": password}
        processes.run([layout.served / "docker" / "web" / "prepare"], "preparing the web tier", layout.logs / "prepare.log",
                      environment=environment)
        return services.sourced(layout)

    def load_data(self, layout, options, place, environment):
        """Fills the database; does nothing if the same data are there."""
        processes.run([services.need("php", "php-cli"), Path(environment["IC2_APP"]) / "load.php", "--scale", options.scale,
                       "--seed", str(options.seed)], "loading the data", layout.logs / "load-data.log", place, environment)

    def urls(self, ports):
        base = f"http://127.0.0.1:{ports['http']}"
        return {"status": base + "/server-status?auto", "php_status": base + "/php-status?json"}

    def run_values(self, layout):
        return {}

    def other_mix(self, text):
        """The run.xml of users of whom as many are logged in as else are not."""
        leave = re.search(r"<leave>([^<]*)</leave>", text)
        return text if leave is None else text.replace(leave[0], f"<leave>{0 if float(leave[1]) > 0 else 1}</leave>")

    def files(self, layout, options):
        return {}

    def clear(self, layout):
        """Removes what is outside the testbed's directory."""


class WordPress:
    """Debian's WordPress with its default theme, unmodified but for two must-use plugins, the testbed's and the ladder's; on the
    patched httpd, or on Debian's own with the level in a file."""

    ports = ("http", "https", "status")
    database = {"IC2_DB_NAME": "wordpress", "OLIO_DB_USER": "wordpress"}
    defaults = {"IC2_THREADS_PER_CHILD": "20", "IC2_SERVER_LIMIT": "20", "IC2_START_SERVERS": "12", "IC2_MAX_SPARE_THREADS": "400",
                "IC2_PHP_CHILDREN": "20", "IC2_PHP_JIT": "tracing"}

    def check(self, options):
        if options.db != "mariadb":
            raise TestbedError(f"--db {options.db}: WordPress needs mariadb")
        if (jit := options.settings.get("IC2_PHP_JIT", "tracing")) not in ("off", "tracing"):
            raise TestbedError(f"--set IC2_PHP_JIT={jit}: expected off or tracing")
        services.need("openssl", "openssl")

    def template(self, options):
        return DRIVER / "wordpress" / "run.xml"

    def missing(self):
        fetch = Path(__file__).parent / "wordpress" / "fetch"
        return {} if (DEBIAN / ".fetched").exists() else {"unpacking Debian's WordPress and apache2": [fetch]}

    def prepare(self, layout, options, ports, password):
        user, state = pwd.getpwnam("www-data"), layout.state
        environment = {
            **own_environment(), **self.defaults, "IC2_STATE": str(state), "IC2_SERVED": str(layout.served),
            "IC2_WEB": str(layout.served / "docker" / "web"), "IC2_HTTPD": os.path.realpath(options.httpd), "IC2_MPM": options.mpm,
            "IC2_HTTP_PORT": str(ports["http"]), "IC2_HTTPS_PORT": str(ports["https"]), "STATUS_PORT": str(ports["status"]),
            "IC2_USER": "www-data", "IC2_GROUP": "www-data", "IC2_PHP_SOCKET": str(state / "run" / "php.sock"), "IC2_PHP_FPM": services.php_fpm(),
            "IC2_MITIGATION": str(layout.served / "testbed" / "wordpress" / "ladder.conf"), "IC2_STORE": str(_store(layout)),
            "IC2_STANDBY": str(STANDBY), "PHP_INI_SCAN_DIR": f":{layout.served}/docker/web/conf/php.d",
            "IC2_SITE": f"{options.scheme}://127.0.0.1:{ports[options.scheme]}",
            "IC2_DB_SOCKET": str(services.database_socket(layout)), "IC2_DB_PASSWORD": password, "IC2_LIMITER": "none", **_limiter(),
            **options.settings,
        }
        if options.server == "stock":
            environment["MITIGATION_MAP"] = str(_map(layout))
            _map(layout).parent.mkdir(mode=0o755, exist_ok=True)
            _map(layout).write_text("MITIGATION 0\n")
        self._site(layout)
        self._configuration(layout, environment)
        for directory in (layout.run, state / "site" / "wp-content" / "uploads", _store(layout)):
            directory.mkdir(exist_ok=True)
            os.chown(directory, user.pw_uid, user.pw_gid)
        _store(layout).chmod(0o700)
        _certificate(layout)
        return environment

    def _site(self, layout):
        site, own = layout.state / "site", layout.served / "testbed" / "wordpress"
        if site.exists():
            shutil.rmtree(site)
        shutil.copytree(DEBIAN / "usr" / "share" / "wordpress", site, ignore=shutil.ignore_patterns(".htaccess"))  # a link to /etc
        shutil.copy(own / "wp-config.php", site / "wp-config.php")
        for directory in ("wp-content", "wp-includes"):
            _compress_once(site / directory)
        plugins = site / "wp-content" / "mu-plugins"
        plugins.mkdir()
        shutil.copy(own / "ic2-testbed.php", plugins)
        shutil.copy(layout.served / "httpd-online" / "docs" / "wordpress" / "ic2-ladder.php", plugins)

    def _configuration(self, layout, environment):
        web = layout.served / "docker" / "web" / "conf"
        defined = [name for name in environment if name.startswith(("IC2_", "STATUS_", "MITIGATION_")) and "PASSWORD" not in name]
        (layout.state / "httpd.conf").write_text(
            "".join(f'Define {name} "{environment[name]}"\n' for name in defined if environment[name])
            + f'ServerRoot "{environment["IC2_HTTPD"]}"\nInclude "{layout.served}/testbed/wordpress/httpd.conf"\n')
        (layout.state / "php-fpm.d").mkdir(exist_ok=True)
        pool = re.sub(r"(?m)^pm.max_children.*", f"pm.max_children = {environment['IC2_PHP_CHILDREN']}", (web / "pool.conf").read_text())
        (layout.state / "php-fpm.d" / "www.conf").write_text(pool)
        if not (layout.state / "tunables.conf").exists():
            shutil.copy(web / "tunables.conf", layout.state / "tunables.conf")
        secret = layout.state / "env"
        secret.touch(0o600)
        secret.write_text("".join(f"export {name}='{environment[name]}'\n" for name in [*defined, "PHP_INI_SCAN_DIR", "IC2_DB_PASSWORD"]))

    def load_data(self, layout, options, place, environment):
        pages = layout.state / "pages.csv"
        command = [services.need("php", "php-cli"), layout.served / "testbed" / "wordpress" / "seed.php", layout.state / "site",
                   options.scale, str(options.seed)]
        processes.run(["sh", "-c", '"$@" >"$0"', pages, *command], "loading the data", layout.logs / "load-data.log", place, environment)
        processes.run(["chown", "-R", "www-data:www-data", layout.state / "site" / "wp-content" / "uploads"], "loading the data",
                      layout.logs / "load-data.log")

    def urls(self, ports):
        return {"status": f"http://127.0.0.1:{ports['status']}/server-status?auto",
                "php_status": f"http://127.0.0.1:{ports['http']}/php-status?json"}

    def run_values(self, layout):
        return {"pages": layout.state / "pages.csv"}

    def other_mix(self, text):
        """With crawlers, who ask for 40 pages where visitors ask for 60."""
        return text.replace("org.ic2.load.wordpress.WordPressDriver", "org.ic2.load.wordpress.CrawledWordPressDriver").replace(
            'name="WordPressDriver"', 'name="CrawledWordPressDriver"')

    def files(self, layout, options):
        return {"pages": str(layout.state / "pages.csv"), "site": str(layout.state / "site"), "store": str(_store(layout)),
                **({"mitigation_map": str(_map(layout))} if options.server == "stock" else {})}

    def clear(self, layout):
        shutil.rmtree(_store(layout), ignore_errors=True)


APPLICATIONS = {"olio": Olio(), "wordpress": WordPress()}


def own_environment():
    """Ours without what would be taken for an input."""
    return {k: v for k, v in os.environ.items() if not k.startswith(("IC2_", "OLIO_", "MITIGATION_", "STATUS_"))}


def _compress_once(directory):
    """Style sheets and scripts get a compressed twin, so that httpd compresses pages alone for each response."""
    for file in [file for file in directory.rglob("*") if file.suffix in (".css", ".js")]:
        file.with_name(file.name + ".gz").write_bytes(gzip.compress(file.read_bytes(), 9, mtime=0))


def _limiter():
    """The module that experiments compare IC2 with, if it was built."""
    return {"IC2_LIMITER": str(LIMITER)} if LIMITER.exists() else {}


def _store(layout):
    """Pages that httpd keeps: in memory, not on the disk."""
    return Path("/dev/shm") / layout.name


def _map(layout):
    return layout.state / "ladder" / "mitigation.map"


def _certificate(layout):
    directory = layout.state / "tls"
    directory.mkdir(mode=0o700, exist_ok=True)
    processes.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "825", "-subj", "/CN=localhost", "-addext", "basicConstraints=critical,CA:FALSE", "-addext",
                   "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", directory / "server.key", "-out", directory / "server.crt"],
                  "making a certificate", layout.logs / "prepare.log")
