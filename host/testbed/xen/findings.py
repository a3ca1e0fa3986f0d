# SPDX-License-Identifier: Apache-2.0
"""What host/docs/study.md says of real Xen and of a QEMU guest's balloon, held against what an experiment left."""

import json
import re
import statistics
import time
from dataclasses import dataclass

from results import ResultError, domains, kept, kernels, schedule, xenalyze, xentop

MB = 1 << 20
BALLOON = "/machine/peripheral/balloon0"
BALLOON_STEPS_MB = (192, 128, 96, 256)
BALLOON_PATIENCE_S = 60


@dataclass(frozen=True)
class Finding:
    """What was expected under which name of the acceptance, and what came."""

    name: str
    expected: str
    came: str
    holds: bool

    def __str__(self):
        return f"{'ok  ' if self.holds else 'FAIL'} {self.name}: {self.expected}: {self.came}"


class Findings:
    """The files of one run."""

    def __init__(self, out):
        self.out = out

    def text(self, name):
        return kept(self.out / f"{name}.txt").out

    def left(self, name):
        """What an experiment of ic2-host left."""
        return json.loads((self.out / f"{name}.json").read_text())

    def shares(self, name, guests):
        """Mean CPU % of each guest over the rounds of xentop."""
        rounds = xentop(self.text(name))
        return [sum(one[guest] for one in rounds) / len(rounds) for guest in guests]

    def states(self, trace, guest):
        """{state: State} of a guest's first vCPU in one trace."""
        found, _ = xenalyze(self.text(f"{trace}-xenalyze"))
        return found[domains(self.text(f"{trace}-domains"))[guest], 0]

    def times(self, trace, guest):
        """Seconds running, waiting and parked of a guest's first vCPU in one trace."""
        states = self.states(trace, guest)
        return [states[name].seconds if name in states else 0 for name in ("running", "runnable", "offline")]


def judge(out, parts=None):
    """The findings of some parts, or all; an experiment that left nothing, or what is not understood, is one that does not hold."""
    found = []
    wanted = {name for part in parts or PARTS for name in PARTS[part]}
    for name, experiment in EXPERIMENTS.items():
        if name not in wanted:
            continue
        try:
            found += [Finding(name, *rest) for rest in experiment(Findings(out))]
        except (OSError, ResultError, KeyError, ValueError) as error:
            found.append(Finding(name, "a result", f"{type(error).__name__}: {error}", False))
    return found


def percent(values):
    return " / ".join(f"{value:.1f}" for value in values)


def near(values, wanted, tolerance):
    return all(abs(value - want) <= tolerance for value, want in zip(values, wanted))


def pinned(of):
    shares = of.shares("14-xentop-weights-1-2-4", ["g1", "g2", "g3"])
    yield "weights 1 : 2 : 4 do nothing to guests pinned to one of two CPUs (Credit1)", percent(shares), \
        near(shares, [33.3] * 3, 6)


def pooled(of):
    shares = of.shares("32-xentop-credit1-pool-weights-1-2-4", ["g1", "g2", "g3"])
    yield "in a cpupool of that CPU they give 14 / 28 / 57 %", percent(shares), near(shares, [14.3, 28.6, 57.1], 3)


def parked(of):
    running, waiting, offline = of.times("91-cap25-alone", "g2")
    yield "a burner with a cap of 25 %, alone, is parked for the rest and not counted as waiting", \
        f"running {running:.2f}, waiting {waiting:.2f}, parked {offline:.2f} s of 4", offline > 2.5 and waiting < 0.1
    records = of.text("91-cap25-alone-records")
    yield "it goes from running to offline, never to runnable", \
        f"{records.count('running->offline')} and {records.count('running->runnable')} times in the records kept", \
        "running->offline" in records and "running->runnable" not in records
    running, waiting, offline = of.times("90-cap25-three", "g2")
    yield "beside two burners without a cap it gets its quarter too, and waits or is parked for the rest", \
        f"running {running:.2f}, waiting {waiting:.2f}, parked {offline:.2f} s of 4", \
        0.8 < running < 1.2 and waiting + offline > 2.5


def rule2(of):
    for weight in (256, 1024, 43008):
        what = f"a burner of weight 256 beside a guest of weight {weight} that wants 30 %"
        free, capped = (of.shares(f"92-rule2-w{weight}-cap{cap}", ["g1"])[0] for cap in (0, 100))
        yield f"{what} gets less with a cap of 100", f"{free:.1f} -> {capped:.1f} %", capped < free - 2
        _, waiting, offline = of.times(f"93-rule2-w{weight}-cap0", "g1")
        _, capped_waiting, capped_offline = of.times(f"93-rule2-w{weight}-cap100", "g1")
        yield "it stands still for longer then, but no more is counted as waiting", \
            f"waiting {waiting:.2f} -> {capped_waiting:.2f} s, parked {offline:.2f} -> {capped_offline:.2f} s of 4", \
            capped_waiting < 1.05 * waiting and capped_waiting + capped_offline > waiting + offline


