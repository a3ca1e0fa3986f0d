# SPDX-License-Identifier: Apache-2.0
"""Every link of every page leads somewhere, and every page that a file names is there."""

import os
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILT = {"build", "target", ".git", "__pycache__", ".pytest_cache"}
SOURCES = {".md", ".java", ".py", ".sh", ".c", ".h", ".php", ".yaml", ".conf", ".xml", ".html", ""}

FENCE = re.compile(r"^( *)```.*?^\1```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]+)\)")
NAMED = re.compile(r"(?<![\w./-])(?:(?:host/)?docs/[\w-]+|[A-Z_]{6,})\.md\b")


def files():
    for folder, folders, names in os.walk(ROOT):
        folders[:] = sorted(set(folders) - BUILT)
        yield from (Path(folder, name) for name in names)


PAGES = sorted(file for file in files() if file.suffix == ".md")


def anchors(page):
    """The names that GitHub gives to the headings of a page."""
    seen = {}
    for heading in re.findall(r"^#{1,6} +(.+?) *$", FENCE.sub("", page.read_text()), re.MULTILINE):
        text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        name = re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")
        count = seen[name] = seen.get(name, -1) + 1
        yield name if count == 0 else f"{name}-{count}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_links_of(page):
    broken = []
    for link in LINK.findall(FENCE.sub("", page.read_text())):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if not target.exists():
            broken.append(f"{link}: no such file")
        elif anchor and anchor not in anchors(target):
            broken.append(f"{link}: no such heading; there are {', '.join(anchors(target))}")
    assert not broken, "\n".join(broken)


def test_pages_that_files_name_are_there():
    missing = []
    for file in files():
        if file.suffix in SOURCES:
            for name in set(NAMED.findall(file.read_text(errors="replace"))):
                if not (ROOT / name).exists() and not (file.parent / name).exists():
                    missing.append(f"{file.relative_to(ROOT)} names {name}")
    assert not missing, "\n".join(missing)
