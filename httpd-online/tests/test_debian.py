# SPDX-License-Identifier: Apache-2.0
"""Debian's configuration, modules and apachectl with the patched httpd: what docs/httpd-online.md says of them."""

import pathlib
import re
import subprocess

import pytest

from harness.client import fetch
from harness.debian import DebianServer, Unavailable
from harness.server import Status
from harness.waiting import eventually


PACKAGE = pathlib.Path(__file__).resolve().parents[2] / "packaging" / "apache2"


@pytest.fixture
def fresh(build):
    if build.sanitized:
        pytest.skip("Debian's modules are not sanitized")
    version = subprocess.run([build.httpd, "-v"], capture_output=True, text=True, check=True).stdout.split("Apache/")[1].split()[0]
    try:
        server = DebianServer(build, version)
    except Unavailable as reason:
        pytest.skip(str(reason))
    try:
        yield server
    finally:
        server.finish()


@pytest.fixture
def debian(fresh):
    fresh.append("conf-available/tunables.conf", "MaxRequestWorkers 100\nKeepAliveTimeout 5\nReconfigureVariable MITIGATION 0\n")
    fresh.enable("a2enconf", "tunables")       # a symbolic link
    fresh.append("apache2.conf", "ReconfigureFile conf-enabled/tunables.conf\n")
    return fresh


def status(server):
    return Status.parse(fetch(server.port, "/server-status?auto").text)


def load_ours(server, *modules):
    """The documented command."""
    modules = "|".join(f"mod_{m}" for m in modules)
    files = [str(f) for f in (server.etc / "mods-available").glob("*.load")]
    subprocess.run(["sed", "-E", "-i", f"s#[^ ]*/({modules})\\.so#{server.build.prefix}/modules/\\1.so#", *files], check=True)


def test_as_it_is_it_runs_and_says_what_is_missing(debian):
    """Of its unixd, log_config and version, which are no files, we have to have our own."""
    text = f"the MPM event that is loaded can't be reconfigured online, that of this httpd is {debian.build.prefix}/modules/mod_mpm_event.so"
    test = debian.apachectl("configtest")
    assert test.code == 0 and text in test.err, test
    debian.start()
    assert fetch(debian.port, "/").status == 200
    assert [e.level for e in debian.log.with_text("the MPM event that is loaded")] == ["warn"]
    page = status(debian)
    assert "MaxRequestWorkers" not in page.fields and text == page.fields["ReconfigureRefused"]
    refused = debian.apachectl("-k", "reconfigure", "MaxRequestWorkers=90")
    assert refused.code == 1 and refused.err == f"httpd: reconfigure refused: {text}; nothing was changed\n"


def test_with_our_mpm_it_is_reconfigured(debian):
    """mod_status is Debian's still: it shows the running values all the same."""
    load_ours(debian, "mpm_event")
    started = debian.start()
    assert "counts withheld workers as idle" in started.err and "AH12001" not in started.err
    done = debian.apachectl("-k", "reconfigure", "MaxRequestWorkers=30", "MITIGATION=2")
    assert done.code == 0 and "MaxRequestWorkers: 100 -> 30\n" in done.out, done
    eventually(lambda: status(debian).withheld == 20, what=lambda: f"both children: {status(debian)}")
    page = status(debian)
    assert (page.max_request_workers, page.variables) == (30, {"MITIGATION": 2})
    assert "ReconfigureRefused" not in page.fields
    assert (debian.etc / "conf-enabled" / "tunables.conf").is_symlink()
    assert "MaxRequestWorkers 30\n" in (debian.etc / "conf-available" / "tunables.conf").read_text()
    # its script hands on nothing but options
    usage = debian.apachectl("reconfigure", "MaxRequestWorkers=40")
    assert usage.code != 0 and "Usage:" in usage.out + usage.err and status(debian).max_request_workers == 30


def test_with_our_modules_nothing_is_said(debian):
    load_ours(debian, "mpm_event", "status", "deflate")
    assert "AH120" not in debian.apachectl("configtest").err
    started = debian.start()
    assert "AH120" not in started.err
    debian.apachectl("-k", "reconfigure", "MaxRequestWorkers=30")
    started_whole = lambda page: page.idle + page.busy == 30 and page.withheld == 20
    eventually(lambda: started_whole(status(debian)), what=lambda: f"both children: {status(debian)}")
    assert [e for e in debian.log.entries() if e.level in ("warn", "error")] == []


@pytest.fixture
def packaged(fresh, tmp_path):
    """With what packaging/apache2 adds to Debian's packages: configuration, and apache2ctl's verb."""
    fresh.append("tunables.conf", (PACKAGE / "tunables.conf").read_text())
    fresh.append("conf-available/online-reconfigure.conf", (PACKAGE / "online-reconfigure.conf").read_text())
    fresh.enable("a2enconf", "online-reconfigure")
    script = tmp_path / "apache2ctl"
    script.write_bytes((fresh.files / "usr/sbin/apache2ctl").read_bytes())
    script.chmod(0o755)
    change = re.search(r"^diff --git a/debian/apache2ctl .*?(?=^diff |\Z)", (PACKAGE / "debian.patch").read_text(), re.M | re.S)[0]
    subprocess.run(["patch", "--batch", script], input=change, text=True, check=True)
    fresh.script = script
    return fresh


def test_the_packages_command_and_configuration(packaged):
    """What is read in conf-enabled wins over mods-enabled/mpm_event.conf, at a start too."""
    load_ours(packaged, "mpm_event")
    packaged.start()
    assert status(packaged).max_request_workers == 150
    done = packaged.apachectl("reconfigure", "MaxRequestWorkers=75", "MITIGATION=2")
    assert done.code == 0 and "MaxRequestWorkers: 150 -> 75\n" in done.out and "MITIGATION: 0 -> 2\n" in done.out, done
    refused = packaged.apachectl("reconfigure", "MaxRequestWorkers=75 MITIGATION=2")
    assert refused.code == 1 and "reconfigure refused: " in refused.err, "each argument is a word of its own"
    assert "reconfigure" in packaged.apachectl("help").err.split("|")
    assert packaged.apachectl("restart").code == 0
    eventually(lambda: len(packaged.log.with_text("resuming normal operations")) == 2, what="the restart")
    page = status(packaged)
    assert (page.max_request_workers, page.variables) == (75, {"MITIGATION": 2})
    # Debian's own httpd passes over it
    packaged.append("envvars", f"export APACHE_HTTPD={packaged.files}/usr/sbin/apache2\n")
    subprocess.run(["sed", "-i", f"s#{packaged.build.prefix}#{packaged.files}/usr/lib/apache2#", packaged.etc / "mods-available/mpm_event.load"],
                   check=True)
    assert "Syntax OK" in packaged.apachectl("configtest").err


def test_what_is_linked_in_may_be_loaded_too(make_server, build):
    """As a configuration does that was written for an httpd that has them as files."""
    modules = ("unixd", "log_config", "logio", "version", "watchdog", "online_env")
    server = make_server("event", start=False)
    lines = "".join(f"LoadModule {m}_module {build.prefix}/modules/mod_{m}.so\n" for m in modules)
    server.config.write_text(lines + server.config.read_text())
    linked = server.run("-l").out
    assert all(f"mod_{m}.c" in linked for m in modules), linked
    server.start()
    assert server.get("/").status == 200
