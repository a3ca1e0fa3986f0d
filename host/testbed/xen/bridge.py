# SPDX-License-Identifier: Apache-2.0
"""Dom0's commands, for programs on this machine: what they run by the name of xl runs in Dom0, with its output and its status."""

import json
import os
import pathlib
import shlex
import shutil
import socket
import tempfile
import threading
import time

from machine import DEATH, MachineError

HERE = pathlib.Path(__file__).resolve().parent
COMMANDS = ("xl", "xentop", "xentrace", "xenalyze", "xenstore-read", "xenstore-write", "xenstore-ls", "xenstore-rm", "rm")
POLL_S = 0.02
KILL_PATIENCE_S = 30


class Bridge:
    """
    A booted machine whose time goes on as long as somebody waits for a command, and stands still otherwise.

    Its console is the bridge's own meanwhile. A command whose caller is gone is killed in Dom0. OUT is Dom0's shared folder as
    it is called here, INSIDE as it is called there, PROGRAM the bridge's end (ask.c) there.
    """

    def __init__(self, machine, out, inside="/out", program="ask"):
        self.machine = machine
        self.out = pathlib.Path(out)
        self.program = shlex.join([str(program), f"{inside}/ask"])
        self.ask = self.out / "ask"
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="ic2-bridge-"))
        self.lock = threading.Lock()
        self.waiting = 0
        self.number = 0
        self.over = threading.Event()
        self.dead = ""
        self.threads = []

    def __enter__(self):
        shutil.rmtree(self.ask, ignore_errors=True)
        self.ask.mkdir()
        self.console = self.machine.console()
        commands = self.directory / "bin"
        commands.mkdir()
        for name in COMMANDS:
            (commands / name).symlink_to(HERE / "bridged")
        self.listening = socket.socket(socket.AF_UNIX)
        self.listening.bind(str(self.directory / "socket"))
        self.listening.listen(64)
        # whoever had the console before may have been killed in the middle of a line; what is typed often is short, as typing is slow
        self._type(f"\na() {{ {self.program} $1& }}; k() {{ {self.program} kill $1; }}")
        self._thread(self._accept)
        self._thread(self._listen)
        return self

    def __exit__(self, *_):
        self.over.set()
        self.listening.close()
        for thread in self.threads:
            thread.join()
        self.console.__exit__()
        shutil.rmtree(self.directory, ignore_errors=True)
        shutil.rmtree(self.ask, ignore_errors=True)

    def environment(self, *through):
        """In which xl is Dom0's; with THROUGH, words of a command in Dom0 that is handed what is called."""
        return {**os.environ, "PATH": f"{self.directory / 'bin'}:{os.environ['PATH']}", "IC2_XEN_BRIDGE": str(self.directory / "socket"),
                "IC2_XEN_THROUGH": shlex.join(through)}

    def run(self, *command, patience=300):
        """(status, output, error output) of a command in Dom0, of a shell if it is one word."""
        words = command if len(command) > 1 else ("sh", "-c", *command)
        sent = {"out": b"", "err": b""}
        end = time.monotonic() + patience
        status = self._serve(words, False, lambda stream, data: sent.__setitem__(stream, sent[stream] + data),
                             lambda: time.monotonic() > end)
        if status is None:
            raise MachineError(f"{self.machine.name}: {shlex.join(words)}: {self.dead or f'did not end within {patience} s'}")
        return status, *(sent[stream].decode(errors="replace") for stream in ("out", "err"))

    def _thread(self, target, *words):
        thread = threading.Thread(target=target, args=words, daemon=True)
        self.threads.append(thread)
        thread.start()

    def _listen(self):
        """Keeps the console empty, and its text in the log."""
        while not self.over.is_set() and not self.dead:
            self.console.pump()
            if self.console.closed:
                self.dead = "its console was closed"
            elif DEATH.search(self.console.seen):
                self.dead = "Xen or Dom0 died: " + self.console.seen.decode(errors="replace").strip().splitlines()[-1]
            self.console.seen = self.console.seen[-4096:]

    def _accept(self):
        self.listening.settimeout(0.2)
        while not self.over.is_set():
            try:
                client, _ = self.listening.accept()
            except TimeoutError:
                continue
            except OSError:
                return
            self._thread(self._client, client)

    def _client(self, client):
        with client, client.makefile("rb") as stream:
            client.settimeout(10)
            try:
                asked = json.loads(stream.readline())
            except (OSError, ValueError):
                return
            client.setblocking(False)
            left = threading.Event()

            def send(name, data):
                client.setblocking(True)
                try:
                    client.sendall(json.dumps({name: data.decode("latin-1")}).encode() + b"\n")
                except OSError:
                    left.set()
                client.setblocking(False)

            def gone():
                try:
                    return left.is_set() or client.recv(1) == b""
                except BlockingIOError:
                    return False
                except OSError:
                    return True

            try:
                status = self._serve(asked["command"], asked["lines"], send, gone)
                why = self.dead if status is None else ""
            except MachineError as error:
                status, why = None, str(error)
            if why:
                send("err", f"the bridge to Dom0: {why}\n".encode())
            client.setblocking(True)
            try:
                client.sendall(json.dumps({"status": 255 if status is None else status}).encode() + b"\n")
            except OSError:
                pass

    def _serve(self, command, lines, send, gone):
        """Runs a command in Dom0 and hands on what it prints as it comes; its status, or None if nobody waits any more."""
        with self.lock:
            self.number += 1
            number = self.number
        words = ["stdbuf", "-oL", *command] if lines else command
        (self.ask / f"{number}.words").write_bytes(b"".join(word.encode() + b"\0" for word in words))
        self._wait(1)
        try:
            self._type(f"a {number}")
            seen = {"out": 0, "err": 0}
            while True:
                status = self._more(number, "rc", 0)
                for stream in seen:
                    data = self._more(number, stream, seen[stream])
                    if data:
                        seen[stream] += len(data)
                        send(stream, data)
                if status.endswith(b"\n"):
                    if not status.strip().isdigit():
                        raise MachineError(f"{self.machine.name}: {shlex.join(command)}: expected a status in {number}.rc, got {status!r}")
                    return int(status)
                if self.dead:
                    return None
                if gone() or self.over.is_set():
                    self._kill(number)
                    return None
                time.sleep(POLL_S)
        finally:
            self._wait(-1)
            for path in self.ask.glob(f"{number}.*"):
                path.unlink(missing_ok=True)

    def _more(self, number, stream, offset):
        try:
            with open(self.ask / f"{number}.{stream}", "rb") as file:
                file.seek(offset)
                return file.read()
        except FileNotFoundError:
            return b""

    def _kill(self, number):
        """Ends a command in Dom0, and waits until it has been told so."""
        self._until(number, "pid")
        self._type(f"k {number}")
        self._until(number, "told")

    def _until(self, number, what):
        end = time.monotonic() + KILL_PATIENCE_S
        while not self._more(number, what, 0).endswith(b"\n") and not self.dead and time.monotonic() < end:
            time.sleep(POLL_S)

    def _type(self, line):
        with self.lock:
            self.console.type(line + "\n")

    def _wait(self, more):
        """The machine's time goes on while somebody waits."""
        with self.lock:
            before, self.waiting = self.waiting, self.waiting + more
            if not self.dead and (before == 0 or self.waiting == 0):
                self.machine.qmp("cont" if before == 0 else "stop")
