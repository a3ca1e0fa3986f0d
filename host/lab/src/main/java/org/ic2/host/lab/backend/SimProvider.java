// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.lab.backend;

import java.io.IOException;
import java.nio.file.Path;
import org.ic2.host.backend.Backend;
import org.ic2.host.backend.BackendProvider;
import org.ic2.runtime.yaml.ConfigException;

/** {@code backend: {type: sim, scenario: FILE}}. */
public final class SimProvider implements BackendProvider {

    @Override
    public String type() {
        return "sim";
    }

    @Override
    public String key() {
        return "scenario";
    }

    @Override
    public Backend open(Path file) throws IOException, ConfigException {
        return SimBackend.open(file);
    }
}
