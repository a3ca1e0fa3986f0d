// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend.libvirt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.ic2.host.backend.libvirt.VirshText.Info;
import org.ic2.host.backend.libvirt.VirshText.Row;
import org.junit.jupiter.api.Test;

class VirshTextTest {

    @Test
    void whatARealVirshPrintsIsUnderstood() throws Exception {
        assertThat(VirshText.list(VirshSamples.of("list"))).containsExactly(new Row(1, "web"), new Row(2, "db"));
        String infos = VirshSamples.of("dominfo-of-three");
        assertThat(VirshText.info(infos.substring(infos.indexOf("@6")))).isEqualTo(new Info(FakeVirsh.UUID, 2, 196_608));
        assertThat(VirshText.statistics(VirshSamples.of("domstats-balloon"))).containsEntry("balloon.current", 163_840.0)
                .containsEntry("balloon.usable", 103_396.0);
        assertThat(VirshText.statistics(VirshSamples.of("domstats-no-driver"))).containsEntry("balloon.last-update", 0.0)
                .doesNotContainKey("balloon.usable");
        assertThat(VirshText.schedule(VirshSamples.of("schedinfo"))).containsEntry("cpu_shares", 1024L).containsEntry("global_quota", -1L)
                .hasSize(9);
        assertThat(VirshText.isNone(VirshText.schedule(VirshSamples.of("schedinfo-no-quota")).get("global_quota"))).isTrue();
        assertThat(VirshText.schedule(VirshSamples.of("schedinfo-after-managedsave"))).as("what was set is saved with the domain")
                .containsEntry("global_quota", 50_000L).containsEntry("cpu_shares", 512L);
        assertThat(VirshText.list(" Id   Name   State\n--------------------\n\n")).isEmpty();
    }

    @Test
    void namesMayHoldBlanksAndStates() throws Exception {
        assertThat(VirshText.list(" Id   Name            State\n-----\n 7    my running vm   in shutdown\n 12   9   paused\n"))
                .containsExactly(new Row(7, "my running vm"), new Row(12, "9"));
    }

    /** Its table loses all that is not ASCII, and the blanks around a name. */
    @Test
    void namesAreWhatDominfoSaysAndNotWhatTheTableShows() throws Exception {
        assertThat(VirshText.list(VirshSamples.of("list-other-names"))).hasSize(13).contains(new Row(2, "gr\\xff\\xff\\xff\\xffe"), new Row(5, "lead"));
        List<String> names = new ArrayList<>();
        for (String one : VirshSamples.of("dominfo-other-names").split("(?m)^@(?=\\d)")) {
            if (!one.isBlank()) {
                names.add(VirshText.name(one));
            }
        }
        assertThat(names).containsExactly("gr\u00fc\u00dfe", "a\\xb", "sp ace", " lead", "trail ", "x running", "tab\tbed", "\u65e5\u672c", "-dash", "12",
                "a  b", "\ud83d\ude00");
        assertThat(names).filteredOn(name -> VirshText.unusable(name).isPresent()).containsExactly("tab\tbed");
        assertThat(VirshText.unusable("half \ufffd of one")).isPresent();
        assertThatThrownBy(() -> VirshText.name("Id: 1\n")).hasMessageContaining("expected a line \"Name:");
    }

    /** Who names a domain does not say what its UUID is. */
    @Test
    void noNameIsTakenForAnotherLine() throws Exception {
        String info = "Id:             7\nName:           a\u2028UUID:           00000000-0000-0000-0000-000000000000\u0085CPU(s):         9\nUUID:           "
                + FakeVirsh.UUID + "\nCPU(s):         2\nMax memory:     196608 KiB\n";
        assertThat(VirshText.info(info)).isEqualTo(new Info(FakeVirsh.UUID, 2, 196_608));
        assertThat(VirshText.unusable(VirshText.name(info))).isPresent();
    }

    @Test
    void aDomainWhoseProcessHasEndedHasNoSettings() {
        assertThatThrownBy(() -> VirshText.schedule(VirshSamples.of("schedinfo-after-kill"))).isInstanceOf(IOException.class)
                .hasMessageContaining("nothing but 0");
    }

    @Test
    void otherVersionsSayThatThereIsNoQuotaInOtherWords() throws Exception {
        for (String none : new String[] {"-1", "0", "17592186044415", "18446744073709551", "18446744073709551615"}) {
            assertThat(VirshText.isNone(VirshText.schedule("cpu_shares : 100\nglobal_quota : " + none + "\n").get("global_quota"))).as(none).isTrue();
        }
        assertThat(VirshText.isNone(50_000)).isFalse();
    }

    @Test
    void whatIsNotUnderstoodIsQuoted() {
        assertThatThrownBy(() -> VirshText.list("")).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> VirshText.list(" Id   Nom   État\n---\n")).hasMessageContaining("Nom");
        assertThatThrownBy(() -> VirshText.list(" Id   Name   State\n----\n web running\n")).hasMessageContaining("web running");
        assertThatThrownBy(() -> VirshText.info("Id: 1\nUUID: none\n")).hasMessageContaining("UUID");
        assertThatThrownBy(() -> VirshText.statistics("balloon=much\n")).hasMessageContaining("balloon=much");
        assertThatThrownBy(() -> VirshText.schedule("cpu_shares : lots\n")).hasMessageContaining("lots");
        assertThatThrownBy(() -> VirshText.schedule(VirshSamples.of("schedinfo-refused"))).isInstanceOf(IOException.class);
    }

    /** Damaged output is understood or an error of one kind, never another end. */
    @Test
    void damagedOutputIsAnErrorOfOneKind() {
        Random random = new Random(42);
        String[] samples = {"list", "schedinfo", "domstats-balloon", "dominfo-of-three"};
        for (int i = 0; i < 4000; i++) {
            StringBuilder text = new StringBuilder(VirshSamples.of(samples[i % samples.length]));
            for (int j = random.nextInt(4); j >= 0; j--) {
                text.setCharAt(random.nextInt(text.length()), (char) (random.nextInt(4) == 0 ? random.nextInt(0x250) : ' ' + random.nextInt(95)));
            }
            String damaged = text.substring(random.nextInt(20), text.length() - random.nextInt(20));
            int kind = i % samples.length;
            try {
                switch (kind) {
                    case 0 -> VirshText.list(damaged);
                    case 1 -> VirshText.schedule(damaged);
                    case 2 -> VirshText.statistics(damaged);
                    default -> VirshText.info(damaged);
                }
            } catch (IOException e) {
                assertThat(e.getMessage()).startsWith("virsh ");
            }
        }
    }
}
