# SPDX-License-Identifier: Apache-2.0
"""A site behind Debian's Apache in a view, and what `ic2 init` does to it: the story that is told on this machine and on a plain Debian."""
import hashlib
import re
import subprocess
import threading
import time

LOG = "/var/log/apache2/error.log"
# the bytes of files, where links lead, who owns it and may what
ETC = ("find /etc -xdev ! -name '.pwd.lock' ! -name '*-' ! -path '/etc/mtab' ! -name 'ld.so.cache' -printf '%p %y %u %m %l\\n' "
       "-type f -exec sha256sum {} + | sort")
# Each answer's status, one a line, until there is a file /tmp/enough.
ASKING = """
import http.client, os, sys
while not os.path.exists(sys.argv[2]):
    try:
        asked = http.client.HTTPConnection("127.0.0.1", 80, timeout=60)
        asked.request("GET", sys.argv[1], headers={"Host": "localhost", "Accept": "text/html"})
        print(asked.getresponse().status, flush=True)
        asked.close()
    except OSError as error:
        print(error, flush=True)
"""


def wait(condition, what, seconds=180):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"waited in vain for {what}"
        time.sleep(0.05)


class Served:
    """The site: its configuration, its log, what visitors get."""

    def __init__(self, view, page):
        self.view = view
        self.page = page

    def etc(self, *without):
        """What stands in /etc, but for accounts and what is named."""
        lines = self.view.run("sh", "-c", ETC).splitlines()
        own = ("/etc/passwd", "/etc/group", "/etc/shadow", "/etc/gshadow", "/etc/subuid", "/etc/subgid", *without)
        return [line for line in lines if not any(name in line for name in own)]

    def status(self, path, *options):
        return self.view.run("curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", *options, f"http://localhost{path}")

    def level_in_force(self):
        """What httpd says; None where nobody listens, or where it says none."""
        answer = self.view.run("sh", "-c", "curl -si 'http://127.0.0.1:8088/server-status?auto' || true")
        return next((line.split()[1] for line in answer.splitlines() if line.startswith("IC2-Mitigation:")), None)

    def reloads(self):
        return len(re.findall("Graceful restart requested|Doing graceful restart", self.view.run("cat", LOG)))

    def visitors(self):
        return Visitors(self)


class Visitors:
    """Ask for the page all the time, one after the other; with each answer's status at the end."""

    def __init__(self, served):
        self.view = served.view
        self.mark = f"/tmp/enough-{hashlib.sha256(str(id(self)).encode()).hexdigest()[:8]}"
        mark = self.view.place / "all" / self.mark[1:]
        # the interpreter is this machine's: a plain Debian has none
        self.process = subprocess.Popen(["nsenter", "--mount", "--net", f"--target={self.view.first}", "/usr/bin/python3", "-c", ASKING,
                                         served.page, str(mark)], stdout=subprocess.PIPE, text=True)
        self.answers = []
        self.reader = threading.Thread(target=self.read, daemon=True)

    def __enter__(self):
        self.reader.start()
        wait(lambda: self.answers, "the first answer")
        return self

    def read(self):
        for line in self.process.stdout:
            self.answers.append(line.strip())

    def __exit__(self, *failure):
        self.view.run("touch", self.mark)
        self.process.wait(timeout=180)
        self.reader.join()
        self.view.run("rm", self.mark)


def same(etc, before):
    assert sorted(set(etc) ^ set(before)) == []


def init(view, *words, status=0):
    return view.run("ic2", "init", *words, status=status)


def set_up_and_taken_back(served):
    """`ic2 init`, twice, and `--remove`, while visitors come: each gets its page, and /etc is what it was."""
    view, before, reloads = served.view, served.etc(), served.reloads()
    said = init(view, "--dry-run")
    assert "without a patch" in said and "a2enmod headers" in said and "StandbyLevel file" in said
    same(served.etc(), before)
    with served.visitors() as visitors:
        said = init(view, "--yes")
        assert "MISSING" not in said, said
        assert served.reloads() == reloads + 1, "one graceful reload"
        assert served.level_in_force() == "0"
        assert "nothing was changed" in init(view, "--yes")
        moved_by_the_agents_user(served)
        assert served.reloads() == reloads + 1
        init(view, "--remove")
        assert served.level_in_force() is None
    assert set(visitors.answers) == {"200"}, "no request failed"
    same(served.etc(), before)
    assert not view.has("/var/lib/ic2/init.json") and not view.has("/var/log/apache2/ic2.log") and not view.has("/run/ic2-standby")


