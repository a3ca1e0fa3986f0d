// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.http;

import io.prometheus.metrics.config.EscapingScheme;
import io.prometheus.metrics.core.metrics.CounterWithCallback;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.core.metrics.SummaryWithCallback;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.Quantiles;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.ic2.agent.config.AgentConfig;
import org.ic2.agent.tenant.AgentStatus;
import org.ic2.agent.tenant.AgentStatus.Tick;
import org.ic2.agent.tenant.Tally;
import org.ic2.knowledge.Action;
import org.ic2.knowledge.Cause;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Scenario;
import org.ic2.knowledge.State;
import org.ic2.runtime.knob.Bounds;
import org.ic2.runtime.knob.Knob;
import org.ic2.runtime.knob.Quantity;
import org.ic2.runtime.knob.Settings;

/** What Prometheus reads at {@code /metrics}. Everything is computed when it is asked for, nothing in the loop. */
public final class Metrics {

    private static final double NANOS = 1e9;
    private static final double MILLIS = 1e3;
    private static final List<String> RESULTS = List.of("applied", "refused", "failed");
    /** What mod_status of a patched httpd says of a change that is under way. */
    private static final List<Online> ONLINE = List.of(
            new Online("reconfigure_pending", "httpd_online_reconfigure_pending_children", "Children that have not acknowledged the last change"),
            new Online("withheld_workers", "httpd_online_withheld_workers", "Threads above MaxRequestWorkers, which accept no work"),
            new Online("owed_workers", "httpd_online_owed_workers",
                    "Withheld threads that still finish earlier work"));

    private final PrometheusRegistry registry = new PrometheusRegistry();
    private final PrometheusTextFormatWriter writer = PrometheusTextFormatWriter.create();
    private final List<Described> described = new ArrayList<>();
    private final AgentStatus board;
    private final Supplier<AgentConfig> config;

    /** A further number of a sensor that has a metric of its own. */
    private record Online(String extra, String name, String help) {
    }

    /** A metric in words, for docs/metrics.md. */
    record Described(String name, String type, List<String> labels, String help) {
    }

    /**
     * @param config the configuration at the time; another after it was read again
     */
    public Metrics(AgentStatus board, Supplier<AgentConfig> config) {
        this.board = board;
        this.config = config;
        agent();
        requests();
        tier();
        interference();
        worth();
        actions();
        sensors();
        process();
        config.get().vocabulary().quantities().forEach(quantity -> quantity(MetricName.of(quantity), quantity));
        config.get().vocabulary().knobs().forEach(this::lever);     // last: what somebody brings may be called like anything
    }

    private void agent() {
        gauge("ic2_build_info", "1, with the agent's version", callback -> callback.call(1, version()), "version");
        gauge("ic2_mode_info", "1, with the agent's mode: observe, advise or act", callback ->
                callback.call(1, config.get().mode().toString()), "mode");
        gauge("ic2_last_sample_timestamp_seconds", "Unix time of the last sample",
                callback -> tick(tick -> callback.call(tick.sampled().managed().time().toEpochMilli() / MILLIS)));
        gauge("ic2_decision_seconds", "Duration of the last decision", callback -> tick(tick ->
                callback.call(tick.decideNanos() / NANOS)));
    }

    private void requests() {
        counter("ic2_requests_total", "Completed requests", callback -> callback.call(board.tally().requests()));
        counter("ic2_failed_requests_total", "Failed requests", callback -> callback.call(board.tally().failures()));
        counter("ic2_turned_away_requests_total", "Requests that were asked to come later, by the wall or as a crawler's; they are in no other"
                + " figure of requests", callback -> callback.call(board.tally().turnedAway()));
        summary("ic2_response_time_seconds", "Sum and count of the response times of completed requests", callback ->
                callback.call((long) board.tally().timed(), board.tally().responseSeconds(), Quantiles.EMPTY));
        gauge("ic2_target_seconds", "target-response-time", callback -> callback.call(config.get().policy().targetResponseTime()));
        gauge("ic2_response_time_normal_seconds", "Response time without interference, median", callback -> tick(tick ->
                Optional.of(tick.state().medians().get(Metric.RESPONSE_TIME)).filter(median -> !median.isNaN()).ifPresent(callback::call)));
    }

