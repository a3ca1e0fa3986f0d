# SPDX-License-Identifier: Apache-2.0
"""The parts that need no running testbed."""

import contextlib
import os
import pathlib
import re
import runpy
import shutil
import socket
import stat

import pytest

from testbed import bed as life
from testbed.applications import Olio, WordPress
from testbed.arrangement import ARRANGEMENTS
from testbed import calibrate, cgroups, layout, options, places, runxml, services, state
from testbed.errors import TestbedError
from testbed.processes import Process, process


def mounts(tmp_path, *lines):
    file = tmp_path / "mounts"
    file.write_text("".join(f"none {where} {kind} {what} 0 0\n" for where, kind, what in lines))
    return file


def test_a_v1_machine_gets_shares_from_v1_and_stall_from_the_v2_mount_beside_it(tmp_path):
    found = cgroups.find_hierarchies(mounts(tmp_path, ("/c/cpu", "cgroup", "rw,cpu"), ("/c/unified", "cgroup2", "rw"),
                                            ("/c/cpuset", "cgroup", "rw,cpuset")))
    web, outside = cgroups.group_of(found, "ic2-0", "web"), cgroups.group_of(found, "ic2-0", "outside", ruled=False)
    assert found.cpu_version == 1
    assert [str(d) for d in web.directories] == ["/c/cpu/ic2-0-web", "/c/unified/ic2-0-web"]
    assert str(web.usage) == "/c/unified/ic2-0-web"
    assert [str(d) for d in outside.directories] == ["/c/unified/ic2-0-outside"]


def test_a_v1_machine_without_v2_works_without_counts(tmp_path):
    found = cgroups.find_hierarchies(mounts(tmp_path, ("/c/cpu,cpuacct", "cgroup", "rw,cpu,cpuacct")))
    web = cgroups.group_of(found, "ic2-0", "web")
    assert [str(d) for d in web.directories] == ["/c/cpu,cpuacct/ic2-0-web"]
    assert cgroups.cpu_use(web) is None


def test_a_v2_machine_gets_everything_from_one_group(tmp_path):
    (tmp_path / "cgroup.controllers").write_text("cpuset cpu io memory\n")
    (tmp_path / "cgroup.subtree_control").write_text("memory\n")
    found = cgroups.find_hierarchies(mounts(tmp_path, (tmp_path, "cgroup2", "rw")))
    web = cgroups.create(found, "ic2-0", ARRANGEMENTS["overcommitted"].shares)["web"]
    assert found.cpu_version == 2
    assert web.directories == (tmp_path / "ic2-0-web",)
    assert (tmp_path / "ic2-0-web" / "cpu.weight").read_text() == "10000"
    assert (tmp_path / "ic2-0-neighbour" / "cpu.weight").read_text() == "10000"
    assert (tmp_path / "cgroup.subtree_control").read_text() == "+cpu"
    assert not (tmp_path / "ic2-0-outside" / "cpu.weight").exists()


@pytest.mark.parametrize("version, file, largest", [(1, "cpu.shares", 100_000), (2, "cpu.weight", 10_000)])
def test_with_load_first_database_and_load_have_the_largest_share_too(tmp_path, version, file, largest):
    (tmp_path / "cgroup.subtree_control").write_text("cpu\n")
    found = cgroups.Hierarchies(tmp_path, version, tmp_path if version == 2 else None)
    groups = cgroups.create(found, "ic2-0", options.Options(load_first=True).shares)
    assert {role: int((group.directories[0] / file).read_text()) for role, group in groups.items()} == {
        "web": largest, "neighbour": largest, "outside": largest}
    assert "outside" not in options.Options().shares


