# SPDX-License-Identifier: Apache-2.0
"""ic2-train as a package, on a plain Debian without the sources."""
import subprocess

import pytest
from plain import ROOT, put
from view import View


@pytest.fixture(scope="module")
def view(debian, tmp_path_factory):
    seen = View(tmp_path_factory.mktemp("view"), base=debian, apart=True)
    try:
        assert seen.there(), seen.answer
        subprocess.run([ROOT / "packaging/make-deb", "--all"], check=True, stdout=subprocess.DEVNULL)
        deb, = (ROOT / "build/packages").glob("ic2-train_*.deb")
        subprocess.run(["lintian", "--allow-root", "--fail-on", "warning", deb], check=True)
        put(seen, "/tmp/ic2-train.deb", deb.read_bytes())
        seen.run("apt-get", "install", "-y", "/tmp/ic2-train.deb")
        yield seen
    finally:
        seen.end()


def test_a_tree_from_recordings(view):
    subprocess.run(view.inside("cp", "-r", ROOT / "training/data/phase-1", view.place / "all/tmp/recordings"), check=True)
    view.run("ic2-train", "fit", "/tmp/recordings", "--phase", "1", "--out", "/tmp/tree")
    assert view.has("/tmp/tree/classifier.json")
    refused = view.run("ic2-train", "collect", "--out", "/tmp/runs", "--kind", "phase-1", "--time", "1m", status=2)
    assert "what measures on the testbed is started with bin/ic2-train of the sources" in refused


def test_gone_with_the_package(view):
    view.run("dpkg", "--no-triggers", "--purge", "ic2-train")
    assert view.run("sh", "-c", "ls -d /usr/share/ic2 /usr/share/doc/ic2-* /usr/bin/ic2-* 2>/dev/null || true") == ""
