// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.http;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.ic2.agent.config.AgentConfig;
import org.ic2.agent.config.HttpConfig;
import org.ic2.agent.history.History;
import org.ic2.agent.tenant.AgentStatus;
import org.ic2.agent.tenant.AgentStatus.Judged;
import org.ic2.agent.tenant.AgentStatus.Tick;
import org.ic2.agent.tenant.OverloadFile;
import org.ic2.runtime.journal.Journal;
import org.ic2.runtime.json.Json;
import org.ic2.runtime.serve.Commands;
import org.ic2.runtime.serve.EventStreams;
import org.ic2.runtime.serve.HttpListener;
import org.ic2.runtime.serve.HttpListener.Answer;
import org.ic2.runtime.serve.HttpRequest;
import org.ic2.runtime.serve.HttpEndpoint;
import org.ic2.runtime.serve.TlsServer;

/**
 * What is answered over HTTP: {@code /metrics}, {@code /api/status}, {@code /api/config}, {@code /api/samples?since=},
 * {@code /api/events?since=}, {@code /api/history?since=}, {@code /api/stream}, {@code /healthz}, {@code /readyz}, {@code /overload}, the dashboard at
 * {@code /}, and, when a token file is configured, {@code POST /api/apply|restore|pause|resume}.
 */
public final class HttpApi implements HttpEndpoint {

    private static final String JSON = "application/json";
    private static final int OK = 200;
    private static final List<String> CHANGES = List.of("apply", "restore", "pause", "resume");

    private final HttpListener listener;
    private final HttpGuard guard;
    private final AgentStatus board;
    private final StatusJson status;
    private final Metrics metrics;
    private final EventPages pages;
    private final HistoryJson history;
    private final Supplier<AgentConfig> config;
    private final Commands commands;
    private final EventFeed feed;
    private final EventStreams streams;

    /**
     * Listens.
     *
     * @throws IOException when the address cannot be had, or certificate or key cannot be used
     */
    public HttpApi(HttpConfig http, AgentStatus board, Journal journal, History history, Supplier<AgentConfig> config,
            Commands commands) throws IOException {
        Optional<TlsServer> tls = http.tls().isPresent() ? Optional.of(new TlsServer(http.tls().get())) : Optional.empty();
        this.guard = new HttpGuard(http, tls, config);
        this.board = board;
        this.status = new StatusJson(board);
        this.metrics = new Metrics(board, config);
        this.pages = new EventPages(journal, config.get().vocabulary().knobs());
        this.history = new HistoryJson(history);
        this.config = config;
        this.commands = commands;
        feed = new EventFeed(board, journal, config, System::nanoTime);
        streams = new EventStreams(feed);
        try {
            listener = new HttpListener(http.listen(), tls, this::answer);
        } catch (IOException e) {
            streams.close();
            throw e;
        }
        board.listen(streams::wake);
        journal.listen(streams::wake);
    }

    @Override
    public String address() {
        return listener.url();
    }

    private Answer answer(HttpRequest request) throws IOException, InterruptedException {
        String path = request.path();
        if (request.method().equals("POST")) {
            return change(request, path);
        }
        if (!request.method().equals("GET") && !request.method().equals("HEAD")) {
            return Answer.text(405, "expected GET or HEAD");
        }
        Optional<Answer> refused = guard.refused(request, Dashboard.has(path));
        if (refused.isPresent()) {
            return refused.get();
        }
        return switch (path) {
            case "/metrics" -> metricsPage();
            case "/healthz" -> Health.answer(board.sinceTurn(), config.get().interval());
            case "/readyz" -> Health.ready(board.sinceTurn(), config.get().interval(), board.latest());
            case "/overload" -> overload();
            case "/api/config" -> json(200, ConfigJson.of(config.get()));
            case "/api/status" -> json(200, status.status(config.get()));
            case "/api/samples" -> samples(since(request));
            case "/api/stream" -> stream(request);
            case "/api/events" -> events(request);
            case "/api/history" -> history.answer(request);
            default -> Dashboard.has(path) ? Dashboard.answer(path) : Answer.text(404, "there are /, /healthz, /readyz, /overload, /metrics,"
                    + " /api/status, /api/config, /api/samples?since=, /api/events?since=, /api/history?since= and /api/stream?since=");
        };
    }

