// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.compare;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Sample;
import org.ic2.training.Generated;
import org.ic2.training.data.Run;
import org.ic2.training.data.RunFolder;
import org.ic2.training.data.Switch;
import org.ic2.training.data.TextFiles;
import org.ic2.training.run.RequestTimes;

/** A comparison as its runs would have left it on disk, with figures that are known because they were made up. */
final class Stored {
    static final int ON = 20;
    static final int OFF = 20;
    static final int FIRST = 5;
    /** Share of the operations. */
    static final double ANONYMOUS = 0.07;
    /** A tenth of the requests take so many times as long as the others. */
    static final double SLOW = 3;

    private final Path folder;
    private final ComparePlan plan;

    /** What the client sees in a second. */
    record Level(double responseTime, double throughput, double pending, double oldest) {
        static final Level WITHOUT_INTERFERENCE = new Level(0.03, 100, 2, 0.1);
        static final Level UNDER_INTERFERENCE = new Level(0.6, 85, 55, 1.5);
        static final Level MENDED = new Level(0.06, 102, 4, 0.3);
        static final Level STARVED = new Level(0.3, 72, 60, 14);
    }

    /**
     * What an arm does.
     *
     * @param without while no neighbour runs
     * @param rest    in the rest of an episode; its first part is always under interference
     * @param notices seconds after a start and a stop; 0: never
     */
    record Behaviour(Level without, Level rest, int notices) {
        Behaviour(Level rest, int notices) {
            this(Level.WITHOUT_INTERFERENCE, rest, notices);
        }
    }

    private Stored(Path folder, ComparePlan plan) {
        this.folder = folder;
        this.plan = plan;
    }

    static ComparePlan plan(String arms, int repeat) {
        return new ComparePlan(Stream.of(arms.split(",")).map(Arm::of).toList(),
                List.of(Neighbour.of("llcprobe")), "same-core", repeat, Duration.ofSeconds(2 * (ON + OFF) + OFF),
                Duration.ofSeconds(ON), Duration.ofSeconds(OFF), Duration.ofSeconds(FIRST), Duration.ofSeconds(5), 100, 1,
                new AgentSettings(Duration.ofSeconds(1), Duration.ofMillis(60), Duration.ofSeconds(10), "mod-status",
                        Optional.empty(), List.of()), TestSubject.USUAL);
    }

    static Stored of(Path folder, ComparePlan plan) throws IOException {
        PlanJson.write(folder, plan);
        return new Stored(folder, plan);
    }

    /** Stores all runs of an arm. */
    Stored arm(Arm arm, Behaviour behaviour) throws IOException {
        for (PlannedRun slot : plan.slots()) {
            if (slot.arm() == arm) {
                run(slot, behaviour, (int) plan.length().toSeconds());
            }
        }
        return this;
    }

    /** Stores a run that ended after so many seconds. */
    void run(PlannedRun slot, Behaviour behaviour, int seconds) throws IOException {
        Instant begin = Generated.START.plus(Duration.ofHours(slot.round() * 10L + slot.arm().ordinal()));
        Random random = new Random(("made up " + slot.id()).hashCode() * 0x9E3779B97F4A7C15L); // of seeds that are neighbours the first numbers are alike
        List<Switch> switches = new ArrayList<>();
        List<String> client = new ArrayList<>(List.of("time,elapsed,phase,throughput,response_time,response_time_p95,errors,pending_users,"
                + "oldest_wait,interactive_response_time,anonymous,pages_checked,page_age,pages_left_out"));
        List<String> requests = new ArrayList<>(List.of("time,elapsed,phase,max,counts,operations"));
        List<String> usage = new ArrayList<>(List.of("time,tier_cpu,agent_cpu,agent_memory"));
        for (int second = 0; second <= seconds; second++) {
            int cycle = second % (ON + OFF);
            boolean interference = !plan.loadOnly() && cycle >= OFF;
            if (!plan.loadOnly() && second > 0 && (cycle == OFF || cycle == 0)) {
                switches.add(new Switch(begin.plusSeconds(second), interference, "llcprobe --size 32MiB", "same-core"));
            }
            // the interval that ends now began a second ago
            int before = (second + ON + OFF - 1) % (ON + OFF);
            Level level = plan.loadOnly() || before < OFF ? behaviour.without() : before < OFF + FIRST ? Level.UNDER_INTERFERENCE : behaviour.rest();
            double factor = Math.exp(0.05 * random.nextGaussian());
            client.add(line(begin.plusSeconds(second), second, level, factor) + (slot.arm().alwaysOn() ? ",80,30.0,20" : ",80,0.0,0"));
            requests.add(String.format(Locale.ROOT, "%d.000,%d.000,steady,%.6f,%.0f:90 %.0f:10,100", begin.plusSeconds(second).getEpochSecond(),
                    second, SLOW * level.responseTime() * factor, 1e6 * level.responseTime() * factor, 1e6 * SLOW * level.responseTime() * factor));
            usage.add(String.format(Locale.ROOT, "%d,%.2f,%s", begin.plusSeconds(second).getEpochSecond(), 0.5 * second,
                    slot.arm().on() ? String.format(Locale.ROOT, "%.2f,50.0", 0.003 * second) : ","));
        }
        Path place = folder.resolve(slot.id());
        TextFiles.write(place.resolve(Recording.CLIENT), TextFiles.joined(client));
        TextFiles.write(place.resolve(Recording.CLIENT).resolveSibling(RequestTimes.FILE), TextFiles.joined(requests));
        TextFiles.write(place.resolve(Usage.FILE), TextFiles.joined(usage));
        if (slot.arm().on()) {
            Files.writeString(place.resolve(Event.FILE), journal(begin, switches, behaviour.notices()));
        }
        Map<String, String> facts = new LinkedHashMap<>(plan.run(slot).facts());
        facts.put(Run.FROM, Long.toString(begin.toEpochMilli()));
        facts.put("cpu", "made up");
        if (seconds < plan.length().toSeconds()) {
            facts.put(Run.BROKEN, "after " + seconds + " s: interrupted");
        }
        RunFolder.write(place, new Run(slot.id(), Duration.ofSeconds(1), Optional.of(Generated.BASELINE), switches, facts,
                List.of()), false);
    }

