// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.host;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;

/**
 * A shell on the other side that answers one short command after the other, so that reading a file costs a round
 * trip and not a process here. Each answer ends with a mark that carries the command's number and exit status. An
 * answer that is late leaves the shell in an unknown state: the shell is closed.
 */
final class RemoteShell implements AutoCloseable {

    private static final String MARK = "ic2-answer-";

    private final Process process;
    private final OutputStream input;
    private final CommandOutput output;
    private long number;

    RemoteShell(List<String> command) throws IOException {
        process = new ProcessBuilder(command).redirectErrorStream(true).start();
        input = process.getOutputStream();
        output = new CommandOutput("remote shell", process.getInputStream());
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** Runs one line of shell and returns what it printed. */
    CommandResult ask(String line, Duration deadline) throws IOException, InterruptedException {
        String mark = MARK + ++number + " ";
        input.write(("{ " + line + "\n} 2>&1 </dev/null; printf '\\n" + mark + "%d\\n' $?\n")
                .getBytes(StandardCharsets.UTF_8));
        input.flush();
        StringBuilder text = new StringBuilder();
        long end = System.nanoTime() + deadline.toNanos();
        boolean answered = false;
        try {
            while (true) {
                List<String> lines = output.take(Duration.ofNanos(end - System.nanoTime()));
                for (String next : lines) {
                    if (next.startsWith(mark)) {
                        answered = true;
                        return new CommandResult(status(next.substring(mark.length())), withoutLastNewline(text));
                    }
                    text.append(next).append('\n');
                }
                if (output.lost() > 0 || text.length() > BoundedText.FILE_BYTES) {
                    throw new IOException("more came than " + BoundedText.size(BoundedText.FILE_BYTES));
                }
                if (output.isOver()) {
                    throw new IOException("the connection ended: " + BoundedText.brief(text.toString()));
                }
                if (lines.isEmpty() && System.nanoTime() >= end) {
                    throw new IOException("no answer within " + deadline.toMillis() + " ms");
                }
            }
        } finally {
            if (!answered) {
                close();
            }
        }
    }

    /** The mark is preceded by a newline of ours. */
    private static String withoutLastNewline(StringBuilder text) {
        return text.isEmpty() ? "" : text.substring(0, text.length() - 1);
    }

    private static int status(String text) throws IOException {
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException e) {
            throw new IOException("expected an exit status after the answer, got \"" + BoundedText.brief(text) + "\"", e);
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
