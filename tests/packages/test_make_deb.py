# SPDX-License-Identifier: Apache-2.0
"""make-deb stops where a jar says no version, before anything is built."""
import os
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FILES = ["README.md", "SECURITY.md", "CASE_STUDIES.md", "CHANGELOG.md", "host/CHANGELOG.md", "docs/tests/x", "dashboards/x", "httpd-online/docs/x",
         "host/docs/x", "bin/ic2", "bin/ic2-train", "bin/ic2-host", "training/weka/target/x", "host/agent/target/x",
         *(f"ic2-agent/target/{name}" for name in ("ic2-memlat", "ic2-counters", "ic2-share", "ic2-baseline", "man/ic2.1", "man/ic2.yaml.5",
                                                   "completion/ic2"))]


def jar(path, version):
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr("META-INF/MANIFEST.MF", "Manifest-Version: 1.0\r\n" + (f"Implementation-Version: {version}\r\n" if version else ""))


def program(path, body):
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)


@pytest.mark.parametrize("without", ["ic2-agent/target/ic2.jar", "host/agent/target/ic2-host.jar", None])
def test_a_jar_without_a_version_stops_it(tmp_path, without):
    shutil.copytree(ROOT / "packaging", tmp_path / "packaging", symlinks=True)
    for name in FILES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    for name in ("ic2-agent/target/ic2.jar", "host/agent/target/ic2-host.jar", "training/weka/target/ic2-train.jar"):
        jar(tmp_path / name, None if name == without else "1.0")
    programs = tmp_path / "programs"
    programs.mkdir()
    program(programs / "java", "echo complete")
    program(programs / "dpkg-buildpackage", f"touch {tmp_path}/begun; exit 1")
    done = subprocess.run([tmp_path / "packaging/make-deb", "--all"], env={**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"},
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    assert (tmp_path / "begun").exists() == (without is None), done.stderr
    if without:
        assert done.returncode == 2 and f"{Path(without).name} names no Implementation-Version" in done.stderr
