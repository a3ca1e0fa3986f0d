// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.sensor;

import java.io.IOException;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.StringTokenizer;
import org.ic2.agent.host.Host;
import org.ic2.knowledge.Metric;

/**
 * Connections that have been established but that no thread has taken yet: the length of the listen queue of a port,
 * as the kernel prints it in {@code /proc/net/tcp}. A lowered MaxRequestWorkers moves waiting there, where httpd's own
 * durations do not see it; by Little's law a request's share of that wait is queue / throughput.
 */
public final class AcceptQueueSensor implements Sensor {

    /** The kernel lists listeners first, in lines of 150 bytes: this is enough for most machines. */
    private static final int FIRST_HEAD = 4 * 1024;
    private static final int LONGEST_HEAD = 1024 * 1024;

    private static final String LISTEN = "0A";
    private static final int ADDRESS = 1;
    private static final int STATE = 3;
    private static final int QUEUES = 4;

    private final Host host;
    private final Optional<String> pidFile;
    private final int port;
    private int headBytes = FIRST_HEAD;

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
        OptionalInt four = queueLength(listeners(directory + "/tcp"), port);
        OptionalInt six;
        try {
            six = queueLength(listeners(directory + "/tcp6"), port);
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

    /** The head of a table up to where the listeners end. */
    private String listeners(String path) throws IOException, InterruptedException {
        for (int bytes = headBytes;; bytes *= 4) {
            String head = host.head(path, bytes);
            int lastLine = head.lastIndexOf('\n', head.length() - 2);
            boolean listenersOnly = head.length() >= bytes && isListener(head.substring(0, lastLine + 1));
            if (!listenersOnly || bytes >= LONGEST_HEAD) {
                headBytes = bytes;
                return head;
            }
        }
    }

    private static boolean isListener(String lines) {
        int start = lines.lastIndexOf('\n', lines.length() - 2) + 1;
        String[] words = words(lines.substring(start));
        return words.length > STATE && words[STATE].equals(LISTEN);
    }

    /** The queue of all listeners of a port added up (rx_queue of a listening socket); empty when there is none. */
    static OptionalInt queueLength(String table, int port) {
        int total = 0;
        boolean found = false;
        int start = table.indexOf('\n') + 1;
        for (int end = table.indexOf('\n', start); end >= 0; end = table.indexOf('\n', start)) {
            String[] words = words(table.substring(start, end));
            start = end + 1;
            if (words.length <= QUEUES || !words[0].endsWith(":")) {
                continue;
            }
            if (!words[STATE].equals(LISTEN)) {
                break;
            }
            int length = lengthIfOf(words, port);
            if (length >= 0) {
                total += length;
                found = true;
            }
        }
        return found ? OptionalInt.of(total) : OptionalInt.empty();
    }

    /** The line's queue length when it is of this port; -1 otherwise, and when it makes no sense. */
    private static int lengthIfOf(String[] words, int port) {
        int colon = words[ADDRESS].lastIndexOf(':');
        int queues = words[QUEUES].indexOf(':');
        try {
            return colon > 0 && queues > 0 && Integer.parseInt(words[ADDRESS].substring(colon + 1), 16) == port
                    ? Integer.parseInt(words[QUEUES].substring(queues + 1), 16) : -1;
        } catch (NumberFormatException e) {
            return -1;
        }
    }

    /** The first words of a line, as many as we look at. */
    private static String[] words(String line) {
        StringTokenizer tokens = new StringTokenizer(line);
        String[] words = new String[Math.min(QUEUES + 1, tokens.countTokens())];
        for (int i = 0; i < words.length; i++) {
            words[i] = tokens.nextToken();
        }
        return words;
    }
}
