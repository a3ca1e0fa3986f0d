// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.model;

import org.ic2.runtime.knob.Quantity;

/** What is measured of the whole host. Missing is NaN with a reason, never 0. */
public enum HostMetric implements Quantity {
    /** Share of the physical CPUs in use. */
    CPU_UTIL("cpu.util", "0..1"),
    /** Bytes sent and received by all guests, in Mbit/s. */
    NET_RATE("net.rate", "Mbit/s"),
    /** Virtual CPUs for each physical one. */
    VCPU_RATIO("vcpu.ratio", "1"),
    /** Guests without the host's own domain. */
    VM_COUNT("vm.count", "1"),
    /** Memory that nobody has. */
    MEM_FREE("mem.free", "B"),
    /** Processes of the whole host that the kernel killed for want of memory since the reading before. */
    MEM_OOM_KILLS("mem.oom_kills", "1");

    private final String key;
    private final String unit;

    HostMetric(String key, String unit) {
        this.key = key;
        this.unit = unit;
    }

    /** The name for people and files. */
    public String key() {
        return key;
    }

    @Override
    public String column() {
        return key.replace('.', '_');
    }

    @Override
    public String unit() {
        return unit;
    }
}
