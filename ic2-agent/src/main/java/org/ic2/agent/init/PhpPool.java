// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.init;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A pool of php-fpm, as a file of {@code pool.d} has it.
 *
 * @param listen       where httpd finds it
 * @param manager      static, dynamic or ondemand; empty when the file does not say
 * @param maxChildren  pm.max_children; 0 when the file does not say
 * @param statusListen pm.status_listen, an address that answers when all children are busy; empty without one
 * @param statusPath   pm.status_path; empty without one
 */
public record PhpPool(String name, String listen, String manager, int maxChildren, String statusListen, String statusPath) {

    private static final Pattern SECTION = Pattern.compile("\\s*\\[([^\\]]+)]\\s*");
    private static final Pattern SETTING = Pattern.compile("\\s*([a-z_.]+)\\s*=\\s*\"?([^\";]*?)\"?\\s*(?:;.*)?");

    static List<PhpPool> parse(String text) {
        List<PhpPool> pools = new ArrayList<>();
        Map<String, String> settings = new HashMap<>();
        String name = null;
        for (String line : (text + "\n[global]").split("\n")) {
            Matcher section = SECTION.matcher(line);
            Matcher setting = SETTING.matcher(line);
            if (section.matches()) {
                if (name != null && !name.equals("global")) {
                    pools.add(of(name, settings));
                }
                settings.clear();
                name = section.group(1);
            } else if (setting.matches()) {
                settings.put(setting.group(1), setting.group(2));
            }
        }
        return pools;
    }

    private static PhpPool of(String name, Map<String, String> settings) {
        String children = settings.getOrDefault("pm.max_children", "");
        return new PhpPool(name, settings.getOrDefault("listen", "").replace("$pool", name), settings.getOrDefault("pm", ""),
                children.matches("\\d{1,9}") ? Integer.parseInt(children) : 0,
                settings.getOrDefault("pm.status_listen", "").replace("$pool", name), settings.getOrDefault("pm.status_path", ""));
    }
}
