# SPDX-License-Identifier: Apache-2.0
"""A system whose first process is systemd, as in a container: on a layer of changes, with devices, a network and control groups of its
own."""
import os
import pathlib
import shlex
import subprocess

from plain import served
from view import View

GROUPS = pathlib.Path("/sys/fs/cgroup")
# no /dev of the machine's, and no way to its kernel's settings; only systemd's own hierarchy where there are several
BOOT = r"""mount -t tmpfs -o mode=755 none all/dev && mkdir all/dev/pts all/dev/shm && mount -t devpts -o newinstance,ptmxmode=666 none all/dev/pts &&
mount -t tmpfs none all/dev/shm && ln -s pts/ptmx all/dev/ptmx && ln -s /proc/self/fd all/dev/fd && for d in null zero full random urandom tty; do
    touch all/dev/$d && mount --bind /dev/$d all/dev/$d; done && touch all/dev/console && mount --bind /dev/null all/dev/console &&
mount --bind all/proc/sys all/proc/sys && mount -o remount,ro,bind all/proc/sys && mount -t sysfs -o ro none all/sys &&
if [ -e /sys/fs/cgroup/cgroup.controllers ]; then mount -t cgroup2 none all/sys/fs/cgroup
else mount -t tmpfs -o mode=755 none all/sys/fs/cgroup && mkdir all/sys/fs/cgroup/systemd &&
    mount -t cgroup -o none,name=systemd none all/sys/fs/cgroup/systemd; fi &&
mount -t tmpfs -o mode=755 none all/run && echo there &&
exec setpriv --bounding-set=-sys_module,-sys_time chroot all env -i container=ic2 PATH=/usr/sbin:/usr/bin:/sbin:/bin \
    /lib/systemd/systemd --unit=basic.target --log-target=null"""


class Unbootable(Exception):
    """systemd can't be started here."""


class Booted(View):
    def __init__(self, place, base):
        own = "." if (GROUPS / "cgroup.controllers").exists() else "systemd"
        self.group = GROUPS / own / f"ic2-test-{os.getpid()}"
        try:
            self.group.mkdir()
        except OSError as problem:
            raise Unbootable(f"{self.group}: {problem}") from problem
        # the group that its first process is in becomes the root of its groups
        enter = f"echo 0 >{self.group}/cgroup.procs && exec unshare --cgroup sh -c {shlex.quote(BOOT)}"
        super().__init__(place, base=base, apart=True, boot=enter)
        if not self.there():
            self.end()
            raise Unbootable(self.answer)
        served.wait(lambda: subprocess.run(self.command("systemctl", "is-system-running"), capture_output=True, text=True,
                                           check=False).stdout.strip() in ("running", "degraded"), "systemd")

    def end(self):
        self.holder.kill()      # and with it all processes in there
        self.holder.wait()

        def gone():
            """Can the groups be removed? Those within first."""
            try:
                for group in sorted(self.group.rglob("*/"), reverse=True):
                    group.rmdir()
                self.group.rmdir()
            except OSError:
                return False
            return True
        served.wait(gone, "the end of its processes")
