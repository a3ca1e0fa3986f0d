// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.olio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class OlioSettingsTest {
    private final Map<String, String> file = new HashMap<>(Map.of(
            "/olio/serverConfig/host", " example.test ", "/olio/serverConfig/port", "8080"));

    private OlioSettings read() {
        return OlioSettings.read(Profile.PUBLIC, path -> file.getOrDefault(path, ""));
    }

    @Test
    void hasDefaultsForEverythingButTheServer() {
        OlioSettings settings = read();
        assertThat(settings.http().endpoint().host()).isEqualTo("example.test");
        assertThat(settings.http().eager()).isTrue();
        assertThat(settings.http().gzip()).isTrue();
        assertThat(settings.http().timeout()).hasSeconds(30);
        assertThat(settings.emptyCache()).isEqualTo(0.4);
        assertThat(settings.leave()).isEqualTo(1);
        assertThat(settings.seed()).isNull();
        file.remove("/olio/serverConfig/host");
        assertThatThrownBy(this::read).hasMessage("run configuration, /olio/serverConfig/host: expected a value, got nothing");
    }

    @Test
    void namesPathAndValueOfWhatIsWrong() {
        wrong("serverConfig/port", "99999", "a number in 1.0 .. 65535.0, got 99999");
        wrong("serverConfig/scheme", "ftp", "http or https, got ftp");
        wrong("client/closeDetection", "Lazy", "eager or lazy, got Lazy");
        wrong("client/timeout", "soon", "got soon");
        wrong("client/gzip", "yes", "true or false, got yes");
        wrong("workload/emptyCache", "1.5", "a number in 0.0 .. 1.0, got 1.5");
        wrong("workload/leave", "-0.1", "a number in 0.0 .. 1.0, got -0.1");
        wrong("seed", "x", "an integer, got x");
    }

    private void wrong(String path, String value, String message) {
        String before = file.put("/olio/" + path, value);
        assertThatThrownBy(this::read).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("/olio/" + path).hasMessageContaining(message);
        file.put("/olio/" + path, before == null ? "" : before);
    }
}
