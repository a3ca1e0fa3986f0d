// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.http;

import io.prometheus.metrics.config.EscapingScheme;
import io.prometheus.metrics.core.metrics.CounterWithCallback;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.ic2.agent.config.AgentConfig;
import org.ic2.agent.tenant.AgentStatus;
import org.ic2.agent.tenant.AgentStatus.Tick;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Sample;
import org.ic2.knowledge.State;
import org.ic2.runtime.knob.Quantity;
import org.ic2.runtime.knob.Settings;

/** What Prometheus reads at {@code /metrics}. Everything is computed when it is asked for, nothing in the loop. */
public final class Metrics {

    private static final double NANOS = 1e9;

    private final PrometheusRegistry registry = new PrometheusRegistry();
    private final PrometheusTextFormatWriter writer = PrometheusTextFormatWriter.create();
    private final AgentStatus board;

    /**
     * @param config the configuration at the time; another after it was read again
     */
    public Metrics(AgentStatus board, Supplier<AgentConfig> config) {
        this.board = board;
        config.get().vocabulary().quantities().forEach(quantity -> quantity(MetricName.of(quantity), quantity));
        gauge("ic2_sample", "Deprecated, use ic2_sample_QUANTITY_UNIT. By metric; units as in the samples file",
                callback -> tick(tick -> {
                    measured(callback, tick.sampled().managed());
                    tick.sampled().others().forEach(sample -> measured(callback, sample));
                }), "member", "metric");
        gauge("ic2_state", "1 for the state that IC2 is in, 0 for the others", callback -> tick(tick -> {
            boolean manual = tick.state().manualReason().isPresent();
            for (State state : State.values()) {
                callback.call(!manual && tick.decision().state() == state ? 1 : 0, state.name());
            }
            callback.call(manual ? 1 : 0, "MANUAL");
        }), "state");
        gauge("ic2_running", "Configuration in force; keep-alive-timeout in seconds", callback -> tick(tick ->
                levers(callback, tick.sampled().managed().settings(tick.decision().current()))), "lever");
        gauge("ic2_baseline", "Configuration without interference; keep-alive-timeout in seconds", callback ->
                levers(callback, config.get().policy().baseline()), "lever");
        gauge("ic2_median", "Deprecated, use ic2_median_QUANTITY_UNIT. By metric; units as in the samples file", callback -> tick(tick ->
                tick.state().medians().values().forEach((metric, value) -> callback.call(value, metric.column()))),
                "metric");
        gauge("ic2_sensor_problem", "1 for each sensor that misses something", callback -> tick(tick ->
                tick.sampled().problems().keySet().forEach(label -> callback.call(1, label))), "sensor");
        gauge("ic2_extra", "Further numbers of the sensors", callback -> tick(tick ->
                tick.sampled().extras().forEach((name, value) -> callback.call(value, name))), "name");
        gauge("ic2_epoch", "Reconfigurations so far", callback -> tick(tick -> callback.call(tick.epoch())));
        gauge("ic2_actions_in_last_hour", "What of the action budget is spent", callback -> tick(tick ->
                callback.call(tick.actionsInLastHour())));
        gauge("ic2_decision_seconds", "Time that the last decision took", callback -> tick(tick ->
                callback.call(tick.decideNanos() / NANOS)));
        CounterWithCallback.builder().name("ic2_decisions_total").help("Decisions by situation")
                .labelNames("scenario").callback(callback -> board.scenarios().forEach((scenario, count) ->
                        callback.call(count, scenario.id()))).register(registry);
        CounterWithCallback.builder().name("ic2_actions_total").help("Actions by outcome")
                .labelNames("result").callback(callback -> board.results().forEach((result, count) ->
                        callback.call(count, result))).register(registry);
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
        GaugeWithCallback.builder().name(name).help(help).labelNames(labels).callback(values::accept)
                .register(registry);
    }

    private void tick(Consumer<Tick> use) {
        board.latest().ifPresent(use);
    }

    private static void measured(GaugeWithCallback.Callback callback, Sample sample) {
        for (Metric metric : Metric.values()) {
            if (sample.has(metric)) {
                callback.call(sample.get(metric), sample.member(), metric.column());
            }
        }
        sample.others().forEach((column, value) -> callback.call(value, sample.member(), column));
    }

    private static void levers(GaugeWithCallback.Callback callback, Settings configuration) {
        configuration.managed().values().forEach((lever, value) ->
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
