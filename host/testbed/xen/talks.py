# SPDX-License-Identifier: Apache-2.0
"""
The contract on a real Xen: the real `ic2-host`, the real `ic2` of a guest, and xenstore between them. `ic2` runs on this machine, but its
xenstore commands run in the guest, as that guest. What it measures is written here: an access log, and a status page with a level.
"""
import contextlib
import http.server
import json
import pathlib
import signal
import subprocess
import threading

from agent import Agent, Knobs, after, await_true, keep, must
from results import ResultError

COMMAND = pathlib.Path(__file__).resolve().parents[3] / "bin" / "ic2"
PATIENCE_S = 900
STARTS = 5
REQUESTS = 20
SECONDS = {"slow": 0.08, "fast": 0.02}
HOST = """\
backend: {type: xen}
guests:
  tenant: {class: LS1, cpu: [0.1, 0.6], response-time: 40ms}
  "*": {class: NLS}
controllers:
  joint: {guests: [tenant], knobs: [cap], period: 12s, take: always, response-time: {gain: 0.1, range: [0.5, 0.95], period: 12s}}
contract: {type: xenstore}
safety: {actions-per-hour: 100000}
journal: journal.jsonl
"""
TENANT = """\
application: talks
interval: 5s
mode: advise
members:
  web:
    role: web
    sensors:
      log: {{type: access-log, file: "{place}/access.log", format: "%D %>s"}}
      host: {{type: host-notice, xenstore: data/ic2/notice, period: 12s}}
    actuators: {{httpd: {{type: httpd-map, file: "{place}/map/level", status-url: "http://127.0.0.1:{port}/server-status?auto"}}}}
baseline: {{mitigation: 0}}
bounds: {{mitigation: [0, 2]}}
target-response-time: 0.1s
tell-host: {{xenstore: data/ic2/tenant}}
journal: "{place}/journal.jsonl"
"""
# The last decision's reason right after the level was set by hand: no decision on an interval.
BY_HAND = "mitigation 1 set by hand"
GARBAGE = '{"v":1,"cap":100}'


class Page(http.server.BaseHTTPRequestHandler):
    """A status page whose level is what the ladder's file says, as httpd's is."""

    def do_GET(self):
        file = self.server.level
        text = file.read_text() if file.exists() else ""
        self.send_response(200)
        self.send_header("IC2-Mitigation", text.split()[1] if text.startswith("MITIGATION ") else "0")
        self.end_headers()
        self.wfile.write(b"ServerVersion: Apache\nTotal Accesses: 1\nBusyWorkers: 1\nIdleWorkers: 9\n")

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def page(level):
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page) as server:
        server.level = level
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server.server_port
        finally:
            server.shutdown()
            thread.join()


@contextlib.contextmanager
def requests(log):
    """So many a second, each as slow as the pace says; none where it is None."""
    over, pace = threading.Event(), ["slow"]

    def write():
        while not over.wait(1):
            now = pace[0]
            if now:
                with open(log, "a", encoding="ascii") as file:
                    file.write(f"{round(SECONDS[now] * 1e6)} 200\n" * REQUESTS)

    log.touch()
    thread = threading.Thread(target=write)
    thread.start()
    try:
        yield pace
    finally:
        over.set()
        thread.join()


class Tenant:
    """ic2 with the commands of the guest."""

    def __init__(self, directory, environment, port):
        self.directory = directory
        self.environment = environment
        self.config = directory / "ic2.yaml"
        self.config.write_text(TENANT.format(place=directory, port=port))
        self.process = None

    def start(self):
        with open(self.directory / "log", "ab") as log:
            self.process = subprocess.Popen([COMMAND, "run", "-c", self.config], stdout=log, stderr=log, env=self.environment)

    def end(self, number=signal.SIGTERM):
        if self.process is not None:
            self.process.send_signal(number)
            self.process.wait(PATIENCE_S)
            self.process = None

    def verb(self, *words):
        return subprocess.run([COMMAND, *words, "-c", self.config], capture_output=True, text=True, timeout=PATIENCE_S, check=False,
                              env=self.environment)

    def status(self):
        done = self.verb("status", "--json")
        return json.loads(done.stdout) if done.returncode == 0 else {}


class Talk:
    """What both have said and heard until now."""

    def __init__(self, host, tenant):
        self.host = host
        self.tenant = tenant
        self.read = []

    def turns(self):
        """Of the host, from its recording: what it knew of the guest."""
        turns = []
        path = self.host.directory / "host.jsonl"
        for line in path.read_text().splitlines()[1:] if path.exists() else []:
            turn = json.loads(line)
            uuid = next((guest["uuid"] for guest in turn["guests"] if guest["name"] == "tenant"), None)
            turns.append({"metrics": turn["metrics"].get(uuid, {}), "missing": turn.get("missing", {}).get(uuid, {}),
                          "decided": turn["decided"]})
        return turns

    def said(self, name, value, since=0):
        """True if the host knew this value of a metric in a turn."""
        return any(turn["metrics"].get(name) == value for turn in self.turns()[since:])

    def lacked(self, words, since=0):
        """The first reason with these words for which it had no response time."""
        reasons = [turn["missing"].get("app.rt", "") for turn in self.turns()[since:]]
        return next((reason for reason in reasons if words in reason), "")

    def look(self):
        """What the tenant read of its notice in the interval that it is in."""
        status = self.tenant.status()
        read = {name.rpartition(".")[2]: value for name, value in status.get("extras", {}).items() if name.startswith("web.host.")}
        read.update({"problem": status.get("problems", {}).get("web.host", ""), "reason": status.get("last_decision", {}).get("reason", "")})
        self.read.append(read)
        return read

    def acted(self):
        self.look()
        return any(read.get("host_acted") for read in self.read)


