// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.init;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.ic2.runtime.host.CommandResult;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** All of it or nothing, and all of it back. */
class InitRunTest {

    private static final String ENABLED = "/etc/apache2/mods-enabled/";

    @TempDir
    private Path directory;

    private Site site;
    private Map<String, String> before;
    private final List<String> said = new ArrayList<>();

    @BeforeEach
    void make() throws Exception {
        site = new Site(directory);
        before = site.tree();
    }

    private void perform() throws Exception {
        new InitRun(site.machine, said::add, Duration.ZERO).perform(site.plan());
    }

    private void undo() throws Exception {
        new InitUndo(site.machine, said::add).undo();
    }

    @Test
    void itWritesEnablesAndTestsAndTheWayBackLeavesNothing() throws Exception {
        perform();
        assertThat(InitUndo.isComplete(site.machine)).hasValue(true);
        assertThat(Site.without(site.tree(), before)).contains("etc/ic2/ic2.yaml", "etc/apache2/conf-available/ic2-status.conf",
                "etc/apache2/conf-enabled/ic2-mitigation.conf", "etc/apache2/mods-enabled/standby.load", "var/lib/ic2/init.json");
        assertThat(site.commands()).endsWith("/usr/sbin/a2enconf -q ic2-status",
                "/usr/sbin/a2enconf -q ic2-mitigation", "/usr/sbin/apache2ctl -t");
        undo();
        assertThat(site.tree()).isEqualTo(before);
        assertThat(InitUndo.isComplete(site.machine)).isEmpty();
    }

    @Test
    void whicheverStepFailsAllIsAsItWas() throws Exception {
        perform();
        List<String> steps = List.copyOf(site.commands());
        undo();
        for (String failing : steps.subList(2, steps.size())) {
            List<String> once = new ArrayList<>(List.of(failing));
            site.instead = command -> once.remove(String.join(" ", command)) ? new CommandResult(1, "AH00526: no\n") : null;
            assertThatThrownBy(this::perform).as(failing).isInstanceOf(IOException.class)
                    .hasMessageContaining("failed with status 1: AH00526: no; all of it was taken back").hasMessageNotContaining("\n");
            assertThat(site.tree()).as(failing).isEqualTo(before);
        }
    }

    @Test
    void aFileThatCannotBeWrittenTakesBackTheOthers() throws Exception {
        Files.createDirectories(directory.resolve("etc"));
        Files.writeString(directory.resolve("etc/ic2"), "in the way of a directory");
        before = site.tree();
        assertThatThrownBy(this::perform).hasMessageContaining("cannot write /etc/ic2/ic2.yaml").hasMessageContaining("taken back");
        assertThat(site.tree()).isEqualTo(before);
    }

    @Test
    void aForeignFileIsNotOverwrittenAndEndsTheRun() throws Exception {
        site.put("/etc/ic2/ic2.yaml", "application: mine\n");
        before = site.tree();
        assertThatThrownBy(this::perform).hasMessageContaining("/etc/ic2/ic2.yaml is there already").hasMessageContaining("nothing was changed");
        assertThat(site.tree()).isEqualTo(before);
    }

    @Test
    void anInterruptionInTheMiddleTakesBackWhatWasDone() throws Exception {
        site.instead = command -> {
            if (command.get(0).endsWith("/a2enconf")) {
                Thread.currentThread().interrupt();
            }
            return null;
        };
        assertThatThrownBy(this::perform).isInstanceOf(IOException.class).hasMessageContaining("all of it was taken back");
        assertThat(site.tree()).isEqualTo(before);
        assertThat(Thread.interrupted()).isFalse();
    }

    @Test
    void afterAKillInTheMiddleTheRecordLeadsBack() throws Exception {
        site.instead = command -> {
            if (command.get(0).endsWith("/a2enconf")) {
                throw new IllegalStateException("killed");
            }
            return null;
        };
        assertThatThrownBy(this::perform).isInstanceOf(IllegalStateException.class);
        assertThat(InitUndo.isComplete(site.machine)).hasValue(false);
        undo();
        assertThat(site.tree()).isEqualTo(before);
    }

