// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.init;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * What would be done. Immutable.
 *
 * @param apachectl the command that tests and signals httpd
 * @param pidFile   where httpd's parent says its number
 * @param reload    httpd runs, and is to read its configuration
 * @param statusUrl the page that answers afterwards
 * @param modules   to be enabled, in this order
 * @param confs     to be enabled
 * @param files     to be written, by path
 * @param units     of systemd to be enabled and started
 * @param store     the directory in which httpd will store pages, as long as it runs
 * @param log       that httpd will write
 */
public record InitPlan(String apachectl, String pidFile, boolean reload, String statusUrl, List<String> modules, List<String> confs,
        Map<String, String> files, List<String> units, String store, String log) {

    /** The steps for people. */
    public List<String> describe() {
        List<String> lines = new ArrayList<>();
        units.forEach(unit -> lines.add("systemctl enable --now " + unit));
        files.keySet().forEach(path -> lines.add("write " + path));
        modules.forEach(module -> lines.add("a2enmod " + module));
        confs.forEach(conf -> lines.add("a2enconf " + conf));
        lines.add(apachectl + " -t");
        if (reload) {
            lines.add(apachectl + " -k graceful");
        }
        return lines;
    }
}
