// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.host;

/**
 * What a finished command left.
 *
 * @param exitStatus the command's exit status; 128 + the signal's number when a signal ended it
 * @param output     its output and error output together, at most {@link #OUTPUT_LIMIT} bytes of it
 */
public record CommandResult(int exitStatus, String output) {

    /** More output than this is dropped: no command of ours has a use for it. */
    public static final int OUTPUT_LIMIT = 256 * 1024;

    /** True when the command says that it did its work. */
    public boolean succeeded() {
        return exitStatus == 0;
    }

    /** False when a signal ended it, so that nobody knows how far it came; of ssh's own failures nobody does either. */
    public boolean endedByItself() {
        return exitStatus < 128;
    }

    /** The last line that is not blank, where most programs say what went wrong. */
    public String lastLine() {
        String text = output.strip();
        return text.isEmpty() ? "no output" : BoundedText.brief(text.substring(text.lastIndexOf('\n') + 1));
    }
}
