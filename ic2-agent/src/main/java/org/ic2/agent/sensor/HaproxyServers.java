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
import org.ic2.runtime.host.Host;
import org.ic2.runtime.host.HttpGet;
import org.ic2.runtime.host.PageAccess.Login;

/** What HAProxy says of the servers of a backend: over its stats page as CSV, or by its socket, which also knows their initial weights. */
public final class HaproxyServers {

    /**
     * A server of the backend.
     *
     * @param takes   true if it gets requests: it is up, no spare, and has a weight
     * @param weight  in force
     * @param initial of the file
     * @param queue   requests that wait at HAProxy for it
     * @param all     that HAProxy says of it
     */
    public record Server(String name, boolean takes, int weight, int initial, int queue, HaproxyTable.Row all) {
        /** The share in force, 0..1. */
        public double share() {
            return Math.min(1, (double) weight / initial);
        }
    }

    /**
     * A backend.
     *
     * @param balance how it chooses a server; empty where HAProxy does not tell
     */
    public record Backend(String balance, List<Server> servers) {
    }

    private final Host host;
    private final HaproxySource source;
    private final Optional<HttpGet> page;

    public HaproxyServers(Host host, HaproxySource source) {
        this.host = host;
        this.source = source;
        page = source.url().map(url -> new HttpGet(host, url, source.access()));
    }

    /** The servers of the backend. */
    public List<Server> servers() throws IOException, InterruptedException {
        return backend().servers();
    }

    /** The backend with its servers. */
    public Backend backend() throws IOException, InterruptedException {
        return page.isPresent() ? parse(fetch(page.get()), source.weight(), "") : ask();
    }

    /** This server, of those. */
    public Server own(List<Server> servers) throws IOException {
        return servers.stream().filter(server -> server.name().equals(source.server())).findFirst().orElseThrow(() ->
                new IOException("backend " + source.backend() + " at " + source + " has no server " + source.server() + "; there are "
                        + BoundedText.brief(servers.stream().map(Server::name).collect(Collectors.joining(", ")))));
    }

    private String fetch(HttpGet from) throws IOException, InterruptedException {
        try {
            return from.fetch();
        } catch (HttpGet.UnauthorizedException e) {
            Optional<Login> login = source.access().login();
            throw new IOException(e.getMessage() + ": " + (login.isEmpty() ? "the page takes a user and a password; say user and password-file"
                    : "it does not know user \"" + login.get().user() + "\" with the password in " + login.get().passwordFile()), e);
        }
    }

    private Backend ask() throws IOException, InterruptedException {
        String answer = say("show stat " + source.backend() + " 6 -1;show servers state " + source.backend());
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

    Backend parse(String csv, Optional<Integer> weight, String state) throws IOException {
        Map<String, Integer> initial = new HashMap<>();        // of the file
        for (HaproxyTable.Row row : HaproxyTable.states(state)) {
            initial.put(row.text("srv_name"), row.number("srv_iweight"));
        }
        List<HaproxyTable.Row> rows = HaproxyTable.statistics(csv);
        List<Server> servers = new ArrayList<>();
        String balance = "";
        for (HaproxyTable.Row row : rows) {
            String name = row.text("svname");
            if (!row.text("pxname").equals(source.backend()) || name.equals("FRONTEND")) {
                continue;
            }
            if (name.equals("BACKEND")) {
                balance = row.textOrNone("algo");
            } else {
                servers.add(server(name, row, weight.isPresent() ? weight.get() : initial.getOrDefault(name, 0)));
            }
        }
        if (servers.isEmpty()) {
            throw new IOException(source + (rows.isEmpty() ? ": expected HAProxy's statistics as CSV (/stats;csv), got \""
                    + BoundedText.brief(csv) + "\"" : " knows no server of a backend " + source.backend()));
        }
        return new Backend(balance, servers);
    }

    private Server server(String name, HaproxyTable.Row row, int initial) throws IOException {
        String status = row.text("status");
        int weight = row.number("weight");
        if (initial < 1 || weight > initial) {
            throw new IOException(source + ": server " + name + " has a weight of " + weight + " in force, and " + (initial < 1 ? "no known one"
                    : initial) + " in HAProxy's file" + (source.weight().isPresent() ? " as \"weight\" of this sensor says" : ""));
        }
        boolean up = status.startsWith("UP") || status.equals("no check");
        return new Server(name, up && weight > 0 && row.number("act") == 1, weight, initial, row.number("qcur"), row);
    }
}