    /** What the state is judged by, of the managed tier; by member, with all other quantities, it is in ic2_sample_*. */
    private void tier() {
        last("ic2_cpu_ratio", Metric.CPU_UTIL, "Share of the CPU that was not idle in the last interval, steal included");
        last("ic2_steal_ratio", Metric.STEAL, "Share of the last interval in which the tier was ready but did not run");
        last("ic2_load_per_operation_seconds", Metric.LOAD_PER_OPERATION, "CPU that a request took in the last interval, steal included");
        last("ic2_accept_queue_connections", Metric.ACCEPT_QUEUE, "Connections that waited to be accepted in the last interval");
    }

    private void last(String name, Metric metric, String help) {
        gauge(name, help, callback -> tick(tick -> Optional.of(tick.sampled().managed()).filter(sample -> sample.has(metric))
                .ifPresent(sample -> callback.call(sample.get(metric)))));
    }

    private void interference() {
        gauge("ic2_state", "1 for the present state, 0 for the others", callback -> tick(tick -> {
            for (String state : states()) {
                callback.call(state.equals(tick.stateName()) ? 1 : 0, state);
            }
        }), "state");
        counter("ic2_state_seconds_total", "Time in each state", callback -> {
            for (String state : states()) {
                callback.call(board.tally().stateSeconds().getOrDefault(state, 0.0), state);
            }
        }, "state");
        gauge("ic2_harm", "1 while it is confirmed that users are harmed, whatever the cause, otherwise 0", callback -> tick(tick ->
                callback.call(tick.decision().harm().isPresent() ? 1 : 0)));
        gauge("ic2_harm_cause", "1 for the cause of a confirmed harm, 0 for the others (docs/causes.md)", callback -> tick(tick -> {
            for (Cause cause : Cause.values()) {
                callback.call(tick.decision().harm().filter(harm -> harm.finding().cause() == cause).isPresent() ? 1 : 0, cause.key());
            }
        }), "cause");
        counter("ic2_interference_episodes_total", "Confirmed interference episodes", callback ->
                callback.call(board.tally().episodes()));
        gauge("ic2_mitigated", "1 while any value differs from the baseline, otherwise 0", callback -> tick(tick ->
                callback.call(running(tick).equals(config.get().policy().baseline().managed()) ? 0 : 1)));
        gauge("ic2_mitigation_level", "Mitigation level in force", callback -> tick(tick -> callback.call(tick.level())));
        gauge("ic2_capacity_left_ratio", "Share of this server's capacity that interference leaves, with share: computed",
                callback -> tick(tick -> Optional.ofNullable(tick.decision().numbers().get("share.capacity_left"))
                        .ifPresent(callback::call)));
        counter("ic2_level_seconds_total", "Time at each mitigation level", callback -> {
            for (int level = 0; level <= Math.min(config.get().policy().ladder().highest(), StatusJson.LEVELS_SHOWN); level++) {
                callback.call(board.tally().levelSeconds().getOrDefault(level, 0.0), Integer.toString(level));
            }
        }, "level");
        counter("ic2_decisions_total", "Decisions by situation (docs/samples.md)", callback -> {
            Map<Scenario, Long> scenarios = board.tally().scenarios();
            for (Scenario scenario : Scenario.values()) {
                callback.call(scenarios.getOrDefault(scenario, 0L), scenario.id());
            }
        }, "scenario");
    }

