# SPDX-License-Identifier: Apache-2.0
"""`httpd -k reconfigure` and `apachectl reconfigure`: what is printed, written, refused, and who is never killed."""

import concurrent.futures
import contextlib
import os
import re
import signal
import stat
import subprocess
import threading
import time

import pytest

from harness import procs
from harness.build import open_to_all
from harness.server import Shape
from harness.waiting import always, eventually

SHAPE = Shape(threads_per_child=5, server_limit=8, start_servers=4, max_request_workers=20, keep_alive_timeout="5")
NOTICE = r"[Rr]econfigured: "


def running(server):
    status = server.status()
    return status.max_request_workers, status.keep_alive_ms, status.variables


def snapshot(path):
    info = path.stat()
    return path.read_bytes(), info.st_ino, info.st_mtime_ns


def assert_refused(outcome, *words):
    assert outcome.code == 1
    assert outcome.out == ""
    lines = outcome.err.splitlines()
    assert len(lines) == 1, f"one line was expected on stderr: {outcome.err!r}"
    assert lines[0].startswith("httpd: reconfigure refused: "), lines[0]
    for word in words:
        assert word in lines[0], f"{word!r} is not in {lines[0]!r}"


@pytest.fixture
def server(mpm, make_server, allow_reconfigure_lines):
    return allow_reconfigure_lines(make_server(mpm, shape=SHAPE, variables={"MITIGATION": 0}))


def test_edited_file_is_applied(server):
    server.write_tunables("MaxRequestWorkers 13\nKeepAliveTimeout 15\nReconfigureVariable MITIGATION 2\n")
    done = server.reconfigure()
    assert done.err == ""
    assert done.values == {"MaxRequestWorkers": ("20", "13"), "KeepAliveTimeout": ("5000ms", "15000ms"),
                           "MITIGATION": ("0", "2")}
    acknowledged, _ = done.summary
    assert acknowledged == 4
    assert running(server) == (13, 15000, {"MITIGATION": 2})
    assert server.get("/").keep_alive is None       # its own connection asked for close
    with server.connect() as connection:
        assert connection.get("/").keep_alive == 15


def test_command_is_fast(server):
    times, answers = [], []

    def fast():
        """The medians of five: a tenth of a second, or, on a busy machine, the time of ten answers; not always longer."""
        times.clear()
        answers.clear()
        for value in ("7", "8", "9", "10", "11"):
            times.append(server.reconfigure(f"KeepAliveTimeout={value}").summary[1])
            answers.append(server.get("/").seconds * 1000)
        return sorted(times)[2] <= max(100 * server.build.slow, 10 * sorted(answers)[2])

    eventually(fast, what=lambda: f"fast: milliseconds until all children acknowledged: {times}, until an answer: {answers}")


def test_assignments_write_the_file(server):
    text = "# kept comment\n\n   MaxRequestWorkers   20   \nKeepAliveTimeout 5\nReconfigureVariable MITIGATION 0\n# the end"
    server.write_tunables(text)
    server.tunables.chmod(0o640)
    before = server.tunables.stat()
    done = server.reconfigure("MaxRequestWorkers=17", "KeepAliveTimeout=2500ms", "MITIGATION=3")
    assert done.values == {"MaxRequestWorkers": ("20", "17"), "KeepAliveTimeout": ("5000ms", "2500ms"),
                           "MITIGATION": ("0", "3")}
    lines = server.tunables.read_text().splitlines()
    assert lines == ["# kept comment", "", "MaxRequestWorkers 17", "KeepAliveTimeout 2500ms",
                     "ReconfigureVariable MITIGATION 3", "# the end"]
    after = server.tunables.stat()
    assert after.st_ino != before.st_ino, "a new file has to be renamed into place"
    assert (after.st_mode, after.st_uid, after.st_gid) == (before.st_mode, before.st_uid, before.st_gid)
    assert sorted(p.name for p in server.tunables.parent.iterdir()) == ["httpd.conf", "mime.types", "tunables.conf"]
    assert running(server) == (17, 2500, {"MITIGATION": 3})


