# SPDX-License-Identifier: Apache-2.0
"""Where everything is: the repository's parts, and the files of one testbed."""

import hashlib
import os
import pathlib
import shutil
import stat
from dataclasses import dataclass

from .errors import TestbedError

ROOT = pathlib.Path(__file__).resolve().parent.parent
DEFAULT_DIR = ROOT / "build" / "testbed"
DEFAULT_HTTPD = ROOT / "build" / "httpd"
INTERFERENCE = ROOT / "build" / "interference"
LOAD_JAR = ROOT / "faban-drivers" / "runtime" / "target" / "ic2-load.jar"
RUN_TEMPLATE = ROOT / "faban-drivers" / "driver" / "src" / "main" / "faban" / "META-INF" / "run.xml"
WEB_APPLICATION = ROOT / "faban-drivers" / "webapp"
WEB_CONFIGURATION = ROOT / "docker" / "web"
DATABASE_CONFIGURATION = ROOT / "docker" / "db"
LONGEST_STATE_PATH = 80  # a unix socket below it must fit into 108 bytes


@dataclass(frozen=True)
class Layout:
    """The files of one testbed. `asked` is the directory that the user named; `state` is where the files really
    are, elsewhere if the servers' user could not reach `asked` (`asked` is then a link to `state`)."""

    asked: pathlib.Path
    state: pathlib.Path

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
    def lock(self):
        """Outside the state directory: `down` removes that one."""
        return self.asked.parent / f".{self.asked.name}.lock"


def layout_of(directory):
    """The layout of a testbed in `directory`, whether it exists yet or not."""
    asked = pathlib.Path(os.path.abspath(directory))
    if asked.is_symlink():
        return Layout(asked, asked.resolve())
    if asked.exists() and not asked.is_dir():
        raise TestbedError(f"{asked}: is a file; name a directory with --dir")
    asked = asked.parent.resolve() / asked.name
    plain = Layout(asked, asked)
    if asked.exists() or (open_to_all(asked.parent) and len(str(asked)) <= LONGEST_STATE_PATH):
        return plain
    return Layout(asked, pathlib.Path("/var/tmp") / plain.name)


def create(layout):
    """Makes the state directory, and the link to it if it had to go elsewhere. Refuses a directory that holds
    anything but a testbed, because `down` empties it."""
    layout.asked.parent.mkdir(parents=True, exist_ok=True)
    layout.state.mkdir(mode=0o755, parents=True, exist_ok=True)
    facts = layout.state.lstat()  # a link that somebody planted in /var/tmp must not be followed
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


def open_to_all(path):
    """Whether a user without privileges can pass through every directory of `path` that exists."""
    for directory in [path, *path.parents]:
        try:
            if not directory.stat().st_mode & stat.S_IXOTH:
                return False
        except FileNotFoundError:
            continue
    return True
