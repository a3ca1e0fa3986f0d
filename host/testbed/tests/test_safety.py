# SPDX-License-Identifier: Apache-2.0
"""Everything comes back as it was, whatever happens: acceptance R1 to R3, on real control groups."""

import contextlib
import os
import random
import signal
import statistics
import subprocess
import time

import pytest

import host_agent as agents
from writes import Writes

# texts that a knob's own unit cannot say, by the version of the control groups
ODD_LIMIT = str((300 << 20) + 4096)
ODD = {1: {"cpu.shares": "1023", "cpu.cfs_period_us": "50000", "cpu.cfs_quota_us": "33333", "memory.limit_in_bytes": ODD_LIMIT},
       2: {"cpu.weight": "77", "cpu.max": "33333 50000", "memory.high": ODD_LIMIT}}
ENDED = (0, 128 + signal.SIGTERM)    # Java says by which signal
KILLS = int(os.environ.get("HOST_KILLS", "3"))


@pytest.fixture
def web(guests):
    """A guest that wants more CPU than it has."""
    if not agents.JAR.exists():
        pytest.skip(f"needs {agents.JAR}: mvn -pl host/agent -am package")
    web = guests.add("web")
    for name, text in ODD[1 if web.v1 else 2].items():
        web.file(name.partition(".")[0], name).write_text(text)
    web.burn(100)
    return web


def knob(guest, first, second):
    """The file of a knob, which has one name in version 1 and another in version 2."""
    name = first if guest.v1 else second
    return guest.file(name.partition(".")[0], name)


def cap(guest):
    return knob(guest, "cpu.cfs_quota_us", "cpu.max")


def memory(guest):
    return knob(guest, "memory.limit_in_bytes", "memory.high")


def weight(guest):
    return knob(guest, "cpu.shares", "cpu.weight")


def configured(guests):
    """All three knobs are moved."""
    return agents.joint(guests, controllers=agents.SCHEDULE)


@pytest.fixture
def agent(guests, web, tmp_path):
    made = agents.HostAgent(tmp_path / "agent", configured(guests))
    yield made
    made.end(signal.SIGKILL)


def moved(guest, before):
    return lambda: guest.knobs() != before


def test_what_it_moved_is_back_when_it_ends(agent, web):
    before = web.knobs()
    agent.start("act")
    for file in (cap(web), memory(web), weight(web)):
        agent.await_true(lambda: web.knobs()[file.name] != before[file.name], f"it moves {file.name}")
    assert agent.end() in ENDED
    assert web.knobs() == before


def test_after_a_kill_a_restore_is_possible(agent, web):
    """R1; the moments are drawn anew each time, evenly by their logarithm, since a write and what goes with it take
    milliseconds. HOST_KILLS says how many; every second one is brought back by the next start. -s shows the times."""
    before = web.knobs()
    took = {"restore": [], "the next start": []}
    for trial in range(KILLS):
        agent.start("act")
        agent.await_true(moved(web, before), "it moves a knob", 0.001)
        time.sleep(10 ** random.uniform(-4, 0.5))
        agent.end(signal.SIGKILL)
        left = web.knobs()
        assert left != before
        began = time.monotonic()
        if trial % 2 == 0:
            result = agent.verb("restore")
            assert result.returncode == 0, result.stdout + result.stderr
            took["restore"].append(time.monotonic() - began)
        else:
            agent.start("observe")
            agent.await_true(lambda: web.knobs() == before, f"kill {trial} is undone; it left {left}")
            took["the next start"].append(time.monotonic() - began)
            assert agent.end() in ENDED
        assert web.knobs() == before, f"after kill {trial}, which left {left}"
    for way, times in ((way, times) for way, times in took.items() if times):
        print(f"{len(times)} kills: {way} took {statistics.median(times):.1f} s, at most {max(times):.1f}")


def test_the_next_start_brings_back_what_a_killed_one_left(agent, web):
    before = web.knobs()
    agent.start("act")
    agent.await_true(moved(web, before), "it moves a knob")
    agent.end(signal.SIGKILL)
    assert web.knobs() != before
    agent.start("observe")
    agent.await_true(lambda: web.knobs() == before, "the next one puts it back, in whatever mode")
    assert agent.end() in ENDED
    assert web.knobs() == before


def test_a_start_that_is_refused_has_brought_it_back(agent, web):
    """What is wrong with what the file names leaves nothing away that the agent before has moved."""
    before = web.knobs()
    agent.start("act")
    agent.await_true(moved(web, before), "it moves a knob")
    agent.end(signal.SIGKILL)
    assert web.knobs() != before
    (agent.directory / "regions.json").write_text("garbage")
    agent.start("act")
    assert agent.process.wait(agent.patience_s) == 2
    assert "ic2-host discover and optimize write such files" in agent.log()
    assert web.knobs() == before


