// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend.intensity;

import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.ic2.host.backend.cgroup.GroupCounts;
import org.ic2.host.model.Guest;
import org.ic2.runtime.host.CommandResult;
import org.ic2.runtime.host.Host;

/**
 * The rate of requests that a core's super queue, between its second cache and the third, refused because it was full (the
 * workload-aware paper, section 3.2: MBFR): an event of Intel's counters, which perf knows by its name where the processor has it.
 * It never ran on hardware: no machine with such counters was at hand.
 */
final class PerfSq implements IntensityMeter {
    static final String EVENT = "offcore_requests_buffer.sq_full";

    private static final String NONE = "this machine's processor, or its hypervisor, has no " + EVENT
            + " (Intel's counters are needed)";
    private static final Duration DEADLINE = Duration.ofSeconds(10);

    private final Host host;
    private final GroupCounts counts;

    PerfSq(Host host, LongSupplier nanos) {
        this.host = host;
        counts = new GroupCounts(host, List.of("-e", EVENT), nanos);
    }

    @Override
    public String source() {
        return "perf-sq: " + EVENT + ", 1/s";
    }

    /** perf lists the events that it knows of this processor. */
    @Override
    public Optional<String> lack() throws InterruptedException {
        try {
            CommandResult list = host.run(List.of("perf", "list", "--no-desc", EVENT), DEADLINE);
            return list.output().contains(EVENT) ? Optional.empty() : Optional.of(NONE);
        } catch (IOException e) {
            return Optional.of(e.getMessage());
        }
    }

    @Override
    public boolean dear() {
        return true;
    }

    @Override
    public Map<String, Intensity> read(List<Guest> guests) throws InterruptedException {
        Map<String, Intensity> values = new LinkedHashMap<>();
        counts.rates(guests).forEach((uuid, rate) -> values.put(uuid, new Intensity(rate.perSecond(), explained(rate.why()))));
        return values;
    }

    /** perf names events that it does not know in a line that does not say why. */
    private static String explained(String why) {
        return why.contains("event syntax error") || why.contains("no such event") || why.contains("parser error")
                ? NONE : why;
    }

    @Override
    public void close() {
        counts.close();
    }
}
