# SPDX-License-Identifier: Apache-2.0
"""Every command that README, docs/results.md and docs/paper.md quote runs as it stands, in its shortest form: what measures plans all of it
(--dry-run), on the testbed that the page starts before it; what only reads runs; a target of make is resolved."""

import json
import os
import re
import shlex
import shutil
import subprocess

import pytest
from test_links import ROOT

PAGES = ("README.md", "docs/results.md", "docs/paper.md")
OURS = re.compile(r"(sudo )?(make|(bin|httpd-online|testbed)/[\w/-]+) +\S")
# What stands in no page as it is typed: a command of ours without its folder, or the words of one alone.
SHORT = re.compile(r"(compare|collect|alarms|sweep|up|(ic2-train|ic2-fleet|testbed) \w+) +-")
QUOTED = re.compile(r"^( *)```sh\n(?P<block>.*?)^\1```|(?<!`)`(?P<inline>[^`]+)`(?!`)|^#+ (?P<heading>[^\n]*)$", re.MULTILINE | re.DOTALL)
SELF = ("ic2-train compare", "ic2-train paper", "ic2-train alarms", "ic2-train sweep", "ic2-train collect", "testbed up", "testbed calibrate")
FEWER = {"--rows": "14400", "--seconds": "1800"}     # of a generated fleet
PATIENCE_S = 1200


def quoted(page):
    """(heading, line) of every command, in order."""
    heading, found = "", []
    for match in QUOTED.finditer((ROOT / page).read_text()):
        if match["heading"]:
            heading = match["heading"]
        lines = match["block"].replace("\\\n", " ").splitlines() if match["block"] else [" ".join((match["inline"] or "").split())]
        for line in lines:
            for one in re.split(r" && ", line):
                if OURS.match(one):
                    found.append((heading, one))
    return found


def commands(page):
    """(testbed, command): the last `testbed up` under the same heading, or the usual one."""
    result, heading, bed = [], None, "bin/testbed up"
    for under, line in quoted(page):
        if under != heading:
            heading, bed = under, "bin/testbed up"
        if re.match(r"(sudo )?bin/testbed up\b", line):
            bed = line
        result.append((bed, line))
    return list(dict.fromkeys(result))


def run(command, shell=False):
    done = subprocess.run(command, cwd=ROOT, shell=shell, executable="/bin/bash" if shell else None, capture_output=True, text=True,
                          timeout=PATIENCE_S)
    assert done.returncode == 0, f"{command}: exit {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


def words_of(line):
    words = shlex.split(line, comments=True)
    return words[1:] if words[0] == "sudo" else words


@pytest.fixture
def described(tmp_path):
    """The folder of a testbed that is described and not started."""
    def describe(line):
        words = words_of(line)
        (tmp_path / "testbed.json").write_text(run([*words, "--dry-run", "--dir", tmp_path]))
        return tmp_path
    return describe


ALL = [pytest.param(page, bed, line, id=f"{page}: {line}") for page in PAGES for bed, line in commands(page)]


def test_commands_are_found():
    lines = [line for page in PAGES for _, line in commands(page)]
    assert sum("compare" in line for line in lines) > 9 and any(line.startswith("make demo") for line in lines)
    assert any("evaluate" in line for line in lines) and any("alarms" in line for line in lines)


@pytest.mark.parametrize("page", PAGES)
def test_no_command_is_quoted_without_its_folder(page):
    short = [match["inline"] for match in QUOTED.finditer((ROOT / page).read_text()) if match["inline"] and SHORT.match(match["inline"])]
    assert not short, "quote them as they are typed: bin/..."


@pytest.mark.parametrize("page, bed, line", ALL)
def test_runs_as_it_stands(page, bed, line, described, tmp_path):
    words = words_of(line)
    if words[:3] == ["bin/testbed", "outside", "--"]:
        words = words[3:]
    what = f"{words[0].removeprefix('bin/')} {words[1] if len(words) > 1 else ''}"
    if words[0] == "make":
        run(["make", "-n", "-o", "deps", *words[1:]])
    elif what in SELF:
        folder = described(bed)
        if words[1] == "up":
            assert json.loads((folder / "testbed.json").read_text())["options"]
        elif words[1] == "calibrate":
            assert "would look for" in run([*words, "--dry-run", "--dir", folder])
        else:
            model = words.index("--classifier") + 1 if "--classifier" in words else None
            if model and words[model].startswith("build/"):     # what the command before it made
                words[model] = "knowledge-base/src/main/resources/org/ic2/knowledge/classifier.json"
            assert re.match(r"\d+ runs?, about .* to measure\n", run([*words, "--dry-run", "--testbed", folder]))
    elif words[0].startswith("httpd-online/bench/") or words[0] in ("testbed/bench/network", "testbed/bench/strangers"):
        assert run([*words, "--dry-run"]).startswith("would ")
    elif what == "ic2-fleet generate":
        assert any("ic2-fleet label" in one for _, one in quoted(page)), "what it makes is made where it is labelled"
    elif what == "ic2-fleet label":
        made = generated(next(one for _, one in quoted(page) if "ic2-fleet generate" in one), tmp_path)
        assert "recall" in run([str(made) if word == "recorded" else word for word in words])
    elif what in ("ic2-train evaluate", "ic2-train fit"):
        text = re.sub(r"--out \S+", f"--out {tmp_path / 'out'}", line)
        run(text, shell=True)
    else:
        pytest.fail(f"{page}: how does one try `{line}`?")


def generated(line, folder):
    """A small fleet by this line, in a folder of its own."""
    out = folder / "recorded"
    text = re.sub(r"--out \S+", f"--out {out}", line)
    for option, value in FEWER.items():
        text = re.sub(rf"{option} \S+", f"{option} {value}", text)
    run(text, shell=True)
    return out


@pytest.mark.parametrize("name", ("ic2", "ic2-host"))
def test_verbs_of_the_agents_that_the_readme_names(name):
    page = (ROOT / "README.md").read_text()
    help_ = run([ROOT / "bin" / name, "--help"])
    for words in {words for words in re.findall(rf"`{name} ([a-z][^`]*)`", page)}:
        verb, *options = words.split()
        assert re.search(rf"^ +{verb}\b", help_, re.MULTILINE), f"README names `{name} {verb}`"
        text = run([ROOT / "bin" / name, verb, "--help"])
        assert all(option in text for option in options), words


def test_what_the_commands_need_is_built():
    assert shutil.which("make") and os.access(ROOT / "bin" / "ic2-train", os.X_OK)
