# SPDX-License-Identifier: Apache-2.0
"""Trials drawn from a seed, and those that once went wrong."""
import random

SIGNALS = ("TERM", "TERM", "INT")
BAD_FILES = ("words", "deep", "keys", "long", "zero", "journal")


def seconds(rng, least, most):
    return f"{rng.uniform(least, most):.2f}"


def fault(rng, way, mounts):
    """A fault, and what ends it; "" where it ends by itself or only with the trial."""
    drawn = [
        (3, lambda: ("before " + seconds(rng, 0.1, 2), "commands-back")),
        (2, lambda: ("after " + seconds(rng, 0.1, 2), "commands-back")),
        (2, lambda: ("hang", "commands-back")),
        (1, lambda: ("linger", "commands-back")),
        (1, lambda: ("refuse", "commands-back")),
        (1, lambda: ("lie", "commands-back")),
        (3, lambda: ("kill-orders", "")),
        (2, lambda: ("freeze-orders " + seconds(rng, 0.1, 1.5), "")),
        (4, lambda: ("pause-parent", "continue-httpd")),
        (2, lambda: ("pause-httpd", "continue-httpd")),
        (2, lambda: ("graceful", "")),
        (1, lambda: ("restart-httpd", "")),
        (2, lambda: ("kill-httpd", "start-httpd")),
        (2, lambda: ("freeze " + seconds(rng, 0.1, 2), "")),
        (1, lambda: ("no-log", "sensors-back")),
        (1, lambda: ("garbage", "sensors-back")),
        (1, lambda: ("no-group", "sensors-back")),
        (1, lambda: ("probe KILL", "")),
        (1, lambda: ("probe STOP", "sensors-back")),
        (1, lambda: ("reload good", "")),
        (1, lambda: ("reload " + rng.choice(BAD_FILES), "")),
        (1, lambda: ("second same", "")),
        (1, lambda: ("second other", "")),
    ]
    if way == "helper":
        drawn += [(2, lambda: ("helper-deaf", "helper-back")), (2, lambda: ("helper-gone", "helper-back")),
                  (2, lambda: ("kill-helper", ""))]
    if mounts:
        drawn += [(2, lambda: ("fill state", "disks-back")), (1, lambda: ("fill tunables", "disks-back")),
                  (1, lambda: ("readonly tunables", "disks-back"))]
    return rng.choices([make for _, make in drawn], [weight for weight, _ in drawn])[0]()


def beginning(rng):
    """Quiet, in the middle of a change, mitigated, or in a person's hands."""
    phase = rng.choices(("baseline", "order", "mitigated", "person", "foreign"), (1, 5, 5, 1, 1))[0]
    steps = ["start", "ready"]
    if phase == "order":
        slow = rng.choice(("", "before", "before", "after"))
        time = seconds(rng, 0.1, 1.5)
        return [*steps, *([f"{slow} {time}"] if slow else []), "loud", "order " + seconds(rng, 0, float(time) if slow else 0.3)]
    if phase == "mitigated":
        return [*steps, "loud", "mitigated", "wait " + seconds(rng, 0, 1)]
    if phase == "person":
        return [*steps, f"person {rng.randint(10, 19)} {rng.randint(5, 30)}000 {rng.randint(0, 2)}"]
    if phase == "foreign":
        away = ["loud", "mitigated", "wait 1", "quiet"] if rng.random() < 0.5 else []
        change = rng.choice((f"MaxRequestWorkers {rng.randint(11, 18)}", f"KeepAliveTimeout {rng.randint(7, 29)}100ms"))
        return [*steps, *away, "foreign " + change]
    return steps


def ending(rng, lifts):
    """Stops, kills, upgrades, or the neighbour leaves; what is broken is mended before, meanwhile, or after."""
    when = rng.choice(("before", "meanwhile", "meanwhile", "after"))
    mend = [step for lift in lifts for step in ("wait " + seconds(rng, 0, 1.5), lift)]
    before, meanwhile = (mend, []) if when == "before" else ([], mend if when == "meanwhile" else [])
    how = rng.choices(("stop", "kill", "upgrade", "calm"), (9, 7, 2, 2))[0]
    if how == "calm":
        return [*before, "calm"]
    if how == "kill":
        quiet = ["quiet"] if rng.random() < 0.6 else []
        twice = ["start", "wait " + seconds(rng, 0.3, 1.5), "kill bare"] if rng.random() < 0.2 else []
        return [*before, *quiet, rng.choice(("kill bare", "kill unit")), *twice, "start", *meanwhile, "calm",
                *(["stop TERM", "ended"] if rng.random() < 0.3 else [])]
    if how == "stop" and rng.random() < 0.1:
        return [*before, "quiet", "stop TERM", "wait " + seconds(rng, 0, 0.5), "kill unit", "start", *meanwhile, "calm"]
    jar = ["upgrade"] if how == "upgrade" else []
    again = ["start", "ready", "calm"] if jar or rng.random() < 0.2 else []
    return [*before, *jar, "stop " + rng.choice(SIGNALS), *meanwhile, "ended", *again]


