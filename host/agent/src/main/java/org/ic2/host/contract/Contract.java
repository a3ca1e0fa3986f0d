// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.contract;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.time.Clock;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.logging.Logger;
import org.ic2.host.config.ContractChoice;
import org.ic2.host.config.HostConfig;
import org.ic2.host.model.Guest;
import org.ic2.host.model.GuestClass;
import org.ic2.host.model.GuestKnob;
import org.ic2.host.model.GuestMetric;
import org.ic2.host.model.HostSample;
import org.ic2.host.model.KnobKind;
import org.ic2.host.model.Readings;
import org.ic2.runtime.host.Host;
import org.ic2.runtime.host.KeyedTaskRunner;
import org.ic2.runtime.yaml.ConfigException;

/**
 * What host and tenants tell each other, of the guests that the file names. Reading and writing goes on beside the turns, which
 * wait {@value #PATIENCE_MILLIS} ms for it at most: what comes later counts in the next turn. Not thread-safe.
 */
public final class Contract implements AutoCloseable {
    private static final Logger LOG = Logger.getLogger(Contract.class.getName());
    private static final long PATIENCE_MILLIS = 200;
    /** At the end there is no turn that must not wait: what is on its way has its deadline, and so has taking it away. */
    private static final Duration FAREWELL = XenstoreCarrier.DEADLINE.multipliedBy(2).plusSeconds(2);
    /** A tenant that has told nothing new in so many periods is silent. */
    private static final int STALE_PERIODS = 3;

    private final HostConfig config;
    private final Carrier carrier;
    private final Duration period;
    private final Clock clock;
    private final LongSupplier nanoClock;
    private final KeyedTaskRunner errands = new KeyedTaskRunner(Duration.ofMillis(PATIENCE_MILLIS));
    private final Map<String, TenantWatch> watches = new ConcurrentHashMap<>();
    private final Map<String, HostNotice.Act> acts = new HashMap<>();
    /** Of whom something was said already. */
    private final Set<String> complained = ConcurrentHashMap.newKeySet();
    private final Map<String, Guest> told = new LinkedHashMap<>();

    Contract(HostConfig config, Carrier carrier, Duration period, Clock clock, LongSupplier nanoClock) {
        this.config = config;
        this.carrier = carrier;
        this.period = period;
        this.clock = clock;
        this.nanoClock = nanoClock;
    }

    /**
     * The one that a configuration asks for, if it does.
     *
     * @param period of the turns
     * @throws ConfigException when its directories are not there, or others than their owner may write notices
     */
    public static Optional<Contract> open(HostConfig config, Host host, Duration period, Clock clock, LongSupplier nanoClock)
            throws ConfigException {
        if (config.contract().isEmpty()) {
            return Optional.empty();
        }
        ContractChoice choice = config.contract().get();
        Carrier carrier;
        if (choice instanceof ContractChoice.Directory directory) {
            requireDirectory(directory.at(), directory.tenants(), false);
            requireDirectory(directory.at(), directory.notices(), true);
            carrier = FileCarrier.in(directory);
        } else if (choice instanceof ContractChoice.Files files) {
            requireDirectory(files.tenantAt(), files.tenant().toAbsolutePath().getParent(), false);
            requireDirectory(files.noticeAt(), files.notice().toAbsolutePath().getParent(), true);
            carrier = FileCarrier.of(files);
        } else {
            carrier = new XenstoreCarrier(host);
        }
        return Optional.of(new Contract(config, carrier, period, clock, nanoClock));
    }

    private static void requireDirectory(String at, Path path, boolean ours) throws ConfigException {
        String where = at + ": ";
        if (!Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
            throw new ConfigException(where + "expected a directory at " + path + ", no link; make it, and let "
                    + (ours ? "nobody but its owner write there" : "tenants write there what they tell"));
        }
        try {
            Set<PosixFilePermission> may = Files.getPosixFilePermissions(path, LinkOption.NOFOLLOW_LINKS);
            if (ours && (may.contains(PosixFilePermission.GROUP_WRITE) || may.contains(PosixFilePermission.OTHERS_WRITE))) {
                throw new ConfigException(where + "expected that nobody but its owner may write to " + path
                        + ": the host's notices are there; chmod go-w " + path);
            }
        } catch (IOException e) {
            throw new ConfigException(where + "cannot look at " + path + ": " + e.getMessage(), e);
        }
    }

    /** How, for people. */
    public String describe() {
        return carrier.describe();
    }

    /** True for a guest that takes part: the file names it, and it can be reached. */
    public boolean takesPart(Guest guest) {
        return config.guests().containsKey(guest.name()) && guest.guestClass() != GuestClass.HOST && carrier.reaches(guest);
    }

    /**
     * The sample with what tenants told: {@code app.rt} and {@code app.requests} of each message once, {@code app.busy} and
     * {@code app.shedding}.
     */
    public HostSample heard(HostSample sample) throws InterruptedException {
        List<Guest> guests = sample.guests().stream().filter(this::takesPart).toList();
        Set<String> uuids = new HashSet<>();
        Map<String, Runnable> reads = new LinkedHashMap<>();
        for (Guest guest : guests) {
            uuids.add(guest.uuid());
            watches.computeIfAbsent(guest.uuid(), uuid -> new TenantWatch());
            reads.put(guest.uuid(), () -> fetch(guest));
        }
        watches.keySet().retainAll(uuids);
        acts.keySet().retainAll(uuids);
        told.keySet().retainAll(uuids);
        complained.removeIf(key -> !uuids.contains(key.substring(key.indexOf(' ') + 1)));
        errands.run(reads);
        Map<String, Readings<GuestMetric>> byUuid = new LinkedHashMap<>(sample.byUuid());
        guests.forEach(guest -> byUuid.put(guest.uuid(), with(byUuid.getOrDefault(guest.uuid(), new Readings<>(GuestMetric.class)),
                watches.get(guest.uuid()), sample.interval())));
        return new HostSample(sample.time(), sample.interval(), sample.guests(), byUuid, sample.host());
    }

