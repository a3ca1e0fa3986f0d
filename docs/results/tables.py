#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Makes summary.md of periods.csv and quiet.csv: docs/results/tables.py > docs/results/summary.md.

The run is the unit. A figure of a run is of all its periods together: response time and CPU are weighed by completed operations. A
change is that of the geometric means; its 95 % interval is Student's t on the logarithms of the runs' ratios. One run has none."""

import csv
import math
import pathlib
import statistics

HERE = pathlib.Path(__file__).resolve().parent
STUDENT = {2: 12.706, 3: 4.303, 4: 3.182, 5: 2.776, 6: 2.571, 7: 2.447, 8: 2.365, 9: 2.306, 10: 2.262,
           11: 2.228, 12: 2.201, 13: 2.179, 14: 2.160, 15: 2.145, 16: 2.131}     # of two-sided 95 %, by runs
NAMES = {"a": "off", "b": "paper-online", "c": "paper-graceful", "d": "ladder"}     # of arms, which this data has as letters
ARMS = ("paper-online", "paper-graceful", "ladder")
HALVES = ("first", "second")
KINDS = ("dcopy-low", "dcopy-high", "llcprobe")
WEIGHED = ("response_time", "cpu_per_operation")


def rows(name):
    return [{**row, "arm": NAMES[row["arm"]]} for row in csv.DictReader((HERE / name).open())]


def figure(own, name, prefix=""):
    """Of a run's periods or stretches, which are equally long or have `seconds`."""
    length = [1 if prefix else float(row["seconds"]) for row in own]
    values = [float(row[prefix + name]) for row in own]
    if name == "oldest_wait":
        return max(values)
    if name in WEIGHED:
        length = [float(row[prefix + "throughput"]) * each for row, each in zip(own, length)]
    return sum(value * each for value, each in zip(values, length)) / sum(length)


def of(table, arm, kinds, name, prefix=""):
    """One figure a run."""
    return [figure([row for row in table if row["arm"] == arm and row["neighbour"] == kind], name, prefix) for kind in kinds]


def change(values, baselines):
    logs = [math.log(value / base) for value, base in zip(values, baselines)]
    mean = statistics.mean(logs)
    if len(logs) == 1:
        return f"{sign(mean)} %"
    margin = STUDENT[len(logs)] * statistics.stdev(logs) / math.sqrt(len(logs))
    return f"{sign(mean)} % ({sign(mean - margin)} to {sign(mean + margin)})"


def sign(log):
    percent = 100 * math.expm1(log)
    return "0" if abs(percent) < 0.05 else f"{percent:+.1f}" if abs(percent) < 9.95 else f"{percent:+.0f}"


def line(*cells):
    return "| " + " | ".join(cells) + " |"


def kinds_of(periods):
    return [*((kind, (kind,), "one run") for kind in KINDS), ("all", KINDS, f"{len(KINDS)} runs")]


def changes(periods):
    yield line("arm", "interference", "half", "runs", "mean", "throughput", "CPU per operation")
    yield "|" + "---|" * 7
    for arm in ARMS:
        for kind, kinds, runs in kinds_of(periods):
            for half in HALVES:
                yield line(arm, kind, half, runs, *(change(of(periods, arm, kinds, name, half + "_"), of(periods, "off", kinds, name, half + "_"))
                                                           for name in ("response_time", "throughput", "cpu_per_operation")))


def absolute(periods):
    yield line("arm", "interference", "half", "mean, s", "throughput, 1/s", "users waiting", "longest wait, s", "CPU per operation, ms")
    yield "|" + "---|" * 8
    for kind, kinds, _ in kinds_of(periods):
        for half in HALVES:
            for arm in ("off", *ARMS):
                def mean(name):
                    return statistics.mean(of(periods, arm, kinds, name, half + "_"))
                yield line(arm, kind, half, f"{mean('response_time'):.3f}", f"{mean('throughput'):.1f}", f"{mean('pending_users'):.1f}",
                           f"{max(of(periods, arm, kinds, 'oldest_wait', half + '_')):.2f}", f"{1000 * mean('cpu_per_operation'):.2f}")


def quiet(stretches):
    yield line("arm", "runs", "mean, s", "throughput, 1/s", "CPU per operation, ms", "change of mean", "change of throughput")
    yield "|" + "---|" * 7
    for arm in ("off", *ARMS):
        def mean(name):
            return statistics.mean(of(stretches, arm, KINDS, name))
        told = ["", ""] if arm == "off" else [change(of(stretches, arm, KINDS, name), of(stretches, "off", KINDS, name)) for name in ("response_time", "throughput")]
        yield line(arm, str(len(KINDS)), f"{mean('response_time'):.3f}", f"{mean('throughput'):.1f}", f"{1000 * mean('cpu_per_operation'):.2f}", *told)


def page():
    periods, stretches = rows("periods.csv"), rows("quiet.csv")
    return "\n".join([
        "<!-- SPDX-License-Identifier: Apache-2.0 -->",
        "# The tables of an early compare",
        "",
        "Made by `docs/results/tables.py` of [periods.csv](periods.csv) and [quiet.csv](quiet.csv); [results.md](../results.md#beside-the-paper) says how it was",
        "measured. One run of six periods an arm and neighbour. Machine: a virtual machine with two shared CPUs (AMD EPYC).",
        "",
        "## Changes against the arm off",
        "",
        "In brackets: the 95 % interval over the runs, by Student's t on the logarithms of the ratios. One run has none.",
        "",
        *changes(periods), "",
        "## Arm by arm", "",
        "Means over the runs; of the longest wait the most in any of them.", "",
        *absolute(periods), "",
        "## Without interference", "",
        "Stretches between the periods, without the first 12 s after a stop.", "",
        *quiet(stretches), ""])


if __name__ == "__main__":
    print(page(), end="")
