// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.servers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;

/** An httpd that cannot be reconfigured online and takes mitigation level and the wall's flag from the file of a RewriteMap. */
public final class MappedHttpd implements AutoCloseable {

    private final RealHttpd httpd;
    private final Path map;

    /** Its files go below a directory that httpd's user may enter. */
    public MappedHttpd(Path directory) throws Exception {
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
        Path ladder = Files.createDirectory(directory.resolve("ladder"));
        Files.setPosixFilePermissions(ladder, PosixFilePermissions.fromString("rwxr-xr-x"));
        map = ladder.resolve("mitigation.map");
        Files.writeString(map, "MITIGATION 0\n");
        httpd = RealHttpd.stock(Files.createDirectory(directory.resolve("httpd")), List.of("rewrite", "headers"), """
                RewriteEngine On
                RewriteMap ic2 "txt:%s"
                RewriteCond "${ic2:MITIGATION|0}" "^([1-6])$"
                RewriteRule "^" "-" [E=LEVEL:%%1]
                RewriteCond "${ic2:MITIGATION_WALL|0}" "^([01])$"
                RewriteRule "^" "-" [E=FLAG:%%1]
                <Location "/server-status">
                    Header always set IC2-Wall "%%{FLAG}e"
                    Header always set IC2-Mitigation "%%{LEVEL}e" "expr=-n reqenv('LEVEL')"
                    Header always setifempty IC2-Mitigation 0
                </Location>
                """.formatted(map));
    }

    public RealHttpd httpd() {
        return httpd;
    }

    public String url() {
        return httpd.url();
    }

    /** The file of the map. */
    public Path map() {
        return map;
    }

    @Override
    public void close() throws IOException {
        httpd.close();
    }
}
