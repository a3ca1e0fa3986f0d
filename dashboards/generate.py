#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the Grafana dashboards tier.json and fleet.json, on the metrics of docs/metrics.md, into a folder (default: beside this file).

usage: generate.py [FOLDER]

Needs Grafana's foundation SDK, in an environment of its own:

    python3 -m venv build/dashboards
    build/dashboards/bin/pip install --require-hashes -r dashboards/requirements.txt
    build/dashboards/bin/python dashboards/generate.py

or `make dashboards`, which does the three. What it writes is checked in; a test compares.
"""
import json
import pathlib
import sys

try:
    from grafana_foundation_sdk.builders import bargauge, common, dashboard, prometheus, stat, statetimeline, table, timeseries
    from grafana_foundation_sdk.cog.encoder import JSONEncoder
    from grafana_foundation_sdk.models import common as looks
    from grafana_foundation_sdk.models import dashboard as model
    from grafana_foundation_sdk.models.prometheus import PromQueryFormat
except ImportError as missing:
    sys.exit(f"generate.py: {missing}; install the SDK: pip install -r {pathlib.Path(__file__).parent}/requirements.txt (see --help)"
             if "--help" not in sys.argv else __doc__)

SOURCE = model.DataSourceRef(type_val="prometheus", uid="${datasource}")
STATES = {"NI1": ("no interference, not confirmed", "semi-dark-green"), "NI2": ("no interference", "green"),
          "T": ("changing", "yellow"), "I1": ("interference, not confirmed", "orange"), "I2": ("interference", "red"),
          "MANUAL": ("MANUAL: the agent changes nothing", "purple")}
COLOURS = {"baseline": "green", "bound": "text", "normal": "green", "target": "red"}
TITLES = {"interference confirmed": "I2", "actions": "{{action}}"}
TIER = '{application=~"$application", instance="$instance"}'
FLEET = '{application=~"$application", instance=~"$instance"}'


def labels(where, more):
    """The selector with further conditions."""
    return where[:-1] + ", " + more + "}"


def state(where):
    """The states as numbers from 1 on, in the order of STATES: one line a tier."""
    return "sum by (application, instance) (" + " or ".join(
        f"ic2_state{labels(where, f'state={chr(34)}{name}{chr(34)}')} * {number}" for number, name in enumerate(STATES, 1)) + ")"


def state_names():
    return [model.ValueMap(options={str(number): model.ValueMappingResult(text=f"{name}: {text}" if name != "MANUAL" else text, color=colour)
                                    for number, (name, (text, colour)) in enumerate(STATES.items(), 1)})]


def words(**texts):
    """What numbers are called, with a colour: n0=("up", "green")."""
    return [model.ValueMap(options={name[1:]: model.ValueMappingResult(text=text, color=colour) for name, (text, colour) in texts.items()})]


def mean_response_time(where):
    window = "[$__rate_interval]"
    return f"rate(ic2_response_time_seconds_sum{where}{window}) / rate(ic2_response_time_seconds_count{where}{window})"


def query(expr, name="", now=False, rows=False):
    """A query; `now` asks for the latest value alone, `rows` as a table's."""
    made = prometheus.Dataquery().expr(expr).legend_format(name)
    made = made.instant() if now else made.range()
    return made.format(PromQueryFormat.TABLE) if rows else made


def panel(kind, title, text, queries, width, height, unit=None):
    made = kind.Panel().title(title).description(text).datasource(SOURCE).span(width).height(height)
    for number, one in enumerate(queries):
        made = made.with_target(one.ref_id(chr(ord("A") + number)))
    return made.unit(unit) if unit else made


def lines(title, text, queries, unit=None, width=12, zero=True, dashed=()):
    """Lines over time; those that are named in `dashed` are what the others are compared with."""
    made = panel(timeseries, title, text, queries, width, 8, unit).line_width(1.5).show_points(looks.VisibilityMode.NEVER)
    made = made.tooltip(common.VizTooltipOptions().mode(looks.TooltipDisplayMode.MULTI))
    for name in dashed:
        colour = COLOURS[name.split(" ")[-1]]
        made = made.override_by_name(name, [
            model.DynamicConfigValue(id_val="custom.lineStyle", value={"fill": "dash", "dash": [8, 6]}),
            model.DynamicConfigValue(id_val="color", value={"mode": "fixed", "fixedColor": colour})])
    return made.min(0) if zero else made