def test_values_are_appended_if_the_file_is_silent(server):
    server.write_tunables("# nothing yet\n")
    server.reconfigure("MaxRequestWorkers=9")
    assert server.tunables.read_text() == "# nothing yet\nMaxRequestWorkers 9\n"
    assert running(server)[0] == 9


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_owner_of_the_file_is_kept(server):
    os.chown(server.tunables, 0, 12345)
    server.reconfigure("MITIGATION=1")
    assert (server.tunables.stat().st_uid, server.tunables.stat().st_gid) == (0, 12345)


def test_unchanged_values_are_printed_twice(server):
    done = server.reconfigure()
    assert done.values == {"MaxRequestWorkers": ("20", "20"), "KeepAliveTimeout": ("5000ms", "5000ms"),
                           "MITIGATION": ("0", "0")}


def test_names_are_those_of_httpd(server):
    done = server.reconfigure("maxclients=14", "keepalivetimeout=3")
    assert done.values["MaxRequestWorkers"] == ("20", "14")
    assert done.values["KeepAliveTimeout"] == ("5000ms", "3000ms")
    assert running(server)[:2] == (14, 3000)
    assert server.run("-t").code == 0, "httpd has to accept the file that it wrote"


def test_names_of_the_paper_are_understood(server):
    done = server.reconfigure("MXC=14", "KAT=3")
    assert done.values["MaxRequestWorkers"] == ("20", "14") and done.values["KeepAliveTimeout"] == ("5000ms", "3000ms")
    for value, milliseconds in (("7s", 7000), ("1500ms", 1500), ("1min", 60000), ("1h", 3600000), ("2", 2000)):
        server.reconfigure(f"KAT={value}")
        assert running(server)[:2] == (14, milliseconds), value
    lines = server.tunables.read_text().splitlines()
    assert "MaxRequestWorkers 14" in lines and "KeepAliveTimeout 2" in lines, "the file has the names that httpd reads"
    assert not [line for line in lines if "MXC" in line or "KAT" in line]
    assert server.run("-t").code == 0, "httpd has to accept the file that it wrote"


def test_variable_of_that_name_is_meant_first(mpm, make_server, allow_reconfigure_lines):
    server = allow_reconfigure_lines(make_server(mpm, shape=SHAPE, variables={"KAT": 0}))
    server.reconfigure("KAT=3", "MXC=15")
    assert running(server) == (15, 5000, {"KAT": 3})


def test_apachectl(server):
    server.write_tunables("MaxRequestWorkers 11\nKeepAliveTimeout 5\nReconfigureVariable MITIGATION 0\n")
    done = server.apachectl("reconfigure")
    assert (done.code, done.values["MaxRequestWorkers"]) == (0, ("20", "11"))
    done = server.apachectl("reconfigure", "MaxRequestWorkers=12", "KeepAliveTimeout=15", "MITIGATION=1")
    assert (done.code, done.err) == (0, "")
    assert running(server) == (12, 15000, {"MITIGATION": 1})
    done = server.apachectl("reconfigure", "MaxRequestWorkers=0")
    assert_refused(done, "MaxRequestWorkers")
    assert running(server) == (12, 15000, {"MITIGATION": 1})


