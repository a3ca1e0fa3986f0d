# SPDX-License-Identifier: Apache-2.0
"""Debian's own tests of its apache2 packages (debian/tests), on the packages of this tree: each on a plain Debian of its own, with
systemd, as root, as autopkgtest has them. Without run-test-suite, httpd's test suite in perl."""
import subprocess

import pytest
from booted import Booted, Unbootable
from plain import ROOT, put, system

OURS = ROOT / "build/packages/bookworm"
TESTS = ROOT / "build/apache2/bookworm.tests/tests"
# what they depend on: debian/tests/control
NEEDED = "apache2 systemd-sysv procps curl wget expect ssl-cert nghttp2-client dpkg-dev gcc libc6-dev"


@pytest.fixture(scope="module")
def debian():
    subprocess.run([ROOT / "packaging/make-apache2", "--allow-older"], check=True)
    return system("debian-12-tests", NEEDED)


@pytest.fixture
def machine(debian, tmp_path):
    try:
        seen = Booted(tmp_path, debian)
    except Unbootable as reason:
        pytest.skip(f"systemd can't be started here: {reason}")
    try:
        seen.run("mkdir", "-p", "/tmp/ours", "/tmp/source/debian", "/tmp/scratch")
        put(seen, "/etc/hosts", b"127.0.0.1 localhost\n")
        for deb in OURS.glob("apache2*.deb"):
            put(seen, f"/tmp/ours/{deb.name}", deb.read_bytes())
        seen.run("sh", "-c", "DEBIAN_FRONTEND=noninteractive apt-get install -y --allow-downgrades /tmp/ours/*.deb")
        subprocess.run(seen.inside("cp", "-r", TESTS, seen.place / "all/tmp/source/debian/tests"), check=True)
        yield seen
    finally:
        seen.end()


@pytest.mark.parametrize("test", ["duplicate-module-load", "default-mods", "htcacheclean", "ssl-passphrase", "check-http2", "chroot"])
def test_debians(test, machine):
    machine.run("sh", "-c", f"cd /tmp/source && chmod +x debian/tests/{test} && AUTOPKGTEST_TMP=/tmp/scratch debian/tests/{test}")
