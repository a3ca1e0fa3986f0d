# SPDX-License-Identifier: Apache-2.0
"""The life of a real testbed: it comes up in its places, says what is wrong, and goes without a trace."""

import contextlib
import csv
import json
import os
import pathlib
import re
import signal
import ssl
import subprocess
import time
import urllib.error
import urllib.request

import pytest

from conftest import PATIENCE_S, ROOT, await_true, processes_of
from testbed import bed as life
from testbed import cgroups, services
from testbed.errors import TestbedError
from testbed.layout import layout_of
from testbed.options import Options
from testbed.processes import Process

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="the testbed makes cgroups and must run as root")

SETTLED = 600  # operations of 20 users; those of the first ones are of visitors who have not come to a Login yet


def get(url):
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    try:
        with urllib.request.urlopen(url, timeout=120, context=context) as answer:
            return answer.status, answer.read().decode(errors="replace")
    except urllib.error.HTTPError as e:
        return e.code, e.read().decode(errors="replace")


def children(pid):
    """Of all its threads; one that ends meanwhile has none."""
    found = []
    for file in pathlib.Path(f"/proc/{pid}/task").glob("*/children"):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            found += map(int, file.read_text().split())
    return found


def family(pid):
    """A process and its descendants."""
    return [pid] + [member for child in children(pid) for member in family(child)]


def nice(pid):
    return os.getpriority(os.PRIO_PROCESS, pid)


def name(pid):
    """Of its program; none, if it has ended."""
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        return pathlib.Path(f"/proc/{pid}/comm").read_text().strip()


def everywhere(group):
    """Who is in all directories of a group; none, if they differ."""
    found = [set(map(int, pathlib.Path(directory, "cgroup.procs").read_text().split())) for directory in group["join"]]
    return found[0] if all(members == found[0] for members in found) else set()


def test_everything_runs_in_its_place_and_goes_without_a_trace(bed):
    bed.up()
    state = bed.state
    assert get(state["urls"]["http"])[0] == 200
    assert 'data-page="home"' in get(state["urls"]["https"])[1]
    assert "Scoreboard" in get(state["urls"]["status"])[1]
    assert json.loads(get(state["urls"]["php_status"])[1])["process manager"] == "static"
    assert "Apache/2.4" in state["versions"]["httpd"] and state["versions"]["php"].startswith("PHP ")
    assert state["versions"]["database"] != "unknown"

    families = {service: set(family(bed.pid(service))) for service in ("httpd", "php-fpm")}
    assert all(len(members) > 1 for members in families.values())
    # httpd may end and start children meanwhile
    await_true(lambda: everywhere(state["cgroups"]["web"]) == set.union(*(set(family(bed.pid(service))) for service in families)),
               "the tier is in its groups, and no other process")
    assert cpus_of(state)["web"] == {frozenset({0})}
    database = bed.pid("database")
    assert os.sched_getaffinity(database) == {1} and nice(database) == -19

    again = bed.up()
    assert again.stdout.startswith("already up") and bed.state == state
    assert "run `testbed down` first" in bed.up("--mpm", "event", check=1).stderr
    assert json.loads(bed("status", "--json", check=0).stdout)["dead"] == []
    assert "ready for connections" in bed("logs", "mariadb", check=0).stdout
    for name, path in state["files"].items():
        assert pathlib.Path(path).exists(), name

    everyone = [Process(p["pid"], p["start"]) for p in state["processes"].values()]
    assert bed("down", check=0).stdout == "down\n"
    assert not any(p.alive() for p in everyone)
    assert not any(pathlib.Path(d).exists() for d in state["cgroups"]["web"]["join"])
    assert sorted(p.name for p in bed.dir.iterdir()) == [".testbed", "log", "results"]
    assert bed("status", check=1).stdout.startswith("down")
    assert "nothing ran" in bed("down", check=0).stdout


def table(file):
    """The lines that are there so far."""
    text = file.read_text() if file.exists() else ""
    return list(csv.DictReader(text[:text.rfind("\n") + 1].splitlines()))