def test_program_needs_no_configuration(server):
    def htreconfigure(*arguments):
        done = subprocess.run([server.build.prefix / "bin" / "htreconfigure", *map(str, arguments)], env=server.environment,
                              capture_output=True, text=True, timeout=120, check=False)
        return done.returncode, done.stdout, done.stderr

    code, out, err = htreconfigure("-p", server.pid_file, "MaxRequestWorkers=9", "MITIGATION=3")
    assert code == 0 and err == "" and "MaxRequestWorkers: 20 -> 9\n" in out and "MITIGATION: 0 -> 3\n" in out
    code, out, err = htreconfigure("-d", server.root, "-p", "run/httpd.pid", "-f", server.tunables, "MaxRequestWorkers=11")
    assert code == 0 and "MaxRequestWorkers: 9 -> 11\n" in out
    code, out, err = htreconfigure("-p", server.pid_file, "-f", server.root / "conf" / "others.conf")
    assert code == 1 and err.startswith("htreconfigure: reconfigure refused: the running server's ReconfigureFile is ")
    code, out, err = htreconfigure("MaxRequestWorkers=10")
    assert code == 2 and out == "" and err.startswith("Usage: htreconfigure -p pidfile")
    assert htreconfigure("--help") == htreconfigure("--help", "-p", server.pid_file, "MaxRequestWorkers=10") == (0, err, "")
    assert running(server) == (11, 5000, {"MITIGATION": 3})


def test_sigusr2_does_the_same(server):
    server.write_tunables("MaxRequestWorkers 10\nKeepAliveTimeout 700ms\nReconfigureVariable MITIGATION 4\n")
    server.signal(signal.SIGUSR2)
    eventually(lambda: running(server) == (10, 700, {"MITIGATION": 4}),
               what=lambda: f"the values of the file to run; {running(server)}")
    eventually(lambda: server.status().pending == 0, what="every child to acknowledge")


def test_one_notice_a_success_and_one_error_a_refusal(server):
    server.reconfigure("MaxRequestWorkers=15")
    notices = server.log.with_text(NOTICE)
    assert len(notices) == 1
    assert notices[0].level == "notice" and notices[0].number
    assert "MaxRequestWorkers 20 -> 15" in notices[0].text
    server.write_tunables("MaxRequestWorkers 1\n")
    server.signal(signal.SIGUSR2)
    refusals = eventually(lambda: [e for e in server.log.entries() if e.level == "error"], what="the refusal in the log")
    assert len(refusals) == 1 and refusals[0].number
    assert "tunables.conf:1: " in refusals[0].text and "MaxRequestWorkers" in refusals[0].text
    assert running(server)[0] == 15


BAD_ASSIGNMENTS = [
    (["MaxRequestWorkers=0"], "MaxRequestWorkers"),
    (["MaxRequestWorkers=4"], "MaxRequestWorkers"),             # ThreadsPerChild is 5
    (["MaxRequestWorkers=41"], "MaxRequestWorkers"),            # ServerLimit x ThreadsPerChild is 40
    (["MaxRequestWorkers=99999999999999999999"], "MaxRequestWorkers"),
    (["MaxRequestWorkers=abc"], "MaxRequestWorkers"),
    (["MaxRequestWorkers=12x"], "MaxRequestWorkers"),
    (["MaxRequestWorkers=-5"], "MaxRequestWorkers"),
    (["MaxRequestWorkers=+15"], "MaxRequestWorkers"),
    (["MaxRequestWorkers="], "MaxRequestWorkers"),
    (["MaxRequestWorkers=10\nListen 1"], "MaxRequestWorkers"),
    (["MaxRequestWorkers=10 11"], "MaxRequestWorkers"),
    (["KeepAliveTimeout=0"], "KeepAliveTimeout"),
    (["KeepAliveTimeout=0ms"], "KeepAliveTimeout"),
    (["KeepAliveTimeout=-1"], "KeepAliveTimeout"),
    (["KeepAliveTimeout=5x"], "KeepAliveTimeout"),
    (["KeepAliveTimeout=3601"], "KeepAliveTimeout"),
    (["KeepAliveTimeout=3600001ms"], "KeepAliveTimeout"),
    (["KeepAliveTimeout=99999999999999999999"], "KeepAliveTimeout"),
    (["MITIGATION=65536"], "MITIGATION"),
    (["MITIGATION=-1"], "MITIGATION"),
    (["MITIGATION=1.5"], "MITIGATION"),
    (["MITIGATION="], "MITIGATION"),
    (["UNDECLARED=1"], "UNDECLARED"),
    (["mitigation=1"], "mitigation"),
    (["Listen=8080"], "Listen"),
    (["StartServers=2"], "StartServers"),
    (["=5"], ""),
    (["MaxRequestWorkers"], "MaxRequestWorkers"),
    (["MaxRequestWorkers=10", "MaxRequestWorkers=11"], "MaxRequestWorkers"),
    (["MXC=10", "maxclients=11"], "MaxRequestWorkers is given twice"),
    (["KAT=5", "KeepAliveTimeout=5"], "KeepAliveTimeout is given twice"),
    (["MXC=10s"], "MaxRequestWorkers"),                         # a number of workers has no unit
    (["MXC=41"], "MaxRequestWorkers"),
    (["MXC="], "MXC"),
    (["KAT=0"], "KeepAliveTimeout"),
    (["KAT=5x"], "KeepAliveTimeout"),
    (["KAT=5 s"], "KAT"),
    (["kat=5"], "kat is neither MaxRequestWorkers (MXC) nor KeepAliveTimeout (KAT)"),
    (["MXCX=10"], "MXCX"),
    (["MaxRequestWorkers=10", "KeepAliveTimeout=nonsense"], "KeepAliveTimeout"),    # all or nothing
]


