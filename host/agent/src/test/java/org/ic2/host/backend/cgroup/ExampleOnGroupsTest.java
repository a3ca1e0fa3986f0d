// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend.cgroup;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.ic2.host.backend.PlayedHost;
import org.ic2.host.config.HostConfig;
import org.ic2.host.config.HostConfigReader;
import org.ic2.host.loop.Controllers;
import org.ic2.host.loop.HostFit;
import org.ic2.host.model.Guest;
import org.ic2.host.model.KnobKind;
import org.ic2.runtime.loop.Mode;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The package's example for plain control groups fits a host with systemd and version 2, in mode act too. */
class ExampleOnGroupsTest {
    @TempDir
    private Path directory;
    private FakeSystemctl systemd;
    private CgroupBackend backend;
    private HostConfig config;

    @BeforeEach
    void begin() throws Exception {
        PlayedHost host = new PlayedHost(directory);
        systemd = new FakeSystemctl(host, new FakeGroups2(host));
        config = HostConfigReader.load(Path.of("../../packaging/host/host-cgroup.yaml")).withMode(Mode.ACT);
        backend = new CgroupBackend(host, "tenants.slice");
    }

    private List<String> problems() throws Exception {
        Controllers.of(config);
        List<String> problems = new java.util.ArrayList<>(Controllers.lacking(config, backend.capabilities()));
        Controllers.problem(config, backend.capabilities(), backend.pools()).ifPresent(problems::add);
        problems.addAll(HostFit.problems(config, backend));
        return problems;
    }

    @Test
    void itFits() throws Exception {
        systemd.unit("web.service");
        systemd.unit("batch.service");
        assertThat(problems()).isEmpty();
        List<Guest> guests = config.merged(backend.guests());
        assertThat(guests).extracting(Guest::name).containsExactlyInAnyOrderElementsOf(config.guests().keySet());
        assertThat(guests).allMatch(guest -> ownsCap(guest));
    }

    private boolean ownsCap(Guest guest) {
        try {
            return Controllers.owners(config).owner(KnobKind.CAP, guest).isPresent();
        } catch (org.ic2.runtime.yaml.ConfigException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void anotherServiceInItsPlaceIsSaid() throws Exception {
        systemd.unit("wep.service");
        assertThat(problems()).singleElement().asString().contains("guests.web.service: expected the name of a guest").contains("wep.service");
    }
}
