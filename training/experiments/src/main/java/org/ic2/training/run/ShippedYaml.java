// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.run;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.ic2.knowledge.Lever;
import org.ic2.runtime.knob.Settings;
import org.ic2.runtime.yaml.ConfigException;
import org.ic2.runtime.yaml.YamlMap;
import org.ic2.runtime.yaml.YamlText;

/**
 * The configuration that is shipped, word for word, but for what depends on the machine: mode, sensors and actuators, baseline,
 * the lower bounds, which are the baseline, and the dashboard, as two agents would want one port; and for what a command line says.
 *
 * @param file   where it stands
 * @param bounds its key {@code bounds}
 * @param text   the whole file: levers, target and all other keys
 */
record ShippedYaml(Path file, YamlMap bounds, String text) {
    private static final Set<String> OF_THE_MACHINE = Set.of("application", "interval", "mode", "members", "journal", "baseline",
            "bounds", "http");

    static ShippedYaml read(Path home) throws IOException {
        Path file = home.resolve("packaging/ic2.yaml");
        String text = Files.readString(file);
        try {
            return new ShippedYaml(file, YamlMap.parse(file.toString(), text).map("bounds"), text);
        } catch (ConfigException e) {
            throw new RunException(e.getMessage(), e);
        }
    }

    /** A key at the begin of a line and what is indented below it. */
    private String rest(Set<String> but) {
        StringBuilder rest = new StringBuilder();
        boolean kept = false;
        for (String line : text.lines().toList()) {
            if (!line.isEmpty() && Character.isLetter(line.charAt(0))) {
                kept = !but.contains(line.substring(0, line.indexOf(':')));
            }
            rest.append(kept && !line.startsWith("#") ? line + "\n" : "");
        }
        return rest.toString();
    }

    /**
     * The whole configuration.
     *
     * @param document the machine's keys, and those that take the place of shipped ones; the upper bounds of the shipped levers become the shipped ones
     */
    String completed(Map<String, Object> document, Settings baseline) {
        Map<String, Object> machine = new LinkedHashMap<>(document);
        Map<Object, Object> own = new LinkedHashMap<>((Map<?, ?>) machine.get("bounds"));
        try {
            for (Lever lever : List.of(Lever.KEEP_ALIVE_TIMEOUT, Lever.MITIGATION)) {
                own.put(lever.key(), List.of(YamlValues.value(lever, baseline.get(lever)), bounds.texts(lever.key()).get(1)));
            }
        } catch (ConfigException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
        machine.put("bounds", own);
        Set<String> but = new HashSet<>(OF_THE_MACHINE);
        but.addAll(machine.keySet());
        return YamlText.of(machine) + rest(but);
    }
}