    private Readings<GuestMetric> with(Readings<GuestMetric> before, TenantWatch watch, Duration interval) {
        long now = nanoClock.getAsLong();
        Optional<TenantMessage> message = watch.next();
        long stale = STALE_PERIODS * period.toNanos();
        Readings<GuestMetric> readings = before;
        if (message.isPresent()) {
            readings = value(readings, GuestMetric.APP_RT, message.get().responseTime());
            readings = value(readings, GuestMetric.APP_REQUESTS, message.get().requests());
        } else {
            String why = watch.silence(now, stale);
            for (GuestMetric metric : List.of(GuestMetric.APP_RT, GuestMetric.APP_REQUESTS)) {
                readings = Double.isNaN(readings.get(metric)) ? readings.without(metric, why) : readings;
            }
        }
        return watch.hasHeard() ? readings.with(GuestMetric.APP_BUSY, watch.busy(now, interval.toNanos()) ? 1 : 0)
                .with(GuestMetric.APP_SHEDDING, watch.shedding(now, stale) ? 1 : 0) : readings;
    }

    private static Readings<GuestMetric> value(Readings<GuestMetric> readings, GuestMetric metric, double value) {
        return Double.isNaN(value) ? readings.without(metric, "its tenant does not tell it") : readings.with(metric, value);
    }

    /** Beside the turn. */
    private void fetch(Guest guest) {
        Optional<Carrier.Letter> letter;
        TenantMessage message;
        try {
            letter = carrier.fetch(guest);
            if (letter.isEmpty()) {
                return;
            }
            message = TenantMessage.parse(letter.get().text());
        } catch (IOException | RuntimeException e) {
            failed(guest, e instanceof IOException ? e.getMessage() : e.toString());
            return;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return;
        }
        Optional.ofNullable(watches.get(guest.uuid())).ifPresent(watch -> watch.take(letter.get(), message,
                nanoClock.getAsLong(), clock.millis() / 1000.0));
    }

    /** Said once of each guest, so that a tenant cannot fill the log. */
    private void failed(Guest guest, String why) {
        Optional.ofNullable(watches.get(guest.uuid())).ifPresent(watch -> watch.fail(why));
        complain("from", guest, "does not count", why);
    }

    private void complain(String direction, Guest guest, String what, String why) {
        if (complained.add(direction + " " + guest.uuid())) {
            LOG.warning(() -> "contract (" + carrier.describe() + "), " + direction + " the tenant of "
                    + guest.name().replaceAll("\\p{Cntrl}", " ") + ": " + what + ": " + why + "; this is said once");
        }
    }

    /**
     * Tells each guest's tenant its figures and what was done to it: to a knob of its own, to a pool's, or to anybody's weight,
     * which is a share against all others'.
     *
     * @param turn   the turn's id, as in the journal
     * @param moved  what was moved in it, and is in force
     * @param source of {@link GuestMetric#MEM_INTENSITY}
     */
    public void tell(HostSample sample, String turn, List<GuestKnob> moved, String source) throws InterruptedException {
        Map<String, Runnable> writes = new LinkedHashMap<>();
        for (Guest guest : sample.guests()) {
            if (!takesPart(guest)) {
                continue;
            }
            moved.stream().filter(knob -> touches(knob, guest)).reduce((one, other) -> owns(other, guest) ? other : one).ifPresent(knob ->
                    acts.put(guest.uuid(), new HostNotice.Act(turn, knob.kind().key(), clock.millis() / 1000.0)));
            String text = HostNotice.text(sample, guest, source, Optional.ofNullable(acts.get(guest.uuid())));
            told.put(guest.uuid(), guest);
            writes.put("to " + guest.uuid(), () -> deliver(guest, text));
        }
        errands.run(writes);
    }

    private static boolean owns(GuestKnob knob, Guest guest) {
        return knob.target().whose().filter(of -> of.uuid().equals(guest.uuid())).isPresent();
    }

    private static boolean touches(GuestKnob knob, Guest guest) {
        return owns(knob, guest) || knob.kind().ofPool() || knob.kind() == KnobKind.WEIGHT;
    }

    private void deliver(Guest guest, String text) {
        try {
            carrier.deliver(guest, text);
        } catch (IOException | RuntimeException e) {
            complain("to", guest, "cannot be written", e instanceof IOException ? e.getMessage() : e.toString());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Takes the notices away: nobody tells anything any more. */
    @Override
    public void close() {
        Map<String, Runnable> last = new LinkedHashMap<>();
        told.values().forEach(guest -> last.put("to " + guest.uuid(), () -> {
            try {
                carrier.withdraw(guest);
            } catch (IOException | RuntimeException e) {
                LOG.warning(() -> "contract (" + carrier.describe() + "): a notice stays: " + e.getMessage());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }));
        told.clear();
        try {
            errands.finish(last, FAREWELL);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        errands.close();
    }
}