@pytest.mark.parametrize("version, file, largest", [(1, "cpu.shares", 100_000), (2, "cpu.weight", 10_000)])
def test_in_the_layout_apart_the_neighbour_gives_way_to_load_and_database(tmp_path, version, file, largest):
    (tmp_path / "cgroup.subtree_control").write_text("cpu\n")
    found = cgroups.Hierarchies(tmp_path, version, tmp_path if version == 2 else None)
    groups = cgroups.create(found, "ic2-0", ARRANGEMENTS["apart"].shares)
    shares = {role: int((group.directories[0] / file).read_text()) for role, group in groups.items()}
    assert shares == {"web": largest, "outside": largest, "neighbour": largest // 100}


@pytest.mark.parametrize("version, file, largest", [(1, "cpu.shares", 100_000), (2, "cpu.weight", 10_000)])
def test_hosted_groups_are_children_of_one_and_all_are_removed(tmp_path, version, file, largest):
    (tmp_path / "cgroup.subtree_control").write_text("cpu\n")
    (tmp_path / "ic2-0").mkdir()
    (tmp_path / "ic2-0" / "cgroup.subtree_control").write_text("")
    found = cgroups.Hierarchies(tmp_path, version, tmp_path if version == 2 else None)
    groups = cgroups.create(found, "ic2-0", ARRANGEMENTS["overcommitted"].shares, hosted={"web": 1, "neighbour": 1})
    assert groups["web"].directories[0] == tmp_path / "ic2-0" / "web"
    assert (tmp_path / "ic2-0" / file).read_text() == (tmp_path / "ic2-0" / "web" / file).read_text() == str(largest)
    assert (tmp_path / "ic2-0" / "cgroup.subtree_control").read_text() == ("+cpu" if version == 2 else "")
    assert {group.directories for group in groups.values()} <= {group.directories for group in cgroups.all_of(found, "ic2-0")} | {()}


@pytest.mark.parametrize("version", [1, 2])
def test_hosted_groups_have_their_cpu_where_there_are_cpusets(tmp_path, version):
    sets = tmp_path / "cpuset" if version == 1 else tmp_path
    sets.mkdir(exist_ok=True)
    for name, text in (("cpuset.cpus", "0-3\n"), ("cpuset.mems", "0\n"), ("cgroup.controllers", "cpuset cpu\n"), ("cgroup.subtree_control", "\n")):
        (sets / name).write_text(text)
    (sets / "ic2-0").mkdir()
    (sets / "ic2-0" / "cgroup.subtree_control").write_text("")
    kinds = [(tmp_path, "cgroup2", "rw")] if version == 2 else [(tmp_path, "cgroup", "rw,cpu"), (sets, "cgroup", "rw,cpuset")]
    found = cgroups.find_hierarchies(mounts(tmp_path, *kinds))
    groups = cgroups.create(found, "ic2-0", ARRANGEMENTS["overcommitted"].shares, hosted={"web": 1, "neighbour": 1})
    for role in ("web", "neighbour"):
        directory = sets / "ic2-0" / role
        assert directory in groups[role].directories
        assert (directory / "cpuset.cpus").read_text() == "1"
        assert not (directory / "cpuset.mems").exists() if version == 2 else (directory / "cpuset.mems").read_text() == "0\n"
    assert (sets / "ic2-0" / "cgroup.subtree_control").read_text() == ("+cpu +cpuset" if version == 2 else "")
    assert version == 2 or (sets / "ic2-0" / "cpuset.cpus").read_text() == "0-3\n"
    assert version == 2 or not (sets / "ic2-0" / "outside").exists()


def known_in(kind):
    return {"options": {"layout": kind}, "cpus": {"web": 0, "outside": 1}, "files": {"results": "/r"},
            "cgroups": {role: {"join": [f"/c/{role}"]} for role in ARRANGEMENTS[kind].shares}}


@pytest.mark.parametrize("kind, asked, place", [
    ("overcommitted", None, "same-core --cpu 0 --cgroup /c/neighbour"), ("overcommitted", "other-core", "other-core --cpu 1"),
    ("apart", None, "other-core --cpu 1 --cgroup /c/neighbour"), ("apart", "other-core", "other-core --cpu 1 --cgroup /c/neighbour")])
def test_the_layout_says_where_the_neighbour_is(kind, asked, place):
    command = life.neighbour_command(known_in(kind), asked, ["-s", "1s on", "--", "dcopy"])
    assert " ".join(command[1:]).startswith(f"--placement {place} --log /r/neighbour.csv -s 1s on -- /")


def test_in_the_layout_apart_no_neighbour_comes_to_the_tiers_cpu(monkeypatch, tmp_path):
    with pytest.raises(TestbedError, match="--placement same-core: in the layout apart the neighbour is other-core"):
        life.neighbour_command(known_in("apart"), "same-core", [])
    monkeypatch.setattr(life.os, "geteuid", lambda: 0)
    with pytest.raises(TestbedError, match="both 0; the tier needs one of its own"):
        life.up(layout.layout_of(tmp_path / "bed"), options.Options(layout="apart", outside_cpu=0), say=lambda line: None)


def test_a_machine_without_cpu_shares_is_told_what_is_missing(tmp_path):
    (tmp_path / "cgroup.controllers").write_text("memory\n")
    with pytest.raises(TestbedError, match="cpu controller"):
        cgroups.find_hierarchies(mounts(tmp_path, (tmp_path, "cgroup2", "rw")))


def test_cpu_use_is_read_in_seconds(tmp_path):
    (tmp_path / "cpu.stat").write_text("usage_usec 2500000\nuser_usec 1\n")
    group = cgroups.Group("web", (tmp_path,), tmp_path)
    assert cgroups.cpu_use(group) == 2.5


def test_intervals_are_read_with_their_gaps_while_they_are_written():
    text = "time,phase,response_time\n5.000,steady,\n6.000,steady,0.25\n7.000,ste"
    assert calibrate.read_intervals(text) == [{"time": 5.0, "phase": "steady", "response_time": None},
                                              {"time": 6.0, "phase": "steady", "response_time": 0.25}]
    assert calibrate.read_intervals("") == calibrate.read_intervals("time,pha") == []


def tier(cost, cycle=1.0):
    """Measures a tier whose operations cost more the busier it is; notes the numbers of users."""
    asked = []

    def measure(users):
        asked.append(users)
        dear = cost * (1 + 0.3 * min(1, users * cost / cycle))
        return calibrate.Load(users, min(1, users * dear / cycle), dear)
    return measure, asked


@pytest.mark.parametrize("begin", [40, 100, 400])
@pytest.mark.parametrize("target", [0.6, 0.75, 0.85, 0.95])
def test_calibrating_tries_what_the_users_say_that_there_are_and_corrects_it(target, begin):
    measure, asked = tier(0.003)
    found = calibrate.search(target, begin, measure)
    assert abs(found.share - target) <= calibrate.Care.near
    assert asked[0] == begin and len(asked) <= calibrate.ROUNDS and found.users == asked[-1]


def test_calibrating_ends_with_the_nearest_where_users_are_few_or_figures_restless():
    measure, asked = tier(0.2)
    assert calibrate.search(0.5, 40, measure).users == 2 and len(asked) == len(set(asked))
    shares = iter([0.1, 0.3, 0.9, 0.55, 0.8])
    found = calibrate.search(0.6, 40, lambda users: calibrate.Load(users, share := next(shares), share / users))
    assert found.share == 0.55 and next(shares, None) is None
    assert re.search(r": (\d+) users need 0.55 of the CPU .asked: 0.6, the nearest of all tries", calibrate.said(found, 0.6))
    assert calibrate.said(calibrate.Load(7, 0.61, 0.005), 0.6) == "5.00 ms of CPU per operation: 7 users need 0.61 of the CPU (asked: 0.6)"
    off = calibrate.Load(7, 0.67, 0.005)
    assert "nearest of all tries" in calibrate.said(off, 0.6) and "nearest" not in calibrate.said(off, 0.6, calibrate.QUICK.near)


def held_back(cap, cost=1 / 620):
    """Measures a tier of which others leave no more than `cap` of its CPU, as frontdoor's machine did; notes the numbers of users."""
    asked = []

    def measure(users):
        asked.append(users)
        share = min(cap, users * cost)
        waiting = round(users * (1 - share / (users * cost)))
        return calibrate.Load(users, share, cost, waiting=waiting, oldest_s=20 if waiting else 0.1)
    return measure, asked


@pytest.mark.parametrize("cap", [1, 0.7])
def test_calibrating_finds_the_users_where_others_leave_enough_of_the_cpu(cap):
    measure, asked = held_back(cap)
    assert abs(calibrate.search(0.6, 100, measure).share - 0.6) <= calibrate.Care.near and max(asked) < 500


@pytest.mark.parametrize("cap", [0.5, 0.3, 0.15, 0.08, 0.04])
def test_calibrating_a_tier_that_gets_too_little_ends_with_an_estimate_and_what_to_do(cap):
    measure, asked = held_back(cap)
    with pytest.raises(calibrate.Unstable, match="no stable answer.*users? waited.*IC2_DEMO_USERS=372") as unstable:
        calibrate.search(0.6, 100, measure)
    assert unstable.value.users == 372 and len(asked) <= calibrate.ROUNDS and max(asked) < 500
    assert "\n" not in str(unstable.value)


@pytest.mark.parametrize("cap", [1, 0.3, 0.04])
def test_calibrating_asks_for_no_more_users_than_load_and_memory_bear(cap):
    for most in (150, calibrate.most_users(1000)):
        measure, asked = held_back(cap, cost=1 / 100_000)
        try:
            assert calibrate.search(0.6, 6000, measure, most=most).users <= most
        except calibrate.Unstable as unstable:
            assert unstable.users <= most
        assert max(asked) <= most
    assert calibrate.most_users(24_000) == calibrate.MOST_USERS
    assert calibrate.most_users(1000) == 2000 and calibrate.most_users(10) == 1


@pytest.mark.parametrize("what, words", [({"others": 0.4}, "other programs took 40%"), ({"steal": 0.2}, "the hypervisor took 20%"),
                                         ({"late_s": 1.5}, "the load was late by 1.5 s"),
                                         ({"oldest_s": 9.0}, "a user waited for 9.0 s")])
def test_calibrating_believes_no_measurement_that_was_disturbed(what, words):
    with pytest.raises(calibrate.Unstable, match=words) as unstable:
        calibrate.search(0.6, 100, lambda users: calibrate.Load(users, min(0.6, users / 620), 1 / 620, **what))
    assert unstable.value.users == 372


def test_calibrating_measures_again_when_it_was_disturbed_once():
    noise = iter([0.4, 0.4, 0])
    found = calibrate.search(0.6, 100, lambda users: calibrate.Load(users, users / 620, 1 / 620, others=next(noise)))
    assert found.users == 372 and not found.disturbed


def test_calibrating_a_tier_that_completes_nothing_asks_for_no_more():
    asked = []
    with pytest.raises(calibrate.Unstable, match="100 users completed nothing") as unstable:
        calibrate.search(0.6, 100, lambda users: asked.append(users) or calibrate.Load(users, 0.01, float("inf")))
    assert set(asked) == {100} and unstable.value.users == 100


HEAD = "time,elapsed,phase,throughput,pending_users,oldest_wait,generator_lag\n"


@pytest.mark.parametrize("line, words", [("9.0,1.0,steady,fast,1,0.1,0.0\n", "intervals.csv:2: throughput: expected a number from 0 on, got 'fast'"),
                                         ("9.0,1.0,steady,-5,1,0.1,0.0\n", "got -5.0"), ("9.0,1.0,steady,nan,1,0.1,0.0\n", "got nan"),
                                         ("9.0,inf,steady,5,1,0.1,0.0\n", "got inf"), ("9.0,1.0,steady\n", "expected 7 fields")])
def test_garbage_in_the_loads_lines_is_named(tmp_path, line, words):
    with pytest.raises(TestbedError, match=re.escape(words)):
        calibrate.checked(tmp_path / "intervals.csv", calibrate.read_intervals(HEAD + line))


def test_a_load_whose_lines_lack_a_column_is_named(tmp_path):
    with pytest.raises(TestbedError, match="elapsed: expected a number from 0 on, got None"):
        calibrate.checked(tmp_path / "intervals.csv", calibrate.read_intervals("time,phase\n9.0,steady\n"))


def test_a_measurement_is_what_happened_between_two_lines():
    text = HEAD + "".join(f"{100 + n}.1,{n}.0,steady,{x},{n},0.{n},0.01\n" for n, x in ((1, 90), (2, 60), (4, 30)))
    rows = calibrate.checked("intervals.csv", calibrate.read_intervals(text))
    begin = calibrate.Look(1, 101.2, tier=5.0, all=200.0, busy=100.0, steal=1.0)
    load = calibrate.load_of(70, rows, begin, calibrate.Look(3, 104.2, tier=6.5, all=203.0, busy=102.1, steal=1.3), 1.0)
    assert load.share == pytest.approx(0.5) and load.cost == pytest.approx(1.5 / (60 * 1 + 30 * 2))
    assert (load.waiting, load.oldest_s, load.late_s) == (4, 0.4, pytest.approx(0.1))
    assert (load.steal, load.others) == (pytest.approx(0.1), pytest.approx(0.2))


def test_a_directory_that_the_servers_cannot_reach_is_replaced_by_a_link(tmp_path):
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    found = layout.layout_of(closed / "bed")
    assert found.state == pathlib.Path("/var/tmp") / found.name
    layout.create(found)
    try:
        assert (closed / "bed").resolve() == found.state
        assert layout.layout_of(closed / "bed") == found
    finally:
        layout.destroy(found, keep_records=False)
    assert not found.state.exists() and not (closed / "bed").is_symlink()


@pytest.mark.parametrize("name", ["with space", "x" * 80, "it's", "größe"])
def test_a_path_that_no_configuration_or_socket_takes_is_replaced_by_a_link(name):
    with places.directory_for_servers("parts-") as directory:
        assert layout.layout_of(directory / "bed").state == directory / "bed"
        assert layout.layout_of(directory / name).state.parent == pathlib.Path("/var/tmp")


def test_a_testbed_has_one_name_however_its_path_is_written(tmp_path):
    (tmp_path / "closed").mkdir(mode=0o700)
    (tmp_path / "link").symlink_to(tmp_path / "closed")
    found = layout.layout_of(tmp_path / "link" / "bed")
    layout.create(found)
    try:
        assert layout.layout_of(tmp_path / "link" / "bed") == layout.layout_of(tmp_path / "closed" / "bed") == found
    finally:
        layout.destroy(found, keep_records=False)


def test_server_files_are_copied_readable_by_all_over_an_earlier_copy(tmp_path, monkeypatch):
    repository, target = tmp_path / "repository", tmp_path / "served"
    for name in places.SERVED:
        (repository / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copytree(places.ROOT / name, repository / name) if (places.ROOT / name).is_dir() else \
            shutil.copy(places.ROOT / name, repository / name)
    for path in repository.rglob("*"):  # as a clone under umask 077 has it
        path.chmod(path.stat().st_mode & 0o700)
    monkeypatch.setattr(places, "ROOT", repository)
    for _ in range(2):
        places.copy_for_servers(target)
        (target / "old").touch()
    places.copy_for_servers(target)
    assert not (target / "old").exists() and not (target / "docker/web/tests").exists()
    assert os.access(target / "docker/web/prepare", os.X_OK)
    for path in target.rglob("*"):
        assert path.stat().st_mode & stat.S_IROTH, path
        assert path.stat().st_mode & stat.S_IXOTH or not path.is_dir(), path


def test_a_directory_with_other_files_is_refused(tmp_path):
    (tmp_path / "thesis.tex").touch()
    with pytest.raises(TestbedError, match="holds other files"):
        layout.create(layout.Layout(tmp_path, tmp_path))
    assert (tmp_path / "thesis.tex").exists()


def test_a_planted_link_is_not_followed(tmp_path):
    (tmp_path / "victim").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "victim")
    with pytest.raises(TestbedError, match="not a directory"):
        layout.create(layout.Layout(tmp_path / "asked", tmp_path / "link"))


def test_records_survive_a_plain_down(tmp_path):
    made = layout.Layout(tmp_path / "bed", tmp_path / "bed")
    layout.create(made)
    made.logs.mkdir()
    made.results.mkdir()
    (made.results / "table.csv").write_text("x")
    (made.state / "olio.sqlite").write_text("x")
    layout.destroy(made, keep_records=True)
    assert sorted(p.name for p in made.state.iterdir()) == [".testbed", "log", "results"]
    layout.create(made)  # and may be used again


@pytest.mark.parametrize("word", ["OLIO_CPU_ROUNDS", "IC2_STATE=/etc", "PATH=/tmp", "OLIO_WAIT_MS=$(id)", "="])
def test_only_known_settings_with_plain_values_are_taken(word):
    with pytest.raises(TestbedError, match="--set"):
        options.read_settings([word])


def test_settings_are_read():
    assert options.read_settings(["OLIO_CPU_ROUNDS=10", "OLIO_WAIT_MS=2.5"]) == {
        "OLIO_CPU_ROUNDS": "10", "OLIO_WAIT_MS": "2.5"}


@pytest.mark.parametrize("profile,driver", [("public", "OlioDriver"), ("olio", "OriginalOlioDriver")])
def test_run_xml_is_the_template_of_the_profiles_driver_with_this_testbeds_values(tmp_path, profile, driver):
    bed = layout.Layout(tmp_path, tmp_path)
    asked = options.Options(users=77, think_ms=1234, scheme="https", profile=profile)
    template = Olio().template(asked)
    runxml.write(bed, asked, 4321, template)
    before, after = template.read_text().splitlines(), bed.run_xml.read_text().splitlines()
    assert f'definition="org.ic2.load.olio.{driver}"' in bed.run_xml.read_text()
    changed = [line.strip() for old, line in zip(before, after, strict=True) if old != line]
    assert "<fa:scale>77</fa:scale>" in changed
    assert "<port>4321</port>" in changed
    assert "<scheme>https</scheme>" in changed
    assert '<property name="cycleMean">1234</property>' in changed
    assert f"<outputDir>{tmp_path}/results/load</outputDir>" in changed
    assert len(changed) <= 6


def test_a_template_that_has_changed_its_shape_is_an_error(tmp_path):
    (tmp_path / "run.xml").write_text("<olio><fa:scale>1</fa:scale><fa:scale>2</fa:scale></olio>")
    with pytest.raises(TestbedError, match="exactly one <fa:scale>"):
        runxml.write(layout.Layout(tmp_path, tmp_path), options.Options(), 1, tmp_path / "run.xml")


def test_a_reused_pid_is_not_taken_for_the_old_process():
    me = process(os.getpid())
    assert me.alive()
    assert not Process(me.pid, me.start + 1).alive()


@pytest.mark.parametrize("text", ["", "{", "[]", '{"version": 99}'])
def test_a_damaged_state_file_counts_as_down(tmp_path, text):
    bed = layout.Layout(tmp_path, tmp_path)
    assert state.read(bed) is None
    bed.json.write_text(text)
    assert state.read(bed) is None


def test_only_one_up_or_down_at_a_time(tmp_path):
    bed = layout.Layout(tmp_path / "bed", tmp_path / "bed")
    with state.locked(bed):
        with pytest.raises(TestbedError, match="another"):
            with state.locked(bed):
                pass
    with state.locked(bed):
        pass
    assert list(tmp_path.iterdir()) == []


def test_free_ports_differ_and_only_their_server_gets_them():
    with services.free_ports(5) as ports:
        assert len(set(ports)) == 5
        with socket.socket() as other, pytest.raises(OSError):
            other.bind(("127.0.0.1", ports[0]))
        with socket.socket() as server:
            server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            server.bind(("127.0.0.1", ports[0]))
            server.listen()
            socket.create_connection(("127.0.0.1", ports[0])).close()
    with socket.socket() as server:
        server.bind(("127.0.0.1", ports[1]))


def test_free_ports_are_never_those_of_others(monkeypatch):
    with services.free_ports(3) as ports:
        pass
    with contextlib.ExitStack() as others:
        listens, held = (others.enter_context(socket.socket()) for _ in range(2))
        for s, port in zip((listens, held), ports):
            s.bind(("127.0.0.1", port))
        listens.listen()
        held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)     # as another testbed does
        monkeypatch.setattr(services, "PORTS", ports)
        with services.free_ports(1) as found:
            assert found == ports[2:]
            with pytest.raises(TestbedError, match=f"from {ports[0]} to {ports[2]} are taken; `ss -ltnp` says by whom"):
                with services.free_ports(1):
                    pass