    /** Notes what else the machine did in a run: this share of its two CPUs, of which the testbed had half of one. */
    void machine(PlannedRun slot, double others) throws IOException {
        Instant begin = Generated.START.plus(Duration.ofHours(slot.round() * 10L + slot.arm().ordinal()));
        List<String> lines = new ArrayList<>(List.of("time,phase,idle,busy,steal,own,runnable"));
        for (int second = -5; second <= plan.length().toSeconds(); second++) {
            lines.add(String.format(Locale.ROOT, "%d.000,%s,%.2f,%.2f,0.00,%.2f,3.00", begin.plusSeconds(second).getEpochSecond(),
                    second < 0 ? "before" : "run", (1.5 - 2 * others) * second, (0.5 + 2 * others) * second, 0.5 * second));
        }
        TextFiles.write(folder.resolve(slot.id()).resolve("machine.csv"), TextFiles.joined(lines));
    }

    /** Notes what the agent measured of a run: so many samples without steal, and from then on this share of the time. */
    void steal(PlannedRun slot, int clean, double steal) throws IOException {
        Path place = folder.resolve(slot.id());
        Run run = RunFolder.read(place);
        Instant begin = Instant.ofEpochMilli(Long.parseLong(run.fact(Run.FROM)));
        List<Sample> samples = IntStream.range(0, (int) plan.length().toSeconds()).mapToObj(second -> Sample.at(begin.plusSeconds(second))
                .set(Metric.STEAL, second < clean ? 0.01 : steal).build()).toList();
        RunFolder.write(place, new Run(run.id(), run.interval(), run.baseline(), run.switches(), run.facts(), samples), false);
    }

    private static String line(Instant time, int elapsed, Level level, double factor) {
        return String.format(Locale.ROOT, "%d.000,%d.000,steady,%.3f,%.5f,%.5f,0,%.0f,%.3f,%.5f,%.3f", time.getEpochSecond(), elapsed,
                level.throughput(), level.responseTime() * factor, 2 * level.responseTime() * factor, level.pending(),
                level.oldest(), Math.max(level.responseTime() * factor, level.oldest() > 10 ? 0.7 : 0), ANONYMOUS * level.throughput());
    }

    private static String journal(Instant begin, List<Switch> switches, int notices) {
        StringBuilder text = new StringBuilder("{\"time\":\"" + begin + "\",\"kind\":\"start\"}\n");
        for (Switch one : notices > 0 ? switches : List.<Switch>of()) {
            Instant time = one.time().plusSeconds(notices);
            String action = one.on() ? "MITIGATE" : "RESTORE";
            String reason = one.on() ? "interference is confirmed & <the neighbour> is there" : "no interference any more";
            text.append("""
                    {"time":"%s","kind":"intent","action":"%s","reason":"%s","decision":{"state":"%s"}}
                    {"time":"%s","kind":"applied","action":"%s","reason":"%s","configuration":{"mxc":%d,"kat":1.5,"php":60,"mitigation":%d}}
                    """.formatted(time, action, reason, one.on() ? "I2" : "NI2", time.plusMillis(40), action, reason,
                    one.on() ? 200 : 240, one.on() ? 1 : 0).replace("\"mxc\":240,\"kat\":1.5", "\"mxc\":240,\"kat\":1.0"));
        }
        return text + "{\"time\":\"cut sho";
    }
}
