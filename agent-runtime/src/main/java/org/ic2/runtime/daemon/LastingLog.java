// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.daemon;

import java.util.logging.LogManager;

/**
 * A log that lasts to the end of the process. Java's own is taken down by a shutdown hook, beside the one in which the
 * agent restores the baseline; what the agent says then, that it could not for example, would reach nobody.
 */
public final class LastingLog extends LogManager {

    @Override
    public void reset() {
        // nothing is kept back that would have to be written at the end
    }
}