def plan(seed, number, way, mounts):
    """The steps of a trial."""
    rng = random.Random(f"{seed}/{number}")
    steps, lifts = beginning(rng), []
    patient = "foreign" in " ".join(steps) or "person" in " ".join(steps)
    for _ in range(rng.choice((0, 1, 1, 1, 2, 2, 3))):
        step, lift = fault(rng, way, mounts)
        if step.startswith("second") and lifts:
            continue        # its start would take as long as a fault lasts
        steps += [step, "wait " + seconds(rng, 0, 0.6)]
        if lift:
            lifts.append(lift)
    if patient and rng.random() < 0.3 and not lifts:
        steps += ["resume"]
    return steps + ending(rng, lifts)


# What the agent got wrong once, or nearly: name, server, way, steps.
KNOWN = [
    ("a stop during an apply whose command is slow", "worker", "helper", "start; ready; before 1.2; loud; order 0.3; stop TERM; ended"),
    ("a stop while the command has done its work but not ended", "event", "helper",
     "start; ready; after 1.5; loud; order 0.4; stop TERM; ended"),
    ("a stop during an apply without the helper", "worker", "direct", "start; ready; loud; order 0.02; stop INT; ended"),
    ("a stop while httpd's parent is paused", "event", "direct",
     "start; ready; pause-parent; loud; order 0.3; stop TERM; wait 0.5; continue-httpd; ended"),
    ("kill -9 with a command that outlives the restart", "worker", "helper",
     "start; ready; before 2.5; loud; order 0.2; quiet; kill bare; start; calm"),
    ("kill -9 with a direct command that outlives the restart", "event", "direct",
     "start; ready; before 2.5; loud; order 0.2; quiet; kill bare; start; calm"),
    ("a helper that hangs", "event", "helper", "start; ready; hang; loud; order 0.1; looping; quiet; commands-back; calm; stop TERM; ended"),
    ("a journal that cannot be written", "worker", "direct",
     "start; ready; loud; mitigated; fill state; wait 0.5; stop TERM; ended"),
    ("by hand with a journal that cannot be written", "worker", "direct",
     "start; ready; loud; mitigated; kill bare; fill state; restore"),
    ("by hand with a journal that cannot be opened", "worker", "direct",
     "start; ready; loud; mitigated; kill bare; readonly state; restore"),
    ("a second agent with a journal of its own", "event", "direct", "start; ready; second other; loud; mitigated; second same; stop TERM; ended"),
    ("a bad file of every kind", "worker", "direct",
     "start; ready; loud; mitigated; " + "; ".join(f"reload {kind}" for kind in BAD_FILES) + "; calm; stop TERM; ended"),
    ("a stop that cannot restore says so", "worker", "direct",
     "start; ready; loud; mitigated; refuse; stop TERM; says the baseline could not be restored at the end; commands-back; ended"),
    ("a new jar in the middle of a change", "event", "helper",
     "start; ready; before 0.6; loud; order 0.1; upgrade; stop TERM; ended; start; ready; calm"),
    ("a lever that goes while a mitigation is in force", "worker", "helper",
     "start; ready; loud; mitigated mitigation; reload lever; calm; stop TERM; ended"),
    ("a lever that goes while no agent runs", "worker", "helper",
     "start; ready; loud; mitigated mitigation; kill bare mitigation; quiet; configure lever; start; ready; "
     "says mitigation, which is no lever any more; kill bare; configure all; start; calm"),
    ("a start with a journal that cannot be opened", "event", "direct",
     "start; ready; loud; mitigated; quiet; kill bare; readonly state; start; baseline; disks-back; start; calm"),
    ("httpd dies mitigated and comes back", "event", "direct", "start; ready; loud; mitigated; kill-httpd; wait 1; start-httpd; calm"),
]
