# SPDX-License-Identifier: Apache-2.0
"""One QEMU machine that stands still between commands, so that it costs no CPU while nobody asks."""

import contextlib
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
LAB = pathlib.Path(os.environ.get("IC2_HOSTLAB") or HERE.parents[2] / "build" / "hostlab")
DEATH = re.compile(rb"Kernel panic|Panic on CPU|Domain 0 crashed|Oops: ")
PATIENCE_S = 60
NICENESS = int(os.environ.get("IC2_HOSTLAB_NICE") or 10)


class MachineError(Exception):
    """Says what the machine was asked, what came, and what to do."""


class Machine:
    """A machine by its name: its state lies in DIRECTORY/NAME.json, its console's text in NAME.log, QEMU's own in NAME.out."""

    def __init__(self, name, directory=None):
        self.name = name
        self.directory = pathlib.Path(directory or LAB / "run")
        self.state = self.directory / f"{name}.json"
        self.log = self.directory / f"{name}.log"

    def start(self, command):
        """Starts a QEMU command, niced and standing still. Sockets lie in /tmp: the path of one may have 107 characters."""
        if self.state.exists() and self.alive():
            raise MachineError(f"{self.name} runs already; end it first")
        self.directory.mkdir(parents=True, exist_ok=True)
        sockets = tempfile.mkdtemp(prefix="ic2-xen-")
        nicer = max(0, NICENESS - os.nice(0))
        command = ["nice", "-n", str(nicer), *map(str, command), "-S", "-display", "none",
                   "-qmp", f"unix:{sockets}/qmp,server=on,wait=off", "-serial", f"unix:{sockets}/console,server=on,wait=off"]
        self.log.write_bytes(b"")
        with open(self.directory / f"{self.name}.out", "wb") as out:
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=out, start_new_session=True)
        self.state.write_text(json.dumps({"pid": process.pid, "start": started(process.pid), "sockets": sockets}))
        until(lambda: process.poll() is not None or self.answers(), PATIENCE_S)
        if process.poll() is not None:
            shutil.rmtree(sockets, ignore_errors=True)
            said = (self.directory / f"{self.name}.out").read_text(errors="replace").strip()
            raise MachineError(f"{self.name}: QEMU ended with {process.returncode}: {said}")

    def answers(self):
        try:
            return "return" in self.qmp("query-status")
        except OSError:
            return False

    def alive(self):
        try:
            return _runs(json.loads(self.state.read_text()))
        except FileNotFoundError:       # somebody else has ended it
            return False

    def _socket(self, kind):
        if not self.state.exists():
            raise MachineError(f"{self.name} was not started")
        opened = socket.socket(socket.AF_UNIX)
        opened.settimeout(PATIENCE_S)
        try:
            opened.connect(json.loads(self.state.read_text())["sockets"] + "/" + kind)
        except OSError:
            opened.close()
            raise
        return opened

    def qmp(self, command, arguments=None):
        """One QMP command; its answer, {"return": ...} or {"error": ...}."""
        with self._socket("qmp") as opened, opened.makefile("rw") as stream:
            stream.readline()
            _ask(stream, "qmp_capabilities")
            return _ask(stream, command, arguments)

    def _order(self, command):
        """The same for a machine that may die of it: then its console is closed, too, and says what was last."""
        with contextlib.suppress(ConnectionError):
            self.qmp(command)

    def wait(self, pattern, patience):
        """Lets the machine run until its console has said PATTERN; all that it said."""
        return self._run(lambda console: console.wait(re.compile(re.escape(pattern).encode()), patience), pattern, patience)

    def shell(self, command, patience):
        """Types a shell line on the console and lets the machine run to its end; (status, output)."""
        mark = "END%d" % time.monotonic_ns()

        def use(console):
            # the mark is split in what is typed, so that its echo does not look like the answer
            console.type(f'{command}; echo {mark[:3]}""{mark[3:]} $?\n')
            return console.wait(re.compile(mark.encode() + rb" (\d+)\s"), patience)

        said = self._run(use, command, patience)
        text, _, status = said.rpartition(mark + " ")
        return int(status.split()[0]), text

    def console(self):
        return Console(self._socket("console"), self.log)

    def _run(self, use, what, patience):
        with self.console() as console:
            self._order("cont")
            try:
                found = use(console)
            finally:
                if self.alive():
                    self._order("stop")
            said = console.seen.decode(errors="replace").replace("\r", "")
            if not found:
                last = "\n    ".join(said.splitlines()[-12:])
                why = "its console was closed" if console.closed else f"nothing after {patience:.0f} s"
                raise MachineError(f"{self.name}: {what}: {why}; the end of {self.log}:\n    {last}")
            return said

    def end(self):
        """Ends QEMU; nothing is left but the log."""
        try:
            state = json.loads(self.state.read_text())
        except FileNotFoundError:
            return
        for number in (signal.SIGTERM, signal.SIGKILL):
            if _runs(state):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(state["pid"], number)
                until(lambda: not _runs(state), 10)
        shutil.rmtree(state["sockets"], ignore_errors=True)
        self.state.unlink(missing_ok=True)


