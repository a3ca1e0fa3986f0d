# SPDX-License-Identifier: Apache-2.0
"""mod_standby's parsers with libFuzzer, AddressSanitizer and UBSan for some seconds, and its sources with clang's analyzer."""

import pathlib
import re
import subprocess

import pytest

from harness.build import COMPONENT

STANDBY = COMPONENT / "standby"
SECONDS = 10


def test_parsers_hold_what_they_promise_for_drawn_input():
    done = subprocess.run([STANDBY / "tests" / "fuzz.sh", str(SECONDS)], capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, done.stderr[-3000:]
    assert int(re.search(r"number_of_executed_units: (\d+)", done.stderr)[1]) > 1000


@pytest.mark.parametrize("source", sorted(STANDBY.glob("*.c")), ids=lambda path: path.name)
def test_analyzer_finds_nothing(build, source):
    flags = [flag for command in (["apr-1-config", "--cppflags", "--includes"], ["apu-1-config", "--includes"])
             for flag in subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()]
    done = subprocess.run(["clang", "--analyze", "-Xclang", "-analyzer-output=text", "-D_GNU_SOURCE", "-std=gnu99", *flags,
                           f"-I{build.prefix}/include", source, "-o", "/dev/null"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("file, begin", [("standby_text.c", "const char *const words[] = {"), ("standby_request.c", "known_headers[] = {")])
def test_lists_that_are_searched_by_halves_are_in_order(file, begin):
    text = (STANDBY / file).read_text()
    listed = text[text.index(begin):]
    words = re.findall(r'"([^"]+)"', listed[:listed.index("};")])
    assert len(words) > 20 and words == sorted(words)


def test_every_directive_is_documented():
    declared = set(re.findall(r'"(Standby[A-Za-z]+)"', (STANDBY / "standby_config.c").read_text()))
    page = (COMPONENT.parent / "docs" / "mod_standby.md").read_text()
    assert declared == set(re.findall(r"^\| `(Standby[A-Za-z]+) ", page, re.M))


def test_every_reason_is_documented():
    page = (COMPONENT.parent / "docs" / "mod_standby.md").read_text()
    for file, name in (("standby_request.c", "standby_reasons"), ("standby_answer.c", "standby_refusals")):
        text = (STANDBY / file).read_text()
        listed = text[text.index(f"const char *const {name}["):]
        for word in re.findall(r'"([^"]+)"', listed[:listed.index("};")]):
            assert word == "none" or f"`{word}`" in page, word


def test_sample_configuration_is_a_page():
    lines = pathlib.Path(COMPONENT / "docs" / "mitigation.conf").read_text().splitlines()
    assert len([line for line in lines if line.strip() and not line.lstrip().startswith("#")]) <= 60
