// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.loop;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.ic2.host.apply.KnobLimits;
import org.ic2.host.apply.Ownership;
import org.ic2.host.backend.Backend;
import org.ic2.host.backend.Capabilities;
import org.ic2.host.backend.Vetoes;
import org.ic2.host.config.HostConfig;
import org.ic2.host.config.ScheduleConfig;
import org.ic2.host.contract.Contract;
import org.ic2.host.control.FleetHost;
import org.ic2.host.control.HostController;
import org.ic2.host.control.PlacementController;
import org.ic2.host.control.PoolAdvice;
import org.ic2.host.control.RegionObserver;
import org.ic2.host.fleet.Workloads;
import org.ic2.host.learn.HostFeatures;
import org.ic2.host.learn.Library;
import org.ic2.host.model.Guest;
import org.ic2.host.model.GuestKnob;
import org.ic2.host.model.HostSample;
import org.ic2.host.model.HostView;
import org.ic2.host.model.HostWindow;
import org.ic2.host.model.KnobKind;
import org.ic2.host.model.KnobProposal;
import org.ic2.host.model.Pool;
import org.ic2.runtime.host.LocalHost;
import org.ic2.runtime.knob.Settings;
import org.ic2.runtime.yaml.ConfigException;

/**
 * Asks the controllers of a configuration once, on a host that is only read, or on a recording. It needs neither journal nor
 * snapshot, so that an agent that runs beside it is not disturbed.
 */
public final class Adviser {

    /** The longest time between two readings: a window of several has what the first of them lacks. */
    private static final Duration READING = Duration.ofSeconds(3);

    /** So long a controller is asked again that lacks what it decides by: what runs along, such as xentop, has to begin. */
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private static final String ALARM = "alarm: ";

    private final HostConfig config;
    private final List<HostController<?>> controllers;
    private final Ownership owners;
    private final Optional<Library> library;
    private final Map<String, Latest> latest = new HashMap<>();
    private final List<String> unread = new ArrayList<>();
    private final Workloads workloads;
    private Optional<FleetHost> own = Optional.empty();

    /** Lets time pass. */
    public interface Pause {
        void pass(Duration time) throws InterruptedException;
    }

    /** A host that can be asked what it takes. */
    private record Hands(Backend backend, KnobLimits floors) {
    }

    /** When a controller was asked last, and what it said. */
    private record Latest(HostWindow window, HostView view, List<KnobProposal> proposals, List<String> held) {
    }

    private Adviser(HostConfig config) throws ConfigException {
        this.config = config;
        controllers = Controllers.of(config);
        owners = Controllers.owners(config);
        workloads = Placements.workloads(config);
        library = config.schedule().isPresent() ? Optional.of(Controllers.library(config.schedule().get())) : Optional.empty();
    }

    /**
     * On a host, for one period of each controller.
     *
     * @throws ConfigException when the configuration wants what this host has not
     * @throws IOException     when the host cannot be measured
     */
    public static Advice ofHost(HostConfig config, Backend backend, Clock clock, Pause pause)
            throws ConfigException, IOException, InterruptedException {
        Adviser adviser = new Adviser(config);
        Capabilities capabilities = backend.capabilities();
        HostAgent.check(config, capabilities, backend);
        if (!adviser.controllers.isEmpty()) {
            adviser.listen(backend, capabilities, clock, pause);
        }
        return adviser.advice(Optional.of(new Hands(backend, new KnobLimits(capabilities.knobs(), Controllers.cpus(config)))),
                new PoolAdviser(config).ofHost(backend, clock, pause));
    }

    /**
     * On a recording: what each controller says when it is asked for the last time.
     *
     * @throws IOException naming file and line of what is no recording
     */
    public static Advice ofRecording(HostConfig config, Path recording)
            throws ConfigException, IOException, InterruptedException {
        Adviser adviser = new Adviser(config);
        ControllerScheduler council = new ControllerScheduler(adviser.controllers);
        Optional<RecordedTurns.Turn> last = Optional.empty();
        try (RecordedTurns turns = new RecordedTurns(config, recording)) {
            for (Optional<RecordedTurns.Turn> turn = turns.next(); turn.isPresent(); turn = turns.next()) {
                council = turn.get().fresh() ? new ControllerScheduler(adviser.controllers) : council;
                last = turn;
                try {
                    adviser.hear(council.deliberate(turn.get().sample(), turn.get().view()), turn.get().view());
                } catch (IllegalArgumentException e) {
                    throw turns.wrong(e);
                }
            }
        }
        if (last.isEmpty()) {
            throw new IOException(recording + ": expected a turn, got the end of the file");
        }
        return adviser.advice(Optional.empty(),
                new PoolAdviser(config).ofRecording(last.get().view(), last.get().sample()));
    }

    private void listen(Backend backend, Capabilities capabilities, Clock clock, Pause pause)
            throws ConfigException, IOException, InterruptedException {
        ControllerScheduler council = new ControllerScheduler(controllers);
        Optional<Contract> contract = Contract.open(config, new LocalHost(), council.period(), clock, System::nanoTime);
        Duration every = council.period().compareTo(READING) < 0 ? council.period() : READING;
        List<Pool> pools = backend.pools();
        long memory = backend.memory();
        Instant begin = clock.instant();
        backend.read(begin, council.wanted());      // from here on there are rates
        council.begin(begin);
        for (Duration passed = Duration.ZERO; isOpen(passed); passed = passed.plus(every)) {
            pause.pass(every);
            HostSample measured = config.merged(backend.read(clock.instant(), council.wanted()));
            HostSample sample = contract.isPresent() ? contract.get().heard(measured) : measured;
            HostView view = HostLoop.view(config, sample, pools, Placements.homes(config, backend, pools), memory,
                    inForce(backend, capabilities, sample, pools));
            own = Optional.of(workloads.hear(sample, memory, view.cpus()));
            hear(council.deliberate(sample, view), view);
        }
        if (contract.isPresent()) {
            contract.get().close();
        }
    }

