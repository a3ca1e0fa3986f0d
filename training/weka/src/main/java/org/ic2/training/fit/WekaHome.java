// SPDX-License-Identifier: GPL-3.0-or-later
package org.ic2.training.fit;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import weka.classifiers.trees.J48;

/**
 * Keeps Weka's package manager, which starts with the first classifier, away from the user's home and silent about the
 * numerical libraries that J48 does not need.
 */
final class WekaHome {
    private static final String PROPERTY = "WEKA_HOME";

    private WekaHome() {
    }

    /** Must come before any other use of Weka; later calls do nothing. */
    static synchronized void prepare() {
        if (System.getProperty(PROPERTY) != null) {
            return;
        }
        try {
            Path folder = Files.createTempDirectory("ic2-weka");
            System.setProperty(PROPERTY, folder.toString());
            System.setProperty("weka.core.loadPackages", "false");
            Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(folder.toFile())));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot make a temporary folder for Weka", e);
        }
        silently(() -> new J48().getCapabilities());
    }

    /** Weka's start prints a warning about libraries for which there is no switch. */
    private static void silently(Runnable start) {
        PrintStream out = System.out;
        PrintStream err = System.err;
        PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8);
        System.setOut(nowhere);
        System.setErr(nowhere);
        try {
            start.run();
        } finally {
            System.setOut(out);
            System.setErr(err);
        }
    }

    private static void delete(File file) {
        File[] inside = file.listFiles();
        if (inside != null) {
            for (File one : inside) {
                delete(one);
            }
        }
        if (!file.delete()) {
            file.deleteOnExit();
        }
    }
}
