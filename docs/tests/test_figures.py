# SPDX-License-Identifier: Apache-2.0
"""Every figure of README is computed here from raw data in the repository, and README has no other; so are the tables of
docs/results.md whose data are kept."""

import csv
import functools
import gzip
import json
import math
import re
import statistics
import subprocess
import sys

import pytest
from test_links import ROOT

sys.path.insert(0, str(ROOT / "docs" / "results"))

import tables  # noqa: E402

RESULTS = ROOT / "docs" / "results"
DATA = ROOT / "training" / "data"
TREES = ROOT / "knowledge-base/src/main/resources/org/ic2/knowledge"
UNIT = re.compile(r"\d[\d,.]*(?: \d{3})*(?: (?:to|and|of) \d[\d,.]*)? ?(?:%|s\b|ms\b|µs|MiB|MB|/s|runs\b|counts\b|visits\b|episodes\b|answers\b|requests\b|instructions\b|times\b)")
# What was not measured: what a user has to reckon with, bounds of a software, ages that are set.
SAID = ("The neighbour started 20 s ago",)     # test_watch.py holds it
# The rows of README's table of figures by how they begin, and how many figures each has.
ROWS = {"ladder against no IC²": 4, "interference noticed, and its end": 4, "the same classifier beside a neighbour": 3,
        "pages for anonymous visitors": 3, "pages that were another visitor's": 1}
# Applications and levels whose answers strangers checked, and how docs/results.md calls them.
STRANGERS = (("wordpress", "01"), ("wordpress", "3456"), ("olio", "012"), ("olio", "3456"), ("mediawiki", "01"), ("mediawiki", "3456"))
NAMES = {"wordpress": "WordPress", "olio": "our own", "mediawiki": "MediaWiki"}
MOST_BYTES = 20 * 1000 * 1000
RESULTS_PAGE = ROOT / "docs/results.md"
# Sections of docs/results.md whose figures are computed here, and those that have none of their own.
RECOMPUTED = ("How it was measured", "Beside the paper", "A longer run", "Beside a neighbour that takes no CPU", "mod_standby")
WITHOUT_DATA = ("The paper's experiment, and ours beside it", "What failed", "What each arm did, and why")


def row(begin):
    """A row of README's table of figures, without the commands."""
    page = (ROOT / "README.md").read_text()
    found = [line for line in page.splitlines() if line.startswith(f"| {begin}")]
    assert len(found) == 1, f"README has {len(found)} rows that begin with '{begin}'"
    return re.sub(r"`[^`]*`", "", found[0])


