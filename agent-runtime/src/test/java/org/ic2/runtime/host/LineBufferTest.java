// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class LineBufferTest {

    private final LineBuffer buffer = new LineBuffer();

    private void add(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        buffer.add(bytes, bytes.length);
    }

    @Test
    void keepsAnUnfinishedLineForTheNextCall() {
        add("one\ntw");
        assertThat(buffer.take()).containsExactly("one");
        assertThat(buffer.take()).isEmpty();
        add("o\r\n\n");
        assertThat(buffer.take()).containsExactly("two", "");
    }

    @Test
    void theLinesAreTheSameHoweverTheBytesAreCut() {
        String text = "first\n\nb\u00e4r \u20ac \ud83d\ude00\r\n" + "x".repeat(2000) + "\nlast";
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        Random random = new Random(3);
        for (int round = 0; round < 200; round++) {
            LineBuffer cut = new LineBuffer();
            List<String> lines = new ArrayList<>();
            for (int from = 0; from < bytes.length; ) {
                int to = Math.min(bytes.length, from + 1 + random.nextInt(9));
                byte[] chunk = Arrays.copyOfRange(bytes, from, to);
                cut.add(chunk, chunk.length);
                lines.addAll(cut.take());
                from = to;
            }
            assertThat(lines).containsExactly("first", "", "b\u00e4r \u20ac \ud83d\ude00", "x".repeat(2000));
        }
    }

    @Test
    void aLineThatIsTooLongIsDroppedUpToItsEnd() {
        add("a".repeat(LineBuffer.LONGEST_LINE) + "\n");
        add("b".repeat(LineBuffer.LONGEST_LINE + 1));
        add("b".repeat(LineBuffer.LONGEST_LINE));
        add("b\nshort\n");
        assertThat(buffer.take()).containsExactly("a".repeat(LineBuffer.LONGEST_LINE), "short");
    }

    @Test
    void ofUnreadLinesTheLatestStay() {
        add("\n".repeat(3 * 1024 * 1024) + "last\n");
        assertThat(buffer.lost()).isPositive();
        List<String> lines = buffer.take();
        assertThat(lines).hasSizeLessThanOrEqualTo(LineBuffer.MOST_WEIGHT / LineBuffer.LINE_WEIGHT).endsWith("", "last");
        add("next\n");
        assertThat(buffer.take()).containsExactly("next");
    }

    @Test
    void forgetsTheUnfinishedLineOfAFileThatBeginsAnew() {
        add("half");
        buffer.discardPartial();
        add("whole\n");
        assertThat(buffer.take()).containsExactly("whole");
        add("c".repeat(LineBuffer.LONGEST_LINE + 1));
        buffer.discardPartial();
        add("next\n");
        assertThat(buffer.take()).containsExactly("next");
    }

    @Test
    void bytesThatAreNoTextSpoilTheirOwnLineOnly() {
        byte[] bytes = {'a', (byte) 0xc3, '\n', 'b', '\n'};
        buffer.add(bytes, bytes.length);
        assertThat(buffer.take()).containsExactly("a\ufffd", "b");
    }
}
