# SPDX-License-Identifier: Apache-2.0
"""A system whose first process is systemd, as in a container: on a layer of changes, with devices, a network and control groups of its
own."""
import os
import pathlib
import shlex
import subprocess

from plain import PATIENCE_S, served
from view import View

GROUPS = pathlib.Path("/sys/fs/cgroup")
# no /dev of the machine's, and no way to its kernel's settings; of the hierarchies, where there are several, systemd's own, what is
# counted, and the CPUs
BOOT = r"""mount -t tmpfs -o mode=755 none all/dev && mkdir all/dev/pts all/dev/shm && mount -t devpts -o newinstance,ptmxmode=666 none all/dev/pts &&
mount -t tmpfs none all/dev/shm && ln -s pts/ptmx all/dev/ptmx && ln -s /proc/self/fd all/dev/fd && for d in null zero full random urandom tty; do
    touch all/dev/$d && mount --bind /dev/$d all/dev/$d; done && touch all/dev/console && mount --bind /dev/null all/dev/console &&
mount --bind all/proc/sys all/proc/sys && mount -o remount,ro,bind all/proc/sys && mount -t sysfs -o ro none all/sys &&
if [ -e /sys/fs/cgroup/cgroup.controllers ]; then mount -t cgroup2 none all/sys/fs/cgroup
else mount -t tmpfs -o mode=755 none all/sys/fs/cgroup && mkdir all/sys/fs/cgroup/systemd &&
    mount -t cgroup -o none,name=systemd none all/sys/fs/cgroup/systemd &&
    if [ -e /sys/fs/cgroup/unified ]; then mkdir all/sys/fs/cgroup/unified && mount -t cgroup2 none all/sys/fs/cgroup/unified; fi &&
    if [ -e /sys/fs/cgroup/cpuset ]; then mkdir all/sys/fs/cgroup/cpuset && mount -t cgroup -o cpuset none all/sys/fs/cgroup/cpuset; fi; fi &&
mount -t tmpfs -o mode=755 none all/run && echo there &&
exec setpriv --bounding-set=-sys_module,-sys_time chroot all env -i container=ic2 PATH=/usr/sbin:/usr/bin:/sbin:/bin \
    /lib/systemd/systemd --unit=basic.target --log-target=null"""


class Unbootable(Exception):
    """systemd can't be started here."""


def groups(name, cpu=None):
    """Directories, one a hierarchy, of a new control group. With `cpu` it has this CPU only, and half of it beside another group that
    wants it too; nobody else takes much of it."""
    hierarchies = ["."] if (GROUPS / "cgroup.controllers").exists() else ["systemd", "unified", *(["cpu", "cpuset"] if cpu is not None else [])]
    made = [GROUPS / each / name for each in hierarchies if (GROUPS / each).exists()]
    try:
        for group in made:
            group.mkdir()
        if cpu is not None:
            within = made[-1]
            if within.parent != GROUPS:
                (within / "cpuset.mems").write_text((within.parent / "cpuset.mems").read_text(encoding="ascii"), encoding="ascii")
            (within / "cpuset.cpus").write_text(str(cpu), encoding="ascii")
            for group in made:
                for name, largest in ("cpu.shares", 100_000), ("cpu.weight", 10_000):
                    if (group / name).exists():
                        (group / name).write_text(str(largest), encoding="ascii")
    except OSError as problem:
        for group in made:
            if group.exists():
                group.rmdir()
        raise Unbootable(str(problem)) from problem
    return made


def entering(made, command):
    """Lines of shell that become a command in these groups."""
    return "".join(f"echo 0 >{group}/cgroup.procs && " for group in made) + f"exec {command}"


def remove(made):
    """Once their processes have ended; those within first."""
    def gone():
        try:
            for top in made:
                for group in [*sorted(top.rglob("*/"), reverse=True), top]:
                    if group.exists():
                        group.rmdir()
        except OSError:
            return False
        return True
    served.wait(gone, "the end of its processes", PATIENCE_S)


class Booted(View):
    def __init__(self, place, base, cpu=None):
        """With `cpu` it has this one only, and by the side of another group half of it."""
        self.groups = groups(f"ic2-test-{os.getpid()}", cpu)
        # the groups that its first process is in become the roots of its groups
        enter = entering(self.groups, f"unshare --cgroup sh -c {shlex.quote(BOOT)}")
        super().__init__(place, base=base, apart=True, boot=enter)
        if not self.there():
            self.end()
            raise Unbootable(self.answer)
        served.wait(lambda: subprocess.run(self.command("systemctl", "is-system-running"), capture_output=True, text=True,
                                           check=False).stdout.strip() in ("running", "degraded"), "systemd", PATIENCE_S)

    def end(self):
        self.holder.kill()      # and with it all processes in there
        self.holder.wait()
        remove(self.groups)