def test_a_restore_needs_no_file(agent, web):
    """It is as the file was when the knobs were moved: misspelt, with another journal, with other groups."""
    before = web.knobs()
    right = agent.config.read_text()
    for wrong, status in ((right.replace("backend:", "backends:"), 2), (right.replace("journal.jsonl", "other.jsonl").replace(
            "journal: ", "journal: other/"), 0), (right.replace("groups: ", "groups: not-"), 0)):
        agent.config.write_text(right)
        agent.start("act")
        agent.await_true(moved(web, before), "it moves a knob")
        agent.end(signal.SIGKILL)
        assert web.knobs() != before
        agent.config.write_text(wrong)
        result = agent.verb("restore")
        assert result.returncode == status, result.stdout + result.stderr
        assert result.stdout.startswith("restored "), result.stdout
        assert web.knobs() == before, wrong
    agent.config.write_text(right)


def test_advice_writes_nothing(agent, web):
    """R3, by the kernel's own count of writes."""
    files = [cap(web), weight(web), memory(web)]
    writes = Writes(files)
    try:
        agent.start("advise")
        agent.await_true(lambda: (agent.status() or {}).get("wanted"), "it says what it would do")
        advice = agent.verb("advise")       # beside the one that runs
        assert advice.returncode == 0, advice.stdout + advice.stderr
        assert "web's cap: " in advice.stdout
        assert agent.end() in ENDED
        assert writes.seen() == []
        files[0].write_text(files[0].read_text())
        assert writes.seen() == [files[0]], "a write would have been seen"
    finally:
        writes.close()


def test_somebody_elses_change_stays(agent, web):
    before = web.knobs()
    agent.start("act")
    agent.await_true(lambda: web.knobs()[cap(web).name] != before[cap(web).name], "it moves the cap")
    cap(web).write_text("4321")
    theirs = cap(web).read_text().strip()
    agent.await_true(lambda: (agent.status() or {}).get("left_alone"), "it gives the cap up")
    assert agent.end() in ENDED
    assert web.knobs() == {**before, cap(web).name: theirs}


def test_a_guest_made_anew_under_its_name_is_another(agent, guests, web):
    before = web.knobs()
    agent.start("act")
    agent.await_true(moved(web, before), "it moves a knob")
    web.remove()
    again = guests.add("web")
    fresh = again.knobs()
    again.burn(100)
    agent.await_true(moved(again, fresh), "it moves the new guest's")
    assert agent.end() in ENDED
    assert again.knobs() == fresh, "as the new one was, not the old one"


@pytest.fixture
def disk(guests, tmp_path):
    """A disk of its own for journal and snapshot, which can be full."""
    folder = tmp_path / "disk"
    folder.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k,mode=755", "tmpfs", folder], check=False).returncode != 0:
        pytest.skip("needs to mount a tmpfs")
    yield folder
    subprocess.run(["umount", "--lazy", folder], check=True)


def fill(disk):
    """Not a byte is left, nor in the journal's last page."""
    journal = disk / "journal.jsonl"
    if journal.exists():
        with journal.open("ab") as end:
            end.write(b"\n" * (-journal.stat().st_size % 4096))
    with (disk / "ballast").open("wb", buffering=0) as ballast, contextlib.suppress(OSError):
        while True:
            ballast.write(b"x" * 4096)


def test_on_a_full_disk_nothing_moves_and_a_restore_is_possible(guests, web, disk, tmp_path):
    """R2: neither snapshot nor journal takes a byte."""
    before = web.knobs()
    agent = agents.HostAgent(tmp_path / "agent", configured(guests).replace("journal: ", f"journal: {disk}/"))
    try:
        fill(disk)
        agent.start("act")
        agent.await_true(lambda: "No space left" in " ".join((agent.status() or {}).get("held", [])), "it says why nothing is moved")
        assert web.knobs() == before
        (disk / "ballast").unlink()
        agent.await_true(moved(web, before), "with room it moves a knob")
        fill(disk)
        agent.end()
        assert web.knobs() == before, "no disk is needed for the restore"
        (disk / "ballast").unlink()
        agent.start("act")
        agent.await_true(moved(web, before), "it moves a knob again")
        fill(disk)
        agent.end(signal.SIGKILL)
        agent.verb("restore")
        assert web.knobs() == before, "nor after a kill"
    finally:
        agent.end(signal.SIGKILL)
