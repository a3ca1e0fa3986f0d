// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.yaml;

import java.util.Map;
import org.snakeyaml.engine.v2.api.Dump;
import org.snakeyaml.engine.v2.api.DumpSettings;
import org.snakeyaml.engine.v2.common.FlowStyle;

/** The text of a YAML file from maps, lists and plain values, quoted where it must be: {@link YamlMap} reads it back. */
public final class YamlText {

    private YamlText() {
    }

    /**
     * Writes a file's text: keys in the order of the map, mappings indented, lists of plain values on one line.
     *
     * @param document values are text, numbers, booleans, or lists and maps of them
     */
    public static String of(Map<String, ?> document) {
        return new Dump(DumpSettings.builder().setDefaultFlowStyle(FlowStyle.AUTO).setWidth(120).build())
                .dumpToString(document);
    }
}
