# SPDX-License-Identifier: Apache-2.0
"""The services of docker/compose.yaml, and the containers of a pod for Kubernetes, in what a container is made of, without a
container engine, which cannot run everywhere: the built image's files, read-only, as its root; its user, without capabilities;
processes and a control group of its own; tmpfs, volumes, environment, command and health check of the file. All share one
network, in which each name is 127.0.0.1."""
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import time

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
COMPOSE = ROOT / "docker" / "compose.yaml"
KEPT = ROOT / "build" / "images"
CGROUPS = next((pathlib.Path(line.split()[1]) for line in open("/proc/mounts", encoding="utf-8") if line.split()[2] == "cgroup2"), None)
PATIENCE_S = 90


def services():
    """Those of compose.yaml, with the defaults of its variables."""
    return yaml.safe_load(re.sub(r"\$\{\w+:-([^}]*)\}", r"\1", COMPOSE.read_text(encoding="ascii")))["services"]


def pod(file):
    """The containers of the file's pod by name, and its volumes, in the words of compose."""
    documents = list(yaml.safe_load_all(file.read_text(encoding="ascii")))
    maps = {document["metadata"]["name"]: document["data"] for document in documents if document["kind"] == "ConfigMap"}
    spec = next(document for document in documents if document["kind"] == "Deployment")["spec"]["template"]["spec"]
    user = spec["securityContext"]
    found = {}
    for container in spec["containers"]:
        probe = container.get("readinessProbe") or container.get("startupProbe") or {}
        asked = probe.get("httpGet")
        found[container["name"]] = {
            "image": container["image"], "user": f"{user['runAsUser']}:{user['runAsGroup']}",
            "command": container.get("args"), "volumes": [f"{mount['name']}:{mount['mountPath']}" for mount in container["volumeMounts"]],
            "healthcheck": {"test": ["CMD", *(["/usr/lib/ic2/healthy", str(asked["port"]), asked["path"]] if asked
                                              else probe["exec"]["command"] if probe else ["true"])]}}
    return found, {volume["name"]: maps[volume["configMap"]["name"]] if "configMap" in volume else {} for volume in spec["volumes"]}


def podman(*words, **options):
    """With a store of its own, below build/."""
    command = ["podman", "--root", KEPT / "store", "--runroot", KEPT / "run", *words]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, **options).stdout


def base():
    """A plain Debian 12, made once (IC2_MIRROR names another mirror)."""
    tar = KEPT / "debian-12.tar"
    if not tar.exists():
        KEPT.mkdir(parents=True, exist_ok=True)
        mirror = os.environ.get("IC2_MIRROR")
        made = tar.with_suffix(".new.tar")
        subprocess.run(["mmdebstrap", "--variant=minbase", "bookworm", made, *([mirror] if mirror else [])], check=True)
        made.rename(tar)
    if subprocess.run(["podman", "--root", KEPT / "store", "--runroot", KEPT / "run", "image", "exists", "localhost/ic2-base"],
                      check=False).returncode:
        podman("import", "--quiet", tar, "localhost/ic2-base")


def build(target):
    """One image, of what has changed. The local Maven repository is lent to it, so that nothing is fetched again."""
    repository = (pathlib.Path.home() / ".m2").resolve()
    lent = ["--volume", f"{repository}:/root/.m2"] if repository.is_dir() else []
    with open(KEPT / f"{target}.log", "w", encoding="utf-8") as log:
        done = subprocess.run(["podman", "--root", KEPT / "store", "--runroot", KEPT / "run", "build", "--isolation", "chroot", "--layers",
                               "--pull=never", "--network", "host", "--build-arg", "BASE=localhost/ic2-base", "--build-arg",
                               "HTTPD_OPTIONS=--allow-older", *lent, "--target", target, "-t", f"ic2-{target}", "-f",
                               ROOT / "docker" / "Containerfile", ROOT], stdout=log, stderr=subprocess.STDOUT, check=False)
    assert done.returncode == 0, f"{log.name} ends with: {pathlib.Path(log.name).read_text(encoding='utf-8')[-3000:]}"


def described(image):
    return json.loads(podman("image", "inspect", image))[0]


class Image:
    """What was built, mounted while the test lasts."""

    def __init__(self, name):
        self.name = name
        self.described = described(name)
        self.config = self.described["Config"]
        self.files = pathlib.Path(podman("image", "mount", name).strip())

    def end(self):
        podman("image", "unmount", self.name)


