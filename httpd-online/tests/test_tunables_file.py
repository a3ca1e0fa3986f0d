# SPDX-License-Identifier: Apache-2.0
"""The tunables file: where it may lie, and what becomes of a server whose file is not to its liking."""

import fcntl
import os
import re
import shlex
import signal
import subprocess
import time

import pytest

from harness.server import Shape
from harness.waiting import eventually

SHAPE = Shape(threads_per_child=5, server_limit=8, start_servers=2, max_request_workers=10)
GOOD = "MaxRequestWorkers 10\nKeepAliveTimeout 5\n"
REFUSED = "ReconfigureRefused"
only_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")


@pytest.fixture
def server(mpm, make_server, allow_reconfigure_lines):
    """Not started."""
    return allow_reconfigure_lines(make_server(mpm, shape=SHAPE, start=False))


@pytest.fixture
def running(server):
    return server.start()


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


# -- beside a running server

@pytest.mark.parametrize("text", ["", "\n# MaxRequestWorkers 10\n"], ids=["empty", "comments"])
def test_file_without_a_value_is_refused(running, text):
    """With it a restart would take the defaults, and not what runs."""
    running.write_tunables(text)
    running.signal(signal.SIGUSR2)
    eventually(lambda: running.log.with_text("refused: .*there is no value in it"), what="the refusal")
    one_line(running.reconfigure(expect=1), "there is no value in it")
    running.reconfigure("MaxRequestWorkers=9")      # (the command can put one in)
    assert running.tunables.read_text() == text + "MaxRequestWorkers 9\n"


def test_what_httpd_says_of_the_file_is_one_line(running):
    running.write_tunables("MaxRequestWorkers\n")
    one_line(running.reconfigure(expect=1), "Syntax error on line 1 of", "tunables.conf: MaxRequestWorkers takes one argument")
    running.tunables.unlink()
    one_line(running.reconfigure("MaxRequestWorkers=9", expect=1), "tunables.conf: No such file")


def test_fifo_does_not_hang_the_command(running):
    running.tunables.unlink()
    os.mkfifo(running.tunables, 0o644)
    done = running.run("-k", "reconfigure", "KeepAliveTimeout=7")
    one_line(done, "tunables.conf", "not a regular file")
    assert running.get("/").status == 200


def test_who_may_read_the_directory_cannot_hold_up_the_command(running):
    directory = os.open(running.tunables.parent, os.O_RDONLY)
    try:
        fcntl.flock(directory, fcntl.LOCK_EX)
        assert running.run("-k", "reconfigure", "KeepAliveTimeout=7").code == 0
    finally:
        os.close(directory)
    assert running.status().keep_alive_ms == 7000


def command(server, *assignments):
    def default():      # an interrupt that the tests' caller ignores would be ignored by the command
        signal.signal(signal.SIGINT, signal.SIG_DFL)

    return subprocess.Popen([server.build.httpd, "-d", server.root, "-f", server.config, "-k", "reconfigure", *assignments],
                            env=server.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            preexec_fn=default)


def test_killed_commands_leave_no_file(running):
    """Whenever it comes. (Of one that is killed in the very moment of the change, the next command clears up.)"""
    conf = running.tunables.parent
    before = sorted(p.name for p in conf.iterdir())
    for step in range(36):
        process = command(running, f"KeepAliveTimeout={step + 10}")
        time.sleep(0.0006 * step * running.build.slow)      # another phase each time: this is the input, not a wait
        process.send_signal(signal.SIGTERM if step % 3 == 0 else signal.SIGKILL)
        process.communicate(timeout=60)
        assert len(set(p.name for p in conf.iterdir()) - set(before)) <= 1, list(conf.iterdir())
    running.reconfigure("KeepAliveTimeout=60")
    assert sorted(p.name for p in conf.iterdir()) == before


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_ended_command_puts_the_old_file_back(running, number):
    text, parent = running.tunables.read_text(), running.pid
    os.kill(parent, signal.SIGSTOP)
    try:
        process = command(running, "KeepAliveTimeout=60")
        eventually(lambda: running.tunables.read_text() != text, what="the file to be written")
        process.send_signal(number)
        _, err = process.communicate(timeout=60)
    finally:
        os.kill(parent, signal.SIGCONT)
    assert process.returncode == 1 and err == f"httpd: reconfigure refused: the command was ended by signal {number}; nothing was changed\n"
    assert running.tunables.read_text() == text
    running.reconfigure()
    assert running.status().keep_alive_ms == 5000


def with_the_file_mounted(server, options, *assignments):
    """The command, for which the file is a mount of its own, as in a container or with systemd's ReadWritePaths."""
    file, httpd = shlex.quote(str(server.tunables)), [server.build.httpd, "-d", server.root, "-f", server.config]
    script = f"mount --bind {file} {file} && {{ [ -z '{options}' ] || mount -o remount,bind,{options} {file}; }} && exec " \
        + shlex.join(map(str, [*httpd, "-k", "reconfigure", *assignments]))
    done = subprocess.run(["unshare", "-m", "sh", "-c", script], env=server.environment, capture_output=True, text=True,
                          timeout=120 * server.build.slow, check=False)
    return type(server.run("-v"))(done.returncode, done.stdout, done.stderr, 0)


@pytest.mark.skipif(subprocess.run(["unshare", "-m", "true"], check=False, capture_output=True).returncode != 0,
                    reason="needs the right to mount")
def test_file_that_is_mounted_by_itself(running):
    running.write_tunables("# " + "long " * 900 + "\n" + GOOD.replace("5\n", "3600000ms\n"))
    running.reconfigure()
    before, inode = sorted(p.name for p in running.tunables.parent.iterdir()), running.tunables.stat().st_ino
    done = with_the_file_mounted(running, "", "KeepAliveTimeout=7")
    assert done.code == 0 and "KeepAliveTimeout: 3600000ms -> 7000ms" in done.out, done
    assert running.status().keep_alive_ms == 7000
    assert running.tunables.read_text().endswith("long \nMaxRequestWorkers 10\nKeepAliveTimeout 7\n")
    assert running.tunables.stat().st_ino == inode
    one_line(with_the_file_mounted(running, "ro", "KeepAliveTimeout=8"), "Read-only file system")
    assert sorted(p.name for p in running.tunables.parent.iterdir()) == before
