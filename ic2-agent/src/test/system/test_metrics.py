# SPDX-License-Identifier: Apache-2.0
"""The agent's metrics, scraped by a real Prometheus through an interference; the alert rules and Grafana dashboards on them."""
import csv
import json
import os
import pathlib
import re
import shutil
import subprocess

import pytest
import scraped
from running import Agent, status_page, wait
from scraped import HTTPD, RULES, SCRAPE_S, read

DASHBOARDS = RULES.parent
BUILD = pathlib.Path(os.environ.get("IC2_BUILD", DASHBOARDS.parent / "build"))
SDK = BUILD / "dashboards" / ".made"
METRIC = re.compile(r"\b(?:ic2|httpd_online|process)_[a-z0-9_]+")
# what neither httpd nor this machine shows, or the configuration leaves out: counters of the CPU, PHP, the mix of requests
UNSEEN = re.compile(r"ic2_sample_(cmr|cpi|cost_per_mix|run_delay|io_pressure)|ic2_php")
INTERVAL_S = 1
# with its unit in the name, and how Prometheus is to take it
NAMES = """
    gauge: ic2_build_info ic2_mode_info ic2_response_time_normal_seconds ic2_target_seconds ic2_cpu_ratio ic2_steal_ratio
    gauge: ic2_load_per_operation_seconds ic2_accept_queue_connections ic2_state ic2_mitigated ic2_mitigation_level
    gauge: ic2_max_request_workers ic2_max_request_workers_baseline ic2_max_request_workers_min ic2_max_request_workers_max
    gauge: ic2_keep_alive_timeout_seconds ic2_keep_alive_timeout_seconds_baseline ic2_keep_alive_timeout_seconds_min
    gauge: ic2_keep_alive_timeout_seconds_max ic2_actions_hour_remaining ic2_sensor_up ic2_last_sample_timestamp_seconds
    gauge: httpd_online_withheld_workers httpd_online_owed_workers httpd_online_reconfigure_pending_children
    gauge: process_resident_memory_bytes process_start_time_seconds
    gauge: ic2_sample_steal_ratio ic2_median_response_time_seconds
    counter: ic2_requests_total ic2_state_seconds_total ic2_interference_episodes_total ic2_level_seconds_total ic2_actions_total
    counter: ic2_failed_requests_total process_cpu_seconds_total ic2_turned_away_requests_total ic2_ended_episodes_total
    counter: ic2_saved_cpu_seconds_total ic2_mitigation_stored_pages_total ic2_without_parts_seconds_total
    gauge: ic2_harm ic2_harm_cause ic2_avoided_waiting_seconds
    summary: ic2_response_time_seconds ic2_apply_seconds
"""

pytestmark = pytest.mark.skipif(shutil.which("promtool") is None, reason="promtool is missing; install the package prometheus")


@pytest.fixture
def agent(tmp_path):
    with status_page() as url:
        running = Agent(tmp_path, url)
        try:
            yield running
        finally:
            running.end()


@pytest.fixture(scope="module")
def interference():
    """One for all tests."""
    if not HTTPD.is_dir():
        pytest.skip(f"{HTTPD} is missing; build it with: make httpd")
    with scraped.interference() as over:
        yield over


def promtool_says_nothing(text):
    said = subprocess.run(["promtool", "check", "metrics"], input=text, text=True, capture_output=True)
    assert said.returncode == 0 and not said.stdout + said.stderr, said


def test_promtool_finds_nothing_to_say_of_the_metrics(agent):
    wait(lambda: "ic2_sample_throughput_per_second{" in read(agent.url() + "metrics"), agent.log)
    promtool_says_nothing(read(agent.url() + "metrics"))


def absent(page):
    """What a page lacks of NAMES."""
    types = dict(re.findall("^# TYPE (\\S+) (\\S+)$", page, re.M))
    for line in NAMES.strip().splitlines():
        kind, names = line.split(":")
        for name in names.split():
            if types.get(name) != kind.strip():
                yield f"{name} is {types.get(name)}"
            elif not re.search(f"^{name}(_count|_sum)?[{{ ]", page, re.M):
                yield f"{name} has no value"


def test_each_quantity_is_there_by_its_name_and_type(interference):
    # in a second in which the tier stood still there is no response time
    page = wait(lambda: [page for page in [interference.metrics()] if not list(absent(page))], interference.log,
                lambda: list(absent(interference.metrics())))[0]
    promtool_says_nothing(page)


def test_each_alert_fires_where_it_should():
    for check in (["check", "rules", "alerts.yml"], ["test", "rules", "alerts_test.yml"]):
        said = subprocess.run(["promtool", *check], cwd=DASHBOARDS, text=True, capture_output=True)
        assert said.returncode == 0, said.stdout + said.stderr
    alerts, tests = ((DASHBOARDS / name).read_text() for name in ("alerts.yml", "alerts_test.yml"))
    assert set(re.findall(r"- alert: (\w+)", alerts)) == set(re.findall(r"- name: (\w+)\n", tests)), "each is tried"


