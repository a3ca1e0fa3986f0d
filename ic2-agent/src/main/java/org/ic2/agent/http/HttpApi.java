// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.ic2.agent.config.AgentConfig;
import org.ic2.agent.tenant.AgentStatus;
import org.ic2.runtime.journal.Journal;
import org.ic2.runtime.journal.Line;
import org.ic2.runtime.serve.Commands;

/**
 * HTTP on loopback: {@code /metrics}, {@code /api/status}, {@code /api/samples?since=}, {@code /api/events?since=}, the
 * dashboard at {@code /}, and, when a token file is configured, {@code POST /api/apply|restore|resume}.
 */
public final class HttpApi implements AutoCloseable {

    private static final Logger LOG = Logger.getLogger(HttpApi.class.getName());
    private static final int LONGEST_BODY = 4096;
    private static final String JSON = "application/json";
    private static final List<String> CHANGES = List.of("apply", "restore", "resume");

    /** The files of the dashboard, by path. */
    private static final Map<String, String> DASHBOARD = Map.of("/", "index.html", "/dashboard.css", "dashboard.css",
            "/dashboard.js", "dashboard.js", "/uPlot.css", "uplot/uPlot.min.css", "/uPlot.js", "uplot/uPlot.iife.js");

    /** At most; a browser and a Prometheus need two or three, the others are for clients that are slow. */
    private static final int THREADS = 32;
    private static final int THREAD_ENDS_AFTER_SECONDS = 10;

    /** A request is some hundred bytes from the same machine. */
    private static final int REQUEST_SECONDS = 5;
    /** Longer than a change by hand takes that is rolled back, as it is answered when that is over. */
    private static final int ANSWER_SECONDS = 60;

    private final HttpServer server;
    private final ExecutorService threads;
    private final JsonMapper mapper = new JsonMapper();
    private final AgentStatus board;
    private final StatusJson status;
    private final Metrics metrics;
    private final Journal journal;
    private final Supplier<AgentConfig> config;
    private final Commands commands;

    /**
     * Limits how long one client may hold a thread. Java reads these limits once, so this comes before the first server
     * of the process.
     */
    public static void limitTimes() {
        System.setProperty("sun.net.httpserver.maxReqTime", Integer.toString(REQUEST_SECONDS));
        System.setProperty("sun.net.httpserver.maxRspTime", Integer.toString(ANSWER_SECONDS));
    }

    /** Listens; a slow client holds one of some threads, and that no longer than {@link #limitTimes} says. */
    public HttpApi(InetSocketAddress address, AgentStatus board, Journal journal, Supplier<AgentConfig> config,
            Commands commands) throws IOException {
        this.board = board;
        this.status = new StatusJson(board);
        this.metrics = new Metrics(board, config);
        this.journal = journal;
        this.config = config;
        this.commands = commands;
        try {
            server = HttpServer.create(address, 0);
        } catch (IOException e) {
            throw new IOException("cannot listen on " + address + ": " + e.getMessage(), e);
        }
        threads = threads();
        server.setExecutor(threads);
        server.createContext("/", this::answer);
        server.start();
    }

    /** Nobody waits in a queue, where a request's time would pass too: with all threads taken, a newcomer is turned away. */
    private static ThreadPoolExecutor threads() {
        return new ThreadPoolExecutor(0, THREADS, THREAD_ENDS_AFTER_SECONDS, TimeUnit.SECONDS, new SynchronousQueue<>(),
                task -> {
                    Thread thread = new Thread(null, task, "http", 256 * 1024);
                    thread.setDaemon(true);
                    return thread;
                });
    }

    /** The address in use, with the port that the system chose if 0 was asked for. */
    public InetSocketAddress address() {
        return server.getAddress();
    }

