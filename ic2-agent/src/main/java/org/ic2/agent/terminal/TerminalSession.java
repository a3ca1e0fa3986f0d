// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.terminal;

import java.io.File;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntConsumer;
import org.ic2.runtime.daemon.Signals;

/**
 * The whole screen of the terminal that we run in, which gets back what it showed. It is asked and set by stty, which each
 * Debian has: a library would bring half a megabyte and call the same program.
 */
public final class TerminalSession implements AutoCloseable {

    /** The other screen, which leaves what was there alone; no cursor; rows that are too long are cut off. */
    private static final String ENTER = "\u001b[?1049h\u001b[?25l\u001b[?7l\u001b[2J";
    private static final String LEAVE = "\u001b[0m\u001b[?7h\u001b[?25h\u001b[?1049l";
    private static final String CLEAR_LINE = "\u001b[2K";

    private final OutputStream out = new FileOutputStream(FileDescriptor.out);
    private final Runnable changed;
    private final boolean keys;
    private final String before;
    private TerminalSize size = TerminalSize.USUAL;
    private boolean shown;
    private boolean closed;

    /**
     * Takes the screen.
     *
     * @param changed called when it has to be drawn anew: of another size, or back after Ctrl-Z
     * @param key     called with each character that is typed, -1 at the end of the input
     */
    public TerminalSession(Runnable changed, IntConsumer key) {
        this.changed = changed;
        keys = isTerminal(0);
        before = keys ? stty("-g") : "";
        Runtime.getRuntime().addShutdownHook(new Thread(this::close, "terminal"));
        signals();
        enter();
        if (keys) {
            Thread reader = new Thread(() -> read(key), "keys");
            reader.setDaemon(true);
            reader.start();
        }
    }

    /** Whether standard input (0) or output (1) is a terminal; only a program that inherits it can tell. */
    public static boolean isTerminal(int descriptor) {
        try {
            return new ProcessBuilder("test", "-t", Integer.toString(descriptor)).inheritIO().start().waitFor() == 0;
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** The size of the terminal that we run in. */
    public static TerminalSize sizeNow() {
        return TerminalSize.parse(stty("size"));
    }

    /** What stty says of our terminal; nothing if it cannot be asked. */
    private static String stty(String... arguments) {
        List<String> command = new ArrayList<>(List.of("stty"));
        command.addAll(List.of(arguments));
        try {
            Process stty = new ProcessBuilder(command)
                    .redirectInput(isTerminal(0) ? Redirect.INHERIT : Redirect.from(new File("/dev/tty")))
                    .redirectError(Redirect.DISCARD).start();
            String said = new String(stty.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            return stty.waitFor() == 0 ? said : "";
        } catch (IOException e) {
            return "";
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "";
        }
    }

    private void signals() {
        try {
            Signals.on("WINCH", this::enter);
            Signals.on("CONT", this::enter);
            Signals.on("TSTP", this::suspend);
        } catch (ReflectiveOperationException | IllegalArgumentException e) {
            // then it keeps its size, and Ctrl-Z the screen
            return;
        }
    }

    /** At the start, at another size, and back from Ctrl-Z: all the same to us. */
    private synchronized void enter() {
        if (closed) {
            return;
        }
        size = sizeNow();
        if (!before.isEmpty()) {
            // Ctrl-C and Ctrl-Z still make signals
            stty("-icanon", "-echo", "min", "1", "time", "0");
        }
        write(shown ? "\u001b[2J" : ENTER);
        shown = true;
        changed.run();
    }

    private synchronized void leave() {
        if (shown) {
            write(LEAVE);
            if (!before.isEmpty()) {
                stty(before);
            }
            shown = false;
        }
    }

    /** Ctrl-Z: the shell gets its screen back while we are stopped. */
    private void suspend() {
        leave();
        try {
            new ProcessBuilder("sh", "-c", "kill -STOP " + ProcessHandle.current().pid()).start().waitFor();
        } catch (IOException e) {
            enter();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void read(IntConsumer key) {
        InputStream in = System.in;
        int typed;
        do {
            try {
                typed = in.read();
            } catch (IOException e) {
                typed = -1;
            }
            key.accept(typed);
        } while (typed >= 0);
    }

    /** As it was when it was last asked. */
    public synchronized TerminalSize size() {
        return size;
    }

    /** Shows these rows, and nothing below them. */
    public synchronized void draw(List<String> rows) {
        if (!shown) {
            return;
        }
        StringBuilder all = new StringBuilder();
        for (int i = 0; i < size.rows(); i++) {
            // first, since behind a full row it would take away the last column
            all.append("\u001b[").append(i + 1).append(";1H").append(CLEAR_LINE).append(i < rows.size() ? rows.get(i) : "");
        }
        write(all.toString());
    }

    private void write(String text) {
        try {
            out.write(text.getBytes(StandardCharsets.UTF_8));
            out.flush();
        } catch (IOException e) {
            // the terminal is gone, and a signal ends us
            shown = false;
        }
    }

    /** Gives the screen back. */
    @Override
    public synchronized void close() {
        closed = true;
        leave();
    }
}
