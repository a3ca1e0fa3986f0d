// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.config;

import java.nio.file.Path;
import java.util.Optional;
import org.ic2.agent.sensor.SensorRegistry;
import org.ic2.runtime.yaml.ConfigException;
import org.ic2.runtime.yaml.YamlMap;

/**
 * Where the agent tells the host what its tenant sees: one of both.
 *
 * @param file     a file that the host reads
 * @param xenstore a path of the guest's own in xenstore
 */
public record TellHost(Optional<Path> file, Optional<String> xenstore) {

    static TellHost read(YamlMap map) throws ConfigException {
        TellHost choice = new TellHost(map.optionalParsed("file", Path::of).map(Path::toAbsolutePath),
                map.optionalParsed("xenstore", SensorRegistry::xenstorePath));
        map.done();
        if (choice.file().isPresent() == choice.xenstore().isPresent()) {
            throw map.error("file", choice.file().isPresent() ? "expected no xenstore beside it"
                    : "missing, and no xenstore: data/ic2/tenant in its place");
        }
        return choice;
    }

    @Override
    public String toString() {
        return file.map(Path::toString).orElseGet(() -> "xenstore's " + xenstore.orElse(""));
    }
}
