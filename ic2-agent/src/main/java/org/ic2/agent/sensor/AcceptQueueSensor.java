// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.sensor;

import java.io.IOException;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.StringTokenizer;
import org.ic2.knowledge.Metric;
import org.ic2.runtime.host.Host;
import org.ic2.runtime.sensor.Reading;
import org.ic2.runtime.sensor.Sensor;

/**
 * Connections that have been established but that no thread has taken yet: the length of the listen queue of a port,
 * as the kernel prints it in {@code /proc/net/tcp}. A lowered MaxRequestWorkers moves waiting there, where httpd's own
 * durations do not see it; by Little's law a request's share of that wait is queue / throughput.
 */
public final class AcceptQueueSensor implements Sensor {


    private static final int LONGEST_HEAD = 256 * 1024;
    /** Listeners come and go seldom; the whole table is looked at once in so many readings. */
    private static final int READINGS_PER_SCAN = 60;
    private static final String LISTEN = "0A";
    private static final int ADDRESS = 1;
    private static final int STATE = 3;
    private static final int QUEUES = 4;

    private final Host host;
    private final Optional<String> pidFile;
    private final int port;
    private final Table four = new Table("/tcp");
    private final Table six = new Table("/tcp6");

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
    public boolean readsBetween() {
        return true;
    }

    @Override
    public Reading read() throws IOException, InterruptedException {
        String directory = directory(host, pidFile);
        OptionalInt length = four.length(directory);
        OptionalInt length6;
        try {
            length6 = six.length(directory);
        } catch (IOException e) {
            // a machine without IPv6 has no such file
            length6 = OptionalInt.empty();
        }
        if (length.isEmpty() && length6.isEmpty()) {
            four.age = 0;
            six.age = 0;
            throw new IOException("nothing listens on port " + port + "; is httpd running, and is this its port?");
        }
        return Reading.builder().put(Metric.ACCEPT_QUEUE, length.orElse(0) + length6.orElse(0)).build();
    }

    /** What the kernel tells of the network of a process, or of the agent's own. */
    static String directory(Host host, Optional<String> pidFile) throws IOException, InterruptedException {
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
                total = (int) Math.min(Integer.MAX_VALUE, (long) total + length);
                found = true;
            }
        }
        return found ? OptionalInt.of(total) : OptionalInt.empty();
    }

    /** Where the last line of this port's listeners ends. */
    static int endOfListener(String table, int port) {
        int last = 0;
        int start = table.indexOf('\n') + 1;
        for (int end = table.indexOf('\n', start); end >= 0; end = table.indexOf('\n', start)) {
            String[] words = words(table.substring(start, end));
            start = end + 1;
            if (words.length > QUEUES && words[STATE].equals(LISTEN) && lengthIfOf(words, port) >= 0) {
                last = start;
            } else if (words.length > QUEUES && !words[STATE].equals(LISTEN)) {
                break;
            }
        }
        return last;
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

    /**
     * One of the kernel's tables. It lists listeners first and then walks a hash of hundreds of thousands of places for
     * the connections, which takes milliseconds; so most readings ask for no more bytes than it takes to our listener.
     */
    private final class Table {
        private final String name;
        private int bytes;
        private int age;
        private boolean holdsPort;

        Table(String name) {
            this.name = name;
        }

        OptionalInt length(String directory) throws IOException, InterruptedException {
            boolean scan = age == 0;
            age = (age + 1) % READINGS_PER_SCAN;
            if (!scan && !holdsPort) {
                return OptionalInt.empty();
            }
            if (!scan) {
                OptionalInt known = queueLength(host.head(directory + name, bytes), port);
                if (known.isPresent()) {
                    return known;
                }
            }
            String table = host.head(directory + name, LONGEST_HEAD);
            OptionalInt found = queueLength(table, port);
            holdsPort = found.isPresent();
            bytes = endOfListener(table, port);
            return found;
        }
    }
}
