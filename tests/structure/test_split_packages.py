# SPDX-License-Identifier: Apache-2.0
"""A module's tests lie in the packages of that module, so that `mvn -pl MODULE test` runs the tests of its code."""
import os
import pathlib

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
# they call parsers that are not public
ELSEWHERE = {"tests/fuzz"}


def packages(root, kind):
    """The modules of each package that has Java sources of a kind (main or test)."""
    found = {}
    for folder, folders, files in os.walk(root):
        # what is built may be a whole system, with a /proc
        folders[:] = [name for name in folders if name not in ("target", ".git") and pathlib.Path(folder, name) != root / "build"]
        module, top, package = str(pathlib.Path(folder).relative_to(root)).partition(f"/src/{kind}/java/")
        if top and any(name.endswith(".java") for name in files):
            found.setdefault(package, set()).add(module)
    return found


def split(root):
    """(package, module of the tests, modules of the code) of each package whose tests lie in another module only."""
    main = packages(root, "main")
    return sorted((package, module, tuple(sorted(main[package]))) for package, modules in packages(root, "test").items()
                  for module in modules - ELSEWHERE if package in main and module not in main[package])


def test_no_module_has_tests_in_a_package_of_another():
    assert packages(ROOT, "test")
    assert split(ROOT) == []


def test_a_split_package_is_seen(tmp_path):
    for module, kind in (("agent-runtime", "main"), ("ic2-agent", "test")):
        folder = tmp_path / module / "src" / kind / "java/org/ic2/runtime/loop"
        folder.mkdir(parents=True)
        (folder / "A.java").write_text("package org.ic2.runtime.loop;\n")
    assert split(tmp_path) == [("org/ic2/runtime/loop", "ic2-agent", ("agent-runtime",))]