    private boolean isOpen(Duration passed) {
        boolean patient = passed.compareTo(PATIENCE) < 0;
        return controllers.stream().map(HostController::name)
                .anyMatch(name -> !latest.containsKey(name) || patient && !tells(name));
    }

    /** The schedule's does where all features of the load are there, the others where they have a value, or work for a person. */
    private boolean tells(String controller) {
        Latest last = latest.get(controller);
        return controller.equals(ScheduleConfig.NAME) ? HostFeatures.missing(last.window()).isEmpty()
                : !last.proposals().isEmpty() || last.held().stream().anyMatch(PlacementController::isByHand);
    }

    private Settings inForce(Backend backend, Capabilities capabilities, HostSample sample, List<Pool> pools)
            throws InterruptedException {
        unread.clear();
        Map<GuestKnob, Integer> values = new LinkedHashMap<>();
        for (GuestKnob knob : owners.knobs(sample.guests(), pools)) {
            if (capabilities.range(knob.kind()).isEmpty() || !backend.has(knob)) {
                continue;
            }
            try {
                values.put(knob, backend.get(knob));
            } catch (IOException | RuntimeException e) {
                unread.add(knob.label() + " cannot be read: " + e.getMessage());
            }
        }
        return Settings.of(values);
    }

    private void hear(ControllerScheduler.ControlResult decided, HostView view) {
        decided.asked().forEach((name, window) -> latest.put(name, new Latest(window, view, decided.proposals().stream()
                .filter(proposal -> proposal.controller().equals(name)).toList(), decided.held().getOrDefault(name, List.of()))));
    }

    private Advice advice(Optional<Hands> hands, List<PoolAdvice> pools) throws InterruptedException {
        List<Advice.Opinion> opinions = new ArrayList<>();
        for (HostController<?> controller : controllers) {
            Latest last = latest.get(controller.name());
            Optional<Advice.InRegion> region = controller.name().equals(ScheduleConfig.NAME) && tells(controller.name())
                    ? Optional.of(region(last, hands)) : Optional.empty();
            opinions.add(new Advice.Opinion(controller.name(), last.window().last().time(),
                    wanted(last.proposals(), last.view(), hands), region,
                    last.held().stream().filter(why -> why.startsWith(ALARM)).map(why -> why.substring(ALARM.length())).toList(),
                    last.held().stream().filter(why -> !why.startsWith(ALARM)).toList(), tells(controller.name())));
        }
        return new Advice(opinions, unread, pools, own);
    }

    /** As an observer sees it that needs no confirmation. */
    private Advice.InRegion region(Latest last, Optional<Hands> hands) throws InterruptedException {
        ScheduleConfig schedule = config.schedule().orElseThrow();
        double[] features = HostFeatures.of(last.window());
        Map<String, Double> load = new LinkedHashMap<>();
        for (int i = 0; i < features.length; i++) {
            load.put(HostFeatures.KEYS.get(i), features[i]);
        }
        RegionObserver atOnce = new RegionObserver(library.orElseThrow(), schedule.period(), 1, schedule.knobs());
        return new Advice.InRegion(load, library.orElseThrow().nearest(features),
                wanted(atOnce.step(atOnce.begin(), last.window(), last.view()).proposals(), last.view(), hands));
    }

    private static List<Advice.Wanted> wanted(List<KnobProposal> proposals, HostView view, Optional<Hands> hands)
            throws InterruptedException {
        Map<GuestKnob, Integer> changes = new LinkedHashMap<>();
        List<Advice.Wanted> wanted = new ArrayList<>();
        for (KnobProposal proposal : proposals) {
            int inForce = view.value(proposal.knob()).orElseThrow();    // nobody proposes a value for a knob without one
            Optional<Integer> next = hands.filter(any -> inForce != proposal.value())
                    .map(of -> next(proposal, inForce, view, of.floors()));
            next.filter(value -> value != inForce).ifPresent(value -> changes.put(proposal.knob(), value));
            wanted.add(new Advice.Wanted(proposal, inForce, next, Optional.empty()));
        }
        Map<GuestKnob, String> against = hands.isPresent() ? Vetoes.of(hands.get().backend(), changes) : Map.of();
        return wanted.stream().map(one -> new Advice.Wanted(one.proposal(), one.inForce(), one.next(),
                Optional.ofNullable(against.get(one.proposal().knob())))).toList();
    }

    private static int next(KnobProposal proposal, int inForce, HostView view, KnobLimits floors) {
        KnobKind kind = proposal.knob().kind();
        Optional<Guest> guest = view.guests().stream()
                .filter(one -> one.uuid().equals(proposal.knob().target().identity())).findFirst();
        int lowest = guest.map(of -> floors.lowest(kind, of)).orElseGet(() -> floors.lowest(kind));
        int highest = guest.map(of -> floors.highest(kind, of)).orElseGet(() -> floors.highest(kind));
        return floors.step(kind, inForce, proposal.value(), lowest, highest);
    }
}
