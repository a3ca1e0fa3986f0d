# SPDX-License-Identifier: Apache-2.0
"""docs/faults.md: each fault names the tests that hold its promise, and they are there."""

import re
import sys

from test_links import ROOT, files

sys.path.insert(0, str(ROOT / "tests" / "faults"))

import plans  # noqa: E402

HEADS = ["fault", "what happens", "where you see it", "tests"]


def tables():
    """The tables of faults, each as rows of cells."""
    page = (ROOT / "docs" / "faults.md").read_text()
    for table in re.findall(r"^\| fault .*?(?=\n\n|\Z)", page, re.MULTILINE | re.DOTALL):
        yield [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in table.splitlines()]


TABLES = list(tables())
ROWS = [row for table in TABLES for row in table[2:]]


def there(name):
    """True for a test of Java (Class.method), of Python (test_file.py::test_name), or a known trial of the fault suite."""
    if name.startswith("faults: "):
        return name.removeprefix("faults: ") in {known for known, *_ in plans.KNOWN}
    file, _, test = name.partition("::" if ".py::" in name else ".")
    said = f"def {test}(" if ".py::" in name else f"void {test}("
    return any(said in path.read_text() for path in files() if path.name == (file if ".py::" in name else f"{file}.java"))


def test_the_tables_have_faults_promises_and_tests():
    assert len(TABLES) == 5 and all(table[0] == HEADS for table in TABLES)
    assert len(ROWS) > 45 and all(len(row) == 4 for row in ROWS), [row for row in ROWS if len(row) != 4]


def test_every_fault_names_a_test_that_is_there():
    for what, _, _, held in ROWS:
        names = re.findall(r"`([^`]+)`", held)
        assert names, f"{what}: no test"
        missing = [name for name in names if not there(name)]
        assert not missing, f"{what}: no such test: {missing}"
