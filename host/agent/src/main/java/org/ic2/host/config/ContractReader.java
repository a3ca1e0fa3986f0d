// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.config;

import java.nio.file.Path;
import java.util.Map;
import org.ic2.runtime.yaml.ConfigException;
import org.ic2.runtime.yaml.YamlMap;

/** Reads {@code contract:}. */
final class ContractReader {

    private ContractReader() {
    }

    static ContractChoice read(YamlMap map, Path directory, BackendChoice backend, Map<String, GuestRule> guests)
            throws ConfigException {
        String type = map.text("type");
        ContractChoice choice = switch (type) {
            case "directory" -> new ContractChoice.Directory(path(map, "path", directory), HostConfigReader.at(map, "path"));
            case "file" -> new ContractChoice.Files(guest(map, guests), path(map, "notice", directory), path(map, "tenant", directory),
                    HostConfigReader.at(map, "notice"), HostConfigReader.at(map, "tenant"));
            case "xenstore" -> xenstore(map, backend);
            default -> throw map.error("type", "expected directory, file or xenstore, got \"" + type + "\"");
        };
        map.done();
        if (guests.isEmpty()) {
            throw map.error("type", "expected guests to be named under \"guests\": only they are told anything");
        }
        return choice;
    }

    private static Path path(YamlMap map, String key, Path directory) throws ConfigException {
        return directory.resolve(map.<Path>parsed(key, Path::of));
    }

    private static String guest(YamlMap map, Map<String, GuestRule> guests) throws ConfigException {
        String name = map.text("guest");
        if (!guests.containsKey(name)) {
            throw map.error("guest", "expected a guest that is named under \"guests\", got \"" + name + "\"");
        }
        return name;
    }

    private static ContractChoice xenstore(YamlMap map, BackendChoice backend) throws ConfigException {
        if (!(backend instanceof BackendChoice.Xen)) {
            throw map.error("type", "xenstore is Xen's; with backend " + backend.type() + " expected directory or file");
        }
        return new ContractChoice.Xenstore();
    }
}
