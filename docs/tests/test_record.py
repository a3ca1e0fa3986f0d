# SPDX-License-Identifier: Apache-2.0
"""docs/results/record.py: what it keeps of a compare, what it refuses, and that its table is arithmetic of what is kept."""

import csv
import gzip
import importlib.util
import json
import pathlib
import re
import sys

import pytest

RESULTS = pathlib.Path(__file__).resolve().parents[1] / "results"
ON, OFF, FIRST_HALF, END = 10, 30, 5, 40        # seconds of a run
#: arm -> (completions a second, milliseconds of each request, users' waiting each) in the first half of the episode, and in the rest
SHAPES = {"off": ((100, 200, 0.4), (50, 400, 0.8)), "ladder": ((100, 100, 0.2), (100, 50, 0.1))}


@pytest.fixture
def record(monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(str(RESULTS))
    spec = importlib.util.spec_from_file_location("record", RESULTS / "record.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "RECORD", tmp_path / "record")
    yield module
    sys.modules.pop("tables", None)


def write_rows(file, rows):
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("w", newline="") as out:
        writer = csv.DictWriter(out, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def compare(out, rounds=2, factor=1.0):
    """A compare as `ic2-train compare --out` leaves it; the ladder of round n waits n x factor times as long as SHAPES says."""
    periods = []
    for turn in range(1, rounds + 1):
        for arm, halves in SHAPES.items():
            slower = turn * factor if arm == "ladder" else 1
            run, lines, times = out / f"r{turn}-llcprobe-{arm}", [], []
            for second in range(1, END + 1):
                done, milliseconds, waiting = halves[0 if second <= ON + FIRST_HALF else 1]
                lines.append({"time": 1000 + second, "elapsed": second, "throughput": done, "response_time": milliseconds / 1000 * slower,
                              "interactive_response_time": waiting * slower, "pending_users": 3})
                times.append({"elapsed": second, "counts": f"{int(1000 * milliseconds * slower)}:{done - 1} 9000000:1"})
            write_rows(run / "load" / "intervals.csv", lines)
            write_rows(run / "load" / "response-times.csv", times)
            (run / "journal.jsonl").write_text("{}\n")
            (run / "run.json").write_text(json.dumps({"switches": [{"time": 1000 + ON}, {"time": 1000 + OFF}]}))
            periods.append({"round": turn, "arm": arm, "first_throughput": 1, "second_throughput": 1,
                            "first_cpu_per_operation": 0.004, "second_cpu_per_operation": 0.004 if arm == "off" else 0.002})
    write_rows(out / "periods.csv", periods)
    (out / "compare.json").write_text(json.dumps({"neighbours": [{"name": "llcprobe"}], "first_half": FIRST_HALF}))
    for file in ("quiet.csv", "machine.csv"):
        (out / file).write_text("time\n")
    return out


def cells(page, window, figure):
    return next([cell.strip() for cell in line.split("|")[3:6]] for line in page.splitlines() if line.startswith(f"| {window} | {figure}"))


def test_one_run_is_called_one_run_and_has_no_interval(record, tmp_path):
    record.keep(compare(tmp_path / "out", rounds=1), "own")
    page = record.page()
    assert "## Our own application" in page and "One run." in page and "WordPress" not in page
    assert cells(page, "first", "N/X - Z") == ["0.4", "0.2", "-50 %"]
    assert cells(page, "rest", "N/X - Z") == ["0.8", "0.1", "-88 %"]
    assert cells(page, "rest", "mean, s") == ["0.4", "0.05", "-88 %"]
    assert cells(page, "rest", "throughput") == ["50", "100", "+100 %"]
    assert cells(page, "rest", "CPU per operation") == ["4", "2", "-50 %"]
    assert cells(page, "rest", "p95") == ["0.4", "0.05", "-88 %"], "the few requests of 9 s are not among the 95 %"


def test_runs_of_several_pieces_are_pairs_of_one_table(record, tmp_path):
    record.keep(compare(tmp_path / "a"), "own")
    record.keep(compare(tmp_path / "b", factor=0.5), "own-2")
    page = record.page()
    assert "n: 4 pairs of runs" in page
    # the ratios are 1/2 x (1, 2, 1/2, 1): their geometric mean is 1/2, of which t of 3 degrees makes the interval
    off, ladder, change = cells(page, "first", "N/X - Z")
    assert (off, ladder) == ("0.4", "0.2") and change.startswith("-50 % (")
    low, high = re.findall(r"[+-]\d+(?:\.\d)?", change)[1:]
    margin = 3.182 * 0.5659 / 2         # of the logarithms 0, log 2, -log 2, 0
    assert float(low) == pytest.approx(100 * (0.5 * 2.71828 ** -margin - 1), abs=1)
    assert float(high) == pytest.approx(100 * (0.5 * 2.71828 ** margin - 1), abs=1)


def test_a_second_without_completions_counts_as_time_and_as_waiting(record, tmp_path):
    out = compare(tmp_path / "out", rounds=1)
    file = out / "r1-llcprobe-off" / "load" / "intervals.csv"
    rows = list(csv.DictReader(file.open()))
    for row in rows[20:25]:             # 5 of the 15 seconds of the rest
        row["throughput"] = 0
    write_rows(file, rows)
    record.keep(out, "own")
    page = record.page()
    assert cells(page, "rest", "throughput")[0] == f"{50 * 10 / 15:.3g}"
    # 10 seconds of 50 requests that waited 0.8 s, and 5 seconds in which 3 users waited
    assert cells(page, "rest", "N/X - Z")[0] == f"{(10 * 50 * 0.8 + 5 * 3) / 500:.3g}"


def test_what_is_kept_is_all_that_the_table_needs_and_the_same_each_time(record, tmp_path):
    out = compare(tmp_path / "out", rounds=1)
    record.keep(out, "own")
    kept = {file.name: file.read_bytes() for file in (record.RECORD / "own").iterdir()}
    assert sorted(kept) == sorted(["compare.json", "machine.csv", "periods.csv", "quiet.csv"] + [
        f"r1-llcprobe-{arm}.{name}" for arm in SHAPES
        for name in ("run.json", "intervals.csv.gz", "response-times.csv.gz", "journal.jsonl.gz")])
    assert gzip.decompress(kept["r1-llcprobe-off.intervals.csv.gz"]) == (out / "r1-llcprobe-off" / "load" / "intervals.csv").read_bytes()
    record.keep(out, "own-2")
    assert kept == {file.name: file.read_bytes() for file in (record.RECORD / "own-2").iterdir()}


@pytest.mark.parametrize("spoil, said", [
    (lambda out: (out / "machine.csv").unlink(), "expected a compare that has ended, and machine.csv is missing"),
    (lambda out: (out / "compare.json").write_text(json.dumps({"neighbours": [{"name": "a"}, {"name": "b"}]})),
     "expected a compare with one neighbour, and it has 2"),
    (lambda out: (out / "r1-llcprobe-off" / "run.json").write_text(json.dumps({"switches": [{"time": 1}] * 4})), "expected one episode"),
])
def test_what_is_no_whole_compare_of_pairs_is_refused_and_nothing_is_kept(record, tmp_path, spoil, said):
    out = compare(tmp_path / "out")
    spoil(out)
    with pytest.raises(SystemExit) as refused:
        record.keep(out, "own")
    assert said in str(refused.value) and not record.RECORD.exists()


def test_what_is_there_is_not_overwritten(record, tmp_path):
    out = compare(tmp_path / "out")
    record.keep(out, "own")
    with pytest.raises(SystemExit) as refused:
        record.keep(out, "own")
    assert "is there already; give the next piece another name" in str(refused.value)


def test_words_that_it_does_not_know_show_how_it_is_used(record):
    for words in (["keep"], ["keep", "a"], ["show"]):
        with pytest.raises(SystemExit) as refused:
            record.main(words)
        assert "record.py keep OUT NAME" in str(refused.value)
    with pytest.raises(SystemExit) as refused:
        record.main([])
    assert "keep a compare first" in str(refused.value)
