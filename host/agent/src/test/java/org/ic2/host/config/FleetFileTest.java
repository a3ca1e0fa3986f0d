// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.Optional;
import org.ic2.runtime.yaml.ConfigException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The hosts of a fleet. */
class FleetFileTest {
    private static final Path FILE = Path.of("/etc/ic2/fleet.yaml");
    private static final String WHOLE = """
            this: alpha
            stale: 2m
            hosts:
              alpha: {}
              beta: {file: status/beta.json}
              gamma: {url: "http://127.0.0.1:9466/status"}
            """;

    @Test
    void everyKeyIsRead() throws Exception {
        FleetFile fleet = FleetFile.parse(FILE, WHOLE);

        assertThat(fleet.own()).contains("alpha");
        assertThat(fleet.stale()).hasMinutes(2);
        assertThat(fleet.others()).containsExactly(
                new FleetFile.Member("beta", Optional.of(Path.of("/etc/ic2/status/beta.json")), Optional.empty()),
                new FleetFile.Member("gamma", Optional.empty(), Optional.of("http://127.0.0.1:9466/status")));
    }

    @Test
    void whoOnlyLooksNeedBeNoneOfThem() throws Exception {
        FleetFile fleet = FleetFile.parse(FILE, "hosts: {beta: {file: /b}, gamma: {url: 'http://[::1]:1/status'}}\n");

        assertThat(fleet.own()).isEmpty();
        assertThat(fleet.stale()).hasSeconds(90);
        assertThat(fleet.others()).hasSize(2);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "this: alpha|this: omega|fleet.yaml:1: this: expected one of hosts, alpha, beta, gamma, got \"omega\"",
        "this: alpha|thus: alpha|fleet.yaml:1: thus: unknown key",
        "this: alpha|this: beta|fleet.yaml:4: hosts.alpha: expected file or url, one of them",
        "stale: 2m|stale: 2|fleet.yaml:2: stale: expected a duration with its unit",
        "stale: 2m|stale: 5s|fleet.yaml:2: stale: expected at least 30s",
        "stale: 2m|fresh: 2m|fleet.yaml:2: fresh: unknown key",
        "alpha: {}|alpha: {file: x}|fleet.yaml:4: hosts.alpha.file: unknown key",
        "alpha: {}|beta: {}|fleet.yaml:5: hosts.beta: given twice",
        "{file: status/beta.json}|{}|fleet.yaml:5: hosts.beta: expected file or url, one of them",
        "{file: status/beta.json}|{file: a, url: 'http://127.0.0.1/s'}|fleet.yaml:5: hosts.beta: expected file or url, one of them",
        "{file: status/beta.json}|{path: a}|fleet.yaml:5: hosts.beta.path: unknown key",
        "http://127.0.0.1:9466|https://127.0.0.1:9466|fleet.yaml:6: hosts.gamma.url: expected a plain URL",
        "http://127.0.0.1:9466|http://10.0.0.1:9466|fleet.yaml:6: hosts.gamma.url: expected a page on a loopback address",
        "http://127.0.0.1:9466|http://beta.example:9466|fleet.yaml:6: hosts.gamma.url: expected a page on a loopback address",
        "gamma: {|-gamma: {|fleet.yaml:6: hosts.-gamma: expected a name that can be a word of a command",
    })
    void whatIsWrongIsNamedWithItsLine(String right, String wrong, String message) {
        assertThat(WHOLE).contains(right);
        assertThatThrownBy(() -> FleetFile.parse(FILE, WHOLE.replace(right, wrong))).isInstanceOf(ConfigException.class)
                .hasMessageContaining(message);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "[]", "hosts: {}", "hosts: 3", "this: a\nhosts: {a: {}}\n", "{", "\0"})
    void garbageIsOneClearLine(String text) {
        assertThatThrownBy(() -> FleetFile.parse(FILE, text)).isInstanceOf(ConfigException.class)
                .hasMessageStartingWith("/etc/ic2/fleet.yaml:").message().doesNotContain("\n");
    }

    @Test
    void aFileThatIsNotThereIsNamed() {
        assertThatThrownBy(() -> FleetFile.load(Path.of("/nonexistent/fleet.yaml"))).isInstanceOf(ConfigException.class)
                .hasMessageContaining("cannot read the fleet: /nonexistent/fleet.yaml");
    }
}
