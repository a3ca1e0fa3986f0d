// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.http;

/**
 * The server under load.
 *
 * @param tls  whether to speak TLS
 * @param host name or address
 * @param port TCP port
 */
public record ServerAddress(boolean tls, String host, int port) {
    /** Checks the port. */
    public ServerAddress {
        if (port < 1 || port > 65535) {
            throw new IllegalArgumentException("port " + port + " is not in 1..65535");
        }
    }

    /** Value of the Host header: the port is left out when it is the scheme's own. */
    String authority() {
        String name = host.indexOf(':') >= 0 ? "[" + host + "]" : host;
        return port == (tls ? 443 : 80) ? name : name + ":" + port;
    }
}
