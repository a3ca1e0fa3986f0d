// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NeighbourhoodTest {
    private static final Neighbourhood USUAL = Neighbourhood.of(Neighbourhood.USUAL);
    private static final Neighbourhood APART = Neighbourhood.of(Neighbourhood.APART);

    @Test
    void aNeighbourIsWhereItIsAskedToBeElseWhereItIsUsual() {
        assertThat(USUAL.placement(null)).isEqualTo("same-core");
        assertThat(USUAL.placement("other-core")).isEqualTo("other-core");
        assertThat(USUAL.inTurn(null)).isEqualTo(USUAL.inTurn("both")).containsExactly("same-core", "other-core");
        assertThat(USUAL.inTurn("other-core")).containsExactly("other-core");
        assertThatThrownBy(() -> USUAL.inTurn("next-door")).hasMessageContaining("expected same-core or other-core, got 'next-door'");
    }

    @Test
    void inTheLayoutApartNoNeighbourIsOnTheTiersCpu() {
        assertThat(APART.placement(null)).isEqualTo("other-core");
        assertThat(APART.inTurn(null)).containsExactly("other-core");
        assertThatThrownBy(() -> APART.placement("same-core")).hasMessageContaining("layout apart expected other-core");
        assertThatThrownBy(() -> APART.inTurn("both")).hasMessageContaining("got 'both'");
    }

    @Test
    void aTestbedSaysItAndItIsInWhatIsRecorded(@TempDir Path home) throws Exception {
        FakeTestbed fake = new FakeTestbed(home);
        assertThat(fake.testbed().neighbourhood()).as("of an older testbed").isEqualTo(USUAL);
        Path file = fake.file("testbed.json");
        Files.writeString(file, Files.readString(file).replace("\"scheme\"", "\"layout\": \"apart\", \"scheme\""));
        assertThat(fake.testbed().neighbourhood()).isEqualTo(APART);
        assertThat(fake.testbed().options()).containsEntry("testbed.layout", "apart");
    }

    @Test
    void aNeighbourIsAnyProgramWithWordsAsAShellTakesThem() {
        assertThat(NeighbourPlan.split("sh -c 'while :; do sha256sum \"/etc/passwd\"; done' --x=\"a b\"c")).containsExactly("sh", "-c",
                "while :; do sha256sum \"/etc/passwd\"; done", "--x=a bc");
        for (String nonsense : List.of("", "  ", "sh -c 'no end")) {
            assertThatThrownBy(() -> new NeighbourPlan(nonsense, "same-core", "1s off, 1s on"))
                    .hasMessageContaining("expected a program with its options, each quote with its end, got '" + nonsense + "'");
        }
    }
}
