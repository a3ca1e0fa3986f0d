// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend;

import java.io.IOException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.ic2.runtime.host.BoundedText;
import org.ic2.runtime.host.Host;
import org.ic2.runtime.sensor.CounterRates;
import org.ic2.runtime.sensor.Decimals;

/**
 * What a Linux host's guests send and receive, by the counters of its network devices. The ends that guests have here are TAP
 * devices, and veth devices whose other end is elsewhere; of a pair that is here altogether one end counts. Where there are none,
 * the physical devices stand for them. Loopback, bridges, bonds and VLANs would count the same bytes again.
 */
final class GuestTraffic {

    private static final String COUNTERS = "/proc/net/dev";
    private static final String DEVICES = "/sys/class/net/";
    private static final int NUMBERS = 16;
    private static final int SENT = 8;
    private static final int ETHERNET = 1;

    /** A device that may be an end of a veth pair. */
    private record PairEnd(String name, long index, long peer) {
    }

    private final Host host;
    private Set<String> seen = Set.of();
    private Set<String> counted = Set.of();

    GuestTraffic(Host host) {
        this.host = host;
    }

    /**
     * Both directions together since the last reading, Mbit/s; NaN at the first one.
     *
     * @throws IOException when it cannot be told
     */
    double rate(CounterRates rates) throws IOException, InterruptedException {
        Map<String, Double> bytes = bytes(host.read(COUNTERS));
        if (!bytes.keySet().equals(seen)) {
            counted = guestDevices(bytes.keySet());
            seen = Set.copyOf(bytes.keySet());
        }
        if (counted.isEmpty()) {
            throw new IOException("no network device of a guest, and no physical one");
        }
        double sum = Double.NaN;
        for (String name : counted) {
            double rate = rates.rate("net:" + name, bytes.get(name));
            // a device that is new has no rate yet
            sum = Double.isNaN(rate) ? sum : (Double.isNaN(sum) ? 0 : sum) + rate;
        }
        return sum * 8 / 1e6;
    }

    /** Received and sent bytes by device. */
    private static Map<String, Double> bytes(String text) throws IOException {
        List<String> lines = BoundedText.lines(text, COUNTERS);
        if (lines.size() < 2 || !lines.get(1).contains("|bytes ")) {
            throw new IOException("expected two lines of headings in " + COUNTERS + ", got \"" + BoundedText.brief(text) + "\"");
        }
        Map<String, Double> bytes = new LinkedHashMap<>();
        for (String line : lines.subList(2, lines.size())) {
            int colon = line.lastIndexOf(':');
            String[] words = line.substring(colon + 1).strip().split(" +");
            if (colon < 1 || words.length != NUMBERS || !Decimals.are(words[0], 20) || !Decimals.are(words[SENT], 20)) {
                throw new IOException("expected a device and " + NUMBERS + " numbers in a line of " + COUNTERS + ", got \""
                        + BoundedText.brief(line) + "\"");
            }
            bytes.put(line.substring(0, colon).strip(), Double.parseDouble(words[0]) + Double.parseDouble(words[SENT]));
        }
        return bytes;
    }

    private Set<String> guestDevices(Set<String> names) throws IOException, InterruptedException {
        Set<String> guests = new TreeSet<>();
        Set<String> physical = new TreeSet<>();
        Map<Long, PairEnd> ends = new HashMap<>();
        for (String name : names) {
            List<String> files = files(name);
            if (files.contains("device/")) {
                physical.add(name);
            } else if (files.contains("tun_flags")) {
                guests.add(name);
            } else if (isPairEnd(name, files)) {
                PairEnd end = new PairEnd(name, number(name, "ifindex"), number(name, "iflink"));
                ends.put(end.index(), end);
            }
        }
        for (PairEnd end : ends.values()) {
            PairEnd other = ends.get(end.peer());
            if (other == null || other.peer() != end.index() || end.index() < other.index()) {
                guests.add(end.name());
            }
        }
        return guests.isEmpty() ? physical : guests;
    }

    private List<String> files(String name) throws IOException, InterruptedException {
        if (name.contains("/") || name.equals("..")) {
            throw new IOException("expected the name of a device in " + COUNTERS + ", got \"" + name + "\"");
        }
        try {
            return host.list(DEVICES + name);
        } catch (IOException e) {
            throw new IOException("what kind of device " + name + " is cannot be told: " + e.getMessage(), e);
        }
    }

    /** Ethernet whose link is another device's, which neither stands on one nor is of a kind with a name. */
    private boolean isPairEnd(String name, List<String> files) throws IOException, InterruptedException {
        return files.stream().noneMatch(file -> file.startsWith("lower_")) && number(name, "type") == ETHERNET
                && number(name, "iflink") != number(name, "ifindex") && !host.read(DEVICES + name + "/uevent").contains("DEVTYPE=");
    }

    private long number(String name, String file) throws IOException, InterruptedException {
        String text = host.read(DEVICES + name + "/" + file).strip();
        if (!Decimals.are(text, 10)) {
            throw new IOException("expected a number in " + DEVICES + name + "/" + file + ", got \"" + BoundedText.brief(text) + "\"");
        }
        return Long.parseLong(text);
    }
}