@contextlib.contextmanager
def loaded(bed, *words):
    """Under a load that goes on for as long as is needed."""
    load = subprocess.Popen([ROOT / "bin" / "testbed", "load", "--dir", bed.dir, "--steady", "1h", *words],
                            stdout=subprocess.DEVNULL)
    try:
        yield
        assert load.poll() is None, "it has ended by itself"
    finally:
        load.terminate()
        load.wait(PATIENCE_S)


def test_the_original_olios_load_does_all_its_operations_on_its_own_pages(bed, tmp_path):
    assert "--profile olio: only with --application olio" in bed.up("--application", "wordpress", "--profile", "olio", check=1).stderr
    bed.up("--profile", "olio", "--scale", "0.1", "--users", "12")
    options = bed.state["options"]
    assert (options["think_ms"], options["scheme"], options["profile"]) == (5000, "http", "olio")
    assert "profile olio, asked public)" in bed.up("--scale", "0.1", check=1).stderr
    assert '"cycleMean">5000<' in (bed.dir / "run.xml").read_text()
    out = tmp_path / "load"
    # the profile's mean, shortened, so that each operation comes in seconds
    fast = (bed.dir / "run.xml").read_text().replace('"cycleMean">5000<', '"cycleMean">200<')
    (bed.dir / "run.xml").write_text(fast)
    total = {}

    def all_are_done():
        """Each operation, and enough of them that the shares are near those of the long run."""
        rows, operations = table(out / "intervals.csv"), table(out / "operations.csv")
        total.update({name: sum(float(row[name]) for row in rows) for name in (
            "throughput", "errors", "leaks", "pages_checked", "pages_stored", "anonymous", "files", "files_unchanged")})
        assert total["errors"] == total["leaks"] == total["pages_stored"] == 0, (out / "agent.log").read_text()
        return total["throughput"] > 500 and {row["operation"] for row in operations if float(row["throughput"]) > 0} == {
            "HomePage", "Login", "TagSearch", "EventDetail", "PersonDetail", "AddPerson", "AddEvent"}

    with loaded(bed, "--ramp-up", "2s", "--runtime-stats", "1s", "--out", out):
        await_true(all_are_done, "all operations", PATIENCE_S)
    assert total["pages_checked"] > total["throughput"]
    assert 0 < total["anonymous"] < 0.25 * total["throughput"], "the share is seven per cent in the long run"
    assert 0.05 < total["files_unchanged"] / total["files"] < 0.6, "of all files, pictures too"


@pytest.mark.parametrize("service", ["httpd", "php-fpm", "database"])
def test_a_killed_part_is_named_and_the_next_up_starts_anew(bed, service):
    words = ("--scale", "0.1", "--db", "mariadb" if service == "database" else "sqlite")
    bed.up(*words)
    others = {name: bed.pid(name) for name in bed.state["processes"]}
    os.kill(bed.pid(service), signal.SIGKILL)
    await_true(lambda: bed("status").returncode == 1, "status fails")
    status = bed("status", check=1).stdout
    assert f"not running: {service}" in status
    if service == "database":
        code, page = get(bed.state["urls"]["http"])
        assert code == 503 and "Traceback" not in page
    assert bed("load", check=1).stderr.startswith("testbed: no testbed runs")
    result = bed.up(*words)
    assert f"not running any more: {service}" in result.stdout
    assert get(bed.state["urls"]["http"])[0] == 200
    assert not set(others.values()) & {bed.pid(name) for name in others}


@pytest.mark.parametrize("damage", ["removed", "half written"])
def test_without_its_state_file_it_is_still_cleaned_up(bed, damage):
    bed.up("--db", "sqlite", "--mpm", "event", "--scale", "0.1")
    assert get(bed.state["urls"]["http"] + "event/1")[0] == 200
    old = Process(**bed.state["processes"]["php-fpm"])
    file = bed.dir / "testbed.json"
    file.unlink() if damage == "removed" else file.write_text('{"version": 1, "opt')
    if damage == "removed":
        bed("down", check=0)
    else:
        bed.up("--db", "sqlite", "--mpm", "event", "--scale", "0.1")
        assert get(bed.state["urls"]["http"])[0] == 200
    assert not old.alive()


