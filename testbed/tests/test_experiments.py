# SPDX-License-Identifier: Apache-2.0
"""Plans, windows, tables and plots: what an experiment does with time and with numbers."""

import re
import subprocess
import xml.etree.ElementTree as ET
from collections import Counter

import pytest

from testbed import measure, plan, svg, windows
from testbed.errors import TestbedError
from testbed.layout import INTERFERENCE
from testbed.windows import Counters

OFF = None
ON = plan.LLC


def experiment(**changes):
    return plan.Experiment("e", "E", "x", (plan.Arm("a", {}), plan.Arm("b", {})), (OFF, ON), **changes)


def test_each_round_holds_every_pair_once_in_an_order_of_its_own():
    slots = experiment(rounds=20).slots(seed=3)
    orders = [tuple((s.arm.label, s.neighbour) for s in slots if s.round == r) for r in range(1, 21)]
    assert all(Counter(o) == Counter([("a", OFF), ("a", ON), ("b", OFF), ("b", ON)]) for o in orders)
    assert len(set(orders)) > 5
    assert slots == experiment(rounds=20).slots(seed=3) != experiment(rounds=20).slots(seed=4)


def test_a_neighbours_schedule_is_the_plan_seen_from_its_side():
    a = plan.Arm("a", {})
    slots = [plan.Slot(1, a, n) for n in (OFF, ON, ON, OFF, ON)]
    assert plan.schedule(slots, ON, 15) == "15s off, 30s on, 15s off, 15s on"


@pytest.mark.parametrize("name", plan.experiments())
def test_every_experiment_makes_schedules_that_neighbour_can_read_and_windows_of_whole_lines(name):
    e = plan.find(name)
    slots = e.slots(1)
    assert e.window % e.interval == 0 and e.settle % e.interval == 0
    assert len(slots) * e.slot_length + 25 < 480, "an experiment fits into eight minutes"
    for neighbour in {s.neighbour for s in slots if s.neighbour}:
        words = [INTERFERENCE / "neighbour", "-s", plan.schedule(slots, neighbour, e.slot_length), "--print", "1"]
        assert subprocess.run(words, capture_output=True).returncode == 0


def test_an_unknown_experiment_is_answered_with_the_known_ones():
    with pytest.raises(TestbedError, match="starvation"):
        plan.find("nonsense")


def row(end, **more):
    base = {"time": end, "throughput": 100.0, "response_time": 0.1, "response_time_p95": 0.3,
            "interactive_response_time": 0.1, "pending_users": 4.0, "oldest_wait": 0.2, "connects": 50.0, "errors": 0.0,
            "leaks": 0.0, "generator_lag": 0.001}
    return {**base, **more}


def counters(time, web=0.0, neighbour=0.0, stall=0.0, busy=0.0, steal=0.0):
    return Counters(time, web, neighbour, stall, busy, steal)


def test_a_window_takes_exactly_the_lines_inside_it_and_weights_them():
    rows = [row(1005, response_time=99.0), row(1010, throughput=50.0, response_time=0.4, pending_users=9.0),
            row(1015, throughput=150.0, response_time=0.2, oldest_wait=3.0), row(1017, response_time=99.0)]
    # the last line is shorter: the load ended
    result = windows.window(rows, counters(1005.02), counters(1015.02, web=5.0, neighbour=5.0, stall=4.0, busy=10.5), 5)
    assert result["throughput"] == 100
    assert result["response_time"] == pytest.approx((50 * 0.4 + 150 * 0.2) / 200)
    assert result["pending_users"] == 4 and result["oldest_wait"] == 3
    assert result["connects"] == 10
    assert result["cpu_use"] == 0.5 and result["cpu_per_operation"] == 5
    assert result["stall"] == 0.4
    assert result["foreign"] == pytest.approx(0.05)
    assert not windows.disturbed(result)


