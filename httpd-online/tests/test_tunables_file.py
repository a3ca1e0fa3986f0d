# SPDX-License-Identifier: Apache-2.0
"""The tunables file: where it may lie, and what becomes of a server whose file is not to its liking."""

import os
import re

import pytest

from harness.server import Shape

SHAPE = Shape(threads_per_child=5, server_limit=8, start_servers=2, max_request_workers=10)
GOOD = "MaxRequestWorkers 10\nKeepAliveTimeout 5\n"
REFUSED = "ReconfigureRefused"
only_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")


@pytest.fixture
def server(mpm, make_server, allow_reconfigure_lines):
    """Not started."""
    return allow_reconfigure_lines(make_server(mpm, shape=SHAPE, start=False))


def one_line(done, *words):
    assert done.code == 1 and done.out == "" and done.err.count("\n") == 1, done
    assert done.err.startswith("httpd: reconfigure refused: ") and done.err.endswith("; nothing was changed\n"), done.err
    for word in words:
        assert word in done.err


def start_with_a_warning(server, word, test_ends=0):
    """It starts and serves; everybody is told what is wrong: who tests and starts it, its log, its status, the command."""
    test = server.run("-t")
    assert test.code == test_ends and word in test.err, test.err
    server.log.expect("AH12001", text=re.escape(word))
    started = server.run("-k", "start")
    assert started.code == 0 and word in started.err, started.err
    server.wait_ready()
    assert server.get("/").status == 200
    assert [e.level for e in server.log.entries() if e.number == "AH12001"] == ["warn"]
    status = server.status()
    assert status.max_request_workers == 10 and word in status.fields[REFUSED]
    assert word in server.get("/server-status").text
    one_line(server.reconfigure("KeepAliveTimeout=7", expect=1), word)
    assert server.status().keep_alive_ms == 5000


def made_right(server):
    """The cure needs no restart."""
    server.reconfigure("KeepAliveTimeout=9")
    status = server.status()
    assert status.keep_alive_ms == 9000 and REFUSED not in status.fields
    assert "Refused" not in server.get("/server-status").text


def test_file_that_others_may_write_does_not_keep_the_server_down(server):
    server.tunables.chmod(0o664)
    start_with_a_warning(server, "can be written by others than its owner (chmod go-w)")
    server.graceful()
    assert REFUSED in server.status().fields
    server.tunables.chmod(0o644)
    made_right(server)
    server.graceful()
    assert REFUSED not in server.status().fields


def test_file_with_what_only_httpd_knows_does_not_keep_the_server_down(server):
    server.write_tunables(GOOD + "KeepAlive On\n")
    # (a test, or a restart of a server that runs with something better, is another matter)
    start_with_a_warning(server, "tunables.conf:3: KeepAlive can't be changed without a restart", test_ends=1)
    assert server.run("-k", "graceful").code == 1
    server.write_tunables(GOOD)
    made_right(server)


def test_missing_file_does_not_keep_the_server_down(server):
    server.config.write_text(server.config.read_text().replace("Include conf/", "IncludeOptional conf/") + "MaxRequestWorkers 10\n")
    server.tunables.unlink()
    start_with_a_warning(server, "No such file")
    server.write_tunables(GOOD)
    made_right(server)


@only_root
def test_link_of_somebody_else_is_not_followed(server):
    target = server.tunables.rename(server.tunables.with_name("target.conf"))
    server.tunables.symlink_to(target)
    os.lchown(server.tunables, 4321, 4321)
    start_with_a_warning(server, "tunables.conf is a symbolic link that belongs neither to root")
    os.lchown(server.tunables, 0, 0)
    made_right(server)


def test_file_behind_a_link_as_a2enconf_makes_it(server):
    available = server.root / "conf-available"
    available.mkdir()
    target = server.tunables.rename(available / "tunables.conf")
    server.tunables.symlink_to("../conf-available/tunables.conf")
    server.start()
    assert REFUSED not in server.status().fields
    server.reconfigure("MaxRequestWorkers=8")
    assert server.status().max_request_workers == 8
    assert server.tunables.is_symlink() and not target.is_symlink() and "MaxRequestWorkers 8\n" in target.read_text()
    assert [p.name for p in available.iterdir()] == ["tunables.conf"]


def test_file_of_a_configmap(server):
    """As Kubernetes lays it out: a new version is a new directory, to which one link is turned."""
    def version(name, text):
        (server.root / "conf" / name).mkdir()
        (server.root / "conf" / name / "tunables.conf").write_text(text)
        link = server.root / "conf" / "..data_tmp"
        link.symlink_to(name)
        link.rename(server.root / "conf" / "..data")

    version("..2026_1", GOOD)
    server.tunables.unlink()
    server.tunables.symlink_to("..data/tunables.conf")
    server.start()
    version("..2026_2", GOOD.replace("10", "7"))
    server.reconfigure()
    assert server.status().max_request_workers == 7


def test_server_without_a_tunables_file_says_so(mpm, make_server):
    server = make_server(mpm, shape=SHAPE, reconfigure=False)
    assert server.status().fields[REFUSED] == "there is no ReconfigureFile in the configuration"
