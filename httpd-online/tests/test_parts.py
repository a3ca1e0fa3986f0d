# SPDX-License-Identifier: Apache-2.0
"""Each part of the series by itself: git am, build, and what it is good for. Only with --parts: it builds each."""

import fcntl
import re
import subprocess

import pytest

from harness.build import BUILD, COMPONENT, Build
from harness.errorlog import RECONFIGURE
from harness.server import Shape
from harness.waiting import eventually

SHAPE = Shape(server_limit=4, start_servers=2, max_request_workers=10)
MODULES = "unixd,authz_core,dir,mime,alias,filter,setenvif,deflate,log_config,status"
PARTS = sorted(file.stem for file in (COMPONENT / "patches").glob("*.patch"))


def git(tree, *words):
    subprocess.run(["git", "-c", "user.name=test", "-c", "user.email=test@localhost", "-c", "commit.gpgsign=false", *words],
                   cwd=tree, check=True, capture_output=True)


@pytest.fixture(scope="module")
def parts(request, tmp_path_factory):
    """build_of(number) -> Build, in ascending order of numbers."""
    if not request.config.getoption("--parts"):
        pytest.skip("builds httpd once for each part; give --parts (make test-series)")
    work = tmp_path_factory.mktemp("parts")
    tree, prefix = work / "tree", work / "prefix"
    source = subprocess.run([COMPONENT / "build.sh", "--print-source"], capture_output=True, text=True, check=True).stdout.strip()
    tree.mkdir()
    subprocess.run(["tar", "xf", source, "-C", tree, "--strip-components=1", "--no-same-owner"], check=True)
    git(tree, "init", "-q")
    git(tree, "add", "--force", ".")
    git(tree, "commit", "-q", "-m", "httpd")
    subprocess.run([COMPONENT / "series", "export", work / "mails"], check=True)
    mails, done = sorted((work / "mails").iterdir()), []

    def compile_again_what_includes(headers):
        """httpd's make knows of sources only."""
        for source in tree.rglob("*.c"):
            if headers & set(re.findall(r'^#include "(?:.*/)?(.*)"', source.read_text(errors="replace"), re.M)):
                source.touch()

    def build_of(number):
        while len(done) < number:
            git(tree, "am", "-q", "--whitespace=nowarn", str(mails[len(done)]))
            done.append(mails[len(done)])
            changed = re.findall(r"^\+\+\+ b/.*/(\S+\.h)$", done[-1].read_text(), re.M)
            compile_again_what_includes(set(changed) - {"ap_mmn.h"})
        built = subprocess.run([COMPONENT / "build.sh", "--tree", tree, "--prefix", prefix, "--mpms", "worker,event",
                                "--modules", MODULES],
                               capture_output=True, text=True, check=False)
        assert built.returncode == 0, built.stdout + built.stderr
        assert "warning:" not in built.stderr, built.stderr
        return Build(prefix, True, False)

    return build_of


def serves(server):
    assert server.get("/").status == 200
    return server


def reads_again(server, text, name, value):
    """The tunables file with this text is what the server runs with after SIGUSR2."""
    server.log.expect(*RECONFIGURE)
    server.write_tunables(text)
    subprocess.run(["kill", "-USR2", str(server.pid)], check=True)
    eventually(lambda: name(server.status()) == value, what=f"{value} after SIGUSR2")
    serves(server)


def deflate_level(make, build):
    server = make("event", of=build, shape=SHAPE, reconfigure=False, extra="AddOutputFilterByType DEFLATE text/html\n"
                  'SetEnvIf X-Level "^(.*)$" deflate-level=$1\n')
    (server.root / "htdocs" / "page.html").write_text("".join(f"{n * 7919 % 1000} and {n % 13};" for n in range(5000)))

    def size(**headers):
        return len(server.get("/page.html", headers={"Accept-Encoding": "gzip", **headers}).body)

    assert size(**{"X-Level": "1"}) > size(**{"X-Level": "9"})


def nothing_has_changed(make, build):
    for mpm in ("worker", "event"):
        serves(make(mpm, of=build, shape=SHAPE, reconfigure=False))


