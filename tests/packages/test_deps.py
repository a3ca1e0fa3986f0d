# SPDX-License-Identifier: Apache-2.0
"""What `make demo` installs on a plain Debian: it says how much and how far, and no service of it starts, then or at the next boot."""
import pathlib
import re
import subprocess

import pytest
from plain import RELEASES, ROOT, put, system
from view import View

BOOT = "find /etc/rc[2-5S].d -name 'S*' | sort; systemctl --root=/ list-unit-files --state=enabled,enabled-runtime --no-legend"


def demo():
    """The Makefile's list."""
    return subprocess.run(["make", "-s", "--eval", "print: ; @echo $(PACKAGES_DEMO)", "print"], cwd=ROOT, check=True, capture_output=True,
                          text=True).stdout.strip()


def processes(view):
    """Those that have the view's root."""
    found = []
    for entry in pathlib.Path("/proc").glob("[0-9]*/root"):
        try:
            if str(entry.readlink()) == f"{view.place}/all":
                found.append((entry.parent / "cmdline").read_text(encoding="utf-8"))
        except OSError:
            continue
    return found


@pytest.mark.parametrize("release", RELEASES)
def test_packages_of_the_demo_start_no_service_now_or_at_boot(release, tmp_path):
    view = View(tmp_path, base=system(f"{release}-small", "apache2 curl procps systemd-sysv", release))
    try:
        put(view, "/tmp/deps", (ROOT / ".ci/deps").read_bytes())
        before = view.run("sh", "-c", BOOT)
        assert "apache2.service" in before, "one of the machine's own"
        packages = f"{demo()} openssh-server"       # and one of the tests', which would listen to everybody
        said = view.run("env", f"PACKAGES={packages}", "bash", "/tmp/deps").splitlines()
        assert re.fullmatch(r"deps: \d+ packages: \d+ MB to fetch, [\d,]+ MB on disk; 1 to 5 minutes", said[0]), said
        for stage, last in ("fetched", 100), ("installed", 90):
            shown = [int(line.split()[2]) for line in said if re.fullmatch(rf"deps: {stage} \d+ %", line)]
            # a large package may take several tenths at once
            assert shown == sorted(set(shown)) and len(shown) >= 5 and shown[-1] >= last, said
        for program in "/usr/sbin/sshd", "/usr/sbin/mariadbd", "/usr/bin/php", "/usr/bin/javac", "/usr/bin/sar":
            assert view.has(program), program
        assert view.run("sh", "-c", BOOT) == before
        assert processes(view) == [] and not view.has("/usr/sbin/policy-rc.d")
        assert view.run("env", f"PACKAGES={packages}", "bash", "/tmp/deps") == "", "nothing is left to do"
    finally:
        view.end()
