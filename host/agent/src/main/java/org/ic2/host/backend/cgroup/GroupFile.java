// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend.cgroup;

import java.util.List;
import java.util.Optional;
import org.ic2.runtime.sensor.CgroupFiles;

/** The files of a control group that are read or written here. */
enum GroupFile {
    SHARES("cpu.shares", 1, "cpu"),
    QUOTA("cpu.cfs_quota_us", 1, "cpu"),
    PERIOD("cpu.cfs_period_us", 1, "cpu"),
    CPU_STAT_1("cpu.stat", 1, "cpu"),
    TASKS("tasks", 1, "cpu"),
    TASKS_OF_MEMORY("tasks", 1, "memory"),
    USAGE("cpuacct.usage", 1, "cpuacct"),
    LIMIT("memory.limit_in_bytes", 1, "memory"),
    MEMORY_USAGE("memory.usage_in_bytes", 1, "memory"),
    MEMORY_STAT_1("memory.stat", 1, "memory"),
    OOM_CONTROL("memory.oom_control", 1, "memory"),
    CPUS_1("cpuset.effective_cpus", 1, "cpuset"),
    CPUSET_1("cpuset.cpus", 1, "cpuset"),
    MEMS_1("cpuset.mems", 1, "cpuset"),
    PERF("cgroup.procs", 1, "perf_event"),
    WEIGHT("cpu.weight", 2, "cpu"),
    CPU_MAX("cpu.max", 2, "cpu"),
    CPU_STAT_2("cpu.stat", 2, ""),
    THREADS("cgroup.threads", 2, ""),
    HIGH("memory.high", 2, "memory"),
    MEMORY_MAX("memory.max", 2, "memory"),
    LOW("memory.low", 2, "memory"),
    IO_WEIGHT("io.weight", 2, "io"),
    IO_MAX("io.max", 2, "io"),
    CURRENT("memory.current", 2, "memory"),
    MEMORY_STAT_2("memory.stat", 2, "memory"),
    MEMORY_EVENTS("memory.events", 2, "memory"),
    SWAP_MAX("memory.swap.max", 2, "memory"),
    PRESSURE("memory.pressure", 2, ""),
    CPU_PRESSURE("cpu.pressure", 2, ""),
    IO_PRESSURE("io.pressure", 2, ""),
    CPUS_2("cpuset.cpus.effective", 2, "cpuset"),
    CPUSET_2("cpuset.cpus", 2, "cpuset");

    private final String file;
    private final int version;
    private final String controller;

    GroupFile(String file, int version, String controller) {
        this.file = file;
        this.version = version;
        this.controller = controller;
    }

    /** Its name. */
    String file() {
        return file;
    }

    /** Where it is, if the machine and the group have it. */
    Optional<String> in(CgroupFiles group) throws InterruptedException {
        return version == 2 ? group.version2(file) : group.version1(file, mounts(controller));
    }

    /** How version 1 may have mounted a controller, alone or with another. */
    static String[] mounts(String controller) {
        return switch (controller) {
            case "cpu", "cpuacct" -> List.of(controller, "cpu,cpuacct", "cpuacct,cpu").toArray(String[]::new);
            default -> new String[] {controller};
        };
    }
}
