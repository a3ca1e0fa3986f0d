# SPDX-License-Identifier: Apache-2.0
"""series: new files, hooks and the exported commits are one thing, and an edited tree finds its way back."""

import shutil
import subprocess

import pytest

from harness.build import BUILD, COMPONENT


@pytest.fixture(scope="module")
def tarball(build):
    remembered = BUILD / "httpd-src" / "source"
    if not remembered.exists():
        pytest.skip("HTTPD_PREFIX is given, so there is no downloaded source")
    return remembered.read_text().splitlines()[1]


@pytest.fixture
def copy(tmp_path, tarball):
    """series(*arguments) of a copy that may be spoilt; .files is where it is, .tree where it applies to."""
    files = tmp_path / "httpd-online"
    files.mkdir()
    for name in ("src", "patches", "lib"):
        shutil.copytree(COMPONENT / name, files / name)
    shutil.copy2(COMPONENT / "series", files / "series")

    def series(*arguments, expect=0):
        done = subprocess.run([files / "series", *map(str, arguments)], capture_output=True, text=True, check=False)
        assert done.returncode == expect, done.stdout + done.stderr
        return done.stdout + done.stderr

    series.files, series.tree = files, tmp_path / "tree"
    series.contents = lambda: {str(f.relative_to(files)): f.read_bytes() for f in files.rglob("*") if f.is_file()}
    series.parts = sorted(f.name for f in (files / "patches").iterdir())
    series.part_of = lambda text: [n for n, name in enumerate(series.parts, 1) if text in (files / "patches" / name).read_text()]
    return series


def append(file, text):
    file.write_text(file.read_text() + text)


def test_exported_commits_make_the_tree_that_is_built(copy, tarball):
    assert "the same tree, part by part" in copy("check", "--source", tarball)


def test_what_was_not_edited_stays(copy, tarball):
    before = copy.contents()
    copy("apply", copy.tree, "--source", tarball)
    assert copy("refresh", copy.tree, "--source", tarball) == "nothing was edited\n"
    assert copy.contents() == before


def test_an_edited_tree_finds_its_way_back(copy, tarball):
    copy("apply", copy.tree, "--source", tarball)
    new = sorted(f for f in (copy.files / "src" / "server").iterdir())[0].name
    edits = {f"server/{new}": "/* of a new file */\n", "server/mpm_fdqueue.c": "/* of a hook */\n",
             "server/listen.c": "/* of a file without a hook */\n"}
    for path, text in edits.items():
        append(copy.tree / path, text)
    said = copy("refresh", copy.tree, "--source", tarball, expect=1)
    assert "server/listen.c was edited; parts that change it: none. Say which one gets the edit with --part N" in said

    (copy.tree / "server" / "listen.c").write_text((copy.tree / "server" / "listen.c").read_text().replace(edits.pop("server/listen.c"), ""))
    said = copy("refresh", copy.tree, "--source", tarball)
    assert all(f"{path}: " in said for path in edits)
    assert (copy.files / "src" / "server" / new).read_text().endswith("/* of a new file */\n")
    assert len(copy.part_of("+/* of a hook */")) == 1
    copy("check", "--source", tarball)
    again = copy.tree.with_name("again")
    copy("apply", again, "--source", tarball)
    assert all((again / path).read_bytes() == (copy.tree / path).read_bytes() for path in edits)


def test_an_edit_goes_to_the_part_that_is_named(copy, tarball):
    copy("apply", copy.tree, "--source", tarball)
    append(copy.tree / "server" / "listen.c", "/* of the first part */\n")
    (copy.tree / "server" / "added.c").write_text("/* new */\n")
    copy("refresh", copy.tree, "--part", 1, "--add", "server/added.c", "--source", tarball)
    assert copy.part_of("+/* of the first part */") == copy.part_of("Adds: server/added.c\n") == [1]
    copy("check", "--source", tarball)


def test_spoilt_files_are_named(copy, tarball, tmp_path):
    assert "no such file" in copy("check", "--source", tmp_path / "none", expect=1)
    (copy.files / "src" / "stray.c").write_text("\n")
    assert "src/stray.c: no part adds it" in copy("check", "--source", tarball, expect=1)
    (copy.files / "src" / "stray.c").unlink()
    broken = copy.files / "patches" / copy.parts[1]
    broken.write_text(broken.read_text().replace("Subject: ", "Object: "))
    assert f"{broken.name}: the first line must be 'Subject: ...'" in copy("check", "--source", tarball, expect=1)
    assert "usage" in copy("apply", expect=2)
