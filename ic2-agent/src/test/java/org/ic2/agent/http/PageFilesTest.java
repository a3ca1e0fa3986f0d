// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** All that the page is made of is there, and of itself. */
class PageFilesTest {

    private static final Pattern REFERENCE = Pattern.compile("(?:href|src)=\"([^\"]*)\"|from \"\\./([^\"]*)\"");

    private static String text(String path) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Dashboard.answer(path).body().writeTo(out);
        return out.toString(StandardCharsets.UTF_8);
    }

    @Test
    void whateverTheFilesReferToIsServed() throws Exception {
        Set<String> seen = new TreeSet<>();
        Deque<String> open = new ArrayDeque<>(Set.of("/"));
        while (!open.isEmpty()) {
            String path = open.pop();
            if (!seen.add(path) || path.endsWith(".css") || path.endsWith(".svg") || path.contains("uplot/")) {
                continue;
            }
            Matcher references = REFERENCE.matcher(text(path));
            while (references.find()) {
                String file = references.group(1) == null ? references.group(2) : references.group(1);
                assertThat(Dashboard.has("/" + file)).as("%s refers to %s", path, file).isTrue();
                open.add("/" + file);
            }
        }
        assertThat(seen).contains("/charts.js", "/data.js", "/dashboard.css", "/uplot/uPlot.iife.js");
        assertThat(Dashboard.has("/uplot/README.md")).isFalse();
        assertThat(Dashboard.has("/../http/dashboard/index.html")).isFalse();
    }

    @Test
    void thePageHasNothingThatItsPolicyForbids() throws Exception {
        assertThat(Dashboard.answer("/").type()).isEqualTo("text/html; charset=utf-8");
        assertThat(Dashboard.answer("/dashboard.js").type()).isEqualTo("text/javascript; charset=utf-8");
        assertThat(text("/")).doesNotContainPattern("<script>|<style| style=| on[a-z]+=|data:");
    }
}
