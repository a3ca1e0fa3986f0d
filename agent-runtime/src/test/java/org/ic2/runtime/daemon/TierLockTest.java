// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each server is one agent's; with two processes, and after a kill, {@code AlwaysRestoredTest} tries it. */
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
    void aUsersOwnDirectoryGoesWithItsLastLock() throws Exception {
        Path own = directory.resolve("ic2-locks-somebody");
        TierLock first = new TierLock(own, "process 1 with a.yaml");
        first.hold(Set.of("the httpd at 127.0.0.1:80"));
        try (TierLock second = new TierLock(own, "process 2 with b.yaml")) {
            second.hold(Set.of("the httpd at 127.0.0.1:81"));
            first.close();
            assertThat(own).isNotEmptyDirectory();
            assertThatThrownBy(() -> first.hold(Set.of("the httpd at 127.0.0.1:81"))).hasMessageContaining("process 2 with b.yaml");
        }
        assertThat(own).doesNotExist();
        Path services = directory.resolve("locks");
        try (TierLock lock = new TierLock(services, "process 1 with a.yaml")) {
            lock.hold(Set.of("tier"));
        }
        assertThat(services.resolve("tier")).as("the service's files stay").hasContent("process 1 with a.yaml");
    }

    /** The kernel drops a process's lock when the process closes the file, however often it has opened it. */
    @Test
    void aLockHoldsAgainstAnotherProcess() throws Exception {
        for (String name : List.of("locks", "ic2-locks-somebody")) {
            Path place = directory.resolve(name);
            try (TierLock lock = new TierLock(place, "process 1 with a.yaml")) {
                lock.hold(Set.of("tier"));
                assertThat(new ProcessBuilder("python3", "-c", "import fcntl, sys\nfcntl.lockf(open(sys.argv[1], 'r+'), fcntl.LOCK_EX | fcntl.LOCK_NB)",
                        place.resolve("tier").toString()).start().waitFor()).as(name).isNotZero();
            }
        }
    }

    @Test
    void ofManyThatComeAndGoOneAtATimeHoldsTheLock() throws Exception {
        Path own = directory.resolve("ic2-locks-somebody");
        AtomicInteger holders = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        ExecutorService threads = Executors.newFixedThreadPool(4);
        for (int i = 0; i < 4; i++) {
            String owner = "process " + i;
            threads.submit(() -> {
                for (int j = 0; j < 200; j++) {
                    try (TierLock lock = new TierLock(own, owner)) {
                        lock.hold(Set.of("tier"));
                        most.accumulateAndGet(holders.incrementAndGet(), Math::max);
                        holders.decrementAndGet();
                    } catch (IOException e) {
                        Thread.onSpinWait();    // another has it
                    }
                }
                return null;
            });
        }
        threads.shutdown();
        assertThat(threads.awaitTermination(1, TimeUnit.MINUTES)).isTrue();
        assertThat(most).hasValue(1);
    }

    @Test
    void withoutFileLocksTheAgentStillWorks() {
        assertThatCode(() -> {
            try (TierLock lock = new TierLock(Path.of("/proc/none/locks"), "process 1 with a.yaml")) {
                lock.hold(Set.of("the httpd at 127.0.0.1:80"));
                lock.hold(Set.of());
            }
        }).doesNotThrowAnyException();
    }

    @Test
    void aForeignSymbolicLinkIsNotFollowed() throws Exception {
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