def lever(of):
    waits = [of.times(trace, "g4")[1] for trace in LEVER]
    came = "30 ms: %.2f s, 5 ms: %.2f s, weight 43008: %.2f s of 4" % tuple(waits)
    yield "the interactive guest waits 70 % less with a short slice or a large weight", came, min(waits[1:]) <= 0.3 * waits[0]


def ballooned(of):
    steps = re.findall(r"^goal (\d+)\n((?:g1 .*\n)+)", of.text("37-mem-set-steps"), re.MULTILINE)
    if len(steps) != 3:
        raise ResultError(f"mem-set: expected three goals, found {len(steps)}")
    for goal, rows in steps:
        came = rows.splitlines()[-1].split()[2]
        yield f"a Xen guest's balloon reaches {goal} MB", f"{came} MB", came == goal


def second_to_first(of, kernel, left=""):
    """What a kernel takes on Credit2 over what it takes on Credit1: mean and deviation, of two guests each, by what they LEFT."""
    sums = []
    for prefix in ("80-c1", "81-c2"):
        ends = kernels(of.text(f"{prefix}-{left or kernel}"), kernel)
        if len(ends) != 2:
            raise ResultError(f"{prefix}: {kernel}: expected two guests that came to their end, found {len(ends)}")
        sums.append([sum(values) for values in zip(*ends)])
    return [second / first for first, second in zip(*sums)]


def spinning(of):
    mean, deviation = second_to_first(of, "spin")
    yield "guests that turn at barriers are faster on Credit2", f"ratio of means {mean:.2f}", mean < 0.8
    yield "and steadier", f"ratio of deviations {deviation:.2f}", deviation < 0.5


def alone(of):
    mean, _ = second_to_first(of, "ep")
    yield "guests that never meet (EP) are not faster on Credit2", f"ratio of means {mean:.2f}", mean > 1


def partners(of):
    turning = [second_to_first(of, kernel, "partners") for kernel in PARTNERS]
    means, deviations = zip(*turning)
    yield "ranks that turn while they wait for partners are faster on Credit2", of_each(means), all(mean < 1 for mean in means)
    yield "and steadier", of_each(deviations), all(deviation < 1 for deviation in deviations)
    asleep = [second_to_first(of, f"{kernel}-block", "partners")[0] for kernel in PARTNERS]
    yield "ranks that sleep meanwhile take as long on both, in the mean within a fifth", of_each(asleep), \
        0.8 < statistics.geometric_mean(asleep) < 1.25


def of_each(ratios):
    return ", ".join(f"{kernel.upper()} {ratio:.2f}" for kernel, ratio in zip(PARTNERS, ratios))


def switches(of):
    runs = [of.states(trace, "g1")["running"] for trace in ("36-credit1-equal", "43-credit2-equal")]
    came = f"{runs[0].count} runs on Credit1, {runs[1].count} on Credit2 in 3 s"
    yield "Credit2 switches between three burners at least five times as often", came, runs[1].count >= 5 * runs[0].count


def side_by_side(of):
    means = []
    for pool in ("credit", "credit2"):
        ends = kernels(of.text(f"141-side-ep-{pool}"), "ep")
        if len(ends) != 2:
            raise ResultError(f"ep on {pool}: expected two guests that came to their end, found {len(ends)}")
        means.append(sum(mean for mean, _ in ends) / 2)
    yield "speeds in two pools of one machine cannot be compared: guests that never meet differ more than any scheduler could make them," \
        " as QEMU gives its CPUs unequal numbers of instructions", f"{means[0]:.2f} and {means[1]:.2f} s", \
        not 0.67 < means[1] / means[0] < 1.5


