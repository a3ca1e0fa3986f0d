# SPDX-License-Identifier: Apache-2.0
"""The Debian package, really installed, upgraded, removed and purged: in a view of this machine that keeps every change
apart, with users who may look, who may operate, and who may neither."""
import os
import pathlib
import re
import shutil
import subprocess
import time

import pytest

from view import View, packed

ROOT = pathlib.Path(__file__).resolve().parents[4]
TARGET = ROOT / "ic2-agent" / "target"
CONFIG = """
application: shop
mode: observe
interval: 200ms
members:
  web: {role: web, sensors: {load: {type: load-average}}}
baseline: {max-request-workers: 400, keep-alive-timeout: 5s, mitigation: 0}
bounds: {max-request-workers: [200, 400], keep-alive-timeout: [5s, 30s], mitigation: [0, 4]}
"""
ASK = """
import json, socket, sys
with socket.socket(socket.AF_UNIX) as agent:
    try:
        agent.connect("/var/lib/ic2/" + sys.argv[1])
    except PermissionError:
        sys.exit("may not")
    agent.sendall(json.dumps({"verb": sys.argv[2]}).encode() + b"\\n")
    print(json.loads(b"".join(iter(lambda: agent.recv(4096), b"")))["ok"])
"""
UNITS = ("ic2.service", "ic2-reconfigure.socket")


@pytest.fixture(scope="module")
def deb(tmp_path_factory):
    if shutil.which("dh") is None:
        pytest.skip("debhelper is missing; install the package debhelper")
    return packed(tmp_path_factory.mktemp("deb"))


@pytest.fixture(scope="module")
def view(deb, tmp_path_factory):
    if os.geteuid() != 0:
        pytest.skip("only root sees the machine with changes of its own")
    seen = View(tmp_path_factory.mktemp("view"))
    try:
        if not seen.there():
            pytest.skip(f"no view of this machine can be made here: {seen.answer}")
        with open(deb, "rb") as package:
            subprocess.run(seen.command("sh", "-c", "cat >/tmp/ic2.deb"), stdin=package, check=True)
        yield seen
    finally:
        seen.end()


def wait(condition, what):
    end = time.monotonic() + 180
    while not condition():
        assert time.monotonic() < end, f"waited in vain for {what}"
        time.sleep(0.05)


def members(view, group):
    return set(view.run("getent", "group", group).strip().split(":")[3].split(","))


def test_the_jar_has_the_licences_and_notices_of_what_it_holds():
    listed = subprocess.run(["jar", "--list", "--file", TARGET / "ic2.jar"], check=True, stdout=subprocess.PIPE,
                            text=True).stdout.splitlines()
    for text in ("META-INF/LICENSE", "META-INF/NOTICE", "META-INF/FastDoubleParser-LICENSE",
                 "META-INF/FastDoubleParser-ThirdParty-LICENSE", "META-INF/Schubfach-LICENSE",
                 "org/ic2/agent/http/dashboard/uplot/LICENSE"):
        assert text in listed
    copyrights = (ROOT / "packaging" / "debian" / "copyright").read_text()
    named = set(re.findall(r"^License: (\S+)\n ", copyrights, re.MULTILINE))
    assert named == set(re.findall(r"[\w.-]+", " ".join(re.findall(r"^License: (.*)", copyrights, re.MULTILINE)))) - {"and"}


def test_installed_upgraded_removed_and_purged(view, deb):
    before = view.run("sh", "-c", "getent passwd; getent group")
    view.run("dpkg", "--no-triggers", "--install", "/tmp/ic2.deb")
    version = view.run("ic2", "--version").split()[1]
    assert deb.name.startswith(f"ic2_{version}_") and "SNAPSHOT" not in version
    assert view.has("/usr/share/doc/ic2/examples/mitigation.conf")

    # as it was before there was a group for operators, with somebody in the only one; and with the units enabled
    for user in ("alice", "bob", "eve"):
        view.run("adduser", "--quiet", "--system", "--group", user)
    view.run("adduser", "--quiet", "bob", "ic2")
    view.run("groupdel", "ic2-operator")
    view.run("systemctl", "enable", *UNITS)
    view.run("sh", "-c", "echo '# ours' >>/etc/ic2/ic2.yaml")
    assert "bob, of the group ic2, goes on operating" in view.run("dpkg", "--no-triggers", "--install", "/tmp/ic2.deb")
    assert members(view, "ic2-operator") == {"ic2", "bob"}
    assert view.run("tail", "-1", "/etc/ic2/ic2.yaml") == "# ours\n"
    view.run("adduser", "--quiet", "alice", "ic2")

    who_may_look_and_who_may_operate(view)

    view.run("dpkg", "--no-triggers", "--remove", "ic2")
    assert view.has("/var/lib/ic2/journal.jsonl") and view.has("/etc/ic2/ic2.yaml"), "only a purge forgets"
    assert view.run("sh", "-c", "ls -Al /usr/share/ic2 2>/dev/null || true") == ""
    view.run("dpkg", "--no-triggers", "--purge", "ic2")
    for user in ("alice", "bob", "eve"):
        view.run("deluser", "--quiet", "--system", user)
    assert view.run("sh", "-c", "getent passwd; getent group") == before
    view.run("rm", "/tmp/ic2.deb", "/tmp/shop.yaml", "/tmp/ask.py")
    assert view.changed("-name", "*ic2*") == []
    assert view.changed("-type", "l", "-lname", "*ic2*") == []


def who_may_look_and_who_may_operate(view):
    for name, text in (("shop.yaml", CONFIG), ("ask.py", ASK)):
        subprocess.run(view.command("sh", "-c", f"cat >/tmp/{name}; chmod 644 /tmp/{name}"), input=text, text=True, check=True)
    agent = subprocess.Popen(view.command("setpriv", "--reuid=ic2", "--regid=ic2", "--init-groups", "sh", "-c",
                                          "umask 027; exec ic2 run -c /tmp/shop.yaml"), stderr=subprocess.DEVNULL)
    try:
        wait(lambda: "660" in view.run("sh", "-c", "stat -c %a /var/lib/ic2/status.sock || true"), "the sockets")
        ask = ("/usr/bin/python3", "/tmp/ask.py")
        assert view.as_user("alice", *ask, "status.sock", "status") == "True\n"
        assert view.as_user("alice", *ask, "status.sock", "restore") == "False\n", "looking only"
        assert view.as_user("alice", *ask, "control.sock", "resume", status=1) == "may not\n"
        assert "ic2-operator" in view.as_user("alice", "ic2", "restore", "-c", "/tmp/shop.yaml", status=1)
        wait(lambda: view.has("/var/lib/ic2/journal.jsonl")
             and view.as_user("alice", "head", "-c", "1", "/var/lib/ic2/journal.jsonl") == "{", "the journal's first entry")
        assert view.as_user("bob", *ask, "status.sock", "status") == "True\n"
        assert view.as_user("bob", *ask, "control.sock", "resume") == "True\n"
        for socket in ("status.sock", "control.sock"):
            assert view.as_user("eve", *ask, socket, "status", status=1) == "may not\n"
    finally:
        agent.terminate()
        agent.wait()
