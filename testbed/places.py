# SPDX-License-Identifier: Apache-2.0
"""Directories for servers. Their processes run as www-data or mysql, who may not enter the repository (a clone in root's
home); httpd's configuration takes no space in a path, and a socket's address no long one. So servers get a copy of what
they read, in a place that suits them. The tests of the web tier use this too."""

import contextlib
import pathlib
import re
import shutil
import stat
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
ELSEWHERE = pathlib.Path("/var/tmp")
LONGEST = 75  # bytes of a directory: a unix socket below it, or below one of a cluster's server in it, must fit into 108
SERVED = ("docker/web", "docker/db", "faban-drivers/webapp", "testbed/wordpress",
          "httpd-online/docs/status.conf", "httpd-online/docs/wordpress", "httpd-online/docs/php")


def open_to_all(path):
    """Whether a user without privileges can pass through every directory of `path` that exists."""
    for directory in [path, *path.parents]:
        try:
            if not directory.stat().st_mode & stat.S_IXOTH:
                return False
        except FileNotFoundError:
            continue
    return True


def suits_servers(directory):
    """Whether servers can have their files and sockets in this directory, which need not exist yet."""
    name = str(directory)
    return open_to_all(directory) and len(name.encode()) <= LONGEST and re.fullmatch(r"[A-Za-z0-9._/+@-]+", name) is not None


@contextlib.contextmanager
def directory_for_servers(prefix):
    """A fresh directory for servers, gone at the end; below the usual one for temporary files if that suits them."""
    usual = pathlib.Path(tempfile.gettempdir())
    made = pathlib.Path(tempfile.mkdtemp(prefix=prefix, dir=usual if suits_servers(usual) else ELSEWHERE))
    try:
        made.chmod(0o755)
        yield made
    finally:
        shutil.rmtree(made, ignore_errors=True)


def copy_for_servers(target):
    """Copies what servers read to `target`, in place of an earlier copy and readable for all; returns `target`. It is laid
    out as the repository is, so that its docker/web/prepare finds the rest."""
    if target.exists():
        shutil.rmtree(target)
    for name in SERVED:
        source, copy = ROOT / name, target / name
        if source.is_dir():
            shutil.copytree(source, copy, ignore=shutil.ignore_patterns("tests"))
        else:
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, copy)
    for path in [target, *target.rglob("*")]:
        path.chmod(path.stat().st_mode | (0o755 if path.is_dir() else 0o444))
    return target
