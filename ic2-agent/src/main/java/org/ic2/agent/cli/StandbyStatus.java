// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.cli;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.ic2.runtime.host.BoundedText;
import org.ic2.runtime.sensor.Decimals;

/**
 * What mod_standby says of itself in mod_status' machine-readable page, the lines {@code Standby...: }. What cannot be read
 * is left out. Pure.
 *
 * @param store    "ok", "off", or why the store cannot be used
 * @param figures  the plain numbers by their key: {@code StandbyHits}
 * @param passed   requests that passed the store by, by reason
 * @param refused  answers that were not stored, by reason
 * @param headers  request headers that no list knows, and how many requests they kept from the store
 * @param cookies  the same of cookies
 * @param differs  pages whose builds differ between two visitors, and where
 * @param reflects pages that hold something of the request, and what
 * @param twins    "ok", or why two visitors' builds cannot be compared
 */
record StandbyStatus(String store, Map<String, Long> figures, Map<String, Long> passed, Map<String, Long> refused,
        Map<String, Long> headers, Map<String, Long> cookies, List<String> differs, List<String> reflects, String twins) {

    private static final String MARK = "Standby";
    private static final int MOST = 100;
    /** Digits of a count of 32 bits. */
    private static final int LONGEST = 10;

    StandbyStatus {
        figures = Map.copyOf(figures);
        passed = inOrder(passed);
        refused = inOrder(refused);
        headers = inOrder(headers);
        cookies = inOrder(cookies);
        differs = List.copyOf(differs);
        reflects = List.copyOf(reflects);
    }

    /** The greatest first. */
    private static Map<String, Long> inOrder(Map<String, Long> counts) {
        Map<String, Long> sorted = new LinkedHashMap<>();
        counts.entrySet().stream().sorted(Map.Entry.<String, Long>comparingByValue().reversed().thenComparing(Map.Entry.comparingByKey()))
                .forEach(count -> sorted.put(count.getKey(), count.getValue()));
        return Collections.unmodifiableMap(sorted);
    }

    /**
     * Reads the page; empty when it has nothing of mod_standby.
     *
     * @throws IOException when it is no such page: it has too many lines
     */
    static Optional<StandbyStatus> parse(String page) throws IOException {
        Lines lines = new Lines();
        for (String line : BoundedText.lines(page, "the status page")) {
            int colon = line.indexOf(": ");
            if (colon > 0 && line.startsWith(MARK)) {
                lines.add(line.substring(MARK.length(), colon), BoundedText.brief(line.substring(colon + 2)));
            }
        }
        return lines.store == null ? Optional.empty() : Optional.of(lines.status());
    }

    long figure(String key) {
        return figures.getOrDefault(key, 0L);
    }

    /** The lines so far. */
    private static final class Lines {
        private final Map<String, Long> figures = new LinkedHashMap<>();
        private final Map<String, Map<String, Long>> counts = new LinkedHashMap<>();
        private final Map<String, List<String>> pages = new LinkedHashMap<>();
        private String store;
        private String twins = "";

        void add(String key, String value) {
            switch (key) {
                case "Store" -> store = value;
                case "Twins" -> twins = value;
                case "Passed", "Refused", "Header", "Cookie" -> count(counts.computeIfAbsent(key, any -> new LinkedHashMap<>()), value);
                case "Differs", "Reflects" -> {
                    List<String> list = pages.computeIfAbsent(key, any -> new ArrayList<>());
                    if (list.size() < MOST && !value.isEmpty()) {
                        list.add(value);
                    }
                }
                default -> {
                    if (figures.size() < MOST && Decimals.are(value, LONGEST)) {
                        figures.put(MARK + key, Long.parseLong(value));
                    }
                }
            }
        }

        private static void count(Map<String, Long> counts, String value) {
            int equals = value.lastIndexOf('=');
            if (counts.size() < MOST && equals > 0 && Decimals.are(value.substring(equals + 1), LONGEST)) {
                counts.merge(value.substring(0, equals), Long.parseLong(value.substring(equals + 1)), Long::sum);
            }
        }

        StandbyStatus status() {
            return new StandbyStatus(store, figures, of("Passed"), of("Refused"), of("Header"), of("Cookie"),
                    pages.getOrDefault("Differs", List.of()), pages.getOrDefault("Reflects", List.of()), twins);
        }

        private Map<String, Long> of(String key) {
            return counts.getOrDefault(key, Map.of());
        }
    }
}
