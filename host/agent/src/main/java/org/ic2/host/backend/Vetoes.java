// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.ic2.host.model.GuestKnob;

/** What is against changes, by knob. What cannot be told is against a change, too. */
public final class Vetoes {

    private Vetoes() {
    }

    /** What is against a single change. */
    public interface Judge {
        Optional<String> of(GuestKnob knob, int value) throws IOException, InterruptedException;
    }

    /** What a host has against changes that are to be made together; where it cannot tell, all of them stay undone. */
    public static Map<GuestKnob, String> of(Backend backend, Map<GuestKnob, Integer> wanted) throws InterruptedException {
        if (wanted.isEmpty()) {
            return Map.of();
        }
        try {
            return backend.objections(wanted);
        } catch (IOException | RuntimeException e) {
            Map<GuestKnob, String> all = new LinkedHashMap<>();
            wanted.forEach((knob, value) -> all.put(knob, untold(knob, value, e)));
            return all;
        }
    }

    /** Of changes that do not depend on each other: where it cannot be told of one, the others may be done. */
    public static Map<GuestKnob, String> each(Map<GuestKnob, Integer> wanted, Judge judge) throws InterruptedException {
        Map<GuestKnob, String> against = new LinkedHashMap<>();
        for (Map.Entry<GuestKnob, Integer> one : wanted.entrySet()) {
            try {
                judge.of(one.getKey(), one.getValue()).ifPresent(why -> against.put(one.getKey(), why));
            } catch (IOException | RuntimeException e) {
                against.put(one.getKey(), untold(one.getKey(), one.getValue(), e));
            }
        }
        return against;
    }

    private static String untold(GuestKnob knob, int value, Exception why) {
        return knob.label() + ": whether " + value + " may be cannot be told: " + why.getMessage();
    }
}
