// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.host;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * A shell on the other side that answers one short command after the other, so that reading a file costs a round
 * trip and not a process here. Each answer ends with a mark that carries the command's number and exit status. An
 * answer that is late leaves the shell in an unknown state: the shell is closed.
 */
final class RemoteShell implements AutoCloseable {

    private static final String MARK = "ic2-answer-";

    /** Ends the queue when the shell is gone. */
    private static final String END = new String("end of output");

    private final Process process;
    private final OutputStream input;
    private final LinkedBlockingQueue<String> lines = new LinkedBlockingQueue<>();
    private long number;

    RemoteShell(java.util.List<String> command) throws IOException {
        process = new ProcessBuilder(command).redirectErrorStream(true).start();
        input = process.getOutputStream();
        Thread reader = new Thread(null, this::copy, "remote shell", 128 * 1024);
        reader.setDaemon(true);
        reader.start();
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
                String next = lines.poll(end - System.nanoTime(), TimeUnit.NANOSECONDS);
                if (next == null) {
                    throw new IOException("no answer within " + deadline.toMillis() + " ms");
                }
                if (next == END) {
                    throw new IOException("the connection ended: " + text.toString().strip());
                }
                if (next.startsWith(mark)) {
                    answered = true;
                    return new CommandResult(Integer.parseInt(next.substring(mark.length())), withoutLastNewline(text));
                }
                text.append(next).append('\n');
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

    private void copy() {
        LineBuffer buffer = new LineBuffer();
        byte[] chunk = new byte[8 * 1024];
        try (InputStream output = process.getInputStream()) {
            for (int count = output.read(chunk); count > 0; count = output.read(chunk)) {
                buffer.add(chunk, count);
                lines.addAll(buffer.take());
            }
        } catch (IOException e) {
            lines.add(e.getMessage());
        } finally {
            lines.add(END);
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