def band(title, text, queries, names, height=4):
    """What lasted how long, a row for each series."""
    return panel(statetimeline, title, text, queries, 24, height).mappings(names).merge_values(True).show_value(
        looks.VisibilityMode.NEVER).fill_opacity(85).line_width(0)


def figure(title, text, expr, unit=None, names=(), steps=(), width=4, name=""):
    """One number, of now. Steps are values with the colour from there on."""
    made = panel(stat, title, text, [query(expr, name, now=True)], width, 4, unit).graph_mode(looks.BigValueGraphMode.NONE)
    made = made.color_mode(looks.BigValueColorMode.VALUE).reduce_options(common.ReduceDataOptions().calcs(["lastNotNull"]))
    if name:
        made = made.text_mode(looks.BigValueTextMode.NAME)
    made = made.thresholds(dashboard.ThresholdsConfig().mode(model.ThresholdsMode.ABSOLUTE).steps(
        [model.Threshold(value=value, color=colour) for value, colour in ((None, "text"), *steps)]))
    return made.mappings(list(names)) if names else made


def lever(metric, title, unit=None):
    running = [query(f"{metric}{end}{TIER}", name) for end, name in (("", "in force"), ("_baseline", "baseline"),
                                                                   ("_min", "lower bound"), ("_max", "upper bound"))]
    return lines(title, "What is in force, the baseline and the bounds. Nothing if it is not configured.", running, unit, 6, False,
                 ("baseline", "lower bound", "upper bound")).line_interpolation(looks.LineInterpolation.STEP_AFTER)


def mark(name, expr, colour):
    return dashboard.AnnotationQuery().name(name).datasource(SOURCE).enable(True).icon_color(colour).expr(expr)


def begun(title, uid, text):
    choice = dashboard.QueryVariable("application").datasource(SOURCE).label("application").multi(True).include_all(True)
    # a tier whose scrape configuration gives no such label is any application's
    choice = choice.all_value(".*").refresh(model.VariableRefresh.ON_TIME_RANGE_CHANGED)
    return (dashboard.Dashboard(title).uid(uid).description(text).tags(["ic2"]).readonly().time("now-1h", "now").refresh("15s")
            .tooltip(model.DashboardCursorSync.CROSSHAIR)
            .with_variable(dashboard.DatasourceVariable("datasource").label("Prometheus").type("prometheus"))
            .with_variable(choice.query("label_values(ic2_build_info, application)")))


def instances():
    return (dashboard.QueryVariable("instance").label("tier").datasource(SOURCE)
            .refresh(model.VariableRefresh.ON_TIME_RANGE_CHANGED).sort(model.VariableSort.ALPHABETICAL_ASC)
            .query('label_values(ic2_build_info{application=~"$application"}, instance)'))


def first_row():
    return [
        figure("State", "What IC² believes: docs/operations.md", state(TIER), names=state_names(), width=6),
        figure("Level", "Mitigation level in force; 0: nothing is mitigated", f"ic2_mitigation_level{TIER}", width=3, steps=((1, "orange"),)),
        figure("Mitigated", "Whether anything is in force that is not the baseline", f"ic2_mitigated{TIER}",
               names=words(n0=("no", "green"), n1=("yes", "orange")), width=3),
        figure("Budget left", "Actions that may still be taken within this hour", f"ic2_actions_hour_remaining{TIER}", width=3,
               steps=((0, "red"), (2, "text"))),
        figure("Last sample", "How long ago the last interval ended. What grows here says that nothing is measured any more.",
               f"time() - ic2_last_sample_timestamp_seconds{TIER}", "s", steps=((30, "orange"), (60, "red")), width=3),
        figure("Mode", "observe only measures, advise says what it would do, act does it", f"ic2_mode_info{TIER}", width=3, name="{{mode}}"),
        figure("Version", "Of the agent", f"ic2_build_info{TIER}", width=3, name="{{version}}")]


def tier():
    made = begun("IC²: a tier", "ic2-tier", "What the agent of one web tier sees, did and may still do.").with_variable(instances())
    confirmed, applied = labels(TIER, 'state="I2"'), labels(TIER, 'result="applied"')
    made = made.annotation(mark("interference confirmed", f"ic2_state{confirmed} == 1", "red"))
    made = made.annotation(mark("actions", f"sum by (action) (increase(ic2_actions_total{applied}[$__rate_interval])) > 0", "blue"))
    made = made.link(dashboard.DashboardLink("All tiers").type(model.DashboardLinkType.LINK).url("/d/ic2-fleet").keep_time(True))
    for one in (*first_row(), *seen(), *done(), *health()):
        made = made.with_panel(one)
    return made


