# SPDX-License-Identifier: Apache-2.0
"""Where everything is: the repository's parts, and the files of one testbed."""

import hashlib
import os
import pathlib
import shutil
import stat
from dataclasses import dataclass

from .errors import TestbedError
from .places import ELSEWHERE, ROOT, suits_servers

DEFAULT_DIR = ROOT / "build" / "testbed"
DEFAULT_HTTPD = ROOT / "build" / "httpd"
INTERFERENCE = ROOT / "build" / "interference"
LIMITER = ROOT / "build" / "limiter" / "mod_gradient_limit.so"
STANDBY = ROOT / "build" / "httpd" / "modules" / "mod_standby.so"
SHARE = ROOT / "ic2-agent" / "target" / "ic2-share"
LOAD_JAR = ROOT / "faban-drivers" / "runtime" / "target" / "ic2-load.jar"
DRIVER = ROOT / "faban-drivers" / "driver" / "src" / "main"
DEBIAN = ROOT / "build" / "debian"
DEBIAN_HTTPD = DEBIAN / "httpd"


@dataclass(frozen=True)
class Layout:
    """The files of one testbed. `asked` is the directory that the user named; `state` is where the files really
    are, elsewhere if `asked` does not suit the servers (`asked` is then a link to `state`). A server of a cluster has its own
    files below `state`; what all of them have in common is in `common`."""

    asked: pathlib.Path
    state: pathlib.Path
    common: pathlib.Path | None = None

    def server(self, number):
        """The files of one server of a cluster, 1 and up."""
        return Layout(self.asked, self.state / f"web{number}", self.state)

    @property
    def name(self):
        """Identifies this testbed in the cgroup hierarchies of the machine."""
        return "ic2-" + hashlib.sha256(str(self.asked).encode()).hexdigest()[:8]

    @property
    def json(self):
        return self.state / "testbed.json"

    @property
    def marker(self):
        return self.state / ".testbed"

    @property
    def run_xml(self):
        return self.state / "run.xml"

    @property
    def results(self):
        return self.state / "results"

    @property
    def logs(self):
        return self.state / "log"

    @property
    def run(self):
        return self.state / "run"

    @property
    def served(self):
        """The servers' own copy of what they read of the repository."""
        return (self.common or self.state) / "served"

    @property
    def database(self):
        """Where the database has its socket."""
        return (self.common or self.state) / "run" / "db"

    @property
    def lock(self):
        """Outside the state directory: `down` removes that one."""
        return self.asked.parent / f".{self.asked.name}.lock"


def layout_of(directory):
    """The layout of a testbed in `directory`, whether it exists yet or not."""
    asked = pathlib.Path(os.path.abspath(directory))
    asked = asked.parent.resolve() / asked.name  # one name, also through a link to the repository
    if asked.is_symlink():
        return Layout(asked, asked.resolve())
    if asked.exists() and not asked.is_dir():
        raise TestbedError(f"{asked}: is a file; name a directory with --dir")
    plain = Layout(asked, asked)
    return plain if asked.exists() or suits_servers(asked) else Layout(asked, ELSEWHERE / plain.name)


def create(layout):
    """Makes the state directory, and the link to it if it had to go elsewhere. Refuses a directory that holds
    anything but a testbed, because `down` empties it."""
    layout.asked.parent.mkdir(parents=True, exist_ok=True)
    layout.state.mkdir(mode=0o755, parents=True, exist_ok=True)
    facts = layout.state.lstat()  # a link that another user planted in /var/tmp must not be followed
    if not stat.S_ISDIR(facts.st_mode) or facts.st_uid != os.geteuid():
        raise TestbedError(f"{layout.state}: is not a directory of the calling user; remove it or name another --dir")
    if not is_testbed(layout) and any(layout.state.iterdir()):
        raise TestbedError(f"{layout.state}: holds other files; name an empty or new directory with --dir")
    layout.marker.touch()
    if layout.state != layout.asked and not layout.asked.is_symlink():
        layout.asked.symlink_to(layout.state)


def is_testbed(layout):
    """Whether `up` made this directory."""
    return layout.marker.is_file()


def destroy(layout, keep_records):
    """Removes what `up` made; with `keep_records` the logs and results stay."""
    kept = {layout.marker, layout.logs, layout.results} if keep_records else set()
    for entry in layout.state.iterdir():
        if entry in kept:
            continue
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry)
        else:
            entry.unlink()
    if not keep_records:
        layout.state.rmdir()
        if layout.asked.is_symlink():
            layout.asked.unlink()