def moved_by_the_agents_user(served):
    served.view.as_user("ic2", "ic2", "apply", "--mitigation", "3")
    assert served.level_in_force() == "3"
    served.view.as_user("ic2", "ic2", "restore")
    assert served.level_in_force() == "0"


def broken_in_the_middle_all_is_as_it_was(served):
    """What is enabled makes httpd's configuration invalid: the test says so, and nothing remains."""
    view = served.view
    view.run("sh", "-c", "echo '<IfModule headers_module>\nNonsense\n</IfModule>' >/etc/apache2/conf-enabled/zz.conf")
    before, reloads = served.etc(), served.reloads()
    said = init(view, "--yes", status=1).splitlines()[-1]
    assert "Nonsense" in said and said.endswith("all of it was taken back"), said
    same(served.etc(), before)
    assert served.reloads() == reloads and served.status(served.page) == "200"
    view.run("rm", "/etc/apache2/conf-enabled/zz.conf")


def ended_in_the_middle_all_is_as_it_was(served):
    """SIGTERM at a slow step: what was done is taken back before the command ends."""
    view = served.view
    before, reloads = served.etc(), served.reloads()
    view.run("sh", "-c", "mv /usr/sbin/a2enconf /usr/sbin/a2enconf.quick && printf '#!/bin/sh\\ntouch /tmp/slow\\nexec sleep 600\\n' "
             ">/usr/sbin/a2enconf && chmod 755 /usr/sbin/a2enconf")
    doing = subprocess.Popen(view.command("sh", "-c", "echo $$ >/tmp/init && exec ic2 init --yes"), stdout=subprocess.PIPE, text=True)
    wait(lambda: view.has("/tmp/slow"), "the slow step")
    assert view.has("/etc/ic2/ic2.yaml")
    view.run("sh", "-c", "kill -TERM $(cat /tmp/init)")
    said = doing.communicate(timeout=180)[0]
    assert said.endswith("ic2: interrupted; all of it was taken back\n"), said
    assert doing.returncode == 143
    view.run("sh", "-c", "mv /usr/sbin/a2enconf.quick /usr/sbin/a2enconf && rm /tmp/slow /tmp/init")
    same(served.etc(), before)
    assert not view.has("/var/lib/ic2/init.json") and served.reloads() == reloads


def an_empty_ladder_is_said(served, file):
    """Each page sets a cookie: nothing is stored, the agent can only observe, and the exit status says so."""
    view, before = served.view, served.etc()
    view.run("sh", "-c", f"cp {file} /tmp/before.php && echo '<?php setcookie(\"s\", \"1\"); echo \"<title>News</title>\";' >{file}")
    wait(lambda: "Set-Cookie" in view.run("curl", "-si", "http://localhost" + served.page), "the new file")
    said = init(view, "--yes", status=3)
    assert "EMPTY" in said and "pages that set a cookie (1): / (s)" in said, said
    assert "ladder:   []" in view.run("cat", "/etc/ic2/ic2.yaml")
    assert "StandbyPages" not in view.run("sh", "-c", "grep -v '^ *#' /etc/apache2/conf-available/ic2-mitigation.conf")
    init(view, "--remove")
    # PHP's cache knows a file by the second in which it was written: the same for both
    view.run("sh", "-c", f"mv /tmp/before.php {file} && touch -d yesterday {file}")
    wait(lambda: "Set-Cookie" not in view.run("curl", "-si", "http://localhost" + served.page), "the file from before")
    same(served.etc(), before)


def left_with_the_package(served, before):
    """A removal takes back what init did, since that names files of the package; a purge leaves nothing of it in /etc."""
    view = served.view
    init(view, "--yes")
    view.run("dpkg", "--no-triggers", "--remove", "ic2")
    assert served.level_in_force() is None and served.status(served.page) == "200"
    view.run("dpkg", "--no-triggers", "--purge", "ic2")
    same(served.etc(), before)
    view.run("apache2ctl", "-t")
