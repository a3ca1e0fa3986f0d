# SPDX-License-Identifier: Apache-2.0
"""Every figure of README is computed here from raw data in the repository, and README has no other; so are the tables of
docs/results.md whose data are kept."""

import csv
import gzip
import json
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
UNIT = re.compile(r"\d[\d,.]*(?: \d{3})*(?: (?:to|and|of) \d[\d,.]*)? ?(?:%|s\b|ms\b|µs|MiB|MB|/s|runs\b|counts\b|visits\b|answers\b|requests\b|instructions\b|times\b)")
# What was not measured: what a user has to reckon with, bounds of a software, ages that are set.
SAID = ("6 of 100 operations anonymous",)
MOST_BYTES = 20 * 1000 * 1000


def row(begin):
    """A row of README's table of figures, without the commands."""
    page = (ROOT / "README.md").read_text()
    found = [line for line in page.splitlines() if line.startswith(f"| {begin}")]
    assert len(found) == 1, f"README has {len(found)} rows that begin with '{begin}'"
    return re.sub(r"`[^`]*`", "", found[0])


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


def test_the_shipped_tree_on_runs_that_it_has_not_seen():
    folders = sorted((DATA / "evaluation").glob("evaluation-*"))
    text = evaluated("classifier.json", *folders)
    said = row("wrong labels of the shipped tree")
    facts = [run["facts"] for run in runs(folders)]
    assert f"miss rate {percent(text, 'miss rate')}, recall {percent(text, 'recall')}, precision {percent(text, 'precision')}; {noticed(text)} visits noticed" in said
    assert {fact["seconds"] for fact in facts} == {"74"} and f"{len(folders)} runs of 74 s with one visit each" in said
    assert {(fact["cpu"], fact["cpus"]) for fact in facts} == {("AMD EPYC", "2")} and "AMD EPYC, 2 CPUs" in said
    assert all(sum(switch["on"] for switch in run["switches"]) == 1 for run in runs(folders))


def test_the_trees_beside_a_neighbour_that_takes_no_cpu():
    folders = sorted(folder for folder in (DATA / "apart").iterdir() if folder.is_dir())
    facts = [run["facts"] for run in runs(folders)]
    shipped, without = row("the same tree, neighbour that takes caches"), row("the tree for hosts without steal")
    text = evaluated("classifier.json", DATA / "apart")
    assert f"recall {percent(text, 'recall')}; {noticed(text)} visits noticed" in shipped
    seconds = sorted(int(fact["seconds"]) for fact in facts)
    assert f"{len(folders)} runs of {seconds[0]} to {seconds[-1]} s" in shipped and f"the same {len(folders)} runs" in without
    assert {fact["cpu"] for fact in facts} == {"AMD EPYC"} and "AMD EPYC" in shipped
    text = evaluated("classifier-without-steal.json", DATA / "apart")
    wrong = re.search(r"^wrong actions +\d+, ([\d.]+) an hour", text, re.MULTILINE)[1]
    assert (f"recall {percent(text, 'recall')}, precision {percent(text, 'precision')}; {noticed(text)} visits noticed, {wrong} wrong actions an "
            "hour") in without


def test_the_share_of_pages_from_the_stand_by_cache():
    text = (RESULTS / "standby/hit-share.txt").read_text()
    found = {(name, level): (int(requests), int(hits)) for name, level, requests, hits in
             re.findall(r"^mod_standby, 300 s on level 0: new-(\w+) level ([34]) anonymous page requests (\d+) hits (\d+)", text, re.MULTILINE)}
    share = {key: f"{100 * hits / requests:.1f}" for key, (requests, hits) in found.items()}
    said = row("pages for anonymous visitors from the stand-by cache")
    assert f"WordPress {share['wp', '3']} and {share['wp', '4']} %, our own application {share['olio', '3']} and {share['olio', '4']} %" in said
    counts = sorted(requests for requests, _ in found.values())
    assert f"one run each, {counts[0]} to {counts[-1]} requests; 2 CPUs" in said


def test_whose_pages_strangers_got():
    text = (RESULTS / "standby/strangers.txt").read_text()
    found = re.findall(r"^(wordpress|olio|mediawiki): level (\d): (\d+) answers checked in \d+ s, (\d+) wrong, (\d+) too old", text, re.MULTILINE)
    assert {(name, level) for name, level, *_ in found} == {("mediawiki", "3"), *((name, level) for name in ("wordpress", "olio") for level in "3456")}
    answers, wrong, old = (sum(int(line[column]) for line in found) for column in (2, 3, 4))
    said = row("pages that were somebody else's, or older than the level allows")
    assert f"{wrong} and {old} of {answers:,} answers" in said and "levels 3 to 6 with WordPress and our own application, level 3 with MediaWiki" in said