@functools.cache
def evaluated(tree, *folders):
    done = subprocess.run([ROOT / "bin/ic2-train", "evaluate", *folders, "--classifier", TREES / tree], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def percent(text, name):
    return re.search(rf"^{name} +([\d.]+ %)", text, re.MULTILINE)[1]


def noticed(text):
    return re.search(r"^onset to I2 .*?(\d+ of \d+) noticed", text, re.MULTILINE)[1]


def runs(folders):
    return [json.loads((folder / "run.json").read_text()) for folder in folders]


def length(folder):
    with gzip.open(folder / "samples.csv.gz", "rt") as lines:
        return sum(1 for _ in csv.DictReader(lines))


def test_the_ladder_against_no_ic2():
    cells = [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in tables.page().splitlines() if line.startswith("| ladder | all | second")]
    change = next(row for row in cells if len(row) == 7)
    said = row("ladder against no IC²")
    assert f"throughput {change[5]}, CPU per operation {change[6]}" in said
    count = change[3].removesuffix(" runs")
    assert f"{count} runs an arm, 6 episodes each; an earlier ladder of four levels" in said and "AMD EPYC" in tables.page()


def test_what_the_shipped_classifier_notices():
    folders = sorted(folder for folder in (DATA / "onsets").iterdir() if folder.is_dir())
    text = evaluated("classifier.json", *folders)
    start, end = (re.search(rf"^{name} +([\d.]+ s) .*?(\d+ of \d+) noticed", text, re.MULTILINE) for name in ("onset to I2", "end to NI2"))
    said = row("interference noticed, and its end")
    facts = [run["facts"] for run in runs(folders)]
    assert f"start {start[2]}, after {start[1]}; end {end[2]}, after {end[1]} (medians)" in said
    assert {fact["seconds"] for fact in facts} == {"882"} and f"{len(folders)} runs of 882 s" in said
    assert {(fact["cpu"], fact["cpus"]) for fact in facts} == {("AMD EPYC", "2")} and all("same-core" in fact["neighbour"] for fact in facts)


def test_the_shipped_classifier_beside_a_neighbour_that_takes_no_cpu():
    folders = sorted(folder for folder in (DATA / "apart").iterdir() if folder.is_dir())
    facts = [run["facts"] for run in runs(folders)]
    seconds = sorted(int(fact["seconds"]) for fact in facts)
    said = row("the same classifier beside a neighbour that takes no CPU")
    assert f"{noticed(evaluated('classifier.json', DATA / 'apart'))} episodes noticed" in said
    assert f"{len(folders)} runs of {seconds[0]} to {seconds[-1]} s" in said and {fact["cpu"] for fact in facts} == {"AMD EPYC"}


def test_the_share_of_pages_from_the_stand_by_cache():
    text = (RESULTS / "standby/hit-share.txt").read_text()
    found = {(name, level): (int(requests), int(hits)) for name, level, requests, hits in
             re.findall(r"^mod_standby, 300 s on level 0: new-(\w+) level ([34]) anonymous page requests (\d+) hits (\d+)", text, re.MULTILINE)}
    share = {key: f"{100 * hits / requests:.1f}" for key, (requests, hits) in found.items()}
    said = row("pages for anonymous visitors from the stand-by cache")
    assert f"WordPress {share['wp', '3']} and {share['wp', '4']} %, our own application {share['olio', '3']} and {share['olio', '4']} %" in said
    counts = sorted(requests for requests, _ in found.values())
    assert f"one run each, {counts[0]} to {counts[-1]} requests" in said


def test_whose_pages_strangers_got():
    text = (RESULTS / "standby/strangers.txt").read_text()
    found = re.findall(r"^(wordpress|olio|mediawiki): level (\d): (\d+) answers checked in \d+ s, (\d+) wrong, (\d+) too old", text, re.MULTILINE)
    assert {(name, level) for name, level, *_ in found} == {(name, level) for name, levels in STRANGERS for level in levels}
    answers, wrong, old = (sum(int(line[column]) for line in found) for column in (2, 3, 4))
    said = row("pages that were another visitor's")
    assert f"{wrong} and {old} of {answers:,} answers" in said and "one or two runs a level of WordPress, our own application and MediaWiki" in said


def test_what_phps_jit_saves():
    text = (RESULTS / "jit.txt").read_text()
    page = (ROOT / "docs" / "testbed.md").read_text()
    commands = re.findall(r"^testbed/bench/quiet .*$", text, re.MULTILINE)
    ratios = re.findall(r"^\| CPU per operation, ms \|.*\| (\S+ \(\S+ to \S+\)) \|$", text, re.MULTILINE)
    assert len(commands) == len(ratios) == 2 and text.count("\nround ") == 12 and "of 6 pairs of 20 s" in page
    for command, ratio in zip(commands, ratios):
        assert command in page and f"takes {ratio} times the CPU time" in page


def test_the_readme_has_no_other_figure():
    page = re.sub(r"```.*?```", "", (ROOT / "README.md").read_text(), flags=re.DOTALL)
    table = {line for line in page.splitlines() if any(line.startswith(f"| {begin}") for begin in ROWS)}
    assert len(table) == len(ROWS) <= 5 and len([line for line in page.splitlines() if line.startswith("|")]) == len(ROWS) + 2
    rest = "\n".join(line for line in page.splitlines() if line not in table)
    rest = re.sub(r"`[^`]*`", "", rest)
    for said in SAID:
        assert said in rest
        rest = rest.replace(said, "")
    assert not UNIT.findall(rest), "a figure in README that no test computes from raw data"
    assert not re.findall(r"\]\([^)]*\.svg\)", rest), "a picture whose data no test draws"


@pytest.mark.parametrize("begin, count", ROWS.items())
def test_figures_of_a_row_are_all_computed(begin, count):
    """No figure can be added to a row unseen."""
    assert len(UNIT.findall(row(begin))) == count, UNIT.findall(row(begin))


def said_by_results(heading):
    """The text of a section of docs/results.md, without those below it."""
    page = RESULTS_PAGE.read_text()
    found = re.search(rf"^#+ {re.escape(heading)}\n(.*?)(?=^#|\Z)", re.sub(r"^```.*?^```\n", "", page, flags=re.MULTILINE | re.DOTALL),
                      re.MULTILINE | re.DOTALL)
    assert found, f"docs/results.md has no section '{heading}'"
    return found[1]


def sections():
    return re.findall(r"^#+ (.+)$", re.sub(r"^```.*?^```\n", "", RESULTS_PAGE.read_text(), flags=re.MULTILINE | re.DOTALL), re.MULTILINE)


@pytest.mark.parametrize("heading", [heading for heading in sections() if heading not in WITHOUT_DATA])
def test_each_section_of_the_results_says_where_its_figures_are_from(heading):
    lines = [line for line in said_by_results(heading).splitlines() if line.startswith("*Data:* ")]
    assert len(lines) == 1, "a section has one line *Data:*"
    assert ("recomputed from" in lines[0]) == (heading in RECOMPUTED)
    assert heading in RECOMPUTED or re.search(r"^\*Data:\* [\w ]+; raw data not kept[.;]", lines[0])
    assert re.search(r"\bn: ", lines[0])


def test_all_that_is_said_to_be_recomputed_is():
    assert set(RECOMPUTED) <= set(sections()) and set(WITHOUT_DATA) <= set(sections())
    source = (ROOT / "docs/tests/test_figures.py").read_text()
    assert not [heading for heading in RECOMPUTED if f'said_by_results("{heading}")' not in source]


def test_the_tables_of_the_early_compare():
    made = tables.page()
    assert made == (RESULTS / "summary.md").read_text()
    said = said_by_results("Beside the paper")
    rows = [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in made.splitlines() if line.startswith(("| off |", *(f"| {arm} |" for arm in tables.ARMS)))]
    changes = {(row[0], row[2]): row for row in rows if len(row) == 7 and row[1] == "all"}
    means = {row[0]: row for row in rows if len(row) == 8 and row[1:3] == ["all", "second"]}
    quiet = {row[0]: row for row in rows if len(row) >= 5 and row[1] == "3"}
    for arm in tables.ARMS:
        first, second = changes[arm, "first"], changes[arm, "second"]
        assert f"| {arm} | 3 | {first[4]} | {second[4]} | {second[5]} |" in said
    slower = next(row[4] for row in rows if row[:3] == ["paper-graceful", "dcopy-high", "first"]).removeprefix("+")
    assert f"its first 7.5 s were {slower} slower" in said_by_results("What each arm did, and why")
    off, ladder = means["off"], means["ladder"]
    assert (f"the mean falls from {off[3]} to {ladder[3]} s, the CPU per operation from {off[7]} to {ladder[7]} ms, and the longest wait from "
            f"{off[6]} to {ladder[6]} s. Throughput rises from {off[4]} to {ladder[4]}/s") in said
    assert f"the mean changes by {quiet['ladder'][5]}, throughput by {quiet['ladder'][6]}" in said


def test_the_papers_gain_beside_ours():
    page = (ROOT / "docs/paper.md").read_text()
    rows = [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in tables.page().splitlines() if line.startswith(("| off |", *(f"| {arm} |" for arm in tables.ARMS)))]
    means = {(row[0], row[2]): row[4] for row in rows if len(row) == 7 and row[1] == "all"}
    for arm, name in (("paper-online", "online, KAT alone acting"), ("paper-graceful", "basic, KAT alone acting"), ("ladder", "ladder")):
        assert f"| ours: {name} | {means[arm, 'first']} | {means[arm, 'second']} |" in page
    assert f"mean of the rest of an episode by {means['paper-online', 'second'].replace(')', ', three runs)')}" in page


def test_fewer_workers_beside_a_full_link():
    with open(RESULTS / "network.csv", newline="") as data:
        rows = list(csv.DictReader(data))
    said = (ROOT / "docs/paper.md").read_text().split("## Section 8")[1].split("\n## ")[0]
    runs = {(mbit, workers): {row["round"]: row for row in rows if (row["neighbour_mbit"], row["workers"]) == (mbit, workers)}
            for mbit in ("0", "24") for workers in ("100", "25", "10")}
    assert sum(map(len, runs.values())) == len(rows) and {len(own) for own in runs.values()} == {4} and "n: 4 runs" in said
    for (mbit, workers), own in runs.items():
        waits = [float(row["wait"]) for row in own.values()]
        wait, rate, again = (statistics.mean(float(row[name]) for row in own.values()) for name in ("wait", "throughput", "retransmits"))
        assert all(abs(float(row["users"]) / (int(row["completions"]) / float(row["seconds"])) - 1 - float(row["wait"])) < 0.002 for row in own.values())
        logs = [math.log(wait / float(runs[mbit, "100"][number]["wait"])) for number, wait in zip(own, waits)]
        middle, margin = statistics.mean(logs), tables.STUDENT[len(logs)] * statistics.stdev(logs) / math.sqrt(len(logs))
        ratio = "1" if workers == "100" else "{:.2f} ({:.2f} to {:.2f})".format(*map(math.exp, (middle, middle - margin, middle + margin)))
        who = f"{mbit} Mbit/s" if mbit != "0" else "none"
        assert f"| {who}, {workers} | {wait:.3f} | {rate:.1f} | {100 * again:.0f} % | {ratio} |" in said


def test_the_starvation_artefact():
    page = (ROOT / "docs/paper.md").read_text()
    windows = [row for row in csv.DictReader((ROOT / "docs/testbed/starvation.csv").open()) if row["neighbour"] != "alone"]
    found = {}
    for setting in dict.fromkeys(row["setting"] for row in windows):
        own = [row for row in windows if row["setting"] == setting]
        mean = {name: statistics.mean(float(row[name]) for row in own) for name in ("response_time", "throughput", "pending_users", "oldest_wait")}
        found[setting] = mean
        said = f"| {mean['response_time']:.3f} | {mean['throughput']:.1f} | {mean['pending_users']:.0f} | {mean['oldest_wait']:.2f} |"
        assert f"| {setting.replace(' / ', ' and ')} {said}" in page and len(own) == 3
    base, starved = found["240 / 1 s"], found["75 / 4 s"]
    fall = {name: 100 * (1 - starved[name] / base[name]) for name in ("response_time", "throughput")}
    assert f"falls by {fall['response_time']:.0f} %" in page and f"Throughput falls by {fall['throughput']:.0f} %" in page


def test_what_the_early_compare_noticed():
    rows = tables.rows("periods.csv")
    said = said_by_results("Beside the paper")
    acted = [row for row in rows if row["arm"] != "off"]
    assert not [row for row in acted if "true" in (row["onset_missed"], row["end_missed"])] and f"was noticed, {len(acted)} of {len(acted)}" in said
    start, end = (statistics.median(float(row[name]) for row in rows if row["arm"] == "ladder") for name in ("onset_noticed_after", "end_noticed_after"))
    assert f"The median delay of the ladder was {start:.1f} s at the start and {end:.1f} s at the end" in said
    assert not [row for row in rows if row["first_errors"] != "0" or row["second_errors"] != "0"] and "No request failed in any arm" in said
    assert {sum(row["arm"] == arm and row["neighbour"] == kind for row in rows) for arm in ("off", *tables.ARMS) for kind in tables.KINDS} == {6}
    assert "n: 3 runs an arm, one a neighbour (dcopy 20 MB, dcopy 1.5 GB, llcprobe), 6 episodes each" in said


def test_how_wrong_the_measure_was():
    rows = tables.rows("measure.csv")
    said = said_by_results("How it was measured")
    far = [abs(float(row["mean_of_seconds"]) / float(row["mean_of_completed"]) - 1) for row in rows]
    much = {arm: sum(each > 0.05 for each, row in zip(far, rows) if row["arm"] == arm) for arm in ("off", *tables.ARMS)}
    assert much["off"] == much["paper-online"] == 0 and f"in {much['ladder']} windows of the ladder, {much['paper-graceful']} of paper-graceful and none of the others" in said
    assert {sum(row["arm"] == arm for row in rows) for arm in ("off", *tables.ARMS)} == {18} and f"n: {len(rows)} windows of 22.5 s, 18 an arm" in said
    impossible = [row for row in rows if not float(row["least"]) <= float(row["mean_of_seconds"]) <= float(row["most"])]
    assert len(impossible) == 3 and f"Three of the {len(rows)} are impossible" in said
    assert f"{100 * statistics.median(far):.1f} % in the median and by {100 * max(far):.0f} % at most" in said


def first_after(samples, begin, end, holds):
    """Seconds from a switch to the first sample that holds, before the next switch."""
    return next(time - begin for time, sample in samples if begin < time < end and holds(sample))


def test_the_longer_run():
    folders = sorted(folder for folder in (DATA / "onsets").iterdir() if folder.is_dir())
    said = said_by_results("A longer run")
    changed, restored = [], []
    for folder, run in zip(folders, runs(folders)):
        with gzip.open(folder / "samples.csv.gz", "rt") as lines:
            samples = [(float(row["time"]), row) for row in csv.DictReader(lines)]
        times = [switch["time"] for switch in run["switches"]]
        assert [switch["on"] for switch in run["switches"]] == [index % 2 == 0 for index in range(len(times))]
        for on, off, next_ in zip(times[::2], times[1::2], times[2::2]):
            assert round(off - on) == 42
            changed.append(first_after(samples, on, off, lambda row: row["mitigation"] != "0"))
            restored.append(first_after(samples, off, next_, lambda row: (row["mitigation"], float(row["mxc"]), float(row["kat"])) == ("0", 240, 1)))
        assert run["facts"]["seconds"] == "882" and run["facts"]["users"] == "75" and run["facts"]["cpu"] == "AMD EPYC"
    text = evaluated("classifier.json", *folders)
    start, end = (re.search(rf"^{name} +([\d.]+ s) .*?(\d+ of \d+) noticed", text, re.MULTILINE) for name in ("onset to I2", "end to NI2"))
    count = len(changed)
    assert f"n: {len(folders)} runs of 882 s with the ladder, {count} complete episodes of 42 s" in said
    assert f"| start to confirmed interference | {start[2]} | {start[1]} |" in said
    assert f"| start to the first change in a sample | {count} of {count} | {statistics.median(changed):.1f} s |" in said
    assert f"| end to its confirmation | {end[2]} | {end[1]} |" in said
    assert f"| end to the baseline in a sample | {count} of {count} | {statistics.median(restored):.1f} s |" in said
    assert re.search(r"^wrong actions +0,", text, re.MULTILINE) and "None of its actions was wrong" in said


def test_the_trees_in_the_results_beside_a_neighbour_that_takes_no_cpu():
    said = said_by_results("Beside a neighbour that takes no CPU")
    for tree in ("classifier.json", "classifier-without-steal.json"):
        text = evaluated(tree, DATA / "apart")
        wrong = re.search(r"^wrong actions +\d+, ([\d.]+) an hour", text, re.MULTILINE)[1]
        assert f"| `{tree}` | {percent(text, 'recall')} | {percent(text, 'precision')} | {noticed(text)} | {wrong} |" in said


def test_mod_standby_hits_and_cost():
    said = said_by_results("mod_standby")
    text = (RESULTS / "standby/hit-share.txt").read_text()
    found = re.findall(r"^(before|mod_standby, 300 s on level 0): (?:new|old)-(\w+) level ([34]) anonymous page requests (\d+) hits (\d+)", text, re.MULTILINE)
    share = {(when, name, level): f"{100 * int(hits) / int(requests):.1f}" for when, name, level, requests, hits in found}
    for when, name, level, requests, _ in found:
        if when != "before":
            assert f"| {'WordPress' if name == 'wp' else 'our own'} | {level} | {share[when, name, level]} % | {requests} |" in said
    before = [share["before", name, level] for name in ("wp", "olio") for level in "34"]
    assert f"had {', '.join(before[:-1])} and {before[-1]} %" in said
    data = json.loads((RESULTS / "standby/standby-instructions.json").read_text())["instructions a request"]
    mean = {(kind, arm): round(sum(data[kind][arm]) / 2) for kind in ("page", "file") for arm in ("without", "level 0")}
    more = {kind: round(sum(data[kind]["level 0"]) / 2 - sum(data[kind]["without"]) / 2) for kind in ("page", "file")}
    assert f"takes {mean['page', 'without']:,} without the module and {more['page']:,} more with it" in said
    assert f"A static file takes {mean['file', 'without']:,} and {more['file']:,} more" in said


def test_mod_standby_pages_of_others():
    said = said_by_results("mod_standby")
    text = (RESULTS / "standby/strangers.txt").read_text()
    found = re.findall(r"^(wordpress|olio|mediawiki): level (\d): (\d+) answers checked in \d+ s, (\d+) wrong, (\d+) too old \(oldest ([\d.]+) s\), (\d+) errors, "
                       r"hits ([\d.]+) %", text, re.MULTILINE)
    unanswered = sum(int(line[6]) for line in found)
    assert f"{unanswered} requests of WordPress on level 0 got no answer" in said
    assert unanswered == sum(int(line[6]) for line in found if line[:2] == ("wordpress", "0"))
    for name, levels in STRANGERS:
        own = [line for line in found if line[0] == name and line[1] in levels]
        assert sorted({line[1] for line in own}) == list(levels)
        answers, wrong, old = (sum(int(line[column]) for line in own) for column in (2, 3, 4))
        hits = sorted({float(line[7]) for line in own})
        told = f"{hits[0]:.1f} to {hits[-1]:.1f} %" if len(hits) > 1 else f"{hits[0]:.1f} %"
        oldest = max(float(line[5]) for line in own)
        span = f"{levels[0]} to {levels[-1]}" if len(levels) > 1 else levels
        assert f"| {NAMES[name]} | {span} | {answers:,} | {wrong} | {old} | {told} | {oldest:.1f} s |" in said


def test_mod_standby_hostile_requests():
    said = said_by_results("mod_standby")
    data = json.loads((RESULTS / "standby/hostile.json").read_text())
    ratios = next(value for key, value in data.items() if key.startswith("ratios"))
    for target, name in (("/robots.txt", "static file"), ("/news", "application")):
        shapes = [shape[0] for shape in ratios[target].values()]
        assert (f"| {name} | {max(median for median, _, _ in shapes):.2f} | {max(greatest for _, greatest, _ in shapes):.2f} | "
                f"{sum(greatest > 2 for _, greatest, _ in shapes)} of {len(shapes)} |") in said
    worst = max(ratios["/robots.txt"].values(), key=lambda shape: shape[0][0])
    assert f"Without the module it costs {worst[2][0]:.2f} times a plain one" in said and f"--requests {data['requests']}`, {len(shapes)} shapes" in said


def test_raw_data_are_small():
    assert sum(file.stat().st_size for file in RESULTS.rglob("*") if file.is_file()) < MOST_BYTES


@pytest.mark.parametrize("name", ("periods.csv", "quiet.csv"))
def test_what_is_kept_has_no_figure_of_the_wrong_measure(name):
    assert not {"interactive", "p95"} & set("_".join(csv.DictReader((RESULTS / name).open()).fieldnames).split("_"))
