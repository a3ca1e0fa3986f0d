// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.init;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.ic2.runtime.host.BoundedText;

/**
 * What httpd says of the configuration that it would start with: {@code -t -D DUMP_MODULES -D DUMP_VHOSTS -D DUMP_RUN_CFG
 * -D DUMP_INCLUDES}. Lines that it does not know (warnings stand among them) are passed over.
 *
 * @param modules      such as {@code status_module}
 * @param virtualHosts in the order of the output
 * @param user         as whom its children run; empty when it does not say
 * @param group        their group
 * @param pidFile      where the parent's number stands; empty when it does not say
 * @param documentRoot of the main server
 * @param files        that it reads, the main file first
 */
public record HttpdDump(Set<String> modules, List<VirtualHost> virtualHosts, String user, String group, String pidFile,
        String documentRoot, List<Included> files) {

    /**
     * A virtual host.
     *
     * @param port  0 for any
     * @param place file and line
     */
    public record VirtualHost(String name, int port, String place) {
    }

    /**
     * A file of the configuration.
     *
     * @param depth how many files include it
     * @param line  of the file one level up that includes it; 0 for the main file
     */
    record Included(int depth, int line, String path) {
    }

    private static final Pattern MODULE = Pattern.compile(" (\\w+_module) \\((?:static|shared)\\)");
    private static final Pattern ALONE = Pattern.compile("\\S*:(\\d{1,5}|\\*)\\s+(\\S+) \\((.+:\\d+)\\)");
    private static final Pattern NAMED = Pattern.compile("\\s+port (\\d{1,5}|\\*) namevhost (\\S+) \\((.+:\\d+)\\)");
    private static final Pattern WHO = Pattern.compile("(User|Group): name=\"([^\"]*)\".*");
    private static final Pattern WHERE = Pattern.compile("(PidFile|Main DocumentRoot): \"([^\"]*)\"");
    private static final Pattern INCLUDED = Pattern.compile("((?:  )+)\\((\\*|\\d{1,9})\\) (/.*)");

    static HttpdDump parse(String output) throws IOException {
        Set<String> modules = new TreeSet<>();
        List<VirtualHost> hosts = new ArrayList<>();
        List<Included> files = new ArrayList<>();
        String[] words = {"", "", "", ""};
        for (String line : BoundedText.lines(output, "httpd's output")) {
            Matcher found = MODULE.matcher(line);
            if (found.matches()) {
                modules.add(found.group(1));
            } else if ((found = ALONE.matcher(line)).matches() || (found = NAMED.matcher(line)).matches()) {
                hosts.add(new VirtualHost(found.group(2), port(found.group(1)), found.group(3)));
            } else if ((found = WHO.matcher(line)).matches()) {
                words[found.group(1).equals("User") ? 0 : 1] = found.group(2);
            } else if ((found = WHERE.matcher(line)).matches()) {
                words[found.group(1).equals("PidFile") ? 2 : 3] = found.group(2);
            } else if ((found = INCLUDED.matcher(line)).matches()) {
                files.add(new Included(found.group(1).length() / 2 - 1,
                        found.group(2).equals("*") ? 0 : Integer.parseInt(found.group(2)), found.group(3)));
            }
        }
        if (modules.isEmpty() || files.isEmpty()) {
            throw new IOException("expected the modules and files of httpd's configuration, got \"" + BoundedText.brief(output)
                    + "\"");
        }
        return new HttpdDump(modules, List.copyOf(hosts), words[0], words[1], words[2], words[3], List.copyOf(files));
    }

    private static int port(String text) {
        return text.equals("*") ? 0 : Integer.parseInt(text);
    }

    /** A module by its name without {@code _module}. */
    boolean has(String module) {
        return modules.contains(module + "_module");
    }
}
