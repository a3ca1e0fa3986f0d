#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Moves a running guest from one QEMU to another that waits for it, as a `migrate:` command of ic2-host is to do it.

  migrate_qemu.py GUEST SOURCE.qmp DESTINATION.qmp

Both are QMP sockets of this machine; DESTINATION was started with `-incoming tcp:127.0.0.1:0`, or another address. The source
ends when the guest has arrived. If it does not arrive the migration is cancelled and the guest goes on where it was; exit status 1."""

import json
import socket
import sys
import time

PATIENCE_S = 60


class Qmp:
    """One conversation."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(PATIENCE_S)
        self.socket.connect(path)
        self.lines = self.socket.makefile("r", encoding="utf-8")
        self.lines.readline()
        self.ask("qmp_capabilities")

    def ask(self, command, **arguments):
        self.socket.sendall(json.dumps({"execute": command, "arguments": arguments}).encode() + b"\n")
        while True:
            line = self.lines.readline()
            if not line:
                raise OSError(f"{command}: the monitor has gone")
            answer = json.loads(line)
            if "error" in answer:
                raise OSError(f"{command}: {answer['error'].get('desc')}")
            if "return" in answer:
                return answer["return"]


def address(destination):
    """Where it waits, as `migrate` wants it."""
    for waits in destination.ask("query-migrate").get("socket-address", []):
        if waits["type"] == "inet":
            return f"tcp:{waits['host']}:{waits['port']}"
        if waits["type"] == "unix":
            return f"unix:{waits['path']}"
    raise OSError("the destination waits for nobody (-incoming)")


def migrate(name, source, destination):
    if source.ask("query-name").get("name") != name:
        raise OSError(f"the source runs no {name}")
    source.ask("migrate", uri=address(destination))
    deadline = time.monotonic() + PATIENCE_S
    while True:
        status = source.ask("query-migrate").get("status")
        if status == "completed":
            break
        if status in ("failed", "cancelled"):
            raise OSError(f"the migration {status}")
        if time.monotonic() > deadline:
            source.ask("migrate_cancel")
            raise OSError(f"the guest has not moved within {PATIENCE_S} s")
        time.sleep(0.02)
    while not destination.ask("query-status")["running"]:
        if time.monotonic() > deadline:
            raise OSError("the guest does not run where it has gone")
        time.sleep(0.02)
    source.ask("quit")


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    try:
        migrate(sys.argv[1], Qmp(sys.argv[2]), Qmp(sys.argv[3]))
    except (OSError, ValueError, KeyError) as e:
        sys.exit(f"{sys.argv[1]}: {e}")


if __name__ == "__main__":
    main()
