# SPDX-License-Identifier: Apache-2.0
"""systemd reads the package's units without a complaint, and finds little that a service could do beyond its task."""
import pathlib
import re
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[4]
UNITS = sorted((ROOT / "packaging" / "systemd").iterdir())
SERVICES = [unit.name for unit in UNITS if unit.suffix == ".service"]
SYSTEMD = pathlib.Path("/lib/systemd/system")
MOST_EXPOSURE = 20      # tenths, of 100

pytestmark = pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is missing; install the package systemd")


@pytest.fixture
def root(tmp_path):
    """A system with these units, the commands that they name, and systemd's own targets."""
    units = tmp_path / SYSTEMD.relative_to("/")
    units.mkdir(parents=True)
    for unit in [*SYSTEMD.glob("*.target"), *SYSTEMD.glob("*.slice"), *SYSTEMD.glob("*.mount"), *UNITS]:
        shutil.copy(unit, units, follow_symlinks=False)
    for command in {found for unit in UNITS for found in re.findall(r"^Exec\w+=(/\S+)", unit.read_text(), re.MULTILINE)}:
        stub = tmp_path / command[1:]
        stub.parent.mkdir(parents=True, exist_ok=True)
        stub.write_text("#!/bin/sh\n")
        stub.chmod(0o755)
    return tmp_path


def analyze(root, *words):
    done = subprocess.run(["systemd-analyze", f"--root={root}", "--no-pager", *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, check=False)
    return done.returncode, done.stdout


def verify(root):
    return analyze(root, "verify", "--man=no", "--recursive-errors=no", *(unit.name for unit in UNITS))


def test_nothing_is_wrong_with_the_units(root):
    assert verify(root) == (0, "")


def test_a_mistake_would_be_seen(root):
    unit = root / SYSTEMD.relative_to("/") / "ic2.service"
    unit.write_text(unit.read_text().replace("ProtectClock=", "ProtectClok="))
    status, said = verify(root)
    assert status != 0 and "ProtectClok" in said


@pytest.mark.parametrize("service", SERVICES)
def test_a_service_may_do_little(root, service):
    status, said = analyze(root, "security", "--offline=true", f"--threshold={MOST_EXPOSURE}", service)
    assert status == 0, said
