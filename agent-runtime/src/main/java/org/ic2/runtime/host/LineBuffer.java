// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.host;

import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * Cuts a stream of bytes into lines; keeps an unfinished last line for the next call. It holds {@link #MOST_WEIGHT} of
 * complete lines: when nobody takes them the oldest go. Not thread-safe.
 */
public final class LineBuffer {

    /** A longer line is no line of a log: it is dropped up to its end. */
    public static final int LONGEST_LINE = 64 * 1024;

    /** In letters, where each line, a blank one too, weighs {@link #LINE_WEIGHT} more: what it takes in memory. */
    static final int MOST_WEIGHT = 2 * 1024 * 1024;

    static final int LINE_WEIGHT = 64;

    private final int longest;
    private byte[] partial = new byte[512];
    private int length;
    private boolean dropping;
    private final Deque<String> lines = new ArrayDeque<>();
    private int weight;
    private long lost;

    /** For the lines of a log. */
    public LineBuffer() {
        this(LONGEST_LINE);
    }

    /** @param longest in bytes; a longer line is dropped up to its end */
    public LineBuffer(int longest) {
        this.longest = longest;
    }

    public void add(byte[] bytes, int count) {
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
    public List<String> take() {
        if (lines.isEmpty()) {
            return List.of();
        }
        List<String> complete = new ArrayList<>(lines);
        lines.clear();
        weight = 0;
        return complete;
    }

    boolean isEmpty() {
        return lines.isEmpty();
    }

    /** How many lines went untaken, or were too long, so far. */
    long lost() {
        return lost;
    }

    /** Forgets an unfinished line, for a file that begins anew. */
    void discardPartial() {
        length = 0;
        dropping = false;
    }

    /** Ends an unfinished line, for a file that ends without a newline. */
    public void end() {
        if (length > 0 || dropping) {
            endLine();
        }
    }

    private void endLine() {
        if (!dropping) {
            int end = length > 0 && partial[length - 1] == '\r' ? length - 1 : length;
            String line = new String(partial, 0, end, StandardCharsets.UTF_8);
            lines.addLast(line);
            weight += line.length() + LINE_WEIGHT;
            while (weight > MOST_WEIGHT) {
                weight -= lines.removeFirst().length() + LINE_WEIGHT;
                lost++;
            }
        }
        discardPartial();
    }

    private void append(byte next) {
        if (length == longest) {
            length = 0;
            dropping = true;
            lost++;
            return;
        }
        if (length == partial.length) {
            partial = java.util.Arrays.copyOf(partial, Math.min(longest, partial.length * 2));
        }
        partial[length++] = next;
    }
}
