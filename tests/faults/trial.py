# SPDX-License-Identifier: Apache-2.0
"""A trial: steps that break things, and what must hold after them. A step is a line of text, so that a trial can be told and repeated."""
import contextlib
import os
import pathlib
import signal
import subprocess
import time

from agent import STOP_SECONDS, believed, values
from tier import BASELINE, Values, eventually, marked, send

SETTLE = 20.0           # httpd takes a change within a second, one that stands still with its machine later
HOLD = 0.3              # so long it must stay as it is
LAST = 0.8              # so long the agent's state must: four samples
START = 60.0            # of the agent, on a busy machine
MITIGATED = 60.0        # likewise
BASELINE_S = 30.0             # nothing in the way: two levels down with a hold of a second each, on a busy machine
BASELINE_AFTER_FAULT = 75.0     # a try that failed is repeated after half a minute, and a command has 12 s; two would take 84 s
LOOP = 35.0             # a command has 12 s, a question about what runs 4 s
HELPER = 60.0           # systemd ends the helper after 30 s
AT_ONCE = {"dead"}      # a server that answers is asked again for 10 s, a dead one is not waited for
LEVERS = ("mxc", "kat", "mitigation")


class Violation(AssertionError):
    """What was promised did not hold."""


class Trial:
    """Runs steps on a tier with its agent."""

    def __init__(self, tier, agent, disks=None):
        self.tier, self.agent, self.disks = tier, agent, disks
        self.person = None          # what a person ordered, in manual mode then
        self.stranger = False       # the person is one whose change the agent can only tell in words
        self.ordered = []           # what people and strangers set
        self.blocking = set()       # faults that keep every command from its work
        self.hindered = False       # some fault was there that may cost a try
        self.disk = False           # the journal could not be written for a time
        self.signalled = self.blocked_at_stop = None
        self.killed_away = None     # the length of the journal when the agent was killed away from the baseline
        self.killed_restoring = None   # the same, when a change under way was to bring it there
        self.done, self.notes = [], []

    # -- the frame -----------------------------------------------------------------------------------------------------

    def run(self, steps):
        if self.disks:
            self.disks.back()
        self.tier.calm()
        self.agent.fresh()
        self.tier.seen.clear()
        self.read()
        for step in steps:
            name, *words = step.split()
            self.done.append(step)
            getattr(self, "do_" + name.replace("-", "_"))(*words)
        self.why()

    def fail(self, text):
        raise Violation(text)

    def expected(self):
        return self.person or BASELINE

    def read(self):
        """The values of a server that answers, if not at once."""
        return eventually(self.tier.values, SETTLE)

    def wait_baseline(self, within, what):
        """The tier is where it should be within the time, and stays there."""
        begun = time.monotonic()
        if not eventually(lambda: self.tier.values() == self.expected(), within, every=0.1):
            self.fail(f"{what}: {self.tier.values()} instead of {self.expected()} after {within:g} s")
        self.notes.append(f"{what}: {time.monotonic() - begun:.1f} s")
        end = time.monotonic() + HOLD
        while time.monotonic() < end:
            now = self.tier.values()
            if now is not None and now != self.expected():
                self.fail(f"{what}: {self.expected()} did not last, {now} came")
            time.sleep(0.1)

    # -- the agent -----------------------------------------------------------------------------------------------------

    def do_start(self):
        self.agent.start()

    def do_ready(self):
        if not self.agent.ready(START + (HELPER if self.blocking else 0)):
            self.fail("the agent does not start")

    def do_stop(self, name):
        self.signalled = time.monotonic()
        self.blocked_at_stop = set(self.blocking)
        self.agent.signal(getattr(signal, "SIG" + name))

    def do_ended(self):
        """It ends in time; then the tier is at the baseline, without an agent, once what was paused goes on."""
        left = STOP_SECONDS - (time.monotonic() - self.signalled)
        if not eventually(lambda: not self.agent.alive(), max(1, left)):
            self.agent.signal(signal.SIGQUIT)
            time.sleep(0.3)
            self.agent.signal(signal.SIGKILL)
            self.fail(f"the agent did not end within {STOP_SECONDS} s of its signal")
        self.notes.append(f"stop: {time.monotonic() - self.signalled:.1f} s")
        self.agent.process.wait()
        if self.agent.process.returncode not in (0, 143, 130):
            self.notes.append(f"exit status {self.agent.process.returncode}")
        self.agent.after_stop()
        # what is over before the end excuses nothing
        excused = bool(self.blocked_at_stop & AT_ONCE or self.blocked_at_stop & self.blocking)
        self.lift()
        self.await_orders()
        if not excused:
            self.wait_baseline(SETTLE, "after the stop, without an agent")
            return
        eventually(lambda: self.tier.values() == self.expected(), SETTLE)
        if self.tier.values() != self.expected():
            if not self.agent.said("could not be restored") and not self.agent.said("did not end in time"):
                self.fail(f"{self.tier.values()} left behind and not a word of it")
            self.tier.neighbour.loud = False
            self.do_start()
            self.do_ready()
            self.wait_baseline(BASELINE_S, "the start after a stop that could not restore")
            self.do_stop("TERM")
            self.do_ended()

    def do_kill(self, how="bare", lever=None):
        """kill -9, if a lever is named while that is away from the baseline; "unit": what the service manager then runs."""
        self.agent.signal(signal.SIGSTOP)       # or it might restore the tier between the look and the kill
        end = time.monotonic() + MITIGATED
        while lever and time.monotonic() < end and (self.tier.orders() or getattr(self.read(), lever) == getattr(BASELINE, lever)):
            self.agent.signal(signal.SIGCONT)
            self.do_mitigated(lever)
            self.agent.signal(signal.SIGSTOP)
        self.killed_restoring = None       # unknown of one that was killed once more
        if self.tier.values() not in (None, self.expected()) and not self.person:
            entries = self.agent.entries()
            begun = [n for n, entry in enumerate(entries) if entry["kind"] == "intent"]
            # a change under way, whose command may outlive the agent, counts as what comes after
            under_way = begun and not any(entry["kind"] in ("applied", "failed") for entry in entries[begun[-1]:])
            if under_way and values(entries[begun[-1]], "desired") == BASELINE:
                self.killed_restoring = len(entries)
            else:
                self.killed_away = begun[-1] if under_way else len(entries)
        self.agent.signal(signal.SIGKILL)
        self.agent.process.wait()
        if how == "unit":
            self.agent.after_stop()

    def do_freeze(self, seconds):
        self.agent.signal(signal.SIGSTOP)
        time.sleep(float(seconds))
        self.agent.signal(signal.SIGCONT)

    def do_upgrade(self):
        """A new jar in place of the old one, as dpkg does it."""
        jar = self.agent.ic2.parent.parent / "share/ic2/ic2.jar"
        fresh = jar.with_suffix(f".{os.getpid()}")
        subprocess.run(["cp", "-p", jar, fresh], check=True)
        fresh.rename(jar)

    def do_configure(self, kind):
        """What the next start reads: the whole configuration, or one with a lever less."""
        self.agent.configure(**({"levers": "max-request-workers, keep-alive-timeout"} if kind == "lever" else {}))

    def do_says(self, *words):
        if not eventually(lambda: self.agent.said(" ".join(words)), START, every=0.1):
            self.fail(f"the agent does not say: {' '.join(words)}")

    def do_reload(self, kind):
        """SIGHUP with a configuration that is good, takes a lever away, or is bad in one of several ways."""
        text = None
        if kind == "good":
            self.agent.configure(interval="250ms")
        elif kind == "lever":
            self.do_configure("lever")
        elif kind == "words":
            text = "application: faults\ninterval: soon\n"
        elif kind == "deep":
            text = "a: " + "[" * 20000 + "]" * 20000
        elif kind == "keys":
            text = "".join(f"key{n}: {n}\n" for n in range(150_000))
        elif kind == "long":
            text = "# " + "x" * 20_000_000
        elif kind == "zero":
            self.agent.configure(model="/dev/zero")
        elif kind == "journal":
            self.agent.configure(journal="/elsewhere/journal.jsonl")
        if text is not None:
            self.agent.config.write_text(text)
        self.agent.signal(signal.SIGHUP)
        if kind not in ("good", "lever"):
            time.sleep(0.6)
            self.agent.configure()      # what the next start reads

    def do_second(self, kind):
        """A second agent on the tier is refused, and says so by name."""
        config, log = self.tier.place / "other.yaml", self.tier.place / "other.log"
        folder = self.tier.place / "other-state"
        text = self.agent.config.read_text()
        config.write_text(text if kind == "same" else text.replace(str(self.agent.journal), str(folder / "journal.jsonl")))
        process = self.agent.run("run", "-c", str(config), log=log)
        try:
            if not eventually(lambda: process.poll() is not None, START, every=0.05):
                self.fail(f"a second agent ({kind} journal) runs on the tier")
            if process.returncode not in (1, 2) or "another agent" not in log.read_text():
                self.fail(f"a second agent ended with {process.returncode} and said: {log.read_text()[-500:]}")
        finally:
            process.kill()
            process.wait()

    # -- people --------------------------------------------------------------------------------------------------------

    def do_person(self, mxc, kat, mitigation):
        ordered = Values(int(mxc), int(kat), int(mitigation))
        answer = self.agent.ask(90, verb="apply", mxc=ordered.mxc, kat=f"{ordered.kat}ms", mitigation=ordered.mitigation)
        if not answer["ok"]:
            self.fail(f"a person's order was not carried out: {answer}")
        self.person = ordered
        self.ordered.append(ordered)
        self.wait_baseline(SETTLE, "a person's order")

    def do_resume(self):
        answer = self.agent.ask(90, verb="resume")
        if not answer["ok"]:
            self.fail(f"resume: {answer}")
        if not eventually(lambda: self.agent.status().get("state") != "MANUAL", BASELINE_S, every=0.1):    # of the last sample
            self.fail("the agent did not take over again")
        self.person, self.stranger = None, False

    def do_restore(self):
        """By hand, with anything broken but httpd: "ic2 restore", with an agent or without one."""
        done = subprocess.run([self.agent.ic2, "restore", "-c", self.agent.config], capture_output=True, text=True, timeout=120,
                              env=self.tier.environment, check=False)
        self.person = BASELINE
        self.ordered.append(BASELINE)
        if done.returncode != 0:
            self.fail(f"ic2 restore ended with {done.returncode}: {done.stdout}{done.stderr}")
        self.wait_baseline(SETTLE, "ic2 restore")

    def do_foreign(self, name, value):
        """A person changes a value: it stays, all others are restored, and the agent is in manual mode."""
        code, text = self.tier.control("reconfigure", f"{name}={value}")
        if code:
            self.fail(f"the trial itself could not change {name}: {text}")
        changed = {"MaxRequestWorkers": "mxc", "KeepAliveTimeout": "kat", "MITIGATION": "mitigation"}[name]
        self.person = BASELINE._replace(**{changed: int(value.removesuffix("ms"))})
        self.stranger = True
        self.ordered.append(self.person)
        if not eventually(lambda: self.agent.status().get("state") == "MANUAL", BASELINE_S, every=0.1):
            self.fail("a person's change was not noticed")
        self.wait_baseline(BASELINE_S, "after a person's change")

    # -- the neighbour -------------------------------------------------------------------------------------------------

    def do_loud(self):
        (self.tier.httpd / "begun").unlink(missing_ok=True)
        self.tier.neighbour.loud = True

    def do_quiet(self):
        self.tier.neighbour.loud = False

    def do_mitigated(self, lever=None):
        """Away from the baseline, with this lever if one is named, and the agent knows."""
        def away():
            now = self.tier.values()
            moved = now is not None and (getattr(now, lever) != getattr(BASELINE, lever) if lever else now != BASELINE)
            return moved and believed(self.agent.entries()) == now
        if not eventually(away, MITIGATED):
            self.fail(f"it does not mitigate: {self.tier.values()}, the journal believes {believed(self.agent.entries())}")

    def do_order(self, seconds):
        """So long after the next command begins, if one does."""
        eventually((self.tier.httpd / "begun").exists, 30, every=0.005)
        (self.tier.httpd / "begun").unlink(missing_ok=True)
        time.sleep(float(seconds))

    def do_wait(self, seconds):
        time.sleep(float(seconds))

    # -- commands and the helper ---------------------------------------------------------------------------------------

    def do_before(self, seconds):
        self.hindered = True
        self.tier.switch("before", seconds)

    def do_after(self, seconds):
        self.hindered = True
        self.tier.switch("after", seconds)

    def block(self, name):
        self.hindered = True
        self.blocking.add(name)

    def do_hang(self):
        self.block("hang")
        self.tier.switch("hang")

    def do_linger(self):
        self.block("linger")
        self.tier.switch("linger")

    def do_refuse(self):
        self.block("refuse")
        self.tier.switch("refuse")

    def do_lie(self):
        self.block("lie")
        self.tier.switch("lie")

    def do_commands_back(self):
        self.blocking -= {"hang", "linger", "refuse", "lie"}
        self.tier.unswitch()

    def do_kill_orders(self):
        self.hindered = True
        send(self.tier.orders(), signal.SIGKILL)

    def do_kill_helper(self):
        """The helper alone; the command that it has started goes on."""
        self.hindered = True
        send([pid for pid, words in marked(self.tier.mark).items() if "ic2-reconfigure" in words], signal.SIGKILL)

    def do_freeze_orders(self, seconds):
        self.hindered = True
        frozen = self.tier.orders()
        send(frozen, signal.SIGSTOP)
        time.sleep(float(seconds))
        send(frozen, signal.SIGCONT)

    def do_helper_deaf(self):
        self.block("deaf")
        self.tier.activator.accepting = False

    def do_helper_gone(self):
        self.block("gone")
        self.tier.activator.gone()

    def do_helper_back(self):
        self.blocking -= {"deaf", "gone"}
        self.tier.activator.back()

    # -- the server ----------------------------------------------------------------------------------------------------

    def do_pause_parent(self):
        self.block("parent")
        self.tier.signal(signal.SIGSTOP)

    def do_pause_httpd(self):
        self.block("httpd")
        self.tier.signal(signal.SIGSTOP, whole=True)

    def do_continue_httpd(self):
        self.blocking -= {"parent", "httpd"}
        self.tier.signal(signal.SIGCONT, whole=True)

    def do_graceful(self):
        self.restart("graceful")

    def do_restart_httpd(self):
        self.restart("restart")

    def restart(self, word):
        """httpd's command starts a server where none runs, one that we would not know of."""
        self.hindered = True
        if "dead" in self.blocking:
            self.do_start_httpd()
        else:
            self.tier.control(word)

    def do_kill_httpd(self):
        self.block("dead")
        if self.tier.process.poll() is None:
            self.tier.kill()

    def do_start_httpd(self):
        if self.tier.process.poll() is not None:    # a second one would take the pid file from the one that serves
            self.tier.start()
        self.blocking.discard("dead")

    # -- disks ---------------------------------------------------------------------------------------------------------

    def do_fill(self, what):
        """"state": where the journal is; "tunables": where httpd-online's file is."""
        self.hindered = True
        if what == "state":
            self.disk = True
        else:
            self.blocking.add("disk")
        self.disks.fill(what)

    def do_readonly(self, what):
        self.hindered = True
        if self.disks.readonly(what):
            if what == "state":
                self.disk = True
            else:
                self.blocking.add("disk")

    def do_disks_back(self):
        self.blocking.discard("disk")
        self.disks.back()

    # -- sensors -------------------------------------------------------------------------------------------------------

    def do_no_log(self):
        self.tier.neighbour.silent = True
        self.tier.neighbour.log.unlink(missing_ok=True)

    def do_garbage(self):
        self.tier.neighbour.garbage = True

    def do_no_group(self):
        with contextlib.suppress(FileNotFoundError):
            self.tier.neighbour.group.rename(self.tier.place / "no-group")

    def do_probe(self, number):
        send([pid for pid, words in marked(self.tier.mark).items() if words.endswith("/probe ")], getattr(signal, "SIG" + number))

    def do_sensors_back(self):
        self.tier.neighbour.silent = self.tier.neighbour.garbage = False
        with contextlib.suppress(FileNotFoundError):
            (self.tier.place / "no-group").rename(self.tier.neighbour.group)

    # -- the end -------------------------------------------------------------------------------------------------------

    def lift(self):
        """Every fault is over."""
        self.do_commands_back()
        self.do_sensors_back()
        self.do_probe("CONT")
        if self.disks:
            self.do_disks_back()
        if self.tier.activator:
            self.do_helper_back()
        self.do_continue_httpd()
        self.do_start_httpd()
        self.blocking.clear()

    def await_orders(self):
        if not eventually(lambda: not self.tier.orders(), HELPER, every=0.05):
            self.fail(f"commands that do not end: {marked(self.tier.mark)}")

    def do_lift(self):
        self.lift()

    def do_looping(self):
        """With anything hanging, the loop takes samples again within its time."""
        last = self.agent.status().get("sample", {}).get("time", 0)
        begun = time.monotonic()
        if not eventually(lambda: self.agent.status().get("sample", {}).get("time", 0) > last, LOOP, every=0.1):
            self.fail(f"no sample was taken for {LOOP:g} s")
        self.notes.append(f"loop: {time.monotonic() - begun:.1f} s")

    def do_baseline(self):
        """In spite of the faults that are there, at the baseline."""
        self.wait_baseline(BASELINE_S, "at the baseline in spite of it")

    def do_calm(self):
        """All faults over and the neighbour quiet: the agent lives, has restored the tier and knows whether manual mode is on."""
        self.lift()
        self.tier.neighbour.loud = False
        if not self.agent.alive() and not self.disk:
            self.fail(f"the agent ended by itself with {self.agent.process.returncode}")
        self.do_ready()
        self.await_orders()
        self.wait_settled(BASELINE_AFTER_FAULT if self.hindered else BASELINE_S)

    def wait_settled(self, within):
        """At the baseline, and the agent knows it, for a time in which it would have noticed a stranger's change."""
        wanted = "MANUAL" if self.person else "NI2"
        begun = good = time.monotonic()
        while time.monotonic() < good + LAST:
            now, status = self.tier.values(), self.agent.status()
            state = status.get("state")
            if state == "MANUAL" and not self.person:
                self.fail(f"the agent is in manual mode though no person changed anything: {status.get('manual')}")
            if now != self.expected() or state != wanted or self.tier.orders():
                good = time.monotonic()
            if time.monotonic() > begun + within:
                self.fail(f"{now} in state {state} instead of {self.expected()} in {wanted}, {within:g} s after calm")
            time.sleep(0.15)
        self.notes.append(f"calm: {good - begun:.1f} s")

    # -- the journal ---------------------------------------------------------------------------------------------------

    def why(self):
        """What ran, and whether manual mode is on, can be read in the journal."""
        entries = self.agent.entries()
        broken = [entry for entry in entries if entry["kind"] == "broken"]
        if broken and not self.disk:
            self.fail(f"a line of the journal is broken: {broken[0]['text'][:200]}")
        manual = None
        for entry in entries:
            if entry["kind"] in ("manual", "resume"):
                manual = entry.get("reason") if entry["kind"] == "manual" else None
        if bool(self.person) != (manual is not None) and not self.disk:
            self.fail(f"the journal says of manual mode: {manual}; a person: {self.person}")
        if self.disk:
            return
        wanted = [values(entry, "desired") for entry in entries if entry["kind"] == "intent"]
        for seen in self.tier.seen:
            for lever in LEVERS:
                value = getattr(seen, lever)
                known = [getattr(one, lever) for one in [BASELINE, *wanted, *self.ordered] if one]
                if value not in known:
                    self.fail(f"{lever} was {value}, and no intent says why; intents: {wanted}")
        now = self.read()
        if believed(entries) != now and not self.stranger:
            self.fail(f"the journal believes {believed(entries)}, what runs is {now}")
        if self.killed_away is not None and not self.restored(entries[self.killed_away:]):
            self.fail("what a kill -9 left behind was restored, and no intent after it says so")
        if self.killed_restoring is not None:
            # the command may have outlived the agent; if the next one found the tier away, it has restored it itself
            after = entries[self.killed_restoring:]
            found = next((values(entry, "configuration") for entry in after if entry["kind"] == "start"), None)
            if found not in (None, BASELINE) and not self.restored(after):
                self.fail(f"a kill -9 on a restore left {found} behind, which was restored, and no intent after it says so")

    @staticmethod
    def restored(entries):
        return any(values(entry, "desired") == BASELINE for entry in entries if entry["kind"] == "intent")

    def told(self):
        """Where it stands, for a report."""
        lines = ["steps so far: " + "; ".join(self.done)]
        lines += [f"values: now {self.tier.values()}, seen {list(self.tier.seen)}; expected {self.expected()}"]
        lines += ["notes: " + ", ".join(self.notes), "journal:"]
        for entry in self.agent.entries()[-14:]:
            brief = {key: entry[key] for key in ("time", "kind", "id", "origin", "action", "reason", "problem", "rolled_back") if key in entry}
            for name in ("before", "desired", "configuration"):
                if values(entry, name):
                    brief[name] = tuple(values(entry, name))
            lines.append("  " + " ".join(f"{key}={value}" for key, value in brief.items()))
        lines += ["log:", *("  " + line for line in self.agent.log.read_text(errors="replace").splitlines()[-12:])]
        return "\n".join(lines)


