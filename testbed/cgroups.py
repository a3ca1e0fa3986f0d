# SPDX-License-Identifier: Apache-2.0
"""Control groups that stand for virtual machines.

The web tier's group is the tenant's VM, the neighbour's is the VM beside it; the tier's CPU shares are very large, so
that other tasks of the machine can take none of its CPU, and `arrangement` says what the neighbour's are. The group
`outside` keeps the database's processes together; where the neighbour has the same CPU it rules theirs and the load's.

Two kinds of machine: with a v1 `cpu` hierarchy a group lives there (shares) and, where the machine has one, in the v2
hierarchy beside it too, which counts CPU use and stall (PSI) of a group even without controllers; with v2 alone
one group does both.

`hosted`: the groups of tier and neighbour are children of one of their own, `NAME`, so that `ic2-host` can take them for its guests. Where
the machine has cpusets, each has its CPU there, too: `ic2-host` may move it to another.

In a cluster each server has a group `NAME-vmN` with a quota of CPU time, and in it one for the tier and one for the neighbour, which
takes from that quota."""

import os
import pathlib
import signal
import time
from dataclasses import dataclass

from .errors import TestbedError

V1_SHARES = 100_000
V2_WEIGHT = 10_000  # the largest that v2 knows
PERIOD_US = 20_000  # of a server's quota: a page that finds it used up waits for no more than this
KILL_PATIENCE_S = 10
ROLES = ("web", "neighbour", "outside")
INSIDE = ("web", "neighbour")


@dataclass(frozen=True)
class Hierarchies:
    """Mount points: `cpu` rules CPU time (v1 or v2), `v2` counts it (None if the machine has no v2 mount), `cpuset` says where groups
    may run (of `cpu_version`; None if the machine has none)."""

    cpu: pathlib.Path
    cpu_version: int
    v2: pathlib.Path | None
    cpuset: pathlib.Path | None = None


@dataclass(frozen=True)
class Group:
    """One group: the directories that a process has to join, the first one rules its CPU time."""

    role: str
    directories: tuple
    usage: pathlib.Path | None  # the v2 directory with cpu.stat and cpu.pressure

    def join(self, pid=0):
        """Moves a process (0: the caller) into the group."""
        for directory in self.directories:
            (directory / "cgroup.procs").write_text(str(pid))

    def members(self):
        """Pids in the group now."""
        pids = set()
        for directory in self.directories:
            try:
                pids.update(int(line) for line in (directory / "cgroup.procs").read_text().split())
            except OSError:
                pass  # the directory is gone, and no process can be in it
        return sorted(pids)


def find_hierarchies(mounts="/proc/mounts"):
    """Reads where cgroups are mounted; raises if CPU shares cannot be set at all."""
    cpu = v2 = cpuset = None
    for line in pathlib.Path(mounts).read_text().splitlines():
        _, where, kind, options = line.split()[:4]
        if kind == "cgroup" and "cpu" in options.split(","):
            cpu = pathlib.Path(where)
        if kind == "cgroup" and "cpuset" in options.split(","):
            cpuset = pathlib.Path(where)
        elif kind == "cgroup2":
            v2 = pathlib.Path(where)
    if cpu:
        return Hierarchies(cpu, 1, v2, cpuset)
    controllers = (v2 / "cgroup.controllers").read_text().split() if v2 else []
    if "cpu" in controllers:
        return Hierarchies(v2, 2, v2, v2 if "cpuset" in controllers else None)
    raise TestbedError("no cgroup hierarchy with the cpu controller is mounted; the testbed needs one to give web tier "
                       "and neighbour equal shares of a CPU (v1: mount -t cgroup -o cpu; v2: boot with it)")


def group_of(hierarchies, name, role, ruled=True, hosted=False):
    """Where the group `role` of testbed `name` is; makes nothing. One that is not `ruled` leaves its processes' CPU time to
    the machine's root group."""
    label = f"{name}/{role}" if hosted else f"{name}-{role}"
    v2 = hierarchies.v2 / label if hierarchies.v2 else None
    if hierarchies.cpu_version == 2:
        return Group(role, (v2,), v2)
    if not ruled:
        return Group(role, (v2,) if v2 else (), v2)
    pinned = (hierarchies.cpuset / label,) if hosted and role in INSIDE and hierarchies.cpuset else ()
    return Group(role, tuple(dict.fromkeys((hierarchies.cpu / label,) + ((v2,) if v2 else ()) + pinned)), v2)


def _parents(hierarchies, name):
    """The group around those of a hosted testbed, in each hierarchy."""
    return [root / name for root in dict.fromkeys((hierarchies.cpu, hierarchies.v2, hierarchies.cpuset)) if root]


def create(hierarchies, name, shares, hosted=None):
    """Makes the groups of one testbed, those in `shares` with these parts of the largest share; role -> Group. `hosted`: the CPUs of
    tier and neighbour, role -> CPU, where a host's agent is to have them for guests."""
    controllers = ["cpu"] + (["cpuset"] if hosted and hierarchies.cpuset else [])
    if hierarchies.cpu_version == 2:
        _enable(hierarchies.v2, controllers)
    if hosted:
        for directory in _parents(hierarchies, name):
            _make(directory)
        _set_share(hierarchies, hierarchies.cpu / name, 1)
        if hierarchies.cpu_version == 2:
            _enable(hierarchies.v2 / name, controllers)
        elif hierarchies.cpuset:
            _inherit_cpus(hierarchies.cpuset / name, "cpuset.cpus", "cpuset.mems")
    groups = {role: group_of(hierarchies, name, role, role in shares, bool(hosted)) for role in ROLES}
    for role, group in groups.items():
        for directory in group.directories:
            _make(directory)
        if role in shares:
            _set_share(hierarchies, group.directories[0], shares[role])
        if hosted and role in hosted and hierarchies.cpuset:
            _pin(hierarchies, hierarchies.cpuset / name / role, hosted[role])
    return groups


