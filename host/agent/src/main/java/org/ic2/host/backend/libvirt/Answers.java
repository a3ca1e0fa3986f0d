// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend.libvirt;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import org.ic2.host.backend.libvirt.Machines.Machine;

/**
 * What a command of virsh says of all domains, asked together, and believed for some time.
 *
 * @param <T> what is read from it of one domain
 */
final class Answers<T> {

    /** What a text says. */
    interface Reading<T> {
        T of(String text) throws IOException;
    }

    private final Virsh virsh;
    private final Machines machines;
    private final LongSupplier nanos;
    private final String command;
    private final Reading<T> reading;
    private final Map<Integer, T> read = new HashMap<>();
    private Map<Integer, String> texts = Map.of();
    private long asked;
    private boolean any;

    Answers(Virsh virsh, Machines machines, LongSupplier nanos, String command, Reading<T> reading) {
        this.virsh = virsh;
        this.machines = machines;
        this.nanos = nanos;
        this.command = command;
        this.reading = reading;
    }

    /** @param fresh nanoseconds for which an answer is believed */
    T of(Machine machine, long fresh) throws IOException, InterruptedException {
        if (!any || nanos.getAsLong() - asked >= fresh) {
            texts = virsh.each(command, machines.running().stream().map(Machine::id).toList());
            read.clear();
            asked = nanos.getAsLong();
            any = true;
        }
        T one = read.get(machine.id());
        if (one == null) {
            String text = texts.get(machine.id());
            if (text == null) {
                throw new IOException("virsh " + command + " says nothing of domain " + machine.name());
            }
            one = reading.of(text);
            read.put(machine.id(), one);
        }
        return one;
    }

    /** Something was changed. */
    void expire() {
        any = false;
    }
}
