// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.sensor;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.ic2.runtime.host.BoundedText;
import org.ic2.runtime.host.Endpoint;
import org.ic2.runtime.host.Host;
import org.ic2.runtime.host.HttpGet;
import org.ic2.runtime.yaml.ConfigException;
import org.ic2.runtime.yaml.YamlMap;

/** What HAProxy says of the servers of a backend: over its stats page as CSV, or by its socket, which also knows their initial weights. */
public final class HaproxyServers {

    private static final String NAME = "[A-Za-z0-9_.:-]{1,64}";
    private static final int MOST_WEIGHT = 256;

    /**
     * Where to ask, and for whom.
     *
     * @param socket  HAProxy's stats socket; empty: the page is asked
     * @param url     of the page as CSV; empty: the socket is asked
     * @param backend of the servers
     * @param server  this one's name
     * @param weight  the weight that all servers have in HAProxy's file; empty where the socket says it
     */
    public record Source(Optional<Endpoint> socket, Optional<String> url, String backend, String server, Optional<Integer> weight) {
        /** Reads the keys {@code socket} or {@code url} and {@code weight}, {@code backend} and {@code server}. */
        public static Source parse(YamlMap settings) throws ConfigException {
            Optional<Endpoint> socket = settings.optionalParsed("socket", Endpoint::parse);
            Optional<String> url = settings.optionalText("url");
            if (socket.isPresent() == url.isPresent()) {
                throw settings.error(url.isPresent() ? "url" : "socket", url.isPresent() ? "expected no socket beside it"
                        : "missing, and no url in its place: HAProxy's \"stats socket\", or the URL of its stats page as CSV");
            }
            if (url.isPresent()) {
                settings.parsed("url", HttpGet::parse);
            }
            Optional<Integer> weight = url.isEmpty() ? Optional.empty() : Optional.of(settings.integer("weight"));
            if (weight.isPresent() && (weight.get() < 1 || weight.get() > MOST_WEIGHT)) {
                throw settings.error("weight", "expected the weight of the servers' lines, 1 to " + MOST_WEIGHT + ", got " + weight.get());
            }
            return new Source(socket, url, settings.parsed("backend", Source::name), settings.parsed("server", Source::name), weight);
        }

        private static String name(String text) {
            if (!text.matches(NAME)) {
                throw new IllegalArgumentException("expected a name of HAProxy's file, got \"" + text + "\"");
            }
            return text;
        }

        @Override
        public String toString() {
            return socket.map(Endpoint::toString).orElseGet(url::orElseThrow);
        }
    }

    /**
     * A server of the backend.
     *
     * @param takes   true if it gets requests: it is up, no spare, and has a weight
     * @param weight  in force
     * @param initial of the file
     * @param queue   requests that wait at HAProxy for it
     */
    public record Server(String name, boolean takes, int weight, int initial, int queue) {
        /** The share in force, 0..1. */
        public double share() {
            return Math.min(1, (double) weight / initial);
        }
    }

    private final Host host;
    private final Source source;
    private final Optional<HttpGet> page;

    public HaproxyServers(Host host, Source source) {
        this.host = host;
        this.source = source;
        page = source.url().map(url -> new HttpGet(host, url));
    }

    /** The servers of the backend. */
    public List<Server> servers() throws IOException, InterruptedException {
        return page.isPresent() ? parse(page.get().fetch(), source.weight(), "") : ask();
    }

    /** This server, of those. */
    public Server own(List<Server> servers) throws IOException {
        return servers.stream().filter(server -> server.name().equals(source.server())).findFirst().orElseThrow(() ->
                new IOException("backend " + source.backend() + " at " + source + " has no server " + source.server() + "; there are "
                        + BoundedText.brief(servers.stream().map(Server::name).collect(Collectors.joining(", ")))));
    }

    private List<Server> ask() throws IOException, InterruptedException {
        String answer = say("show stat " + source.backend() + " 4 -1;show servers state " + source.backend());
        int state = answer.indexOf("\n# be_id");
        if (state < 0) {
            throw new IOException(source + ": expected the statistics and states of the servers of " + source.backend() + ", got \""
                    + BoundedText.brief(answer) + "\"");
        }
        int version = Math.max(0, answer.lastIndexOf('\n', state - 1));       // a line of its own before the states
        return parse(answer.substring(0, version), Optional.empty(), answer.substring(state + 1));
    }