def seen():
    shares = {"steal_of_demand": "CPU asked for and not got", "run_delay": "threads ready and not running", "cmr": "cache misses",
              "memory_pressure": "memory pressure", "io_pressure": "I/O pressure"}
    costs = {"load_per_operation_seconds": "CPU of a request", "cpi_cycles": "cycles per instruction", "memory_latency_seconds": "memory latency",
             "cost_per_mix": "cost of the mix of requests"}
    return [
        band("State over time", "What IC² believed", [query(state(TIER), "state")], state_names()),
        band("Harm and its cause", "Whether it is confirmed that users are harmed, and why: docs/causes.md",
             [query(f"ic2_harm{TIER}", "users are harmed"), query(f"ic2_harm_cause{TIER}", "{{cause}}")],
             words(n0=("no", "green"), n1=("yes", "red")), 9),
        lines("Response time", "Mean of all requests, what is normal without interference, and the target below which nothing is done. Log scale.",
              [query(mean_response_time(TIER), "response time"), query(f"ic2_response_time_normal_seconds{TIER}", "normal"),
               query(f"ic2_target_seconds{TIER}", "target")], "s", dashed=("normal", "target"), zero=False)
        .scale_distribution(common.ScaleDistributionConfig().type(looks.ScaleDistribution.LOG).log(10)),
        lines("Throughput", "Completed and failed requests", [query(f"rate(ic2_requests_total{TIER}[$__rate_interval])", "completed"),
                                                              query(f"rate(ic2_failed_requests_total{TIER}[$__rate_interval])", "failed")], "reqps"),
        lines("CPU and steal", "Shares of the tier's CPU: what was not idle, and what it wanted and did not get",
              [query(f"ic2_cpu_ratio{TIER}", "CPU"), query(f"ic2_steal_ratio{TIER}", "steal")], "percentunit", 8).max(1),
        lines("Accept queue", "Connections that no thread has taken yet", [query(f"ic2_accept_queue_connections{TIER}", "connections")], width=8),
        lines("Turned away", "Requests that were asked to come later, by the wall or as a crawler's; they are in no other figure of requests",
              [query(f"rate(ic2_turned_away_requests_total{TIER}[$__rate_interval])", "turned away")], "reqps", 8),
        lines("Independent signals: shares", "What tells a neighbour and mitigation does not hide; those that nobody measures are not there",
              [query(f"ic2_sample_{name}_ratio{TIER}", f"{text} ({{{{member}}}})") for name, text in shares.items()], "percentunit"),
        lines("Independent signals: times the normal", "1 is as without interference",
              [query(f"ic2_sample_{name}{TIER} / ignoring (member) group_left ic2_median_{name}{TIER}", f"{text} ({{{{member}}}})")
               for name, text in costs.items()])]


def done():
    return [
        lever("ic2_max_request_workers", "MaxRequestWorkers"), lever("ic2_keep_alive_timeout_seconds", "KeepAliveTimeout", "s"),
        lever("ic2_php_max_children", "PHP children"), lever("ic2_mitigation", "MITIGATION"),
        lines("Mitigation level", "In force", [query(f"ic2_mitigation_level{TIER}", "level")], width=8)
        .line_interpolation(looks.LineInterpolation.STEP_AFTER).fill_opacity(20),
        lines("Actions by result", "Within each step of the picture, none lost between two scrapes",
              [query(f"sum by (action, result) (increase(ic2_actions_total{TIER}[$__rate_interval]))", "{{action}} {{result}}")], width=8)
        .draw_style(looks.GraphDrawStyle.BARS).fill_opacity(60),
        lines("Budget of actions", "Within the last hour", [query(f"ic2_actions_hour_remaining{TIER}", "left"),
                                                           query(f"ic2_actions_in_last_hour{TIER}", "spent")], width=8),
        panel(bargauge, "Time in each state", "Of the time that is shown",
              [query(f"sum by (state) (increase(ic2_state_seconds_total{TIER}[$__range]))", "{{state}}", now=True)], 8, 8, "s")
        .orientation(looks.VizOrientation.HORIZONTAL),
        panel(bargauge, "Time at each level", "Of the time that is shown",
              [query(f"sum by (level) (increase(ic2_level_seconds_total{TIER}[$__range]))", "level {{level}}", now=True)], 8, 8, "s")
        .orientation(looks.VizOrientation.HORIZONTAL),
        lines("Time to apply a change", "From an action's first command to the last value read back, mean of the time that is shown",
              [query(f"increase(ic2_apply_seconds_sum{TIER}[$__range]) / increase(ic2_apply_seconds_count{TIER}[$__range])", "apply")], "s", 8),
        *worth()]


