// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend.qemu;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.ic2.host.model.GuestMetric;
import org.ic2.host.model.Readings;
import org.ic2.runtime.host.BoundedText;
import org.ic2.runtime.json.Json;
import org.ic2.runtime.sensor.CounterRates;

/** What is asked of one running QEMU. */
final class QemuGuest {
    /** A report that is older is of no use. */
    private static final Duration OLDEST = Duration.ofSeconds(30);
    /** A guest does not tell which of its file pages it asks for again, and MemAvailable counts them all as free. */
    static final double CACHES_IN_USE = 0.5;
    private static final Set<String> ELSEWHERE = Set.of("inmigrate", "postmigrate");
    private static final String BALLOON = "virtio-balloon";

    private final QmpConnection qmp;

    QemuGuest(QmpConnection qmp) {
        this.qmp = qmp;
    }

    private JsonNode ask(String command) throws IOException, InterruptedException {
        return qmp.ask(command, Json.object());
    }

    /** Its name; empty if it was started without one. */
    Optional<String> name() throws IOException, InterruptedException {
        return Optional.ofNullable(ask("query-name").path("name").textValue());
    }

    /** Its UUID; zeros if it was started without one. */
    String uuid() throws IOException, InterruptedException {
        return text(ask("query-uuid"), "UUID", "query-uuid");
    }

    /** True if the guest has migrated away, or is still to arrive. */
    boolean isElsewhere() throws IOException, InterruptedException {
        return ELSEWHERE.contains(text(ask("query-status"), "status", "query-status"));
    }

    /** The threads of this host that are its virtual CPUs. */
    List<Integer> threads() throws IOException, InterruptedException {
        JsonNode cpus = ask("query-cpus-fast");
        List<Integer> threads = new ArrayList<>();
        for (JsonNode cpu : cpus) {
            threads.add((int) number(cpu, "thread-id", "query-cpus-fast"));
        }
        if (threads.isEmpty()) {
            throw new IOException("query-cpus-fast: expected a CPU at least, got " + BoundedText.brief(Json.text(cpus)));
        }
        return threads;
    }

    /** The memory with which it was started, bytes: a balloon gives no more. */
    long bootMemory() throws IOException, InterruptedException {
        return number(ask("query-memory-size-summary"), "base-memory", "query-memory-size-summary");
    }

    /** Its memory now, bytes. */
    long memory() throws IOException, InterruptedException {
        return number(ask("query-balloon"), "actual", "query-balloon");
    }

    /** Asks for other memory, bytes; the guest takes its time. */
    void balloon(long bytes) throws IOException, InterruptedException {
        qmp.ask("balloon", Json.object().put("value", bytes));
    }

    /**
     * What there is of memory. That the guest reports, its provider asks for: to look changes nothing.
     *
     * @param caches the part of its page cache that counts as used
     */
    Readings<GuestMetric> memory(String key, CounterRates rates, Instant now, double caches, Readings<GuestMetric> readings)
            throws IOException, InterruptedException {
        double actual = memory();
        Readings<GuestMetric> more = readings.with(GuestMetric.MEM_ALLOC, actual);
        Optional<String> device = balloonDevice();
        if (device.isEmpty()) {
            return none(more, "no balloon device");
        }
        if (property(device.get(), "guest-stats-polling-interval").asInt(0) == 0) {
            return none(more, "nobody has asked the guest to report: set guest-stats-polling-interval of " + device.get()
                    + " (libvirt: stats period of memballoon)");
        }
        JsonNode report = property(device.get(), "guest-stats");
        long age = now.getEpochSecond() - report.path("last-update").asLong(0);
        if (age > OLDEST.toSeconds()) {
            return none(more, report.path("last-update").asLong(0) == 0 ? "the guest has never reported"
                    : "the guest has not reported for " + age + " s");
        }
        double available = told(report, "stat-available-memory");
        double cached = told(report, "stat-disk-caches");
        return more.with(GuestMetric.MEM_USED, Math.max(0, actual - available + (Double.isNaN(cached) ? 0 : caches * cached)))
                .with(GuestMetric.MEM_MAJFLT, rates.rate(key + ":majflt", told(report, "stat-major-faults")));
    }

    private static Readings<GuestMetric> none(Readings<GuestMetric> readings, String why) {
        return readings.without(GuestMetric.MEM_USED, why).without(GuestMetric.MEM_MAJFLT, why);
    }

    /** A figure of the guest's report; QEMU shows 2^64 - 1, or the same as -1, for what the guest does not tell. */
    private static double told(JsonNode report, String name) {
        JsonNode value = report.path("stats").path(name);
        double number = value.isIntegralNumber() ? value.asDouble() : Double.NaN;
        return number < 0 || number > 0x1p62 ? Double.NaN : number;
    }

    /** Whatever name it was started under. */
    private Optional<String> balloonDevice() throws IOException, InterruptedException {
        for (String parent : List.of("/machine/peripheral", "/machine/peripheral-anon")) {
            for (JsonNode child : qmp.ask("qom-list", Json.object().put("path", parent))) {
                if (child.path("type").asText("").contains(BALLOON)) {
                    return Optional.of(parent + "/" + child.path("name").asText(""));
                }
            }
        }
        return Optional.empty();
    }

    private JsonNode property(String path, String property) throws IOException, InterruptedException {
        return qmp.ask("qom-get", at(path, property));
    }

    private static ObjectNode at(String path, String property) {
        return Json.object().put("path", path).put("property", property);
    }

    private static long number(JsonNode answer, String field, String command) throws IOException {
        JsonNode value = answer.path(field);
        if (!value.canConvertToLong() || value.asLong() < 0) {
            throw new IOException(command + ": expected a number " + field + ", got " + BoundedText.brief(Json.text(answer)));
        }
        return value.asLong();
    }

    private static String text(JsonNode answer, String field, String command) throws IOException {
        JsonNode value = answer.path(field);
        if (!value.isTextual()) {
            throw new IOException(command + ": expected " + field + ", got " + BoundedText.brief(Json.text(answer)));
        }
        return value.textValue();
    }
}
