// SPDX-License-Identifier: Apache-2.0
package org.ic2.knowledge.control.policy;

import org.ic2.knowledge.Sample;
import org.ic2.runtime.knob.Knob;
import org.ic2.runtime.knob.Quantity;
import org.ic2.runtime.knob.Settings;

/**
 * That a server of a cluster asks for fewer of its requests while it can do less: the whole share is the baseline, the
 * least is the lower bound.
 *
 * @param knob     the share, %
 * @param headroom how many times its usual requests a server of the cluster can serve
 */
public record Sharing(Knob knob, double headroom) {
    /** The largest share that another server of the cluster has in force, of its whole one; 0 if there is none that takes requests. */
    public static final Quantity PEERS = new Told("peers_share", "0..1");
    /** The requests that this server is given, of those that it would be if all servers that take requests had their whole shares. */
    public static final Quantity LOAD = new Told("share_load", "ratio");
    /** The other servers that have their whole share, of all that take requests, this one included, by weight. */
    public static final Quantity WHOLE = new Told("peers_whole", "0..1");
    /** What it is without a word: of three servers two have room for the third's requests. */
    public static final double HEADROOM = 1.5;
    /** Above it a server counts as whole. */
    private static final double WHOLE_THRESHOLD = 0.9;
    /** A sample has no fewer requests than this part of those that one has at the whole share. */
    private static final double MIN_REQUESTS_RATIO = 0.4;

    /** With the usual headroom. */
    public Sharing(Knob knob) {
        this(knob, HEADROOM);
    }

    /** Of a share in force, 0..1: whether it counts as the whole one. */
    public static boolean isWhole(double share) {
        return share > WHOLE_THRESHOLD;
    }

    /** What the balancer tells. */
    private record Told(String column, String unit) implements Quantity {
    }

    /** The share in these settings, %. */
    public int of(Settings settings) {
        return settings.get(knob);
    }

    /** True if nothing but the share is away from the baseline. */
    public boolean alone(Settings current, Settings baseline) {
        return current.has(knob) && current.with(knob, of(baseline)).equals(baseline);
    }

    /**
     * The lower bound; no less than the others have {@link #room} for; and where every other server is cut, no less than the largest of
     * them has, as nobody has room for more.
     */
    public int least(int whole, int lowest, Sample sample) {
        int peers = allCut(sample) ? (int) Math.round(whole * sample.get(PEERS)) : 0;
        return alone(sample) ? whole : Math.min(whole, Math.max(room(whole, lowest, sample), peers));
    }

    /**
     * The least share with which the others have room for what is given up, if all that are cut ask for as much as this one: those that are
     * whole are given 1 / (whole + (1 - whole) x share) times their usual requests then. The lower bound where nobody tells.
     *
     * @param whole  the share that the baseline has
     * @param lowest the lower bound
     */
    public int room(int whole, int lowest, Sample sample) {
        double others = sample.get(WHOLE);
        double each = others < 1 ? (1 / headroom - others) / (1 - others) : 0;
        return Math.max(lowest, (int) Math.ceil(whole * each - 1e-9));
    }

    /**
     * The requests that make a sample: of a server that asked for fewer of them fewer, or it would look as much longer until it sees
     * that its neighbour has gone.
     *
     * @param usual how many make one at the whole share
     */
    public int enough(int usual, Settings settings, Sample sample, Settings baseline) {
        return (int) Math.ceil(usual * Math.max(MIN_REQUESTS_RATIO, load(settings, sample, baseline)));
    }

    /** What everything but the share is to be, with the share as it runs. */
    public Settings kept(Settings desired, Settings current) {
        return desired.with(knob, current.get(knob));
    }

    /** True if it is known that no other server has its whole share: what one gives up below theirs, none has room for. */
    static boolean allCut(Sample sample) {
        return sample.has(PEERS) && !isWhole(sample.get(PEERS));
    }

    /** True if it is known that no other server takes requests. */
    public static boolean alone(Sample sample) {
        return sample.get(PEERS) == 0;
    }

    /** The part of the requests of the quiet that a server gets at a share; all of them while every server is cut alike. */
    public double load(Settings settings, Sample sample, Settings baseline) {
        return allCut(sample) || !settings.has(knob) ? 1 : (double) of(settings) / of(baseline);
    }
}
