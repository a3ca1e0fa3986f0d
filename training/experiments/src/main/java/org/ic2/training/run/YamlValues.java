// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.run;

import java.util.LinkedHashMap;
import java.util.Map;
import org.ic2.runtime.knob.Knob;

/** Parts of the configuration files that a run writes. */
final class YamlValues {
    private YamlValues() {
    }

    /** Keys and values in turn, in this order. */
    static Map<String, Object> map(Object... entries) {
        Map<String, Object> map = new LinkedHashMap<>();
        for (int i = 0; i < entries.length; i += 2) {
            map.put((String) entries[i], entries[i + 1]);
        }
        return map;
    }

    /** A plain number as a number, so that it needs no quotes. */
    static Object value(Knob knob, int value) {
        String text = knob.format(value);
        return text.equals(Integer.toString(value)) ? (Object) value : text;
    }
}
