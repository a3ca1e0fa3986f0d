// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.loop;

import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.ic2.host.apply.Applier;
import org.ic2.host.apply.ApplierParts;
import org.ic2.host.apply.Claim;
import org.ic2.host.apply.KnobLimits;
import org.ic2.host.apply.Ownership;
import org.ic2.host.apply.RestoreMarker;
import org.ic2.host.apply.RestoreResult;
import org.ic2.host.backend.Backend;
import org.ic2.host.backend.Capabilities;
import org.ic2.host.config.HostConfig;
import org.ic2.host.config.ScheduleConfig;
import org.ic2.host.learn.CpuShare;
import org.ic2.host.learn.HostFeatures;
import org.ic2.host.learn.Outcome;
import org.ic2.host.learn.SchedulerVector;
import org.ic2.host.learn.Trial;
import org.ic2.host.model.Guest;
import org.ic2.host.model.GuestClass;
import org.ic2.host.model.GuestKnob;
import org.ic2.host.model.GuestMetric;
import org.ic2.host.model.HostSample;
import org.ic2.host.model.HostWindow;
import org.ic2.host.model.KnobKind;
import org.ic2.host.model.KnobProposal;
import org.ic2.host.model.Pool;
import org.ic2.host.model.Rationale;
import org.ic2.runtime.executor.ChangeRequest;
import org.ic2.runtime.journal.Journal;
import org.ic2.runtime.knob.Settings;
import org.ic2.runtime.yaml.ConfigException;

/**
 * Settings tried on the host itself, through the same hands as everything else: {@link #close} puts back what was there. Only what
 * the file lets the schedule's controller move is moved: the knobs that it lists, of all guests and pools that have them.
 */
public final class LiveTrial implements Trial<IOException>, AutoCloseable {

    private static final String NAME = "optimize";
    private static final Set<GuestMetric> WANTED = EnumSet.of(GuestMetric.CPU_RUN, GuestMetric.CPU_WAIT, GuestMetric.CPU_THROTTLED);
    /** A hundred and fifty settings and ten pairs, of three orders each. */
    private static final int ACTIONS = 10_000;

    /** Windows are short and guests are busy as they please; two trials of much the same setting have differed by 2 % on real Xen. */
    private static final double SPREAD = 0.05;

    private final HostConfig config;
    private final Backend backend;
    private final Applier applier;
    private final Capabilities capabilities;
    private final Set<KnobKind> kinds;
    private final Adviser.Pause pause;
    private final Set<GuestKnob> withoutValue = new HashSet<>();
    /** Of pools in which only one of the two is moved: ms and microseconds, as they are. */
    private int shortestSlice = Integer.MAX_VALUE;
    private int longestLimit;
    private int number;

    /**
     * @throws ConfigException when the configuration wants what this host has not
     * @throws IOException     when the host cannot be asked, or an earlier agent's changes cannot be put back
     */
    public LiveTrial(HostConfig config, ScheduleConfig schedule, Backend backend, Journal journal)
            throws ConfigException, IOException, InterruptedException {
        this(config, schedule, backend, journal, time -> TimeUnit.NANOSECONDS.sleep(time.toNanos()));
    }

    LiveTrial(HostConfig config, ScheduleConfig schedule, Backend backend, Journal journal, Adviser.Pause pause)
            throws ConfigException, IOException, InterruptedException {
        this.config = config;
        this.backend = backend;
        this.pause = pause;
        kinds = schedule.knobs();
        capabilities = backend.capabilities();
        StartupRestore.restoreBeside(config);
        StartupRestore.leaveOthers(config, RestoreMarker.of(config.source()));
        applier = new Applier(new ApplierParts(backend, journal, HostAgent.snapshot(config),
                new Ownership(List.of(new Claim(NAME, kinds, Set.of()))), new KnobLimits(capabilities.knobs(), Map.of()), ACTIONS, false,
                Clock.systemUTC(), System::nanoTime));
        requireBaseline(applier.restore("start", ChangeRequest.Origin.RECOVERY, "an earlier agent left it"));
        HostAgent.check(config, capabilities, backend);
        if (kinds.contains(KnobKind.TSLICE) != kinds.contains(KnobKind.RATELIMIT)) {
            for (Pool pool : backend.pools()) {
                lookAtTimes(pool);
            }
        }
    }

    /** Whichever of the two stays bounds the other. */
    private void lookAtTimes(Pool pool) throws InterruptedException {
        OptionalInt slice = inForce(GuestKnob.of(KnobKind.TSLICE, pool));
        OptionalInt limit = inForce(GuestKnob.of(KnobKind.RATELIMIT, pool));
        if (slice.isPresent() && limit.isPresent()) {
            shortestSlice = Math.min(shortestSlice, slice.getAsInt());
            longestLimit = Math.max(longestLimit, limit.getAsInt());
        }
    }

    private OptionalInt inForce(GuestKnob knob) throws InterruptedException {
        try {
            return OptionalInt.of(backend.get(knob));
        } catch (IOException e) {
            return OptionalInt.empty();     // a pool whose scheduler has no such knob
        }
    }

    private static void requireBaseline(RestoreResult result) throws IOException {
        if (!result.isAtBaseline()) {
            throw new IOException(result.text());
        }
    }

