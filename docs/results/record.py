#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Keeps the raw data of a compare in this repository, and makes its tables of them.

  record.py keep OUT NAME    of build/OUT, as `ic2-train compare --out` left it, into docs/results/record/NAME, compressed
  record.py                  record.md, of all that is kept

A compare that was made in pieces is kept as NAME, NAME-2, NAME-3: a run is one round of one piece. The run is the unit. N/X - Z is users x
seconds / completions - think time of a whole window, p95 that of all its requests together. A change is that of the geometric means of
pairs; its 95 % interval is Student's t on the logarithms of the pairs' ratios (tables.py)."""

import csv
import gzip
import json
import math
import pathlib
import re
import shutil
import statistics
import sys

import tables

HERE = pathlib.Path(__file__).resolve().parent
RECORD = HERE / "record"
WHOLE = ("compare.json", "periods.csv", "quiet.csv", "machine.csv")     # of a compare
PACKED = ("load/intervals.csv", "load/response-times.csv", "journal.jsonl")     # of a run
APPLICATIONS = {"own": "Our own application", "wordpress": "WordPress"}
WINDOWS = ("first", "rest")
FIGURES = {"waited": "N/X - Z, s", "mean": "mean, s", "p95": "p95 of requests, s", "throughput": "throughput, 1/s", "cpu": "CPU per operation, ms"}


def keep(out, name):
    """Refuses what is not a whole compare, and what is there already."""
    missing = [file for file in WHOLE if not (out / file).is_file()]
    if missing:
        sys.exit(f"record: {out}: expected a compare that has ended, and {missing[0]} is missing; run it to its end")
    only_pairs(out)
    place = RECORD / name
    if place.exists():
        sys.exit(f"record: {place} is there already; give the next piece another name")
    place.mkdir(parents=True)
    for file in WHOLE:
        shutil.copy(out / file, place / file)
    for run in sorted(out.glob("r*/run.json")):
        shutil.copy(run, place / f"{run.parent.name}.run.json")
        for file in PACKED:
            raw = run.parent / file
            if raw.is_file():
                with gzip.GzipFile(place / f"{run.parent.name}.{raw.name}.gz", "wb", mtime=0) as packed:
                    packed.write(raw.read_bytes())


def rows(file):
    with gzip.open(file, "rt") as lines:
        return list(csv.DictReader(lines))


def intervals(place, run):
    """What the load saw, each line with its seconds, completions and users' waiting; in the time of the least late line."""
    lines = rows(place / f"{run}.intervals.csv.gz")
    requests = {row["elapsed"]: row["counts"] for row in rows(place / f"{run}.response-times.csv.gz")}
    begin = min(float(line["time"]) - float(line["elapsed"]) for line in lines)
    elapsed = pending = 0.0
    for line in lines:
        now, waiting = float(line["elapsed"]), float(line["pending_users"])
        seconds = now - elapsed
        done = float(line["throughput"]) * seconds
        yield {"middle": begin + now - seconds / 2, "seconds": seconds, "done": done,
               "served": float(line["response_time"]) * done if done else 0.0,
               "waited": float(line["interactive_response_time"]) * done if done else (pending + waiting) / 2 * seconds,
               "requests": requests.get(line["elapsed"], "")}
        elapsed, pending = now, waiting


def percentile(cells, share):
    """Of requests that are counted by their time in microseconds, in seconds."""
    counts = {}
    for cell in " ".join(cells).split():
        time, _, count = cell.partition(":")
        counts[int(time)] = counts.get(int(time), 0) + int(count)
    left = math.ceil(share * sum(counts.values()))
    for time in sorted(counts):
        left -= counts[time]
        if left <= 0:
            return time / 1e6
    return math.nan


def figures(inside):
    done = sum(line["done"] for line in inside)
    return {"waited": sum(line["waited"] for line in inside) / done, "mean": sum(line["served"] for line in inside) / done,
            "p95": percentile((line["requests"] for line in inside), 0.95), "throughput": done / sum(line["seconds"] for line in inside)}


def runs(place):
    """(round, arm) -> window -> figures, each of all the episodes of the run together."""
    plan = json.loads((place / "compare.json").read_text())
    periods = list(csv.DictReader((place / "periods.csv").open()))
    found = {}
    for file in sorted(place.glob("*.run.json")):
        run = file.name.removesuffix(".run.json")
        turn, arm = int(re.match(r"r(\d+)-", run)[1]), re.sub(rf"r\d+-{plan['neighbours'][0]['name']}-", "", run)
        switches = [switch["time"] for switch in json.loads(file.read_text())["switches"]]
        lines = list(intervals(place, run))
        own = [period for period in periods if (period["round"], period["arm"]) == (str(turn), arm)]
        found[turn, arm] = {}
        for window, half in zip(WINDOWS, tables.HALVES):
            bounds = [(on, min(on + plan["first_half"], off)) if window == "first" else (on + plan["first_half"], off)
                      for on, off in zip(switches[::2], switches[1::2])]
            found[turn, arm][window] = {**figures([line for line in lines if any(low < line["middle"] <= high for low, high in bounds)]),
                                        "cpu": 1000 * tables.figure(own, "cpu_per_operation", half + "_")}
    return found


def pairs(application):
    """Of all pieces: (off, ladder), each window -> figures."""
    for place in sorted(RECORD.glob(f"{application}*")):
        found = runs(place)
        for turn in sorted({turn for turn, _ in found}):
            if (turn, "off") in found and (turn, "ladder") in found:
                yield found[turn, "off"], found[turn, "ladder"]


def table(application):
    made = list(pairs(application))
    yield tables.line("window", "figure", "off", "ladder", "change")
    yield "|" + "---|" * 5
    for window in WINDOWS:
        for name, title in FIGURES.items():
            off, ladder = ([pair[side][window][name] for pair in made] for side in (0, 1))
            yield tables.line(window, title, *(f"{statistics.geometric_mean(values):.3g}" for values in (off, ladder)), tables.change(ladder, off))


def page():
    parts = ["<!-- SPDX-License-Identifier: Apache-2.0 -->", "# The compare of record", "",
             "Made by `docs/results/record.py` of the raw data in [record](record). [results.md](../results.md#at-the-papers-own-times) says how it was measured.",
             "Off and ladder are geometric means over the runs. In brackets: the 95 % interval over pairs, by Student's t on the logarithms.", ""]
    for application, title in APPLICATIONS.items():
        count = len(list(pairs(application)))
        if count:
            parts += [f"## {title}", "", f"n: {count} pairs of runs, one episode each." if count > 1 else "One run.", "", *table(application), ""]
    return "\n".join(parts)


def only_pairs(place):
    """One neighbour and one episode a run is what the tables are made for."""
    plan = json.loads((place / "compare.json").read_text())
    if len(plan["neighbours"]) != 1:
        sys.exit(f"record: {place}: expected a compare with one neighbour, and it has {len(plan['neighbours'])}")
    for run in sorted(place.glob("r*/run.json")):
        if len(json.loads(run.read_text())["switches"]) != 2:
            sys.exit(f"record: {run}: expected one episode, which starts and stops a neighbour once")


def main(words):
    if words[:1] == ["keep"] and len(words) == 3:
        keep(pathlib.Path(words[1]), words[2])
    elif words:
        sys.exit(__doc__)
    elif not RECORD.is_dir():
        sys.exit(f"record: {RECORD} is not there: keep a compare first")
    else:
        print(page(), end="")


if __name__ == "__main__":
    main(sys.argv[1:])
