# SPDX-License-Identifier: Apache-2.0
"""ARCHITECTURE.md names folders, files, classes and tests that are there; its table of folders names every one."""

import re

from test_links import ROOT, files

TEXT = (ROOT / "ARCHITECTURE.md").read_text()
CODE = set(re.findall(r"`([^`\n]+)`", re.sub(r"^```.*?^```", "", TEXT, flags=re.MULTILINE | re.DOTALL)))


def test_every_path_is_there():
    paths = [name for name in CODE if re.fullmatch(r"[\w.-]+(/[\w.-]*)+", name) and not name.startswith("META-INF")]
    missing = [path for path in paths if not (ROOT / path).exists()]
    assert not missing


def test_every_class_and_test_is_there():
    names = {file.stem for file in files()}
    missing = [name for name in CODE if re.fullmatch(r"([A-Z][a-z]+)+", name) and name not in names]
    assert not missing


def test_the_table_names_every_folder():
    folders = {path.name for path in ROOT.iterdir() if path.is_dir() and path.name[0] != "."} - {"build", "bin"}
    assert not [folder for folder in sorted(folders) if f"| [`{folder}/`]({folder})" not in TEXT]
