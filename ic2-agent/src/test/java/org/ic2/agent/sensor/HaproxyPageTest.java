// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.sensor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.ic2.agent.servers.RealHaproxy;
import org.ic2.agent.servers.TestCertificate;
import org.ic2.knowledge.control.policy.Sharing;
import org.ic2.runtime.host.LocalHost;
import org.ic2.runtime.sensor.Sensor;
import org.ic2.runtime.sensor.SensorContext;
import org.ic2.runtime.yaml.ConfigException;
import org.ic2.runtime.yaml.YamlMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The sensor {@code haproxy} at a real HAProxy's stats page that is under TLS, and takes a user and a password. */
class HaproxyPageTest {

    private static final String SECRET = "Open-5esame: \u00e4%&";
    private static final String[] SERVERS = {"server web1 127.0.0.1:9 weight 100", "server web2 127.0.0.1:9 weight 100"};

    @TempDir
    private Path directory;

    private Path password;

    @BeforeEach
    void writePassword() throws Exception {
        assumeTrue(RealHaproxy.isThere());
        password = Files.writeString(directory.resolve("password"), SECRET + "\n");
        Files.setPosixFilePermissions(password, PosixFilePermissions.fromString("rw-r-----"));
    }

    /** A certificate for these names in a folder of that name; returns certificate and key in one file, as HAProxy wants them. */
    private Path certificate(String folder, String names) throws Exception {
        Path place = Files.createDirectories(directory.resolve(folder));
        TestCertificate.write(place, names);
        return Files.writeString(place.resolve("both.pem"), Files.readString(place.resolve("cert.pem")) + Files.readString(place.resolve("key.pem")));
    }

    /** The same, signed by the authority in {@code ca/}, and no longer valid. */
    private Path expired() throws Exception {
        certificate("ca", "DNS:ca");
        Path place = Files.createDirectories(directory.resolve("expired"));
        openssl("req -new -nodes -subj /CN=x -newkey ec -pkeyopt ec_paramgen_curve:P-256 -addext subjectAltName=IP:127.0.0.1 -keyout " + place
                + "/key.pem -out " + place + "/request.pem");
        openssl("x509 -req -in " + place + "/request.pem -CA " + directory + "/ca/cert.pem -CAkey " + directory + "/ca/key.pem -CAcreateserial"
                + " -days -1 -copy_extensions copy -out " + place + "/cert.pem");
        return Files.writeString(place.resolve("both.pem"), Files.readString(place.resolve("cert.pem")) + Files.readString(place.resolve("key.pem")));
    }

    private static void openssl(String arguments) throws Exception {
        Process openssl = new ProcessBuilder(("openssl " + arguments).split(" ")).redirectErrorStream(true).start();
        String said = new String(openssl.getInputStream().readAllBytes());
        assertThat(openssl.waitFor()).as(said).isZero();
    }

    private static RealHaproxy haproxy(Optional<Path> pem) throws Exception {
        return new RealHaproxy(pem, "\"ic2:" + SECRET + "\"", SERVERS);
    }

    private Sensor sensor(String url, String more) throws ConfigException, IOException {
        YamlMap map = YamlMap.parse("ic2.yaml", "{type: haproxy, url: \"" + url + "\", weight: 100, backend: web, server: web1" + more + "}");
        return new SensorRegistry().parse(map).open(new SensorContext(new LocalHost(), Duration.ofSeconds(1), System::nanoTime));
    }

    private String login() {
        return ", user: ic2, password-file: " + password;
    }

    private String believing(String folder) {
        return ", ca-file: " + directory.resolve(folder).resolve("cert.pem");
    }

    private void isRefused(Sensor sensor, String said) {
        assertThatThrownBy(sensor::read).isInstanceOf(IOException.class).hasMessageContaining(said).message().doesNotContain("\n")
                .doesNotContain("5esame").doesNotContain("aWMyOk9wZW4t");
    }

    @Test
    void thePageIsReadUnderTlsAsAUserWithAPassword() throws Exception {
        try (RealHaproxy haproxy = haproxy(Optional.of(certificate("own", "IP:127.0.0.1")))) {
            haproxy.command("set server web/web2 weight 45%");
            Sensor sensor = sensor(haproxy.url(), login() + believing("own"));
            assertThat(sensor.read().get(Sharing.PEERS)).isEqualTo(0.45);
            haproxy.command("set server web/web2 weight 60%");
            assertThat(sensor.read().get(Sharing.PEERS)).as("again, by the session that there is").isEqualTo(0.6);
            assertThat(sensor.caveat()).isEmpty();
            assertThat(sensor.name()).contains("https://127.0.0.1:").doesNotContain("5esame");
        }
    }

    @Test
    void aServerWithAnotherCertificateGetsNoPassword() throws Exception {
        Path own = certificate("own", "IP:127.0.0.1");
        certificate("other", "IP:127.0.0.1");
        try (RealHaproxy haproxy = haproxy(Optional.of(own)); RealHaproxy elsewhere = haproxy(Optional.of(certificate("elsewhere", "DNS:lb.example,IP:127.0.0.2")));
                RealHaproxy old = haproxy(Optional.of(expired())); RealHaproxy plain = haproxy(Optional.empty())) {
            isRefused(sensor(haproxy.url(), login()), "is signed by nobody whom this machine believes; give the certificate of its authority");
            isRefused(sensor(haproxy.url(), login() + believing("other")), "is signed by nobody whom ca-file " + directory.resolve("other"));
            isRefused(sensor(elsewhere.url(), login() + believing("elsewhere")), "is not for 127.0.0.1: No subject alternative names matching");
            isRefused(sensor(old.url(), login() + believing("ca")), "its certificate has expired: ");
            isRefused(sensor(plain.url().replace("http:", "https:"), login() + believing("own")), "no TLS is spoken there; is it http?");
            isRefused(sensor(haproxy.url().replace("https:", "http:"), login()), "answered");
        }
    }