def placed(of):
    said = of.text("151-place-check")
    yield "ic2-host check says that the weights of pinned guests are void", f"{said.count('its weight is void')} notes", \
        all(f"note: {guest}: its weight is void" in said for guest in ("b1", "b2"))
    pinned = of.shares("150-place-pinned-xentop", ["web", "b1", "b2"])
    yield "web has a CPU of its own; b1 and b2, pinned to another, share it alike, whatever their weights", percent(pinned), \
        near(pinned, [100, 50, 50], 6)
    made = kept(of.out / "153-place-realise.txt")
    yield "what ic2-host advise prints for pools is done by Xen as it stands", f"status {made.status} {made.err[-80:]}".strip(), \
        made.status == 0
    weights = schedule(of.text("155-place-weights"))["ic2-mem"]["domains"]
    yield "a guest that comes to another pool has weight 256 there", ", ".join(f"{name} {at['weight']}" for name, at in weights.items()), \
        {name: at["weight"] for name, at in weights.items()} == {"b1": 256, "b2": 256}
    pooled_now = of.shares("154-place-pools-xentop", ["web", "b1", "b2"])
    yield "in a pool of that CPU their weights 1 : 3, set again, count", percent(pooled_now), near(pooled_now, [100, 25, 75], 4)
    away = of.left("agent-places")["pins_away_after_its_end"]
    yield "the agent's own pins are gone when it ends", "away" if away else "gone", not away


def agent_sees(of):
    said = of.text("120-check")
    yield "ic2-host check shows pools, guests and knobs", f"{len(said.splitlines())} lines", \
        all(word in said for word in ("pool Pool-G: credit, 1 CPUs", "guest g4 (", "knob tslice of a pool", "xentrace, runnable"))
    advice = of.text("120-advise")
    yield "ic2-host advise says what it would do and moves nothing", f"moved: {of.left('agent-looks')['advise_moved'] or 'nothing'}", \
        "g4's weight" in advice and not of.left("agent-looks")["advise_moved"]


def agent_acts(of):
    left = of.left("agent-acts")
    yield "ic2-host moves weight, cap, time slice, rate limit and memory of real guests", ", ".join(left["moved"]), \
        set(left["moved"]) >= {"weight", "cap", "tslice", "memory"}
    used = sum(left["used"][guest] for guest in ("g1", "g2", "g4"))
    yield "what it measures of three guests on one CPU adds up to that CPU", f"{used:.3f}", 0.95 < used < 1.05
    yield "all is back when it ends", str(left["away_after_its_end"] or "nothing away"), not left["away_after_its_end"]


def killed(of):
    left = of.left("agent-kills")
    kills = left["done"]
    baseline = sum(kill["same"] for kill in kills)
    away = sum(bool(kill["away"]) for kill in kills)
    yield "after kill -9 of ic2-host and restore, or the next start, each knob is at the baseline and nothing else has moved", \
        f"{baseline} of {len(kills)} ({away} of them with knobs away; {left['wanted']} were wanted; {times(kills)})", \
        baseline == len(kills) == left["wanted"] and away > 0
    slowest = max(kill["took_s"] for kill in kills)
    yield "and within 5 s of the moment at which the restore begins (R1)", f"at most {slowest} s", slowest <= 5


def times(kills):
    """How long the restores took, from the start of the program that made them."""
    took = {way: [kill["took_s"] for kill in kills if kill["way"].startswith(way)] for way in ("restore", "start")}
    return ", ".join(f"{way} {min(seconds)} to {max(seconds)} s" for way, seconds in took.items() if seconds)


def sought(of):
    said = of.text("130-optimize")
    tried = list(re.finditer(r"better in (\d+) of \d+ pairs .*? cost -?[\d.]+ % less", said))
    yield "a setting found live on a real pool costs less than the default in 9 of 10 pairs", \
        "; ".join(one[0] for one in tried) or said.strip().splitlines()[-1], bool(tried) and int(tried[-1][1]) >= 9
    away = of.left("agent-searches")["away_after_its_end"]
    yield "and all is back after the search", str(away or "nothing away"), not away


def notices(of):
    large, larger = (kept(of.out / f"{name}.txt").status for name in ("104-notice-2048-bytes", "105-notice-2049-bytes"))
    yield "xenstore takes a value of 2048 bytes and none of 2049", f"status {large} and {larger}", (large, larger) == (0, 1)
    plain, raw = ('{"a":"\\"b\\n\\\\c"}' in of.text(name) for name in ("106-notice-escaped", "107-notice-raw"))
    yield "JSON comes back as it was with -R, and not without", f"without: {plain}, with: {raw}", raw and not plain
    steps = re.findall(r"^TRY \$ (.*?)\n.*?^TRY rc=(\d+)$", of.text("111-tenant"), re.MULTILINE | re.DOTALL)
    came = [status for _, status in steps]
    yield "a tenant reads its notice (and can write over it), writes its own, and has no way to another's", \
        "; ".join(f"{step[:40]}: {status}" for step, status in steps), came == list("01001011110" + "00")
    one = kept(of.out / "116-notice-after-the-end.txt")
    yield "a notice to a domain that is gone makes nodes that stay", f"{one.out.count(' = ')} nodes", "notice" in one.out


