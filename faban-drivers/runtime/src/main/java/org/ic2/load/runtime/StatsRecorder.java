// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.runtime;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import org.ic2.load.spi.LoadObserver;
import org.ic2.load.workload.ErrorKind;

/**
 * Adds up what the users measure. One lock for all: at a few thousand operations a second it is never contended for long,
 * and an interval is cut at one moment for all users. Nothing counts before {@link #begin}.
 */
final class StatsRecorder implements LoadObserver {
    private static final double NANOS = 1e9;

    private final DriverModel model;
    private final Buckets buckets;
    private final double unitsPerSecond;
    private final UserState[] users;
    private final LongAdder connects = new LongAdder();
    private final LongAdder reconnects = new LongAdder();
    private final LongAdder resumed = new LongAdder();
    private final LongAdder bytes = new LongAdder();
    private final LongAdder leaks = new LongAdder();
    private final LongAdder anonymous = new LongAdder();
    private final LongAdder files = new LongAdder();
    private final LongAdder unchanged = new LongAdder();

    private Timeline timeline;
    private TimeSeries series;
    private List<Totals> current;
    private final List<Totals> steady;
    private final List<Delays> delays = new ArrayList<>();
    private final List<ResponseTimes> times = new ArrayList<>();
    private PageAges pages = PageAges.NONE;
    private PageAges pagesBefore = PageAges.NONE;
    private Map<ErrorKind, Long> errors = new EnumMap<>(ErrorKind.class);
    private long cutAt;
    private long busyDone;
    private double busyCut;
    private long lag;

    StatsRecorder(DriverModel model, int userCount) {
        this.model = model;
        buckets = Buckets.forLimit(model.largestLimit());
        unitsPerSecond = model.unitsPerSecond();
        users = new UserState[userCount];
        Arrays.setAll(users, i -> new UserState());
        current = fresh();
        steady = fresh();
        model.operations().forEach(o -> delays.add(new Delays(o.cycle())));
        model.operations().forEach(o -> times.add(new ResponseTimes()));
    }

    private List<Totals> fresh() {
        return model.operations().stream().map(o -> new Totals()).toList();
    }

    UserState state(int user) {
        return users[user];
    }

    /** Starts counting at the start of ramp-up, which may lie in the future. */
    synchronized void begin(Timeline plan, long detailIntervalNanos) {
        timeline = plan;
        cutAt = plan.start();
        series = new TimeSeries(model.operations().size(), detailIntervalNanos);
        connects.reset();
        reconnects.reset();
        resumed.reset();
        bytes.reset();
        leaks.reset();
        anonymous.reset();
        files.reset();
        unchanged.reset();
        pages = PageAges.NONE;
    }

    /** An operation has ended. */
    synchronized void finished(int user, int operation, long start, long end, boolean ok) {
        long wantedSince = users[user].waitingSince();
        users[user].thinks();
        if (timeline == null || end < timeline.start()) {
            return;
        }
        busyDone += end - Math.max(wantedSince, timeline.start());
        double seconds = (end - start) / NANOS;
        boolean inSteady = timeline.isSteady(start, end);
        Totals now = current.get(operation);
        if (!ok) {
            now.failure();
            if (inSteady) {
                steady.get(operation).failure();
            }
            return;
        }
        now.success(seconds);
        times.get(operation).add(end - start);
        series.add(operation, end - timeline.start(), seconds);
        if (inSteady) {
            int bucket = buckets.indexOf(seconds * unitsPerSecond);
            steady.get(operation).success(seconds);
            steady.get(operation).histogram[bucket]++;
            now.histogram[bucket]++;
        }
    }

    /** An operation has failed. */
    synchronized void failed(int user, int operation, long start, long end, ErrorKind kind) {
        long before = current.get(operation).failures();
        finished(user, operation, start, end, false);
        if (current.get(operation).failures() > before) {
            errors.merge(kind, 1L, Long::sum);
        }
    }

    /**
     * A user begins its next operation.
     *
     * @param after  the operation before
     * @param from   from where its delay counts, ns
     * @param due    when it was to begin, ns
     * @param began  when it began, ns
     * @param target the delay that was drawn, ns
     */
    synchronized void delayed(int after, long from, long due, long began, long target) {
        if (timeline == null || began < timeline.start()) {
            return;
        }
        lag = Math.max(lag, began - due);
        if (timeline.isSteady(from, began)) {
            delays.get(after).add(target / NANOS, (began - from) / NANOS);
        }
    }

    /** An operation of an open loop was handed to the users this many nanoseconds after it was wanted. */
    synchronized void late(long nanos) {
        if (timeline != null) {
            lag = Math.max(lag, nanos);
        }
    }

    /** Ends an interval and begins the next one. */
    synchronized Interval cut(long now) {
        double busy = busyUntil(now);
        Interval interval = new Interval(cutAt, now, timeline.phaseAt(cutAt + (now - cutAt) / 2), users.length, current,
                times.stream().map(ResponseTimes::takeSorted).toList(), traffic(), pending(), oldestWait(now), busy - busyCut,
                errors, lag / NANOS);
        errors = new EnumMap<>(ErrorKind.class);
        current = fresh();
        pagesBefore = pagesBefore.and(pages);
        pages = PageAges.NONE;
        cutAt = now;
        busyCut = busy;
        lag = 0;
        return interval;
    }

    private Interval.Traffic traffic() {
        return new Interval.Traffic(connects.sumThenReset(), reconnects.sumThenReset(), resumed.sumThenReset(), bytes.sumThenReset(),
                leaks.sumThenReset(), pages, anonymous.sumThenReset(), files.sumThenReset(), unchanged.sumThenReset());
    }

    private double busyUntil(long now) {
        long open = 0;
        for (UserState user : users) {
            if (user.waiting()) {
                open += Math.max(0, now - Math.max(user.waitingSince(), timeline.start()));
            }
        }
        return (busyDone + open) / NANOS;
    }

    private int pending() {
        return (int) Arrays.stream(users).filter(UserState::waiting).count();
    }

    private double oldestWait(long now) {
        return Arrays.stream(users).filter(UserState::waiting).mapToLong(u -> Math.max(0, now - u.waitingSince())).max()
                .orElse(0) / NANOS;
    }

    /** Sums over the steady state so far; read them inside {@link #read}. */
    List<Totals> steady() {
        return steady;
    }

    /** What pages said of their age since the begin of ramp-up. */
    synchronized PageAges pages() {
        return pagesBefore.and(pages);
    }

    /** What the reports need; read it inside {@link #read}. */
    Results results() {
        return new Results(buckets, steady, delays, series);
    }

    /** Lets a reader see sums that do not move. */
    synchronized <T> T read(Supplier<T> reader) {
        return reader.get();
    }

    @Override
    public void connected(boolean again, boolean tlsResumed) {
        connects.increment();
        if (again) {
            reconnects.increment();
        }
        if (tlsResumed) {
            resumed.increment();
        }
    }

    @Override
    public void received(long count) {
        bytes.add(count);
    }

    @Override
    public void leaked() {
        leaks.increment();
    }

    @Override
    public synchronized void page(double age) {
        pages = pages.and(age);
    }

    @Override
    public synchronized void pageLeftOut() {
        pages = pages.lessPart();
    }

    @Override
    public void file(boolean isUnchanged) {
        files.increment();
        if (isUnchanged) {
            unchanged.increment();
        }
    }

    @Override
    public void anonymous() {
        anonymous.increment();
    }
}
