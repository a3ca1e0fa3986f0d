# SPDX-License-Identifier: Apache-2.0
"""The parts that `up` starts, each in its place: database, php-fpm, httpd. Every start waits until the part answers."""

import contextlib
import errno
import os
import random
import shutil
import socket
import subprocess
import urllib.error
import urllib.request
from pathlib import Path

from . import processes
from .errors import TestbedError

DATABASE_NICE = -19  # the balancer, which others wait for too, has the same
DATABASE_PATIENCE_S = 300
WEB_PATIENCE_S = 300
PORTS = range(10000, 15000)  # tests of httpd and of Java choose theirs above


def need(command, package):
    """The path of a program, or a message with the package that holds it."""
    path = shutil.which(command, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin:/usr/local/sbin")
    if not path:
        raise TestbedError(f"{command} is missing; install the package {package} (`make deps` installs all of them)")
    return path


def php_fpm():
    """The path of the php-fpm that belongs to `php`: Debian's has the version in its name, and no name without it."""
    php = Path(os.path.realpath(need("php", "php-cli"))).name
    return need(php.replace("php", "php-fpm", 1), "php-fpm")


@contextlib.contextmanager
def free_ports(count):
    """Different TCP ports of the loopback interface that are free, and that no other program gets while this lasts: filling a
    database takes seconds. A server that sets SO_REUSEADDR can listen meanwhile, so that there is no moment at which a port is
    free. They are below those that Linux hands out by itself, unless told otherwise: a server that starts again finds
    its port free."""
    with contextlib.ExitStack() as held:
        yield [_held(held.enter_context(socket.socket())) for _ in range(count)]


def _held(s):
    for port in random.sample(PORTS, len(PORTS)):
        try:
            s.bind(("127.0.0.1", port))
        except OSError as e:
            if e.errno != errno.EADDRINUSE:
                raise
        else:
            s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # only now: two of these never share one
            return port
    raise TestbedError(f"all ports of 127.0.0.1 from {PORTS[0]} to {PORTS[-1]} are taken; `ss -ltnp` says by whom")


def sourced(layout):
    """The environment that docker/web/prepare wrote."""
    script = f'set -a; . "{layout.state}/env"; exec env -0'
    out = subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=True).stdout
    return dict(pair.split("=", 1) for pair in out.split("\0") if "=" in pair)


def versions(options):
    """What runs, each program's own first line: provenance of what is measured on it."""
    programs = {"httpd": [f"{options.httpd}/bin/httpd", "-v"], "php": [php_fpm(), "-v"]}
    programs["database"] = ([need("mariadbd", "mariadb-server"), "--version"] if options.db == "mariadb"
                            else ["python3", "-c", "import sqlite3; print('SQLite', sqlite3.sqlite_version)"])
    said = {name: subprocess.run(command, capture_output=True, text=True, check=False).stdout.splitlines()
            for name, command in programs.items()}
    return {name: lines[0].strip() if lines else "unknown" for name, lines in said.items()}


def database_socket(layout):
    return layout.database / "mysql.sock"


def start_database(layout, options, place, environment, running):
    """MariaDB on a data directory of its own, socket only. Returns the password of the application's user, or None: SQLite
    needs no start, it lives in the web tier's processes."""
    if options.db == "sqlite":
        return None
    configuration = layout.served / "docker" / "db"
    server = need("mariadbd", "mariadb-server")
    log = layout.logs / "mariadb.log"
    sock = database_socket(layout)
    processes.run([configuration / "prepare"], "making the database", log, place, environment)
    command = [server, f"--defaults-file={configuration}/mariadb.cnf", f"--datadir={layout.state}/mysql",
               f"--tmpdir={layout.state}/mysql-tmp",
               f"--socket={sock}", f"--pid-file={sock.parent}/mysql.pid", "--skip-networking", "--user=mysql"]
    child, running["database"] = processes.start(command, place, log, environment)
    processes.await_true(lambda: _accepts(sock), "the database does not answer", DATABASE_PATIENCE_S, log, child)
    return (layout.state / "db-password").read_text().strip()


def _accepts(path):
    with socket.socket(socket.AF_UNIX) as s:
        try:
            s.connect(str(path))
            return True
        except OSError:
            return False


def start_php(layout, place, environment, running, name="php-fpm"):
    """php-fpm with its static pool; `running` has it by its name."""
    log = layout.logs / "php-fpm.log"
    configuration = Path(environment["IC2_WEB"]) / "conf"
    command = [environment["IC2_PHP_FPM"], "--nodaemonize", "--fpm-config", configuration / "php-fpm.conf", "-c", configuration / "php.ini"]
    child, running[name] = processes.start(command, place, log, environment)
    processes.await_true(lambda: _accepts(environment["IC2_PHP_SOCKET"]), "php-fpm does not answer", WEB_PATIENCE_S,
                         log, child)


def start_httpd(layout, place, environment, health_url, running, name="httpd"):
    """httpd as its own daemon; ready when the application behind it says so."""
    server = Path(environment["IC2_HTTPD"]) / "bin" / "httpd"
    log = layout.logs / "httpd.log"
    processes.run([server, "-f", layout.state / "httpd.conf", "-k", "start"], "starting httpd", log, place)
    running[name] = processes.process_from_file(layout.run / "httpd.pid", "httpd", log)
    processes.await_true(lambda: health(health_url) == "ok", f"{health_url} does not answer", WEB_PATIENCE_S, log)


APACHECTL = """#!/bin/sh
# apachectl of this testbed's httpd: the same words, its own configuration
httpd() {{ exec '{httpd}/bin/httpd' -f '{configuration}' "$@"; }}
case $1 in
    start|stop|restart|graceful|graceful-stop|reconfigure) httpd -k "$@" ;;
    configtest) httpd -t ;;
    *) httpd "$@" ;;
esac
"""


def write_apachectl(layout, options):
    """`apachectl` for this instance, as an agent or administrator calls it."""
    script = layout.state / "apachectl"
    script.write_text(APACHECTL.format(httpd=os.path.realpath(options.httpd), configuration=layout.state / "httpd.conf"))
    script.chmod(0o755)


def health(url, timeout_s=5):
    """`ok`, or what is wrong, of the application's health page."""
    try:
        with urllib.request.urlopen(url, timeout=timeout_s) as answer:
            return answer.read(100).decode(errors="replace").strip()
    except urllib.error.HTTPError as e:
        return f"HTTP status {e.code}"
    except (OSError, urllib.error.URLError) as e:
        return str(e)


def check_httpd(prefix):
    """The server to run, or a message."""
    server = Path(prefix) / "bin" / "httpd"
    if not os.access(server, os.X_OK):
        raise TestbedError(f"{server}: no httpd there; run httpd-online/build.sh, or name another prefix with --httpd")
    answer = subprocess.run([server, "-v"], capture_output=True, text=True)
    if answer.returncode or "Apache/2.4" not in answer.stdout:
        raise TestbedError(f"{server} -v: expected Apache/2.4, got: {answer.stdout}{answer.stderr}".rstrip())
