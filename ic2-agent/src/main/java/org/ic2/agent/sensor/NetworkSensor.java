// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.sensor;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.StringTokenizer;
import java.util.function.LongSupplier;
import org.ic2.knowledge.Metric;
import org.ic2.runtime.host.Host;
import org.ic2.runtime.sensor.CounterRates;
import org.ic2.runtime.sensor.Decimals;
import org.ic2.runtime.sensor.Reading;
import org.ic2.runtime.sensor.Sensor;

/**
 * What a neighbour that fills the link does to the tier's connections (the paper's section 8, network interference): the share of TCP
 * segments that had to be sent again in the last ten seconds, from {@code /proc/net/snmp}, and the packets that an interface's send
 * queue dropped, from {@code /proc/net/dev}. The first packets of connections that nobody answers are no segments of pages: they are
 * left out, by {@code TCPSynRetrans} of {@code /proc/net/netstat}.
 */
final class NetworkSensor implements Sensor {

    private static final int MOST_DIGITS = 18;
    /** Of the columns behind the interface's name. */
    private static final int SEND_DROPS = 11;
    /** So few segments tell no share: of 200 on a way that loses 3 %, 8 % are lost by chance once in 10,000 readings. */
    private static final int LEAST_SEGMENTS = 200;
    private static final long WINDOW_NANOS = 10_000_000_000L;

    private final Host host;
    private final Optional<String> pidFile;
    private final LongSupplier nanoClock;
    private final CounterRates growth = new CounterRates();
    private final Deque<Counted> counted = new ArrayDeque<>();

    /** What was counted since the agent began, at a time. */
    private record Counted(long nanos, double sent, double again) {
    }

    /** @param pidFile a process of the network namespace to look at; empty: that of the agent */
    NetworkSensor(Host host, Optional<String> pidFile, LongSupplier nanoClock) {
        this.host = host;
        this.pidFile = pidFile;
        this.nanoClock = nanoClock;
    }

    @Override
    public String name() {
        return "network of " + host.name();
    }

    @Override
    public Reading read() throws IOException, InterruptedException {
        String directory = AcceptQueueSensor.directory(host, pidFile);
        growth.begin(nanoClock.getAsLong());
        String snmp = host.read(directory + "/snmp");
        double sent = growth.growth("sent", tcp(snmp, "OutSegs", directory));
        double again = growth.growth("again", tcp(snmp, "RetransSegs", directory));
        double unanswered = growth.growth("unanswered", firstPackets(directory));
        double drops = growth.rate("drops", sendDrops(host.read(directory + "/dev")));
        Reading.Builder reading = Reading.builder().put(Metric.SEND_DROPS, drops);
        share(sent, Math.max(0, again - (Double.isNaN(unanswered) ? 0 : unanswered))).ifPresent(share -> reading.put(Metric.RETRANSMITS, share));
        return Double.isNaN(sent) ? reading.problem("first reading: rates need a second one").build() : reading.build();
    }

    /** Of the last ten seconds; OutSegs counts no segment that is sent again. */
    private OptionalDouble share(double sent, double again) {
        long now = nanoClock.getAsLong();
        if (Double.isNaN(sent) || Double.isNaN(again)) {
            counted.clear();
            return OptionalDouble.empty();
        }
        counted.add(new Counted(now, sent, again));
        while (now - counted.getFirst().nanos() >= WINDOW_NANOS) {
            counted.removeFirst();
        }
        double all = counted.stream().mapToDouble(one -> one.sent() + one.again()).sum();
        return all < LEAST_SEGMENTS ? OptionalDouble.empty()
                : OptionalDouble.of(counted.stream().mapToDouble(Counted::again).sum() / all);
    }

    /** NaN where the kernel does not tell. */
    private double firstPackets(String directory) throws InterruptedException {
        try {
            return counter(host.read(directory + "/netstat"), "TcpExt:", "TCPSynRetrans").orElse(Double.NaN);
        } catch (IOException e) {
            return Double.NaN;
        }
    }

    private static double tcp(String snmp, String name, String directory) throws IOException {
        return counter(snmp, "Tcp:", name).orElseThrow(() ->
                new IOException("expected a number " + name + " in the lines \"Tcp:\" of " + directory + "/snmp"));
    }

    /** A counter of the two lines {@code Tcp: NAME ...} and {@code Tcp: VALUE ...}. */
    private static OptionalDouble counter(String text, String protocol, String name) {
        String[] names = null;
        for (String line : text.split("\n")) {
            if (line.startsWith(protocol + " ")) {
                String[] words = line.split(" +");
                for (int i = 1; names != null && i < Math.min(names.length, words.length); i++) {
                    if (names[i].equals(name) && Decimals.are(words[i], MOST_DIGITS)) {
                        return OptionalDouble.of(Double.parseDouble(words[i]));
                    }
                }
                names = words;
            }
        }
        return OptionalDouble.empty();
    }

    /** Packets that the interfaces dropped before they were sent; the loopback has no neighbour. */
    private static double sendDrops(String dev) {
        double sum = Double.NaN;
        for (String line : dev.split("\n")) {
            int colon = line.indexOf(':');
            if (colon > 0 && !line.substring(0, colon).strip().equals("lo")) {
                StringTokenizer words = new StringTokenizer(line.substring(colon + 1));
                for (int i = 0; i < SEND_DROPS && words.hasMoreTokens(); i++) {
                    words.nextToken();
                }
                String drops = words.hasMoreTokens() ? words.nextToken() : "";
                if (Decimals.are(drops, MOST_DIGITS)) {
                    sum = (Double.isNaN(sum) ? 0 : sum) + Double.parseDouble(drops);
                }
            }
        }
        return sum;
    }
}
