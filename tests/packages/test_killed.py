# SPDX-License-Identifier: Apache-2.0
"""On a Debian 12 with systemd: after kill -9 of the agent the end of its unit restores the baseline without Java."""
import json
import pathlib

import pytest
from booted import Booted, Unbootable
from plain import PATIENCE_S, agent, put, served

MAP = "/var/lib/ic2/ladder/mitigation.map"
JOURNAL = "/var/lib/ic2/journal.jsonl"
SITE = f"""Listen 127.0.0.1:81
<VirtualHost 127.0.0.1:81>
    RewriteEngine On
    RewriteMap ic2 "txt:{MAP}"
    RewriteCond "${{ic2:MITIGATION|0}}" "^([1-6])$"
    RewriteRule "^" "-" [E=LEVEL:%1]
    <Location "/server-status">
        SetHandler server-status
        Header always set IC2-Mitigation "%{{LEVEL}}e" "expr=-n reqenv('LEVEL')"
        Header always setifempty IC2-Mitigation 0
    </Location>
</VirtualHost>
"""
CONFIG = f"""application: killed
mode: act
members:
  web:
    role: web
    sensors: {{response: {{type: mod-status, url: "http://127.0.0.1:81/server-status?auto"}}}}
    actuators: {{ladder: {{type: httpd-map, file: {MAP}}}}}
baseline: {{mitigation: 0}}
bounds: {{mitigation: [0, 6]}}
"""


@pytest.fixture
def view(debian, tmp_path):
    if not pathlib.Path("/proc/pressure/cpu").exists():
        pytest.skip("needs a kernel that measures stalls")
    try:
        seen = Booted(tmp_path, debian)
    except Unbootable as reason:
        pytest.skip(f"systemd can't be started here: {reason}")
    try:
        put(seen, "/tmp/ic2.deb", agent())
        seen.run("apt-get", "install", "-y", "--no-install-recommends", "/tmp/ic2.deb")
        put(seen, "/etc/apache2/sites-available/status.conf", SITE.encode())
        put(seen, "/etc/ic2/ic2.yaml", CONFIG.encode())
        seen.run("sh", "-c", "a2dismod -q -f php* mpm_prefork; a2enmod -q mpm_event rewrite headers status && a2ensite -q status && "
                 "systemctl restart apache2")
        yield seen
    finally:
        seen.end()


def entries(view):
    return [json.loads(line) for line in view.run("cat", JOURNAL).splitlines()]


def killed_on_level(view):
    """True if the agent, not in manual mode, was killed with level 3 in force."""
    view.run("ic2", "apply", "--mitigation", "3")
    view.run("ic2", "resume")
    view.run("systemctl", "kill", "--kill-who=main", "--signal=STOP", "ic2")
    away = view.run("cat", MAP) == "MITIGATION 3\n" and "\nstate away\n" in view.run("cat", "/var/lib/ic2/baseline.plan")
    view.run("systemctl", "kill", "--kill-who=main", f"--signal={'KILL' if away else 'CONT'}", "ic2")
    return away


def test_the_units_end_restores_without_java_and_the_next_start_knows(view):
    view.run("systemctl", "start", "ic2")
    served.wait(lambda: killed_on_level(view), "a kill before the agent restored by itself", PATIENCE_S)
    served.wait(lambda: view.run("cat", MAP) == "MITIGATION 0\n", "the baseline", PATIENCE_S)
    served.wait(lambda: any(entry["kind"] == "start" for entry in entries(view)[-2:]), "the next start", PATIENCE_S)
    killed = max(n for n, entry in enumerate(entries(view)) if entry["kind"] == "resume")
    after = [(entry["kind"], entry.get("id")) for entry in entries(view)[killed + 1:] if entry["kind"] != "decision"]
    assert after == [("intent", "baseline"), ("applied", "baseline"), ("start", None)], after
    assert view.run("stat", "-c", "%U %a", "/var/lib/ic2/baseline.plan") == "ic2 600\n"
