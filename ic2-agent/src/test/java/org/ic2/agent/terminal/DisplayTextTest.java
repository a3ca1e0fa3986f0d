// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.ic2.agent.terminal.Ink.Hue;
import org.ic2.runtime.cli.DisplayText;
import org.junit.jupiter.api.Test;

/** What a terminal is given to show, and how much room it takes. */
class DisplayTextTest {

    @Test
    void nothingThatATerminalWouldObeyIsLeft() {
        assertThat(DisplayText.clean("a\u001b[31mb\u0007\u009b2Jc\u007f")).isEqualTo("a?[31mb??2Jc?");
        assertThat(DisplayText.clean("two\r\nlines\tand\u2028more\u0085")).isEqualTo("two  lines and more ");
        assertThat(DisplayText.clean("turned \u202e\u2066around\u2069 \u200b\ufeff")).isEqualTo("turned around ");
        assertThat(DisplayText.clean("half \ud83d of a pair, \ue000\uffff")).isEqualTo("half ? of a pair, ??");
        assertThat(DisplayText.clean("Caf\u00e9 \u5e97 \ud83d\ude00")).isEqualTo("Caf\u00e9 \u5e97 \ud83d\ude00");
    }

    @Test
    void widthIsOfColumns() {
        assertThat(DisplayText.width("shop")).isEqualTo(4);
        assertThat(DisplayText.width("\u5e97\u8217")).as("wide").isEqualTo(4);
        assertThat(DisplayText.width("e\u0301")).as("an accent of its own").isEqualTo(1);
        assertThat(DisplayText.width("\ud83d\ude00")).isEqualTo(2);
        assertThat(DisplayText.width("\u1112\u1161\u11ab")).as("one syllable of three letters").isEqualTo(2);
    }

    @Test
    void tooLongTextIsCutAtAWholeCharacter() {
        assertThat(DisplayText.cut("mitigation", 10, "\u2026")).isEqualTo("mitigation");
        assertThat(DisplayText.cut("mitigation", 9, "\u2026")).isEqualTo("mitigati\u2026");
        assertThat(DisplayText.cut("\u5e97\u5e97\u5e97", 4, "\u2026")).as("half a character is none").isEqualTo("\u5e97\u2026");
        assertThat(DisplayText.cut("mitigation", 2, "...")).isEqualTo("mi");
        assertThat(DisplayText.cut("mitigation", 0, "...")).isEmpty();
        assertThat(DisplayText.wrap(List.of("one;", "two three;", "four"), 9, 2)).containsExactly("one;", "two three; four");
    }

    @Test
    void aRowIsNeverWiderThanItsTerminalAndColoursTakeNoRoom() {
        TextRow row = new TextRow(10, new Ink(true, true)).add("bad", Hue.BAD).column(5).add("\u5e97\u5e97\u5e97\u5e97", Hue.GOOD)
                .add("no room").column(20);
        assertThat(row.toString()).isEqualTo("\u001b[31mbad\u001b[0m  \u001b[32m\u5e97\u5e97\u2026\u001b[0m");
        assertThat(new TextRow(10, new Ink(true, true)).add("\u001b[2J", Hue.BAD)).hasToString("\u001b[31m?[2J\u001b[0m");
        assertThat(new TextRow(10, new Ink(false, false)).add("Caf\u00e9 \ud83d\ude00", Hue.BAD)).hasToString("Caf? ?");
        assertThat(new TextRow(10, new Ink(false, false)).right("12345", 8)).hasToString("   12345");
    }

    @Test
    void coloursAreForTerminalsThatHaveThemAndPeopleWhoWantThem() {
        Map<String, String> xterm = Map.of("TERM", "xterm-256color", "LANG", "de_DE.UTF-8");
        assertThat(Ink.of(xterm)).isEqualTo(new Ink(true, true));
        assertThat(Ink.of(Map.of("TERM", "xterm", "NO_COLOR", "1", "LC_ALL", "C", "LANG", "C.utf8"))).isEqualTo(new Ink(false, false));
        assertThat(Ink.of(Map.of("TERM", "xterm", "NO_COLOR", "", "LC_CTYPE", "C.utf8")).colour()).as("as NO_COLOR has it").isTrue();
        for (String without : List.of("", "dumb", "vt100", "xterm-mono", "linux-m")) {
            assertThat(Ink.of(Map.of("TERM", without)).colour()).as(without).isFalse();
        }
    }

    @Test
    void aTerminalThatSaysNoSizeHasTheUsualOne() {
        assertThat(TerminalSize.parse("50 132")).isEqualTo(new TerminalSize(132, 50));
        for (String said : List.of("", "0 0", "24", "24 x", "-1 -1", "99999999999 80", "stty: not a terminal")) {
            assertThat(TerminalSize.parse(said)).as(said).isEqualTo(TerminalSize.USUAL);
        }
        assertThat(TerminalSize.parse("99999 99999").columns()).as("no memory for that").isLessThan(99999);
    }
}
