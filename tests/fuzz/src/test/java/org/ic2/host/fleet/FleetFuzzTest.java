// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.ic2.host.config.FleetFile;
import org.ic2.host.control.FleetHost;
import org.ic2.runtime.yaml.ConfigException;

/** What other hosts tell, and the file that says where. */
class FleetFuzzTest {

    @FuzzTest
    void status(byte[] bytes) {
        try {
            FleetHost host = FleetJson.read("beta", new String(bytes, StandardCharsets.UTF_8));
            assertThat(host.memoryFree() < 0 || host.intensity() < 0 || Double.isInfinite(host.memoryFree())).isFalse();
            assertThat(host.guests()).allMatch(guest -> !(guest.memory() < 0) && !(guest.latency() < 0));
        } catch (IOException e) {
            assertThat(e.getMessage()).hasSizeLessThan(1000);
            assertThat(e.getMessage().lines()).hasSize(1);
        }
    }

    @FuzzTest
    void file(byte[] bytes) {
        try {
            FleetFile fleet = FleetFile.parse(Path.of("/etc/ic2/fleet.yaml"), new String(bytes, StandardCharsets.UTF_8));
            assertThat(fleet.others()).isNotEmpty().allMatch(host -> host.file().isPresent() != host.url().isPresent());
        } catch (ConfigException e) {
            assertThat(e.getMessage()).startsWith("/etc/ic2/fleet.yaml:");
        }
    }
}
