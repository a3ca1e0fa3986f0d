#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""smoke.py PREFIX MPM...: whether a patched httpd that was just built, in PREFIX or on its way there, serves a page with each MPM, changes
MaxRequestWorkers while it runs, and serves on. Half a second each, on a free port of 127.0.0.1. Exit 1 with one line that says what failed."""

import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

PATIENCE_S = 60
CONFIG = """\
ServerRoot "{root}"
ServerName localhost
DefaultRuntimeDir "{root}"
PidFile "{root}/httpd.pid"
ErrorLog "{root}/error.log"
LoadModule mpm_{mpm}_module "{prefix}/modules/mod_mpm_{mpm}.so"
LoadModule authz_core_module "{prefix}/modules/mod_authz_core.so"
{user}
ServerLimit 2
StartServers 2
ThreadsPerChild 2
MinSpareThreads 2
MaxSpareThreads 4
Include "{root}/tunables.conf"
ReconfigureFile "{root}/tunables.conf"
Listen 127.0.0.1:{port}
DocumentRoot "{root}/pages"
"""


class Failed(Exception):
    """What the httpd does not do."""


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def page(port):
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/page.html", timeout=PATIENCE_S) as answer:
            return answer.read().decode()
    except urllib.error.HTTPError as e:
        raise Failed(f"a page gets status {e.code}") from e
    except OSError as e:
        return str(e)


def try_mpm(prefix, mpm, root):
    port = free_port()
    (root / "pages").mkdir()
    (root / "pages" / "page.html").write_text("served")
    (root / "tunables.conf").write_text("MaxRequestWorkers 4\nKeepAliveTimeout 5\n")
    (root / "httpd.conf").write_text(CONFIG.format(root=root, mpm=mpm, prefix=prefix, port=port,
                                                   user="User #65534\nGroup #65534" if os.geteuid() == 0 else ""))

    def httpd(*words):
        done = subprocess.run([prefix / "bin" / "httpd", "-f", root / "httpd.conf", *words], capture_output=True, text=True,
                              timeout=PATIENCE_S, check=False)
        if done.returncode:
            raise Failed(f"httpd {' '.join(words)} ends with {done.returncode}: {(done.stdout + done.stderr).strip()}")
        return done.stdout

    def serves(when):
        end = time.monotonic() + PATIENCE_S
        while (said := page(port)) != "served":
            if time.monotonic() > end:
                raise Failed(f"no page {when}: {said}")
            time.sleep(0.05)

    httpd("-k", "start")
    try:
        serves("after the start")
        said = httpd("-k", "reconfigure", "MaxRequestWorkers=2")
        if "MaxRequestWorkers: 4 -> 2\n" not in said:
            raise Failed(f"-k reconfigure MaxRequestWorkers=2 says: {said.strip()}")
        serves("after the change")
    finally:
        httpd("-k", "stop")
        end = time.monotonic() + PATIENCE_S
        while (root / "httpd.pid").exists() and time.monotonic() < end:
            time.sleep(0.05)


def main():
    prefix, *mpms = sys.argv[1:]
    for mpm in mpms:
        with tempfile.TemporaryDirectory(prefix="ic2-smoke-") as directory:
            root = pathlib.Path(directory)
            root.chmod(0o755)
            try:
                try_mpm(pathlib.Path(prefix), mpm, root)
            except (Failed, OSError, subprocess.TimeoutExpired) as e:
                log = root / "error.log"
                print(f"{mpm}: {e}", *(log.read_text(errors="replace").splitlines()[-3:] if log.exists() else []), sep="; ")
                return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
