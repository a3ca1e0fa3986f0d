# SPDX-License-Identifier: Apache-2.0
"""`make demo` for tests: in a directory of its own, ended and gone in every case."""

import os
import pathlib
import shutil
import signal
import subprocess
import tempfile

import pytest
from conftest import ROOT, await_true, leftovers

TIMES = "--run 30s --on 15s --off 15s --first-half 5s --interval 500ms"
PATIENCE_S = 900


class Demo:
    """One demo in a directory of its own, its output in a file."""

    def __init__(self, directory):
        self.dir = directory / "a path with spaces, and longer than the 108 bytes of a socket's address, as a clone may have it" / "demo"
        self.said = directory / "said"
        self.process = None

    def start(self, times=TIMES, **more):
        environment = {**{name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")},
                       "IC2_DEMO_DIR": str(self.dir), "IC2_DEMO_TIMES": times, **more}
        with self.said.open("w") as out:
            self.process = subprocess.Popen([ROOT / "bin" / "demo"], stdin=subprocess.DEVNULL, stdout=out,
                                            stderr=subprocess.STDOUT, env=environment, start_new_session=True)
        return self

    @property
    def links(self):
        """Where the demo has made itself a shorter path."""
        return [link for link in pathlib.Path("/var/tmp").glob("ic2-demo-*/demo") if link.readlink() == self.dir]

    @property
    def text(self):
        return self.said.read_text()

    def reaches(self, condition, what):
        await_true(lambda: condition() or self.process.poll() is not None, what, PATIENCE_S)
        assert self.process.poll() is None, self.text

    def signalled(self, number):
        """As a terminal does it: to the whole group."""
        os.killpg(self.process.pid, number)
        return self.process.wait(PATIENCE_S)


@pytest.fixture
def demo():
    with tempfile.TemporaryDirectory(prefix="ic2-") as directory:
        demo = Demo(pathlib.Path(directory))
        yield demo
        if demo.process and demo.process.poll() is None:
            demo.signalled(signal.SIGTERM)
        assert not leftovers(demo.dir) and not demo.links, "the demo left something behind"
        if (demo.dir / "testbed").is_symlink():     # the records that it keeps where a path is short enough for servers
            shutil.rmtree((demo.dir / "testbed").resolve())