class Network:
    """Loopback, and no other host."""

    def __init__(self):
        self.holder = subprocess.Popen(["unshare", "--net", "sh", "-c", "ip link set lo up && echo up && read end"],
                                       stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self.holder.stdout.readline() == "up\n"
        self.enter = ["nsenter", f"--net=/proc/{self.holder.pid}/ns/net"]

    def end(self):
        self.holder.stdin.close()
        self.holder.wait()


def kubelets_volumes(place, volumes, group):
    """Root's, open to everybody, and what is made there gets the pod's group (fsGroup); with the files of a ConfigMap."""
    for name, files in volumes.items():
        directory = place / f"volume-{name}"
        directory.mkdir()
        os.chown(directory, 0, group)
        directory.chmod(0o2777)
        for file, text in files.items():
            (directory / file).write_text(text, encoding="ascii")


class Container:
    """One service, from its start to its end."""

    def __init__(self, place, name, service, image, network, beside=None, command=None):
        """
        `place`   a directory, of which volumes are shared with the other containers
        `service` as compose describes one
        `beside`  the container whose processes it sees (pid: container:NAME)
        `command` in place of the file's or the image's
        """
        config = image.config
        self.name, self.place, self.service = name, place / name, service
        self.place.mkdir()
        self.log = place / f"{name}.log"
        self.group = CGROUPS / f"ic2-images-{os.getpid()}-{place.name}-{name}"
        self.group.mkdir()
        user = service.get("user", config["User"]).split(":")
        environment = {**dict(pair.split("=", 1) for pair in config["Env"]), **service.get("environment", {})}
        self.enter = ["setpriv", f"--reuid={user[0]}", f"--regid={user[-1]}", "--clear-groups", "--no-new-privs", "--bounding-set=-all",
                      "--inh-caps=-all", "env", "-i", "-C", config.get("WorkingDir") or "/", *(f"{k}={v}" for k, v in environment.items())]
        words = [*self.enter, *(config.get("Entrypoint") or []), *(command or service.get("command") or config.get("Cmd") or [])]
        inner = f"{self.root(image)} && exec chroot all {shlex.join(map(str, words))}"
        processes = ["nsenter", f"--pid=/proc/{beside.first()}/ns/pid"] if beside else ["unshare", "--pid", "--fork", "--kill-child"]
        outer = f"echo $$ >{self.group}/cgroup.procs && exec {shlex.join(processes)} unshare --cgroup --mount sh -c {shlex.quote(inner)}"
        with open(self.log, "a", encoding="utf-8") as log:
            os.fchown(log.fileno(), int(user[0]), int(user[-1]))    # as an engine does with the pipes
            self.process = subprocess.Popen([*network.enter, "sh", "-c", outer], cwd=self.place, stdin=subprocess.DEVNULL,
                                            stdout=log, stderr=subprocess.STDOUT, start_new_session=True)
        end = time.monotonic() + PATIENCE_S
        while not self.inside() and self.process.poll() is None:
            assert time.monotonic() < end, self.said()
            time.sleep(0.02)

    def root(self, image):
        """The shell's commands that make its root, "all" in a file system of its own."""
        mounts = {path: f"-t tmpfs -o {options or 'mode=1777'} none"
                  for path, _, options in (entry.partition(":") for entry in self.service.get("tmpfs", []))}
        for name, path in (entry.split(":") for entry in self.service.get("volumes", [])):
            mounts[path] = f"--bind {shlex.quote(str(self.volume(image, name, path)))}"
        return " && ".join([
            "mount -t tmpfs none \"$PWD\"", "cd \"$PWD\"", "mkdir changed work all",
            f"mount -t overlay overlay -o lowerdir={image.files},upperdir=changed,workdir=work all",
            f"mkdir -p {' '.join('all' + path for path in ['/proc', '/dev', '/sys', *mounts])}",
            "echo '127.0.0.1 localhost db web' >all/etc/hosts", "mount -o remount,ro all", "mount -t proc proc all/proc",
            "mount --rbind /dev all/dev", "mount -t sysfs none all/sys", "mount -t cgroup2 none all/sys/fs/cgroup",
            *(f"mount {what} all{path}" for path, what in mounts.items())])

    def inside(self):
        """Whether its first process has the image's files as its root."""
        try:
            return any(os.readlink(f"/proc/{child}/root").endswith("/all") for child in self.children())
        except FileNotFoundError:
            return False

    def children(self):
        try:
            return pathlib.Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text(encoding="ascii").split()
        except FileNotFoundError:
            return []

    def volume(self, image, name, path):
        """Its directory; a new one belongs to whom the image's belongs, as an engine has it."""
        directory = self.place.parent / f"volume-{name}"
        if not directory.exists():
            directory.mkdir()
            facts = (image.files / path[1:]).stat()
            os.chown(directory, facts.st_uid, facts.st_gid)
            directory.chmod(facts.st_mode & 0o7777)
        return directory

    def first(self):
        """Its first process, as this machine counts."""
        children = self.children()
        assert children, self.said()
        return int(children[0])

    def said(self):
        return f"{self.name} has said: {self.log.read_text(encoding='utf-8', errors='replace')[-3000:]}"

    def run(self, *words, status=0):
        """A command inside, as the container's user."""
        done = subprocess.run(["nsenter", f"--target={self.first()}", "--all", "--root", "--wd=/", *self.enter, *words],
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        assert status is None or done.returncode == status, f"{words}: {done.returncode}: {done.stdout}; {self.said()}"
        return done.stdout if status is not None else done.returncode == 0

    def await_healthy(self):
        """What the file asks for."""
        test = self.service["healthcheck"]["test"][1:]
        end = time.monotonic() + PATIENCE_S
        while not self.run(*test, status=None):
            assert time.monotonic() < end, self.said()
            time.sleep(0.2)

    def wait(self, seconds):
        """Its exit status."""
        return self.process.wait(seconds)

    def stop(self):
        """As an engine does it: SIGTERM to the first process, and its end is awaited."""
        if self.children():
            os.kill(self.first(), 15)
            try:
                self.process.wait(60)
            finally:
                self.process.kill()
        for number in (self.group / "cgroup.procs").read_text(encoding="ascii").split():
            os.kill(int(number), 9)
        end = time.monotonic() + 10
        while (self.group / "cgroup.procs").read_text(encoding="ascii"):
            assert time.monotonic() < end, f"{self.name} has processes that do not end"
            time.sleep(0.05)
        self.group.rmdir()
        shutil.rmtree(self.place)
