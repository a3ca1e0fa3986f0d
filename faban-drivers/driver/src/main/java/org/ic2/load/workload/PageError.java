// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.workload;

import java.io.IOException;

/** The server answered, but not with what the operation needs. */
public final class PageError extends IOException {
    private static final long serialVersionUID = 1;

    /**
     * An error.
     *
     * @param message what was expected and what came
     */
    public PageError(String message) {
        super(message);
    }
}
