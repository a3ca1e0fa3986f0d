// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.loop;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.ic2.host.control.HostController;
import org.ic2.host.control.Step;
import org.ic2.host.model.GuestMetric;
import org.ic2.host.model.HostSample;
import org.ic2.host.model.HostView;
import org.ic2.host.model.HostWindow;
import org.ic2.host.model.KnobProposal;

/**
 * The controllers, each asked at its own period, with the samples since it was asked last. It goes by the samples' times
 * alone, so that a recording decided again decides the same. Not thread-safe.
 */
public final class ControllerScheduler {

    /** Turns come a little early or late. */
    private static final double TOLERANCE = 0.9;

    /** Turns without any controller. */
    private static final Duration ALONE = Duration.ofSeconds(3);

    private final List<Slot<?>> seats = new ArrayList<>();

    /**
     * What was decided on one sample.
     *
     * @param proposals of those that were asked
     * @param held      by controller, why it wants nothing of what it could have moved
     * @param asked     by controller that was asked, the samples that it was asked on
     */
    public record ControlResult(List<KnobProposal> proposals, Map<String, List<String>> held, Map<String, HostWindow> asked) {
        public ControlResult {
            proposals = List.copyOf(proposals);
            held = new LinkedHashMap<>(held);
            asked = new LinkedHashMap<>(asked);
        }

        /** Nobody was asked. */
        public static ControlResult none() {
            return new ControlResult(List.of(), Map.of(), Map.of());
        }
    }

    /** A controller and what it remembers. */
    private static final class Slot<S> {
        private final HostController<S> controller;
        private final List<HostSample> since = new ArrayList<>();
        private S state;
        private Instant asked;

        Slot(HostController<S> controller) {
            this.controller = controller;
            this.state = controller.begin();
        }

        /** A clock that was set back makes it due, too. */
        private boolean isDue(Instant now) {
            if (asked == null) {
                return true;
            }
            Duration passed = Duration.between(asked, now);
            return passed.isNegative() || passed.toNanos() >= controller.period().toNanos() * TOLERANCE;
        }

        /** What it decides, if its time has come. */
        Optional<ControlResult> take(HostSample sample, HostView view) {
            since.add(sample);
            if (!isDue(sample.time())) {
                return Optional.empty();
            }
            HostWindow window = new HostWindow(since);
            Step<S> step = controller.step(state, window, view);
            asked = sample.time();
            since.clear();
            state = step.state();
            return Optional.of(new ControlResult(step.proposals(), step.held().isEmpty() ? Map.of()
                    : Map.of(controller.name(), step.held()), Map.of(controller.name(), window)));
        }
    }

    public ControllerScheduler(List<? extends HostController<?>> controllers) {
        controllers.forEach(controller -> seats.add(new Slot<>(controller)));
    }

    /** What they read. */
    public Set<GuestMetric> wanted() {
        Set<GuestMetric> wanted = EnumSet.noneOf(GuestMetric.class);
        seats.forEach(seat -> wanted.addAll(seat.controller.wanted()));
        return wanted;
    }

    /** Between two turns: the shortest of their periods. */
    public Duration period() {
        return seats.stream().map(seat -> seat.controller.period()).min(Duration::compareTo).orElse(ALONE);
    }

    /** From now on each is asked when its period has passed, and nobody at the first sample. */
    void begin(Instant now) {
        seats.forEach(seat -> seat.asked = now);
    }

    /** Asks those whose time has come. */
    public ControlResult deliberate(HostSample sample, HostView view) {
        List<KnobProposal> proposals = new ArrayList<>();
        Map<String, List<String>> held = new LinkedHashMap<>();
        Map<String, HostWindow> asked = new LinkedHashMap<>();
        for (Slot<?> seat : seats) {
            seat.take(sample, view).ifPresent(decided -> {
                proposals.addAll(decided.proposals());
                held.putAll(decided.held());
                asked.putAll(decided.asked());
            });
        }
        return new ControlResult(proposals, held, asked);
    }
}
