// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.init;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.ic2.knowledge.rules.NeverQuiet;
import org.ic2.knowledge.control.policy.Shipped;
import org.ic2.knowledge.rules.Condition;

/**
 * What was found on a machine. Immutable.
 *
 * @param apachectl    the command that asks and signals httpd
 * @param build        what it is
 * @param dump         what it would start with
 * @param config       what stands in its files
 * @param running      its parent lives
 * @param cgroup       the parent's control group; empty when nobody knows
 * @param pools        of php-fpm
 * @param applications that it serves and {@code applications.yaml} knows
 * @param ports        on which something listens
 * @param surroundings what else there is
 */
public record SiteFacts(String apachectl, HttpdBuild build, HttpdDump dump, HttpdConfig config, boolean running, String cgroup,
        List<PhpPool> pools, List<FoundApplication> applications, Set<Integer> ports, Surroundings surroundings) {

    /**
     * What is there beside httpd.
     *
     * @param debian      httpd's configuration is laid out as Debian does, with a2enmod and a2enconf
     * @param systemd     units can be started
     * @param sysstat     the command sar
     * @param standby     the file of mod_standby is there, or it is loaded
     * @param stolen      of the time since the start, what the host took: seconds of CPU; 0 where it reports none
     * @param steal       the same as a share of the CPU's time
     * @param counters    the machine shows counters of its processor
     * @param pressure    the kernel measures stalls
     * @param status      status.conf lies where it is said to lie
     * @param container   in a container, whose neighbours share its kernel: the directory of its control group; otherwise empty
     */
    record Surroundings(boolean debian, boolean systemd, boolean sysstat, boolean standby, double stolen,
            double steal, boolean counters, boolean pressure, boolean status, String container) {
    }

    /** The same, with the application that lies there, if a directory is given. */
    public SiteFacts only(Optional<String> directory) {
        String wanted = directory.map(path -> path.replaceAll("/+$", "")).orElse("");
        return directory.isEmpty() ? this : new SiteFacts(apachectl, build, dump, config, running, cgroup, pools,
                applications.stream().filter(each -> each.root().equals(wanted)).toList(), ports, surroundings);
    }

    /** The line of the agent's configuration for a host that took more than what counts as normal, on average; empty for another. */
    Optional<String> neverQuiet() {
        double bound = Shipped.rules().neverNormal().stream().filter(condition -> condition.attribute().name().equals("steal"))
                .mapToDouble(Condition::threshold).findFirst().orElse(1);
        return surroundings.steal() > bound ? Optional.of(NeverQuiet.line("steal", surroundings.steal())) : Optional.empty();
    }

    /** True for httpd-online, which has variables. */
    boolean online() {
        return dump.has("online_env");
    }

    /** The same port each time, if it is free. */
    int free(int wanted) {
        int port = wanted;
        while (ports.contains(port)) {
            port++;
        }
        return port;
    }
}
