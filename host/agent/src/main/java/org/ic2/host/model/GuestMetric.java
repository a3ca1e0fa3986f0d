// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.model;

import org.ic2.runtime.knob.Quantity;

/** What is measured of a guest. Missing is NaN with a reason, never 0. */
public enum GuestMetric implements Quantity {
    /** CPUs in use. */
    CPU_RUN("cpu.run", "CPU"),
    /** CPUs that it waits for: runnable, and not run; parked or throttled time is not in it. */
    CPU_WAIT("cpu.wait", "CPU"),
    /** CPUs that its cap withholds. */
    CPU_THROTTLED("cpu.throttled", "CPU"),
    /** Times a second that another took its place. */
    CPU_SWITCHES("cpu.switches", "1/s"),
    /** Times a second that it woke up. */
    CPU_WAKEUPS("cpu.wakeups", "1/s"),
    /** Share of the time in which something of it waits for a CPU (PSI, some); what its cap withholds is in it. */
    CPU_PRESSURE("cpu.pressure", "0..1"),
    /** Share of the time in which something of it waits for a disk (PSI, some). */
    IO_PRESSURE("io.pressure", "0..1"),
    /** Memory that it is given. */
    MEM_ALLOC("mem.alloc", "B"),
    /** Memory in use, without what can be reclaimed at no cost: anonymous memory and the file pages that are asked for again. */
    MEM_USED("mem.used", "B"),
    /** Page faults that had to wait for a disk. */
    MEM_MAJFLT("mem.majflt", "1/s"),
    /** Pages that were dropped and had to be brought back, of files and others. */
    MEM_REFAULT("mem.refault", "1/s"),
    /** Of a guest without swap: the most memory without a file behind it that it was seen to have; less would be its end. */
    MEM_PEAK("mem.peak", "B"),
    /** Processes of it that were killed for want of memory since the reading before. */
    MEM_OOM_KILLS("mem.oom_kills", "1"),
    /** Share of the time in which something waits for memory (PSI, some). */
    MEM_PRESSURE("mem.pressure", "0..1"),
    /** Bytes sent and received. */
    NET_BYTES("net.bytes", "B/s"),
    /** Network soft interrupts. */
    NET_SOFTIRQ("net.softirq", "1/s"),
    /** How much memory bandwidth and cache it takes, in the unit of its source. */
    MEM_INTENSITY("mem.intensity", "as its source says"),
    /** Response time of its application, as its tenant tells. */
    APP_RT("app.rt", "s"),
    /** Requests of its application in the interval, as its tenant tells. */
    APP_REQUESTS("app.requests", "1"),
    /** 1 while its tenant reconfigures, as it tells, or did in the interval; else 0. */
    APP_BUSY("app.busy", "0..1"),
    /** 1 while its tenant makes its server need less, as it tells; else 0. */
    APP_SHEDDING("app.shedding", "0..1");

    private final String key;
    private final String unit;

    GuestMetric(String key, String unit) {
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
