// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend;

import java.io.IOException;
import java.nio.file.Path;
import org.ic2.runtime.yaml.ConfigException;

/**
 * A kind of host in a jar of its own, found on the class path by {@link java.util.ServiceLoader}: a class with a public constructor
 * without arguments, and its name as a line of {@code META-INF/services/org.ic2.host.backend.BackendProvider}. All that it is made
 * of is in one file.
 */
public interface BackendProvider {

    /** What {@code host.yaml} names it: {@code backend.type}; no name of ours. */
    String type();

    /** The key beside {@code type} that names its file. */
    String key();

    /**
     * Opens the host of a file; it changes nothing.
     *
     * @throws IOException     if the file cannot be read
     * @throws ConfigException if the file says something wrong
     */
    Backend open(Path file) throws IOException, ConfigException;
}