def test_foreign_work_makes_a_window_worthless():
    rows = [row(1005), row(1010)]
    result = windows.window(rows, counters(1000), counters(1010, web=5, neighbour=0, busy=8), 5)
    assert windows.disturbed(result)
    good = {**result, "foreign": 0.0, "throughput": 80.0}
    cells = windows.summary([("a", "alone", result), ("a", "alone", good)], "throughput")
    assert cells[("a", "alone")] == windows.Cell(80.0, 80.0, 80.0, 1)


def test_a_window_in_which_nobody_was_served_has_no_response_time_but_counts():
    empty = row(1005, throughput=0.0, response_time=None, response_time_p95=None, interactive_response_time=None)
    result = windows.window([empty], counters(1000), counters(1005), 5)
    assert result["response_time"] is None and result["cpu_per_operation"] is None
    assert result["pending_users"] == 4


def test_missing_lines_are_an_error_and_not_a_smaller_window():
    with pytest.raises(ValueError, match="expected 2 lines"):
        windows.window([row(1005)], counters(1000), counters(1010), 5)


def test_intervals_are_read_with_their_gaps_while_they_are_written():
    text = "time,phase,response_time\n5.000,steady,\n6.000,steady,0.25\n7.000,ste"
    assert windows.read_intervals(text) == [{"time": 5.0, "phase": "steady", "response_time": None},
                                            {"time": 6.0, "phase": "steady", "response_time": 0.25}]
    assert windows.read_intervals("") == windows.read_intervals("time,pha") == []


def measured():
    e = experiment()
    slots = [plan.Slot(r, arm, n) for r in (1, 2) for arm in e.arms for n in e.neighbours]
    result = windows.window([row(1005), row(1010)], counters(1000), counters(1010, web=5, busy=5), 5)
    return e, [(s, {**result, "response_time": 0.1 * s.round * (5 if s.neighbour else 1)}) for s in slots]


def test_results_are_a_csv_of_windows_a_table_with_ranges_and_a_plot(tmp_path):
    table = measure.write_results(tmp_path, *measured())
    lines = (tmp_path / "windows.csv").read_text().splitlines()
    assert len(lines) == 1 + 8
    assert lines[0].startswith("round,setting,neighbour,placement,disturbed,throughput,response_time,")
    assert sum("same-core" in line for line in lines) == 4
    assert "| a | alone | 2 | 100.0 [100.0..100.0] | 0.150 [0.100..0.200] |" in table
    assert f"| b | {ON.label} | 2 | 100.0 [100.0..100.0] | 0.750 [0.500..1.000] |" in table
    root = ET.fromstring((tmp_path / "plot.svg").read_text())
    circles = root.findall(".//{http://www.w3.org/2000/svg}circle")
    assert len(circles) == 2 + len(measure.PLOTTED) * 4  # legend; points
    texts = {t.text for t in root.iter("{http://www.w3.org/2000/svg}text")}
    assert {"E", "alone", ON.label, "mean (s)", "a", "b"} <= texts


def test_a_plot_puts_larger_values_higher_and_escapes_names():
    panel = svg.Panel("p", ["<x>", "y"], {"s & t": {"<x>": (1.0, 0.5, 1.5), "y": (2.0, 2.0, 2.0)}})
    root = ET.fromstring(svg.figure("t", "x", [panel]))
    name = "{http://www.w3.org/2000/svg}"
    heights = [float(c.get("cy")) for c in root.findall(f".//{name}g//{name}circle")]
    assert heights[0] > heights[1]


@pytest.mark.parametrize("largest, limit", [(0.031, 0.04), (1.0, 1), (1.01, 2), (97, 100), (240, 250)])
def test_axes_end_at_round_numbers(largest, limit):
    assert svg._round_up(largest) == pytest.approx(limit)


def test_every_value_of_an_experiment_is_one_that_httpd_reads():
    for experiment in plan.experiments().values():
        for arm in experiment.arms:
            assert re.fullmatch(r"\d+(ms|s|min|h)?", str(arm.values["KeepAliveTimeout"])), arm
            assert re.fullmatch(r"\d+", str(arm.values["MaxRequestWorkers"])), arm
            assert re.fullmatch(r"[0-4]", str(arm.values["MITIGATION"])), arm