class Disks:
    """The folders of the journal and of the tunables as small disks of their own, in a mount namespace of ours."""

    def __init__(self, tier, agent):
        self.places = {"state": (agent.state, "4m"), "tunables": (tier.httpd / "tunables", "64k")}
        for folder, size in self.places.values():
            kept = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
            subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size},mode=755", "tmpfs", folder], check=True)
            for name, text in kept.items():
                (folder / name).write_bytes(text)

    def fill(self, what):
        """Not a byte is left, nor in the journal's last page."""
        journal = self.places["state"][0] / "journal.jsonl"
        if what == "state" and journal.exists():
            with journal.open("ab") as end:
                end.write(b"\n" * (-journal.stat().st_size % 4096))
        with (self.places[what][0] / "ballast").open("wb", buffering=0) as ballast, contextlib.suppress(OSError):
            while True:
                ballast.write(b"x" * 4096)

    def readonly(self, what):
        return subprocess.run(["mount", "-o", "remount,ro", self.places[what][0]], stderr=subprocess.DEVNULL, check=False).returncode == 0

    def back(self):
        for folder, _ in self.places.values():
            subprocess.run(["mount", "-o", "remount,rw", folder], stderr=subprocess.DEVNULL, check=False)
            with contextlib.suppress(OSError):
                (pathlib.Path(folder) / "ballast").unlink(missing_ok=True)

    def close(self):
        for folder, _ in self.places.values():
            subprocess.run(["umount", "-l", folder], check=False)
