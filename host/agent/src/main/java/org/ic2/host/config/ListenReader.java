// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.config;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Locale;
import org.ic2.runtime.yaml.ConfigException;
import org.ic2.runtime.yaml.YamlMap;

/** Reads where metrics and status are served. */
final class ListenReader {

    private ListenReader() {
    }

    /** Loopback alone: nothing here asks who you are. */
    static InetSocketAddress read(YamlMap map) throws ConfigException {
        InetSocketAddress address = map.parsed("listen", ListenReader::address);
        map.done();
        return address;
    }

    private static InetSocketAddress address(String text) {
        int colon = text.lastIndexOf(':');
        String port = text.substring(colon + 1);
        if (colon < 1 || !port.matches("\\d{1,5}") || Integer.parseInt(port) > 65_535) {
            throw new IllegalArgumentException("expected an address and its port such as 127.0.0.1:9465, got \"" + text + "\"");
        }
        String host = text.substring(0, colon).replaceAll("^\\[|]$", "").toLowerCase(Locale.ROOT);
        if (!host.matches("[0-9.]+|[0-9a-f:]+|localhost")) {
            throw new IllegalArgumentException("expected an address such as 127.0.0.1, got \"" + host + "\"");
        }
        try {
            InetAddress address = InetAddress.getByName(host);
            if (!address.isLoopbackAddress()) {
                throw new IllegalArgumentException("expected a loopback address such as 127.0.0.1:9465, got \"" + text + "\"");
            }
            return new InetSocketAddress(address, Integer.parseInt(port));
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException("expected an address such as 127.0.0.1, got \"" + host + "\"", e);
        }
    }
}