def file_and_signal(make, build):
    """Without an MPM that reads it again, a wrong file is told of, and the signal ends nobody."""
    for mpm in ("worker", "event"):
        server = make(mpm, of=build, shape=SHAPE, tunables="MaxRequestWorkers 10\n", start=False)
        server.log.expect(*RECONFIGURE, "AH12001")      # an MPM that can't yet be reconfigured is warned of
        serves(server.start())
        pid = server.pid
        subprocess.run(["kill", "-USR2", str(pid)], check=True)
        serves(server)
        assert serves(server).pid == pid
        assert server.run("-t").code == 0
        if mpm == "worker":     # (of an MPM that can't be reconfigured that is told, not what is in the file)
            server.write_tunables("MaxRequestWorkers 10\nListen 1\n")
            wrong = server.run("-t")
            assert wrong.code != 0 and "tunables.conf:2: Listen can't be changed without a restart" in wrong.err, wrong.err
            server.write_tunables("MaxRequestWorkers 10\n")


def quotas(*mpms):
    def tries(make, build):
        for mpm in mpms:
            server = serves(make(mpm, of=build, shape=SHAPE, tunables="MaxRequestWorkers 10\n"))
            for value in (7, 5, 9):
                reads_again(server, f"MaxRequestWorkers {value}\n", lambda s: (s.max_request_workers, s.withheld), (value, 10 - value))
    return tries


def timeout(make, build):
    for mpm in ("worker", "event"):
        server = serves(make(mpm, of=build, shape=SHAPE))
        with server.connect() as connection:
            assert connection.get("/").keep_alive == 5
            for value in (9, 700, 9):
                reads_again(server, f"MaxRequestWorkers 7\nKeepAliveTimeout {value}\n",
                            lambda s: (s.max_request_workers, s.keep_alive_ms, s.withheld), (7, value * 1000, 3))
        with server.connect() as connection:
            assert connection.get("/").keep_alive == 9


def state_file(make, build):
    for mpm in ("worker", "event"):
        server = serves(make(mpm, of=build, shape=SHAPE))
        reads_again(server, "MaxRequestWorkers 8\nKeepAliveTimeout 5\n", lambda s: s.max_request_workers, 8)
        eventually(lambda: "MaxRequestWorkers 8\n" in server.state_file.read_text(), what="the value in the state file")
        with open(server.state_file, "r+") as file, pytest.raises(OSError):
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, 0)


def variables(make, build):
    server = serves(make("event", of=build, shape=SHAPE, variables={"MITIGATION": 0}))
    reads_again(server, "MaxRequestWorkers 10\nKeepAliveTimeout 5\nReconfigureVariable MITIGATION 3\n",
                lambda s: s.variables, {"MITIGATION": 3})
    serves(server)
    eventually(lambda: server.access_log()[-1].split()[-2] == "3", what="the variable in a request")


def command(make, build):
    server = serves(make("worker", of=build, shape=SHAPE, variables={"MITIGATION": 0}))
    server.log.expect(*RECONFIGURE)
    done = server.apachectl("reconfigure", "MaxRequestWorkers=8", "MITIGATION=1")
    assert done.code == 0 and done.values == {"MaxRequestWorkers": ("10", "8"), "KeepAliveTimeout": ("5000ms", "5000ms"),
                                              "MITIGATION": ("0", "1")}, done.out + done.err
    assert server.reconfigure("MaxRequestWorkers=9999", expect=1).err.startswith("httpd: reconfigure refused: ")


def linked_in(make, build):
    server = make("event", of=build, shape=SHAPE, start=False)
    server.config.write_text(f"LoadModule unixd_module {build.prefix}/modules/mod_unixd.so\n" + server.config.read_text())
    serves(server.start())


# what each part is good for; what the parts before are good for goes on
GOOD_FOR = [deflate_level, nothing_has_changed, file_and_signal, quotas("worker"), quotas("worker", "event"), timeout, state_file, state_file,
            variables, command, linked_in]


@pytest.mark.parametrize("number", range(1, len(PARTS) + 1), ids=PARTS)
def test_part_by_itself(parts, make_server, number):
    assert len(GOOD_FOR) == len(PARTS)
    build = parts(number)
    for tries in dict.fromkeys(GOOD_FOR[:number]):
        tries(make_server, build)
