// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.sensor;

import java.io.IOException;
import java.util.Optional;
import java.util.OptionalInt;
import org.ic2.agent.host.Host;
import org.ic2.knowledge.Metric;

/**
 * Connections that have been established but that no thread has taken yet: the length of the listen queue of a port,
 * as the kernel prints it in {@code /proc/net/tcp}. A lowered MaxRequestWorkers moves waiting there, where httpd's own
 * durations do not see it; by Little's law a request's share of that wait is queue / throughput.
 */
public final class AcceptQueueSensor implements Sensor {

    /** The kernel lists listeners first; a machine with more than about 400 of them would need more. */
    private static final int HEAD_BYTES = 64 * 1024;

    private static final String LISTEN = "0A";

    private final Host host;
    private final Optional<String> pidFile;
    private final int port;

    /**
     * @param pidFile a process of the network namespace to look at; empty: that of the agent
     */
    public AcceptQueueSensor(Host host, Optional<String> pidFile, int port) {
        this.host = host;
        this.pidFile = pidFile;
        this.port = port;
    }

    @Override
    public String name() {
        return "accept queue of port " + port + " on " + host.name();
    }

    /** The status page's own connection would stand in the queue. */
    @Override
    public boolean readsFirst() {
        return true;
    }

    @Override
    public Reading read() throws IOException, InterruptedException {
        String directory = directory();
        OptionalInt four = queueLength(host.head(directory + "/tcp", HEAD_BYTES), port);
        OptionalInt six;
        try {
            six = queueLength(host.head(directory + "/tcp6", HEAD_BYTES), port);
        } catch (IOException e) {
            // a machine without IPv6 has no such file
            six = OptionalInt.empty();
        }
        if (four.isEmpty() && six.isEmpty()) {
            throw new IOException("nothing listens on port " + port + "; is httpd running, and is this its port?");
        }
        return Reading.builder().put(Metric.ACCEPT_QUEUE, four.orElse(0) + six.orElse(0)).build();
    }

    private String directory() throws IOException, InterruptedException {
        if (pidFile.isEmpty()) {
            return "/proc/net";
        }
        String pid = host.read(pidFile.get()).strip();
        if (!pid.matches("[1-9]\\d{0,9}")) {
            throw new IOException("expected a process id in " + pidFile.get() + ", got \"" + pid + "\"");
        }
        return "/proc/" + pid + "/net";
    }

    /** The queue of all listeners of a port added up (rx_queue of a listening socket); empty when there is none. */
    static OptionalInt queueLength(String table, int port) {
        int total = 0;
        boolean found = false;
        for (String line : table.split("\n")) {
            String[] words = line.strip().split("\\s+");
            if (words.length < 5 || !words[0].endsWith(":")) {
                continue;
            }
            if (!words[3].equals(LISTEN)) {
                break;
            }
            int colon = words[1].lastIndexOf(':');
            int queues = words[4].indexOf(':');
            if (colon > 0 && queues > 0 && words[1].substring(colon + 1).matches("[0-9A-F]{4}")
                    && words[4].substring(queues + 1).matches("[0-9A-F]{8}")
                    && Integer.parseInt(words[1].substring(colon + 1), 16) == port) {
                total += (int) Long.parseLong(words[4].substring(queues + 1), 16);
                found = true;
            }
        }
        return found ? OptionalInt.of(total) : OptionalInt.empty();
    }
}
