# SPDX-License-Identifier: Apache-2.0
"""In QEMU's place: QMP and a console on two sockets. What is typed on the console is run by a real shell, once the machine runs.

usage: stand_in.py boot|panic|die|vanish|refuse ... -qmp unix:PATH,... -serial unix:PATH,...
"""
import contextlib
import json
import os
import socket
import subprocess
import sys
import threading

BOOT = {"boot": b"Xen\r\nDOM0 READY\r\n", "panic": b"Xen\r\nKernel panic - not syncing: no init\r\n", "die": b"Xen\r\n", "vanish": b""}


def listen(option):
    path = sys.argv[sys.argv.index(option) + 1].removeprefix("unix:").split(",")[0]
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(path)
    listening.listen()
    return listening


def qmp(listening, running, mode):
    while True:
        client, _ = listening.accept()
        with client, client.makefile("rw") as stream:
            stream.write('{"QMP": {}}\n')
            stream.flush()
            for line in stream:
                command = json.loads(line)["execute"]
                if command == "cont" and mode == "vanish":
                    os._exit(1)
                if command == "cont":
                    running.set()
                elif command == "stop":
                    running.clear()
                good = {"return": {"running": running.is_set()}}
                answer = {"error": {"desc": "no such command"}} if command == "nonsense" else good
                stream.write('{"event": "SOMETHING"}\n' + json.dumps(answer) + "\n")
                stream.flush()


def say(shell, clients):
    """What the shell prints goes to whoever has the console, as Linux on Xen's console prints it."""
    while said := os.read(shell.stdout.fileno(), 65536):
        if clients:
            with contextlib.suppress(OSError):
                clients[-1].sendall(said.replace(b"\n", b"\r\r\n"))


def console(listening, running, mode):
    shell = subprocess.Popen(["sh"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
    clients = []
    threading.Thread(target=say, args=(shell, clients), daemon=True).start()
    booted = False
    while True:
        client, _ = listening.accept()
        with client, client.makefile("rb") as stream:
            if not booted:
                running.wait()
                client.sendall(BOOT[mode])
                booted = True
                if mode == "die":
                    os._exit(1)
            clients.append(client)
            for line in stream:
                running.wait()
                client.sendall(line.replace(b"\n", b"\r\n"))
                shell.stdin.write(line)
            clients.remove(client)


def main():
    mode = sys.argv[1]
    if mode == "refuse":
        sys.exit("qemu: no such machine")
    running = threading.Event()
    serial = listen("-serial")
    threading.Thread(target=qmp, args=(listen("-qmp"), running, mode), daemon=True).start()
    console(serial, running, mode)


main()
