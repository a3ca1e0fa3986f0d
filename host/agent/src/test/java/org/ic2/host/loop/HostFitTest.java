// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.ic2.host.apply.FakeBackend;
import org.ic2.host.config.HostConfig;
import org.ic2.host.config.HostConfigReader;
import org.ic2.host.model.GuestClass;
import org.ic2.host.model.KnobKind;
import org.ic2.runtime.yaml.ConfigException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What only the host can prove wrong is an error of one line, with file, line and key, before an agent starts. */
class HostFitTest {

    private final FakeBackend host = new FakeBackend();

    private static HostConfig config(String text) throws Exception {
        return HostConfigReader.parse(Path.of("/etc/ic2/host.yaml"), "backend: {type: xen}\n" + text);
    }

    private static String joint(String guest) {
        return "guests:\n  " + guest + ": {class: LS1, memory: [100MiB, 1GiB], cpu: [0.1, 0.9]}\ncontrollers: {joint: {guests: [" + guest
                + "]}}\n";
    }

    private List<String> problems(String text) throws Exception {
        HostConfig config = config(text);
        List<String> problems = HostFit.problems(config, host);
        if (!problems.isEmpty()) {
            assertThatThrownBy(() -> HostAgent.check(config, host.capabilities(), host)).isInstanceOf(ConfigException.class)
                    .hasMessage(problems.get(0));
        }
        assertThat(problems).allMatch(problem -> problem.lines().count() == 1);
        return problems;
    }

    @Test
    void aReserveBeyondTheHostLeavesNothing() throws Exception {
        long memory = host.memory() >> 20;
        assertThat(problems("reserve:\n  memory: 100GiB\n  cpus: 5\n")).containsExactly(
                "/etc/ic2/host.yaml:3: reserve.memory: expected less than this host's " + memory + " MiB, got 102400 MiB: nothing would be left for guests",
                "/etc/ic2/host.yaml:4: reserve.cpus: expected less than this host's 2 CPUs, got 5.0: nothing would be left for guests");
        assertThat(problems("reserve: {memory: " + (memory - 1) + "MiB, cpus: 1.9}\n")).isEmpty();
        assertThat(problems("reserve: {cpus: 2}\n")).hasSize(1);
    }

    @ParameterizedTest
    @CsvSource({"wbe, web, true", "web, wep, true", "Web, web, true", "database, datbaes, true", "web, qemu-3-web.libvirt-qemu, true",
        "web, machine-qemu-1-web.scope, true", "web1, web2, false", "web, mail, false", "db, web, false", "web, qemu-3-web2.libvirt-qemu, false"})
    void aGuestBesideWhichOneOfNearlyItsNameRunsIsMisspelt(String said, String running, boolean misspelt) throws Exception {
        host.start(running, "1", GuestClass.NLS, 256, 0, 900);
        List<String> problems = problems(joint(said));
        assertThat(problems).hasSize(misspelt ? 1 : 0);
        if (misspelt) {
            assertThat(problems.get(0)).isEqualTo("/etc/ic2/host.yaml:3: guests." + said + ": expected the name of a guest, got \"" + said
                    + "\", and none of that name runs; \"" + running + "\" does");
        }
    }

    @Test
    void whoIsNamedOrRunsIsNotMisspelt() throws Exception {
        host.start("web", "1", GuestClass.NLS, 256, 0, 900);
        assertThat(problems(joint("web"))).isEmpty();
        assertThat(problems(joint("wep").replace("controllers", "  web: {class: NLS}\ncontrollers"))).as("web is named, wep is off").isEmpty();
    }

    @Test
    void whoIsMisspeltBesideWeightsAloneIsFoundToo() throws Exception {
        host.start("web", "1", GuestClass.NLS, 256, 0, 900);
        String guests = "guests: {wep: {class: LS1}}\n";
        assertThat(problems(guests)).as("nobody is asked for").isEmpty();
        assertThat(problems(guests + "weights: {LS1: 512}\n")).singleElement().asString().contains("guests.wep: expected the name of a guest");
    }

    @Test
    void moreThanTheHostHasCannotBeProtected() throws Exception {
        host.start("web", "1", GuestClass.NLS, 256, 0, 900);
        host.start("batch", "2", GuestClass.NLS, 256, 0, 900);
        host.ranges.put(KnobKind.MEMORY_LOW, new org.ic2.host.backend.Capabilities.Range(1, 4096, 1));
        String guests = "guests: {web: {class: LS1}}\nreserve: {memory: 1GiB}\n";
        assertThat(problems(guests + "memory-low: {LS1: 2GiB, NLS: 1GiB}\n")).isEmpty();
        assertThat(problems(guests + "memory-low: {LS1: 2GiB, NLS: 1025MiB}\n")).containsExactly("/etc/ic2/host.yaml:4: memory-low: expected at most"
                + " 3072 MiB for the guests that run together (the host's less the reserve), got 3073 MiB");
    }

    @Test
    void memoryThatMayNotBeLimitedIsRefusedInModeActAndSaidBefore() throws Exception {
        host.start("web", "1", GuestClass.NLS, 256, 0, 900);
        host.lacking.add(KnobKind.MEMORY);
        host.objection = java.util.Optional.of("web's memory: it holds a virtual machine");
        assertThat(problems(joint("web"))).isEmpty();
        String line = "/etc/ic2/host.yaml:3: guests.web.memory: web's memory: it holds a virtual machine; its memory moves by its balloon (backend.qmp),"
                + " or leave memory out of controllers.joint.knobs";
        assertThat(HostFit.notes(config(joint("web")), host)).containsExactly("mode act is refused: " + line);
        assertThat(problems(joint("web") + "mode: act\n")).containsExactly(line);
        assertThat(HostFit.notes(config(joint("web") + "mode: act\n"), host)).isEmpty();
        assertThat(problems(joint("web").replace("[web]}", "[web], knobs: [cap]}") + "mode: act\n")).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"../etc", "''", "/", "a/../b", "' '"})
    void aGroupElsewhereIsAnErrorOfTheFile(String groups) {
        assertThatThrownBy(() -> HostConfigReader.parse(Path.of("/f"), "backend:\n  type: cgroup\n  groups: \"" + groups + "\"\n"))
                .isInstanceOf(ConfigException.class).hasMessage("/f:3: backend.groups: expected the name of the control group whose children are the"
                        + " guests, such as machine.slice, got \"" + groups + "\"");
    }

    @Test
    void directoriesThatAreNotThereAreNamedWithTheirLine() throws Exception {
        HostConfig config = HostConfigReader.parse(Path.of("/f"), "backend:\n  type: cgroup\n  groups: ic2-nowhere.slice\n");
        assertThatThrownBy(() -> Backends.open(config)).isInstanceOf(IOException.class).hasMessage("/f:3: backend.groups: expected the name of"
                + " the control group whose children are the guests, got \"ic2-nowhere.slice\", and there is none below /sys/fs/cgroup/ with the cpu"
                + " or memory controller (does a guest run?)");
    }
}