def test_bad_assignments_are_refused_before_anything_is_written(server):
    before, values = snapshot(server.tunables), running(server)
    for arguments, word in BAD_ASSIGNMENTS:
        assert_refused(server.reconfigure(*arguments, expect=None), word, "nothing was changed")
        assert snapshot(server.tunables) == before, f"{arguments}: the file was touched"
    assert running(server) == values
    assert [p.name for p in server.tunables.parent.iterdir() if "tunables" in p.name] == ["tunables.conf"]


GOOD_BOUNDS = [
    (["MaxRequestWorkers=5"], (5, 5000)), (["MaxRequestWorkers=40"], (40, 5000)),
    (["KeepAliveTimeout=1ms"], (40, 1)), (["KeepAliveTimeout=3600"], (40, 3600000)),
    (["KeepAliveTimeout=3600000ms"], (40, 3600000)), (["KeepAliveTimeout=7s"], (40, 7000)),
]


def test_bounds_are_accepted(server):
    for arguments, expected in GOOD_BOUNDS:
        server.reconfigure(*arguments)
        assert running(server)[:2] == expected, arguments
    server.reconfigure("MITIGATION=65535")
    assert running(server)[2] == {"MITIGATION": 65535}
    server.reconfigure("MITIGATION=0")
    assert running(server)[2] == {"MITIGATION": 0}


BAD_FILES = [
    ("foreign directive", "MaxRequestWorkers 10\nListen 8080\n", 2, "Listen"),
    ("section", "<IfModule mpm_event_module>\nMaxRequestWorkers 10\n</IfModule>\n", 1, "IfModule"),
    ("include", "MaxRequestWorkers 10\nInclude other.conf\n", 2, "Include"),
    ("bad second line", "MaxRequestWorkers 10\nKeepAliveTimeout soon\n", 2, "KeepAliveTimeout"),
    ("two values", "MaxRequestWorkers 10 11\n", 1, "MaxRequestWorkers"),
    ("no value", "MaxRequestWorkers\n", 1, "MaxRequestWorkers"),
    ("twice", "MaxRequestWorkers 10\nMaxRequestWorkers 12\n", 2, "MaxRequestWorkers"),
    ("continued line", "MaxRequestWorkers 1\\\n0\n", 1, "backslash"),
    ("undeclared variable", "ReconfigureVariable OTHER 1\n", 1, "OTHER"),
    ("variable out of range", "ReconfigureVariable MITIGATION 65536\n", 1, "MITIGATION"),
    ("cut in the middle of a name", "MaxRequestWorkers 10\nKeepAliv", 2, "KeepAliv"),
]


