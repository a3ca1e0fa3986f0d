// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.config;

import java.nio.file.Path;

/** How host and tenants tell each other what they do. */
public sealed interface ContractChoice {

    /**
     * A directory that guests see, as far as each is to see it.
     *
     * @param path of it
     * @param at   file, line and key, for errors
     */
    record Directory(Path path, String at) implements ContractChoice {
        /** Where the host writes. */
        public Path notices() {
            return path.resolve("notice");
        }

        /** Where tenants write. */
        public Path tenants() {
            return path.resolve("tenant");
        }
    }

    /**
     * Two files of a single guest.
     *
     * @param guest    its name
     * @param notice   where the host writes
     * @param tenant   where the tenant writes
     * @param noticeAt file, line and key, for errors
     * @param tenantAt the tenant's
     */
    record Files(String guest, Path notice, Path tenant, String noticeAt, String tenantAt) implements ContractChoice {
    }

    /** Xenstore. */
    record Xenstore() implements ContractChoice {
    }
}
