# SPDX-License-Identifier: Apache-2.0
"""Finds, and builds where needed, the servers under test and the C tools."""

import contextlib
import os
import pathlib
import shutil
import subprocess
import tempfile
from dataclasses import dataclass, replace

HERE = pathlib.Path(__file__).resolve().parent
COMPONENT = HERE.parent.parent
BUILD = pathlib.Path(os.environ.get("IC2_BUILD", COMPONENT.parent / "build"))
TOOLS = HERE.parent / "tools"

#: What a server under test loads.
MODULES = """unixd authz_core authz_host alias dir mime env setenvif headers expires filter deflate rewrite log_config logio
    status proxy proxy_http proxy_fcgi socache_shmcb remoteip unique_id""".split()
#: What single tests load besides.
FURTHER_MODULES = ["version", "watchdog", "ssl", "http2", "cgid"]


@dataclass(frozen=True)
class Build:
    """One installed httpd. `slow` multiplies every time that a test grants."""

    prefix: pathlib.Path
    patched: bool
    sanitized: bool

    @property
    def httpd(self):
        return self.prefix / "bin" / "httpd"

    @property
    def slow(self):
        return 4.0 if self.sanitized else 1.0

    @property
    def source_tree(self):
        """The patched source that this build came from."""
        for line in (self.prefix / ".built").read_text().splitlines():
            key, _, value = line.partition(" ")
            if key == "tree":
                return pathlib.Path(value)
        raise RuntimeError(f"{self.prefix}/.built names no source tree; build it again with httpd-online/build.sh")


def server_build(*, patched=True, sanitized=False):
    """Runs build.sh, which does nothing if the build is up to date. HTTPD_PREFIX / HTTPD_STOCK_PREFIX name other ones."""
    given = os.environ.get("HTTPD_PREFIX" if patched else "HTTPD_STOCK_PREFIX")
    if given:
        return Build(pathlib.Path(given), patched, sanitized)
    name = "httpd" + ("" if patched else "-stock-small") + ("-asan" if sanitized else "")
    flags = ["--allow-older"] + (["--sanitize"] if sanitized else [])
    if not patched:     # with what our tests load, and what is linked into ours
        flags += ["--stock", "--mpms", "worker,event,prefork", "--modules", ",".join(dict.fromkeys([*MODULES, *FURTHER_MODULES])),
                  "--prefix", BUILD / name]
    subprocess.run([COMPONENT / "build.sh", *flags], check=True)
    return Build((BUILD / name).resolve(), patched, sanitized)     # (a link if build.sh had to go elsewhere)


def debian_build():
    """Debian's own httpd, unpacked and not installed. HTTPD_DEBIAN_PREFIX names another one."""
    given = os.environ.get("HTTPD_DEBIAN_PREFIX")
    if given:
        return Build(pathlib.Path(given), False, False)
    subprocess.run([COMPONENT.parent / "testbed" / "wordpress" / "fetch"], check=True)
    return Build(BUILD / "debian" / "httpd", False, False)


@contextlib.contextmanager
def open_to_all(build):
    """A copy of the programs and modules that every user can run: the build may lie in somebody's closed home."""
    with tempfile.TemporaryDirectory(prefix="httpd-online-") as directory:
        prefix = pathlib.Path(directory)
        prefix.chmod(0o755)
        for part in ("bin", "modules"):
            shutil.copytree(build.prefix / part, prefix / part)
        for path in prefix.rglob("*"):
            path.chmod(0o755)
        yield replace(build, prefix=prefix)


def tool(name):
    """The path of a compiled C tool of tests/tools."""
    source, program = TOOLS / f"{name}.c", BUILD / "httpd-tools" / name
    inputs = [source, TOOLS / "loop.h"]
    if not program.exists() or any(i.stat().st_mtime > program.stat().st_mtime for i in inputs):
        program.parent.mkdir(parents=True, exist_ok=True)
        fresh = program.with_suffix(f".{os.getpid()}")
        subprocess.run([os.environ.get("CC", "cc"), "-std=gnu11", "-D_GNU_SOURCE", "-O2", "-Wall", "-Wextra", "-Werror",
                        "-o", fresh, source, "-lm"], check=True)
        fresh.replace(program)
    return program


if __name__ == "__main__":     # beforehand: six processes that test would wait for one that builds
    server_build(patched=False)
