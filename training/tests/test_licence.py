# SPDX-License-Identifier: Apache-2.0
"""The fence between Apache-2.0 and the GPL, on what was built: the demo needs nothing from beyond it."""

import pathlib
import re
import subprocess
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
APACHE = [ROOT / "training/experiments/target/ic2-experiments.jar", ROOT / "ic2-agent/target/ic2.jar",
          ROOT / "faban-drivers/runtime/target/ic2-load.jar", ROOT / "training/fleet/target/ic2-fleet.jar"]
BEYOND = re.compile(r"weka/|org/ic2/training/(fit|study|weka)/")


def names(jar):
    return zipfile.ZipFile(jar).namelist()


def test_no_jar_of_ours_but_one_holds_weka():
    for jar in APACHE:
        assert not [name for name in names(jar) if BEYOND.match(name)], jar
    assert any(BEYOND.match(name) for name in names(ROOT / "training/weka/target/ic2-train.jar"))


def test_the_demo_builds_and_runs_without_the_gpl_part(tmp_path):
    targets = re.findall(r'"\$\{make\[@\]\}" ([\w-]+)', (ROOT / "bin/demo").read_text())
    assert "java-apache" in targets and "java" not in targets
    commands = subprocess.run(["make", "-n", *targets], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    assert "-pl '!training/weka' -pl '!training/fleet' package" in commands and "ic2-train.jar" not in commands
    # the command where only the Apache part was built
    for path in ("bin/ic2-train", "training/experiments/target/ic2-experiments.jar"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes((ROOT / path).read_bytes())
    (tmp_path / "bin/ic2-train").chmod(0o755)
    helped = subprocess.run([tmp_path / "bin/ic2-train", "compare", "--help"], check=True, capture_output=True, text=True).stdout
    assert "IC2 off and on" in helped
    refused = subprocess.run([tmp_path / "bin/ic2-train", "fit", "x"], capture_output=True, text=True)
    assert refused.returncode == 2
    assert refused.stderr == "ic2-train: fit: needs training/weka, which links Weka (GPL-3.0); build it with: make java\n"
