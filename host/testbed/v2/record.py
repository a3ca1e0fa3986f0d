# SPDX-License-Identifier: Apache-2.0
"""Keeps what a real kernel's control groups of version 2 say, for tests: record.py DIRECTORY

In DIRECTORY: before.txt and after.txt, all readable files of a parent, a guest that is capped at a fifth of a CPU and whose heap is
larger than its memory.high, and of a group within it, with what /proc says of its threads, some seconds apart. Each file begins
with a line `==> PATH <==`."""

import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from guests import Guests  # noqa: E402
from served import Served  # noqa: E402

HOST = ("/proc/uptime", "/proc/stat", "/proc/meminfo", "/proc/net/dev")
OF_THREAD = ("schedstat", "status", "cgroup")


def main(directory):
    out = pathlib.Path(directory)
    out.mkdir(parents=True, exist_ok=True)
    with Guests("lab") as guests:
        web = guests.add("web")
        inner = web.file("cpu", "vcpu0")
        inner.mkdir()
        web.file("cpu", "cpu.max").write_text("20000 100000")
        burner = web.burn(100)
        (inner / "cgroup.procs").write_text(str(burner.pid))
        served = Served(web, "--cpu-ms", 1)
        try:
            served.serve([(1, 10, 80)])
            web.file("memory", "memory.high").write_text(str(64 << 20))
            served.begin([(40, 20, 80)])
            time.sleep(5)
            keep(out / "before.txt", web)
            time.sleep(8)
            keep(out / "after.txt", web)
        finally:
            served.end()
            inner_gone(burner, inner)


def inner_gone(burner, inner):
    burner.kill()
    burner.wait()
    inner.rmdir()


def keep(file, guest):
    group = guest.file("cpu", "x").parent
    paths = [pathlib.Path(path) for path in HOST]
    for directory in (group.parent, group, group / "vcpu0"):
        paths += sorted(path for path in directory.iterdir() if path.stat().st_mode & 0o444 and path.is_file())
    for directory in (group, group / "vcpu0"):
        for thread in (directory / "cgroup.threads").read_text().split():
            paths += [pathlib.Path("/proc", thread, name) for name in OF_THREAD]
    with open(file, "w", encoding="ascii") as out:
        for path in paths:
            try:
                text = path.read_text()
            except OSError as e:
                print(f"{path}: {e.strerror}")
                continue
            out.write(f"==> {path} <==\n{text}")


if __name__ == "__main__":
    main(sys.argv[1])