def worth():
    """Docs/operations.md says how it is reckoned, and what of it is not measured."""
    since = "since the agent's start"
    return [
        lines("CPU saved", f"CPU seconds of the whole CPU, {since}, at least and at most: what users got from the store by mitigation and need not be built",
              [query(f"ic2_saved_cpu_seconds_total{TIER}", "at {{bound}}")], "s", 8),
        lines("Waiting avoided", f"Seconds that users waited less, {since}, at least and at most; below 0 they waited longer with the mitigation",
              [query(f"ic2_avoided_waiting_seconds{TIER}", "at {{bound}}")], "s", 8, False),
        lines("What users paid", f"Stored pages by their greatest age, and seconds without optional parts, {since}",
              [query(f"ic2_mitigation_stored_pages_total{TIER}", "pages at most {{age}} old"),
               query(f"ic2_without_parts_seconds_total{TIER}", "seconds without parts"),
               query(f"ic2_ended_episodes_total{TIER}", "episodes that are over")], width=8)]


def health():
    window = f"{TIER}[$__rate_interval]"
    return [
        band("Sensors", "A sensor that misses anything is red; ic2 status says what", [query(f"ic2_sensor_up{TIER}", "{{sensor}}")],
             words(n0=("misses something", "red"), n1=("up", "green")), 8),
        lines("Last sample's age", "How long ago the last interval ended when Prometheus asked",
              [query(f"timestamp(ic2_last_sample_timestamp_seconds{TIER}) - ic2_last_sample_timestamp_seconds{TIER}", "age")], "s", 8),
        lines("Changes that httpd has yet to finish", "Threads that are withheld, those of them that are still busy, and children that have not "
              "taken up the last change", [query(f"httpd_online_withheld_workers{TIER}", "withheld"),
                                           query(f"httpd_online_owed_workers{TIER}", "owed"),
                                           query(f"httpd_online_reconfigure_pending_children{TIER}", "pending")], width=8),
        lines("The agent itself", "Share of a core, and memory", [query(f"rate(process_cpu_seconds_total{window})", "CPU"),
                                                                  query(f"process_resident_memory_bytes{TIER}", "memory")], "percentunit", 8)
        .override_by_name("memory", [model.DynamicConfigValue(id_val="unit", value="bytes"),
                                     model.DynamicConfigValue(id_val="custom.axisPlacement", value="right")])]