def test_the_servers_read_nothing_of_the_repository(bed):
    bed.up("--db", "sqlite", "--scale", "0.1")
    for path in ("", "event/1", "static/1/app.css", "media/event/1.jpg"):
        assert get(bed.state["urls"]["http"] + path)[0] == 200, path
    repository = f"{life.ROOT}/"
    files = [bed.dir / "env", bed.dir / "httpd.conf", *(bed.dir / "served").glob("docker/web/conf/**/*.*")]
    files = [file for file in files if file.is_file()]
    named = [line for file in files for line in file.read_text().splitlines() if repository in line]
    assert all(any(word in line for word in ("IC2_HTTPD", "IC2_LIMITER", "ServerRoot")) for line in named), "root alone loads httpd's modules"


def test_the_number_of_users_can_be_changed_while_it_runs(bed):
    bed.up("--scale", "0.1", "--db", "sqlite", "--scheme", "http")
    assert "<fa:scale>100</fa:scale>" in (bed.dir / "run.xml").read_text()
    bed.up("--scale", "0.1", "--db", "sqlite", "--scheme", "http", "--users", "7")
    text = (bed.dir / "run.xml").read_text()
    assert "<fa:scale>7</fa:scale>" in text and "<scheme>http</scheme>" in text
    assert bed.state["options"]["users"] == 7


def change_php_children(known, count):
    """As an administrator would: a line of the pool and a reload; requests in flight survive."""
    pool = pathlib.Path(known["files"]["php_pool"])
    pool.write_text(re.sub(r"(?m)^pm.max_children.*", f"pm.max_children = {count}", pool.read_text()))
    os.kill(known["processes"]["php-fpm"]["pid"], signal.SIGUSR2)


def test_the_number_of_php_children_can_be_changed_while_it_runs(bed):
    bed.up("--scale", "0.1", "--db", "sqlite", "--scheme", "http")
    for count in (7, 60):
        old = set(children(bed.pid("php-fpm")))
        change_php_children(bed.state, count)
        await_true(lambda: len(new := children(bed.pid("php-fpm"))) == count and not old & set(new), f"{count} new PHP children")
        assert get(bed.state["urls"]["http"])[0] == 200


def test_a_start_that_fails_says_why_and_leaves_nothing(bed, tmp_path):
    assert "build.sh" in bed("up", "--httpd", tmp_path, check=1).stderr
    broken = bed.up("--scale", "0.1", "--set", "IC2_MITIGATION=/etc/hostname", check=1)
    assert "starting httpd failed" in broken.stderr and "Invalid command" in broken.stderr
    assert processes_of(tmp_path) == []
    assert bed("status", check=1).stdout.startswith("down")
    assert "this machine offers the CPUs" in bed.up("--web-cpu", "77", check=1).stderr


@pytest.mark.parametrize("db", ["mariadb", "sqlite"])
def test_a_part_that_does_not_answer_is_ended_with_the_others(bed, monkeypatch, tmp_path, db):
    """The database, or php-fpm where there is none; on machines too whose cgroups do not know the database's processes."""
    monkeypatch.setattr(services, "_accepts", lambda socket: False)
    monkeypatch.setattr(services, "DATABASE_PATIENCE_S", 1)
    monkeypatch.setattr(services, "WEB_PATIENCE_S", 1)
    monkeypatch.setattr(cgroups, "kill_members", lambda group: None)
    with pytest.raises(TestbedError, match="does not answer .waited 1 s."):
        life.up(layout_of(bed.dir), Options(db=db, scale="0.1"), say=lambda line: None)
    assert processes_of(tmp_path) == []


