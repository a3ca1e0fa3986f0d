// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.sensor;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Pattern;
import org.ic2.knowledge.Metric;
import org.ic2.runtime.sensor.Reading;

/**
 * Who asks, as far as the log tells: shares of the last seconds, and pages of the last whole ten seconds. Of addresses and pages hashes are
 * kept, in tables that do not grow beyond a size; what has no room in them any more is not counted, or makes them begin anew.
 */
final class Visitors {
    /** An address is new if it was not seen for so long; twice as long it may be remembered. */
    private static final double REMEMBERED_SECONDS = 300;
    /** Windows of one length can be compared: the longer one is, the more pages an address has, and the fewer are different. */
    private static final double WINDOW_SECONDS = 10;
    /** After so long a request counts 1/e. */
    private static final double DECAY_SECONDS = 5;
    private static final int MOST_AGENTS = 128;
    /** What comes after so many letters of a name is not looked at. */
    private static final int MOST_LETTERS = 256;
    private static final String NO_COOKIE = "-";
    private static final Pattern WORD = Pattern.compile("\"[^\"]*\"|\\S+");

    private final LogFormat format;
    /** So that nobody outside knows which texts meet in a table. */
    private final long seed = ThreadLocalRandom.current().nextLong();
    private final List<String> crawlers = listed();
    private final Map<String, Boolean> agents = new LinkedHashMap<>();
    private Hashes addresses = new Hashes();
    private Hashes earlier = new Hashes();
    private double remembered;
    private boolean knows;
    private double requests;
    private double fresh;
    private double crawling;
    private double pages;
    private double bare;
    private final Hashes who = new Hashes();
    private final Hashes what = new Hashes();
    private final Hashes both = new Hashes();
    private double asked;
    private double window;
    private double pagesPerAddress = Double.NaN;
    private double spread = Double.NaN;

    Visitors(LogFormat format) {
        this.format = format;
    }

    /** The words of the shipped list, in small letters. */
    static List<String> listed() {
        try (InputStream in = Visitors.class.getResourceAsStream("/org/ic2/agent/application/crawlers.conf")) {
            // the first word is the class
            return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().filter(line -> line.startsWith("StandbyCrawlers "))
                    .flatMap(line -> WORD.matcher(line).results().skip(2)).map(word -> word.group().replace("\"", "").toLowerCase(Locale.ROOT)).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Time passes before the next requests. */
    void pass(double seconds) {
        double kept = Math.exp(-seconds / DECAY_SECONDS);
        requests *= kept;
        fresh *= kept;
        crawling *= kept;
        pages *= kept;
        bare *= kept;
        remembered += seconds;
        if (remembered >= REMEMBERED_SECONDS || addresses.isFull()) {
            earlier = addresses;
            addresses = new Hashes();
            remembered = 0;
            knows = true;
        }
        window += seconds;
        if (window >= WINDOW_SECONDS || both.isFull()) {
            look();
            List.of(who, what, both).forEach(Hashes::clear);
            asked = 0;
            window = 0;
        }
    }

    void add(LogFormat.Entry entry) {
        LogFormat.Client client = entry.client();
        long address = Hashes.of(client.address(), seed);
        requests++;
        boolean known = earlier.has(address);
        fresh += addresses.add(address) && !known ? 1 : 0;
        crawling += isListed(client.agent()) ? 1 : 0;
        if (!RequestFilter.isStatic(entry.path())) {
            pages++;
            bare += client.cookie().isEmpty() || client.cookie().equals(NO_COOKIE) ? 1 : 0;
            asked++;
            long page = Hashes.of(client.asked(), seed);
            who.add(address);
            what.add(page);
            both.add(31 * address + page);
        }
    }

    private boolean isListed(String name) {
        String agent = name.length() <= MOST_LETTERS ? name : name.substring(0, MOST_LETTERS);
        if (agents.size() >= MOST_AGENTS && !agents.containsKey(agent)) {
            agents.remove(agents.keySet().iterator().next());
        }
        return agents.computeIfAbsent(agent, words -> {
            String small = words.toLowerCase(Locale.ROOT);
            return crawlers.stream().anyMatch(small::contains);
        });
    }

    private void look() {
        pagesPerAddress = asked > 0 ? (double) both.size() / who.size() : Double.NaN;
        spread = asked > 0 ? what.size() / asked : Double.NaN;
    }

    /** Adds what the format tells. */
    void put(Reading.Builder reading) {
        if (requests > 0 && format.hasAddress() && knows) {
            reading.put(Metric.NEW_ADDRESSES, fresh / requests);
        }
        if (requests > 0 && format.hasAgent()) {
            reading.put(Metric.LISTED_CRAWLERS, crawling / requests);
        }
        if (pages > 0 && format.hasCookie()) {
            reading.put(Metric.NO_COOKIE, bare / pages);
        }
        if (format.hasPath() && !Double.isNaN(spread)) {
            reading.put(Metric.PAGE_SPREAD, spread);
        }
        if (format.hasPath() && format.hasAddress() && !Double.isNaN(pagesPerAddress)) {
            reading.put(Metric.PAGES_PER_ADDRESS, pagesPerAddress);
        }
    }

    /** Hashes of texts, up to a number of them. */
    static final class Hashes {
        /** All tables together are well below a megabyte, of the agent's sixteen. */
        static final int MOST = 1 << 13;
        private static final long PRIME = 0x100000001b3L;

        private long[] table = new long[64];
        private int size;

        /** A number that is another one for nearly every text, and never 0. */
        static long of(String text, long seed) {
            long hash = seed;
            for (int i = 0; i < text.length(); i++) {
                hash = (hash ^ text.charAt(i)) * PRIME;
            }
            return hash == 0 ? 1 : hash;
        }

        /** True if it was not there; one for which there is no room is not kept. */
        boolean add(long hash) {
            int place = place(hash);
            if (table[place] == hash) {
                return false;
            }
            if (size < MOST) {
                table[place] = hash;
                size++;
                if (2 * size > table.length) {
                    grow();
                }
            }
            return true;
        }

        boolean has(long hash) {
            return table[place(hash)] == hash;
        }

        boolean isFull() {
            return size == MOST;
        }

        int size() {
            return size;
        }

        void clear() {
            table = new long[64];
            size = 0;
        }

        private int place(long hash) {
            int place = (int) (hash ^ hash >>> 32) & table.length - 1;
            while (table[place] != 0 && table[place] != hash) {
                place = place + 1 & table.length - 1;
            }
            return place;
        }

        private void grow() {
            long[] old = table;
            table = new long[2 * old.length];
            for (long hash : old) {
                if (hash != 0) {
                    table[place(hash)] = hash;
                }
            }
        }
    }
}
