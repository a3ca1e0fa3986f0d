// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.ic2.host.config.FleetFile;
import org.ic2.host.config.HostConfig;
import org.ic2.host.config.HostConfigReader;
import org.ic2.host.config.PlacementConfig;
import org.ic2.host.learn.Library;
import org.ic2.host.learn.LibraryJson;
import org.ic2.host.model.HostMetric;
import org.ic2.host.model.KnobKind;
import org.ic2.runtime.loop.Mode;
import org.junit.jupiter.api.Test;

/** The pages of host/docs say what is so. */
class HostPageTest {

    private static final Path ROOT = Path.of("../..");

    private static String page(String name) throws Exception {
        return Files.readString(ROOT.resolve("host/docs").resolve(name), StandardCharsets.UTF_8);
    }

    private static List<String> blocks(String page, String language) throws Exception {
        Matcher block = Pattern.compile("^```" + language + "\n(.*?)^```", Pattern.MULTILINE | Pattern.DOTALL).matcher(page(page));
        return block.results().map(found -> found.group(1)).toList();
    }

    private static List<String> examples() throws Exception {
        return blocks("configuration.md", "yaml");
    }

    @Test
    void theFilesForEachKindOfHostAreRead() throws Exception {
        List<HostConfig> files = new ArrayList<>();
        for (String text : blocks("README.md", "yaml")) {
            files.add(HostConfigReader.parse(Path.of("host.yaml"), text));
        }

        assertThat(files).extracting(file -> file.backend().type()).containsExactly("libvirt", "cgroup", "cgroup", "xen");
        assertThat(files).allSatisfy(file -> {
            assertThat(file.mode()).isEqualTo(Mode.ADVISE);
            assertThat(file.joint()).isPresent();
        });
        assertThat(files.subList(0, 3)).as("no limit of memory").allSatisfy(file ->
                assertThat(file.joint().orElseThrow().knobs()).containsExactly(KnobKind.CAP));
    }

    @Test
    void thePackagesExamplesAreThoseOfThePage() throws Exception {
        List<String> blocks = blocks("README.md", "yaml");
        assertThat(settings("host-libvirt.yaml")).isEqualTo(blocks.get(0));
        assertThat(settings("host-cgroup.yaml")).isEqualTo(blocks.get(2));
        HostConfig packaged = HostConfigReader.load(ROOT.resolve("packaging/host/host.yaml"));
        HostConfig shown = HostConfigReader.parse(packaged.source(), blocks.get(3));
        assertThat(packaged.backend()).isEqualTo(shown.backend());
        assertThat(packaged.guests().keySet()).isEqualTo(shown.guests().keySet());
        assertThat(packaged.joint().orElseThrow().guests()).isEqualTo(shown.joint().orElseThrow().guests());
    }

    private static String settings(String example) throws Exception {
        return Files.readString(ROOT.resolve("packaging/host").resolve(example), StandardCharsets.UTF_8).replaceAll("(?m)^#.*\n", "");
    }

    @Test
    void itsLibraryOfOneRegionIsRead() throws Exception {
        Library library = LibraryJson.read("regions.json", blocks("configuration.md", "json").get(0));

        assertThat(library.nearest(new double[] {0, 0, 0, 0}).known()).isTrue();
        assertThat(library.nearest(new double[] {100, 20, 500, 10_000}).known()).isTrue();
        assertThat(library.regions().get(0).settings()).isPresent();
    }

    @Test
    void itsConfigurationIsRead() throws Exception {
        HostConfig config = HostConfigReader.parse(Path.of("host.yaml"), examples().get(0));

        assertThat(config.joint()).isPresent();
        assertThat(config.schedule()).isPresent();
    }

    @Test
    void itsPlacementIsRead() throws Exception {
        String whole = "backend: {type: xen}\n" + examples().get(1);

        assertThat(HostConfigReader.parse(Path.of("host.yaml"), whole).placement())
                .isEqualTo(HostConfigReader.parse(Path.of("host.yaml"), "backend: {type: xen}\ncontrollers: {placement: {}}\n").placement());
    }

    @Test
    void itsFleetIsRead() throws Exception {
        PlacementConfig placement = HostConfigReader.parse(Path.of("host.yaml"), "backend: {type: xen}\n" + examples().get(2)).placement()
                .orElseThrow();
        PlacementConfig usual = HostConfigReader.parse(Path.of("host.yaml"), "backend: {type: xen}\ncontrollers: {placement: {}}\n")
                .placement().orElseThrow();
        assertThat(placement.deadline()).isEqualTo(usual.deadline());
        assertThat(placement.migrate()).isPresent();
        assertThat(placement.latency().orElseThrow().threshold()).isEqualTo(0.005);
        FleetFile fleet = FleetFile.parse(Path.of("fleet.yaml"), examples().get(3));
        assertThat(fleet.others()).hasSize(2);
        assertThat(fleet.stale()).as("the default").isEqualTo(FleetFile.parse(Path.of("f"), "hosts: {b: {file: b}}").stale());
    }

    @Test
    void thePackagesExampleIsRead() throws Exception {
        assertThat(HostConfigReader.load(ROOT.resolve("packaging/host/host.yaml")).joint()).isPresent();
    }

    @Test
    void itNamesEveryCommandKnobAndMetric() throws Exception {
        for (String verb : Ic2Host.commandLine().getSubcommands().keySet()) {
            assertThat(page("README.md")).contains(verb.equals("help") ? "ic2-host help" : "`" + verb);
        }
        for (KnobKind kind : KnobKind.values()) {
            assertThat(page("configuration.md")).contains("| `" + kind.key() + "` | " + kind.scope().word() + " | ");
        }
        for (HostMetric metric : HostMetric.values()) {
            assertThat(page("configuration.md")).contains("| `" + metric.key() + "` | " + metric.unit());
        }
    }
}
