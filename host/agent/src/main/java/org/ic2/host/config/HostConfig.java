// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.config;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.ic2.host.model.Guest;
import org.ic2.host.model.GuestClass;
import org.ic2.host.model.HostSample;
import org.ic2.host.model.KnobKind;
import org.ic2.runtime.loop.Mode;

/**
 * What the provider's file says.
 *
 * @param source         the file
 * @param backend        which host
 * @param mode           how far the agent goes
 * @param reserveMemory  memory that guests never get, bytes
 * @param reserveCpus    CPUs that guests' caps together leave free
 * @param guests         what is said of guests, by name
 * @param others         what is said of all others
 * @param joint          joint control, if wanted
 * @param schedule       the scheduler's settings by region, if wanted
 * @param placement      workload-aware placement, if wanted
 * @param byClass        by kind of knob, what each class of guests gets, where the provider says so
 * @param actionsPerHour the most changes in an hour; then all is restored until a quarter of them is over
 * @param journal        where the journal is; snapshot and sockets are beside it
 * @param contract       what carries words between host and tenants, if anything does
 * @param listen         where metrics and status are served, if they are; a loopback address
 * @param places         file, line and key of what only a host can prove wrong, for errors
 */
public record HostConfig(Path source, BackendChoice backend, Mode mode, long reserveMemory, double reserveCpus,
        Map<String, GuestRule> guests, GuestRule others, Optional<JointConfig> joint, Optional<ScheduleConfig> schedule,
        Optional<PlacementConfig> placement, Map<KnobKind, Map<GuestClass, Integer>> byClass, int actionsPerHour, Path journal, Optional<ContractChoice> contract,
        Optional<InetSocketAddress> listen, Map<String, String> places) {

    /** Between two looks at what is said by class. */
    public static final Duration CLASSES_PERIOD = Duration.ofSeconds(15);
    private static final int FEWEST_CHANGES = 600;
    /** What shrinks, what grows, and memory that grows. */
    private static final int CHANGES_OF_A_TURN = 3;
    private static final Duration HOUR = Duration.ofHours(1);

    public HostConfig {
        guests = Collections.unmodifiableMap(new LinkedHashMap<>(guests));
        places = Map.copyOf(places);
        byClass = Map.copyOf(byClass);
    }

    /**
     * The changes of an hour in which each turn makes all that it may. Who has fewer to spend is restored on the way.
     */
    static int changesOfAllTurns(Optional<JointConfig> joint, Optional<ScheduleConfig> schedule, Optional<PlacementConfig> placement,
            Map<KnobKind, Map<GuestClass, Integer>> byClass) {
        long quickest = Stream.of(joint.map(JointConfig::period), schedule.map(ScheduleConfig::period), placement.map(PlacementConfig::period),
                        Optional.of(CLASSES_PERIOD).filter(period -> !byClass.isEmpty()))
                .flatMap(Optional::stream).mapToLong(Duration::toMillis).min().orElse(HOUR.toMillis());
        return Math.max(FEWEST_CHANGES, (int) (CHANGES_OF_A_TURN * HOUR.toMillis() / quickest));
    }

    /** What the budget of changes does not allow, if it stops the turns before the hour is over. */
    public Optional<String> shortBudget() {
        int all = changesOfAllTurns(joint, schedule, placement, byClass);
        return actionsPerHour >= all ? Optional.empty() : Optional.of("safety.actions-per-hour " + actionsPerHour + ": the turns of an hour may make " + all
                + " changes; when the budget is spent all is restored, until a quarter of it is free again; without the key it is " + all);
    }

    /** The weights by class; none where nobody moves weights so. */
    public Map<GuestClass, Integer> weights() {
        return byClass.getOrDefault(KnobKind.WEIGHT, Map.of());
    }

    /** The same in another mode. */
    public HostConfig withMode(Mode other) {
        return new HostConfig(source, backend, other, reserveMemory, reserveCpus, guests, others, joint, schedule, placement,
                byClass, actionsPerHour, journal, contract, listen, places);
    }

    /** File, line and key of what the file says, for errors. */
    public String at(String key) {
        return places.getOrDefault(key, source + ": " + key);
    }

    /** Where the restore is written down. */
    public Path snapshot() {
        return snapshotBeside(journal);
    }

    /** The same of any journal. */
    public static Path snapshotBeside(Path journal) {
        return journal.resolveSibling("snapshot.json");
    }

    /** What is said of a guest of this name. */
    public GuestRule rule(String name) {
        return guests.getOrDefault(name, others);
    }

    /** Guests as their backend found them, with what the file says of them. */
    public List<Guest> merged(List<Guest> found) {
        List<Guest> merged = new ArrayList<>();
        found.forEach(guest -> merged.add(rule(guest.name()).applyTo(guest)));
        return merged;
    }

    /** A sample whose guests are merged. */
    public HostSample merged(HostSample sample) {
        return new HostSample(sample.time(), sample.interval(), merged(sample.guests()), sample.byUuid(), sample.host());
    }
}
