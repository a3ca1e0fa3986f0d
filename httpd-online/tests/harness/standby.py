# SPDX-License-Identifier: Apache-2.0
"""mod_standby, compiled for the httpd under test."""

import fcntl
import os
import pathlib
import shutil
import subprocess

from .build import BUILD, COMPONENT, server_build

#: STANDBY_SOURCES names a changed copy of the module, to see that tests fail.
SOURCES = pathlib.Path(os.environ.get("STANDBY_SOURCES", COMPONENT / "standby"))
BUILT = BUILD / "standby" if "STANDBY_SOURCES" not in os.environ else SOURCES.with_name(f"{SOURCES.name}-built")


def _newest(directory):
    return max(path.stat().st_mtime for path in directory.rglob("*") if path.suffix in (".c", ".h") or path.name == "Makefile")


def standby_module(build):
    """The path of mod_standby.so for this build. It is compiled once, and again when its sources or the build are newer."""
    directory = BUILT / "-".join(build.prefix.relative_to(BUILD).parts if build.prefix.is_relative_to(BUILD) else build.prefix.parts[1:])
    module = directory / "mod_standby.so"
    directory.mkdir(parents=True, exist_ok=True)
    with open(directory / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        needed = max(_newest(SOURCES), build.httpd.stat().st_mtime)
        if not module.exists() or module.stat().st_mtime < needed:
            _compile(build, directory, module)
    return module


def _compile(build, directory, module):
    """In a copy of the sources: two builds may be compiled at the same time."""
    copy = directory / "source"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(SOURCES, copy, ignore=shutil.ignore_patterns("*.o", "*.lo", "*.slo", "*.la", "*.so", ".libs"))
    apxs = build.prefix / "bin" / "apxs"
    if not apxs.exists():       # Debian's own is in a package of its own; a module for one httpd 2.4 fits all that are not older
        apxs = server_build(patched=False).prefix / "bin" / "apxs"
    done = subprocess.run(["make", "-C", copy, f"APXS={apxs}"], capture_output=True, text=True, check=False)
    made = sorted(copy.rglob("mod_standby.so"), key=lambda path: path.stat().st_mtime)
    assert done.returncode == 0 and made, f"mod_standby can't be compiled:\n{done.stdout}{done.stderr}"
    fresh = module.with_suffix(".new")
    shutil.copy(made[-1], fresh)        # the time of now: newer than the sources
    fresh.replace(module)
