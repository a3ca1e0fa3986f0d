# SPDX-License-Identifier: Apache-2.0
"""bin/ic2 and the archive of class data beside the jar: when it is made, when it is used, and that it keeps nobody from a verb.

The launcher is the real one; Java and what makes an archive are scripts that say what they were asked.
"""

import os
import pathlib
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[4]
HOUR = 3600
JAVA = """\
#!/bin/sh
for word; do case $word in -XX:SharedArchiveFile=*) echo shared ;; esac; done
"""
# as packaging/ic2-archive ends; "broken" beside it: it does not get there
MAKER = """\
#!/bin/sh
here=$(dirname "$(readlink -f "$0")")
echo made >>"$here/calls"
[ ! -e "$here/broken" ] || exit 1
echo "classes of $1" >"$3.new"
modules=$(dirname "$(dirname "$1")")/lib/modules
{ stat -Lc '%n %s %Y' "$modules" "$2"; printf '%s %s\\n' "$3" "$(stat -c '%s %Y' "$3.new")"; } >"$3.of"
mv -fT "$3.new" "$3"
"""


class Place:
    """A tree with the launcher, a jar, and a Java."""

    def __init__(self, home):
        self.home = home
        self.share = home / "share" / "ic2"
        self.archive, self.broken = self.share / "ic2.jsa", self.share / "broken"
        self.share.mkdir(parents=True)
        (home / "bin").mkdir()
        shutil.copy2(ROOT / "bin" / "ic2", home / "bin")
        (self.share / "ic2.jar").write_text("jar")
        self.script(self.share / "ic2-archive", MAKER)
        self.java("first")

    @staticmethod
    def script(path, text):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)

    def java(self, name, age=0):
        """From now on this Java, whose files are so many seconds old."""
        self.script(self.home / name / "bin" / "java", JAVA)
        modules = self.home / name / "lib" / "modules"
        modules.parent.mkdir(exist_ok=True)
        modules.write_text("modules")
        self.age(modules, age)
        self.command = self.home / name / "bin" / "java"

    @staticmethod
    def age(path, seconds):
        then = path.stat().st_mtime - seconds
        os.utime(path, (then, then))

    def shared(self):
        """Whether a verb, which must succeed, was given the archive."""
        done = subprocess.run([self.home / "bin" / "ic2", "status"], env={**os.environ, "JAVA": str(self.command)},
                              capture_output=True, text=True, timeout=300, check=False)
        assert (done.returncode, done.stderr) == (0, "")
        return "shared" in done.stdout

    def made(self):
        """How often the making of one was begun."""
        calls = self.share / "calls"
        return len(calls.read_text().splitlines()) if calls.exists() else 0


@pytest.fixture
def place(tmp_path):
    return Place(tmp_path)


def test_it_is_made_once_and_used(place):
    assert [place.shared() for _ in range(3)] == [True] * 3
    assert place.made() == 1


def test_another_java_or_jar_gets_another_one_though_its_files_be_older(place):
    assert place.shared()
    place.java("second", age=24 * HOUR)
    assert place.shared()
    assert place.archive.read_text() == f"classes of {place.command}\n"
    (place.share / "ic2.jar").write_text("another jar")
    place.age(place.share / "ic2.jar", 24 * HOUR)
    assert place.shared() and place.shared()
    assert place.made() == 3


def test_one_that_another_put_in_its_place_is_not_used(place):
    assert place.shared()
    place.archive.write_text("of some other Java\n")
    assert place.shared()
    assert place.made() == 2, "it was made again"


def test_where_none_can_be_made_nobody_waits_again_until_an_hour_has_passed_or_something_changed(place):
    place.broken.touch()
    assert [place.shared() for _ in range(3)] == [False] * 3
    assert place.made() == 1
    place.java("second")
    assert [place.shared() for _ in range(3)] == [False] * 3
    assert place.made() == 2
    place.broken.unlink()
    assert not place.shared()
    place.age(place.archive.with_name("ic2.jsa.tried"), HOUR + 1)
    assert [place.shared() for _ in range(3)] == [True] * 3
    assert place.made() == 3


def test_an_archive_that_a_running_agent_maps_is_not_changed(place):
    assert place.shared()
    with place.archive.open() as mapped:
        place.broken.touch()
        place.java("second")
        assert not place.shared()
        assert mapped.read() == f"classes of {place.home / 'first' / 'bin' / 'java'}\n"


def test_a_place_where_nothing_can_be_written_is_no_error(place):
    place.broken.touch()
    for name in ("ic2.jsa", "ic2.jsa.tried"):
        (place.share / name).mkdir()
        (place.share / name / "somebody's").touch()
    assert not place.shared()
    assert not place.shared()