@pytest.mark.parametrize("case", BAD_FILES, ids=lambda c: c[0])
def test_bad_file_is_refused_whole(server, case):
    _, text, line, word = case
    server.write_tunables(text)
    values = running(server)
    # by the signal the running server itself has to refuse; by the command nobody may fail to say why
    server.signal(signal.SIGUSR2)
    refused = eventually(lambda: [e for e in server.log.entries() if e.number == "AH12003"], what="a refusal in the log")
    assert f"tunables.conf:{line}: " in refused[0].text and word in refused[0].text
    done = server.reconfigure(expect=None)
    assert done.code == 1 and done.err, "the command has to fail and to say why"
    assert running(server) == values
    assert server.status().reconfigurations == 0


def test_untrustworthy_file_is_refused(server):
    """(Of symbolic links and of a start: test_tunables_file.py.)"""
    values, good = running(server), server.tunables.read_text().replace("20", "10")

    def refused(word):
        done = server.reconfigure(expect=None)
        assert done.code == 1 and word in done.err, done
        assert running(server) == values

    server.write_tunables(good)
    server.tunables.chmod(0o666)
    refused("written by others")
    server.tunables.chmod(0o664)
    refused("written by others")
    server.tunables.unlink()
    os.mkfifo(server.tunables, 0o644)
    server.signal(signal.SIGUSR2)       # (the command's own parse of httpd.conf, stock code, would wait for a writer)
    eventually(lambda: server.log.with_text("not a regular file"), what="the refusal")
    assert running(server) == values
    server.tunables.unlink()
    server.signal(signal.SIGUSR2)
    eventually(lambda: server.log.with_text("No such file"), what="the refusal")
    assert server.reconfigure(expect=None).code == 1
    assert running(server) == values


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_file_of_another_user_is_refused(server):
    values = running(server)
    server.write_tunables("MaxRequestWorkers 10\n")
    os.chown(server.tunables, 4321, 0)
    done = server.reconfigure(expect=None)
    assert done.code == 1 and "belongs neither" in done.err
    assert running(server) == values


def test_broken_httpd_conf_changes_nothing(server):
    values = running(server)
    server.config.write_text(server.config.read_text() + "\nNoSuchDirective on\n")
    before = snapshot(server.tunables)
    done = server.reconfigure("MaxRequestWorkers=10", expect=None)
    assert done.code != 0 and "NoSuchDirective" in done.err
    assert snapshot(server.tunables) == before
    assert running(server) == values


def test_last_of_two_changes_wins(server):
    """H3: a request that arrives while another one is being worked on is not lost."""
    for step in range(12):
        for value in (6 + step, 20 + step):
            server.write_tunables(f"MaxRequestWorkers {10 + value % 30}\nKeepAliveTimeout {value}\n")
            server.signal(signal.SIGUSR2)
            time.sleep(0.0007 * step)       # another phase each time: this is the input, not a wait
        eventually(lambda: server.status().keep_alive_ms == (20 + step) * 1000, what=f"the value {20 + step}, written last")


def test_commands_at_once(server):
    """Concurrent commands neither fail nor lose a value: what runs is what the file says."""
    def change(n):
        return server.reconfigure(f"KeepAliveTimeout={n}", f"MITIGATION={n}", expect=None)

    def waited_in_vain(done):
        """Ten seconds for the others, which is long, but for all of them on a busy machine."""
        return "another command is reconfiguring" in done.err

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        done = list(pool.map(change, range(10, 26)))
    done = [change(n) if waited_in_vain(d) else d for n, d in enumerate(done, 10)]
    assert [d.code for d in done] == [0] * 16, [d for d in done if d.code]
    text = server.tunables.read_text()
    _, keep_alive, variables = running(server)
    assert f"KeepAliveTimeout {keep_alive // 1000}\n" in text
    assert f"ReconfigureVariable MITIGATION {variables['MITIGATION']}\n" in text
    assert keep_alive // 1000 == variables["MITIGATION"], "two commands were mixed"


