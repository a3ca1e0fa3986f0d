// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.servers;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;

/** A certificate and its key as PEM, made by openssl when a test needs them. */
public final class TestCertificate {

    private TestCertificate() {
    }

    /** Writes {@code cert.pem} and {@code key.pem}. */
    public static void write(Path directory, String names, String... kind) throws IOException, InterruptedException {
        Path key = directory.resolve("key.pem");
        List<String> command = new ArrayList<>(List.of("openssl", "req", "-x509", "-nodes", "-days", "2", "-subj", "/CN=ic2",
                "-addext", "subjectAltName=" + names, "-keyout", key.toString(), "-out", directory.resolve("cert.pem").toString()));
        command.addAll(kind.length > 0 ? List.of(kind) : List.of("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"));
        Process openssl = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(openssl.getInputStream().readAllBytes());
        assertThat(openssl.waitFor()).as(said).isZero();
        Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-------"));
    }
}
