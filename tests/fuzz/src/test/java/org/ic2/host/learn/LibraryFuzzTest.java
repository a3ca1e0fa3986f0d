// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.learn;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.nio.charset.StandardCharsets;
import org.ic2.runtime.yaml.ConfigException;

/** The library of regions. What is read is written the same, and can be asked. */
class LibraryFuzzTest {

    @FuzzTest
    void library(byte[] bytes) {
        try {
            Library library = LibraryJson.read("f", new String(bytes, StandardCharsets.UTF_8));
            assertThat(LibraryJson.read("f", LibraryJson.write(library))).isEqualTo(library);
            assertThat(library.regions()).contains(library.nearest(new double[] {50, 2, 10, 5}).region());
        } catch (ConfigException e) {
            assertThat(e.getMessage()).startsWith("f: ").hasSizeLessThan(500);
            assertThat(e.getMessage().lines()).hasSize(1);
        }
    }
}
