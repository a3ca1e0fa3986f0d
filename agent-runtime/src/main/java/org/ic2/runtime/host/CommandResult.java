// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.host;

/**
 * What a finished command left.
 *
 * @param exitStatus the command's exit status; 128 + the signal's number when a signal ended it
 * @param output     its output, at most {@link #OUTPUT_LIMIT} bytes of it
 * @param errors     its error output, likewise
 * @param truncated  true when it said more than that
 */
public record CommandResult(int exitStatus, String output, String errors, boolean truncated) {

    /** More than this of either is dropped. */
    public static final int OUTPUT_LIMIT = 256 * 1024;

    /** Of a command that said nothing on its error output, or both on one. */
    public CommandResult(int exitStatus, String output) {
        this(exitStatus, output, "", false);
    }

    /** True when the command says that it did its work. */
    public boolean succeeded() {
        return exitStatus == 0;
    }

    /** False when a signal ended it, so that nobody knows how far it came; of ssh's own failures nobody does either. */
    public boolean endedByItself() {
        return exitStatus < 128;
    }

    /** Its output and then its error output, for those whose answer may be on either. */
    public String all() {
        return errors.isEmpty() ? output : output.isEmpty() || output.endsWith("\n") ? output + errors : output + "\n" + errors;
    }

    /** The last line that is not blank, of the error output if there is one: where most programs say what went wrong. */
    public String lastLine() {
        String text = all().strip();
        return text.isEmpty() ? "no output" : BoundedText.brief(text.substring(text.lastIndexOf('\n') + 1));
    }
}