def fleet():
    every = instances().multi(True).include_all(True).all_value(".*")
    made = begun("IC²: all tiers", "ic2-fleet", "Who is under interference, who is mitigated, and whose agent needs somebody.")
    made = made.with_variable(every)
    ratio = f"{mean_response_time(FLEET)} / ic2_response_time_normal_seconds{FLEET}"
    loud = labels(FLEET, 'state="I2"')
    for one in (
            figure("Agents", "That say who they are", f"count(ic2_build_info{FLEET})"),
            figure("Under interference", "Confirmed: I2", f"sum(ic2_state{loud})", steps=((1, "red"),)),
            figure("Mitigated", "Away from the baseline", f"sum(ic2_mitigated{FLEET})", steps=((1, "orange"),)),
            figure("MANUAL", "In manual mode", "sum(ic2_state" + labels(FLEET, 'state="MANUAL"') + ")", steps=((1, "purple"),)),
            figure("Sensors that miss something", "In all tiers", f"sum(1 - ic2_sensor_up{FLEET})", steps=((1, "red"),)),
            figure("Measuring nothing", "Tiers whose last sample is older than a minute",
                   f"sum(time() - ic2_last_sample_timestamp_seconds{FLEET} > bool 60)", steps=((1, "red"),)),
            overview(ratio),
            band("State over time", "One row a tier", [query(state(FLEET), "{{application}} {{instance}}")], state_names(), 10),
            lines("Worst response time, times the normal", "The ten worst tiers; 1 is as without interference",
                  [query(f"topk(10, {ratio})", "{{application}} {{instance}}")]),
            lines("Steal", "The ten worst tiers", [query(f"topk(10, ic2_steal_ratio{FLEET})", "{{application}} {{instance}}")], "percentunit"),
            lines("Actions", "Of all tiers, by result",
                  [query(f"sum by (result) (increase(ic2_actions_total{FLEET}[$__rate_interval]))", "{{result}}")])
            .draw_style(looks.GraphDrawStyle.BARS).fill_opacity(60),
            lines("Interference begins", "Confirmed after none was, by tier",
                  [query(f"sum by (application, instance) (increase(ic2_interference_episodes_total{FLEET}[$__rate_interval]))",
                         "{{application}} {{instance}}")]).draw_style(looks.GraphDrawStyle.BARS).fill_opacity(60),
            panel(table, "Sensors that miss something", "ic2 status on the machine says what",
                  [query(f"ic2_sensor_up{FLEET} == 0", now=True, rows=True)], 12, 8)
            .with_transformation(model.DataTransformerConfig(id_val="organize", options={"excludeByName": {
                name: True for name in ("Time", "__name__", "job", "Value")}})),
            panel(bargauge, "Versions", "Agents of each version",
                  [query(f"count by (version) (ic2_build_info{FLEET})", "{{version}}", now=True)], 12, 8)
            .orientation(looks.VizOrientation.HORIZONTAL)):
        made = made.with_panel(one)
    return made


def overview(ratio):
    """One line a tier, which leads to its dashboard."""
    columns = {"state": state(FLEET), "response time / normal": ratio, "steal": f"ic2_steal_ratio{FLEET}", "level": f"ic2_mitigation_level{FLEET}",
               "actions, 1 h": f"ic2_actions_in_last_hour{FLEET}", "sensors missing": f"sum by (application, instance) (1 - ic2_sensor_up{FLEET})",
               "harm": f"ic2_harm{FLEET}",
               "version": f"ic2_build_info{FLEET}", "mode": f"ic2_mode_info{FLEET}"}
    made = panel(table, "Tiers", "A click on a tier leads to its dashboard",
                 [query(f"max by (application, instance, version, mode) ({expr})", now=True, rows=True) for expr in columns.values()], 24, 9)
    values = {f"Value #{chr(ord('A') + number)}": name for number, name in enumerate(columns)}
    hidden = ["Time", *(value for value, name in values.items() if name in ("version", "mode"))]
    made = made.with_transformation(model.DataTransformerConfig(id_val="merge", options={}))
    made = made.with_transformation(model.DataTransformerConfig(id_val="organize", options={
        "excludeByName": {name: True for name in hidden}, "renameByName": values}))
    made = made.override_by_name("instance", [model.DynamicConfigValue(id_val="links", value=[
        {"title": "The tier", "url": "/d/ic2-tier?var-instance=${__value.text}&${__url_time_range}"}])])
    made = made.override_by_name("state", [model.DynamicConfigValue(id_val="mappings", value=state_names()),
                                           model.DynamicConfigValue(id_val="custom.cellOptions", value={"type": "color-text"})])
    made = made.override_by_name("harm", [model.DynamicConfigValue(id_val="mappings", value=words(n0=("no", "green"), n1=("yes", "red"))),
                                          model.DynamicConfigValue(id_val="custom.cellOptions", value={"type": "color-text"})])
    made = made.override_by_name("steal", [model.DynamicConfigValue(id_val="unit", value="percentunit")])
    return made.override_by_name("response time / normal", [model.DynamicConfigValue(id_val="decimals", value=1)])


def main():
    if "--help" in sys.argv or "-h" in sys.argv:
        print(__doc__)
        return
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent)
    for name, made in (("tier", tier()), ("fleet", fleet())):
        whole = json.loads(json.dumps(made.build(), cls=JSONEncoder))
        for number, one in enumerate(whole["panels"], 1):
            one["id"] = number
        for one in whole.get("annotations", {}).get("list", []):
            one["titleFormat"] = TITLES[one["name"]]      # the SDK does not know what Prometheus' annotations are called by
        (folder / f"{name}.json").write_text(json.dumps(whole, indent=2, sort_keys=True, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
