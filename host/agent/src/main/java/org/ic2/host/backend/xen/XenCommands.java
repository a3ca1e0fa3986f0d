// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend.xen;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.ic2.host.model.Pool;
import org.ic2.runtime.host.BoundedText;
import org.ic2.runtime.host.CommandResult;
import org.ic2.runtime.host.Host;
import org.ic2.runtime.host.NotDoneException;

/** Xen's commands. What several questions of one moment are answered from is asked once: a listing serves for a second. */
final class XenCommands {
    static final String CREDIT = "credit";
    static final String CREDIT2 = "credit2";
    static final Duration DEADLINE = Duration.ofSeconds(10);
    private static final long FRESH_NANOS = 1_000_000_000;
    /** So long a balloon may be on its way, and so often it is looked at then. */
    static final long BALLOON_NANOS = 10_000_000_000L;
    private static final long GLANCE_NANOS = 100_000_000;
    /** Xen gives domains their numbers in turn: within so short a time none comes again, nor does a guest change its pool. */
    static final long KNOWN_NANOS = 5_000_000_000L;
    private static final int TRACE_SECONDS = 4;
    /** Much longer than a trace, as a Dom0 that is busy with I/O comes late to it and to what it has collected. */
    private static final Duration TRACE_DEADLINE = Duration.ofSeconds(30);
    /** The scheduler's events. */
    private static final String TRACED = "0x0002f000";
    private static final String TRACE_FILE = "/run/ic2-host.xentrace";

    private interface Listing<T> {
        T get() throws IOException, InterruptedException;
    }

    /** One listing and when it came. */
    private final class Kept<T> {
        private final Listing<T> listing;
        private T value;
        private long came;
        private boolean changed;
        /** Until then what it lists may change by itself. */
        private long movingUntil = Long.MIN_VALUE;

        Kept(Listing<T> listing) {
            this.listing = listing;
        }

        T get() throws IOException, InterruptedException {
            return changed || isOlder(nanos.getAsLong() < movingUntil ? GLANCE_NANOS : FRESH_NANOS) ? renewed() : value;
        }

        /** For what our changes do not touch. */
        T known() throws IOException, InterruptedException {
            return isOlder(KNOWN_NANOS) ? renewed() : value;
        }

        private boolean isOlder(long age) {
            return value == null || nanos.getAsLong() - came >= age;
        }

        private T renewed() throws IOException, InterruptedException {
            value = listing.get();
            came = nanos.getAsLong();   // from its end on: where a command takes a second, the next question is still of its moment
            changed = false;
            return value;
        }
    }

    private final Host host;
    private final LongSupplier nanos;
    private final Xenstore xenstore;
    private final Kept<List<XlDomains.Domain>> domains = new Kept<>(() -> XlDomains.parse(ask("xl", "list")));
    private final Map<String, Kept<List<XlSchedule.OfPool>>> schedules = Map.of(CREDIT, listing(CREDIT), CREDIT2, listing(CREDIT2));
    private final Kept<List<XlVcpus.Vcpu>> vcpus = new Kept<>(() -> XlVcpus.parse(ask("xl", "vcpu-list")));
    private final Kept<List<Pool>> pools = new Kept<>(() -> XlPools.parse(ask("xl", "cpupool-list"), ask("xl", "cpupool-list", "-c")));
    private final Kept<Map<String, String>> schedulers = new Kept<>(() -> XlPools.schedulers(ask("xl", "cpupool-list")));
    /** Of the clock that traces count in; the same for as long as Xen runs, 0 until it is known. */
    private double megahertz;

    XenCommands(Host host, LongSupplier nanos) {
        this.host = host;
        this.nanos = nanos;
        xenstore = new Xenstore(host, nanos);
    }

    /** What xenstore says of guests. */
    Xenstore xenstore() {
        return xenstore;
    }

    List<XlDomains.Domain> domains() throws IOException, InterruptedException {
        return domains.get();
    }

    private Kept<List<XlSchedule.OfPool>> listing(String scheduler) {
        String verb = "sched-" + scheduler;
        return new Kept<>(() -> XlSchedule.parse("xl " + verb, ask("xl", verb)));
    }

