// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.loop;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.prometheus.metrics.config.EscapingScheme;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.ic2.host.model.GuestKnob;
import org.ic2.host.model.GuestMetric;
import org.ic2.host.model.HostMetric;
import org.ic2.runtime.json.Json;
import org.ic2.runtime.serve.HttpEndpoint;
import org.ic2.runtime.serve.HttpListener;
import org.ic2.runtime.serve.HttpRequest;

/**
 * {@code /metrics} for Prometheus and {@code /status}, for this machine alone: nothing can be changed here. Everything is
 * computed when it is asked for.
 */
final class HostHttp implements HttpEndpoint {

    private final PrometheusRegistry registry = new PrometheusRegistry();
    private final PrometheusTextFormatWriter writer = PrometheusTextFormatWriter.create();
    private final Supplier<HostLoop> loop;
    private final Supplier<ObjectNode> status;
    private final HttpListener listener;

    HostHttp(InetSocketAddress address, Supplier<HostLoop> loop) throws IOException {
        this.loop = loop;
        this.status = new HostStatus(loop);
        gauges();
        listener = new HttpListener(address, Optional.empty(), this::answer);
    }

    @Override
    public String address() {
        return listener.url();
    }

    private void gauges() {
        gauge("ic2_host_mode_info", "1, with what the agent may do: observe, advise or act", callback ->
                callback.call(1, loop.get().config().mode().toString()), "mode");
        gauge("ic2_host_fault", "1 while the host cannot be measured, so that nothing is decided", callback ->
                callback.call(loop.get().fault().isEmpty() ? 0 : 1));
        gauge("ic2_host_last_sample_timestamp_seconds", "When the last interval ended, since 1970", callback -> last(turn ->
                callback.call(turn.sample().time().toEpochMilli() / 1e3)));
        gauge("ic2_host_decision_seconds", "Time that the last decisions took", callback -> last(turn ->
                callback.call(turn.decideNanos() / 1e9)));
        gauge("ic2_host_actions_last_hour", "Changes in the last hour", callback -> last(turn -> callback.call(turn.actions())));
        gauge("ic2_host_knobs_left_alone", "Knobs that were given up until resume", callback -> last(turn ->
                callback.call(turn.givenUp().size())));
        gauge("ic2_host_guests_left_alone", "Domains that run and are not managed, as their names cannot be used", callback ->
                callback.call(loop.get().refused().size()));
        gauge("ic2_host_oom_kills", "Processes of a guest that the kernel killed for want of memory, since the agent started", callback ->
                last(turn -> turn.sample().guests().forEach(guest ->
                        callback.call(loop.get().kills().total(guest), guest.name(), guest.uuid()))), "guest", "uuid");
        gauge("ic2_host_metric", "What was measured of the host in the last interval, by its name in host/docs/configuration.md",
                callback -> last(turn -> {
            for (HostMetric metric : HostMetric.values()) {
                present(turn.sample().get(metric), value -> callback.call(value, metric.key()));
            }
        }), "metric");
        gauge("ic2_host_guest_metric", "What was measured of a guest in the last interval", callback -> last(turn ->
                turn.sample().guests().forEach(guest -> {
                    for (GuestMetric metric : GuestMetric.values()) {
                        present(turn.sample().get(guest, metric), value -> callback.call(value, guest.name(), guest.uuid(), metric.key()));
                    }
                })), "guest", "uuid", "metric");
        gauge("ic2_host_knob", "The value in force of a knob, in its unit (host/docs/configuration.md)", callback -> last(turn ->
                turn.inForce().values().forEach((knob, value) -> {
                    GuestKnob of = (GuestKnob) knob;
                    callback.call(value, of.target().name(), of.target().identity(), of.kind().key());
                })), "of", "identity", "knob");
    }

    private void gauge(String name, String help, Consumer<GaugeWithCallback.Callback> value, String... labels) {
        GaugeWithCallback.builder().name(name).help(help).labelNames(labels).callback(value).register(registry);
    }

    private void last(Consumer<HostTurn> use) {
        loop.get().last().ifPresent(use);
    }

    private static void present(double value, Consumer<Double> use) {
        if (!Double.isNaN(value)) {
            use.accept(value);
        }
    }

    private HttpListener.Answer answer(HttpRequest request) throws IOException {
        if (!isOurs(request.header("host").orElse(""))) {
            return HttpListener.Answer.text(403, "ask for 127.0.0.1, [::1] or localhost");
        }
        if (!request.method().equals("GET") && !request.method().equals("HEAD")) {
            return HttpListener.Answer.text(405, "only GET and HEAD");
        }
        return switch (request.path()) {
            case "/metrics" -> HttpListener.Answer.of(200, writer.getContentType(), metrics());
            case "/status" -> HttpListener.Answer.of(200, "application/json", Json.line(status.get()));
            default -> HttpListener.Answer.text(404, "there is /metrics and /status");
        };
    }

    /** A page of elsewhere may know a name that leads here. */
    private static boolean isOurs(String host) {
        return host.matches("(127\\.0\\.0\\.1|\\[::1]|localhost)(:\\d{1,5})?");
    }

    private byte[] metrics() throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        writer.write(out, registry.scrape(), EscapingScheme.UNDERSCORE_ESCAPING);
        return out.toByteArray();
    }

    @Override
    public void close() throws IOException {
        listener.close();
    }
}
