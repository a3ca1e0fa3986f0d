# SPDX-License-Identifier: Apache-2.0
"""The apache2 packages of each release that was built here (packaging/make-apache2 --release NAME), on a plain system of it: in the
place of the distribution's, reconfigured while it serves."""
import pytest
from booted import Booted, Unbootable
from plain import ROOT, put, serves, system

BUILT = sorted(mark.parent for mark in (ROOT / "build/packages").glob("*/.built"))


@pytest.mark.parametrize("packages", BUILT, ids=lambda folder: folder.name)
def test_reconfigured_on(packages, tmp_path):
    base = system(f"{packages.name}-small", "apache2 curl procps systemd-sysv", packages.name)
    try:
        view = Booted(tmp_path, base)
    except Unbootable as reason:
        pytest.skip(f"systemd can't be started here: {reason}")
    try:
        view.run("systemctl", "start", "apache2")
        view.run("mkdir", "/tmp/ours")
        for deb in packages.glob("apache2*.deb"):
            put(view, f"/tmp/ours/{deb.name}", deb.read_bytes())
        view.run("sh", "-c", "DEBIAN_FRONTEND=noninteractive apt-get install -y --allow-downgrades /tmp/ours/*.deb")
        view.run("a2enconf", "-q", "online-reconfigure")
        view.run("systemctl", "restart", "apache2")
        serves(view)
        done = view.run("apache2ctl", "reconfigure", "MaxRequestWorkers=75", "MITIGATION=1")
        assert "MaxRequestWorkers: 150 -> 75\n" in done and "MITIGATION: 0 -> 1\n" in done
        assert "+ic2." in view.run("dpkg-query", "-W", "-f", "${Version}", "apache2-bin")
        assert "200" in view.run("curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", "http://localhost/")
    finally:
        view.end()
