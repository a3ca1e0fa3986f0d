// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.testing;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/** Ports for servers that are told theirs, also for those that are away for a while and come back. */
public final class FreePort {

    /** A testbed's are below, those of httpd's tests above. */
    private static final int LEAST = 15_000;
    private static final int BEYOND = 20_000;

    private FreePort() {
    }

    /** One below those that Linux hands out by itself unless told otherwise: no other program's connection takes it meanwhile. */
    public static int any() throws IOException {
        while (true) {
            int port = ThreadLocalRandom.current().nextInt(LEAST, BEYOND);
            try (ServerSocket probe = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                return probe.getLocalPort();
            } catch (BindException e) {
                continue;   // somebody's
            }
        }
    }
}
