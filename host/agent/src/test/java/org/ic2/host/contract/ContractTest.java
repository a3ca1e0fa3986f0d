// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.ic2.host.backend.PlayedHost;
import org.ic2.host.config.HostConfig;
import org.ic2.host.config.HostConfigReader;
import org.ic2.host.model.Guest;
import org.ic2.host.model.GuestClass;
import org.ic2.host.model.GuestKnob;
import org.ic2.host.model.GuestMetric;
import org.ic2.host.model.HostMetric;
import org.ic2.host.model.HostSample;
import org.ic2.host.model.KnobKind;
import org.ic2.host.model.Pool;
import org.ic2.host.model.Readings;
import org.ic2.runtime.host.CommandResult;
import org.ic2.runtime.yaml.ConfigException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Words between host and tenants, in real files and in a played xenstore. */
class ContractTest {
    private static final String NOTICE = "xenstore-write -R /local/domain/1/data/ic2/notice ";
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
    private static final long MIB = 1 << 20;

    @TempDir
    private Path directory;
    private final AtomicLong nanos = new AtomicLong(-5);
    private final List<String> logged = new ArrayList<>();
    private final Guest web = guest("web", "1");
    private final Guest other = guest("other", "2");
    private Path notice;
    private Path tenant;
    private Contract contract;

    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord record) {
            synchronized (logged) {
                logged.add(record.getMessage());
            }
        }

        @Override
        public void flush() {
            // nothing is kept back
        }

        @Override
        public void close() {
            // holds nothing
        }
    };

    private static Guest guest(String name, String id) {
        return new Guest(id, "u-" + id, name, 1, 64 * MIB, 1024 * MIB, GuestClass.NLS, Double.NaN, Double.NaN);
    }

    @BeforeEach
    void begin() throws Exception {
        notice = Files.createDirectories(directory.resolve("ic2/notice")).resolve("web.json");
        tenant = Files.createDirectories(directory.resolve("ic2/tenant")).resolve("web.json");
        Logger.getLogger(Contract.class.getName()).addHandler(handler);
        contract = open("{type: directory, path: ic2}");
    }

    @AfterEach
    void end() throws Exception {
        Logger.getLogger(Contract.class.getName()).removeHandler(handler);
        contract.close();
    }

    private HostConfig config(String choice) throws ConfigException {
        return HostConfigReader.parse(directory.resolve("host.yaml"), "backend: {type: xen}\nguests: {web: {class: LS1}}\ncontract: "
                + choice + "\n");
    }

    private Contract open(String choice) throws ConfigException {
        return Contract.open(config(choice), new PlayedHost(directory), Duration.ofSeconds(3), Clock.fixed(NOW, ZoneOffset.UTC),
                nanos::get).orElseThrow();
    }

    private HostSample sample(Guest... guests) {
        return new HostSample(NOW, Duration.ofSeconds(3), List.of(guests), Map.of(web.uuid(), new Readings<>(GuestMetric.class)
                .with(GuestMetric.CPU_RUN, 1.0 / 3).with(GuestMetric.CPU_WAIT, 0).with(GuestMetric.MEM_ALLOC, 512 * MIB)
                .with(GuestMetric.MEM_USED, 511 * MIB)), new Readings<>(HostMetric.class));
    }

    /** Asks turn after turn, as a slow machine may let one pass. */
    private HostSample heard() throws InterruptedException {
        for (int turn = 0; turn < 300; turn++) {
            HostSample heard = contract.heard(sample(web, other));
            if (!Double.isNaN(heard.get(web, GuestMetric.APP_REQUESTS)) || heard.byUuid().get(web.uuid()).why(GuestMetric.APP_RT)
                    .contains("not understood")) {
                return heard;
            }
        }
        throw new AssertionError("nothing was heard");
    }

    @Test
    void whatATenantTellsCountsForItsOwnGuestOnce() throws Exception {
        Files.writeString(tenant, "{\"v\":1,\"time\":10,\"response_time\":0.05,\"requests\":40,\"busy_until\":12,\"shedding\":true}");
        Files.writeString(tenant.resolveSibling("other.json"), "{\"v\":1,\"requests\":7}");
        HostSample heard = heard();

        assertThat(heard.get(web, GuestMetric.APP_RT)).isEqualTo(0.05);
        assertThat(heard.get(web, GuestMetric.APP_REQUESTS)).isEqualTo(40);
        assertThat(heard.get(web, GuestMetric.APP_BUSY)).isEqualTo(1);
        assertThat(heard.get(web, GuestMetric.APP_SHEDDING)).isEqualTo(1);
        assertThat(heard.get(other, GuestMetric.APP_REQUESTS)).as("the file does not name it").isNaN();
        nanos.addAndGet(3_000_000_000L);
        HostSample next = contract.heard(sample(web, other));
        assertThat(next.get(web, GuestMetric.APP_REQUESTS)).isNaN();
        assertThat(next.byUuid().get(web.uuid()).why(GuestMetric.APP_RT)).isEqualTo("its tenant has told nothing new");
        nanos.addAndGet(9_000_000_000L);
        assertThat(contract.heard(sample(web)).byUuid().get(web.uuid()).why(GuestMetric.APP_RT)).contains("silent for 12 s");
        assertThat(contract.heard(sample(web)).get(web, GuestMetric.APP_BUSY)).isZero();
        assertThat(contract.heard(sample(web)).get(web, GuestMetric.APP_SHEDDING)).as("of one that is silent").isZero();
    }

    @Test
    void aNoticeHasTheGuestsFiguresAndWhatWasDoneToIt() throws Exception {
        GuestKnob cap = GuestKnob.of(KnobKind.CAP, web);
        contract.tell(sample(web, other), "turn-7", List.of(GuestKnob.of(KnobKind.CAP, other), cap), "perf-sq");
        assertThat(await(notice)).isEqualTo("{\"v\":1,\"time\":1767225600.000,\"run\":0.3333,\"wait\":0.0,\"memory_taken\":0.5,"
                + "\"action\":{\"id\":\"turn-7\",\"knob\":\"cap\",\"settled_at\":1767225600.000}}");
        assertThat(Files.size(notice)).isLessThan(Carrier.MOST_BYTES);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(notice))).isEqualTo("rw-r--r--");
        assertThat(notice.resolveSibling("other.json")).doesNotExist();
        contract.close();
        for (long end = System.nanoTime() + 60_000_000_000L; Files.exists(notice) && System.nanoTime() < end;) {
            Thread.onSpinWait();
        }
        assertThat(notice).doesNotExist();
    }

    private static String await(Path file) throws Exception {
        for (long end = System.nanoTime() + 60_000_000_000L; !Files.exists(file) && System.nanoTime() < end;) {
            Thread.onSpinWait();
        }
        return Files.readString(file);
    }

    @Test
    void anothersCapIsNotTheGuestsAndAnothersWeightAndAPoolsKnobAre() throws Exception {
        contract.tell(sample(web), "turn-1", List.of(GuestKnob.of(KnobKind.CAP, other)), "");
        assertThat(await(notice)).doesNotContain("action");
        for (GuestKnob knob : List.of(GuestKnob.of(KnobKind.WEIGHT, other), GuestKnob.of(KnobKind.TSLICE, new Pool("p", "credit", List.of())))) {
            String word = "\"knob\":\"" + knob.kind().key() + "\"";
            for (long end = System.nanoTime() + 60_000_000_000L; !await(notice).contains(word) && System.nanoTime() < end;) {
                contract.tell(sample(web), "turn-2", List.of(knob), "");
            }
            assertThat(await(notice)).contains(word);
        }
    }

    @Test
    void memoryThatIsNotMissedIsNotTaken() {
        HostSample idle = new HostSample(NOW, Duration.ofSeconds(3), List.of(web), Map.of(web.uuid(), new Readings<>(GuestMetric.class)
                .with(GuestMetric.MEM_ALLOC, 512 * MIB).with(GuestMetric.MEM_USED, 400 * MIB)), new Readings<>(HostMetric.class));
        assertThat(HostNotice.memoryTaken(idle, web)).isZero();
        assertThat(HostNotice.memoryTaken(idle, other)).isNaN();
    }

    @Test
    void whatIsNoPlainFileIsNeitherFollowedNorOpened() throws Exception {
        Path secret = Files.writeString(directory.resolve("secret"), "{\"v\":1,\"requests\":99}");
        Files.createSymbolicLink(tenant, secret);
        assertThat(heard().byUuid().get(web.uuid()).why(GuestMetric.APP_RT)).contains("got a symbolic link");
        Files.delete(tenant);
        assertThat(new ProcessBuilder("mkfifo", tenant.toString()).start().waitFor()).isZero();
        assertThat(reason("a FIFO")).contains("got a FIFO, socket or device");
        Files.delete(tenant);
        Files.createDirectory(tenant);
        assertThat(reason("a directory")).contains("got a directory");
        synchronized (logged) {
            assertThat(logged).hasSize(1).first().asString().contains("from the tenant of web").contains("this is said once");
        }
    }

    private String reason(String word) throws InterruptedException {
        String why = "";
        for (int turn = 0; turn < 300 && !why.contains(word); turn++) {
            why = contract.heard(sample(web)).byUuid().get(web.uuid()).why(GuestMetric.APP_RT);
        }
        return why;
    }

    @Test
    void whatIsTooLongOrNoTextOrGarbageIsSaidOnceAndQuotesNothing() throws Exception {
        Files.writeString(tenant, "x".repeat(100_000));
        assertThat(reason("2048")).contains("expected at most 2048 bytes, got more");
        Files.write(tenant, new byte[] {(byte) 0xff, 0});
        assertThat(reason("UTF-8")).contains("expected a text in UTF-8");
        Files.writeString(tenant, "root:$6$secret");
        assertThat(reason("object")).contains("expected an object of JSON").doesNotContain("secret");
        synchronized (logged) {
            assertThat(logged).hasSize(1);
        }
        Files.writeString(tenant, "{\"v\":1,\"requests\":3}");
        HostSample heard = contract.heard(sample(web));
        for (int turn = 0; turn < 300 && Double.isNaN(heard.get(web, GuestMetric.APP_REQUESTS)); turn++) {
            heard = contract.heard(sample(web));
        }
        assertThat(heard.get(web, GuestMetric.APP_REQUESTS)).isEqualTo(3);
    }

    @Test
    void aNameThatLeavesTheDirectoryIsNotReached() {
        assertThat(contract.takesPart(web)).isTrue();
        for (String name : List.of("../web", ".web", "a/b", "a\u0000b", "")) {
            assertThat(FileCarrier.in(new org.ic2.host.config.ContractChoice.Directory(directory, "")).reaches(guest(name, "9"))).isFalse();
        }
    }

    @Test
    void directoriesThatAreMissingOrOpenToOthersAreRefused() throws Exception {
        Files.setPosixFilePermissions(notice.getParent(), PosixFilePermissions.fromString("rwxrwxrwx"));
        assertThatThrownBy(() -> open("{type: directory, path: ic2}")).isInstanceOf(ConfigException.class)
                .hasMessageContaining("host.yaml:3: contract.path: expected that nobody but its owner may write to").hasMessageContaining("chmod go-w");
        assertThatThrownBy(() -> open("{type: directory, path: none}")).isInstanceOf(ConfigException.class)
                .hasMessageContaining("expected a directory at " + directory.resolve("none/tenant"));
    }

    @Test
    void aSingleGuestNeedsTwoFilesOnly() throws Exception {
        Files.createDirectories(directory.resolve("a"));
        contract = open("{type: file, guest: web, notice: ic2/notice/n, tenant: a/t}");
        Files.writeString(directory.resolve("a/t"), "{\"v\":1,\"requests\":5}");
        assertThat(heard().get(web, GuestMetric.APP_REQUESTS)).isEqualTo(5);
        contract.tell(sample(web), "turn-1", List.of(), "");
        assertThat(await(directory.resolve("ic2/notice/n"))).contains("\"run\":0.3333");
    }

    /** What the commands of a real Xen printed. */
    private static CommandResult recorded(String name) throws Exception {
        String text = Files.readString(Path.of("../testbed/xen/recorded", name));
        int out = text.indexOf("# --- stdout\n") + "# --- stdout\n".length();
        int errors = text.indexOf("# --- stderr\n");
        return new CommandResult(Integer.parseInt(text.replaceAll("(?s).*?\\n# rc=(\\d+).*", "$1")), text.substring(out, errors),
                text.substring(errors + "# --- stderr\n".length()), false);
    }

    @Test
    void xenstoreIsAskedByNumbers() throws Exception {
        PlayedHost host = new PlayedHost(directory);
        String read = "xenstore-read -R /local/domain/1/data/ic2/tenant";
        XenstoreCarrier carrier = new XenstoreCarrier(host);
        host.does(read, words -> new CommandResult(0, "{\"v\":1,\"response_time\":0.08,\"requests\":120}"));
        assertThat(TenantMessage.parse(carrier.fetch(web).orElseThrow().text()).requests()).isEqualTo(120);
        CommandResult gone = recorded("115-tenant-gone.txt");
        host.does(read, words -> gone);
        assertThat(carrier.fetch(web)).isEmpty();
        CommandResult last = recorded("112-tenant-read.txt");
        host.does(read, words -> last);
        assertThat(carrier.fetch(web)).map(Carrier.Letter::text).contains("{\"v\":1}");
        host.does(read, words -> new CommandResult(1, "", "xenstore-read: xs_open failed\n", false));
        assertThatThrownBy(() -> carrier.fetch(web)).hasMessage("xenstore-read failed with status 1: xenstore-read: xs_open failed");
        host.says(read, "y".repeat(4000));
        assertThatThrownBy(() -> carrier.fetch(web)).hasMessageContaining("at most 2048 bytes");

        CommandResult written = recorded("101-notice-write.txt");
        host.does("xenstore-write -R /local/domain/1/data/ic2/notice text", words -> written);
        carrier.deliver(web, "text");
        CommandResult refused = recorded("105-notice-2049-bytes.txt");
        host.does("xenstore-write -R /local/domain/1/data/ic2/notice long", words -> refused);
        assertThatThrownBy(() -> carrier.deliver(web, "long")).hasMessageContaining("could not write path /local/domain/1/data/ic2/notice");
        host.does("xenstore-rm /local/domain/1/data/ic2/notice", words -> new CommandResult(0, ""));
        carrier.withdraw(web);
    }

    private Contract byXenstore(PlayedHost host) throws ConfigException {
        return new Contract(config("{type: xenstore}"), new XenstoreCarrier(host), Duration.ofSeconds(3), Clock.fixed(NOW, ZoneOffset.UTC), nanos::get);
    }

    @Test
    void theEndWaitsUntilTheNoticeIsAway() throws Exception {
        PlayedHost host = new PlayedHost(directory);
        List<String> done = Collections.synchronizedList(new ArrayList<>());
        Contract slow = byXenstore(host);
        host.does(NOTICE + HostNotice.text(sample(web), web, "", Optional.empty()), words -> {
            done.add("told");
            return new CommandResult(0, "");
        });
        host.does("xenstore-rm /local/domain/1/data/ic2/notice", words -> {
            Thread.sleep(600);      // longer than a turn would wait
            done.add("away");
            return new CommandResult(0, "");
        });
        while (done.isEmpty()) {
            slow.tell(sample(web), "turn-1", List.of(), "");
        }
        slow.close();
        assertThat(done).endsWith("away");
    }

    @Test
    void aNoticeThatIsStillOnItsWayIsTakenAwayWhenItHasArrived() throws Exception {
        PlayedHost host = new PlayedHost(directory);
        List<String> done = Collections.synchronizedList(new ArrayList<>());
        Contract slow = byXenstore(host);
        host.does(NOTICE + HostNotice.text(sample(web), web, "", Optional.empty()), words -> {
            Thread.sleep(600);      // longer than a turn would wait
            done.add("told");
            return new CommandResult(0, "");
        });
        host.does("xenstore-rm /local/domain/1/data/ic2/notice", words -> {
            done.add("away");
            return new CommandResult(0, "");
        });
        slow.tell(sample(web), "turn-1", List.of(), "");
        slow.close();
        assertThat(done).containsExactly("told", "away");
    }

    @Test
    void aDomainIsReachedByANumberAlone() {
        XenstoreCarrier carrier = new XenstoreCarrier(new PlayedHost(directory));
        assertThat(carrier.reaches(guest("web", "-h"))).isFalse();
        assertThat(carrier.reaches(guest("web", "0"))).isFalse();
        assertThat(carrier.reaches(guest("web; rm -rf", "12"))).isTrue();
        assertThatThrownBy(() -> carrier.fetch(guest("web", "1/../0"))).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void whatIsReadIsTextInAnyCase() {
        assertThat(HostNotice.text(sample(web), web, "perf \u00fc\n", java.util.Optional.empty()).getBytes(StandardCharsets.UTF_8))
                .hasSizeLessThan(Carrier.MOST_BYTES);
    }
}
