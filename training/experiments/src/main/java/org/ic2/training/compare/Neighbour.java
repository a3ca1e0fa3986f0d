// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.compare;

import java.util.List;
import java.util.OptionalInt;
import java.util.stream.Collectors;

/**
 * A kind of interference.
 *
 * @param name    its name in files and tables
 * @param command its command line, such as {@code dcopy --size 20MB}
 * @param duty    per cent of the time that it runs; empty: as the comparison's {@code --on} and {@code --off} say
 */
public record Neighbour(String name, String command, OptionalInt duty) {
    /** All the time. */
    static final int ALWAYS = 100;

    /** The paper's three. LLCProbe's array is larger than the paper's 20 MB, because caches have grown. */
    public static final List<Neighbour> USUAL = List.of(new Neighbour("dcopy-low", "dcopy --size 20MB"),
            new Neighbour("dcopy-high", "dcopy --size 1.5GB"), new Neighbour("llcprobe", "llcprobe --size 32MiB"));
    /** The name that stands in files where there is none. */
    public static final String NONE = "none";

    /** One that runs as the comparison says. */
    public Neighbour(String name, String command) {
        this(name, command, OptionalInt.empty());
    }

    /** The same that runs for this part of the time. */
    public Neighbour withDuty(int percent) {
        return new Neighbour(name + "-" + percent, command, OptionalInt.of(percent));
    }

    public Neighbour {
        if (duty.isPresent() && (duty.getAsInt() < 1 || duty.getAsInt() > ALWAYS)) {
            throw new IllegalArgumentException("--duty: expected per cent from 1 to " + ALWAYS + ", got " + duty.getAsInt());
        }
        if (!name.matches("[a-z0-9][a-z0-9.]*(-[a-z0-9.]+)*") || name.length() > 30 || name.equals(NONE)) {
            throw new IllegalArgumentException("--neighbour: expected a name of small letters, digits, '.' and '-', got '"
                    + name + "'");
        }
    }

    /** Reads {@code NAME=COMMAND}, or the name of a usual one. */
    public static Neighbour of(String text) {
        int equals = text.indexOf('=');
        if (equals >= 0) {
            return new Neighbour(text.substring(0, equals).strip(), text.substring(equals + 1).strip());
        }
        return USUAL.stream().filter(one -> one.name().equals(text.strip())).findFirst().orElseThrow(() ->
                new IllegalArgumentException("--neighbour: expected NAME=COMMAND or one of " + USUAL.stream()
                        .map(Neighbour::name).collect(Collectors.joining(", ")) + ", got '" + text + "'"));
    }
}