    /** Of the times away from the baseline that are over; a sum between two bounds counts what was measured. */
    private void worth() {
        counter("ic2_ended_episodes_total", "Times away from the baseline that are over, in mode act", callback -> callback.call(board.tally().over()));
        counter("ic2_saved_cpu_seconds_total", "CPU seconds of the whole CPU that these saved: at least, and at most", callback -> {
            callback.call(board.tally().worth().saved().low(), "least");
            callback.call(board.tally().worth().saved().high(), "most");
        }, "bound");
        gauge("ic2_avoided_waiting_seconds", "Seconds that users waited less in these, below 0 if longer: at least, and at most", callback -> {
            callback.call(board.tally().worth().waiting().low(), "least");
            callback.call(board.tally().worth().waiting().high(), "most");
        }, "bound");
        counter("ic2_mitigation_stored_pages_total", "Stored pages that users got by mitigation in these, by their greatest age", callback -> {
            callback.call(board.tally().worth().pages().low(), "60s");
            callback.call(board.tally().worth().older().low(), "300s");
        }, "age");
        counter("ic2_without_parts_seconds_total", "Time without optional parts in these", callback ->
                callback.call(board.tally().worth().partSeconds()));
    }

    private void actions() {
        counter("ic2_actions_total", "Actions by outcome", callback -> {
            Map<Tally.Outcome, Long> actions = board.tally().actions();
            for (Action action : Action.values()) {
                if (action != Action.HOLD) {
                    RESULTS.forEach(result -> callback.call(actions.getOrDefault(new Tally.Outcome(action, result), 0L),
                            action.name(), result));
                }
            }
        }, "action", "result");
        summary("ic2_apply_seconds", "Time from an action's first command to the last value read back, of applied actions", callback ->
                callback.call(board.tally().applied(), board.tally().applySeconds(), Quantiles.EMPTY));
        gauge("ic2_epoch", "Reconfigurations so far", callback -> tick(tick -> callback.call(tick.epoch())));
        gauge("ic2_actions_in_last_hour", "Used actions of the hourly budget", callback -> tick(tick ->
                callback.call(tick.actionsInLastHour())));
        gauge("ic2_actions_hour_remaining", "Remaining actions of the hourly budget", callback -> tick(tick ->
                callback.call(Math.max(0, config.get().policy().actionsPerHour() - tick.actionsInLastHour()))));
        gauge("ic2_running", "Configuration in force; keep-alive-timeout in seconds", callback -> tick(tick ->
                levers(callback, running(tick))), "lever");
        gauge("ic2_baseline", "Configuration without interference; keep-alive-timeout in seconds", callback ->
                levers(callback, config.get().policy().baseline().managed()), "lever");
    }

    /** A knob that the configuration manages; of the others nothing is said. One whose name is taken is in {@code ic2_running} only. */
    private void lever(Knob knob) {
        String name = "ic2_" + knob.key().replace('-', '_') + (knob.quantity().unit().equals("s") ? "_seconds" : "");
        if (described.stream().anyMatch(taken -> taken.name().matches(name + "(_baseline|_min|_max|_total|_info)?"))) {
            return;
        }
        gauge(name, knob.key() + " in force", callback -> tick(tick -> value(callback, running(tick), knob)));
        gauge(name + "_baseline", knob.key() + " without interference", callback ->
                value(callback, config.get().policy().baseline().managed(), knob));
        gauge(name + "_min", "The lower bound of " + knob.key(), callback -> bound(callback, Bounds::lowest, knob));
        gauge(name + "_max", "The upper bound of " + knob.key(), callback -> bound(callback, Bounds::highest, knob));
    }

    private void sensors() {
        gauge("ic2_sensor_up", "1 for a sensor without missing values, otherwise 0", callback -> tick(tick ->
                config.get().members().stream().flatMap(member -> member.sensors().stream()).forEach(sensor ->
                        callback.call(tick.sampled().problems().containsKey(sensor.label()) ? 0 : 1, sensor.label()))), "sensor");
        gauge("ic2_sensor_problem", "1 for each sensor with missing values", callback -> tick(tick ->
                tick.sampled().problems().keySet().forEach(label -> callback.call(1, label))), "sensor");
        gauge("ic2_extra", "Further figures of the sensors", callback -> tick(tick ->
                tick.sampled().extras().forEach((name, value) -> callback.call(value, name))), "name");
        ONLINE.forEach(online -> gauge(online.name(), online.help(), callback -> tick(tick -> tick.sampled().extras().entrySet().stream()
                .filter(entry -> entry.getKey().endsWith("." + online.extra())).findFirst()
                .ifPresent(entry -> callback.call(entry.getValue())))));
    }

