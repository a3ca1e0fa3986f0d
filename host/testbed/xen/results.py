# SPDX-License-Identifier: Apache-2.0
"""What the experiments left in Dom0's shared folder, as numbers. What does not look as expected is an error, never a guess."""

import re
from dataclasses import dataclass

STATE = re.compile(r"^ +([a-z]+): +(\d+) +(\d+\.\d+)s +(\d+) ", re.MULTILINE)


class ResultError(Exception):
    """Says which text was expected where, and what came."""


@dataclass(frozen=True)
class Kept:
    """A file of `keep`: the command, its status, what it printed."""

    command: str
    status: int
    out: str
    err: str


def kept(path):
    form = r"# \$ (.*?)\n# rc=(\d+)\n# --- stdout\n(.*?)# --- stderr\n(.*)"
    found = re.fullmatch(form, path.read_text(errors="replace"), re.DOTALL)
    if not found:
        raise ResultError(f"{path}: no record of a command")
    return Kept(found[1], int(found[2]), found[3], found[4])


def xentop(text):
    """CPU in percent by domain, of each round but the first, which shows 0.0 everywhere. Names may hold spaces."""
    rounds = []
    for line in text.splitlines():
        words = line.split()
        if words[-1:] == ["SSID"]:
            rounds.append({})
        elif rounds and len(words) >= 19:
            try:
                rounds[-1][" ".join(words[:-18])] = float(words[-16])
            except ValueError:
                raise ResultError(f"xentop: no percentage of CPU in: {line}") from None
    if len(rounds) < 2 or not all(rounds):
        raise ResultError(f"xentop: expected two rounds or more with domains in them, found {len(rounds)}")
    return rounds[1:]


def domains(text):
    """Number of each domain by its name, of `xl list`."""
    rows = re.findall(r"^(.*?)\s+(\d+)\s+\d+\s+\d+\s+[a-z-]{6}\s+[\d.]+$", text, re.MULTILINE)
    found = {name: int(number) for name, number in rows}
    if not found:
        raise ResultError("xl list: no domain")
    return found


@dataclass(frozen=True)
class State:
    """Of one vCPU in one state: how often, seconds altogether, cycles at a time."""

    count: int
    seconds: float
    mean: int


def states(text):
    return {name: State(int(count), float(seconds), int(mean)) for name, count, seconds, mean in STATE.findall(text)}


def xenalyze(text):
    """({(domain, vCPU): {state: State}}, seconds traced) of xenalyze's summary."""
    total = re.search(r"^Total time: (\d+\.\d+) seconds", text, re.MULTILINE)
    if not total or float(total[1]) == 0:
        raise ResultError("xenalyze: no traced time")
    found = {}
    for section in re.split(r"^\|-- Domain (?=\d+ --\|)", text, flags=re.MULTILINE)[1:]:
        domain = int(section.split(" ", 1)[0])
        for part in re.split(r"^-- v(?=\d+ --$)", section, flags=re.MULTILINE)[1:]:
            found[domain, int(part.split(" ", 1)[0])] = states(part)
    if not found:
        raise ResultError("xenalyze: no vCPU")
    return found, float(total[1])


def kernels(text, name):
    """[(mean, deviation)] in seconds of the guests in which this kernel came to its end."""
    ends = re.findall(rf"^SUM {name} mean (\d+\.\d+) sd (\d+\.\d+) ", text, re.MULTILINE)
    return [(float(mean), float(deviation)) for mean, deviation in ends]


def memory(text):
    """MB of each domain in each `xl list` of a text."""
    lists = []
    for line in text.splitlines():
        if line.startswith("Name "):
            lists.append({})
        elif lists and (found := re.match(r"^(.*?) +\d+ +(\d+) +\d+ +[a-z-]{6} ", line)):
            lists[-1][found[1]] = int(found[2])
    if not lists:
        raise ResultError("xl list: no list")
    return lists


def schedule(text):
    """{pool: {tslice, ratelimit, domains: {name: {weight, cap}}}} of `xl sched-credit`."""
    pools = {}
    for line in text.splitlines():
        if found := re.match(r"Cpupool (.*): tslice=(\d+)ms ratelimit=(\d+)us", line):
            domains = {}
            pools[found[1]] = {"tslice": int(found[2]), "ratelimit": int(found[3]), "domains": domains}
        elif pools and (found := re.match(r"(.*?) +\d+ +(\d+) +(\d+)$", line)):
            domains[found[1]] = {"weight": int(found[2]), "cap": int(found[3])}
    if not pools:
        raise ResultError("xl sched-credit: no pool of Credit1")
    return pools