def test_half_written_file_gives_old_or_new_values(server):
    """H4: a writer that truncates and writes in place; never a mixture, never a value out of nowhere."""
    texts = [f"MaxRequestWorkers {n}\nKeepAliveTimeout {n}\nReconfigureVariable MITIGATION {n}\n" for n in (11, 19)]
    stop = threading.Event()

    def scribble():
        turn = 0
        while not stop.is_set():
            with open(server.tunables, "r+", encoding="ascii") as file:
                file.truncate(0)
                text = texts[turn % 2]
                file.write(text[:21])
                file.flush()
                file.write(text[21:])
            turn += 1

    writer = threading.Thread(target=scribble)
    writer.start()
    try:
        seen = set()
        for _ in range(60):
            server.signal(signal.SIGUSR2)
            status = server.status()
            seen.add((status.max_request_workers, status.keep_alive_ms, status.variables["MITIGATION"]))
    finally:
        stop.set()
        writer.join()
    for workers, keep_alive, mitigation in seen:
        assert workers in (11, 19, 20) and keep_alive in (5000, 11000, 19000) and mitigation in (0, 11, 19), seen


def test_stopped_server_is_refused(server):
    before = snapshot(server.tunables)
    server.stop()
    assert_refused(server.reconfigure("MaxRequestWorkers=10", expect=None))
    assert snapshot(server.tunables) == before
    assert not server.state_file.exists(), "the state file has to go with the server"


def test_stale_and_foreign_pids_are_never_signalled(server):
    """H1, H20: a pid file that names a process which is not this server."""
    state = server.state_file.read_text()
    server.stop()
    bystander = subprocess.Popen(["sleep", "600"])
    try:
        forged = re.sub(r"^pid \d+$", f"pid {bystander.pid}", state, flags=re.M)
        assert forged != state
        for leftover_state in (None, state, forged):
            server.pid_file.write_text(f"{bystander.pid}\n")
            if leftover_state is not None:
                server.state_file.write_text(leftover_state)
            assert_refused(server.reconfigure(expect=None))
            assert_refused(server.reconfigure("MaxRequestWorkers=10", expect=None))
            assert bystander.poll() is None, "the foreign process was killed"
        for nonsense in ("1\n", "0\n", "-1\n", "999999999\n", "pid\n", ""):
            server.pid_file.write_text(nonsense)
            done = server.reconfigure(expect=None)
            assert done.code == 1 and done.err
        assert bystander.poll() is None
    finally:
        bystander.kill()
        bystander.wait()
        server.pid_file.unlink()
        server.state_file.unlink(missing_ok=True)


def test_stock_server_is_refused_and_survives(mpm, make_server, build, stock):
    """H1: SIGUSR2 would kill a server without the patch."""
    server = make_server(mpm, of=stock, shape=SHAPE, reconfigure=False)
    server.config.write_text(server.config.read_text().replace(str(stock.prefix), str(build.prefix)).replace(
        "Include conf/tunables.conf", "Include conf/tunables.conf\nReconfigureFile conf/tunables.conf"))
    children = server.children()
    done = server.run("-k", "reconfigure", build=build)
    assert_refused(done)
    assert_refused(server.run("-k", "reconfigure", "MaxRequestWorkers=10", build=build))
    assert procs.alive(server.pid) and server.children() == children
    assert server.get("/").status == 200


def test_prefork_is_refused_and_survives(make_server):
    server = make_server("prefork", shape=Shape(start_servers=3, server_limit=20, max_request_workers=20))
    children = server.children()
    assert_refused(server.reconfigure(expect=None), "MPM")
    assert_refused(server.reconfigure("MaxRequestWorkers=10", expect=None), "MPM")
    # (stock's own maintenance may add spare children meanwhile)
    assert procs.alive(server.pid) and set(children) <= set(server.children())
    assert server.get("/").status == 200


