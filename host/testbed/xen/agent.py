# SPDX-License-Identifier: Apache-2.0
"""The real `ic2-host` over a real Xen: what it sees, says and moves, and that all is back after a `kill -9`."""

import json
import pathlib
import random
import re
import signal
import sys
import time

from results import ResultError, memory, schedule

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import host_agent as agents  # noqa: E402

PATIENCE_S = 300
SEARCH_PATIENCE_S = 3600
GUESTS = """\
. /out/lib.sh
pool credit
guest g1 100 100 Pool-G
guest g2 100 100 Pool-G
guest g4 20 10 Pool-G
up g1 g2 g4
"""
# beside two burners one of them always waits, whatever the settings
SEARCHED = """\
. /out/lib.sh
pool credit
guest g1 100 100 Pool-G
guest g2 20 10 Pool-G
guest g4 20 10 Pool-G
up g1 g2 g4
"""
# what g4's own agent would say: 90000 KiB, of which 30000 are free
TOLD = "id=$(xl domid g4); xenstore-write /local/domain/$id/data/meminfo_total 90000; xenstore-write /local/domain/$id/data/meminfo_free 30000"
CONFIG = """\
backend: {type: xen}
guests:
  g4: {class: LS1, memory: [76MiB, 128MiB], cpu: [0.1, 0.6]}
  "*": {class: NLS}
controllers:
  joint: {guests: [g4], knobs: [cap, memory], period: 1s, take: always}
  schedule: {knobs: [weight, tslice, ratelimit], library: regions.json, period: 1s, confirm: 1}
safety: {actions-per-hour: 100000}
journal: journal.jsonl
"""
FEATURES = ("cpu_percent", "vcpu_ratio", "vm_count", "net_mbit")
SEARCH = """\
backend: {type: xen}
mode: act
guests:
  g2: {class: LS1}
  g4: {class: LS1}
  "*": {class: NLS}
controllers:
  schedule: {knobs: [weight, tslice, ratelimit], library: regions.json}
journal: journal.jsonl
"""
PLACEMENT = """\
backend: {{type: xen}}
reserve: {{cpus: 1}}
guests:
  web: {{class: LS1}}
  b1: {{class: NLS, intensity: 0.9}}
  b2: {{class: NLS, intensity: 0.9}}
  "*": {{class: NLS}}
controllers:
  placement: {{knobs: [affinity], realise: {realise}, intensity: {{type: declared}}, period: 1s}}
journal: journal.jsonl
"""
MOVES = ("weight", "cap", "tslice", "memory")


def library(settings=True):
    """One region in which every load is."""
    zero, one = ({feature: value for feature in FEATURES} for value in (0, 1))
    region = {"centre": zero, "radius": 1e9, "points": 100}
    if settings:
        region["settings"] = {"tslice_ms": 7, "ratelimit_us": 900, "weights": {"LS1": 1024, "NLS": 300}, "base_cost": 1, "cost": 1,
                              "held_out_gain": 0, "provenance": "by hand, for an experiment"}
    return json.dumps({"format": 1, "scaling": {"kind": "none", "mean": zero, "spread": one}, "silhouette": 0, "regions": [region]})


def must(bridge, command):
    """What a command in Dom0 prints, which must succeed."""
    status, text, errors = bridge.run(command, patience=PATIENCE_S)
    if status != 0:
        raise ResultError(f"{command.split(';')[0][:60]}: status {status}: {errors.strip() or text.strip()}")
    return text


class Knobs:
    """All that ic2-host could move on a Xen, of all pools and guests, as Xen says it."""

    def __init__(self, bridge):
        text = must(bridge, "xl sched-credit && echo == && xl list && echo == && xl vcpu-list | awk '{ print $1, $3, $(NF-2), $NF }'")
        scheduled, listed, self.pins = text.split("==\n")
        self.schedule = schedule(scheduled)
        self.memory = memory(listed)[0]

    def __eq__(self, other):
        return vars(self) == vars(other)

    def moved(self, baseline):
        """Which of the kinds are not as they were."""
        kinds = set()
        for pool, now in self.schedule.items():
            was = baseline.schedule[pool]
            kinds |= {kind for kind in ("tslice", "ratelimit") if now[kind] != was[kind]}
            kinds |= {kind for guest, at in now["domains"].items() for kind in ("weight", "cap") if at[kind] != was["domains"][guest][kind]}
        return kinds | ({"memory"} if self.memory != baseline.memory else set())


class Agent(agents.HostAgent):
    """ic2-host with Dom0's commands."""

    patience_s = PATIENCE_S

    def __init__(self, bridge, directory, config=CONFIG, settings=True):
        super().__init__(directory, config, bridge.environment())
        (self.directory / "regions.json").write_text(library(settings))


def keep(path, command, done):
    """As Dom0's `keep` does."""
    path.write_text(f"# $ {command}\n# rc={done.returncode}\n# --- stdout\n{done.stdout}# --- stderr\n{done.stderr}")


def await_true(condition, what, pause_s=0.2, patience=PATIENCE_S):
    end = time.monotonic() + patience
    while not condition():
        time.sleep(pause_s)
        if time.monotonic() > end:
            raise ResultError(f"never came true: {what}")


def begin(bridge):
    """The guests, and what g4's agent says."""
    must(bridge, GUESTS + TOLD)


def looks(bridge, directory, out):
    """check and advise: what they say, and that nothing is moved."""
    agent = Agent(bridge, directory)
    baseline = Knobs(bridge)
    for verb in ("check", "advise"):
        done = agent.verb(verb)
        keep(out / f"120-{verb}.txt", f"ic2-host {verb}", done)
    return {"advise_moved": sorted(Knobs(bridge).moved(baseline))}