    @Test
    void editedFilesStay() throws Exception {
        perform();
        site.put("/etc/ic2/ic2.yaml", "mode: act\n");
        undo();
        assertThat(Site.without(site.tree(), before)).containsExactly("etc/ic2/ic2.yaml");
        assertThat(said).contains("kept /etc/ic2/ic2.yaml: it was edited since");
    }

    @Test
    void modulesThatTheSiteHasComeToNeedStay() throws Exception {
        perform();
        site.instead = command -> command.equals(List.of("/usr/sbin/apache2ctl", "-t"))
                && !Files.exists(directory.resolve((ENABLED + "deflate.load").substring(1)), LinkOption.NOFOLLOW_LINKS)
                ? new CommandResult(1, "Invalid command 'DeflateCompressionLevel'\n") : null;
        undo();
        assertThat(Site.without(site.tree(), before)).contains("etc/apache2/mods-enabled/deflate.load")
                .doesNotContain("etc/ic2/ic2.yaml");
        assertThat(said).anySatisfy(line -> assertThat(line).startsWith("kept ").contains("deflate"));
    }

    @Test
    void removalTakesOnlyPathsThatInitCanHaveMade() throws Exception {
        perform();
        String good = site.machine.read(InitRecord.PATH);
        for (String[] change : new String[][] {{"/etc/ic2/ic2.yaml", "/etc/passwd"}, {"/run/ic2-standby", "/"},
            {"/usr/sbin/apache2ctl", "/bin/sh"}, {"\"deflate\"", "\"../x\""},
            {"/var/log/apache2/ic2.log", "/var/log/../../etc/ic2.log"}, {"\"format\" : 1", "\"format\" : 2"}, {"{", ""}}) {
            site.put(InitRecord.PATH, good.replace(change[0], change[1]));
            assertThatThrownBy(this::undo).as(change[1]).isInstanceOf(IOException.class).hasMessageContaining("init.json");
        }
        site.put(InitRecord.PATH, good);
        undo();
        assertThat(site.tree()).isEqualTo(before);
    }

    @Test
    void withNothingSetUpThereIsNothingToRemove() {
        assertThatThrownBy(this::undo).hasMessageContaining("nothing to remove");
    }

    @Test
    void pagesStoredDuringTheRemovalAreRemovedToo() throws Exception {
        perform();
        List<String> puts = new ArrayList<>(List.of("one", "two", "three"));
        site.instead = command -> command.get(0).endsWith("rm") && command.get(1).equals("-rf") && !puts.isEmpty()
                ? new CommandResult(1, "rm: cannot remove: Directory not empty by " + puts.remove(0) + "\n") : null;
        undo();
        assertThat(puts).isEmpty();
        assertThat(site.tree()).isEqualTo(before);
    }

    @Test
    void theStoreAndTheLocksGoUnlessTheStoreWasThereBefore() throws Exception {
        perform();
        site.put("/run/ic2-standby/made", "");
        site.put("/tmp/ic2-locks-ic2/made", "");
        undo();
        assertThat(site.tree()).isEqualTo(before);
        site.put("/run/ic2-standby/made", "of another");
        perform();
        undo();
        assertThat(Site.without(site.tree(), before)).containsExactly("run/ic2-standby/made");
    }

    @Test
    void aWayBackThatFailsSaysSoKeepsTheRecordAndCanBeTriedAgain() throws Exception {
        perform();
        site.instead = command -> command.get(0).endsWith("/a2disconf") ? new CommandResult(1, "read-only\n") : null;
        assertThatThrownBy(this::undo).hasMessageContaining("not all of it could be taken back").hasMessageContaining("read-only");
        site.instead = command -> null;
        undo();
        assertThat(site.tree()).isEqualTo(before);
    }
}
