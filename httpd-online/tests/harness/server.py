# SPDX-License-Identifier: Apache-2.0
"""A real httpd in a private directory, on a free port, with its own configuration."""

import fcntl
import itertools
import os
import pathlib
import pwd
import random
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from dataclasses import dataclass, field, replace

from . import procs
from .build import MODULES
from .client import Connection, fetch
from .errorlog import ABRUPT_ASSERTION, GRACEFUL, GRACEFUL_STOP, RESTART, ErrorLog
from .waiting import eventually

CONFIG = """\
ServerRoot "{root}"
DefaultRuntimeDir run
PidFile run/httpd.pid
ErrorLog logs/error.log
LogLevel {log_level}
ServerName localhost
{mpm_line}
{modules}
{user}
ThreadLimit {threads_per_child}
ServerLimit {server_limit}
ThreadsPerChild {threads_per_child}
StartServers {start_servers}
MinSpareThreads {min_spare}
MaxSpareThreads {max_spare}
MaxConnectionsPerChild {max_connections_per_child}
MaxKeepAliveRequests 0
KeepAlive On
Timeout 60
GracefulShutdownTimeout 20
CoreDumpDirectory run
{reconfigure}
Listen 127.0.0.1:{port}
DocumentRoot htdocs
TypesConfig conf/mime.types
LogFormat "%h %s %{{%s}}t.%{{msec_frac}}t \\"%r\\" %{{MITIGATION}}e %{{RECONFIGURE_GENERATION}}e" test
CustomLog logs/access.log test
EnableSendfile Off
ExtendedStatus On
<Directory "{root}">
    Require all granted
    AllowOverride None
</Directory>
<Location /server-status>
    SetHandler server-status
</Location>
{extra}
"""

TUNABLES = """\
# the values that change online; the only place where they stand
MaxRequestWorkers {max_request_workers}
KeepAliveTimeout {keep_alive_timeout}
"""


@dataclass(frozen=True)
class Shape:
    """The process shape. spare threads default to "keep all that were started"."""

    threads_per_child: int = 5
    server_limit: int = 8
    start_servers: int = 4
    max_request_workers: int = 20
    keep_alive_timeout: str = "5"
    min_spare: int | None = None
    max_spare: int | None = None
    max_connections_per_child: int = 0
    async_factor: int | None = None     # event's AsyncRequestWorkerFactor

    @property
    def started(self):
        return self.threads_per_child * self.start_servers


@dataclass(frozen=True)
class Outcome:
    """What a run of `httpd -k reconfigure` did."""

    code: int
    out: str
    err: str
    seconds: float

    @property
    def values(self):
        """{"MaxRequestWorkers": ("400", "325"), ...}"""
        return {n: (old, new) for n, old, new in re.findall(r"^(\w+): (\S+) -> (\S+)$", self.out, re.M)}

    @property
    def summary(self):
        """(children that acknowledged, milliseconds) of the last line."""
        match = re.fullmatch(r"reconfigured: (\d+) (?:children|child) acknowledged in (\d+) ms", self.out.splitlines()[-1])
        assert match, f"the last line is no summary: {self.out!r}"
        return int(match[1]), int(match[2])


@dataclass
class Status:
    """mod_status ?auto."""

    fields: dict
    variables: dict = field(default_factory=dict)
    at: float = 0.0

    @classmethod
    def parse(cls, text):
        fields, variables = {}, {}
        for line in text.splitlines():
            name, colon, value = line.partition(": ")
            if name == "ReconfigureVariable":
                variable, _, number = value.partition("=")
                variables[variable] = int(number)
            elif colon:
                fields.setdefault(name, value)
        return cls(fields, variables, time.monotonic())

    def number(self, name):
        assert name in self.fields, f"?auto has no line {name}; it has {sorted(self.fields)}"
        return int(self.fields[name])

    @property
    def max_request_workers(self):
        return self.number("MaxRequestWorkers")

    @property
    def keep_alive_ms(self):
        return self.number("KeepAliveTimeoutMs")

    @property
    def reconfigurations(self):
        return self.number("Reconfigurations")

    @property
    def pending(self):
        return self.number("ReconfigurePending")

    @property
    def withheld(self):
        return self.number("WithheldWorkers")

    @property
    def idle(self):
        return self.number("IdleWorkers")

    @property
    def busy(self):
        return self.number("BusyWorkers")


_ports = itertools.count(random.randrange(1000))


