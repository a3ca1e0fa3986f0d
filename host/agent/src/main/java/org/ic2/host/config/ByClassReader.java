// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.config;

import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.ic2.host.model.GuestClass;
import org.ic2.host.model.KnobKind;
import org.ic2.runtime.yaml.ConfigException;
import org.ic2.runtime.yaml.YamlMap;

/** Reads what each class of guests gets, by kind of knob. */
final class ByClassReader {
    private static final long MIB = 1 << 20;

    private ByClassReader() {
    }

    /**
     * Reads it.
     *
     * @param places    gets where each key is
     * @param placement what else may want the groups of resctrl
     */
    static Map<KnobKind, Map<GuestClass, Integer>> read(YamlMap root, Map<String, String> places, Optional<PlacementConfig> placement)
            throws ConfigException {
        boolean measured = placement.filter(of -> of.intensity().source() == IntensityChoice.Source.RESCTRL).isPresent();
        Map<KnobKind, Map<GuestClass, Integer>> all = new EnumMap<>(KnobKind.class);
        for (KnobKind kind : KnobKind.values()) {
            String key = kind.byClass();
            if (!key.isEmpty() && root.has(key)) {
                all.put(kind, classes(root, kind));
                places.put(key, root.error(key, "").getMessage().replaceFirst(": $", ""));
                if (measured && kind.ofResctrl()) {
                    throw root.error(key, "expected another controllers.placement.intensity than resctrl beside it: a thread is in one group of resctrl alone");
                }
            }
        }
        return all;
    }

    private static Map<GuestClass, Integer> classes(YamlMap root, KnobKind kind) throws ConfigException {
        YamlMap map = root.map(kind.byClass());
        Map<GuestClass, Integer> values = new EnumMap<>(GuestClass.class);
        int most = kind.most();
        int better = most;
        for (GuestClass of : GuestClass.values()) {
            if (map.has(of.name())) {
                int value = kind.isSize() ? mebibytes(map, of.name()) : map.integer(of.name(), 0);
                if (value < 1 || value > better) {
                    throw map.error(of.name(), "expected 1 to " + better + (kind.isSize() ? " MiB" : "") + ", got " + value);
                }
                values.put(of, value);
                better = of == GuestClass.HOST ? most : value;    // a better class has no smaller one
            }
        }
        map.only(Stream.of(GuestClass.values()).map(Enum::name).toList());
        if (values.isEmpty()) {
            throw root.error(kind.byClass(), "expected a value for some class, such as {NLS: 20}");
        }
        return values;
    }

    private static int mebibytes(YamlMap map, String key) throws ConfigException {
        long bytes = map.size(key);
        if (bytes % MIB != 0 || bytes / MIB > Integer.MAX_VALUE) {
            throw map.error(key, "expected whole MiB, such as 512MiB, got " + bytes + " bytes");
        }
        return (int) (bytes / MIB);
    }
}
