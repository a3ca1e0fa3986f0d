// SPDX-License-Identifier: Apache-2.0
package org.ic2.fleet.label;

import java.util.Optional;
import org.ic2.knowledge.Label;

/** What the agreement of a host's tenants says about one of them in one window. */
public enum Vouching {
    /** At least k tenants are slow together while their own load does not rise, and this is one of them. */
    VOUCHED(Label.INTERFERENCE, "slow together with others of the host"),
    /** The windows before and after such a stretch: things change. */
    EDGE(Label.TRANSIENT, "begin or end of what slows several tenants"),
    /** It is slow, its own load has not risen, and fewer than k say so: a neighbour of its own, or pages that got dearer. */
    ALONE(Label.TRANSIENT, "slow alone"),
    /** Fewer than k are slow, and this one is not, or its own load has risen. */
    CALM(Label.NO_INTERFERENCE, "not slow, or by its own load"),
    /** Others are slow together, this one is not: interference that does it no harm teaches nothing. */
    SPARED(null, "not slow while others of the host are"),
    /** Others are slow together, and its own load has risen: nothing can be told. */
    BUSY(null, "own load rose while others of the host are slow"),
    /** Fewer than k tenants of the host were measured: none can vouch. */
    UNKNOWN(null, "fewer than k tenants of the host measured"),
    /** It has no response time. */
    UNMEASURED(null, "no response time");

    private final Label label;
    private final String words;

    Vouching(Label label, String words) {
        this.label = label;
        this.words = words;
    }

    /** The label of such samples; without one they are left out. */
    public Optional<Label> label() {
        return Optional.ofNullable(label);
    }

    /** In words. */
    public String words() {
        return words;
    }
}
