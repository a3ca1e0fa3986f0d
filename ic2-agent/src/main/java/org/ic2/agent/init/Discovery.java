// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.init;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.ic2.agent.application.WebApplication;

/** Looks at a machine; changes nothing. */
public final class Discovery {

    private static final List<String> COMMANDS =
            List.of("/usr/sbin/apache2ctl", "/usr/sbin/apachectl", "/usr/local/apache2/bin/httpd", "/usr/sbin/httpd");
    /** What systemd, Docker and Podman leave in a container. */
    private static final List<String> CONTAINERS = List.of("/run/systemd/container", "/.dockerenv", "/run/.containerenv");
    private static final List<String> GROUPS = List.of("/sys/fs/cgroup", "/sys/fs/cgroup/unified");
    /** Where mod_standby lies, Debian's place first. */
    private static final List<String> MODULES =
            List.of("/usr/lib/apache2/modules/mod_standby.so", "/usr/local/apache2/modules/mod_standby.so");
    private static final String HOST_NAME = "/proc/sys/kernel/hostname";
    private static final String ENVVARS = "/etc/apache2/envvars";
    private static final Pattern STEAL = Pattern.compile("(?m)^cpu +(?:\\d+ +){7}(\\d+)");
    private static final Pattern LISTENING =
            Pattern.compile("(?m)^ *\\d+: [0-9A-F]+:([0-9A-F]{4}) [0-9A-F]+:0000 0A ");
    private static final double TICKS_PER_SECOND = 100;
    private static final int FIRST_BYTES = 64 * 1024;

    private final TargetSystem machine;
    private final Collection<WebApplication> applications;
    private final String docs;

    /**
     * @param applications that could be there
     * @param docs         the directory of status.conf
     */
    public Discovery(TargetSystem machine, Collection<WebApplication> applications, String docs) {
        this.machine = machine;
        this.docs = docs;
        this.applications = applications;
    }

    /**
     * Looks.
     *
     * @throws IOException when there is no httpd that answers, with what to do
     */
    public SiteFacts look() throws IOException, InterruptedException {
        String apachectl = COMMANDS.stream().filter(machine::runs).findFirst().orElseThrow(() -> new IOException(
                "there is no Apache httpd here: none of " + String.join(", ", COMMANDS) + " can be run"));
        HttpdBuild build = HttpdBuild.parse(machine.succeed(List.of(apachectl, "-V")));
        HttpdDump dump = HttpdDump.parse(machine.succeed(List.of(apachectl, "-t", "-D", "DUMP_MODULES", "-D", "DUMP_VHOSTS",
                "-D", "DUMP_RUN_CFG", "-D", "DUMP_INCLUDES")));
        HttpdConfig config = HttpdConfig.read(dump, machine::readOrNothing, machine.readOrNothing(ENVVARS));
        Optional<String> parent = machine.process(dump.pidFile());
        return new SiteFacts(apachectl, build, dump, config, parent.isPresent(), parent.isEmpty() ? "" : cgroup(parent.get()), pools(),
                FoundApplication.in(config, dump, applications, machine::has, machine::list, of(HOST_NAME).strip()), ports(),
                surroundings(dump.has("standby") || MODULES.stream().anyMatch(machine::has)));
    }

    private String cgroup(String process) throws InterruptedException {
        return of("/proc/" + process + "/cgroup").lines().filter(line -> line.startsWith("0::")).map(line -> line.substring(3))
                .findFirst().orElse("");
    }

    private List<PhpPool> pools() {
        List<PhpPool> pools = new ArrayList<>();
        for (String version : machine.list("/etc/php")) {
            String directory = "/etc/php/" + version + "/fpm/pool.d";
            machine.list(directory).stream().filter(name -> name.endsWith(".conf"))
                    .forEach(name -> pools.addAll(PhpPool.parse(machine.readOrNothing(directory + "/" + name))));
        }
        return pools;
    }

    private Set<Integer> ports() throws InterruptedException {
        return listening(of("/proc/net/tcp") + "\n" + of("/proc/net/tcp6"));
    }

    /** What a file of the kernel begins with: in those of connections, listeners come first. */
    private String of(String path) throws InterruptedException {
        try {
            return machine.host().head(path, FIRST_BYTES);
        } catch (IOException e) {
            return "";
        }
    }

    /** The ports of the lines of {@code /proc/net/tcp} on which something listens. */
    static Set<Integer> listening(String text) {
        Set<Integer> ports = new TreeSet<>();
        Matcher matcher = LISTENING.matcher(text);
        while (matcher.find()) {
            ports.add(Integer.parseInt(matcher.group(1), 16));
        }
        return ports;
    }

    private SiteFacts.Surroundings surroundings(boolean standby) throws InterruptedException {
        return new SiteFacts.Surroundings(
                machine.has("/etc/apache2/conf-available") && machine.runs("/usr/sbin/a2enconf")
                && machine.runs("/usr/sbin/a2enmod"),
                machine.has("/run/systemd/system"), machine.runs("/usr/bin/sar"), standby,
                stolen(of("/proc/stat")), steal(of("/proc/stat")), machine.has("/sys/bus/event_source/devices/cpu"), machine.has("/proc/pressure/memory"),
                machine.has(docs + "/status.conf"), container());
    }

    /** A container sees its own control group as the root of all groups. */
    private String container() {
        return CONTAINERS.stream().anyMatch(machine::has)
                ? GROUPS.stream().filter(group -> machine.has(group + "/cpu.pressure")).findFirst().orElse("") : "";
    }

    /** Seconds of CPU that the host took, of {@code /proc/stat}. */
    static double stolen(String text) {
        Matcher matcher = STEAL.matcher(text);
        return matcher.find() && matcher.group(1).length() < 18 ? Long.parseLong(matcher.group(1)) / TICKS_PER_SECOND : 0;
    }

    /** The same as a share of all CPU time; 0 where there is none. */
    static double steal(String text) {
        Matcher matcher = STEAL.matcher(text);
        if (!matcher.find()) {
            return 0;
        }
        double all = Pattern.compile(" +").splitAsStream(matcher.group()).skip(1).mapToDouble(Double::parseDouble).sum();
        return all > 0 ? Double.parseDouble(matcher.group(1)) / all : 0;
    }
}
