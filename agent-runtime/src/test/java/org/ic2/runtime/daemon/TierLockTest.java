// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each server is one agent's; with two processes, and after a kill, {@code AlwaysHomeTest} tries it. */
class TierLockTest {

    @TempDir
    private Path directory;

    @Test
    void ofTwoOnOneServerTheSecondIsRefusedAndKeepsWhatItHad() throws Exception {
        try (TierLock first = new TierLock(directory.resolve("locks"), "process 1 with a.yaml");
                TierLock second = new TierLock(directory.resolve("locks"), "process 2 with b.yaml")) {
            first.hold(Set.of("the httpd at 127.0.0.1:80", "the pool of /etc/www.conf"));
            second.hold(Set.of("the httpd at 127.0.0.1:81"));
            assertThatThrownBy(() -> second.hold(Set.of("the pool of /etc/www.conf", "another")))
                    .isInstanceOf(IOException.class).hasMessageContaining("another agent manages the pool of /etc/www.conf")
                    .hasMessageContaining("process 1 with a.yaml");
            assertThatThrownBy(() -> first.hold(Set.of("the httpd at 127.0.0.1:81"))).isInstanceOf(IOException.class);
            second.hold(Set.of());
        }
    }

    @Test
    void aDiskThatAllowsNoLockKeepsNobodyFromWork() {
        assertThatCode(() -> {
            try (TierLock lock = new TierLock(Path.of("/proc/none/locks"), "process 1 with a.yaml")) {
                lock.hold(Set.of("the httpd at 127.0.0.1:80"));
                lock.hold(Set.of());
            }
        }).doesNotThrowAnyException();
    }

    @Test
    void aLinkThatSomebodyPutThereIsNotFollowed() throws Exception {
        Path locks = Files.createDirectory(directory.resolve("locks"));
        Path victim = Files.writeString(directory.resolve("victim"), "mine");
        Files.createSymbolicLink(locks.resolve("tier"), victim);
        Path linked = Files.createSymbolicLink(directory.resolve("linked"), Files.createDirectory(directory.resolve("elsewhere")));
        try (TierLock lock = new TierLock(locks, "process 1 with a.yaml");
                TierLock other = new TierLock(linked, "process 1 with a.yaml")) {
            lock.hold(Set.of("tier"));
            other.hold(Set.of("tier"));
        }
        assertThat(victim).hasContent("mine");
        assertThat(linked.toRealPath()).isEmptyDirectory();
    }

    @Test
    void theServicesDirectoryGoesBeforeAUsersOwn() {
        assertThat(TierLock.directory(Map.of("RUNTIME_DIRECTORY", "/run/ic2/locks"))).isEqualTo(Path.of("/run/ic2/locks"));
        assertThat(TierLock.directory(Map.of()).toString()).matches("/run/ic2/locks|.*/ic2-locks-.+");
    }
}
