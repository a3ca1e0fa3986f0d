// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.contract;

import java.util.Optional;

/**
 * What is known of one tenant, by the host's own clock. Each message counts once; how long ago the last one came is the host's to
 * say. A tenant is busy for {@value #LONGEST_BUSY} s at most, and then not again before it has said that it is not.
 */
final class TenantWatch {
    /** So long a tenant that reconfigures is waited for, s. */
    static final double LONGEST_BUSY = 60;
    private static final double NANOS = 1e9;

    private Optional<Carrier.Letter> last = Optional.empty();
    private Optional<TenantMessage> fresh = Optional.empty();
    private String problem = "";
    private boolean heard;
    private long heardNanos;
    private boolean shedding;
    private boolean everBusy;
    private long busyEnd;
    private long spellBegan;
    private boolean inSpell;

    /**
     * Takes what stands there.
     *
     * @param clock the host's, s since 1970, for messages that do not say when they were written
     * @return true if it is another message than the last one
     */
    synchronized boolean take(Carrier.Letter letter, TenantMessage message, long nowNanos, double clock) {
        // what says when it was written is the same message wherever it is found again
        if (last.filter(before -> before.text().equals(letter.text())
                && (!Double.isNaN(message.time()) || before.stamp().equals(letter.stamp()))).isPresent()) {
            return false;
        }
        last = Optional.of(letter);
        problem = "";
        fresh = Optional.of(message);
        heard = true;
        heardNanos = nowNanos;
        shedding = message.shedding();
        double written = Double.isNaN(message.time()) ? clock : message.time();
        double left = Double.isNaN(message.busyUntil()) ? Double.NEGATIVE_INFINITY : message.busyUntil() - written;
        if (left <= 0) {
            inSpell = false;
            if (left > -LONGEST_BUSY) {
                busyUntil(nowNanos + (long) (left * NANOS));
            }
        } else {
            spellBegan = inSpell ? spellBegan : nowNanos;
            inSpell = true;
            long most = (long) (LONGEST_BUSY * NANOS) - (nowNanos - spellBegan);
            busyUntil(nowNanos + Math.min((long) (Math.min(left, LONGEST_BUSY) * NANOS), most));
        }
        return true;
    }

    private void busyUntil(long nanos) {
        everBusy = true;
        busyEnd = nanos;
    }

    /** Takes that there is something that cannot be understood. */
    synchronized void fail(String why) {
        problem = why;
    }

    /** What was told since this was asked last, once. */
    synchronized Optional<TenantMessage> next() {
        Optional<TenantMessage> taken = fresh;
        fresh = Optional.empty();
        return taken;
    }

    /** True if the tenant reconfigures, or did within the time before now. */
    synchronized boolean busy(long nowNanos, long intervalNanos) {
        return everBusy && busyEnd - (nowNanos - intervalNanos) > 0;
    }

    /** True while the tenant says that it sheds; one that is silent does not. */
    synchronized boolean shedding(long nowNanos, long staleNanos) {
        return shedding && nowNanos - heardNanos <= staleNanos;
    }

    /** True if anything was ever told. */
    synchronized boolean hasHeard() {
        return heard;
    }

    /** Why nothing is known of the last interval. */
    synchronized String silence(long nowNanos, long staleNanos) {
        if (!problem.isEmpty()) {
            return "what its tenant tells is not understood: " + problem;
        }
        if (!heard) {
            return "its tenant tells nothing";
        }
        long age = nowNanos - heardNanos;
        return age > staleNanos ? "its tenant has been silent for " + age / 1_000_000_000 + " s" : "its tenant has told nothing new";
    }
}
