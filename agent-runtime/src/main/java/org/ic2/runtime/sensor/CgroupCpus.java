// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.sensor;

import java.io.IOException;
import java.util.Optional;
import org.ic2.runtime.host.Host;

/** How many CPUs a control group may use: the least of its quota, its cpuset and the machine's CPUs. */
public final class CgroupCpus {

    private final Host host;
    private final CgroupFiles files;

    public CgroupCpus(Host host, CgroupFiles files) {
        this.host = host;
        this.files = files;
    }

    public double count() throws IOException, InterruptedException {
        double cpus = host.read("/proc/stat").lines().filter(line -> line.matches("cpu\\d+ .*")).count();
        cpus = Math.min(cpus, quota());
        for (Optional<String> file : java.util.List.of(files.version2("cpuset.cpus.effective"),
                files.version1("cpuset.effective_cpus", "cpuset"), files.version1("cpuset.cpus", "cpuset"))) {
            int listed = file.isPresent() ? ProcFiles.cpuCount(host.read(file.get())) : 0;
            if (listed > 0) {
                cpus = Math.min(cpus, listed);
            }
        }
        return Math.max(cpus, 0.01);
    }

    private double quota() throws IOException, InterruptedException {
        Optional<String> max = files.version2("cpu.max");
        if (max.isPresent()) {
            return ratio(host.read(max.get()).strip().split("\\s+"));
        }
        Optional<String> quota = files.version1("cpu.cfs_quota_us", "cpu", "cpu,cpuacct", "cpuacct,cpu");
        Optional<String> period = files.version1("cpu.cfs_period_us", "cpu", "cpu,cpuacct", "cpuacct,cpu");
        if (quota.isPresent() && period.isPresent()) {
            return ratio(new String[] {host.read(quota.get()).strip(), host.read(period.get()).strip()});
        }
        return Double.POSITIVE_INFINITY;
    }

    /** Quota by period; {@code max} and -1 stand for no quota. */
    private static double ratio(String[] words) {
        boolean limited = words.length == 2 && words[0].matches("\\d{1,15}") && words[1].matches("[1-9]\\d{0,14}");
        return limited ? Double.parseDouble(words[0]) / Double.parseDouble(words[1]) : Double.POSITIVE_INFINITY;
    }
}
