// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Certificates and keys as openssl writes them, and what is none. */
class TlsFilesTest {

    @TempDir
    private Path directory;

    private Path certificate;
    private Path key;

    @BeforeEach
    void make() throws Exception {
        certificate = directory.resolve("cert.pem");
        key = directory.resolve("key.pem");
        openssl("req -x509 -nodes -days 2 -subj /CN=ic2 -addext subjectAltName=DNS:Web1.example,DNS:*.shop.example,IP:10.0.0.7"
                + " -newkey ec -pkeyopt ec_paramgen_curve:P-256 -keyout " + key + " -out " + certificate);
    }

    private void openssl(String arguments) throws IOException, InterruptedException {
        String[] command = ("openssl " + arguments).split(" ");
        Process openssl = new ProcessBuilder(Arrays.asList(command)).redirectErrorStream(true).start();
        String said = new String(openssl.getInputStream().readAllBytes());
        assertThat(openssl.waitFor()).as(said).isZero();
        Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-------"));
    }

    private TlsFiles.Identity read() throws IOException {
        return new TlsFiles(certificate, key).read();
    }

    private void isRefused(String... words) {
        assertThatThrownBy(this::read).isInstanceOf(IOException.class).hasMessageContainingAll(words)
                .message().doesNotContain("\n").doesNotContain("BEGIN PRIVATE KEY-----\n");
    }

    @Test
    void ellipticAndRsaKeysServeTheNamesOfTheirCertificates() throws Exception {
        TlsFiles.Identity identity = read();
        assertThat(identity.names()).containsExactlyInAnyOrder("web1.example", "*.shop.example", "10.0.0.7");
        assertThat(identity.isFor("WEB1.example")).isTrue();
        assertThat(identity.isFor("a.shop.example")).isTrue();
        for (String other : new String[] {"shop.example", "a.b.shop.example", "evil-shop.example", "example", "", ".", "*"}) {
            assertThat(identity.isFor(other)).as(other).isFalse();
        }
        openssl("req -x509 -nodes -days 2 -subj /CN=ic2 -newkey rsa:2048 -keyout " + key + " -out " + certificate);
        assertThat(read().names()).isEmpty();
    }

    @Test
    void aKeyOfAnotherCertificateOrFormIsNamedWithWhatToDo() throws Exception {
        Path first = Files.copy(certificate, directory.resolve("first.pem"));
        make();
        Files.copy(first, certificate, java.nio.file.StandardCopyOption.REPLACE_EXISTING);
        isRefused("key.pem is not the key of the certificate in", "cert.pem");
        openssl("ec -in " + key + " -out " + key);
        isRefused("expected a key in PKCS #8", "openssl pkcs8 -topk8 -nocrypt -in " + key);
        openssl("genpkey -algorithm RSA -out " + key);
        isRefused("key.pem: expected a key of kind EC");
    }

    @Test
    void aKeyThatOthersMayReadIsNoSecret() throws Exception {
        Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-r--r--"));
        isRefused("chmod o-rw,g-w " + key);
        Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-r-----"));
        assertThat(read().own()).isNotNull();
    }

    @Test
    void aRenewalIsTakenUpAsSoonAsItCanBeReadAndWhatWasWrongIsSaidOnce() throws Exception {
        TlsServer server = new TlsServer(new TlsFiles(certificate, key));
        TlsFiles.Identity before = server.identity();
        make();
        Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-r--r--"));
        List<String> said = new ArrayList<>();
        Handler log = new Handler() {
            @Override
            public void publish(LogRecord told) {
                said.add(told.getMessage());
            }

            @Override
            public void flush() {
                // all is there
            }

            @Override
            public void close() {
                // nothing is open
            }
        };
        Logger logger = Logger.getLogger(TlsServer.class.getName());
        logger.addHandler(log);
        try {
            assertThat(server.identity()).isSameAs(before);
            assertThat(server.identity()).isSameAs(before);
            assertThat(said).singleElement().asString().contains("stays as it was", "chmod");
            Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-------"));
            assertThat(server.identity().own().getSerialNumber()).isEqualTo(read().own().getSerialNumber())
                    .isNotEqualTo(before.own().getSerialNumber());
            assertThat(said).hasSize(2);
        } finally {
            logger.removeHandler(log);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "x", "-----BEGIN CERTIFICATE-----", "-----BEGIN CERTIFICATE-----\n!!\n-----END CERTIFICATE-----\n",
        "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"})
    void anInvalidCertificateIsNamed(String text) throws Exception {
        Files.writeString(certificate, text);
        isRefused("cert.pem: expected a certificate in PEM");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "x", "-----BEGIN PRIVATE KEY-----", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n",
        "-----BEGIN PRIVATE KEY-----\nA\n-----END PRIVATE KEY-----\n", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END RSA PRIVATE KEY-----\n"})
    void anInvalidKeyIsNamed(String text) throws Exception {
        Files.writeString(key, text);
        isRefused("key.pem: expected a key ");
    }

    @Test
    void aMissingFileIsNamed() throws Exception {
        Files.delete(key);
        isRefused("cannot read", "key.pem");
        Files.delete(certificate);
        isRefused("cannot read", "cert.pem");
    }
}
