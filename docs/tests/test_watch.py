# SPDX-License-Identifier: Apache-2.0
"""What README shows of `ic2 watch` is what the agent says of that recording today: figures, values in force, and actions."""

import csv
import datetime
import gzip
import json
import re
import subprocess

import pytest
from test_links import ROOT

SHOWN = re.search(r"^```text\n(ic2  .*?)^```", (ROOT / "README.md").read_text(), re.MULTILINE | re.DOTALL)[1].splitlines()
RECORDING = ROOT / "training/data/onsets/r1-llcprobe-d"
# CASE_STUDIES.md has the same. What the recording was made with took one level an action.
CONFIG = """
application: shop
mode: advise
members:
  web:
    role: web
    sensors: {response: {type: mod-status, url: "http://127.0.0.1/server-status?auto"}}
    actuators: {}
baseline: {max-request-workers: 240, keep-alive-timeout: 1s, php-max-children: 60, mitigation: 0}
bounds: {max-request-workers: [120, 240], keep-alive-timeout: [1s, 4s], php-max-children: [60, 60], mitigation: [0, 4]}
levers: [max-request-workers, keep-alive-timeout, mitigation]
target-response-time: 100ms
ladder-step: one
safety: {cool-down: 1750ms, actions-per-hour: 1371}
"""


@pytest.fixture(scope="module")
def decisions(tmp_path_factory):
    """(time, state, action, reason) of each decision on the recording."""
    folder = tmp_path_factory.mktemp("watch")
    (folder / "ic2.yaml").write_text(CONFIG)
    (folder / "samples.csv").write_bytes(gzip.decompress((RECORDING / "samples.csv.gz").read_bytes()))
    done = subprocess.run([ROOT / "bin/ic2", "replay", "--json", "-c", folder / "ic2.yaml", folder / "samples.csv"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def figure(label):
    line = next(line for line in SHOWN if re.match(rf"{label} +[\d.]", line))
    return float(re.match(rf"{label} +([\d.]+)", line)[1])


@pytest.fixture(scope="module")
def sample():
    """The sample that the screen shows."""
    with gzip.open(RECORDING / "samples.csv.gz", "rt") as lines:
        found = [row for row in csv.DictReader(lines) if row["response_time"] and row["steal"] and float(f"{100 * float(row['steal']):.3g}")
                 == figure("steal") and float(f"{float(row['response_time']):.3g}") == figure("response time")]
    assert len(found) == 1
    return found[0]


def test_the_figures_are_those_of_a_sample(sample):
    assert float(f"{float(sample['throughput']):.3g}") == figure("throughput")
    assert float(f"{100 * float(sample['cpu_util']):.3g}") == figure("CPU")
    assert float(sample["accept_queue"]) == figure("accept queue")
    assert float(f"{float(sample['load_per_operation']):.2g}") == figure("load/operation")
    running = next(line for line in SHOWN if line.startswith("running"))
    assert running.split(maxsplit=1)[1] == (f"MXC {int(float(sample['mxc']))}, KAT {round(1000 * float(sample['kat']))}ms, PHP {int(float(sample['php']))}, "
                                            f"mitigation {sample['mitigation']}")


def test_the_neighbour_is_there_for_as_long(sample):
    onset = next(switch["time"] for switch in json.loads((RECORDING / "run.json").read_text())["switches"])
    assert f"The neighbour started {round(float(sample['time']) - onset)} s ago" in (ROOT / "README.md").read_text()


def test_state_and_actions_are_those_of_today(sample, decisions):
    before = [decision for decision in decisions if at(decision) <= float(sample["time"]) + 0.01]
    since = next(at(decision) for decision in reversed(before) if decision["state"] != before[-1]["state"])
    shown = re.match(r"Interference \((\w+)\) for (\d+) s;", SHOWN[1])
    assert shown[1] == before[-1]["state"] and abs(float(sample["time"]) - since - int(shown[2])) <= 1.5
    lines = [re.fullmatch(r"(\d\d):(\d\d):(\d\d)  ([A-Z_]+): (.*)", line) for line in SHOWN]
    actions = [(int(match[1]) * 3600 + int(match[2]) * 60 + int(match[3]), match[4], match[5]) for match in lines if match]
    assert [action for _, action, _ in actions] == [decision["action"] for decision in reversed(before) if decision["action"] != "HOLD"]
    found = []
    for second, action, reason in actions:
        same = [decision for decision in before if decision["action"] == action and decision["reason"].startswith(reason.removesuffix("…"))]
        assert len(same) == 1, f"the agent does not say '{action}: {reason}'; it says {[decision['reason'] for decision in before[-20:]]}"
        found.append((second, at(same[0])))
    for (second, time), (next_second, next_time) in zip(found, found[1:]):
        assert abs((second - next_second) - (time - next_time)) <= 1.5


def at(decision):
    return datetime.datetime.fromisoformat(decision["time"].replace("Z", "+00:00")).timestamp()
