// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.servers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Collectors;
import org.ic2.runtime.host.HttpGet;
import org.ic2.runtime.host.LocalHost;
import org.ic2.runtime.testing.FreePort;

/** httpd-online as {@code httpd-online/build.sh} made it, with its own configuration in a directory of the test. */
public final class RealHttpd implements AutoCloseable {

    /** Below a link where the clone's path is none for httpd. */
    private static final Path BUILT = Path.of("../build/httpd/bin/httpd");

    private final Path binary;
    private final Path directory;
    private final int port;
    private final String sign;
    private Processes processes;

    public RealHttpd(Path directory) throws Exception {
        this(directory, List.of(), "");
    }

    /**
     * @param modules further ones
     * @param further lines of its configuration
     */
    public RealHttpd(Path directory, List<String> modules, String further) throws Exception {
        this(directory, modules, """
                ReconfigureFile "%1$s/tunables.conf"
                Include "%1$s/tunables.conf"
                %2$s
                """.formatted(directory, further), "MaxRequestWorkers:");
    }

    /** One that cannot be reconfigured while it runs, as of any distribution. */
    public static RealHttpd stock(Path directory, List<String> modules, String further) throws Exception {
        return new RealHttpd(directory, modules, further, "BusyWorkers:");
    }

    /** @param sign a word of the status page that says that it is up */
    private RealHttpd(Path directory, List<String> modules, String further, String sign) throws Exception {
        this.directory = directory;
        this.sign = sign;
        binary = BUILT.toRealPath();
        port = FreePort.any();
        boolean root = "root".equals(System.getProperty("user.name"));
        Files.writeString(tunables(), "MaxRequestWorkers 650\nKeepAliveTimeout 5\nReconfigureVariable MITIGATION 0\n");
        Files.writeString(directory.resolve("httpd.conf"), """
                ServerRoot "%1$s"
                ServerName localhost
                Listen 127.0.0.1:%3$d
                LoadModule mpm_worker_module modules/mod_mpm_worker.so
                LoadModule unixd_module modules/mod_unixd.so
                LoadModule authz_core_module modules/mod_authz_core.so
                LoadModule status_module modules/mod_status.so
                DefaultRuntimeDir "%2$s"
                PidFile "%2$s/httpd.pid"
                ErrorLog "%2$s/error.log"
                DocumentRoot "%2$s"
                %4$s
                ThreadsPerChild 25
                ServerLimit 26
                StartServers 2
                ExtendedStatus On
                <Location /server-status>
                    SetHandler server-status
                </Location>
                %5$s
                %6$s
                """.formatted(binary.getParent().getParent(), directory, port, root ? "User www-data\nGroup www-data" : "",
                modules.stream().map(name -> "LoadModule " + name + "_module modules/mod_" + name + ".so\n")
                        .collect(Collectors.joining()), further));
        Files.writeString(apachectl(), """
                #!/bin/sh
                [ "$1" = -k ] || set -- -k "$@"
                '%s' -f '%s/httpd.conf' "$@" || exit
                touch '%2$s/done'
                while [ -f '%2$s/hold' ]; do sleep 0.05; done
                """.formatted(binary, directory));
        Files.setPosixFilePermissions(apachectl(), PosixFilePermissions.fromString("rwxr-xr-x"));
        start();
    }

    public static boolean built() {
        return Files.isExecutable(BUILT);
    }

    /** Starts it, also again after {@link #kill}; it comes up with what its file of tunables says. */
    public void start() throws Exception {
        Files.deleteIfExists(directory.resolve("httpd.pid"));
        processes = new Processes(new ProcessBuilder(binary.toString(), "-f", directory.resolve("httpd.conf").toString(),
                "-DFOREGROUND").redirectErrorStream(true).redirectOutput(directory.resolve("out").toFile()).start());
        processes.awaitStart("httpd: " + directory.resolve("error.log"), () -> {
            if (!processes.alive()) {
                throw new AssertionError("httpd ended: " + Files.readString(directory.resolve("out")));
            }
            return page().contains(sign);
        });
    }

    /** Master and children end at once, as by the kernel's out-of-memory killer. */
    public void kill() throws IOException {
        processes.end();
    }

    /** While on, the command {@code apachectl} does not return after it has done its work; {@code done} appears. */
    public void holdCommand(boolean on) throws IOException {
        Files.deleteIfExists(directory.resolve("done"));
        if (on) {
            Files.createFile(directory.resolve("hold"));
        } else {
            Files.deleteIfExists(directory.resolve("hold"));
        }
    }

    public Path done() {
        return directory.resolve("done");
    }

    public String url() {
        return "http://127.0.0.1:" + port + "/server-status?auto";
    }

    public Path apachectl() {
        return directory.resolve("apachectl");
    }

    /** The file of tunables, which outlives the server. */
    public Path tunables() {
        return directory.resolve("tunables.conf");
    }

    /** The status page as httpd prints it. */
    public String page() throws IOException, InterruptedException {
        return new HttpGet(new LocalHost(), url()).fetch();
    }

    @Override
    public void close() throws IOException {
        Files.deleteIfExists(directory.resolve("hold"));
        processes.end();
    }
}
