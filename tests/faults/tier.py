# SPDX-License-Identifier: Apache-2.0
"""A tier whose server is the real httpd-online and whose neighbour is ours: what the sensors read is written by the suite."""
import collections
import contextlib
import http.client
import os
import pathlib
import signal
import socket
import subprocess
import threading
import time
import uuid

# the tree whose agent, helper and httpd are tried
ROOT = pathlib.Path(os.environ.get("IC2_FAULTS_TREE") or pathlib.Path(__file__).resolve().parents[2])
HELPER = ROOT / "packaging" / "ic2-reconfigure"
UNITS = ROOT / "packaging" / "systemd"
MARK = "IC2_FAULTS"

Values = collections.namedtuple("Values", "mxc kat mitigation")
BASELINE = Values(20, 5000, 0)

CONFIG = """\
ServerRoot "{prefix}"
ServerName localhost
Listen 127.0.0.1:{port}
LoadModule mpm_{mpm}_module modules/mod_mpm_{mpm}.so
LoadModule unixd_module modules/mod_unixd.so
LoadModule authz_core_module modules/mod_authz_core.so
LoadModule status_module modules/mod_status.so
DefaultRuntimeDir "{place}"
PidFile "{place}/httpd.pid"
ErrorLog "{place}/error.log"
DocumentRoot "{place}"
{user}
ThreadLimit 5
ThreadsPerChild 5
ServerLimit 4
StartServers 1
MinSpareThreads 1
MaxSpareThreads 20
ExtendedStatus On
ReconfigureFile "{place}/tunables/tunables.conf"
Include "{place}/tunables/tunables.conf"
<Location /server-status>
    SetHandler server-status
</Location>
"""

# httpd's command, as slow or as broken as the files beside it say
COMMAND = """\
#!/bin/sh
[ "$1" = -k ] && shift
order='{place}'
: >"$order/begun"
[ -s "$order/before" ] && sleep "$(cat "$order/before")"
while [ -e "$order/hang" ]; do sleep 0.05; done
[ -e "$order/refuse" ] && {{ echo "refused by the trial"; exit 1; }}
[ -e "$order/lie" ] && exit 0
'{httpd}' -f '{place}/httpd.conf' -k "$@"
status=$?
[ -s "$order/after" ] && sleep "$(cat "$order/after")"
while [ -e "$order/linger" ]; do sleep 0.05; done
exit $status
"""
SWITCHES = ("before", "hang", "refuse", "lie", "after", "linger")


def eventually(condition, within, every=0.02):
    """The first true value of condition(), or its last one when the time is up."""
    end = time.monotonic() + within
    while True:
        value = condition()
        if value or time.monotonic() > end:
            return value
        time.sleep(every)


HELD = []   # sockets


def free_port():
    """A port that no other program gets while this process lives: it stays bound, and servers, with SO_REUSEADDR, can listen on it."""
    held = socket.socket()
    held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    held.bind(("127.0.0.1", 0))
    HELD.append(held)
    return held.getsockname()[1]


def setting(unit, key):
    """The values of a key in a unit of packaging/systemd."""
    lines = (UNITS / unit).read_text().splitlines()
    return [line.partition("=")[2] for line in lines if line.startswith(key + "=")]


def alive(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0] not in (b"Z", b"X")
    except OSError:
        return False


FIRST_SEEN, STRANGERS = {}, set()      # processes without a mark of ours: most of a busy machine, not to be read each time


def marked(mark):
    """Living processes that carry the mark, by pid, with their words."""
    wanted, found, now = f"{MARK}={mark}".encode(), {}, time.monotonic()
    running = {int(pid) for pid in os.listdir("/proc") if pid.isdigit()}
    STRANGERS.intersection_update(running)
    for pid in FIRST_SEEN.keys() - running:
        del FIRST_SEEN[pid]
    for pid in running - STRANGERS:
        with contextlib.suppress(OSError):
            environment = pathlib.Path(f"/proc/{pid}/environ").read_bytes()
            if wanted in environment.split(b"\0") and alive(pid):
                found[pid] = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            elif f"{MARK}=".encode() in environment:
                FIRST_SEEN.pop(pid, None)
            elif now - FIRST_SEEN.setdefault(pid, now) > 10:     # a fresh process may not have its own environment yet
                STRANGERS.add(pid)
    return found


def send(pids, number):
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)


