// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.http;

import java.io.IOException;

/** The connection ended before the first byte of a response: harmless on a reused one, because the request can be sent again. */
final class StaleConnection extends IOException {
    private static final long serialVersionUID = 1;

    StaleConnection(String message, Throwable cause) {
        super(message, cause);
    }
}
