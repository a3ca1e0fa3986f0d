// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.host;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** What servers and commands answer. */
class HostFuzzTest {

    @FuzzTest
    void fastCgi(byte[] bytes) {
        try {
            FastCgi.page(new Endpoint.Unix("/s"), Channels.newChannel(new ByteArrayInputStream(bytes)));
        } catch (IOException e) {
            assertThat(e.getMessage()).isNotBlank();
        }
    }

    @FuzzTest
    void httpAnswer(byte[] bytes) {
        try {
            new HttpGet(new LocalHost(), "http://localhost/").page(new String(bytes, StandardCharsets.UTF_8));
        } catch (IOException e) {
            assertThat(e.getMessage()).isNotBlank();
        }
    }

    /** The lines are the same however the bytes are cut. */
    @FuzzTest
    void lines(byte[] bytes) {
        LineBuffer whole = new LineBuffer();
        whole.add(bytes, bytes.length);
        LineBuffer cut = new LineBuffer();
        List<String> lines = new ArrayList<>();
        for (int start = 0; start < bytes.length; start += 7) {
            byte[] part = Arrays.copyOfRange(bytes, start, Math.min(start + 7, bytes.length));
            cut.add(part, part.length);
            lines.addAll(cut.take());
        }
        assertThat(lines).isEqualTo(whole.take());
    }

    @FuzzTest
    void lastWords(byte[] bytes) {
        assertThat(new CommandResult(1, new String(bytes, StandardCharsets.UTF_8)).lastLine()).isNotEmpty()
                .doesNotContain("\n");
    }
}
