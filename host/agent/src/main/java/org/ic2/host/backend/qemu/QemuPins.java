// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend.qemu;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.ic2.host.backend.ThreadAffinity;
import org.ic2.host.model.CpuSets;
import org.ic2.host.model.GuestKnob;
import org.ic2.host.model.Target;
import org.ic2.runtime.host.Host;
import org.ic2.runtime.host.NotDoneException;

/** Where a machine's virtual CPUs may run: the affinity of the threads that QEMU says they are. */
final class QemuPins {
    private final QemuMachines machines;
    private final ThreadAffinity affinity;

    QemuPins(Host host, QemuMachines machines) {
        this.machines = machines;
        affinity = new ThreadAffinity(host);
    }

    List<Integer> cpus(GuestKnob knob) throws IOException, InterruptedException {
        return affinity.of(thread(knob)).cpus();
    }

    private int thread(GuestKnob knob) throws IOException, InterruptedException {
        Target.OfVcpu vcpu = (Target.OfVcpu) knob.target();
        List<Integer> threads = machines.ask(vcpu.guest().id(), qemu -> {
            machines.require(vcpu.guest(), qemu);
            return qemu.threads();
        });
        if (vcpu.number() >= threads.size()) {
            throw new IOException(vcpu.guest().name() + " has " + threads.size() + " virtual CPUs now");
        }
        if (threads.stream().distinct().count() < threads.size()) {
            throw new IOException(vcpu.guest().name() + " runs its virtual CPUs in one thread (tcg,thread=single)");
        }
        return threads.get(vcpu.number());
    }

    void pin(GuestKnob knob, String cpus) throws IOException, InterruptedException {
        int thread;
        try {
            thread = thread(knob);
        } catch (IOException e) {
            throw new NotDoneException("cannot set " + knob.label() + " to " + cpus + ": " + e.getMessage(), e);
        }
        affinity.pin(thread, cpus);
    }

    static Optional<String> objection(GuestKnob knob, int value, List<Integer> online) {
        return online.contains(value) ? Optional.empty()
                : Optional.of(knob.label() + ": CPU " + value + " is not online (" + CpuSets.format(online) + " are)");
    }
}
