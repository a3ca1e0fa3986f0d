// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.plugin;

import java.util.Map;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.function.Function;

/** What other jars on the class path bring, added to what is there already. */
public final class Providers {
    private Providers() {
    }

    /**
     * Adds every provider of a service by its name.
     *
     * @param types gets them
     * @throws IllegalStateException if one cannot be loaded, or has the name of another; says which class, and what to
     *                               do
     */
    public static <T, P extends T> void addTo(Map<String, T> types, Class<P> service, Function<P, String> name) {
        try {
            for (P provider : ServiceLoader.load(service)) {
                T known = types.putIfAbsent(name.apply(provider), provider);
                if (known != null) {
                    throw new IllegalStateException(provider.getClass().getName() + ": the type \""
                            + name.apply(provider) + "\" is taken; choose another name");
                }
            }
        } catch (ServiceConfigurationError e) {
            throw new IllegalStateException("a jar on the class path cannot be used: " + e.getMessage()
                    + "; mend it, or take it off the class path", e);
        }
    }
}