    /** What the settings that may be moved are by default, weights of the classes that run. */
    public SchedulerVector base() throws IOException, InterruptedException {
        Set<GuestClass> classes = EnumSet.noneOf(GuestClass.class);
        config.merged(backend.guests()).forEach(guest -> classes.add(guest.guestClass()));
        SchedulerVector usual = capabilities.range(KnobKind.TSLICE).isPresent() ? SchedulerVector.credit1()
                : capabilities.range(KnobKind.RATELIMIT).isPresent() ? SchedulerVector.credit2() : SchedulerVector.linux();
        SchedulerVector base = usual.only(classes).movedBy(kinds);
        if (base.describe().isEmpty()) {
            throw new IOException("no guest runs, so that there is no weight to try");
        }
        return base;
    }

    /** Beside the one of the two that stays as it is. */
    private Optional<String> tooLong(SchedulerVector vector) {
        long slice = vector.tslice().orElse(shortestSlice);
        int limit = vector.ratelimit().orElse(longestLimit);
        return limit <= 1000 * slice ? Optional.empty() : Optional.of("a rate limit of " + limit + " us is above a time slice of " + slice
                + " ms, and only one of the two is moved");
    }

    /** What tells regions apart, of the host as it is. */
    public double[] features(Duration window) throws IOException, InterruptedException {
        measure(window);
        return HostFeatures.of(new HostWindow(List.of(measure(window))));
    }

    private HostSample measure(Duration window) throws IOException, InterruptedException {
        Set<GuestMetric> sinceNow = EnumSet.copyOf(WANTED);
        sinceNow.removeAll(backend.lookedOn());
        backend.read(Clock.systemUTC().instant(), sinceNow);
        pause.pass(window);
        return config.merged(backend.read(Clock.systemUTC().instant(), WANTED));
    }

    /** A setting that the host objects to is one that is not feasible; without the default there is nothing to compare with. */
    @Override
    public Outcome measure(SchedulerVector vector) throws IOException, InterruptedException {
        Optional<String> tooLong = tooLong(vector);
        if (tooLong.isPresent()) {
            return Outcome.refused(tooLong.get());
        }
        List<Guest> guests = config.merged(backend.guests());
        List<Pool> pools = backend.pools();
        applier.observe(guests, pools);
        Applier.Report report = applier.apply("trial-" + ++number, proposals(vector, guests, pools), Double.NaN);
        if (report.held().size() > report.objected().size()) {
            throw new IOException("the setting could not be tried: " + String.join("; ", report.held()));
        }
        if (!report.objected().isEmpty()) {
            if (vector.equals(base())) {
                throw new IOException("the default could not be tried, with which every setting is compared: "
                        + String.join("; ", report.objected()) + "; lower or take off the caps that are in its way");
            }
            return Outcome.refused("the host objects: " + report.objected().get(0));
        }
        pause.pass(Trial.settle(vector));
        HostSample sample = measure(Trial.WINDOW);
        List<CpuShare> shares = new ArrayList<>();
        for (Guest guest : sample.guests()) {
            double throttled = sample.get(guest, GuestMetric.CPU_THROTTLED);
            shares.add(new CpuShare(guest.uuid(), guest.guestClass(), required(sample, guest, GuestMetric.CPU_RUN),
                    required(sample, guest, GuestMetric.CPU_WAIT), Double.isNaN(throttled) ? 0 : throttled));
        }
        return new Outcome(shares);
    }

    @Override
    public double spread() {
        return SPREAD;
    }

    private static double required(HostSample sample, Guest guest, GuestMetric metric) throws IOException {
        double value = sample.get(guest, metric);
        if (Double.isNaN(value)) {
            throw new IOException(guest.name() + ": " + metric.key() + " is not measured: "
                    + (sample.byUuid().containsKey(guest.uuid()) ? sample.byUuid().get(guest.uuid()).why(metric) : "no such guest"));
        }
        return value;
    }

    private List<KnobProposal> proposals(SchedulerVector vector, List<Guest> guests, List<Pool> pools) {
        List<KnobProposal> proposals = new ArrayList<>();
        Rationale why = new Rationale("a setting to be tried", Map.of());
        for (Guest guest : guests) {
            if (vector.weights().containsKey(guest.guestClass())) {
                proposals.add(new KnobProposal(GuestKnob.of(KnobKind.WEIGHT, guest), vector.weights().get(guest.guestClass()), NAME, why));
            }
        }
        for (Pool pool : pools) {
            vector.tslice().ifPresent(value -> proposals.add(new KnobProposal(GuestKnob.of(KnobKind.TSLICE, pool), value, NAME, why)));
            vector.ratelimit().ifPresent(value -> proposals.add(new KnobProposal(GuestKnob.of(KnobKind.RATELIMIT, pool), value, NAME, why)));
        }
        leaveWhatHasNoValue(proposals);
        return proposals;
    }

    /** As the schedule's controller does, such as a slice under Credit2; but what had a value at first and is lost ends the search. */
    private void leaveWhatHasNoValue(List<KnobProposal> proposals) {
        if (number == 1) {
            Settings inForce = applier.inForce();
            proposals.stream().map(KnobProposal::knob).filter(knob -> !inForce.has(knob) && !applier.givenUp().containsKey(knob))
                    .forEach(withoutValue::add);
        }
        proposals.removeIf(proposal -> withoutValue.contains(proposal.knob()));
    }

    /** Puts back what was there before the first trial. */
    @Override
    public void close() throws IOException {
        boolean interrupted = Thread.interrupted();     // the restore is not to be cut short
        try {
            requireBaseline(applier.restore("exit", ChangeRequest.Origin.EXIT, "the trials are over"));
        } catch (InterruptedException e) {
            interrupted = true;
            throw new IOException("interrupted during the restore; run ic2-host restore", e);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