def acts(bridge, directory):
    """It moves knobs of each kind, and brings them back when it ends."""
    baseline = Knobs(bridge)
    agent = Agent(bridge, directory)
    seen = set()
    used = {}

    def all_moved():
        seen.update(Knobs(bridge).moved(baseline))
        for guest in (agent.status() or {}).get("guests", []):
            used[guest["name"]] = guest.get("metrics", {}).get("cpu.run")
        return seen >= set(MOVES) and None not in used.values() and used

    agent.start("act")
    try:
        await_decision(agent)
        await_true(all_moved, f"it moves {', '.join(MOVES)}", pause_s=5)
    finally:
        agent.end()
        agent.verb("restore")   # as ExecStopPost does: its 40 s may not suffice where each xl takes seconds
    return {"moved": sorted(seen), "used": used, "away_after_its_end": sorted(after(bridge, baseline).moved(baseline))}


def after(bridge, baseline):
    """The knobs when they are at the baseline, or when they should be: a balloon takes its time."""
    for _ in range(10):
        now = Knobs(bridge)
        if now == baseline:
            break
        bridge.run("sleep 1")
    return now


def decided(agent):
    """How often it has written down that it is about to move something."""
    journal = agent.directory / "journal.jsonl"
    lines = journal.read_text().splitlines() if journal.exists() else []
    return sum('"kind":"intent"' in line and '"origin":"DECISION"' in line for line in lines)


def noted(agent):
    """What it has noted of knobs that may be away; a knob that was read at the baseline is forgotten."""
    snapshot = agent.directory / "snapshot.json"
    return json.loads(snapshot.read_text())["knobs"] if snapshot.exists() else []


def await_decision(agent, before=0):
    """Costs Xen nothing, unlike a look at its knobs, which would take the agent's time."""
    await_true(lambda: decided(agent) > before, "it is about to move a knob", pause_s=0.01)


def kills(bridge, directory, number, seed=None):
    """
    R1: so many kills, 1 ms to 32 s after the first change is about to be made, evenly by their logarithm; each is followed by
    what ExecStopPost does, or by another start. What came of those until now, after each.
    """
    baseline = Knobs(bridge)
    drawn = random.Random(seed)
    done = []
    for trial in range(number):
        agent = Agent(bridge, directory)
        before = decided(agent)
        agent.start("act")
        await_decision(agent, before)
        limit = 10 ** drawn.uniform(-3, 1.5)
        time.sleep(limit)
        agent.end(signal.SIGKILL)
        left = sorted(Knobs(bridge).moved(baseline))
        began = time.monotonic()
        if trial % 4 == 3:
            agent.start("observe")
            await_true(lambda one=agent: not noted(one), "the next one restores what is noted", pause_s=0.01)
            way = "start"
        else:
            way = f"restore {agent.verb('restore').returncode}"
        took = time.monotonic() - began
        agent.end()
        now = after(bridge, baseline)
        done.append({"after_s": round(limit, 2), "away": left, "way": way, "took_s": round(took, 1),
                     "still_away": sorted(now.moved(baseline)), "same": now == baseline})
        print(f"check-xen: kill {trial + 1} of {number}: {done[-1]}", flush=True)
        yield done


def searches(bridge, directory, out, evaluations):
    """T6: settings for a pool of a burner and two interactive guests, sought and confirmed live; where the knobs are at its end."""
    must(bridge, SEARCHED)
    baseline = Knobs(bridge)
    agent = Agent(bridge, directory, SEARCH, settings=False)
    agent.patience_s = SEARCH_PATIENCE_S
    words = ["optimize", "--evaluations", str(evaluations)]
    done = agent.verb(*words, "--library", agent.directory / "regions.json")
    keep(out / "130-optimize.txt", f"ic2-host {' '.join(words)}", done)
    return {"away_after_its_end": sorted(after(bridge, baseline).moved(baseline)),
            "settings": json.loads((agent.directory / "regions.json").read_text())["regions"][0].get("settings")}


def placed(bridge, directory, out):
    """T8: the plan by pinning, by the agent itself; then by the pools that it advises, made with its commands by a person."""
    must(bridge, "sh /out/place.sh guests")
    baseline = Knobs(bridge)
    pins = Agent(bridge, directory / "pins", PLACEMENT.format(realise="affinity"))
    pins.start("act")
    try:
        await_decision(pins)
        await_true(lambda: placed_alike(Knobs(bridge).pins), "it pins b1 and b2 to one CPU", pause_s=3)
        must(bridge, "sh /out/place.sh shares 150-place-pinned")
        keep(out / "151-place-check.txt", "ic2-host check", pins.verb("check"))
    finally:
        pins.end()
        pins.verb("restore")
    away = Knobs(bridge).pins != baseline.pins
    advice = Agent(bridge, directory / "pools", PLACEMENT.format(realise="cpupool")).verb("advise")
    keep(out / "152-place-advise.txt", "ic2-host advise", advice)
    commands = re.findall(r"\b(xl cpupool-.*)", advice.stdout)
    if not commands:
        raise ResultError(f"ic2-host advise: no commands in {advice.stdout!r} {advice.stderr!r}")
    (out / "realise.sh").write_text("\n".join(commands) + "\n")
    must(bridge, "sh /out/place.sh realise /out/realise.sh")
    must(bridge, "sleep 2; sh /out/place.sh shares 154-place-pools")
    return {"pins_away_after_its_end": away, "commands": commands}


def placed_alike(pins):
    """True when b1 and b2 are pinned, and to the same CPU."""
    where = dict(re.findall(r"^(b[12]) \S+ (\S+) ", pins, re.MULTILINE))
    return where.get("b1") == where.get("b2") != "all" and len(where) == 2
