// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.wordpress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.Random;
import org.ic2.load.workload.PageError;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StampTest {
    @ParameterizedTest
    @ValueSource(strings = {"front.html", "post.html", "search.html", "login.html", "feed.xml"})
    void isReadFromPagesOfARealWordPress(String file) throws IOException {
        Stamp stamp = Stamp.of(file, FakeWordPress.recorded(file));
        assertThat(stamp.visitor()).isEqualTo("anonymous");
        assertThat(stamp.built().ageAt(stamp.built().millis() + 1500)).isEqualTo(1.5);
        assertThat(stamp.built().ageAt(stamp.built().millis() - 1)).as("built for the request").isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "<html></html>", "<!-- ic2 built= visitor=anonymous -->", "<!-- ic2 built=1 visitor=",
        "<!-- ic2 built=1 visitor=member: -->", "<!-- ic2 built=-5 visitor=anonymous -->", "<!-- ic2 built=1 visitor=root -->",
        "<!-- ic2 built=99999999999999999999 visitor=anonymous -->",
        "<!-- ic2 built=1 visitor=anonymous --><!-- ic2 built=2 visitor=member:a -->"})
    void garbageIsRefusedWithASentence(String page) {
        assertThatThrownBy(() -> Stamp.of("GET /", page)).isInstanceOf(PageError.class).hasMessageStartingWith("GET /: expected ");
    }

    @Test
    void anyDamageIsEitherReadOrRefused() throws IOException {
        byte[] page = "<p>a</p><!-- ic2 built=1795371406804 visitor=member:a --></html>".getBytes();
        Random random = new Random(1);
        for (int i = 0; i < 20_000; i++) {
            byte[] damaged = page.clone();
            damaged[random.nextInt(page.length)] = (byte) random.nextInt(128);
            try {
                assertThat(Stamp.of("GET /", new String(damaged)).visitor()).isNotEmpty();
            } catch (PageError refused) {
                assertThat(refused).hasMessageStartingWith("GET /: expected ");
            }
        }
    }
}
