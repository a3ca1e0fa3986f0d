# SPDX-License-Identifier: Apache-2.0
"""The wall of mod_standby where what is around it fails: names that nobody finds, no random bytes, another build of the module."""

import contextlib
import os
import re
import shutil
import subprocess

import pytest

from harness import standby
from harness.build import BUILD, TOOLS
from harness.ladder import build_of, new_visitor, running_tier
from harness.server import Shape
from harness.waiting import eventually

LINES = """
StandbyWall 1
StandbyWallEngines TrueBot localhost
"""
#: One child has all questions
ONE_CHILD = {"worker": Shape(threads_per_child=20, server_limit=4, start_servers=1, max_request_workers=20, max_spare=20, min_spare=1)}
WAITING = 64


def strange():
    """The library that a strange server loads before all others."""
    source, library = TOOLS / "strangedns.c", BUILD / "httpd-tools" / "strangedns.so"
    if not library.exists() or source.stat().st_mtime > library.stat().st_mtime:
        library.parent.mkdir(parents=True, exist_ok=True)
        fresh = library.with_suffix(f".{os.getpid()}")
        subprocess.run([os.environ.get("CC", "cc"), "-D_GNU_SOURCE", "-O2", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared", "-o", fresh,
                        source, "-ldl"], check=True)
        fresh.replace(library)
    return library


@contextlib.contextmanager
def tier_with(request, monkeypatch, tmp_path, *, says=(), directives=LINES, **kwargs):
    """On level 1, with a resolver that is as the files in tmp_path say."""
    tmp_path.chmod(0o755)
    for directory in tmp_path.parents:
        if directory.owner() == tmp_path.owner() and directory.name.startswith(("pytest-", "popen-")):
            directory.chmod(0o755)
    monkeypatch.setenv("STRANGE", str(tmp_path))
    for what in says:
        (tmp_path / what).touch()

    def prepare(server):
        server.preload = strange()

    with running_tier("worker", sanitized=request.config.getoption("--asan"), directives=directives, prepare=prepare, **kwargs) as tier:
        tier.go(1)
        yield tier


def see(tier, source="127.0.0.1", path="/engine"):
    return tier.server.get(path, source=source, headers={"User-Agent": "TrueBot/1.0"}).status


def is_confirmed(tier):
    return see(tier) == 200


def test_nobody_waits_for_a_name_and_more_questions_than_there_is_room_for_are_asked_later(request, monkeypatch, tmp_path):
    with tier_with(request, monkeypatch, tmp_path, says=["slow"], shape=ONE_CHILD["worker"]) as tier:
        assert {see(tier, new_visitor()) for _ in range(WAITING + 8)} == {503}
        assert see(tier) == 503     # there was no room for its question
        (tmp_path / "slow").unlink()
        eventually(lambda: is_confirmed(tier), what="the name to be asked for with a later request", patience=60, every=0.2)


def test_names_that_nobody_finds_now_are_asked_for_again_soon(request, monkeypatch, tmp_path):
    with tier_with(request, monkeypatch, tmp_path, says=["down"]) as tier:
        assert {see(tier) for _ in range(20)} == {503}
        (tmp_path / "down").unlink()
        eventually(lambda: is_confirmed(tier), what="the name to be asked for again", patience=200, every=0.5)


@pytest.mark.parametrize("end", ["graceful", "restart", "graceful_stop", "stop_by_command"])
def test_child_ends_while_it_waits_for_a_name(request, monkeypatch, tmp_path, end):
    """Neither with a signal nor later than without the question; whoever comes then asks again."""
    with tier_with(request, monkeypatch, tmp_path, says=["slow"]) as tier:
        for _ in range(20):
            see(tier, new_visitor())
        before = set(tier.server.children())
        getattr(tier.server, end)()
        if end in ("graceful", "restart"):
            eventually(lambda: not before & set(tier.server.children()), what="the children from before to be gone")
            (tmp_path / "slow").unlink()
            tier.go(1)
            eventually(lambda: is_confirmed(tier), what="the name to be confirmed", every=0.2)


def test_client_of_ipv4_where_httpd_listens_for_both_is_confirmed(request, monkeypatch, tmp_path):
    """As with `Listen 80`: there the address of a client of IPv4 is one of IPv6."""
    both = LINES + "Listen [::]:@PORT1@\n"
    with tier_with(request, monkeypatch, tmp_path, directives=both, extra_ports=1) as tier:
        port = tier.server.ports[0]
        eventually(lambda: tier.server.get("/both", source="127.0.0.1", port=port, headers={"User-Agent": "TrueBot/1.0"}).status == 200,
                   what="the name to be confirmed", patience=60, every=0.1)


def test_without_random_bytes_httpd_says_so_and_does_not_start(request, monkeypatch, tmp_path):
    """A secret of zeros would let everybody make passes."""
    monkeypatch.setenv("STRANGE_RANDOM", "1")
    with pytest.raises(AssertionError, match="AH12027") as error, tier_with(request, monkeypatch, tmp_path):
        pass
    assert re.search(r"no random bytes for the secret", str(error.value))


def changed(build, tmp_path):
    """The module as another version may be: it counts many more names."""
    sources = tmp_path / "changed"
    shutil.copytree(standby.SOURCES, sources)
    status = sources / "standby_status.c"
    text = status.read_text()
    assert text.count("#define NAMES 32\n") == 1
    status.write_text(text.replace("#define NAMES 32\n", "#define NAMES 40000\n"))
    module = tmp_path / "mod_standby.so"
    directory = tmp_path / "built"
    directory.mkdir()
    before, standby.SOURCES = standby.SOURCES, sources
    try:
        standby._compile(build, directory, module)
    finally:
        standby.SOURCES = before
    return module


def test_another_build_of_the_module_takes_memory_of_its_own(request, tmp_path):
    """As an upgrade's graceful restart brings it: what httpd kept over restarts has the form of the old one."""
    sanitized = request.config.getoption("--asan")
    build = build_of("worker", sanitized)
    module = changed(build, tmp_path)
    with running_tier("worker", sanitized=sanitized, directives=LINES) as tier:
        text = tier.server.config.read_text()
        tier.server.config.write_text(re.sub(r"LoadModule standby_module \S+", f"LoadModule standby_module {module}", text))
        tier.server.graceful()
        tier.go(1)
        for _ in range(5):
            assert tier.server.get("/after?x=1", source=new_visitor()).status == 503
        assert tier.status().count("StandbyWall", "met") == 5
