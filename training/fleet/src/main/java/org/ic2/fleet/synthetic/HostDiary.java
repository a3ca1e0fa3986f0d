// SPDX-License-Identifier: Apache-2.0
package org.ic2.fleet.synthetic;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * What happens on a host: when neighbours come and go, and when a campaign sends more users to all of its tenants at once, which
 * is no interference though they may all get slow in the same seconds. Some hosts are noisier than others, and nights (backups)
 * than days.
 */
final class HostDiary {
    private static final int HOUR = 3600;
    private static final int NIGHT_FROM = 2;
    private static final int NIGHT_TO = 4;
    private static final double NIGHT = 3;
    private static final double SPREAD = 0.8;
    private static final int MIN_EPISODE_SECONDS = 30;
    private static final int MAX_EPISODE_SECONDS = 240;
    private static final int REST = 60;
    private static final int CAMPAIGN = 100;
    private static final double CAMPAIGNS_A_DAY = 3;
    private static final long EPISODES = 1;
    private static final long CAMPAIGNS = 2;
    private static final long NOISE = 5;

    /**
     * A stretch of time.
     *
     * @param from its first second, counted from midnight
     * @param to   the second after its last one
     */
    record Span(int from, int to) {
    }

    private HostDiary() {
    }

    /** When neighbours are there, in order, apart from each other. */
    static List<Span> episodes(Blueprint fleet, int host, int day) {
        SplittableRandom chance = fleet.chance(EPISODES, host, day);
        double rate = fleet.episodesPerHour() * Math.exp(SPREAD * normal(fleet.chance(NOISE, host))) / HOUR;
        List<Span> episodes = new ArrayList<>();
        int second = REST;
        while (rate > 0) {
            // drawn at the night's rate, then thinned for the rest of the day
            double gap = -Math.log(1 - chance.nextDouble()) / (NIGHT * rate);
            second += (int) Math.min(gap, fleet.seconds()) + 1;
            if (second >= fleet.seconds()) {
                break;
            }
            int hour = second / HOUR;
            boolean night = hour >= NIGHT_FROM && hour < NIGHT_TO;
            if (night || chance.nextDouble() < 1 / NIGHT) {
                int to = second + MIN_EPISODE_SECONDS + chance.nextInt(MAX_EPISODE_SECONDS - MIN_EPISODE_SECONDS);
                episodes.add(new Span(second, to));
                second = to + REST;
            }
        }
        return episodes;
    }

    /** When campaigns run. */
    static List<Span> campaigns(Blueprint fleet, int host, int day) {
        SplittableRandom chance = fleet.chance(CAMPAIGNS, host, day);
        double expected = fleet.ownPerHour() > 0 ? CAMPAIGNS_A_DAY * fleet.seconds() / (24.0 * HOUR) : 0;
        List<Span> campaigns = new ArrayList<>();
        for (int i = 0; i < (int) Math.ceil(expected); i++) {
            int from = chance.nextInt(fleet.seconds());
            if (chance.nextDouble() < expected / Math.ceil(expected)) {
                campaigns.add(new Span(from, from + CAMPAIGN));
            }
        }
        return campaigns;
    }

    /** About normal, with mean 0 and deviation 1: the sum of twelve draws, which costs less than a logarithm and is never far out. */
    static double normal(SplittableRandom chance) {
        double sum = -6;
        for (int i = 0; i < 12; i++) {
            sum += chance.nextDouble();
        }
        return sum;
    }

    /** The same, coarser and for a quarter of the price: for what is drawn for each value of each sample. */
    static double roughNormal(SplittableRandom chance) {
        long bits = chance.nextLong();
        int sum = (int) (bits & 0xFFFF) + (int) (bits >>> 16 & 0xFFFF) + (int) (bits >>> 32 & 0xFFFF) + (int) (bits >>> 48);
        return (sum - 131070) / 37837.0;
    }
}
