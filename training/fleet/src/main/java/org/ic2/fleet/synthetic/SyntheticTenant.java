// SPDX-License-Identifier: Apache-2.0
package org.ic2.fleet.synthetic;

import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.SplittableRandom;
import org.ic2.knowledge.Metric;
import org.ic2.knowledge.Sample;
import org.ic2.fleet.synthetic.HostDiary.Span;
import org.ic2.fleet.synthetic.Material.Layout;
import org.ic2.fleet.synthetic.Material.Stretch;
import org.ic2.fleet.synthetic.Material.Episode;

/**
 * The samples of one generated tenant on one day, in the order of time, with their truth. Time without interference is patched together from such stretches of
 * recordings. Where the host's diary has an episode that harms this tenant, a recorded episode is played from its onset, its settled
 * part repeated until the neighbour leaves; where the tenant's own load or pages change, a recording of that.
 */
public final class SyntheticTenant implements Iterator<Sample> {
    private static final long OWN = 3;
    private static final long NOISE = 4;
    private static final long EVENTS = 6;
    private static final int LEAST_PIECE = 12;
    private static final int MORE_PIECE = 24;
    private static final int HOUR = 3600;
    private static final Metric[] METRICS = Metric.values();

    /** What happens in a stretch of time: an episode, or else a change. */
    private record Event(Span span, Episode episode, Stretch change) {
    }

    private final Blueprint fleet;
    private final int day;
    private final Instant midnight;
    private final int samples;
    private final Layout layout;
    private final TenantScale scaling;
    private final SplittableRandom noise;
    private final int phase;
    private final Event[] events;
    private final double[] values = new double[METRICS.length];
    private int second;
    private double daily;
    private double drifted;
    private Stretch piece;
    private int place;
    private int left;

    /** The day of a tenant, both by number. */
    public SyntheticTenant(Blueprint fleet, Material material, int tenant, int day) {
        this.fleet = fleet;
        this.day = day;
        this.midnight = fleet.date(day).atStartOfDay(ZoneOffset.UTC).toInstant();
        this.samples = fleet.samplesOf(tenant, day);
        SplittableRandom chance = fleet.chance(OWN, tenant);
        this.layout = material.layouts().get(layoutOf(fleet, material, tenant));
        this.scaling = new TenantScale(fleet, tenant, drawn(layout.without(), chance).usual(), chance);
        this.phase = chance.nextInt(990);
        this.noise = fleet.chance(NOISE, tenant, day);
        this.events = events(fleet.hostOf(tenant), fleet.chance(EVENTS, tenant, day));
    }

    /** The application of a tenant: one for each layout of the recorded tiers. */
    public static String application(Blueprint fleet, Material material, int tenant) {
        return "synthetic-" + material.layouts().get(layoutOf(fleet, material, tenant)).name();
    }

    /** The first layout's twice as often as each of the others. */
    private static int layoutOf(Blueprint fleet, Material material, int tenant) {
        int drawn = fleet.chance(OWN, tenant, 1).nextInt(material.layouts().size() + 1);
        return drawn % material.layouts().size();
    }

    private static <T> T drawn(List<T> from, SplittableRandom chance) {
        return from.get(chance.nextInt(from.size()));
    }

    /** By second; where several overlap, the episode. */
    private Event[] events(int host, SplittableRandom chance) {
        Event[] bySecond = new Event[samples];
        if (!layout.changes().isEmpty()) {
            double own = fleet.ownPerHour() * samples / HOUR;
            for (int i = 0; i < (int) Math.ceil(own); i++) {
                Stretch change = drawn(layout.changes(), chance);
                int from = chance.nextInt(samples);
                if (chance.nextDouble() < own / Math.ceil(own)) {
                    put(bySecond, new Event(new Span(from, from + change.length()), null, change));
                }
            }
            for (Span campaign : HostDiary.campaigns(fleet, host, day)) {
                Stretch change = drawn(layout.changes(), chance);
                put(bySecond, new Event(new Span(campaign.from(), campaign.from() + change.length()), null, change));
            }
        }
        for (Span there : HostDiary.episodes(fleet, host, day)) {
            Episode episode = drawn(layout.episodes(), chance);
            if (chance.nextDouble() < fleet.hit()) {
                int to = Math.max(there.to(), there.from() + episode.onset().length());
                put(bySecond, new Event(new Span(there.from(), to), episode, null));
                put(bySecond, new Event(new Span(to, to + episode.end().length()), null, episode.end()));
            }
        }
        return bySecond;
    }

    private static void put(Event[] bySecond, Event event) {
        for (int i = event.span().from(); i < Math.min(event.span().to(), bySecond.length); i++) {
            bySecond[i] = event;
        }
    }

    @Override
    public boolean hasNext() {
        return second < samples;
    }

    @Override
    public Sample next() {
        if (!hasNext()) {
            throw new NoSuchElementException();
        }
        if (second % 60 == 0) {
            daily = scaling.daily(second);
            drifted = scaling.drifted(day, second);
        }
        move(events[second], second > 0 ? events[second - 1] : null);
        scaling.apply(piece.values()[place], piece.usual(), daily, drifted, noise, values);
        Instant time = midnight.plusMillis(1000L * second + phase + noise.nextInt(10));
        Sample.Builder sample = Sample.at(time).label(piece.truth()[place]);
        for (Metric metric : METRICS) {
            double value = values[metric.ordinal()];
            if (!Double.isNaN(value)) {
                sample.set(metric, value);
            }
        }
        second++;
        return sample.build();
    }

    /** Where in the recordings this second is taken from. */
    private void move(Event event, Event before) {
        if (event == null) {
            cut(layout.without(), before != null);
        } else if (event.episode() == null) {
            piece = event.change();
            place = second - event.span().from();
            left = 0;
        } else if (second - event.span().from() < event.episode().onset().length()) {
            piece = event.episode().onset();
            place = second - event.span().from();
            left = 0;
        } else {
            cut(List.of(event.episode().stay()), false);
        }
    }

    /** The next sample of the piece that is being played, or the first of another one. */
    private void cut(List<Stretch> from, boolean anew) {
        if (left > 0 && !anew) {
            left--;
            place++;
            return;
        }
        piece = drawn(from, noise);
        int length = Math.min(piece.length(), LEAST_PIECE + noise.nextInt(MORE_PIECE));
        place = noise.nextInt(piece.length() - length + 1);
        left = length - 1;
    }
}
