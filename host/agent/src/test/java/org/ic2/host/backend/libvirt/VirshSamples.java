// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend.libvirt;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** What the virsh of a real libvirt 9.0.0 with QEMU 7.2 printed, with control groups of version 1. */
final class VirshSamples {

    private VirshSamples() {
    }

    /** The output of a recorded command. */
    static String of(String file) {
        try (InputStream in = VirshSamples.class.getResourceAsStream("/libvirt/" + file + ".txt")) {
            String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            return text.substring(text.indexOf('\n') + 1, text.lastIndexOf("# rc="));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
