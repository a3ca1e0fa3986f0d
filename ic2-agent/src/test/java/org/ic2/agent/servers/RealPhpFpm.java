// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The machine's php-fpm with a static pool of two children, in a directory of the test. */
public final class RealPhpFpm implements AutoCloseable {

    /** Debian's has its version in its name. */
    private static final Pattern NAME = Pattern.compile("php-fpm[0-9.]*");

    private final Path directory;
    private final Processes processes;

    public RealPhpFpm(Path directory) throws Exception {
        this.directory = directory;
        boolean root = "root".equals(System.getProperty("user.name"));
        Files.writeString(main(), "[global]\npid=" + pidFile() + "\nerror_log=" + directory.resolve("fpm.log")
                + "\ndaemonize=no\nprocess_control_timeout=5s\ninclude=" + pool() + "\n");
        Files.writeString(pool(), "[www]\n" + (root ? "user=root\ngroup=root\n" : "") + "listen="
                + directory.resolve("fpm.sock") + "\npm = static\npm.max_children = 2\npm.status_path = /status\n"
                + "pm.status_listen = " + status() + "\n");
        processes = new Processes(new ProcessBuilder(program(), "-R", "-y", main().toString()).redirectErrorStream(true)
                .redirectOutput(directory.resolve("out").toFile()).start());
        processes.awaitStart("php-fpm", () -> Files.exists(status()) && Files.exists(pidFile()));
    }

    public static boolean installed() {
        return found().isPresent();
    }

    public static String program() {
        return found().orElseThrow(() -> new IllegalStateException("no php-fpm in /usr/sbin; install the package php-fpm"));
    }

    private static Optional<String> found() {
        try (Stream<Path> programs = Files.list(Path.of("/usr/sbin"))) {
            return programs.filter(program -> NAME.matcher(program.getFileName().toString()).matches()).map(Path::toString)
                    .max(Comparator.naturalOrder());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** php-fpm as it was started. */
    public List<String> command() {
        return List.of(program(), "-R", "-y", main().toString());
    }

    private Path main() {
        return directory.resolve("fpm.conf");
    }

    public Path pool() {
        return directory.resolve("pool.conf");
    }

    public Path pidFile() {
        return directory.resolve("fpm.pid");
    }

    public Path status() {
        return directory.resolve("status.sock");
    }

    /** Stops master and children, as one that hangs. */
    public void freeze() throws IOException, InterruptedException {
        processes.signal("-STOP");
    }

    public void thaw() throws IOException, InterruptedException {
        processes.signal("-CONT");
    }

    /** {@code kill -9} of the master. */
    public void killMaster() throws IOException, InterruptedException {
        processes.killMaster();
    }

    @Override
    public void close() throws IOException {
        processes.end();
    }
}
