# SPDX-License-Identifier: Apache-2.0
"""Private installations of the web application for tests: PHP's built-in server with SQLite or MariaDB."""
import contextlib
import os
import pathlib
import re
import shutil
import socket
import subprocess
import time

from olio import Client
from testbed.places import ROOT, copy_for_servers

APP = ROOT / "faban-drivers" / "webapp"
DB = "docker/db"
BASE_DATE = "2026-03-01"
# what PHP writes when code is wrong; a body beyond the limit is the client's doing
COMPLAINT = re.compile(r"PHP (?!Warning:  POST Content-Length)(?:Warning|Notice|Deprecated|Fatal|Parse)")


HELD = []   # sockets


def free_port():
    """A port that no other program gets while this process lives: it stays bound, and servers, with SO_REUSEADDR, can listen on it."""
    held = socket.socket()
    held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    held.bind(("127.0.0.1", 0))
    HELD.append(held)
    return held.getsockname()[1]


def wait_for(condition, what, seconds=120):
    """Returns condition()'s first true value; fails with `what` when there is none in time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.02)
    raise AssertionError(f"{what}: not within {seconds} s")


def end(server, seconds=120):
    """Ends a server that we started, one that does not listen too."""
    server.terminate()
    try:
        server.wait(seconds)
    finally:
        server.kill()
        server.wait()


def answers(base, path="/health"):
    client = Client(base, timeout=30)
    try:
        return client.get(path).status == 200
    except OSError:
        return False
    finally:
        client.close()


def load(environment, scale="0.05", seed="1", *more):
    return subprocess.run(["php", str(APP / "load.php"), "--scale", scale, "--seed", seed, "--base", BASE_DATE, *more],
                          env=environment, capture_output=True, text=True, timeout=600)


def app_environment(state, **more):
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("OLIO_", "IC2_"))}
    return dict(clean, OLIO_STATE=str(state), OLIO_WAIT_MS="0", OLIO_CPU_ROUNDS="0", OLIO_GRAPH_NODES="1024",
                **{name: str(value) for name, value in more.items()})


def make_files(state, environment):
    (state / "data").mkdir(parents=True, exist_ok=True)
    (state / "media" / "up").mkdir(parents=True, exist_ok=True)
    subprocess.run(["php", str(APP / "bin" / "files.php")], env=environment, check=True, timeout=600)


def log_of(environment, base):
    return pathlib.Path(environment["OLIO_STATE"]) / f"php-{base.rsplit(':', 1)[1]}.log"


@contextlib.contextmanager
def php_server(environment):
    """Yields the base URL of a running application. At the end PHP must have had nothing to complain about."""
    port = free_port()
    path = log_of(environment, f":{port}")
    log = open(path, "wb")
    server = subprocess.Popen(
        ["php", "-d", "upload_max_filesize=1M", "-d", "post_max_size=2M", "-S", f"127.0.0.1:{port}", "dev-router.php"],
        cwd=APP, env=dict(environment, PHP_CLI_SERVER_WORKERS="4"), stdout=log, stderr=log, process_group=0)     # in the session that .ci/first raised
    try:
        base = f"http://127.0.0.1:{port}"
        wait_for(lambda: answers(base, "/static/1/app.css"), "PHP's built-in server answers")
        yield base
    finally:
        os.killpg(server.pid, 15)
        server.wait(120)
        log.close()
    complaints = [line for line in path.read_text(errors="replace").splitlines() if COMPLAINT.search(line)]
    assert complaints == [], f"see {path}"


@contextlib.contextmanager
def mariadb(state):
    """Yields the settings of a private MariaDB with an empty database."""
    state.mkdir(parents=True, exist_ok=True)
    environment = dict(os.environ, IC2_STATE=str(state))
    subprocess.run([str(copy_for_servers(state / "served") / DB / "prepare")], env=environment, check=True,
                   stdout=subprocess.DEVNULL, timeout=600)
    with running_mariadb(state):
        yield {"OLIO_DSN": f"mysql:unix_socket={state}/run/db/mysql.sock;dbname=olio;charset=utf8mb4",
               "OLIO_DB_USER": "olio", "OLIO_DB_PASSWORD": (state / "db-password").read_text().strip()}


def greets(path):
    """Whether a database takes connections there: its socket is there before."""
    with socket.socket(socket.AF_UNIX) as visitor:
        visitor.settimeout(30)
        try:
            visitor.connect(str(path))
            return visitor.recv(1) != b""
        except OSError:
            return False


@contextlib.contextmanager
def running_mariadb(state):
    user = ["--user=mysql"] if os.getuid() == 0 else []
    with open(state / "log" / "mariadb.log", "ab") as log:
        server = subprocess.Popen(
            ["mariadbd", f"--defaults-file={state}/served/{DB}/mariadb.cnf", f"--datadir={state}/mysql", f"--tmpdir={state}/mysql-tmp",
             *user, "--skip-networking", f"--socket={state}/run/db/mysql.sock", f"--pid-file={state}/run/db/mysql.pid"], stdout=log, stderr=log)
    try:
        wait_for(lambda: greets(state / "run/db/mysql.sock") or server.poll() is not None, "mariadbd's greeting")
        assert server.poll() is None, f"mariadbd ended; see {state}/log/mariadb.log"
        yield server
    finally:
        end(server)


def has_mariadb():
    return shutil.which("mariadbd") is not None
