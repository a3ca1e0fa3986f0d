// SPDX-License-Identifier: Apache-2.0
package org.ic2.fleet.label;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The tenants of one host on one day, window by window, and what their agreement says of each. Pure: windows may come in any order.
 *
 * <p>A window is agreed on if at least k tenants are slow in it and none of these by its own load. A stretch of such windows, with
 * at most one other window in a row between them, counts if it lasts long enough. It is interference for those who are slow in at
 * least half of its windows, and for all of it. See {@link Vouching} for what follows.
 */
public final class HostDay {
    private static final byte ABSENT = 0;
    private static final byte USUAL = 1;
    private static final byte SLOW = 2;
    private static final byte BUSY = 3;
    private static final byte UNMEASURED = 4;

    private final AgreementRule rule;
    private final int windows;
    private final Map<String, byte[]> states = new TreeMap<>();
    private final Map<String, int[]> samples = new TreeMap<>();

    /**
     * A stretch in which one verdict holds for a tenant.
     *
     * @param tenant  whose
     * @param from    the first window
     * @param to      the window after the last one
     * @param verdict what is said
     * @param samples that fall into it
     */
    public record Stretch(String tenant, int from, int to, Vouching verdict, long samples) {
    }

    /** A day of this number of windows, of which nothing is known yet. */
    public HostDay(AgreementRule rule, int windows) {
        this.rule = rule;
        this.windows = windows;
    }

    /**
     * What was seen of a tenant in a window.
     *
     * @param count    its samples
     * @param measured those with a response time
     * @param slow     those that were slow
     * @param busy     those in which its own load had risen
     */
    public void seen(String tenant, int window, int count, int measured, int slow, int busy) {
        byte state = measured == 0 ? UNMEASURED : 2 * busy >= measured ? BUSY : 2 * slow >= measured ? SLOW : USUAL;
        states.computeIfAbsent(tenant, name -> new byte[windows])[window] = state;
        samples.computeIfAbsent(tenant, name -> new int[windows])[window] = count;
    }

    /** How many tenants were seen. */
    public int tenants() {
        return states.size();
    }

    /** How many tenants were slow in a window, not by their own load. */
    public int slow(int window) {
        return (int) states.values().stream().filter(state -> state[window] == SLOW).count();
    }

    /** How many had a response time in it. */
    public int measured(int window) {
        return (int) states.values().stream().filter(state -> state[window] != ABSENT && state[window] != UNMEASURED).count();
    }

    /** Which windows lie in a stretch on which enough tenants agree. */
    public boolean[] agreed() {
        boolean[] agreed = new boolean[windows];
        for (int w = 0; w < windows; w++) {
            agreed[w] = slow(w) >= rule.tenants();
        }
        for (int w = 1; w + 1 < windows; w++) {
            agreed[w] |= agreed[w - 1] && agreed[w + 1] && slow(w - 1) >= rule.tenants();
        }
        int from = 0;
        for (int w = 0; w <= windows; w++) {
            if (w == windows || !agreed[w]) {
                if (w - from < rule.least()) {
                    Arrays.fill(agreed, from, w, false);
                }
                from = w + 1;
            }
        }
        return agreed;
    }

    /** What is said of each tenant, in order; windows in which a tenant is {@link Vouching#CALM} are there, too. */
    public List<Stretch> stretches() {
        boolean[] agreed = agreed();
        boolean[] enough = new boolean[windows];
        for (int w = 0; w < windows; w++) {
            enough[w] = measured(w) >= rule.tenants();
        }
        List<Stretch> stretches = new ArrayList<>();
        states.forEach((tenant, state) -> {
            Vouching[] verdicts = new Vouching[windows];
            for (int w = 0; w < windows; w++) {
                verdicts[w] = agreed[w] ? null : apart(state, w, agreed, enough[w]);
            }
            together(state, agreed, verdicts);
            join(tenant, verdicts, stretches);
        });
        return stretches;
    }

    /** The verdict on a window without agreement, null if the tenant was not there. */
    private static Vouching apart(byte[] state, int w, boolean[] agreed, boolean enough) {
        boolean beside = w > 0 && agreed[w - 1] || w + 1 < agreed.length && agreed[w + 1];
        return switch (state[w]) {
            case ABSENT -> null;
            case UNMEASURED -> Vouching.UNMEASURED;
            default -> !enough ? Vouching.UNKNOWN : beside ? Vouching.EDGE : state[w] == SLOW ? Vouching.ALONE : Vouching.CALM;
        };
    }

    /** The verdicts on the stretches that are agreed on, each as a whole. */
    private static void together(byte[] state, boolean[] agreed, Vouching[] verdicts) {
        for (int from = 0; from < agreed.length; from++) {
            int to = from;
            int slow = 0;
            int seen = 0;
            while (to < agreed.length && agreed[to]) {
                slow += state[to] == SLOW ? 1 : 0;
                seen += state[to] == ABSENT || state[to] == UNMEASURED ? 0 : 1;
                to++;
            }
            for (int w = from; w < to; w++) {
                verdicts[w] = switch (state[w]) {
                    case ABSENT -> null;
                    case UNMEASURED -> Vouching.UNMEASURED;
                    case BUSY -> Vouching.BUSY;
                    default -> 2 * slow >= seen ? Vouching.VOUCHED : Vouching.SPARED;
                };
            }
            from = to;
        }
    }

    private void join(String tenant, Vouching[] verdicts, List<Stretch> stretches) {
        int[] count = samples.get(tenant);
        int from = 0;
        long inside = 0;
        for (int w = 0; w < windows; w++) {
            if (w > 0 && verdicts[w] != verdicts[w - 1]) {
                from = w;
                inside = 0;
            }
            inside += count[w];
            if (verdicts[w] != null && (w + 1 == windows || verdicts[w + 1] != verdicts[w])) {
                stretches.add(new Stretch(tenant, from, w + 1, verdicts[w], inside));
            }
        }
    }

    /** How many samples each verdict is about. */
    public static Map<Vouching, Long> counts(List<Stretch> stretches) {
        Map<Vouching, Long> counts = new EnumMap<>(Vouching.class);
        stretches.forEach(one -> counts.merge(one.verdict(), one.samples(), Long::sum));
        return counts;
    }
}
