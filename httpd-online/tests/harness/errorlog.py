# SPDX-License-Identifier: Apache-2.0
"""The error log as a test oracle: a line that is not expected, by its number, is a failure."""

import re
from dataclasses import dataclass

LINE = re.compile(r"^\[[^]]+\] \[(?P<module>\w*):(?P<level>\w+)\] \[pid (?P<pid>\d+)(?::tid \d+)?\] "
                  r"(?:\[client [^]]*\] |\[remote [^]]*\] )?(?:\([^)]*\)[^:]*: )?(?:\[client [^]]*\] )?"
                  r"(?:(?P<number>AH\d{5}): )?(?P<text>.*)$")

# Life as usual. Everything else that is notice or worse has to be expected by the test.
USUAL = {
    "AH00292": "worker: resuming normal operations",
    "AH00489": "event: resuming normal operations",
    "AH00163": "prefork: resuming normal operations",
    "AH00094": "the command line",
    "AH00295": "worker: caught SIGTERM",
    "AH00491": "event: caught SIGTERM",
    "AH00169": "prefork: caught SIGTERM",
    # under load that is meant to reach the limit
    "AH00286": "worker: server reached MaxRequestWorkers",
    "AH00287": "worker: server is within MinSpareThreads of MaxRequestWorkers",
    "AH00484": "event: server reached MaxRequestWorkers",
    "AH10159": "event: server is within MinSpareThreads of MaxRequestWorkers",
}
GRACEFUL = {"AH00297": "worker: SIGUSR1", "AH00493": "event: SIGUSR1"}
RESTART = {"AH00298": "worker: SIGHUP", "AH00494": "event: SIGHUP"}
GRACEFUL_STOP = {"AH00296": "worker: SIGWINCH", "AH00492": "event: SIGWINCH"}
RECONFIGURE = {"AH12002": "reconfigured", "AH12003": "refused"}
# an ungraceful stop or restart takes memory and descriptors away from busy threads, in stock httpd as well
ABRUPT_CLOSE = {"AH00468": "a child told to end closes the socket that a worker is closing",
                **dict.fromkeys(("AH10503", "AH03465", "AH03093", "AH03092"), "or is about to wait for"),
                **dict.fromkeys(("AH00473", "AH03094"), "or that the listener is about to wait for no more")}
ABRUPT_END = {"AH00052": "a child exits with a signal", "AH00045": "a child takes 3 s to exit", **ABRUPT_CLOSE}
# with AP_DEBUG (the sanitizer build) event asserts, before it logs them, that these failures and others do not happen
ABRUPT_ASSERTION = re.compile(r'file event\.c, line \d+, assertion "0" failed')
QUIET_LEVELS = {"info", "debug"} | {f"trace{n}" for n in range(1, 9)}


@dataclass(frozen=True)
class Entry:
    module: str
    level: str
    pid: int
    number: str
    text: str
    line: str


def _is_abrupt(entry):
    return entry.number in ABRUPT_END or entry.number == "AH00102" and bool(ABRUPT_ASSERTION.search(entry.text))


def parse(line):
    match = LINE.match(line)
    if not match:
        return Entry("", "unparsable", 0, "", line, line)
    return Entry(match["module"], match["level"], int(match["pid"]), match["number"] or "", match["text"], line)


class ErrorLog:
    """Reads the log of one server; `expect` adds numbers, or (number, pattern), to the allow-list."""

    def __init__(self, path):
        self.path = path
        self.allowed = {number: None for number in USUAL}
        self.stopping_from = None
        self.restarts = []
        self.closes_from = None
        self.judged = True

    def expect(self, *numbers, text=None):
        for number in numbers:
            self.allowed[number] = re.compile(text) if text else None

    def expect_anything(self):
        """For a server whose log is not what is being judged."""
        self.judged = False

    def entries(self):
        if not self.path.exists():
            return []
        return [parse(line) for line in self.path.read_text(errors="replace").splitlines() if line.strip()]

    def with_text(self, pattern):
        return [e for e in self.entries() if re.search(pattern, e.text)]

    def unexpected(self):
        if not self.judged:
            return []
        entries = self.entries()
        ends = [(begin, self._resumed(entries, begin)) for begin in self.restarts]
        return [e for n, e in enumerate(entries) if e.level not in QUIET_LEVELS and not self._is_allowed(e)
                and not (_is_abrupt(e) and self.stopping_from is not None and n >= self.stopping_from)
                and not (_is_abrupt(e) and any(begin <= n < end for begin, end in ends))
                and not (e.number in ABRUPT_CLOSE and self.closes_from is not None and n >= self.closes_from)]

    @staticmethod
    def _resumed(entries, begin):
        """Where the server that began to restart there has ended its old children, as at a stop, and goes on."""
        return next((n for n in range(begin, len(entries)) if "resuming normal operations" in entries[n].text), len(entries))

    def restarting(self):
        """An abrupt restart begins: until it has ended what an abrupt end does is usual."""
        self.breaking_off()
        self.restarts.append(len(self.entries()))

    def breaking_off(self):
        """An abrupt stop or restart begins: from here on closes that it breaks off are usual, but nothing else."""
        if self.closes_from is None:
            self.closes_from = len(self.entries())

    def stopping(self):
        """From here on what an abrupt end does is usual too."""
        if self.stopping_from is None:
            self.stopping_from = len(self.entries())

    def _is_allowed(self, entry):
        if entry.number not in self.allowed:
            return False
        pattern = self.allowed[entry.number]
        return pattern is None or bool(pattern.search(entry.text))
