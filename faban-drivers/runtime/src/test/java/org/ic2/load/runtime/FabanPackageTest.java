// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipInputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a user drops into $FABAN_HOME/benchmarks: the layout that Faban's deployer expects, and nothing of Faban's. */
class FabanPackageTest {
    private static final Path PACKAGE = Path.of("../driver/target/OlioDriver.jar");

    @BeforeEach
    void isBuilt() {
        assumeThat(PACKAGE).as("made by `mvn package`").isRegularFile();
    }

    @Test
    void holdsTheDescriptionTheTemplateAndOneJarAndNothingElse() throws IOException {
        List<String> names = new ArrayList<>();
        try (ZipFile zip = new ZipFile(PACKAGE.toFile())) {
            zip.stream().filter(entry -> !entry.isDirectory()).map(ZipEntry::getName).forEach(names::add);
            try (InputStream run = zip.getInputStream(zip.getEntry("META-INF/run.xml"))) {
                assertThat(run.readAllBytes()).isEqualTo(
                        Files.readAllBytes(Path.of("../driver/src/main/faban/META-INF/run.xml")));
            }
        }
        assertThat(names).filteredOn(name -> !name.equals("META-INF/MANIFEST.MF")).hasSize(3)
                .contains("META-INF/benchmark.xml", "META-INF/run.xml").anyMatch(name -> name.matches("lib/olio-driver-.*\\.jar"));
    }

    @Test
    void itsJarHoldsTheDriverAndNoClassOfFabansApi() throws IOException {
        List<String> classes = new ArrayList<>();
        try (ZipFile zip = new ZipFile(PACKAGE.toFile())) {
            ZipEntry jar = zip.stream().filter(entry -> entry.getName().endsWith(".jar")).findFirst().orElseThrow();
            byte[] bytes;
            try (InputStream in = zip.getInputStream(jar)) {
                bytes = in.readAllBytes();
            }
            try (ZipInputStream inner = new ZipInputStream(new ByteArrayInputStream(bytes))) {
                for (ZipEntry entry = inner.getNextEntry(); entry != null; entry = inner.getNextEntry()) {
                    classes.add(entry.getName());
                }
            }
        }
        assertThat(classes).contains("org/ic2/load/olio/OlioDriver.class").noneMatch(name -> name.startsWith("com/sun/"));
    }
}
