// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.olio;

import java.io.IOException;

/** The server answered, but not with what the operation needs. */
final class PageError extends IOException {
    private static final long serialVersionUID = 1;

    PageError(String message) {
        super(message);
    }
}