def talked(of):
    left = of.left("agent-talks")
    heard = "%d of %d turns, at %s s" % (left["heard"], left["turns"], left["heard_s"])
    yield "the host hears what the tenant measures, to the last figure", heard, \
        left["heard"] > 0 and left["heard_s"] == sorted(left["told_s"].values())
    yield "the tenant reads what the host measures of it", f"{left['read_as_measured']} of {left['read']} looks", \
        left["read"] > 0 and left["read_as_measured"] == left["read"]
    yield "and does not judge an interval in which the host has moved something", ", ".join(left["acted"]) or "no such interval", \
        left["acted"] == ["a reconfiguration fell into the interval"]
    references = [numbers["ref"] for numbers in left["references"]]
    yield "the host allows more while the tenant is slower than it wants to be", " > ".join(f"{one:.2f}" for one in references), \
        len(references) > 1 and references[-1] < references[0]
    yield "the host hears that the tenant sheds", f"in {left['shedding']} turns", left["shedding"] > 0
    both, gone = of.text("160-talks-both"), of.text("162-talks-host-gone")
    yield "what stands in xenstore is the two messages of the guest that the file names, and nothing of its neighbour", \
        f"{both.count('/data/ic2/')} nodes", messages(both) == {"notice", "tenant"}
    yield "a tenant that is killed is silent to the host", left["silence"], "has been silent for" in left["silence"]
    yield "a message of a tenant that is not understood is said to be so", left["garbage"], "is not understood" in left["garbage"]
    yield "the host's notice is away at its end, and the tenant says so", left["end"], \
        messages(gone) == {"tenant"} and "couldn't read path" in left["end"]
    yield "all is back then", str(left["away_after_its_end"] or "nothing away"), not left["away_after_its_end"]


def messages(text):
    """Which messages stand in xenstore of the guest called tenant; an error if its neighbour has any."""
    mine, _, others = text.partition("\ng1\n")
    if "/data/ic2" in others:
        raise ResultError("xenstore: something is told to g1, which the file does not name")
    return set(re.findall(r"^/local/domain/\d+/data/ic2/(\w+) = ", mine, re.MULTILINE))


def balloon(of):
    for step in json.loads((of.out / "balloon.json").read_text()):
        yield f"a QEMU guest's balloon reaches {step['asked']} MB", \
            f"{step['actual']} MB after {step['seconds']:.1f} s", step["actual"] == step["asked"]


def move_balloon(machine, out):
    """Moves the balloon of a running machine there and back; leaves what came in balloon.json."""
    steps = []
    machine.qmp("cont")
    try:
        machine.qmp("qom-set", {"path": BALLOON, "property": "guest-stats-polling-interval", "value": 1})
        for wanted in BALLOON_STEPS_MB:
            began = time.monotonic()
            machine.qmp("balloon", {"value": wanted * MB})
            actual = 0
            while actual != wanted and time.monotonic() < began + BALLOON_PATIENCE_S:
                actual = machine.qmp("query-balloon")["return"]["actual"] // MB
            steps.append({"asked": wanted, "actual": actual, "seconds": round(time.monotonic() - began, 2)})
        steps[-1]["guest"] = machine.qmp("qom-get", {"path": BALLOON, "property": "guest-stats"})["return"]
    finally:
        machine.qmp("stop")
    (out / "balloon.json").write_text(json.dumps(steps, indent=2) + "\n")


PARTNERS = ("cg", "lu", "sp", "bt", "mg", "ft")
LEVER = ("70-c1-ts30-equal", "71-c1-ts5-equal", "72-c1-ts34-w43008")
EXPERIMENTS = {"T6 lever": lever, "T7 parked": parked, "T7 rule 2": rule2, "T8 pinned": pinned, "T8 cpupool": pooled,
               "J6 Xen": ballooned, "J6 balloon": balloon, "P2 spin": spinning, "P2 EP": alone, "P2 partners": partners,
               "P2 switches": switches, "P2 side by side": side_by_side, "T8 placement": placed,
               "agent sees": agent_sees, "agent acts": agent_acts, "R1 Xen": killed, "T6 live": sought, "contract": notices,
               "contract by agents": talked}
# What each machine of `check` is for.
PARTS = {"credit1": ("T7 parked", "T7 rule 2", "T8 pinned", "T8 cpupool", "J6 Xen", "P2 switches", "contract"), "lever": ("T6 lever",),
         "kernels": ("P2 spin", "P2 EP"), "partners": ("P2 partners",), "side": ("P2 side by side",),
         "placed": ("T8 placement",), "talks": ("contract by agents",),
         "acts": ("agent sees", "agent acts"), "searches": ("T6 live",), "kills": ("R1 Xen",), "balloon": ("J6 balloon",)}
