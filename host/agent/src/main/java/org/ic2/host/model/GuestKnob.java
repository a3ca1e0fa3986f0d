// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.model;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import java.util.zip.CRC32;
import org.ic2.runtime.knob.Knob;

/**
 * One knob of one guest or pool, as {@link org.ic2.runtime.executor.Executor} moves it. Its key is made of kind, name and
 * identity, so that a guest started anew under an old name has another knob. Immutable.
 */
public final class GuestKnob implements Knob {
    private final KnobKind kind;
    private final Target target;
    private final String key;
    private final String column;

    /** @throws IllegalArgumentException if a guest, a virtual CPU or a pool is to have another's knob */
    public GuestKnob(KnobKind kind, Target target) {
        if (!kind.scope().has(target)) {
            throw new IllegalArgumentException(kind.key() + ": expected a knob of a " + kind.scope().word() + ", got " + target);
        }
        this.kind = kind;
        this.target = target;
        CRC32 sum = new CRC32();
        sum.update(target.identity().getBytes(StandardCharsets.UTF_8));
        key = kind.key() + "-" + word(target.name()) + "-" + HexFormat.of().toHexDigits((int) sum.getValue());
        column = key.replace('-', '_');
    }

    /** In small letters and digits, with one hyphen for whatever else stands between them. */
    private static String word(String name) {
        StringBuilder word = new StringBuilder();
        for (char letter : name.toLowerCase(Locale.ROOT).toCharArray()) {
            boolean plain = letter >= 'a' && letter <= 'z' || letter >= '0' && letter <= '9';
            if (plain || word.isEmpty() || word.charAt(word.length() - 1) != '-') {
                word.append(plain ? letter : '-');
            }
        }
        return word.toString();
    }

    /** A guest's. */
    public static GuestKnob of(KnobKind kind, Guest guest) {
        return new GuestKnob(kind, Target.OfGuest.of(guest));
    }

    /** A guest's virtual CPU's. */
    public static GuestKnob of(KnobKind kind, Guest guest, int vcpu) {
        return new GuestKnob(kind, new Target.OfVcpu(Target.OfGuest.of(guest), vcpu));
    }

    /** All that a guest has of a kind, by the number of the virtual CPU where each has one. */
    public static List<GuestKnob> all(KnobKind kind, Guest guest) {
        return switch (kind.scope()) {
            case GUEST -> List.of(of(kind, guest));
            case VCPU -> IntStream.range(0, guest.vcpus()).mapToObj(vcpu -> of(kind, guest, vcpu)).toList();
            case POOL -> List.of();
        };
    }

    /** A pool's. */
    public static GuestKnob of(KnobKind kind, Pool pool) {
        return new GuestKnob(kind, new Target.OfPool(pool.name()));
    }

    /** What it moves. */
    public KnobKind kind() {
        return kind;
    }

    /** Whose it is. */
    public Target target() {
        return target;
    }

    @Override
    public String key() {
        return key;
    }

    @Override
    public String label() {
        return target.name() + "'s " + kind.key();
    }

    @Override
    public String column() {
        return column;
    }

    @Override
    public String unit() {
        return kind.unit();
    }

    @Override
    public int least() {
        return kind.least();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof GuestKnob that && kind == that.kind && target.equals(that.target);
    }

    @Override
    public int hashCode() {
        return 31 * kind.hashCode() + target.hashCode();
    }

    @Override
    public String toString() {
        return label();
    }
}
