# SPDX-License-Identifier: Apache-2.0
"""Guests with a set of CPUs each, for placement: control groups that are in the cpuset hierarchy, too, or have that controller."""

import contextlib
import pathlib

import guests as groups
from guests import TestbedError


def find_cpuset(mounts="/proc/mounts"):
    """Version 1's mount of the cpuset controller; None without."""
    for line in pathlib.Path(mounts).read_text().splitlines():
        _, where, kind, options = line.split()[:4]
        if kind == "cgroup" and "cpuset" in options.split(","):
            return pathlib.Path(where)
    return None


class PinnedGuests(groups.Guests):
    """The parent of such guests; everything is gone after `with`."""

    def __enter__(self):
        cpuset = find_cpuset()
        if "cpu" in self.mounts and cpuset:
            self.mounts["cpuset"] = cpuset
        super().__enter__()
        try:
            if "cpuset" in self.mounts:
                self._fill(self.mounts["cpuset"] / self.name)
            elif "v2" in self.mounts and "cpu" not in self.mounts:
                for group in (self.mounts["v2"], self.mounts["v2"] / self.name):
                    (group / "cgroup.subtree_control").write_text("+cpuset")
            else:
                raise TestbedError("no cpuset controller is mounted")
        except OSError as e:
            self.__exit__()
            raise TestbedError(f"cannot use the cpuset controller: {e.strerror}") from e
        except TestbedError:
            self.__exit__()
            raise
        return self

    def _fill(self, directory):
        """A new group of version 1 has neither CPUs nor memory, and takes nobody."""
        for name in ("cpuset.mems", "cpuset.cpus"):
            (directory / name).write_text((self.mounts["cpuset"] / name).read_text())

    def add(self, name):
        guest = super().add(name)
        if "cpuset" in self.mounts:
            self._fill(self.mounts["cpuset"] / self.name / name)
        return guest


def cpu_set(guest):
    """The file of a guest's set."""
    return guest.file("cpuset", "cpuset.cpus")


def allowed(thread):
    """The list of CPUs on which a thread may run, or "" when it has ended."""
    with contextlib.suppress(OSError):
        for line in pathlib.Path(f"/proc/{thread}/status").read_text().splitlines():
            if line.startswith("Cpus_allowed_list:"):
                return line.split(":", 1)[1].strip()
    return ""


def placement(guests, rules=None, period="1s"):
    """A configuration that places all guests."""
    rule = "{class: NLS}"
    return (f"backend: {{type: cgroup, groups: {guests.name}}}\n"
            "guests:\n" + "".join(f"  {name}: {(rules or {}).get(name, rule)}\n" for name in guests.guests) +
            f"controllers:\n  placement: {{knobs: [affinity], intensity: {{type: declared}}, period: {period}}}\n"
            "journal: journal.jsonl\n")