def wait(talk, condition, what):
    """Until a condition is true; an error that says why if the host's agent ends meanwhile, as it should not."""
    def so():
        process = talk.host.process
        if process is not None and process.poll() is not None:
            raise ResultError(f"ic2-host has ended: {talk.host.log().strip().splitlines()[-1]}")
        return condition()

    await_true(so, what, pause_s=1, patience=PATIENCE_S)


def begun(host):
    """
    Starts ic2-host until it goes on. Where an xl takes more than its 10 s, which says nothing of the contract, it gives up at its start.
    """
    record = host.directory / "host.jsonl"
    for _ in range(STARTS):
        record.unlink(missing_ok=True)
        host.start("act", "--record", record)
        await_true(lambda: record.exists() or host.process.poll() is not None, "ic2-host begins", pause_s=0.5, patience=PATIENCE_S)
        if host.process.poll() is None:
            return
        host.end()
    raise ResultError(f"ic2-host did not begin in {STARTS} starts: {host.log().strip().splitlines()[-1]}")


def talks(bridge, directory, out):
    """Host and tenant tell each other what they know, act on it, and notice each other's end."""
    must(bridge, "sh /out/talk.sh guests")
    baseline = Knobs(bridge)
    place = pathlib.Path(directory) / "tenant"
    (place / "map").mkdir(parents=True)
    (place / "map" / "level").write_text("MITIGATION 0\n")
    host = Agent(bridge, pathlib.Path(directory) / "host", HOST)
    with page(place / "map" / "level") as port, requests(place / "access.log") as pace:
        talk = Talk(host, Tenant(place, bridge.environment("sh", "/out/inside.sh"), port))
        try:
            found = conversation(bridge, talk, pace, out)
        finally:
            talk.tenant.end()
            host.end()
            host.verb("restore")
            for name, agent in (("host", host), ("tenant", talk.tenant)):
                log = agent.directory / "log"
                (out / f"165-talks-{name}.log").write_text(log.read_text() if log.exists() else "")
    return {**found, "away_after_its_end": sorted(after(bridge, baseline).moved(baseline))}


def conversation(bridge, talk, pace, out):
    host, tenant = talk.host, talk.tenant
    begun(host)
    tenant.start()
    found = {"told_s": SECONDS}
    wait(talk, lambda: talk.said("app.rt", SECONDS["slow"]), "the host hears the tenant's response time")
    wait(talk, talk.acted, "the tenant reads that the host has moved something")
    wait(talk, lambda: len({one["ref"] for one in references(talk)}) > 1, "the host wants another utilization of the slow tenant's CPUs")
    found["references"] = references(talk)
    must(bridge, "sh /out/talk.sh keep 160-talks-both")
    pace[0] = None
    wait(talk, lambda: tenant.status().get("sample", {}).get("requests") == 0, "the tenant has an interval between two paces, without requests")
    pace[0] = "fast"
    wait(talk, lambda: talk.said("app.rt", SECONDS["fast"]), "the host hears another response time")
    done = tenant.verb("apply", "--mitigation", "1")
    keep(out / "161-talks-apply.txt", "ic2 apply --mitigation 1", done)
    wait(talk, lambda: talk.said("app.shedding", 1), "the host hears that the tenant sheds")
    before = len(talk.turns())
    tenant.end(signal.SIGKILL)
    wait(talk, lambda: talk.lacked("has been silent for", before), "the host notices that nobody tells anything any more")
    found["silence"] = talk.lacked("has been silent for", before)
    inside = f"sh /out/inside.sh xenstore-write -R data/ic2/tenant '{GARBAGE}'"
    must(bridge, inside)
    wait(talk, lambda: talk.lacked("is not understood", before), "the host says what it does not understand")
    found["garbage"] = talk.lacked("is not understood", before)
    before = len(talk.turns())
    tenant.start()
    wait(talk, lambda: talk.said("app.rt", SECONDS["fast"], before), "the host hears the tenant's next start")
    wait(talk, lambda: "run" in talk.look(), "the tenant reads its notice again")
    host.end()
    wait(talk, lambda: "couldn't read path" in talk.look()["problem"], "the tenant notices that the host tells nothing any more")
    must(bridge, "sh /out/talk.sh keep 162-talks-host-gone")
    return {**found, **compared(talk)}


def references(talk):
    """The utilizations at which the host wanted to hold the guest's CPUs, in their order."""
    decided = [one for turn in talk.turns() for one in turn["decided"] if one.get("name") == "tenant" and one["kind"] == "cap"]
    return [one["numbers"] for one in decided]


def compared(talk):
    """Everything that the tenant read and the host heard, as both have it."""
    turns = talk.turns()
    measured = {f"{turn['metrics']['cpu.run']:.4g}" for turn in turns if "cpu.run" in turn["metrics"]}
    read = [f"{one['run']:.4g}" for one in talk.read if "run" in one]
    return {"turns": len(turns), "heard": sum("app.rt" in turn["metrics"] for turn in turns),
            "heard_s": sorted({turn["metrics"]["app.rt"] for turn in turns if "app.rt" in turn["metrics"]}),
            "shedding": sum(turn["metrics"].get("app.shedding") == 1 for turn in turns),
            "read": len(read), "read_as_measured": sum(one in measured for one in read),
            "acted": sorted({one["reason"] for one in talk.read if one.get("host_acted") and one["reason"] != BY_HAND}),
            "end": talk.read[-1]["problem"]}