def test_server_without_tunables_file_is_refused_and_survives(mpm, make_server, allow_reconfigure_lines):
    server = allow_reconfigure_lines(make_server(mpm, shape=SHAPE, reconfigure=False))
    children = server.children()
    assert_refused(server.reconfigure(expect=None), "ReconfigureFile")
    assert_refused(server.reconfigure("MaxRequestWorkers=10", expect=None), "ReconfigureFile")
    server.signal(signal.SIGUSR2)
    for _ in range(5):
        assert server.get("/").status == 200
    assert procs.alive(server.pid) and server.children() == children


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to become somebody else")
def test_another_user_may_not(mpm, build, make_server, backends, allow_reconfigure_lines):
    server = allow_reconfigure_lines(make_server(mpm, shape=SHAPE, of=backends.enter_context(open_to_all(build))))
    assert server.run("-v", user="nobody").code == 0
    values, before = running(server), snapshot(server.tunables)
    done = server.run("-k", "reconfigure", "MaxRequestWorkers=10", user="nobody")
    assert done.code != 0 and done.err
    assert snapshot(server.tunables) == before
    assert running(server) == values


def test_signal_names_are_no_commands(server):
    """The paper's build took `-k SIGUSR2` for `start`."""
    pid = server.pid
    done = server.run("-k", "SIGUSR2")
    assert done.code != 0
    assert server.pid == pid and len(procs.children(pid)) == 4


def test_state_file(server):
    info = server.state_file.stat()
    assert not info.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    assert server.state_locked_by() == server.pid
    server.reconfigure("MaxRequestWorkers=9", "KeepAliveTimeout=1500ms")
    state = server.state()
    assert state["MaxRequestWorkers"] == "9" and state["KeepAliveTimeoutMs"] == "1500" and state["pending"] == "0"
    server.graceful()
    assert server.state_locked_by() == server.pid


def holds_state_file(server, pid):
    for fd in os.listdir(f"/proc/{pid}/fd"):
        try:
            if os.readlink(f"/proc/{pid}/fd/{fd}") == str(server.state_file):
                return True
        except OSError:
            pass        # closed meanwhile
    return False


def test_children_cannot_write_the_state_file(server):
    """It belongs to root, and root's command believes it."""
    assert holds_state_file(server, server.pid)
    for again in (None, server.graceful):
        if again:
            again()
            server.wait_children(1)
        eventually(lambda: not any(holds_state_file(server, child) for child in server.children()),
                   what="no child to hold the state file")
        assert server.state_locked_by() == server.pid, "the parent's lock went with a child's descriptor"


def test_foreign_file_with_the_name_of_the_state_file_is_not_touched(mpm, make_server, allow_reconfigure_lines):
    server = allow_reconfigure_lines(make_server(mpm, shape=SHAPE, start=False))
    victim = server.root / "conf" / "victim"
    victim.write_text("precious\n")
    victim.chmod(0o644)
    os.link(victim, server.state_file)
    server.start()
    assert victim.read_text() == "precious\n" and stat.S_IMODE(victim.stat().st_mode) == 0o644
    server.reconfigure("MaxRequestWorkers=12")
    assert server.state_file.stat().st_nlink == 1 and server.state_locked_by() == server.pid


@contextlib.contextmanager
def command_before_stopped_parent(server, *assignments):
    """The command has written the file and waits; the parent is stopped until the end. Gives the command's future."""
    parent, text = server.pid, server.tunables.read_text()
    os.kill(parent, signal.SIGSTOP)
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        try:
            command = pool.submit(server.reconfigure, *assignments, expect=None)
            eventually(lambda: server.tunables.read_text() != text, what="the command to write the file")
            yield command
        finally:
            os.kill(parent, signal.SIGCONT)


def forge_state(server, *replacements):
    """As a process that can write the state file could."""
    with open(server.state_file, "r+b") as file:
        text = file.read().partition(b"\0")[0]
        for pattern, new in replacements:
            text, count = re.subn(pattern, new, text, flags=re.M)
            assert count == 1, f"{pattern} in {text}"
        file.seek(0)
        file.write(text + b"\0")


