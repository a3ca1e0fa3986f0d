# SPDX-License-Identifier: Apache-2.0
"""Debian's own apache2, out of its packages and installed nowhere: configuration, modules, apache2ctl, a2enmod."""

import os
import pathlib
import pwd
import shutil
import subprocess
import tempfile
from dataclasses import dataclass

from . import procs
from .build import BUILD
from .errorlog import ErrorLog
from .server import free_port
from .waiting import eventually

# what a fresh installation enables
MODULES = """mpm_event authz_host auth_basic access_compat authn_file authz_user alias dir autoindex env mime negotiation setenvif
    filter deflate status reqtimeout""".split()


class Unavailable(Exception):
    """The packages can't be had here."""


def _run(*command, cwd=None, env=None):
    return subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, timeout=120, check=False)


def packages(version):
    """Directory with the unpacked files of apache2 and apache2-bin, of that version of httpd if apt knows it."""
    target = BUILD / "httpd-debian-packages" / version
    if target.exists():
        return target
    listed = [line.split("|")[1].strip() for line in _run("apt-cache", "madison", "apache2-bin").stdout.splitlines()]
    wanted = next((v for v in listed if v.startswith(f"{version}-")), None)
    if not wanted:
        raise Unavailable(f"apt lists no apache2-bin {version} (but {listed}); apt-get update?")
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as work:
        done = _run("apt-get", "download", f"apache2={wanted}", f"apache2-bin={wanted}", cwd=work)
        files = pathlib.Path(work) / "files"
        files.mkdir()
        for package in pathlib.Path(work).glob("*.deb"):
            subprocess.run(["dpkg-deb", "-x", package, files], check=True)
        if not (files / "usr/sbin/apache2ctl").exists() or not (files / "usr/sbin/apache2").exists():
            raise Unavailable(f"apache2 {wanted} can't be downloaded: {done.stderr.strip()}")
        try:
            files.rename(target)
        except OSError:
            assert target.exists()      # another worker was faster
    return target


@dataclass(frozen=True)
class Done:
    code: int
    out: str
    err: str


class DebianServer:
    """A fresh installation's /etc/apache2 in a directory of its own, for the httpd of `build`."""

    def __init__(self, build, version):
        self.build, self.files = build, packages(version)
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="httpd-online-"))
        self.root.chmod(0o755)
        self.script = self.files / "usr/sbin/apache2ctl"
        self.etc, self.mark, self.port = self.root / "etc", procs.new_mark(), free_port()
        self.log = ErrorLog(self.root / "log" / "error.log")
        self.pid_file = self.root / "run" / "apache2.pid"
        for name in ("run", "lock", "log", "www", "state"):
            (self.root / name).mkdir()
        (self.root / "www" / "index.html").write_text("<html>hello</html>\n")
        shutil.copytree(self.files / "etc" / "apache2", self.etc)
        self._replace("ports.conf", "Listen 80\n", f"Listen 127.0.0.1:{self.port}\nServerName localhost\n")
        self._replace("sites-available/000-default.conf", "*:80", f"*:{self.port}")
        self._replace("sites-available/000-default.conf", "/var/www/html", str(self.root / "www"))
        self._replace("apache2.conf", "<Directory /var/www/>", f"<Directory {self.root}/www/>")
        (self.etc / "mime.types").write_text("text/html html\n")
        self._replace("mods-available/mime.conf", "/etc/mime.types", str(self.etc / "mime.types"))
        for name, place in (("run/apache2", "run"), ("lock/apache2", "lock"), ("log/apache2", "log")):
            self._replace("envvars", f"/var/{name}", str(self.root / place))
        user = "www-data" if os.geteuid() == 0 else pwd.getpwuid(os.geteuid()).pw_name
        self._replace("envvars", "USER=www-data", f"USER={user}")
        for file in (self.etc / "mods-available").glob("*.load"):
            self._replace(f"mods-available/{file.name}", "/usr/lib/apache2/modules", f"{self.files}/usr/lib/apache2/modules")
        self.enable("a2enmod", *MODULES)
        self.enable("a2ensite", "000-default")
        self.append("envvars", f"export APACHE_HTTPD={build.httpd}\nexport APACHE_ARGUMENTS='-d {self.etc} -f apache2.conf'\n")

    def _replace(self, name, old, new):
        file = self.etc / name
        file.write_text(file.read_text().replace(old, new))

    def append(self, name, text):
        file = self.etc / name
        file.write_text((file.read_text() if file.exists() else "") + text)

    @property
    def environment(self):
        return {**os.environ, "APACHE_CONFDIR": str(self.etc), "APACHE_STATE_DIRECTORY": str(self.root / "state"),
                "APACHE_STARTED_BY_SYSTEMD": "true", procs.MARK: self.mark}

    def enable(self, program, *names):
        for name in names:
            done = _run(self.files / "usr/sbin" / program, "-q", name, env=self.environment)
            assert done.returncode == 0, done.stdout + done.stderr

    def apachectl(self, *words):
        done = _run(self.script, *words, env=self.environment)
        return Done(done.returncode, done.stdout, done.stderr)

    def start(self):
        done = self.apachectl("start")
        assert done.code == 0, done
        eventually(lambda: self.pid_file.exists() and self.log.with_text("resuming normal operations"),
                   what="Debian's configuration to run")
        return done

    def finish(self):
        if procs.marked(self.mark):
            self.apachectl("stop")
        try:
            eventually(lambda: not procs.marked(self.mark), what="the server to end")
        finally:
            left = procs.kill_leftovers(self.mark)
            shutil.rmtree(self.root, ignore_errors=True)
        assert not left
