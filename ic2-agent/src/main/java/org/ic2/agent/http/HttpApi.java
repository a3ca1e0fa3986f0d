// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.http;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.ic2.agent.config.AgentConfig;
import org.ic2.agent.tenant.AgentStatus;
import org.ic2.knowledge.Sample;
import org.ic2.runtime.journal.Journal;
import org.ic2.runtime.serve.Commands;
import org.ic2.runtime.serve.HttpListener;
import org.ic2.runtime.serve.HttpListener.Answer;
import org.ic2.runtime.serve.HttpRequest;

/**
 * HTTP on loopback: {@code /metrics}, {@code /api/status}, {@code /api/samples?since=}, {@code /api/events?since=},
 * {@code /healthz}, the dashboard at {@code /}, and, when a token file is configured, {@code POST /api/apply|restore|resume}.
 */
public final class HttpApi implements AutoCloseable {

    private static final String JSON = "application/json";
    private static final List<String> CHANGES = List.of("apply", "restore", "resume");

    /** The files of the dashboard, by path. */
    private static final Map<String, String> DASHBOARD = Map.of("/", "index.html", "/dashboard.css", "dashboard.css",
            "/dashboard.js", "dashboard.js", "/uPlot.css", "uplot/uPlot.min.css", "/uPlot.js", "uplot/uPlot.iife.js");

    private final HttpListener listener;
    private final JsonMapper mapper = new JsonMapper();
    private final AgentStatus board;
    private final StatusJson status;
    private final Metrics metrics;
    private final Journal journal;
    private final Supplier<AgentConfig> config;
    private final Commands commands;

    /** Listens. */
    public HttpApi(InetSocketAddress address, AgentStatus board, Journal journal, Supplier<AgentConfig> config,
            Commands commands) throws IOException {
        this.board = board;
        this.status = new StatusJson(board);
        this.metrics = new Metrics(board, config);
        this.journal = journal;
        this.config = config;
        this.commands = commands;
        listener = new HttpListener(address, this::answer);
    }

    /** The address in use, with the port that the system chose if 0 was asked for. */
    public InetSocketAddress address() {
        return listener.address();
    }

    private Answer answer(HttpRequest request) throws IOException, InterruptedException {
        // A page of another site that a browser was lured to must not read or change anything here.
        if (!request.header("host").orElse("").matches("(localhost|127\\.\\d+\\.\\d+\\.\\d+|\\[::1])(:\\d+)?")) {
            return Answer.text(403, "this interface answers to loopback addresses only");
        }
        String path = request.path();
        if (request.method().equals("POST")) {
            return change(request, path);
        }
        if (!request.method().equals("GET")) {
            return Answer.text(405, "expected GET");
        }
        return switch (path) {
            case "/metrics" -> metricsPage();
            case "/healthz" -> Health.answer(board.sinceTurn(), config.get().interval());
            case "/api/status" -> json(200, status.status(config.get()));
            case "/api/samples" -> samples(since(request.query()));
            case "/api/events" -> events(since(request.query()));
            default -> DASHBOARD.containsKey(path) ? dashboard(DASHBOARD.get(path))
                    : Answer.text(404, "there are /, /healthz, /metrics, /api/status, /api/samples?since= and /api/events?since=");
        };
    }

    /** One at a time: the figures are many small objects until they are text. */
    private synchronized Answer metricsPage() throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream(16 * 1024);
        metrics.write(out);
        return Answer.of(200, metrics.contentType(), out.toByteArray());
    }

    private Answer samples(Optional<Instant> since) {
        List<Sample> later = board.samplesSince(since.map(Instant::toEpochMilli).orElse(0L));
        return list(later.stream().<Supplier<ObjectNode>>map(sample -> () -> status.sample(sample)));
    }

    private Answer events(Optional<Instant> since) {
        return list(journal.recent().stream()
                .filter(line -> since.isEmpty() || line.entry().time().isAfter(since.get()))
                .<Supplier<ObjectNode>>map(line -> line::json));
    }

    /** A list of any length, of which one element at a time is made. */
    private Answer list(Stream<Supplier<ObjectNode>> elements) {
        return new Answer(200, JSON, -1, out -> {
            // it neither ends nor flushes what it writes to, at each element or at all
            try (JsonGenerator json = mapper.createGenerator(out).disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET)
                    .disable(JsonGenerator.Feature.FLUSH_PASSED_TO_STREAM)) {
                json.writeStartArray();
                for (Supplier<ObjectNode> element : (Iterable<Supplier<ObjectNode>>) elements::iterator) {
                    mapper.writeTree(json, element.get());
                }
                json.writeEndArray();
                json.writeRaw('\n');
            }
        });
    }

    /** {@code since=}: epoch seconds or an ISO instant; anything else counts as not given. */
    private static Optional<Instant> since(String query) {
        if (!query.startsWith("since=")) {
            return Optional.empty();
        }
        String text = query.substring("since=".length());
        if (text.matches("\\d{1,11}(\\.\\d{1,15})?([eE]\\d{1,2})?")) {
            return Optional.of(Instant.ofEpochMilli((long) (Double.parseDouble(text) * 1000)));
        }
        try {
            Instant since = Instant.parse(text);
            return since.getEpochSecond() > Integer.MAX_VALUE * 100L ? Optional.empty() : Optional.of(since);
        } catch (DateTimeParseException e) {
            return Optional.empty();
        }
    }

    private Answer change(HttpRequest request, String path) throws InterruptedException {
        String verb = path.startsWith("/api/") ? path.substring("/api/".length()) : "";
        if (!CHANGES.contains(verb)) {
            return Answer.text(404, "there are POST /api/apply, /api/restore and /api/resume");
        }
        Optional<Path> tokenFile = config.get().tokenFile();
        if (tokenFile.isEmpty()) {
            return Answer.text(403, "read-only: configure http.token-file to change things over HTTP");
        }
        try {
            if (!authorized(request, TokenFile.read(tokenFile.get()))) {
                return Answer.text(401, "expected the header \"Authorization: Bearer TOKEN\"");
            }
        } catch (IOException e) {
            return Answer.text(403, "http.token-file: " + e.getMessage());
        }
        JsonNode asked;
        try {
            asked = request.body().length == 0 ? mapper.createObjectNode() : mapper.readTree(request.body());
        } catch (IOException e) {
            asked = null;
        }
        if (!(asked instanceof ObjectNode object)) {
            return Answer.text(400, "expected an object such as {\"mxc\": 400}");
        }
        ObjectNode answer = commands.handle(object.put("verb", verb));
        return json(answer.get("ok").asBoolean() ? 200 : 409, answer);
    }

    private static boolean authorized(HttpRequest request, String token) {
        return MessageDigest.isEqual(request.header("authorization").orElse("").getBytes(StandardCharsets.UTF_8),
                ("Bearer " + token).getBytes(StandardCharsets.UTF_8));
    }

    private static Answer json(int code, JsonNode node) {
        return Answer.of(code, JSON, (node + "\n").getBytes(StandardCharsets.UTF_8));
    }

    private static Answer dashboard(String file) throws IOException {
        String type = file.endsWith(".html") ? "text/html" : file.endsWith(".css") ? "text/css" : "text/javascript";
        try (InputStream in = HttpApi.class.getResourceAsStream("dashboard/" + file)) {
            return Answer.of(200, type + "; charset=utf-8", in.readAllBytes());
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
    }
}
