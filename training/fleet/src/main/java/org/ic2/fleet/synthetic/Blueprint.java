// SPDX-License-Identifier: Apache-2.0
package org.ic2.fleet.synthetic;

import java.io.Serializable;
import java.time.LocalDate;
import java.util.Locale;
import java.util.SplittableRandom;

/**
 * What a generated fleet is like. All chance in it comes from the seed and the numbers of the host, the tenant and the day.
 *
 * @param seed           of all chance
 * @param rows           samples of all tenants together
 * @param days           for which each tenant is recorded
 * @param seconds        samples of a tenant and day, one a second from the day's begin; the last tenant may have fewer
 * @param tenantsPerHost tenants on one physical host; the last host may have fewer
 * @param from           the first day
 * @param episodesPerHour  neighbours' episodes to a host of middling noise
 * @param hit            chance that an episode harms a tenant of the host
 * @param ownPerHour     changes of a tenant's own load or pages, which are no interference
 * @param shape          how far tenants differ from the recorded tiers
 */
public record Blueprint(long seed, long rows, int days, int seconds, int tenantsPerHost, LocalDate from, double episodesPerHour,
        double hit, double ownPerHour, Shape shape) implements Serializable {
    private static final long serialVersionUID = 1;
    private static final int DAY = 86400;

    /**
     * How far tenants differ from the recorded tiers.
     *
     * @param scale   standard deviation of the logarithm of a tenant's own medians
     * @param noise   the same of what is added to each sample
     * @param drift   the same of what a day moves the medians by
     * @param daily   by which share the load rises and falls over the day
     * @param missing chance that a tenant lacks a sensor that not every tenant has
     * @param gaps    chance that a sample lacks a reading
     */
    public record Shape(double scale, double noise, double drift, double daily, double missing, double gaps) implements Serializable {
        private static final long serialVersionUID = 1;
        /** Tenants like in a fleet. */
        public static final Shape USUAL = new Shape(0.5, 0.04, 0.08, 0.25, 0.1, 0.001);
        /** The recorded samples, laid out as tenants of hosts: each recording is brought to the medians of one, nothing else is changed. */
        public static final Shape AS_RECORDED = new Shape(0, 0, 0, 0, 0, 0);
    }

    public Blueprint {
        check(rows >= 1, "--rows", "1 or more", rows);
        check(days >= 1 && days <= 3650, "--days", "1 to 3650", days);
        check(seconds >= 60 && seconds <= DAY, "--seconds", "60 to " + DAY, seconds);
        check(tenantsPerHost >= 1, "--tenants-per-host", "1 or more", tenantsPerHost);
        check(episodesPerHour >= 0 && episodesPerHour <= 30, "--episodes", "0 to 30 an hour", episodesPerHour);
        check(hit >= 0 && hit <= 1, "--hit", "0 to 1", hit);
        check(ownPerHour >= 0 && ownPerHour <= 10, "--own-changes", "0 to 10 an hour", ownPerHour);
    }

    private static void check(boolean good, String option, String expected, Object got) {
        if (!good) {
            throw new IllegalArgumentException(option + ": expected " + expected + ", got " + got);
        }
    }

    /** How many tenants there are. */
    public int tenants() {
        long each = (long) days * seconds;
        return Math.toIntExact((rows + each - 1) / each);
    }

    /** How many hosts there are. */
    public int hosts() {
        return (tenants() + tenantsPerHost - 1) / tenantsPerHost;
    }

    /** The host of a tenant. */
    public int hostOf(int tenant) {
        return tenant / tenantsPerHost;
    }

    /** How many samples a tenant has on a day; 0 if the rows end before. */
    public int samplesOf(int tenant, int day) {
        return (int) Math.max(0, Math.min(seconds, rows - ((long) tenant * days + day) * seconds));
    }

    /** The date of a day. */
    public LocalDate date(int day) {
        return from.plusDays(day);
    }

    /** The name of a host. */
    public static String host(int number) {
        return String.format(Locale.ROOT, "synthetic-host-%05d", number);
    }

    /** The name of a tenant. */
    public static String tenant(int number) {
        return String.format(Locale.ROOT, "synthetic-tenant-%06d", number);
    }

    /** Chance that belongs to these numbers alone. */
    SplittableRandom chance(long kind, long... numbers) {
        long mixed = seed * 0x9E3779B97F4A7C15L + kind;
        for (long number : numbers) {
            mixed = (mixed ^ mixed >>> 31) * 0xBF58476D1CE4E5B9L + number;
        }
        return new SplittableRandom(mixed);
    }
}