    /** What client libraries say of their process, under the names that they use. */
    private void process() {
        counter("process_cpu_seconds_total", "CPU time of the agent itself", callback -> OwnProcess.cpuSeconds().ifPresent(callback::call));
        gauge("process_start_time_seconds", "Unix time of the agent's start", callback ->
                OwnProcess.startSeconds().ifPresent(callback::call));
        gauge("process_resident_memory_bytes", "Memory of the agent itself", callback ->
                OwnProcess.residentBytes().ifPresent(callback::call));
    }

    /** The metrics in the order of the page. */
    List<Described> described() {
        return List.copyOf(described);
    }

    /** Of the agent, or what stands for it where it is not packed. */
    static String version() {
        return Optional.ofNullable(Metrics.class.getPackage().getImplementationVersion()).orElse("development");
    }

    private static List<String> states() {
        return Stream.concat(Arrays.stream(State.values()).map(State::name), Stream.of(AgentStatus.MANUAL)).toList();
    }

    private static Settings running(Tick tick) {
        return tick.sampled().managed().settings(tick.decision().current()).managed();
    }

    private static void value(GaugeWithCallback.Callback callback, Settings settings, Knob knob) {
        if (settings.knobs().contains(knob)) {
            callback.call((double) settings.get(knob) / knob.unitsPerColumn());
        }
    }

    private void bound(GaugeWithCallback.Callback callback, Function<Bounds, Settings> which, Knob knob) {
        if (config.get().policy().baseline().managed().knobs().contains(knob)) {
            value(callback, which.apply(config.get().policy().bounds()), knob);
        }
    }

    /** What was measured of a quantity, and its median. One that nobody measures gives no line. */
    private void quantity(MetricName name, Quantity metric) {
        gauge("ic2_sample_" + name.text(), metric.column() + " of the last interval, " + name.unit(), callback -> tick(
                tick -> Stream.concat(Stream.of(tick.sampled().managed()), tick.sampled().others().stream())
                        .filter(sample -> sample.has(metric)).forEach(sample ->
                                callback.call(name.inBaseUnit(sample.get(metric)), sample.member()))), "member");
        gauge("ic2_median_" + name.text(), metric.column() + " without interference, median, " + name.unit(),
                callback -> tick(tick -> Optional.of(tick.state().medians().get(metric)).filter(median -> !median.isNaN())
                        .ifPresent(median -> callback.call(name.inBaseUnit(median)))));
    }

    private void gauge(String name, String help, Consumer<GaugeWithCallback.Callback> values, String... labels) {
        GaugeWithCallback.builder().name(describe(name, "gauge", help, labels)).help(help).labelNames(labels).callback(values::accept)
                .register(registry);
    }

    private void counter(String name, String help, Consumer<CounterWithCallback.Callback> values, String... labels) {
        CounterWithCallback.builder().name(describe(name, "counter", help, labels)).help(help).labelNames(labels).callback(values::accept)
                .register(registry);
    }

    private void summary(String name, String help, Consumer<SummaryWithCallback.Callback> values, String... labels) {
        SummaryWithCallback.builder().name(describe(name, "summary", help, labels)).help(help).labelNames(labels).callback(values::accept)
                .register(registry);
    }

    private String describe(String name, String type, String help, String... labels) {
        described.add(new Described(name, type, List.of(labels), help));
        return name;
    }

    private void tick(Consumer<Tick> use) {
        board.latest().ifPresent(use);
    }

    private static void levers(GaugeWithCallback.Callback callback, Settings configuration) {
        configuration.values().forEach((lever, value) ->
                callback.call((double) value / lever.unitsPerColumn(), lever.key()));
    }

    /** The content type of {@link #write}. */
    public String contentType() {
        return writer.getContentType();
    }

    /** Writes all metrics in Prometheus' text format. */
    public void write(OutputStream out) throws IOException {
        writer.write(out, registry.scrape(), EscapingScheme.UNDERSCORE_ESCAPING);
    }
}
