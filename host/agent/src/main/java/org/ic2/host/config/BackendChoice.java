// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.config;

import java.nio.file.Path;
import java.util.Optional;
import org.ic2.host.backend.BackendProvider;

/** Which host is managed, and how it is reached. */
public sealed interface BackendChoice {

    /** The word of the file. */
    String type();

    /** Xen's own commands, in Dom0. */
    record Xen() implements BackendChoice {
        @Override
        public String type() {
            return "xen";
        }
    }

    /**
     * Control groups of Linux, each a guest.
     *
     * @param groups the group whose children they are
     * @param qmp    directory of the monitors of virtual machines, whose balloons then move their memory
     */
    record Cgroup(String groups, Optional<String> qmp) implements BackendChoice {
        @Override
        public String type() {
            return "cgroup";
        }
    }

    /** Domains of the libvirt that runs here. */
    record Libvirt() implements BackendChoice {
        @Override
        public String type() {
            return "libvirt";
        }
    }

    /** What {@code run --record} wrote. */
    record Replay(Path file) implements BackendChoice {
        @Override
        public String type() {
            return "replay";
        }
    }

    /**
     * One of a jar beside ours: see {@link BackendProvider}.
     *
     * @param type the provider's
     * @param key  the key that names its file
     * @param file what it is made of
     */
    record Added(String type, String key, Path file) implements BackendChoice {
    }
}