def test_what_the_state_file_says_is_shown_without_control_characters(server):
    handled = int(server.state()["handled"])
    with command_before_stopped_parent(server, "MITIGATION=1") as command:
        forge_state(server, (rb"^handled .*$", b"handled %d" % (handled + 1)), (rb"^refused .*$", b"refused 1"),
                    (rb"^message .*$", b"message \x1b]0;title\x07 no \x7f"))
        done = command.result()
    assert_refused(done, "title", "no")
    assert done.err.rstrip("\n").isprintable(), repr(done.err)


def test_an_edit_made_meanwhile_is_left_alone(server):
    """The server refuses, but what it refuses is somebody's edit by now: the old file must not be put over it."""
    edit = "MaxRequestWorkers 13\nListen 1\n"
    with command_before_stopped_parent(server, "MITIGATION=1") as command:
        server.write_tunables(edit)
    done = command.result()
    assert_refused(done, "Listen", "left as it is")
    assert "nothing was changed" not in done.err
    assert server.tunables.read_text() == edit
    assert running(server) == (20, 5000, {"MITIGATION": 0})


@pytest.fixture
def crowd(mpm, make_server, allow_reconfigure_lines):
    """Six children of two threads, known to the command."""
    server = allow_reconfigure_lines(make_server(
        mpm, shape=Shape(threads_per_child=2, server_limit=8, start_servers=6, max_request_workers=12, min_spare=1)))
    eventually(lambda: server.state().get("children") == "6", what=lambda: f"six children in the state file: {server.state()}")
    return server


def test_fewer_workers_than_children_are_refused_before_anything_is_written(crowd):
    before = snapshot(crowd.tunables)
    assert_refused(crowd.reconfigure("MaxRequestWorkers=5", expect=None), "6 running child", "nothing was changed")
    assert snapshot(crowd.tunables) == before
    crowd.reconfigure("MaxRequestWorkers=6")


def test_a_refusal_by_the_server_applies_no_pending_edit(crowd):
    """More children than the command knows of, so that the server refuses: an edit that was not applied yet stays so."""
    edit = "MaxRequestWorkers 12\nKeepAliveTimeout 9\n"
    crowd.write_tunables(edit)
    forge_state(crowd, (rb"^children 6$", b"children 2"))
    assert_refused(crowd.reconfigure("MaxRequestWorkers=5", expect=None), "6 running child", "nothing was changed")
    assert crowd.tunables.read_text() == edit
    always(lambda: crowd.status().keep_alive_ms == 5000, during=1.5, what="the edit that nobody applied was applied")
    crowd.reconfigure()
    assert crowd.status().keep_alive_ms == 9000


def test_help_of_the_command_needs_no_configuration(server):
    """It is said before the configuration is read, wherever the option stands; nothing is changed."""
    before = running(server), snapshot(server.tunables)
    server.config.write_text("Nonsense\n" + server.config.read_text())
    for arguments in (["--help"], ["--force", "--help"], ["MaxRequestWorkers=10", "--help"]):
        for done in (server.apachectl("reconfigure", *arguments), server.run("-k", "reconfigure", *arguments)):
            assert (done.code, done.err) == (0, ""), arguments
            assert done.out.startswith("Usage: htreconfigure -p pidfile"), done.out
            for word in ("apachectl reconfigure [--force]", "MXC=number", "KAT=time", "--force", "Exit status"):
                assert word in done.out, word
            assert all(len(line) <= 100 for line in done.out.splitlines())
    assert_refused(server.apachectl("reconfigure", "MaxRequestWorkers=10"), "Nonsense")
    assert (running(server), snapshot(server.tunables)) == before


def test_help_and_usage_name_the_command(server):
    usage = server.run("-h")
    assert "reconfigure" in usage.out + usage.err
    directives = server.run("-L").out
    assert "ReconfigureFile" in directives and "ReconfigureVariable" in directives