def create_server(hierarchies, name, number, quota, weight):
    """Makes the groups of one server of a cluster, which may have `quota` CPUs in all, and as much again once if it took less
    before; `weight`: the neighbour's part of it to 1 of the tier's, while both want more. Returns role -> Group."""
    parents = _server_directories(hierarchies, name, number)
    for directory in parents:
        _make(directory)
    _set_share(hierarchies, parents[0], 1)
    _set_quota(hierarchies, parents[0], quota)
    if hierarchies.cpu_version == 2:
        _enable(parents[0], ["cpu"])
    groups = _server_groups(parents, hierarchies)
    for role, part in zip(INSIDE, (1, weight)):
        for directory in groups[role].directories:
            _make(directory)
        _set_share(hierarchies, groups[role].directories[0], part / max(1, weight))
    return groups


def _server_directories(hierarchies, name, number):
    return [root / f"{name}-vm{number}" for root in dict.fromkeys((hierarchies.cpu, hierarchies.v2)) if root]


def _server_groups(parents, hierarchies):
    return {role: Group(role, tuple(p / role for p in parents), parents[-1] / role if hierarchies.v2 else None) for role in INSIDE}


def _servers(hierarchies, name):
    """The directories of each server of a cluster that there are, by its number."""
    found = {path.name.removeprefix(f"{name}-vm") for root in (hierarchies.cpu, hierarchies.v2) if root
             for path in root.glob(f"{name}-vm*")}
    return [_server_directories(hierarchies, name, number) for number in sorted(found)]


def _inherit_cpus(directory, *files):
    """What version 1 gives to no new group by itself; a group without runs nothing."""
    for file in files:
        (directory / file).write_text((directory.parent / file).read_text())


def _pin(hierarchies, directory, cpu):
    if hierarchies.cpu_version == 1:
        _inherit_cpus(directory, "cpuset.mems")
    (directory / "cpuset.cpus").write_text(str(cpu))


def _set_quota(hierarchies, directory, cpus):
    quota = round(cpus * PERIOD_US)
    if hierarchies.cpu_version == 1:
        (directory / "cpu.cfs_period_us").write_text(str(PERIOD_US))
        (directory / "cpu.cfs_quota_us").write_text(str(quota))
        burst = directory / "cpu.cfs_burst_us"
    else:
        (directory / "cpu.max").write_text(f"{quota} {PERIOD_US}")
        burst = directory / "cpu.max.burst"
    if burst.exists():  # since Linux 5.14
        burst.write_text(str(quota))


def _make(directory):
    try:
        directory.mkdir(exist_ok=True)
    except OSError as e:
        raise TestbedError(f"{directory}: cannot make this cgroup ({e.strerror}); the testbed must run as root "
                           "on a machine or in a container whose cgroups are writable") from e


def _enable(root, controllers):
    control = root / "cgroup.subtree_control"
    missing = [one for one in controllers if one not in control.read_text().split()]
    if missing:
        try:
            control.write_text(" ".join(f"+{one}" for one in missing))
        except OSError as e:
            raise TestbedError(f"{control}: cannot enable the controller {' and '.join(missing)} ({e.strerror}); inside a container this "
                               "needs a private, writable cgroup root without processes of its own") from e


def _set_share(hierarchies, directory, part):
    if hierarchies.cpu_version == 1:
        (directory / "cpu.shares").write_text(str(round(part * V1_SHARES)))
    else:
        (directory / "cpu.weight").write_text(str(round(part * V2_WEIGHT)))


def kill_members(group):
    """Ends each process left in the group; a stopped process too. Never signals anyone outside it."""
    deadline = time.monotonic() + KILL_PATIENCE_S
    while members := group.members():
        if time.monotonic() > deadline:
            raise TestbedError(f"processes {members} in cgroup {group.directories[0]} do not die; look at their state "
                               "with ps (D: waiting for a device)")
        for pid in members:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        time.sleep(0.02)


def remove(hierarchies, name):
    """Ends all members of the testbed's groups and removes the groups."""
    for group in all_of(hierarchies, name):
        kill_members(group)
        for directory in group.directories:
            _remove_directory(directory)
    for directory in _parents(hierarchies, name) + sum(_servers(hierarchies, name), []):
        _remove_directory(directory)


def all_of(hierarchies, name):
    """The groups that a testbed may have, hosted or not, and those of a cluster's servers."""
    return ([group_of(hierarchies, name, role, hosted=hosted) for hosted in (False, True) for role in ROLES]
            + [group for parents in _servers(hierarchies, name) for group in _server_groups(parents, hierarchies).values()])


def _remove_directory(directory):
    deadline = time.monotonic() + KILL_PATIENCE_S
    while directory.exists():
        try:
            directory.rmdir()
        except FileNotFoundError:
            return
        except OSError as e:  # a dead process may hold it for a moment
            if time.monotonic() > deadline:
                raise TestbedError(f"{directory}: cannot remove this cgroup ({e.strerror})") from e
            time.sleep(0.02)


def known_group(role, described):
    """The group that testbed.json describes."""
    return Group(role, tuple(map(pathlib.Path, described["join"])), pathlib.Path(described["usage"]) if described["usage"] else None)


def cpu_use(group):
    """CPU seconds used by the group so far, or None where it is not counted."""
    if not group.usage:
        return None
    fields = dict(line.split() for line in (group.usage / "cpu.stat").read_text().splitlines())
    return int(fields["usage_usec"]) / 1e6