def test_what_the_stand_by_cache_costs():
    data = json.loads((RESULTS / "standby/standby-instructions.json").read_text())
    without, with_ = (sum(data["instructions a request"]["page"][arm]) / 2 for arm in ("without", "level 0"))
    share = 100 * (with_ - without) / (float(data["per_second"]) * float(data["page_ms"]) / 1000 + without)
    said = row("what the stand-by cache costs while it serves nothing")
    assert f"{round(with_ - without):,} instructions a page, {share:.2f} % of a page that takes {data['page_ms']} ms of CPU" in said
    assert len(data["instructions a request"]["page"]["level 0"]) == 2 and f"two counts; {data['machine']['processors']} CPUs" in said


def test_the_readme_has_no_other_figure():
    page = re.sub(r"```.*?```", "", (ROOT / "README.md").read_text(), flags=re.DOTALL)
    table = {line for line in page.splitlines() if any(line.startswith(f"| {begin}") for begin in (
        "wrong labels of the shipped tree", "the same tree, neighbour that takes caches", "the tree for hosts without steal",
        "pages for anonymous visitors from the stand-by cache", "pages that were somebody else's", "what the stand-by cache costs"))}
    assert len(table) == 6
    rest = "\n".join(line for line in page.splitlines() if line not in table)
    rest = re.sub(r"`[^`]*`", "", rest)
    for said in SAID:
        rest = rest.replace(said, "")
    assert not UNIT.findall(rest), "a figure in README that no test computes from raw data"
    assert not re.findall(r"\]\([^)]*\.svg\)", rest), "a picture whose data no test draws"


def test_figures_of_a_row_are_all_computed():
    """No figure can be added to a row unseen."""
    for begin, count in (("wrong labels of the shipped tree", 6), ("the same tree, neighbour", 4), ("the tree for hosts", 4),
                         ("pages for anonymous visitors", 3), ("pages that were somebody", 1), ("what the stand-by cache costs", 3)):
        assert len(UNIT.findall(row(begin))) == count, (begin, UNIT.findall(row(begin)))


def test_the_tables_of_the_early_compare():
    made = tables.page()
    assert made == (RESULTS / "summary.md").read_text()
    page = (ROOT / "docs/results.md").read_text()
    cells = [line.split(" | ") for line in made.splitlines() if line.startswith("| (")]
    names = {"dcopy-low": "dcopy 20 MB", "dcopy-high": "dcopy 1.5 GB", "llcprobe": "llcprobe"}
    changes = {(row[0].strip("| "), row[1], row[2]): row for row in cells if len(row) == 7 and row[2] in tables.HALVES}
    for arm in tables.ARMS:
        for kind in (*tables.KINDS, "all"):
            first, second = (changes[f"({arm})", kind, half] for half in tables.HALVES)
            name = f"**({arm}), all**" if kind == "all" else f"({arm}), {names[kind]}"
            count = "3" if kind == "all" else "one run"
            assert f"| {name} | {count} | {first[4]} | {second[4]} | {second[5]} |" in page


def test_how_wrong_the_measure_was():
    rows = list(csv.DictReader((RESULTS / "measure.csv").open()))
    page = (ROOT / "docs/results.md").read_text()

    def mean(arm, column):
        values = [float(row[column]) for row in rows if row["arm"] == arm]
        return sum(values) / len(values)

    far = [abs(float(row["mean_of_seconds"]) / float(row["mean_of_completed"]) - 1) for row in rows]
    for arm in "abcd":
        own = [each for each, row in zip(far, rows) if row["arm"] == arm]
        assert (f"| ({arm}) | {len(own)} | {mean(arm, 'mean_of_seconds'):.3f} | {mean(arm, 'mean_of_completed'):.3f} | "
                f"{sum(each > 0.05 for each in own)} |") in page
    impossible = [row for row in rows if not float(row["least"]) <= float(row["mean_of_seconds"]) <= float(row["most"])]
    assert len(impossible) == 3 and f"Three of the {len(rows)} are impossible" in page
    assert f"{100 * statistics.median(far):.1f} % in the median and by {100 * max(far):.0f} % at most" in page


def test_raw_data_are_small():
    assert sum(file.stat().st_size for file in RESULTS.rglob("*") if file.is_file()) < MOST_BYTES


@pytest.mark.parametrize("name", ("periods.csv", "quiet.csv"))
def test_what_is_kept_has_no_figure_of_the_wrong_measure(name):
    assert not {"interactive", "p95"} & set("_".join(csv.DictReader((RESULTS / name).open()).fieldnames).split("_"))