class Neighbour:
    """The tier's figures: 40 requests a second and a third of a CPU, and while loud half a CPU stolen and slow answers."""

    def __init__(self, place):
        self.group, self.log = place / "group", place / "access.log"
        self.group.mkdir()
        self.loud = self.garbage = self.silent = False
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self.run, name="neighbour", daemon=True)
        self.figures(0, 0)
        self.log.touch()
        self.thread.start()

    def run(self):
        used = stolen = 0.0
        last = time.monotonic()
        while not self.ended.wait(0.05):
            now = time.monotonic()
            used += (now - last) / 3
            stolen += (now - last) / 2 if self.loud else 0
            last = now
            with contextlib.suppress(OSError):      # a fault took the folder away
                self.figures(used, stolen)
            if not self.silent:
                line = "no such line\n" if self.garbage else f"{300_000 if self.loud else 20_000} 200\n"
                with contextlib.suppress(OSError), self.log.open("a") as log:
                    log.write(2 * line)

    def figures(self, used, stolen):
        micros = int(stolen * 1e6)
        self.replace("cpu.stat", f"usage_usec {int(used * 1e6)}\n")
        self.replace("cpu.pressure", f"some avg10=0 total={micros}\nfull avg10=0 total={micros}\n")

    def replace(self, name, text):
        """In one step, so that no reader sees half of it."""
        fresh = self.group / "new"
        fresh.write_text(text)
        fresh.rename(self.group / name)

    def close(self):
        self.ended.set()
        self.thread.join()


class Activator:
    """Runs packaging/ic2-reconfigure for each connection, as systemd does by the units of packaging/systemd."""

    def __init__(self, path, environment, log):
        self.path, self.environment, self.log = path, environment, log
        self.most = int(setting("ic2-reconfigure.socket", "MaxConnections")[0])
        self.longest = int(setting("ic2-reconfigure@.service", "RuntimeMaxSec")[0])
        self.running, self.accepting, self.ended = {}, True, False
        self.listen()
        self.thread = threading.Thread(target=self.run, name="activator", daemon=True)
        self.thread.start()

    def listen(self):
        self.path.unlink(missing_ok=True)
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(0.05)
        self.socket.bind(str(self.path))
        self.socket.listen(16)

    def run(self):
        while not self.ended:
            now = time.monotonic()
            for process, begun in list(self.running.items()):
                if process.poll() is not None:
                    del self.running[process]
                elif now - begun > self.longest:
                    with contextlib.suppress(ProcessLookupError):
                        os.killpg(process.pid, signal.SIGKILL)
            if not self.accepting:
                time.sleep(0.02)
                continue
            try:
                connection, _ = self.socket.accept()
            except OSError:
                time.sleep(0.01)
                continue
            with connection:
                connection.setblocking(True)
                if len(self.running) < self.most:
                    process = subprocess.Popen([HELPER], stdin=connection, stdout=connection, stderr=self.log,
                                               env=self.environment, start_new_session=True)
                    self.running[process] = now

    def gone(self):
        self.accepting = False
        self.socket.close()
        self.path.unlink(missing_ok=True)

    def back(self):
        if self.socket.fileno() < 0:
            self.listen()
        self.accepting = True

    def close(self):
        self.ended = True
        self.thread.join()
        self.socket.close()
        for process in self.running:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


