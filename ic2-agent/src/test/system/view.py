# SPDX-License-Identifier: Apache-2.0
"""A system to install things in: this machine's, or one in a directory, with every change apart."""
import fcntl
import pathlib
import shlex
import shutil
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[4]
PATH = "PATH=/usr/sbin:/usr/bin:/sbin:/bin"


def packed(directory):
    """The agent as a Debian package, made anew, in a directory of the test's; of several tests one after the other makes it."""
    with open(ROOT / "ic2-agent" / "target" / ".packing", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        made = subprocess.run([ROOT / "packaging" / "make-deb"], check=True, stdout=subprocess.PIPE, text=True).stdout
        return pathlib.Path(shutil.copy(made.strip(), directory))


class View:
    """A root file system with all changes in a layer of their own; gone with the process that holds it."""

    def __init__(self, place, base="/", apart=False, boot=None):
        """With `apart` it has processes and a network of its own, which end with it. `boot` are lines of shell that make what its
        first process needs beside that, and start it; without them nothing runs in it."""
        self.place = place
        self.namespaces = ["--mount"] + (["--net", "--pid"] if apart else []) + (["--uts", "--ipc", "--cgroup"] if boot else [])
        proc = "mount -t proc proc all/proc && ip link set lo up" if apart else "mount --rbind /proc all/proc"
        script = ("mount -t tmpfs none \"$PWD\" && cd \"$PWD\" && mkdir changed work all && "
                  f"mount -t overlay overlay -o lowerdir={shlex.quote(str(base))},upperdir=changed,workdir=work all && "
                  f"{proc} && {boot or 'mount --rbind /dev all/dev && echo there && read end'}")
        self.holder = subprocess.Popen(["unshare", *self.namespaces, *(["--fork", "--kill-child"] if apart else []), "sh", "-c", script],
                                       cwd=place, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.answer = self.holder.stdout.readline()
        self.first = self.holder.pid
        if apart and self.there():
            children = pathlib.Path(f"/proc/{self.first}/task/{self.first}/children").read_text(encoding="ascii")
            self.first = int(children.split()[0])

    def there(self):
        return self.answer == "there\n"

    def inside(self, *words):
        return ["nsenter", *self.namespaces, f"--target={self.first}", *words]

    def command(self, *words):
        return self.inside("chroot", self.place / "all", "env", PATH, *words)

    def changed(self, *conditions):
        """What there is in the layer of changes; a character device says that something is gone."""
        found = subprocess.run(self.inside("find", self.place / "changed", "!", "-type", "c", *conditions), check=True,
                               stdout=subprocess.PIPE, text=True)
        return found.stdout.splitlines()

    def run(self, *words, status=0):
        done = subprocess.run(self.command(*words), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, check=False)
        assert done.returncode == status, f"{words}: {done.returncode}: {done.stdout}"
        return done.stdout

    def has(self, path):
        return subprocess.run(self.command("test", "-e", path), check=False).returncode == 0

    def as_user(self, user, *words, status=0):
        return self.run("setpriv", f"--reuid={user}", f"--regid={user}", "--init-groups", *words, status=status)

    def end(self):
        self.holder.stdin.close()
        self.holder.wait()