class Console:
    """The serial console; all that comes goes to a log too. Before Linux owns it, what is typed goes to Xen's debug keys."""

    def __init__(self, opened, log):
        self.socket = opened
        self.socket.settimeout(0.2)
        self.log = open(log, "ab")
        self.seen = b""
        self.closed = False

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()
        self.log.close()

    def pump(self):
        try:
            data = self.socket.recv(65536)
        except TimeoutError:
            return
        except ConnectionResetError:
            data = b""
        self.closed = not data
        self.log.write(data)
        self.log.flush()
        self.seen += data

    def wait(self, pattern, seconds):
        """True when the pattern has come; false after so many seconds, at a panic, or when the machine is gone."""
        end = time.monotonic() + seconds
        while not pattern.search(self.seen):
            if time.monotonic() > end or self.closed or DEATH.search(self.seen):
                return False
            self.pump()
        return True

    def type(self, line):
        # slowly: the emulated UART holds 16 characters, and loses what comes before they are taken
        for begin in range(0, len(line), 8):
            try:
                self.socket.sendall(line[begin:begin + 8].encode())
            except ConnectionError:
                self.closed = True
                return
            time.sleep(0.05)


def _ask(stream, command, arguments=None):
    stream.write(json.dumps({"execute": command, **({"arguments": arguments} if arguments else {})}) + "\n")
    stream.flush()
    while True:
        line = stream.readline()
        if not line:
            raise ConnectionResetError("QMP: the connection was closed")
        answer = json.loads(line)
        if "return" in answer or "error" in answer:  # else an event
            return answer


def started(pid):
    """When a process was started (clock ticks after boot), or None if it is gone."""
    try:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except (FileNotFoundError, ProcessLookupError):
        return None
    return None if fields[0] in "ZX" else int(fields[19])


def _runs(state):
    return state["start"] is not None and started(state["pid"]) == state["start"]


def until(condition, seconds):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.1)


def xen(options, out=LAB / "out", cpus=2, shift=1):
    """
    The QEMU command for Xen and its Dom0, which shares the folder OUT. Virtual time is counted in instructions of all CPUs
    together, each 2^SHIFT ns: the same again in every run.
    """
    images = LAB / "img"
    hypervisor = ("console=com1 com1=115200,8n1 loglvl=warning guest_loglvl=warning dom0_mem=900M,max:900M dom0_max_vcpus=1 "
                  f"noreboot {options}")
    # norandmaps: code that lies where it lay for the program before need not be translated again; xl takes half as long
    dom0 = f"{images}/vmlinuz-dom0 console=hvc0 earlyprintk=xen loglevel=4 random.trust_cpu=on mitigations=off norandmaps"
    return ["qemu-system-x86_64", "-machine", "q35", "-accel", "tcg,thread=single", "-icount", f"shift={shift},sleep=off",
            # -smap: with it PV kernels die at an iretq in ring 3 (QEMU 7.2 reads the stack there as the supervisor would).
            # -avx: with it and four CPUs programs of Dom0 died in ld.so
            "-cpu", "max,-smap,-smep,-la57,-pku,-avx,-avx2,-xsave", "-smp", str(cpus), "-m", "1800", "-no-reboot", "-nic", "none",
            "-kernel", images / "xen", "-append", hypervisor, "-initrd", f"{dom0},{images}/dom0.cpio.gz",
            "-virtfs", f"local,path={out},mount_tag=out,security_model=none"]


def balloon():
    """The QEMU command for a plain guest of 256 MB with a balloon."""
    images = LAB / "img"
    return ["qemu-system-x86_64", "-machine", "q35", "-accel", "tcg", "-cpu", "max", "-smp", "1", "-m", "256", "-nic", "none",
            "-no-reboot", "-kernel", images / "vmlinuz-guest", "-initrd", images / "balloon.cpio.gz",
            "-append", "console=ttyS0 quiet mitigations=off",
            "-device", "virtio-balloon-pci,id=balloon0,deflate-on-oom=on"]


def version2(project, out, directory=None):
    """The QEMU command for a machine with control groups of version 2 alone; it sees the project, and shares a folder."""
    images = pathlib.Path(directory or LAB) / "v2"
    swap = images / "swap"
    with open(swap, "wb") as file:
        file.truncate(512 << 20)
    return ["qemu-system-x86_64", "-machine", "q35", "-accel", "tcg,thread=multi", "-cpu", "Nehalem", "-smp", "2", "-m", "1536",
            "-nic", "user,model=virtio-net-pci,restrict=on", "-no-reboot", "-kernel", images / "vmlinuz", "-initrd", images / "first.cpio.gz",
            "-append", "console=ttyS0 psi=1 quiet mitigations=off",
            "-drive", f"file={images / 'disk'},format=raw,if=virtio,snapshot=on,cache=unsafe",
            "-drive", f"file={swap},format=raw,if=virtio,cache=unsafe",
            "-virtfs", f"local,path={project},mount_tag=project,security_model=none,readonly=on",
            "-virtfs", f"local,path={out},mount_tag=out,security_model=none"]


def share(out=LAB / "out"):
    """Dom0's shared folder, with the experiments of today and nothing of an earlier machine."""
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    for script in sorted((HERE / "dom0").glob("*.sh")):
        shutil.copy(script, out)
    return out
