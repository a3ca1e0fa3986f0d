# SPDX-License-Identifier: Apache-2.0
"""What pages tell a contributor to run is there: targets of make, files of CONTRIBUTING's commands, the Maven wrapper."""

import os
import re

import pytest
from test_links import PAGES, ROOT

TARGETS = set(re.findall(r"^([a-z][a-z0-9-]*):", (ROOT / "Makefile").read_text(), re.MULTILINE))
CODE = re.compile(r"^( *)```.*?^\1```|`[^`\n]+`", re.MULTILINE | re.DOTALL)
TARGET = re.compile(r"(?:^|[`(;&|] ?|&& )make ((?:[a-z][a-z0-9-]* ?)+)", re.MULTILINE)


def code(page):
    return "\n".join(match[0].strip("`") for match in CODE.finditer(page.read_text()))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_targets_of_make_are_there(page):
    named = {target for words in TARGET.findall(code(page)) for target in words.split()}
    assert not named - TARGETS


def test_targets_are_found():
    assert "test-structure" in {target for words in TARGET.findall(code(ROOT / "CONTRIBUTING.md")) for target in words.split()} and "deps" in TARGETS


def test_files_of_the_commands_are_there():
    text = code(ROOT / "CONTRIBUTING.md")
    paths = set(re.findall(r"(?<![\w/.<-])(?:\./)?((?:httpd-online|docs|tests|knowledge-base|ic2-agent|training|packaging|\.mvn)/[\w./-]+|mvnw)", text))
    assert {"mvnw", "httpd-online/build.sh", "tests/structure"} <= paths
    assert not [path for path in paths if not (ROOT / path).exists()]
    for module, test in re.findall(r"-pl (\S+) -am test -Dtest=(\w+)", text):
        assert list((ROOT / module).rglob(f"{test}.java")), test


def test_the_wrapper_fetches_maven_from_central_and_checks_it():
    text = (ROOT / ".mvn/wrapper/maven-wrapper.properties").read_text()
    properties = dict(line.split("=", 1) for line in text.splitlines() if line and line[0] != "#")
    version = re.fullmatch(r"https://repo\.maven\.apache\.org/maven2/org/apache/maven/apache-maven/([\d.]+)/apache-maven-\1-bin\.zip",
                           properties["distributionUrl"])
    assert version and f"Maven {version[1]}" in (ROOT / "CONTRIBUTING.md").read_text()
    assert re.fullmatch("[0-9a-f]{64}", properties["distributionSha256Sum"])
    script = ROOT / "mvnw"
    assert os.access(script, os.X_OK) and f"version {properties['wrapperVersion']}" in script.read_text()
    assert "Licensed to the Apache Software Foundation" in script.read_text()
