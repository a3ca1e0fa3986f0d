// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend;

import java.util.Map;
import java.util.TreeMap;
import org.ic2.runtime.plugin.Providers;

/** The kinds of hosts that other jars on the class path bring. */
public final class BackendProviders {

    private BackendProviders() {
    }

    /**
     * All of them, by their types.
     *
     * @throws IllegalStateException if one cannot be loaded, or has the type of another
     */
    public static Map<String, BackendProvider> all() {
        Map<String, BackendProvider> types = new TreeMap<>();
        Providers.addTo(types, BackendProvider.class, BackendProvider::type);
        return types;
    }
}