class Tier:
    """The server with its command and helper, and everything that a trial may break of them."""

    def __init__(self, place, prefix, mpm, way):
        self.place, self.prefix, self.mpm, self.way = place, pathlib.Path(prefix), mpm, way
        self.mark, self.port = uuid.uuid4().hex, free_port()
        self.httpd = place / "httpd"
        self.httpd.mkdir(parents=True)
        (self.httpd / "tunables").mkdir()
        place.chmod(0o755)
        user = "User nobody\nGroup nogroup" if os.geteuid() == 0 else ""
        (self.httpd / "httpd.conf").write_text(CONFIG.format(prefix=self.prefix, place=self.httpd, port=self.port, mpm=mpm, user=user))
        self.command = self.httpd / "apachectl"
        self.command.write_text(COMMAND.format(place=self.httpd, httpd=self.prefix / "bin" / "httpd"))
        self.command.chmod(0o755)
        self.socket = place / "helper.sock"
        (place / "reconfigure.conf").write_text(
            f"APACHECTL={self.command}\nVARIABLES=MITIGATION\nMaxRequestWorkers=10..20\nKeepAliveTimeout=5s..30s\nMITIGATION=0..2\n")
        self.environment = {**os.environ, MARK: self.mark}
        self.helper_log = (place / "helper.log").open("a")
        self.neighbour = Neighbour(place)
        settings = {"IC2_RECONFIGURE_CONF": str(place / "reconfigure.conf"), "IC2_RECONFIGURE_ORDERS": str(place / "orders")}
        self.activator = Activator(self.socket, {**self.environment, **settings}, self.helper_log) if way == "helper" else None
        self.process = None
        self.seen = {}      # values that were read, and when first
        self.start()

    # -- the server ----------------------------------------------------------------------------------------------------

    def start(self, tunables=None):
        """With the values that its file of tunables has, as after a crash, or with others."""
        if tunables:
            text = f"MaxRequestWorkers {tunables.mxc}\nKeepAliveTimeout {tunables.kat}ms\nReconfigureVariable MITIGATION {tunables.mitigation}\n"
            (self.httpd / "tunables" / "tunables.conf").write_text(text)
        elif self.process is None:
            return self.start(BASELINE)
        for name in ("httpd.pid", "out"):
            (self.httpd / name).unlink(missing_ok=True)
        with (self.httpd / "out").open("w") as out:
            self.process = subprocess.Popen([self.prefix / "bin" / "httpd", "-f", self.httpd / "httpd.conf", "-DFOREGROUND"],
                                            stdout=out, stderr=subprocess.STDOUT, start_new_session=True)
        if not eventually(self.values, 60):
            raise RuntimeError("httpd does not start: " + (self.httpd / "out").read_text() + (self.httpd / "error.log").read_text()[-2000:])
        return None

    def children(self):
        path = pathlib.Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        with contextlib.suppress(OSError):
            return [int(pid) for pid in path.read_text().split()]
        return []

    def signal(self, number, whole=False):
        send([self.process.pid, *(self.children() if whole else [])], number)

    def kill(self):
        send([self.process.pid], signal.SIGSTOP)        # or it would start further children
        send([*self.children(), self.process.pid], signal.SIGKILL)
        self.process.wait()

    def control(self, *words):
        """httpd's own command, without the trial's faults."""
        done = subprocess.run([self.prefix / "bin" / "httpd", "-f", self.httpd / "httpd.conf", "-k", *words],
                              capture_output=True, text=True, timeout=120, check=False)
        return done.returncode, done.stdout + done.stderr

    def values(self):
        """What runs, by the status page; None when there is no answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=2)
        try:
            connection.request("GET", "/server-status?auto", headers={"Connection": "close"})
            page = connection.getresponse().read().decode()
        except (OSError, http.client.HTTPException):
            return None
        finally:
            connection.close()
        fields = dict(line.split(": ", 1) for line in page.splitlines() if ": " in line)
        variable = fields.get("ReconfigureVariable", "MITIGATION=?").partition("=")[2]
        if "MaxRequestWorkers" not in fields or not variable.isdigit():
            return None
        now = Values(int(fields["MaxRequestWorkers"]), int(fields["KeepAliveTimeoutMs"]), int(variable))
        self.seen.setdefault(now, time.time())
        return now

    # -- the command ---------------------------------------------------------------------------------------------------

    def switch(self, name, text=""):
        (self.httpd / name).write_text(text)

    def unswitch(self, *names):
        for name in names or SWITCHES:
            (self.httpd / name).unlink(missing_ok=True)

    def orders(self):
        """Commands on their way, the helper's with them."""
        return [pid for pid, words in marked(self.mark).items()
                if "ic2-reconfigure" in words or "apachectl" in words or " -k reconfigure" in words or words.startswith("sleep")]

    # -- the end -------------------------------------------------------------------------------------------------------

    def calm(self):
        """Nothing of the last trial is left: no process, no fault, and httpd runs with the baseline."""
        send(marked(self.mark), signal.SIGKILL)
        eventually(lambda: not marked(self.mark), 60)
        self.unswitch()
        if self.activator:
            self.activator.back()
        self.neighbour.loud = self.neighbour.garbage = self.neighbour.silent = False
        self.neighbour.log.write_text("")
        if self.process.poll() is None:
            self.signal(signal.SIGCONT, whole=True)
            self.control("reconfigure", f"MaxRequestWorkers={BASELINE.mxc}", f"KeepAliveTimeout={BASELINE.kat}ms",
                         f"MITIGATION={BASELINE.mitigation}")
        if not eventually(lambda: self.values() == BASELINE, 3):
            self.kill()
            self.start(BASELINE)
        self.seen.clear()

    def close(self):
        send(marked(self.mark), signal.SIGKILL)
        self.neighbour.close()
        if self.activator:
            self.activator.close()
        self.helper_log.close()
        self.kill()