def test_the_neighbour_runs_in_its_place_and_the_tier_feels_it(bed):
    bed.up("--scale", "0.1", "--db", "sqlite")
    state = bed.state
    log = bed.dir / "results" / "neighbour.csv"
    process = subprocess.Popen([life.ROOT / "bin" / "testbed", "neighbour", "--dir", bed.dir, "-s", "1h on", "--",
                                "llcprobe", "--size", "1MiB"], stdout=subprocess.PIPE, text=True)
    burner = None
    try:
        await_true(lambda: log.exists() and "start" in log.read_text(), "the neighbour's start")
        assert os.sched_getaffinity(process.pid) == {1} and nice(process.pid) == -20
        child, = family(process.pid)[1:]
        assert os.sched_getaffinity(child) == {0}
        assert str(child) in pathlib.Path(state["cgroups"]["neighbour"]["join"][0], "cgroup.procs").read_text().split()
        groups = [cgroups.Group(role, tuple(map(pathlib.Path, state["cgroups"][role]["join"])),
                                state["cgroups"][role]["usage"] and pathlib.Path(state["cgroups"][role]["usage"]))
                  for role in ("web", "neighbour")]
        place = life.Place(groups[0], 0)
        burner = subprocess.Popen(["sh", "-c", "while :; do :; done"], preexec_fn=place.enter)

        def halves():
            """Whether each group got half of the CPU, in a second and a half: what else runs on it may push one aside for as long."""
            begin, before = time.monotonic(), [cgroups.cpu_use(group) for group in groups]
            time.sleep(1.5)  # what is measured is CPU per time
            web, neighbour = (cgroups.cpu_use(group) - old for group, old in zip(groups, before))
            assert web + neighbour < 1.1 * (time.monotonic() - begin), "both are on one CPU"
            return 0.4 < web / (web + neighbour) < 0.6

        await_true(halves, "half of the CPU for each of two busy groups")
    finally:
        if burner:
            burner.kill()
            burner.wait()
        process.terminate()
        out, _ = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0
    assert json.loads(out.splitlines()[0])["placement"] == "same-core"
    with open(log, newline="") as rows:
        assert {row["placement"] for row in csv.DictReader(rows)} == {"same-core"}


def cpus_of(state):
    """On which CPUs the members of each role may run; unknown of one that ends meanwhile."""
    cpus = {}
    for role, pids in groups_of(state).items():
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                cpus.setdefault(role, set()).add(frozenset(os.sched_getaffinity(pid)))
    return cpus


def groups_of(state):
    """Members by role."""
    return {role: set(map(int, pathlib.Path(group["join"][0], "cgroup.procs").read_text().split()))
            for role, group in state["cgroups"].items()}


def test_in_the_layout_apart_no_group_but_the_tiers_has_its_cpu(bed):
    """So nothing but the kernel can take CPU from it: no steal, beside any neighbour."""
    bed.up("--layout", "apart", "--scale", "0.1")
    state = bed.state
    log = bed.dir / "results" / "neighbour.csv"
    neighbour = subprocess.Popen([life.ROOT / "bin" / "testbed", "neighbour", "--dir", bed.dir, "-s", "1h on", "--", "llcprobe",
                                  "--size", "1MiB"], stdout=subprocess.PIPE, text=True)
    outside = [subprocess.Popen([life.ROOT / "bin" / "testbed", *words], stdout=subprocess.PIPE, text=True) for words in
               (("load", "--dir", bed.dir, "--steady", "1h"), ("outside", "--dir", bed.dir, "--", "sleep", "1h"))]
    try:
        await_true(lambda: log.exists() and "start" in log.read_text(), "the neighbour's start")
        # the last step of each on its way there
        await_true(lambda: [nice(p.pid) for p in outside] == [-20, -19], "load and agent in their place")
        # httpd may end and start children meanwhile
        await_true(lambda: groups_of(state)["web"] == set(family(bed.pid("httpd")) + family(bed.pid("php-fpm"))),
                   "the tier in its place")
        members = groups_of(state)
        assert members["neighbour"] == set(family(neighbour.pid)[1:])
        assert members["outside"] >= {bed.pid("database"), neighbour.pid, *(p.pid for p in outside)}
        assert cpus_of(state) == {"web": {frozenset({0})}, "neighbour": {frozenset({1})}, "outside": {frozenset({1})}}
        refused = bed("neighbour", "--placement", "same-core", "-s", "1s on", "--", "dcopy", check=1).stderr
        assert "in the layout apart the neighbour is other-core" in refused
        assert "layout apart, asked overcommitted" in bed.up("--scale", "0.1", check=1).stderr
    finally:
        for process in (neighbour, *outside):
            process.terminate()
            process.communicate(timeout=PATIENCE_S)
    assert "no-such-program" in bed("outside", "--", "no-such-program", check=1).stderr
    assert "expected a command" in bed("outside", check=1).stderr


