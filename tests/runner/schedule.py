# SPDX-License-Identifier: Apache-2.0
"""Runs suites of tests, several at a time, to the end also after a failure; says how each went, and at the end all of it in one table."""

import contextlib
import dataclasses
import os
import pathlib
import re
import signal
import subprocess
import time

import processes

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
LOG_LINES = 200         # of a red suite's log that are shown
SILENCE_S = 60          # after as long the suites that run are named
GRACE_S = 90            # for tests that are interrupted to take down their servers, on a busy machine
KILL_S = 30             # for what was killed to be gone
# how pytest ends, and .ci/maven-test: "1 failed, 2 passed, 3 skipped in 4.56s"
SUMMARY = re.compile(r"^(?:=+ )?((?:\d+ [a-z]+(?:, )?)+) in [\d.]+s\b", re.MULTILINE)
# a test that failed, as both say it
FAILED = re.compile(r"^(?:FAILED|ERROR) (\S+::.+)$", re.MULTILINE)
COLUMNS = {"passed": "passed", "xpassed": "passed", "failed": "failed", "error": "failed", "errors": "failed", "skipped": "skipped",
           "xfailed": "skipped"}


@dataclasses.dataclass(frozen=True)
class Part:
    """One command: a suite of tests, or (without `tests`) what must be built first."""

    name: str
    command: tuple
    needs: frozenset = frozenset()      # parts without which this one is not run
    after: str = ""                     # a part beside which it does not run
    tests: bool = True
    terminal: bool = False              # it speaks to the user, and may ask for a password; no log


@dataclasses.dataclass
class Result:
    seconds: float
    trouble: str = ""                   # why it is red
    counts: dict = dataclasses.field(default_factory=dict)
    failed: tuple = ()                  # the names of its tests


def count(log):
    """What the summaries in a log add up to, by column; empty without one."""
    found = {}
    for line in SUMMARY.findall(log):
        for number, word in (entry.split() for entry in line.split(", ")):
            if word in COLUMNS:
                found[COLUMNS[word]] = found.get(COLUMNS[word], 0) + int(number)
    return {column: found.get(column, 0) for column in ("passed", "failed", "skipped")} if found else {}


def judge(part, status, seconds, log):
    result = Result(seconds, counts=count(log), failed=tuple(dict.fromkeys(FAILED.findall(log)))) if part.tests else Result(seconds)
    if status < 0:
        result.trouble = f"killed by {signal.Signals(-status).name}"
    elif status > 0:
        result.trouble = f"exit status {status}"
    elif result.counts.get("failed"):
        result.trouble = "exit status 0 in spite of failures"
    elif part.tests and not result.counts:
        result.trouble = "it printed no counts"
    return result


class Interrupted(Exception):
    """By one of SIGNALS."""

    def __init__(self, number):
        super().__init__(signal.Signals(number).name)
        self.number = number


