// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.ic2.load.olio.OlioDriver;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunConfigReaderTest {
    private static final Path TEMPLATE = Path.of("../driver/src/main/faban/META-INF/run.xml");

    @TempDir
    private Path folder;

    private Path changed(String from, String to) throws IOException {
        String template = Files.readString(TEMPLATE);
        assertThat(template).contains(from);
        return Files.writeString(folder.resolve("run.xml"), template.replace(from, to));
    }

    @Test
    void readsTheConfigurationOfARealRun() throws Exception {
        RunConfig config = RunConfigReader.read(Samples.path("run.xml"));
        assertThat(config.definition()).isEqualTo("probe.ProbeDriver");
        assertThat(config.scale()).isEqualTo(500);
        assertThat(config.rampUp()).isEqualTo(Duration.ofSeconds(15));
        assertThat(config.steady()).isEqualTo(Duration.ofSeconds(60));
        assertThat(config.rampDown()).isEqualTo(Duration.ofSeconds(5));
        assertThat(config.threadDelay()).isEqualTo(Duration.ofMillis(8));
        assertThat(config.statsEnabled()).isTrue();
        assertThat(config.statsInterval()).isEqualTo(Duration.ofSeconds(5));
        assertThat(config.detailInterval()).isEqualTo(Duration.ofSeconds(5));
        assertThat(config.warnings()).isEmpty();
        assertThat(config.users(Samples.probe())).isEqualTo(500);
        XPaths paths = new XPaths(config.document());
        assertThat(paths.text("/probe/serverConfig/port")).isEqualTo("18080");
        assertThat(paths.text("/probe/fa:runConfig/fa:hostConfig/fa:host")).isEqualTo("localhost");
        assertThat(paths.text("/probe/nothing")).isEmpty();
    }

    /** What the profile's own template says of the client, and that its driver runs here. */
    @Test
    void readsTheTemplateOfTheOriginalsProfile() throws Exception {
        RunConfig config = RunConfigReader.read(Path.of("../driver/src/main/olio/run.xml"));
        assertThat(config.warnings()).isEmpty();
        DriverModel model = DriverModel.of(Class.forName(config.definition()));
        assertThat(model.name()).isEqualTo("OriginalOlioDriver");
        assertThat(model.cycle().meanMs()).isEqualTo(5000);
        assertThat(model.cycle().maxMs()).isEqualTo(25_000);
        assertThat(model.chain().size()).isEqualTo(DriverModel.of(OlioDriver.class).chain().size());
        assertThat(config.properties()).containsEntry("cycleMean", "5000").containsEntry("cycleType", "CYCLETIME");
        XPaths paths = new XPaths(config.document());
        assertThat(paths.text("/olio/client/gzip")).isEqualTo("false");
        assertThat(paths.text("/olio/serverConfig/scheme")).isEqualTo("http");
        assertThat(paths.text("/olio/workload/leave")).isEqualTo("0");
    }

    @Test
    void readsItsOwnTemplate() throws Exception {
        RunConfig config = RunConfigReader.read(TEMPLATE);
        assertThat(config.warnings()).isEmpty();
        assertThat(Class.forName(config.definition())).isEqualTo(OlioDriver.class);
        assertThat(config.properties()).containsEntry("cycleMean", "5000").containsEntry("cycleType", "CYCLETIME");
        assertThat(config.seed()).isEqualTo(1);
        XPaths paths = new XPaths(config.document());
        paths.override("seed", "77");
        assertThat(paths.text("/olio/seed")).isEqualTo("77");
    }

    @Test
    void errorsNameFileLineKeyAndValue() throws IOException {
        Path file = changed("<fa:scale>120<", "<fa:scale>many<");
        List<String> lines = Files.readAllLines(file);
        int line = 1 + lines.indexOf(lines.stream().filter(l -> l.contains("fa:scale")).findFirst().orElseThrow());
        assertThatThrownBy(() -> RunConfigReader.read(file)).isInstanceOf(ConfigError.class)
                .hasMessage(file + ":" + line + ": fa:scale: expected an integer in 1..5000, got 'many'");
    }

    @Test
    void refusesWhatItCannotDo() throws IOException {
        refused("<fa:rampDown>5</fa:rampDown>", "", "expected an element rampDown");
        refused("unit=\"time\"", "unit=\"cycles\"", "expected unit=\"time\", got unit=\"cycles\"");
        refused("enabled=\"true\"", "enabled=\"on\"", "expected true or false, got 'on'");
        refused("definition=\"org.ic2.load.olio.OlioDriver\"", "", "attribute definition");
        refused("<seed>1<", "<seed>one<", "seed: expected an integer, got one");
        refused("<agents>1</agents>", "<agents>1</agents><operationMix/>", "expected no operationMix");
        refused("name=\"cycleMean\"", "", "expected a name");
        refused("<fa:steadyState>60<", "<fa:steadyState>60", "expected well-formed XML");
        refused("<olio>", "<!DOCTYPE olio SYSTEM \"file:///etc/passwd\"><olio>", "DOCTYPE");
    }

    private void refused(String from, String to, String message) throws IOException {
        Path file = changed(from, to);
        assertThatThrownBy(() -> RunConfigReader.read(file)).isInstanceOf(ConfigError.class)
                .hasMessageContaining(file.toString()).hasMessageContaining(message);
    }

    @Test
    void warnsOfTheMisspeltElementThatFabanIgnores() throws IOException, ConfigError {
        Path file = changed("<runtimeStats enabled=\"true\">\n      <interval>5</interval>\n    </runtimeStats>",
                "<runtimestats enabled=\"false\"/>");
        RunConfig config = RunConfigReader.read(file);
        assertThat(config.warnings()).singleElement().asString().contains("runtimestats", "case sensitive");
        assertThat(config.statsEnabled()).as("as if the element were absent").isTrue();
    }

    @Test
    void takesPropertiesInBothForms() throws IOException, ConfigError {
        Path file = changed("<property name=\"cycleMean\">5000</property>",
                "<property><name>cycleMean</name><value> 750 </value></property>");
        assertThat(RunConfigReader.read(file).properties()).containsEntry("cycleMean", "750");
    }
}
