// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.model;

import java.util.HexFormat;
import java.util.Locale;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32;
import org.ic2.runtime.knob.Knob;

/**
 * One knob of one guest or pool, as {@link org.ic2.runtime.executor.Executor} moves it. Its key is made of kind, name and
 * identity, so that a guest started anew under an old name has another knob.
 */
public record GuestKnob(KnobKind kind, Target target) implements Knob {

    public GuestKnob {
        if (kind.ofPool() != target instanceof Target.OfPool) {
            throw new IllegalArgumentException(kind.key() + ": expected a knob of a " + (kind.ofPool() ? "pool" : "guest") + ", got " + target);
        }
    }

    /** A guest's. */
    public static GuestKnob of(KnobKind kind, Guest guest) {
        return new GuestKnob(kind, Target.OfGuest.of(guest));
    }

    /** A pool's. */
    public static GuestKnob of(KnobKind kind, Pool pool) {
        return new GuestKnob(kind, new Target.OfPool(pool.name()));
    }

    @Override
    public String key() {
        CRC32 sum = new CRC32();
        sum.update(target.identity().getBytes(StandardCharsets.UTF_8));
        String name = target.name().toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-");
        return kind.key() + "-" + name + "-" + HexFormat.of().toHexDigits((int) sum.getValue());
    }

    @Override
    public String label() {
        return target.name() + "'s " + kind.key();
    }

    @Override
    public String column() {
        return key().replace('-', '_');
    }

    @Override
    public String unit() {
        return kind.unit();
    }

    @Override
    public int rank() {
        return kind.ordinal();
    }

    @Override
    public int least() {
        return kind.least();
    }
}