    /** The pools of Credit1 or of Credit2, by the scheduler's name. */
    List<XlSchedule.OfPool> schedule(String scheduler) throws IOException, InterruptedException {
        return schedules.get(scheduler).get();
    }

    /** The same with values that may be of before our last change: for who is in which pool. */
    List<XlSchedule.OfPool> knownSchedule(String scheduler) throws IOException, InterruptedException {
        return schedules.get(scheduler).known();
    }

    /** Those of both. */
    Map<String, List<XlSchedule.OfPool>> schedules() throws IOException, InterruptedException {
        return Map.of(CREDIT, schedule(CREDIT), CREDIT2, schedule(CREDIT2));
    }

    List<Pool> pools() throws IOException, InterruptedException {
        return pools.get();
    }

    /** The schedulers of the pools, by their names. */
    Map<String, String> schedulers() throws IOException, InterruptedException {
        return schedulers.get();
    }

    List<XlVcpus.Vcpu> vcpus() throws IOException, InterruptedException {
        return vcpus.get();
    }

    /** A figure of {@code xl info}. */
    double info(String key) throws IOException, InterruptedException {
        return info(ask("xl", "info"), key);
    }

    static double info(String text, String key) throws IOException {
        Matcher line = Pattern.compile("(?m)^" + key + " *: (\\d{1,12}(?:\\.\\d{1,6})?)$").matcher(text);
        if (!line.find()) {
            throw new IOException("xl info: expected a line \"" + key + " : NUMBER\", got \"" + BoundedText.brief(text) + "\"");
        }
        return Double.parseDouble(line.group(1));
    }

    /** All of {@code xl info}, for several figures. */
    String info() throws IOException, InterruptedException {
        return ask("xl", "info");
    }

    /** Traces the scheduler for some seconds, as short as its figures allow. */
    Map<Integer, Xenalyze.Times> trace() throws IOException, InterruptedException {
        if (megahertz == 0) {
            megahertz = info("cpu_mhz");
        }
        try {
            host.run(List.of("rm", "-f", TRACE_FILE), DEADLINE);    // xentrace writes over what a killed one left
            ask(TRACE_DEADLINE, "xentrace", "-D", "-e", TRACED, "-T", Integer.toString(TRACE_SECONDS), "-S", "256", TRACE_FILE);
            return Xenalyze.parse(ask(TRACE_DEADLINE, "xenalyze", "-s", "--cpu-hz", megahertz / 1000 + "G", TRACE_FILE), megahertz * 1e6);
        } finally {
            host.run(List.of("rm", "-f", TRACE_FILE), DEADLINE);
        }
    }

    /** The output of a command that changes nothing. */
    private String ask(String... command) throws IOException, InterruptedException {
        return ask(DEADLINE, command);
    }

    private String ask(Duration deadline, String... command) throws IOException, InterruptedException {
        CommandResult result = host.run(List.of(command), deadline);
        String line = String.join(" ", command);
        if (!result.succeeded()) {
            throw failed(line, result);
        }
        if (result.truncated()) {
            throw new IOException(line + " printed more than " + CommandResult.OUTPUT_LIMIT / 1024 + " KiB");
        }
        return result.output();
    }

    static IOException failed(String line, CommandResult result) {
        return new IOException(line + " failed with status " + result.exitStatus() + ": " + result.lastLine());
    }

    /** Runs a command that changes something; listings from before it serve no more. */
    void change(List<String> command) throws IOException, InterruptedException {
        List<String> words = new ArrayList<>(command);
        boolean memory = command.contains("mem-set");
        if (memory) {
            xenstore.sends(Integer.parseInt(command.get(2)));
        }
        try {
            CommandResult result = host.run(words, DEADLINE);
            if (!result.succeeded()) {
                throw NotDoneException.of(String.join(" ", words) + " failed", result);
            }
            if (memory) {
                xenstore.sent(Integer.parseInt(command.get(2)), Integer.parseInt(command.get(3)));
            }
        } finally {
            if (memory) {
                domains.movingUntil = nanos.getAsLong() + BALLOON_NANOS;
            }
            domains.changed = true;
            schedules.values().forEach(listing -> listing.changed = true);
            vcpus.changed = true;
        }
    }
}
