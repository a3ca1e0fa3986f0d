// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend.xen;

import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.ic2.host.model.GuestMetric;
import org.ic2.host.model.Readings;
import org.ic2.runtime.host.Host;
import org.ic2.runtime.host.LineSource;

/** Use of CPU and network by one xentop that runs along, a round each second. */
final class XenUse implements AutoCloseable {
    /** Line by line, and with whole names. */
    private static final List<String> COMMAND = List.of("stdbuf", "-oL", "xentop", "-b", "-f", "-d", "1");

    private final Host host;
    private final Xentop rounds = new Xentop();
    private LineSource source;
    private String why = "xentop has not ended two rounds yet";
    private final Map<String, Double> cpus = new HashMap<>();
    private final Map<String, Double> kibBefore = new HashMap<>();
    private final Map<String, Double> bytes = new HashMap<>();

    XenUse(Host host) {
        this.host = host;
    }

    /** Takes what has come since the last call. */
    void update() throws IOException, InterruptedException {
        List<String> lines;
        cpus.clear();
        bytes.clear();
        try {
            if (source == null) {
                source = host.follow(COMMAND);
            }
            lines = source.drain(Duration.ZERO);
        } catch (IOException e) {
            why = "xentop: " + e.getMessage();
            rounds.restart();
            kibBefore.clear();
            return;
        }
        List<Map<String, Optional<Xentop.Use>>> complete = rounds.add(lines);
        if (complete.isEmpty()) {
            why = "xentop has not ended a round since the last reading";
            return;
        }
        for (Map<String, Optional<Xentop.Use>> round : complete) {
            round.forEach((name, use) -> use.ifPresent(one -> cpus.merge(name, one.cpus() / complete.size(), Double::sum)));
        }
        complete.get(complete.size() - 1).forEach((name, use) -> use.ifPresent(one -> {
            Double before = kibBefore.put(name, one.kib());
            if (before != null && one.kib() >= before) {
                bytes.put(name, (one.kib() - before) * 1024 / complete.size());
            }
        }));
    }

    /** A domain's use since the last update but one. */
    Readings<GuestMetric> of(String name, Readings<GuestMetric> readings) {
        Readings<GuestMetric> more = cpus.containsKey(name) ? readings.with(GuestMetric.CPU_RUN, cpus.get(name))
                : readings.without(GuestMetric.CPU_RUN, cpus.isEmpty() ? why : "xentop does not show one domain of this name");
        return bytes.containsKey(name) ? more.with(GuestMetric.NET_BYTES, bytes.get(name))
                : more.without(GuestMetric.NET_BYTES, cpus.isEmpty() ? why : "no two rounds of xentop show it");
    }

    @Override
    public void close() {
        if (source != null) {
            source.close();
        }
    }
}