    /** An answer that is ready to be sent. */
    private record Page(int code, String type, byte[] body) {
        static Page text(int code, String text) {
            return new Page(code, "text/plain; charset=utf-8", (text + "\n").getBytes(StandardCharsets.UTF_8));
        }
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            Page page;
            try {
                page = page(exchange);
            } catch (RuntimeException | InterruptedException e) {
                LOG.log(Level.FINE, "request " + exchange.getRequestURI(), e);
                page = Page.text(500, "the agent could not answer: " + e.getMessage());
            }
            exchange.getResponseHeaders().set("Content-Type", page.type());
            exchange.getResponseHeaders().set("X-Content-Type-Options", "nosniff");
            exchange.getResponseHeaders().set("Cache-Control", "no-store");
            exchange.sendResponseHeaders(page.code(), page.body().length == 0 ? -1 : page.body().length);
            exchange.getResponseBody().write(page.body());
        }
    }

    private Page page(HttpExchange exchange) throws IOException, InterruptedException {
        // A page of another site that a browser was lured to must not read or change anything here.
        String host = exchange.getRequestHeaders().getFirst("Host");
        if (host == null || !host.matches("(localhost|127\\.\\d+\\.\\d+\\.\\d+|\\[::1])(:\\d+)?")) {
            return Page.text(403, "this interface answers to loopback addresses only");
        }
        String path = exchange.getRequestURI().getPath();
        if (exchange.getRequestMethod().equals("POST")) {
            return change(exchange, path);
        }
        if (!exchange.getRequestMethod().equals("GET")) {
            return Page.text(405, "expected GET");
        }
        return switch (path) {
            case "/metrics" -> metricsPage();
            case "/api/status" -> json(200, status.status(config.get()));
            case "/api/samples" -> samples(since(exchange));
            case "/api/events" -> events(since(exchange));
            default -> DASHBOARD.containsKey(path) ? dashboard(DASHBOARD.get(path))
                    : Page.text(404, "there are /, /metrics, /api/status, /api/samples?since= and /api/events?since=");
        };
    }

    private Page metricsPage() throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream(16 * 1024);
        metrics.write(out);
        return new Page(200, metrics.contentType(), out.toByteArray());
    }

    private Page samples(Optional<Instant> since) {
        ArrayNode list = mapper.createArrayNode();
        board.samplesSince(since.map(Instant::toEpochMilli).orElse(0L)).forEach(sample -> list.add(status.sample(sample)));
        return json(200, list);
    }

    private Page events(Optional<Instant> since) {
        ArrayNode list = mapper.createArrayNode();
        for (Line line : journal.recent()) {
            if (since.isEmpty() || line.entry().time().isAfter(since.get())) {
                list.add(line.json());
            }
        }
        return json(200, list);
    }

    /** {@code since=}: epoch seconds or an ISO instant; anything else counts as not given. */
    private static Optional<Instant> since(HttpExchange exchange) {
        String query = exchange.getRequestURI().getQuery();
        if (query == null || !query.startsWith("since=")) {
            return Optional.empty();
        }
        String text = query.substring("since=".length());
        if (text.matches("\\d{1,11}(\\.\\d{1,15})?([eE]\\d{1,2})?")) {
            return Optional.of(Instant.ofEpochMilli((long) (Double.parseDouble(text) * 1000)));
        }
        try {
            return Optional.of(Instant.parse(text));
        } catch (DateTimeParseException e) {
            return Optional.empty();
        }
    }

    private Page change(HttpExchange exchange, String path) throws IOException, InterruptedException {
        String verb = path.startsWith("/api/") ? path.substring("/api/".length()) : "";
        if (!CHANGES.contains(verb)) {
            return Page.text(404, "there are POST /api/apply, /api/restore and /api/resume");
        }
        Optional<Path> tokenFile = config.get().tokenFile();
        if (tokenFile.isEmpty()) {
            return Page.text(403, "read-only: configure http.token-file to change things over HTTP");
        }
        if (!authorized(exchange, tokenFile.get())) {
            return Page.text(401, "expected the header \"Authorization: Bearer TOKEN\"");
        }
        byte[] body = exchange.getRequestBody().readNBytes(LONGEST_BODY);
        JsonNode request = body.length == 0 ? mapper.createObjectNode() : mapper.readTree(body);
        if (!(request instanceof ObjectNode object)) {
            return Page.text(400, "expected an object such as {\"mxc\": 400}");
        }
        ObjectNode answer = commands.handle(object.put("verb", verb));
        return json(answer.get("ok").asBoolean() ? 200 : 409, answer);
    }

    private static boolean authorized(HttpExchange exchange, Path tokenFile) throws IOException {
        String given = exchange.getRequestHeaders().getFirst("Authorization");
        String token = Files.readString(tokenFile).strip();
        return given != null && !token.isEmpty() && MessageDigest.isEqual(given.getBytes(StandardCharsets.UTF_8),
                ("Bearer " + token).getBytes(StandardCharsets.UTF_8));
    }

    private static Page json(int code, JsonNode node) {
        return new Page(code, JSON, (node + "\n").getBytes(StandardCharsets.UTF_8));
    }

    private static Page dashboard(String file) throws IOException {
        String type = file.endsWith(".html") ? "text/html" : file.endsWith(".css") ? "text/css" : "text/javascript";
        try (InputStream in = HttpApi.class.getResourceAsStream("dashboard/" + file)) {
            return new Page(200, type + "; charset=utf-8", in.readAllBytes());
        }
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