def test_a_missing_program_is_named_with_its_package():
    with pytest.raises(TestbedError, match="no-such-server is missing; install the package some-package"):
        services.need("no-such-server", "some-package")


@pytest.mark.parametrize("missing, package", [("php", "php-cli"), ("php-fpm", "php-fpm"),
                                              ("mariadbd", "mariadb-server")])
def test_up_names_the_missing_package_before_it_makes_anything(tmp_path, monkeypatch, missing, package):
    monkeypatch.setattr(life.os, "geteuid", lambda: 0)
    monkeypatch.setattr(services.shutil, "which", lambda name, path: None if name.startswith(missing) else "/usr/bin/" + name)
    asked = layout.Layout(tmp_path / "bed", tmp_path / "bed")
    with pytest.raises(TestbedError, match=f"{missing}[0-9.]* is missing; install the package {package} .`make deps`"):
        life.up(asked, options.Options(), say=lambda line: None)
    assert list(tmp_path.iterdir()) == []


def test_up_without_permission_says_why_it_needs_root(tmp_path, monkeypatch):
    monkeypatch.setattr(life.os, "geteuid", lambda: 1000)
    with pytest.raises(TestbedError, match="must run as root: it makes cgroups"):
        life.up(layout.Layout(tmp_path / "bed", tmp_path / "bed"), options.Options(), say=lambda line: None)
    assert list(tmp_path.iterdir()) == []


def test_a_prefix_without_httpd_says_how_to_get_one(tmp_path):
    with pytest.raises(TestbedError, match="build.sh"):
        services.check_httpd(tmp_path)


def test_state_directories_can_be_entered_by_the_servers_user(tmp_path):
    made = layout.layout_of(tmp_path / "bed")
    layout.create(made)
    try:
        assert made.state.stat().st_mode & stat.S_IXOTH
        assert places.open_to_all(made.state)
    finally:
        layout.destroy(made, keep_records=False)


def test_the_ratio_of_a_bench_has_an_interval_by_students_t():
    mean_ratio = runpy.run_path(str(places.ROOT / "testbed" / "bench" / "quiet"))["mean_ratio"]
    assert mean_ratio([0.5]) == "0.500"
    assert mean_ratio([0.5, 2]) == "1.000 (0.000 to 6681.702)"
    assert mean_ratio([0.8, 0.9, 0.85]) == "0.849 (0.733 to 0.983)"


def test_a_wordpress_refuses_a_jit_that_php_does_not_have():
    with pytest.raises(TestbedError, match="IC2_PHP_JIT=on: expected off or tracing"):
        WordPress().check(options.Options(application="wordpress", settings={"IC2_PHP_JIT": "on"}))
