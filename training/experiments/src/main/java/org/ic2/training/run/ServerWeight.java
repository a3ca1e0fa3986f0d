// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.run;

import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.ic2.training.data.Csv;

/**
 * What HAProxy says of a server at a moment.
 *
 * @param server  its name
 * @param weight  the weight in force, of 100
 * @param status  {@code UP}, {@code DOWN}, {@code DRAIN}, ...
 * @param current requests under way there
 * @param queued  requests that wait for it
 */
public record ServerWeight(String server, int weight, String status, int current, int queued) {
    /** The columns of a run's file of them. */
    static final String HEADER = "time,server,weight,status,current,queued";
    /** The file of a run with its weights. */
    public static final String FILE = "weights.csv";
    /** The testbed's backend. */
    static final String BACKEND = "web";

    /** Asks HAProxy at its socket. */
    static List<ServerWeight> read(Path socket) throws IOException {
        try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(socket))) {
            channel.write(ByteBuffer.wrap("show stat\n".getBytes(StandardCharsets.US_ASCII)));
            return parse(new String(Channels.newInputStream(channel).readAllBytes(), StandardCharsets.UTF_8));
        }
    }

    /** The servers of the testbed's backend in the CSV that HAProxy answers. */
    static List<ServerWeight> parse(String text) throws IOException {
        List<String> lines = text.lines().filter(line -> !line.isBlank()).toList();
        if (lines.isEmpty() || !lines.get(0).startsWith("# pxname,svname,")) {
            throw new RunException("HAProxy: expected its statistics, got '" + (lines.isEmpty() ? "" : lines.get(0)) + "'");
        }
        List<String> columns = Csv.cells(lines.get(0).substring(2));
        List<ServerWeight> servers = new ArrayList<>();
        for (String line : lines.subList(1, lines.size())) {
            List<String> cells = Csv.cells(line);
            if (cells.size() < columns.size()) {
                throw new RunException("HAProxy: expected " + columns.size() + " columns, got '" + line + "'");
            }
            String name = cells.get(1);
            if (cells.get(0).equals(BACKEND) && !name.equals("BACKEND")) {
                servers.add(new ServerWeight(name, number(cells, columns, "weight"), cells.get(columns.indexOf("status")),
                        number(cells, columns, "scur"), number(cells, columns, "qcur")));
            }
        }
        return servers;
    }

    private static int number(List<String> cells, List<String> columns, String name) throws RunException {
        String cell = cells.get(columns.indexOf(name));
        try {
            return Integer.parseInt(cell);
        } catch (NumberFormatException e) {
            throw new RunException("HAProxy: expected a number as " + name + ", got '" + cell + "'", e);
        }
    }

    String line(String time) {
        return String.join(",", time, server, Integer.toString(weight), status, Integer.toString(current), Integer.toString(queued));
    }
}
