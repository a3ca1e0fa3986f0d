#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Network soft interrupts of one guest, as `ic2-host` counts them: perf's tracepoint irq:softirq_entry, vector 3, for its control
group. Prints packets sent beside soft interrupts counted, at some rates; then what counting costs, as CPU time a packet without
and with perf, in turns.

  softirqs.py [--rates 100,1000,5000] [--seconds 2] [--packets 100000] [--rounds 5]

The packets go over the loopback of this machine, within one process of the guest. Needs root, perf and tracefs
(mount -t tracefs nodev /sys/kernel/tracing). Half a minute; the price wants a machine that has nothing else to do."""

import argparse
import contextlib
import json
import pathlib
import signal
import statistics
import subprocess
import sys

from guests import Guests, TestbedError

SENDER = """
import json, socket, sys, time
packets, rate = int(sys.argv[1]), float(sys.argv[2])
server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
server.bind(("127.0.0.1", 0))
client = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
client.connect(server.getsockname())
sys.stdin.readline()
used, begun = time.process_time(), time.monotonic()
for number in range(packets):
    client.send(b"x")
    server.recv(10)
    if rate:
        time.sleep(max(0.0, begun + number / rate - time.monotonic()))
print(json.dumps({"sent": packets, "cpu": time.process_time() - used}))
"""


@contextlib.contextmanager
def counting(group, counted):
    """Counts meanwhile, and appends the count."""
    perf = subprocess.Popen(["perf", "stat", "-x", ";", "-I", "1000", "-a", "-e", "irq:softirq_entry", "--filter", "vec==3",
                             "--for-each-cgroup", group], stderr=subprocess.PIPE, text=True)
    try:
        perf.stderr.readline()      # it counts
        yield
    finally:
        perf.send_signal(signal.SIGINT)
        lines = perf.communicate(timeout=60)[1].splitlines()
    counts = [line.split(";")[1] for line in lines if line.count(";") >= 6]
    counted.append(sum(0 if text == "<not counted>" else int(text) for text in counts))


class Sender:
    """A process of the guest that waits for a line, and sends then."""

    def __init__(self, guest, packets, rate):
        self.process = guest.run(sys.executable, "-c", SENDER, str(packets), str(rate), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                 text=True)

    def send(self):
        return json.loads(self.process.communicate("go\n", timeout=300)[0])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rates", default="100,1000,5000")
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--packets", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    if not any(pathlib.Path(where, "events/irq/softirq_entry/id").exists() for where in ("/sys/kernel/tracing", "/sys/kernel/debug/tracing")):
        sys.exit("needs tracefs: mount -t tracefs nodev /sys/kernel/tracing")
    try:
        with Guests() as guests:
            guest = guests.add("web")
            group = f"{guests.name}/web"
            for rate in (int(word) for word in options.rates.split(",")):
                counted = []
                sender = Sender(guest, int(rate * options.seconds), rate)
                with counting(group, counted):
                    sent = sender.send()["sent"]
                print(f"{rate:6d}/s: {sent} packets, {counted[0]} soft interrupts ({counted[0] - sent:+d})", flush=True)
            price(guest, group, options)
    except TestbedError as e:
        sys.exit(str(e))


def price(guest, group, options):
    without, beside = [], []
    for _ in range(options.rounds):
        without.append(Sender(guest, options.packets, 0).send()["cpu"])
        sender = Sender(guest, options.packets, 0)
        with counting(group, []):
            beside.append(sender.send()["cpu"])
    one, other = (statistics.median(of) / options.packets * 1e6 for of in (without, beside))
    spread = ", ".join(f"{1e6 * (b - a) / options.packets:+.2f}" for a, b in zip(without, beside))
    print(f"CPU time a packet sent and received: {one:.2f} us without perf, {other:.2f} us with ({other - one:+.2f}; pairs {spread})")


if __name__ == "__main__":
    main()