def free_port():
    """Not one that the kernel gives to whoever asks next: it is bound later. Each of pytest's workers has its own thousand."""
    worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    while True:
        port = 20000 + worker % 12 * 1000 + next(_ports) % 1000
        with socket.socket() as s:
            try:
                s.bind(("127.0.0.1", port))
                return port
            except OSError:
                continue


class Server:
    """Starts in start(); stop() checks that nothing is left and that the error log holds nothing unexpected."""

    def __init__(self, build, mpm, *, shape=Shape(), extra="", modules=(), variables=None, tunables=None,
                 reconfigure=True, log_level="notice", directory=None, extra_ports=0, cpus=None):
        self.build, self.mpm, self.shape = build, mpm, shape
        self.variables, self.modules = dict(variables or {}), frozenset(modules)
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="httpd-online-", dir=directory))
        self.root.chmod(0o755)
        self.mark = procs.new_mark()
        self.cpus = cpus        # processors to run on; None: all
        self.preload = None     # a library that httpd loads before all others
        self.port = free_port()
        self.ports = [free_port() for _ in range(extra_ports)]
        self.log = ErrorLog(self.root / "logs" / "error.log")
        self.pid_file = self.root / "run" / "httpd.pid"
        self.state_file = self.root / "run" / "httpd.pid.reconfigure"
        self.tunables = self.root / "conf" / "tunables.conf"
        self.config = self.root / "conf" / "httpd.conf"
        if mpm == "prefork":
            self.log.expect("AH12001", text="the MPM prefork can't be reconfigured online")
        self._lay_out(tunables, extra, modules, reconfigure, log_level)

    # -- files ----------------------------------------------------------------------------------------------------

    def _lay_out(self, tunables, extra, modules, reconfigure, log_level):
        for name in ("conf", "logs", "run", "htdocs", "cgi-bin", "cache", "sanitizer"):
            (self.root / name).mkdir()
        if os.geteuid() == 0:
            nobody = pwd.getpwnam("nobody")
            for name in ("cache", "sanitizer"):
                os.chown(self.root / name, nobody.pw_uid, nobody.pw_gid)
        (self.root / "sanitizer").chmod(0o777)
        (self.root / "conf" / "mime.types").write_text("text/html html\ntext/plain txt\ntext/css css\n")
        (self.root / "htdocs" / "index.html").write_text("<html>hello</html>\n")
        (self.root / "htdocs" / "10k.bin").write_bytes(bytes(range(256)) * 40)
        text = tunables if tunables is not None else self._default_tunables()
        self.write_tunables(text)
        reconfigure_lines = "Include conf/tunables.conf" + ("\nReconfigureFile conf/tunables.conf" if reconfigure else "")
        self.write_config(extra, modules, reconfigure_lines, log_level)

    def _default_tunables(self):
        lines = TUNABLES.format(max_request_workers=self.shape.max_request_workers,
                                keep_alive_timeout=self.shape.keep_alive_timeout)
        return lines + "".join(f"ReconfigureVariable {n} {v}\n" for n, v in self.variables.items())

    def write_config(self, extra="", modules=(), reconfigure="", log_level="notice"):
        shape, prefix = self.shape, self.build.prefix / "modules"
        loaded = list(dict.fromkeys([*MODULES, *modules]))
        if shape.async_factor and self.mpm == "event":
            extra = f"AsyncRequestWorkerFactor {shape.async_factor}\n{extra}"
        self.config.write_text(CONFIG.format(
            root=self.root, port=self.port, log_level=log_level, extra=self.expand(extra), reconfigure=reconfigure,
            mpm_line=f"LoadModule mpm_{self.mpm}_module {prefix}/mod_mpm_{self.mpm}.so",
            modules="\n".join(f"LoadModule {m}_module {prefix}/mod_{m}.so" for m in loaded if (prefix / f"mod_{m}.so").exists()),
            user="User nobody\nGroup nogroup" if os.geteuid() == 0 else "",
            threads_per_child=shape.threads_per_child, server_limit=shape.server_limit, start_servers=shape.start_servers,
            min_spare=shape.min_spare if shape.min_spare is not None else shape.started,
            max_spare=shape.max_spare if shape.max_spare is not None else shape.threads_per_child * shape.server_limit * 2,
            max_connections_per_child=shape.max_connections_per_child))
        if self.mpm == "prefork":
            text = self.config.read_text()
            self.config.write_text(re.sub(r"^(ThreadLimit|ThreadsPerChild|MinSpareThreads|MaxSpareThreads).*\n", "", text,
                                          flags=re.M))

    def expand(self, text):
        """@ROOT@, @PORT@ and @PORT1@... in a piece of configuration."""
        text = text.replace("@ROOT@", str(self.root)).replace("@PORT@", str(self.port))
        for number, port in enumerate(self.ports, 1):
            text = text.replace(f"@PORT{number}@", str(port))
        return text

    def write_tunables(self, text):
        """As an administrator's editor does it: a new file, renamed into place."""
        fresh = self.tunables.with_suffix(".new")
        fresh.write_text(text)
        fresh.chmod(0o644)
        fresh.replace(self.tunables)

    # -- processes ------------------------------------------------------------------------------------------------

    @property
    def environment(self):
        reports = self.root / "sanitizer" / "report"
        return {**os.environ, procs.MARK: self.mark, **({"LD_PRELOAD": str(self.preload)} if self.preload else {}),
                "ASAN_OPTIONS": f"detect_leaks=0:use_sigaltstack=0:abort_on_error=1:verify_asan_link_order=0:log_path={reports}",
                "UBSAN_OPTIONS": f"print_stacktrace=1:log_path={reports}"}

    def run(self, *arguments, build=None, within=120, user=None):
        """Runs the httpd binary with this server's configuration."""
        command = [str((build or self.build).httpd), "-d", str(self.root), "-f", str(self.config), *arguments]
        start = time.monotonic()
        done = subprocess.run(command, env=self.environment, capture_output=True, text=True, user=user,
                              preexec_fn=self.cpus and (lambda: os.sched_setaffinity(0, self.cpus)),
                              timeout=within * self.build.slow, check=False)
        return Outcome(done.returncode, done.stdout, done.stderr, time.monotonic() - start)

    def apachectl(self, *arguments):
        """Runs the installed apachectl with HTTPD set to this server's binary and configuration."""
        script = self.root / "conf" / "apachectl"
        text = (self.build.prefix / "bin" / "apachectl").read_text()
        text = re.sub(r"^HTTPD=.*$", f"HTTPD='{self.build.httpd} -d {self.root} -f {self.config}'", text, flags=re.M)
        script.write_text(text)
        script.chmod(0o755)
        start = time.monotonic()
        done = subprocess.run([script, *arguments], env=self.environment, capture_output=True, text=True, timeout=120,
                              check=False)
        return Outcome(done.returncode, done.stdout, done.stderr, time.monotonic() - start)

    def start(self, *, wait=True):
        done = self.run("-k", "start")
        assert done.code == 0, f"httpd -k start: {done.code}: {done.out}{done.err}{self._log_tail()}"
        if wait:
            self.wait_ready()
        return self

    def wait_ready(self):
        eventually(lambda: self.pid_file.exists() and self._accepts(),
                   what=lambda: "the server to accept connections" + self._log_tail())
        self.wait_children(self.shape.start_servers)
        if "cgid" in self.modules:      # its daemon gives the children their socket a moment after it listens there
            eventually(lambda: any(path.stat().st_uid == self._user() for path in self.root.rglob(f"cgisock.{self.pid}")),
                       what="cgid's socket to be the children's")

    @staticmethod
    def _user():
        return os.geteuid() or pwd.getpwnam("nobody").pw_uid

    def _accepts(self):
        try:
            socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
            return True
        except OSError:
            return False

    def wait_children(self, count):
        """Until `count` children have all their threads: main thread, listener, workers."""
        least = 1 if self.mpm == "prefork" else self.shape.threads_per_child + 2
        eventually(lambda: sum(procs.threads(c) >= least for c in self.children()) >= count,
                   what=lambda: f"{count} children with their threads" + self._log_tail())

    @property
    def pid(self):
        return int(self.pid_file.read_text())

    def children(self):
        """Pids of the serving children; cgid's daemon and piped programs have a single thread."""
        all_children = procs.children(self.pid) if self.pid_file.exists() else []
        return [c for c in all_children if self.mpm == "prefork" or procs.threads(c) > 1]

    def signal(self, number):
        os.kill(self.pid, number)

    def graceful(self, wait=True):
        self.log.expect(*GRACEFUL)
        before = len(self.log.with_text("resuming normal operations"))
        done = self.run("-k", "graceful")
        assert done.code == 0, done.err
        if wait:
            self._wait_resumed(before)

    def restart(self, wait=True):
        self.log.expect(*RESTART)
        self.log.restarting()
        if self.build.sanitized:
            self.log.expect("AH00102", text=ABRUPT_ASSERTION.pattern)
            self.log.expect("AH00052", text=r"exit signal Abort")
        before = len(self.log.with_text("resuming normal operations"))
        done = self.run("-k", "restart")
        assert done.code == 0, done.err
        if wait:
            self._wait_resumed(before)
            eventually(self._accepts, what="the server to accept connections again")
            self.wait_children(1)

    def _wait_resumed(self, before):
        eventually(lambda: len(self.log.with_text("resuming normal operations")) > before,
                   what="the server to resume after a restart")

    def stop_by_command(self):
        self.log.breaking_off()
        self.run("-k", "stop")
        self.wait_gone()

    def graceful_stop(self):
        self.log.expect(*GRACEFUL_STOP)
        self.run("-k", "graceful-stop")
        self.wait_gone()

    def wait_gone(self):
        eventually(lambda: not procs.marked(self.mark), what=lambda: f"processes {procs.marked(self.mark)} to end")

    # -- questions and changes --------------------------------------------------------------------------------------

    def status(self):
        return Status.parse(fetch(self.port, "/server-status?auto").text)

    def reconfigure(self, *assignments, expect=0):
        """httpd -k reconfigure; asserts the exit status unless `expect` is None."""
        done = self.run("-k", "reconfigure", *assignments)
        if expect is not None:
            assert done.code == expect, f"exit {done.code}, expected {expect}: {done.out}{done.err}{self._log_tail()}"
        return done

    def cpu_seconds(self):
        """User and system time of all processes of this server that are still there."""
        return sum(procs.cpu_seconds(pid) for pid in procs.marked(self.mark))

    def state(self):
        """The state file ("name value" lines) as a dict, {} if there is none."""
        def whole():
            """[the lines], or [] while they are being written."""
            if not self.state_file.exists():
                return [{}]
            text = self.state_file.read_text().partition("\0")[0]
            lines = dict(line.partition(" ")[::2] for line in text.splitlines())
            return [lines] if lines.get("begin") == lines.get("end") else []

        return eventually(whole, what="a whole state file")[0]

    def state_locked_by(self):
        """Pid of the process that holds the lock on the state file, 0 if none does."""
        with open(self.state_file, "rb") as f:
            import struct
            query = struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, 0, 0, 0)
            kind, _, _, _, pid = struct.unpack("hhqqi4x", fcntl.fcntl(f, fcntl.F_GETLK, query))
            return 0 if kind == fcntl.F_UNLCK else pid

    def get(self, path="/", *, port=None, **kwargs):
        return fetch(port or self.port, path, **kwargs)

    def connect(self, **kwargs):
        kwargs.setdefault("port", self.port)
        return Connection(**kwargs)

    def access_log(self):
        return (self.root / "logs" / "access.log").read_text().splitlines()

    # -- the end ----------------------------------------------------------------------------------------------------

    def stop(self):
        """An ordinary stop; the server may be stopped already."""
        if self.pid_file.exists() and procs.alive(self.pid):
            self.log.breaking_off()
            self.signal(signal.SIGTERM)
        self.wait_gone()

    def finish(self, *, failed=False):
        """Stops, accounts for processes, log and sanitizer reports, and removes the directory."""
        problems = []
        self.log.stopping()
        try:
            self.stop()
        except (AssertionError, ValueError, ProcessLookupError) as error:
            problems.append(str(error))
        left = procs.kill_leftovers(self.mark)
        if left:
            problems.append(f"processes left behind: {left}")
        problems += [f"unexpected line in the error log: {e.line}" for e in self.log.unexpected()]
        for report in sorted((self.root / "sanitizer").iterdir()):
            problems.append(f"sanitizer report {report.name}:\n{report.read_text(errors='replace')[:6000]}")
        tail = self._log_tail() if failed or problems else ""
        shutil.rmtree(self.root, ignore_errors=True)
        assert not problems, "\n".join(problems) + tail

    def _log_tail(self):
        lines = [e.line for e in self.log.entries()][-25:]
        return "\nerror log:\n" + "\n".join(lines) if lines else ""


__all__ = ["Outcome", "Server", "Shape", "Status", "free_port", "replace"]
