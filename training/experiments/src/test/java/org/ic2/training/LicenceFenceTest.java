// SPDX-License-Identifier: Apache-2.0
package org.ic2.training;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Nothing of the GPL on this side: not in the sources, and not on the class path, the tests' included. */
class LicenceFenceTest {
    /** Folders of a Maven repository whose artefacts we have looked at: Apache-2.0, MIT, BSD or EPL. */
    private static final Pattern KNOWN = Pattern.compile(".*/(com/fasterxml/jackson|org/apache/commons/commons-(statistics|numbers|rng)-[a-z-]+|org/snakeyaml|info/picocli"
            + "|org/junit|org/opentest4j|org/apiguardian|org/assertj|net/bytebuddy"
            + "|org/apache/maven/surefire)/.*");

    @Test
    void everyLibraryIsOneWhoseLicenceWeKnow() {
        List<String> libraries = Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> entry.endsWith(".jar") && !entry.matches(".*/(knowledge-base|agent-runtime)[^/]*\\.jar")).toList();
        assertThat(libraries).isNotEmpty().allMatch(KNOWN.asMatchPredicate());
    }

    @Test
    void bothSidesSayTheirLicenceAndOnlyOneImportsWeka() throws IOException {
        try (Stream<Path> here = sources("."); Stream<Path> beyond = sources("../weka")) {
            assertThat(here).isNotEmpty().allSatisfy(file -> assertThat(Files.readString(file))
                    .startsWith("// SPDX-License-Identifier: Apache-2.0\n").doesNotContain("import " + "weka."));
            assertThat(beyond).isNotEmpty().allSatisfy(file -> assertThat(Files.readString(file))
                    .startsWith("// SPDX-License-Identifier: GPL-3.0-or-later\n"));
        }
    }

    private static Stream<Path> sources(String module) throws IOException {
        return Files.walk(Path.of(module, "src")).filter(file -> file.toString().endsWith(".java"));
    }
}
