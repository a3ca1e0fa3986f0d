// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.host;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Cuts a stream of bytes into lines; keeps an unfinished last line for the next call. Not thread-safe. */
final class LineBuffer {

    /** A longer line is no line of a log: it is dropped up to its end. */
    static final int LONGEST_LINE = 64 * 1024;

    private byte[] partial = new byte[512];
    private int length;
    private boolean dropping;
    private List<String> lines = new ArrayList<>();

    void add(byte[] bytes, int count) {
        for (int i = 0; i < count; i++) {
            byte next = bytes[i];
            if (next == '\n') {
                endLine();
            } else if (!dropping) {
                append(next);
            }
        }
    }

    /** The lines that are complete. */
    List<String> take() {
        if (lines.isEmpty()) {
            return List.of();
        }
        List<String> complete = lines;
        lines = new ArrayList<>();
        return complete;
    }

    /** Forgets an unfinished line, for a file that begins anew. */
    void discardPartial() {
        length = 0;
        dropping = false;
    }

    private void endLine() {
        if (!dropping) {
            int end = length > 0 && partial[length - 1] == '\r' ? length - 1 : length;
            lines.add(new String(partial, 0, end, StandardCharsets.UTF_8));
        }
        discardPartial();
    }

    private void append(byte next) {
        if (length == LONGEST_LINE) {
            length = 0;
            dropping = true;
            return;
        }
        if (length == partial.length) {
            partial = java.util.Arrays.copyOf(partial, Math.min(LONGEST_LINE, partial.length * 2));
        }
        partial[length++] = next;
    }
}