    @Test
    void anotherAuthorityAndAnotherPasswordAreTakenUpAsTheFilesChange() throws Exception {
        try (RealHaproxy haproxy = haproxy(Optional.of(certificate("own", "IP:127.0.0.1")))) {
            certificate("trusted", "IP:127.0.0.1");
            Path trusted = directory.resolve("trusted").resolve("cert.pem");
            Sensor sensor = sensor(haproxy.url(), login() + believing("trusted"));
            isRefused(sensor, "is signed by nobody");
            Files.copy(directory.resolve("own").resolve("cert.pem"), trusted, StandardCopyOption.REPLACE_EXISTING);
            Files.setLastModifiedTime(trusted, FileTime.from(Instant.now().plusSeconds(9)));
            Files.writeString(password, "wrong\n");
            isRefused(sensor, "HTTP/1.1 401 Unauthorized\" instead of 200: it does not know user \"ic2\" with the password in " + password);
            Files.writeString(password, SECRET);
            assertThat(sensor.read().get(Sharing.PEERS)).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "none | rw------- | password-file: cannot be read: DIR/none: no such file",
        "fifo | rw------- | password-file: cannot be read: expected a regular file at DIR/fifo",
        "password | rw-r--r-- | password-file: DIR/password has mode rw-r--r--, so others may read or change it: chmod o-rw,g-w DIR/password",
        "password | rw-rw---- | so others may read or change it",
        "empty | rw------- | password-file: DIR/empty is empty",
        "lines | rw------- | password-file: DIR/lines has more than one line",
    })
    void aPasswordThatIsNoSecretIsNotUsed(String name, String mode, String said) throws Exception {
        Files.writeString(directory.resolve("empty"), "\n");
        Files.writeString(directory.resolve("lines"), SECRET + "\r\nX-Header: 5esame\n");
        Path file = directory.resolve(name);
        if (name.equals("fifo")) {
            assertThat(new ProcessBuilder("mkfifo", file.toString()).start().waitFor()).isZero();
        }
        if (Files.exists(file)) {
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
        }
        try (RealHaproxy haproxy = haproxy(Optional.empty())) {
            isRefused(sensor(haproxy.url(), ", user: ic2, password-file: " + file), said.replace("DIR", directory.toString()));
        }
    }

    @Test
    void anAuthorityThatIsNoCertificateIsNamed() throws Exception {
        Path file = directory.resolve("ca.pem");
        try (RealHaproxy haproxy = haproxy(Optional.of(certificate("own", "IP:127.0.0.1")))) {
            Sensor sensor = sensor(haproxy.url(), ", ca-file: " + file);
            isRefused(sensor, "ca-file: cannot read " + file + ": ");
            Files.writeString(file, "nothing");
            isRefused(sensor, "ca-file: " + file + ": expected a certificate in PEM");
        }
    }

    @Test
    void withoutAPasswordThePageSaysThatItTakesOne() throws Exception {
        try (RealHaproxy haproxy = haproxy(Optional.empty())) {
            isRefused(sensor(haproxy.url(), ""), "the page takes a user and a password; say user and password-file");
            Sensor sensor = sensor(haproxy.url(), login());
            assertThat(sensor.read().get(Sharing.PEERS)).isEqualTo(1);
            assertThat(sensor.caveat()).as("nobody else reads what stays on this machine").isEmpty();
        }
        assertThat(sensor("http://10.0.0.5:8404/stats;csv", login()).caveat()).get().asString().contains("in the clear", "say https");
        assertThat(sensor("http://10.0.0.5:8404/stats;csv", "").caveat()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "url: 'http://h/;csv', user: ic2 | user: expected user and password-file together",
        "url: 'http://h/;csv', password-file: /p | password-file: expected user and password-file together",
        "url: 'http://h/;csv', ca-file: /ca | ca-file: expected it with an https URL only",
        "url: 'http://h/;csv', user: 'a:b', password-file: /p | user: expected a user's name without a colon",
        "url: 'https://ic2:5esame@h/;csv' | url: expected a URL without a user and a password in it",
        "url: 'https://ic2:5es/ame@h/;csv' | url: expected a URL without a user and a password in it",
        "url: 'ftp://h/;csv' | url: expected a URL such as https://10.0.0.5:8404/stats;csv",
        "url: 'https:///;csv' | url: expected",
        "socket: /run/h.sock, user: ic2, password-file: /p | user: expected it with url only",
        "socket: /run/h.sock, ca-file: /ca | ca-file: expected it with url only",
    })
    void badSettingsAreOneLineWithoutThePassword(String settings, String said) {
        String text = "{type: haproxy, " + settings + (settings.contains("socket") ? "" : ", weight: 100") + ", backend: web, server: web1}";
        assertThatThrownBy(() -> new SensorRegistry().parse(YamlMap.parse("ic2.yaml", text))).isInstanceOf(ConfigException.class)
                .hasMessageStartingWith("ic2.yaml:1: ").hasMessageContaining(said).hasMessageNotContaining("\n").hasMessageNotContaining("5es");
    }
}