class Run:
    """phases: lists of parts with the number that may run at once, one phase after the other."""

    def __init__(self, phases, logs, environment=None, grace_s=GRACE_S, silence_s=SILENCE_S):
        self.phases = phases
        self.logs = pathlib.Path(logs)
        self.environment = environment
        self.grace_s = grace_s
        self.silence_s = silence_s
        self.results = {}       # by name, in the order of their ends
        self.running = {}       # pid -> (part, when it began, Popen)
        self.spoken = time.monotonic()
        self.begun = self.spoken

    def say(self, text):
        with contextlib.suppress(OSError):      # the terminal may be gone
            print(text, flush=True)
        self.spoken = time.monotonic()

    def main(self):
        """The exit status: 0 if all is green."""
        processes.adopt_orphans()
        signal.pthread_sigmask(signal.SIG_BLOCK, (*SIGNALS, signal.SIGCHLD))    # sigtimedwait takes them
        for number in SIGNALS:
            signal.signal(number, signal.SIG_DFL)       # a shell ignores some for what it starts in the background
        self.logs.mkdir(parents=True, exist_ok=True)
        for old in self.logs.glob("*.log"):
            old.unlink()
        try:
            for parts, at_once in self.phases:
                self.run_phase(list(parts), at_once)
        except Interrupted as signalled:
            return self.give_up(signalled.number)
        except BaseException:
            processes.kill_all(KILL_S)
            raise
        left = processes.descendants()
        if left:
            self.say("Left running by the tests, and ended now: " + ", ".join(f"{name} ({pid})" for pid, (_, name) in left.items()))
            processes.kill_all(KILL_S)
        self.say(self.table())
        return 1 if self.red() else 0

    def red(self):
        return [name for name, result in self.results.items() if result.trouble]

    # -- running ------------------------------------------------------------------------------------------------------

    def run_phase(self, waiting, at_once):
        while waiting or self.running:
            for part in list(waiting):
                missing = sorted(part.needs & set(self.red()))
                if missing:
                    waiting.remove(part)
                    self.finish(part, Result(0, f"not run, as {missing[0]} is red"))
                elif len(self.running) < at_once and not self.holds_back(part, waiting):
                    waiting.remove(part)
                    self.start(part)
            if self.running:
                self.wait()

    def holds_back(self, part, waiting):
        before = part.needs | {part.after}
        return any(other.name in before for other in waiting) or any(other.name in before for other, *_ in self.running.values())

    def log(self, part):
        return self.logs / f"{part.name}.log"

    def said(self, part):
        return self.log(part).read_text(errors="replace") if self.log(part).exists() else ""

    def start(self, part):
        with contextlib.ExitStack() as stack:
            streams = {}
            if not part.terminal:
                log = stack.enter_context(self.log(part).open("wb"))
                streams = {"stdin": subprocess.DEVNULL, "stdout": log, "stderr": log, "start_new_session": True}
            process = subprocess.Popen(part.command, **streams, env=self.environment,
                                       preexec_fn=lambda: signal.pthread_sigmask(signal.SIG_SETMASK, ()))
        self.running[process.pid] = part, time.monotonic(), process

    def wait(self):
        """Until a child has ended; or for a second."""
        got = signal.sigtimedwait((*SIGNALS, signal.SIGCHLD), 1)
        if got and got.si_signo != signal.SIGCHLD:
            raise Interrupted(got.si_signo)
        for pid, status in processes.reap().items():
            if pid in self.running:
                part, began, process = self.running.pop(pid)
                process.returncode = status
                self.finish(part, judge(part, status, time.monotonic() - began, self.said(part)))
        if time.monotonic() - self.spoken > self.silence_s and self.running:
            self.say("    running: " + ", ".join(f"{part.name} ({minutes(time.monotonic() - began)})"
                                                for part, began, _ in self.running.values()))

    def finish(self, part, result):
        self.results[part.name] = result
        told = [f"{number} {column}" for column, number in result.counts.items() if number or column == "passed"]
        self.say(f"{minutes(time.monotonic() - self.begun):>6}  {part.name:<18} " + ", ".join(
            ([f"RED ({result.trouble})"] if result.trouble else []) + told + [f"{result.seconds:.0f} s"]))
        if result.trouble and self.log(part).exists():
            lines = self.said(part).splitlines()
            self.say(f"    {self.log(part)}" + (", the end:" if len(lines) > LOG_LINES else ":"))
            self.say("\n".join(f"    {line}" for line in lines[-LOG_LINES:]))

    # -- the end ------------------------------------------------------------------------------------------------------

    def give_up(self, number):
        """Interrupts what runs, so that tests take down what they started; then kills what is left."""
        self.say(f"{signal.Signals(number).name}: ending what was started (a second one does it at once) ...")
        sessions = {os.getsid(pid) for pid in self.running if pathlib.Path(f"/proc/{pid}").exists()}
        processes.send([pid for pid, (session, _) in processes.descendants().items() if session in sessions], signal.SIGINT)
        deadline = time.monotonic() + self.grace_s
        while processes.descendants() and (left := deadline - time.monotonic()) > 0:
            got = signal.sigtimedwait((*SIGNALS, signal.SIGCHLD), min(left, 0.5))
            processes.reap()
            if got and got.si_signo in SIGNALS and time.monotonic() > deadline - self.grace_s + 1:   # make passes the first one on
                break
        left = processes.kill_all(KILL_S)
        if left:
            self.say("these could not be ended: " + ", ".join(f"{name} ({pid})" for pid, (_, name) in left.items()))
        for part, began, _ in self.running.values():
            self.results[part.name] = Result(time.monotonic() - began, "interrupted")
        self.say(self.table())
        self.say("Interrupted; " + ("see above." if left else "nothing is left running."))
        return 128 + number

    def table(self):
        order = [part for parts, _ in self.phases for part in parts]
        rows = [("suite", "passed", "failed", "skipped", "seconds", "")]
        for part in order:
            result = self.results.get(part.name)
            if result is None:
                rows.append((part.name, "", "", "", "", "not run")) if part.tests else None
            elif part.tests or result.trouble:
                numbers = [str(result.counts.get(column, "")) for column in ("passed", "failed", "skipped")]
                rows.append((part.name, *numbers, f"{result.seconds:.0f}", f"RED: {result.trouble}" if result.trouble else ""))
        total = [str(sum(result.counts.get(column, 0) for result in self.results.values())) for column in ("passed", "failed", "skipped")]
        rows.append(("together", *total, f"{time.monotonic() - self.begun:.0f}", f"{len(self.red())} red" if self.red() else "all green"))
        wide = max(len(row[0]) for row in rows)
        failed = [f"failed: {part.name}: {test}" for part in order if part.name in self.results for test in self.results[part.name].failed]
        return "\n" + "\n".join(failed + [f"{name:<{wide}} {passed:>7} {failed:>7} {skipped:>8} {seconds:>8}  {more}".rstrip()
                                         for name, passed, failed, skipped, seconds, more in rows])


def minutes(seconds):
    return f"{int(seconds) // 60}:{int(seconds) % 60:02}"