    private String say(String command) throws IOException, InterruptedException {
        StringBuilder answer = new StringBuilder();
        try (SocketChannel channel = host.connect(source.socket().orElseThrow())) {
            ByteBuffer out = ByteBuffer.wrap((command + "\n").getBytes(StandardCharsets.US_ASCII));
            while (out.hasRemaining()) {
                channel.write(out);
            }
            ByteBuffer chunk = ByteBuffer.allocate(BoundedText.MOST_PARTS);
            while (channel.read(chunk.clear()) >= 0) {
                answer.append(new String(chunk.array(), 0, chunk.position(), StandardCharsets.UTF_8));
                if (answer.length() > BoundedText.PAGE_BYTES) {
                    throw new IOException(source + " answered more than " + BoundedText.PAGE_BYTES + " bytes");
                }
            }
        } catch (ClosedByInterruptException e) {
            throw new InterruptedException("interrupted while reading " + source);
        }
        return answer.toString();
    }

    List<Server> parse(String csv, Optional<Integer> weight, String state) throws IOException {
        Map<String, Integer> initial = initial(state);
        Map<String, Integer> columns = Map.of();
        List<Server> servers = new ArrayList<>();
        for (String line : BoundedText.lines(csv, "HAProxy's statistics")) {
            if (line.startsWith("# pxname,")) {
                columns = columns(fields(line.substring(2)));
            } else if (!columns.isEmpty() && !line.isBlank()) {
                List<String> fields = fields(line);
                String name = field(fields, columns, "svname");
                if (field(fields, columns, "pxname").equals(source.backend()) && !name.equals("BACKEND") && !name.equals("FRONTEND")) {
                    servers.add(server(name, fields, columns, weight.isPresent() ? weight.get() : initial.getOrDefault(name, 0)));
                }
            }
        }
        if (servers.isEmpty()) {
            throw new IOException(source + (columns.isEmpty() ? ": expected HAProxy's statistics as CSV (/stats;csv), got \""
                    + BoundedText.brief(csv) + "\"" : " knows no server of a backend " + source.backend()));
        }
        return servers;
    }

    private Server server(String name, List<String> fields, Map<String, Integer> columns, int initial) throws IOException {
        String status = field(fields, columns, "status");
        int weight = number(fields, columns, "weight");
        if (initial < 1 || weight > initial) {
            throw new IOException(source + ": server " + name + " has a weight of " + weight + " in force, and " + (initial < 1 ? "no known one"
                    : initial) + " in HAProxy's file" + (source.weight().isPresent() ? " as \"weight\" of this sensor says" : ""));
        }
        boolean up = status.startsWith("UP") || status.equals("no check");
        return new Server(name, up && weight > 0 && number(fields, columns, "act") == 1, weight, initial, number(fields, columns, "qcur"));
    }

    /** The weights of HAProxy's file by the server's name, from {@code show servers state}. */
    private static Map<String, Integer> initial(String state) throws IOException {
        Map<String, Integer> columns = new HashMap<>();
        Map<String, Integer> weights = new HashMap<>();
        for (String line : BoundedText.lines(state, "the servers' states")) {
            List<String> words = List.of(line.strip().split(" +"));
            if (line.startsWith("# be_id ")) {
                columns.putAll(columns(words.subList(1, words.size())));
            } else if (!columns.isEmpty() && words.size() > 1) {
                weights.put(field(words, columns, "srv_name"), number(words, columns, "srv_iweight"));
            }
        }
        return weights;
    }

    private static Map<String, Integer> columns(List<String> names) {
        Map<String, Integer> columns = new HashMap<>();
        for (int place = 0; place < names.size(); place++) {
            columns.putIfAbsent(names.get(place), place);
        }
        return columns;
    }

    /** The fields of a line, of which some are in quotation marks. */
    private static List<String> fields(String line) {
        List<String> fields = new ArrayList<>();
        StringBuilder field = new StringBuilder();
        boolean quoted = false;
        for (char letter : line.toCharArray()) {
            if (letter == '"') {
                quoted = !quoted;
            } else if (letter == ',' && !quoted) {
                fields.add(field.toString());
                field.setLength(0);
            } else {
                field.append(letter);
            }
        }
        fields.add(field.toString());
        return fields;
    }

    private static String field(List<String> fields, Map<String, Integer> columns, String name) throws IOException {
        Integer place = columns.get(name);
        if (place == null || place >= fields.size()) {
            throw new IOException("HAProxy's statistics have no " + name + " in \"" + BoundedText.brief(String.join(",", fields)) + "\"");
        }
        return fields.get(place);
    }

    private static int number(List<String> fields, Map<String, Integer> columns, String name) throws IOException {
        String text = field(fields, columns, name);
        if (!text.matches("\\d{1,7}")) {
            throw new IOException("HAProxy's statistics: " + name + ": expected a number, got \"" + BoundedText.brief(text) + "\"");
        }
        return Integer.parseInt(text);
    }
}