    /** 503 while users are harmed, 200 while they are not; and while the loop stands still, which nobody should suffer for. */
    private Answer overload() {
        boolean turning = Health.answer(board.sinceTurn(), config.get().interval()).code() == OK;
        Optional<Tick> harmed = board.latest().filter(tick -> turning && tick.decision().harm().isPresent());
        return harmed.isPresent() ? json(503, OverloadFile.json(harmed.get().decision().harm().orElseThrow(), harmed.get().level()))
                : json(OK, Json.object().put("level", board.latest().map(Tick::level).orElse(0)));
    }

    /** One at a time: the figures are many small objects until they are text. */
    private synchronized Answer metricsPage() throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream(16 * 1024);
        metrics.write(out);
        return Answer.of(200, metrics.contentType(), out.toByteArray());
    }

    private Answer samples(Optional<Instant> since) {
        List<Judged> later = board.samplesSince(since.map(Instant::toEpochMilli).orElse(0L));
        return list(later.stream().<Supplier<ObjectNode>>map(sample -> () -> status.sample(sample)));
    }

    private Answer events(HttpRequest request) throws IOException {
        try {
            return pages.page(EventPages.Range.of(request));
        } catch (IllegalArgumentException e) {
            return Answer.text(400, e.getMessage());
        }
    }

    private Answer stream(HttpRequest request) {
        Optional<Instant> last = request.header("last-event-id").filter(id -> id.matches("\\d{1,15}"))
                .map(id -> Instant.ofEpochMilli(Long.parseLong(id)));
        Instant since = last.or(() -> since(request)).orElse(Instant.EPOCH);
        return streams.answer(() -> feed.backlog(since));
    }

    /** A list of any length, of which one element at a time is made. */
    private Answer list(Stream<Supplier<ObjectNode>> elements) {
        return new Answer(200, JSON, -1, out -> {
            // it neither ends nor flushes what it writes to, at each element or at all
            try (JsonGenerator json = Json.generator(out).disable(JsonGenerator.Feature.FLUSH_PASSED_TO_STREAM)) {
                json.writeStartArray();
                for (Supplier<ObjectNode> element : (Iterable<Supplier<ObjectNode>>) elements::iterator) {
                    Json.write(json, element.get());
                }
                json.writeEndArray();
                json.writeRaw('\n');
            }
        });
    }

    /** {@code since=}; what is no time counts as not given. */
    private static Optional<Instant> since(HttpRequest request) {
        return request.parameter("since").flatMap(RequestTime::of);
    }

    private Answer change(HttpRequest request, String path) throws InterruptedException {
        String verb = path.startsWith("/api/") ? path.substring("/api/".length()) : "";
        if (!CHANGES.contains(verb)) {
            return Answer.text(404, "there are POST /api/apply, /api/restore, /api/pause and /api/resume");
        }
        Optional<Answer> refused = guard.refusedChange(request);
        if (refused.isPresent()) {
            return refused.get();
        }
        JsonNode asked;
        try {
            asked = request.body().length == 0 ? Json.object() : Json.read(request.body());
        } catch (IOException e) {
            asked = null;
        }
        if (!(asked instanceof ObjectNode object)) {
            return Answer.text(400, "expected an object such as {\"mxc\": 400}");
        }
        ObjectNode answer = commands.handle(object.put("verb", verb), "over HTTP from " + request.peer());
        return json(answer.get("ok").asBoolean() ? 200 : 409, answer);
    }

    private static Answer json(int code, JsonNode node) {
        return Answer.of(code, JSON, Json.line(node));
    }

    @Override
    public void close() throws IOException {
        listener.close();
        streams.close();
    }
}
