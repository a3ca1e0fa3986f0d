// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend.xen;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.ic2.host.model.CpuSets;
import org.ic2.host.model.GuestKnob;
import org.ic2.host.model.Pool;
import org.ic2.host.model.Target;
import org.ic2.runtime.host.NotDoneException;

/** Where virtual CPUs may run: their hard affinity. The soft one, a mere preference, stays as it is. */
final class XenPins {
    private static final String ALL = "all";

    private final XenCommands commands;

    XenPins(XenCommands commands) {
        this.commands = commands;
    }

    int get(GuestKnob knob) throws IOException, InterruptedException {
        return hard(knob).map(CpuSets::affinity).orElse(CpuSets.ALL);
    }

    /** As {@code xl vcpu-pin} takes it. */
    String exact(GuestKnob knob) throws IOException, InterruptedException {
        return hard(knob).map(CpuSets::format).orElse(ALL);
    }

    private Optional<List<Integer>> hard(GuestKnob knob) throws IOException, InterruptedException {
        Target.OfVcpu vcpu = (Target.OfVcpu) knob.target();
        XlVcpus.Vcpu found = commands.vcpus().stream().filter(one -> Integer.toString(one.domain()).equals(vcpu.guest().id())
                && one.number() == vcpu.number()).findFirst().orElseThrow(() ->
                new IOException("xl vcpu-list: there is no virtual CPU " + vcpu.number() + " of domain " + vcpu.guest().id()));
        if (found.hard().filter(List::isEmpty).isPresent()) {
            throw new IOException("xl vcpu-list: " + knob.label() + " is none, which cannot be put back");
        }
        return found.hard();
    }

    /** The command that asks for CPUs. */
    static List<String> command(GuestKnob knob, String cpus) throws NotDoneException {
        Target.OfVcpu vcpu = (Target.OfVcpu) knob.target();
        if (!cpus.equals(ALL) && !cpus.matches("[0-9][0-9,-]*")) {
            throw new NotDoneException("cannot set " + knob.label() + ": expected CPUs such as 0-3,8, got \"" + cpus + "\"");
        }
        return List.of("xl", "vcpu-pin", vcpu.guest().id(), Integer.toString(vcpu.number()), cpus);
    }

    /** Xen refuses a CPU that is not in the domain's pool, or is offline and so in no pool. */
    static Optional<String> objection(GuestKnob knob, int cpu, String pool, List<Pool> pools) {
        List<Integer> cpus = pools.stream().filter(one -> one.name().equals(pool)).findFirst().map(Pool::cpus).orElse(List.of());
        return cpus.contains(cpu) ? Optional.empty() : Optional.of(knob.label() + ": CPU " + cpu + " is not in its pool " + pool
                + ", which has " + CpuSets.format(cpus));
    }
}