def test_down_ends_a_neighbour_that_somebody_left_running(bed):
    bed.up("--scale", "0.1", "--db", "sqlite")
    log = bed.dir / "results" / "neighbour.csv"
    process = subprocess.Popen([life.ROOT / "bin" / "testbed", "neighbour", "--dir", bed.dir, "-s", "1h off", "--",
                                "dcopy", "--size", "1MB"], stderr=subprocess.PIPE, text=True)
    await_true(lambda: len(family(process.pid)) == 2 and log.exists(), "the neighbour's child")
    child, = family(process.pid)[1:]
    await_true(lambda: "(dcopy) T " in pathlib.Path(f"/proc/{child}/stat").read_text(), "the program, stopped")
    bed("down", check=0)
    _, err = process.communicate(timeout=PATIENCE_S)
    # down ends its program first and then itself; in between it mostly has the time to say so
    assert process.returncode == -signal.SIGKILL or process.returncode == 1 and "ended by itself (signal 9" in err


def test_a_job_of_the_tenants_runs_in_the_tiers_place_and_ends_in_time(bed, tmp_path):
    bed.up("--scale", "0.1", "--db", "sqlite")
    said = tmp_path / "said"
    began = time.monotonic()
    job = f"cat /proc/self/cgroup >{said}; taskset -cp $$ >>{said}; sleep {PATIENCE_S} & wait"
    bed("inside", "--for", "10s", "--", "sh", "-c", job, check=0)
    assert time.monotonic() - began < PATIENCE_S / 2
    group = pathlib.Path(bed.state["cgroups"]["web"]["join"][0]).name
    assert group in said.read_text() and said.read_text().rstrip().endswith(f": {bed.state['cpus']['web']}")
    await_true(lambda: "sleep" not in map(name, groups_of(bed.state)["web"]), "what it started has ended too", PATIENCE_S / 4)
    agent = subprocess.run(["nice", "-n", "-5", life.ROOT / "bin" / "testbed", "inside", "--dir", bed.dir, "--", "sh", "-c",
                            "cat /proc/self/cgroup; taskset -cp $$; nice"], check=True, capture_output=True, text=True)
    assert group in agent.stdout and agent.stdout.endswith(f": {bed.state['cpus']['web']}\n0\n"), "as one of the tier's own, to its end"
    assert "cannot run no-such-job" in bed("inside", "--for", "60s", "--", "no-such-job", check=1).stderr
    assert "failed with status 3" in bed("inside", "--for", "60s", "--", "sh", "-c", "exit 3", check=1).stderr
    assert "no database server" in bed("slow-database", "--for", "1s", check=1).stderr


def test_a_slow_database_answers_again_afterwards_also_if_that_was_broken_off(bed):
    bed.up("--scale", "0.1")
    slow = subprocess.Popen([ROOT / "bin" / "testbed", "slow-database", "--dir", bed.dir, "--for", f"{PATIENCE_S}s"])
    stat = pathlib.Path(f"/proc/{bed.pid('database')}/stat")

    def stopped():
        return stat.read_text().rsplit(")", 1)[1].split()[0] == "T"

    await_true(stopped, "the database is stopped for a moment")
    slow.terminate()
    assert slow.wait(PATIENCE_S) == 1
    await_true(lambda: not stopped(), "it runs")
    assert get(bed.state["urls"]["http"])[0] == 200
    bed("slow-database", "--for", "0.2s", check=0)
    assert not stopped()


def test_users_of_another_mix_are_a_run_of_their_own(bed, tmp_path):
    bed.up("--scale", "0.1", "--db", "sqlite", "--users", "20", "--think-ms", "400")
    shares = {}
    for mix in ("usual", "other"):
        out = tmp_path / mix

        def done(name):
            return sum(float(row[name]) for row in table(out / "intervals.csv"))

        with loaded(bed, "--mix", mix, "--ramp-up", "0s", "--runtime-stats", "1s", "--out", out):
            await_true(lambda: done("throughput") > SETTLED, "most have come to a Login", PATIENCE_S)
            before = {name: done(name) for name in ("anonymous", "throughput")}
            await_true(lambda: done("throughput") > 2 * SETTLED, "what they do then", PATIENCE_S)
            shares[mix] = (done("anonymous") - before["anonymous"]) / (done("throughput") - before["throughput"])
    print(shares)
    assert shares["other"] < 0.7 * shares["usual"], "who was anonymous stays logged in"
    assert "<leave>1</leave>" in (bed.dir / "run.xml").read_text()
