// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend.xen;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;

/** What Xen's commands print. */
class XenFuzzTest {

    private interface Parser {
        void parse(String text) throws IOException;
    }

    /** Recordings have the command and its status in lines of their own. */
    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8).lines().filter(line -> !line.startsWith("# "))
                .collect(Collectors.joining("\n"));
    }

    private static void tryOut(String text, Parser parser) {
        try {
            parser.parse(text);
        } catch (IOException e) {
            assertThat(e.getMessage().length()).as("quoted in short").isLessThan(2000);
        }
    }

    @FuzzTest
    void tables(byte[] bytes) {
        String text = text(bytes);
        tryOut(text, all -> assertThat(XlDomains.parse(all)).allMatch(domain -> domain.id() >= 0 && domain.mib() >= 0));
        tryOut(text, all -> assertThat(XlVcpus.parse(all)).allMatch(vcpu -> vcpu.number() >= 0));
        tryOut(text, all -> assertThat(XlPools.parse(all, all)).allMatch(pool -> !pool.scheduler().isEmpty()));
        int half = text.indexOf("CPU list") < 0 ? text.length() / 2 : text.lastIndexOf('\n', text.indexOf("CPU list")) + 1;
        tryOut(text, all -> XlPools.parse(all.substring(0, half), all.substring(half)));
        tryOut(text, all -> assertThat(XlSchedule.parse("xl", all)).allMatch(pool -> pool.ratelimit() >= 0));
        tryOut(text, all -> assertThat(XenCommands.info(all, "nr_cpus")).isNotNegative());
        tryOut(text, all -> XenText.mebibytes(all, "16384").ifPresent(mib -> assertThat(mib).isNotNegative()));
    }

    @FuzzTest
    void top(byte[] bytes) {
        List<String> lines = text(bytes).lines().toList();
        tryOut("", none -> new Xentop().add(lines).forEach(round -> round.values().forEach(use ->
                use.ifPresent(one -> assertThat(one.cpus()).isNotNegative()))));
    }

    @FuzzTest
    void trace(byte[] bytes) {
        tryOut(text(bytes), all -> assertThat(Xenalyze.parse(all, 2.6e9).values()).allMatch(times ->
                times.running() >= 0 && times.runnable() >= 0 && times.offline() >= 0));
    }
}
