# SPDX-License-Identifier: Apache-2.0
"""From the load's interval lines to one line per window, and from windows to tables. Pure: no input, no output."""

from dataclasses import dataclass
from statistics import fmean

DISTURBED = 0.2  # share of the tier's CPU that foreign work may take before a window is dropped
COLUMNS = {      # column -> (heading, unit, decimals)
    "throughput": ("X", "1/s", 1),
    "response_time": ("mean", "s", 3),
    "response_time_p95": ("p95", "s", 3),
    "interactive_response_time": ("N/X-Z", "s", 3),
    "pending_users": ("pending", "users", 0),
    "oldest_wait": ("oldest wait", "s", 2),
    "cpu_per_operation": ("CPU/op", "ms", 2),
    "cpu_use": ("CPU", "cores", 2),
    "stall": ("stall", "share", 2),
    "connects": ("connects", "1/s", 1),
    "errors": ("errors", "1/s", 2),
}


@dataclass(frozen=True)
class Counters:
    """What the harness reads at the edges of a window: seconds of time and of CPU, all since some start."""

    time: float                 # wall clock, epoch
    web_cpu: float | None       # CPU used by the web tier's group
    neighbour_cpu: float | None
    web_stall: float | None     # PSI full of the web tier's group
    busy: float                 # CPU time of the tier's CPU that was not idle
    steal: float                # and that the hypervisor took


def window(rows, begin, end, interval):
    """One window: the load's rows whose middle lies between begin and end, weighted as their meaning demands, and the
    differences of the counters. Raises ValueError if the load wrote no line for a part of it."""
    starts = [rows[0]["time"] - interval] + [r["time"] for r in rows[:-1]]  # the last line may be shorter
    inside = [r for s, r in zip(starts, rows) if begin.time < (s + r["time"]) / 2 < end.time]
    expected = round((end.time - begin.time) / interval)
    if len(inside) != expected:
        raise ValueError(f"expected {expected} lines of the load from {begin.time:.1f} to {end.time:.1f}, "
                         f"found {len(inside)}")
    seconds = end.time - begin.time
    operations = [r["throughput"] for r in inside]
    result = {
        "throughput": fmean(operations),
        "response_time": _weighted(inside, "response_time", operations),
        "response_time_p95": _weighted(inside, "response_time_p95", operations),
        "interactive_response_time": _mean(inside, "interactive_response_time"),
        "pending_users": inside[-1]["pending_users"],
        "oldest_wait": max(r["oldest_wait"] or 0 for r in inside),
        "connects": sum(r["connects"] for r in inside) / seconds,
        "errors": sum(r["errors"] for r in inside) / seconds,
        "leaks": sum(r.get("leaks") or 0 for r in inside),
        "generator_lag": max(r["generator_lag"] or 0 for r in inside),
        "cpu_use": None, "cpu_per_operation": None, "stall": None, "foreign": None,
        "steal": (end.steal - begin.steal) / seconds,
    }
    if begin.web_cpu is not None:
        used = end.web_cpu - begin.web_cpu
        result["cpu_use"] = used / seconds
        if result["throughput"]:
            result["cpu_per_operation"] = 1000 * used / seconds / result["throughput"]
        ours = used + end.neighbour_cpu - begin.neighbour_cpu
        result["foreign"] = max(0.0, (end.busy - begin.busy - ours) / seconds)
    if begin.web_stall is not None:
        result["stall"] = (end.web_stall - begin.web_stall) / seconds
    return result


def _weighted(rows, column, weights):
    pairs = [(r[column], w) for r, w in zip(rows, weights) if r[column] is not None and w]
    total = sum(w for _, w in pairs)
    return sum(v * w for v, w in pairs) / total if total else None


def _mean(rows, column):
    values = [r[column] for r in rows if r[column] is not None]
    return fmean(values) if values else None


def read_intervals(text):
    """The load's CSV as dicts of numbers; an empty field is None. The file may still grow: a line without its end, or
    a file without its header, is not there yet."""
    lines = text[:text.rfind("\n") + 1].splitlines()
    names = lines[0].split(",") if lines else []
    return [{name: _number(field) for name, field in zip(names, line.split(","), strict=True)} for line in lines[1:]]


def _number(text):
    if text == "":
        return None
    try:
        return float(text)
    except ValueError:
        return text


def disturbed(result):
    """Whether foreign work took so much of the CPU that the window says nothing."""
    return (result["foreign"] or 0) > DISTURBED


@dataclass(frozen=True)
class Cell:
    """Mean and range of one column over the good windows of one pair of setting and neighbour."""

    mean: float
    low: float
    high: float
    count: int


def summary(measured, column):
    """measured: list of (arm label, neighbour label, result). -> {(arm, neighbour): Cell}."""
    values = {}
    for arm, neighbour, result in measured:
        if result[column] is not None and not disturbed(result):
            values.setdefault((arm, neighbour), []).append(result[column])
    return {key: Cell(fmean(v), min(v), max(v), len(v)) for key, v in values.items()}


def markdown(measured, arm_heading, columns=COLUMNS):
    """A table: one line per setting and neighbour, cells `mean [low..high]`."""
    cells = {c: summary(measured, c) for c in columns}
    keys = list(dict.fromkeys((arm, neighbour) for arm, neighbour, _ in measured))
    keys.sort(key=lambda k: [a for a, _, _ in measured].index(k[0]))
    head = [arm_heading, "neighbour", "windows"] + [f"{h}, {u}" for h, u, _ in columns.values()]
    lines = ["| " + " | ".join(head) + " |",
             "|" + "---|" * (len(columns) + 3)]
    for key in keys:
        counts = [cells[c][key].count for c in columns if key in cells[c]]
        row = [key[0], key[1], str(max(counts, default=0))]
        row += [_text(cells[c].get(key), decimals) for c, (_, _, decimals) in columns.items()]
        lines.append("| " + " | ".join(row) + " |")
    return "\n".join(lines) + "\n"


def _text(cell, decimals):
    if cell is None:
        return "-"
    if cell.count == 1:
        return f"{cell.mean:.{decimals}f}"
    return f"{cell.mean:.{decimals}f} [{cell.low:.{decimals}f}..{cell.high:.{decimals}f}]"
