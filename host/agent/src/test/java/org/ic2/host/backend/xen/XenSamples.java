// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend.xen;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** What the commands of a real Xen 4.17 printed. */
final class XenSamples {

    /** One recorded command. */
    record Sample(int status, String output, String errors) {

        /** From the first line that begins with these words on. */
        String from(String words) {
            int at = output.startsWith(words) ? 0 : output.indexOf("\n" + words) + 1;
            if (!output.startsWith(words, at)) {
                throw new AssertionError("no line begins with " + words);
            }
            return output.substring(at);
        }

        /** From one line on to before another. */
        String between(String first, String next) {
            String rest = from(first);
            return rest.substring(0, rest.indexOf("\n" + next, 1) + 1);
        }

        List<String> lines() {
            return output.lines().toList();
        }
    }

    private XenSamples() {
    }

    static Sample of(String file) {
        try (InputStream in = XenSamples.class.getResourceAsStream("/xen/" + file + ".txt")) {
            String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            int output = text.indexOf("# --- stdout\n");
            int errors = text.indexOf("# --- stderr\n");
            int status = Integer.parseInt(text.substring(text.indexOf("# rc=") + 5, text.indexOf('\n', text.indexOf("# rc="))));
            return new Sample(status, text.substring(output + "# --- stdout\n".length(), errors),
                    text.substring(errors + "# --- stderr\n".length()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
