// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.crawl;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;

/** What any server answers, and what any page holds. */
class CrawlFuzzTest {

    private static final int MOST = 10_000;
    private static final WebSite SITE = WebSite.of(URI.create("http://shop.example/"));

    @FuzzTest
    void answer(byte[] bytes) {
        try {
            WebAnswer answer = new AnswerReader(new ByteArrayInputStream(bytes), InetAddress.getLoopbackAddress()).read(MOST, false);
            assertThat(answer.body()).hasSizeLessThanOrEqualTo(MOST);
            assertThat(answer.cookieNames()).doesNotContainNull();
            assertThat(StoreRules.forbidden(answer, Instant.EPOCH)).doesNotContainNull();
            String to = PageLinks.redirect(answer, "http://shop.example/a");
            SITE.inside(to).ifPresent(target -> assertThat(target).matches("/[!-~]*"));
            SITE.sibling(to).ifPresent(other -> assertThat(other.url("/")).matches("http://[a-z0-9._:\\[\\]-]+/"));
            assertThat(answer.generators(answer.plain(MOST))).doesNotContainNull();
            assertThat(answer.plain(MOST)).hasSizeLessThanOrEqualTo(MOST);
        } catch (IOException e) {
            assertThat(e.getMessage()).isNotBlank();
        }
    }

    @FuzzTest
    void links(byte[] page) {
        WebAnswer answer = new WebAnswer(200, List.of(), page, false, InetAddress.getLoopbackAddress());
        assertThat(PageLinks.of(page, answer, "http://shop.example/a", SITE)).allMatch(target -> target.matches("/[!-~]*"));
    }

    /** A page and one that is different at a place; the same page is the same. */
    @FuzzTest
    void pages(byte[] page) {
        assertThat(PageComparison.bodies(page, page.clone())).isEmpty();
        byte[] longer = Arrays.copyOf(page, page.length + 1);
        longer[page.length] = 'x';
        assertThat(PageComparison.bodies(page, longer)).hasValueSatisfying(place -> {
            assertThat(place.offset()).isBetween(0, page.length);
            assertThat(place.first().getBytes(StandardCharsets.UTF_8).length).isLessThan(200);
        });
    }
}