def sums(samples, begin, end):
    """Those after the sample that ended at `begin`, until the one that ended at `end`; a page may be made while one is added."""
    before, until = (sum(sample[0] <= at + INTERVAL_S / 100 for sample in samples) for at in (begin, end))
    for first in (before, before - 1, before + 1):
        for last in (until, until - 1, until + 1):
            yield [sum(column) for column in zip(*samples[max(0, first):last])][1:]


def test_sums_of_prometheus_equal_those_of_the_samples(interference):
    ask = interference.prometheus.series
    requests, seconds = ask("ic2_requests_total[1h]"), dict(ask("ic2_response_time_seconds_sum[1h]"))
    ended = dict(ask("ic2_last_sample_timestamp_seconds[1h]"))
    requests = [scrape for scrape in requests if scrape[0] in seconds and scrape[0] in ended]
    (begin, counted_before), (end, counted) = requests[0], requests[-1]
    assert len(requests) >= 3
    with open(interference.recording, newline="") as file:
        rows = list(csv.DictReader(file))
    samples = [(float(row["time"]), float(row["requests"]), float(row["requests"]) * float(row["response_time"]))
               for row in rows if row["requests"] and row["response_time"]]
    found = [counted - counted_before, seconds[end] - seconds[begin]]
    assert any(found == pytest.approx(each, rel=1e-6) for each in sums(samples, ended[begin], ended[end])), (begin, end, ended, found, samples)

    known = [json.loads(line) for line in interference.journal.read_text().splitlines()]
    applied = [entry for entry in known if entry["kind"] == "applied"]
    done = {series["metric"]["action"]: float(series["value"][1])
            for series in interference.prometheus.ask('ic2_actions_total{result="applied"} > 0')}
    assert done == {action: sum(entry["action"] == action for entry in applied) for action in {entry["action"] for entry in applied}}
    assert {"MITIGATE", "STEP_DOWN"} <= set(done)
    assert ask("ic2_apply_seconds_count[1h]")[-1][1] == len(applied)
    assert ask("ic2_interference_episodes_total[1h]")[-1][1] == 1
    # scrapes at 15 s see of such an episode a state or two; the counters have all of its seconds
    of_states = {series["metric"]["state"]: float(series["value"][1]) for series in interference.prometheus.ask("ic2_state_seconds_total")}
    of_levels = {series["metric"]["level"]: float(series["value"][1]) for series in interference.prometheus.ask("ic2_level_seconds_total")}
    assert min(of_states[state] for state in ("T", "I1", "I2")) > 0 and of_levels["2"] > 0
    whole = ended[end] - float(rows[0]["time"])
    times = [float(row["time"]) for row in rows]
    turn = max(b - a for a, b in zip(times, times[1:]))     # an interval, or what a machine that stood still made of it
    assert sum(of_states.values()) == pytest.approx(whole, abs=2 * turn) and sum(of_levels.values()) == pytest.approx(whole, abs=2 * turn)


def queries(name):
    """Each query of a dashboard, its variables' and annotations' with them, as Grafana would send it: what it is for, the query, of now alone."""
    dashboard = json.loads((DASHBOARDS / name).read_text())
    for panel in dashboard["panels"]:
        assert panel["targets"], panel["title"]
        for target in panel["targets"]:
            yield panel["title"], target["expr"], target.get("instant", False)
    for annotation in dashboard.get("annotations", {}).get("list", []):
        yield annotation["name"], annotation["expr"], False
    for variable in dashboard["templating"]["list"]:
        if variable["type"] == "query":
            yield variable["name"], re.fullmatch(r"label_values\((.*), \w+\)", variable["query"]).group(1), True


@pytest.mark.parametrize("name", ["tier.json", "fleet.json"])
def test_each_panel_of_a_dashboard_shows_what_happened(interference, name):
    values = {"$__rate_interval": f"{4 * SCRAPE_S}s", "$__range": "1h", "$application": ".*",
              "$instance": interference.address if name == "tier.json" else ".*"}
    documented = set(METRIC.findall((DASHBOARDS.parent / "docs" / "metrics.md").read_text()))
    empty = []
    for title, query, instant in queries(name):
        assert {re.sub("_(sum|count)$", "", metric) for metric in METRIC.findall(query)} <= documented, (title, query)
        for variable, value in values.items():
            query = query.replace(variable, value)
        assert "$" not in query, (title, query)
        ask = interference.prometheus.get if instant else interference.prometheus.during
        found = ask("query", query=query) if instant else ask(query)
        if not found:
            empty.append((title, query))
    assert [each for each in empty if not UNSEEN.search(each[1])] == []


def test_the_dashboards_are_what_the_script_makes(tmp_path):
    if not SDK.exists():
        pytest.skip(f"Grafana's SDK is not there ({SDK.parent}); install it with: make dashboards")
    subprocess.run([SDK.parent / "bin" / "python", DASHBOARDS / "generate.py", tmp_path], check=True)
    for name in ("tier.json", "fleet.json"):
        assert (tmp_path / name).read_text() == (DASHBOARDS / name).read_text(), f"{name}: write it anew with: make dashboards"
