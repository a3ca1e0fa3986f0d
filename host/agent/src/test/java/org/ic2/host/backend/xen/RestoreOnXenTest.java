// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend.xen;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import org.ic2.host.apply.Applier;
import org.ic2.host.apply.ApplierParts;
import org.ic2.host.apply.KnobLimits;
import org.ic2.host.apply.Ownership;
import org.ic2.host.apply.RestoreResult;
import org.ic2.host.apply.Snapshot;
import org.ic2.host.backend.PlayedHost;
import org.ic2.runtime.executor.ChangeRequest;
import org.ic2.runtime.host.CommandResult;
import org.ic2.runtime.journal.Journal;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What a killed agent left is restored by as few commands as it takes, on a Dom0 in which each of them takes 0.3 s: seven knobs of
 * three guests and a pool, one that somebody else has set, and one of a pool that is gone.
 */
class RestoreOnXenTest {

    private static final long COMMAND_NANOS = 300_000_000;
    private static final String UUID = "d2453411-99c8-4123-814f-f9eb8fdb7d3";

    @TempDir
    Path directory;
    private final AtomicLong nanos = new AtomicLong();
    private final Map<String, String> values = new TreeMap<>(Map.of("w1", "300", "w2", "300", "w3", "1024", "c2", "0", "c3", "35",
            "m3", "80", "t", "7", "r", "900"));
    private PlayedHost host;

    private void xl(String command, Runnable does) {
        host.does(command, words -> {
            nanos.addAndGet(COMMAND_NANOS);
            does.run();
            return new CommandResult(0, output(command));
        });
    }

    private String output(String command) {
        return switch (command) {
            case "xl list" -> "Name ID Mem VCPUs State Time(s)\nDomain-0 0 900 1 r----- 9.0\n"
                    + "g1 1 96 1 r----- 9.0\ng2 2 96 1 r----- 9.0\ng4 3 %s 1 r----- 9.0\n".formatted(values.get("m3"));
            case "xl sched-credit" -> ("Cpupool Pool-0: tslice=%sms ratelimit=%sus migration-delay=0us\nName ID Weight Cap\n"
                    + "Domain-0 0 256 0\ng1 1 %s 0\ng2 2 %s %s\ng4 3 %s %s\n").formatted(values.get("t"), values.get("r"),
                    values.get("w1"), values.get("w2"), values.get("c2"), values.get("w3"), values.get("c3"));
            case "xl cpupool-list" -> "Name CPUs Sched Active Domain count\nPool-0 2 credit y 4\n";
            default -> "";
        };
    }

    private static String guest(int id, String name, String kind, int original, String ours) {
        return ("{\"kind\":\"%s\",\"id\":\"%d\",\"uuid\":\"%s%d/%d\",\"name\":\"%s\",\"original\":%d,\"exact\":\"%d\",\"ours\":[%s]}")
                .formatted(kind, id, UUID, id, id, name, original, original, ours);
    }

    private static String pool(String name, String kind, int original, String ours) {
        return "{\"kind\":\"%s\",\"pool\":\"%s\",\"original\":%d,\"exact\":\"%d\",\"ours\":[%s]}"
                .formatted(kind, name, original, original, ours);
    }

    private RestoreResult restore(Snapshot snapshot) throws Exception {
        try (Journal journal = new Journal(directory.resolve("journal.jsonl"), Clock.systemUTC(), Set.of());
                XenBackend xen = new XenBackend(host, nanos::get)) {
            return new Applier(new ApplierParts(xen, journal, snapshot, new Ownership(List.of()), new KnobLimits(Map.of(), Map.of()), 10,
                    true, Clock.systemUTC(), nanos::get)).restore("test", ChangeRequest.Origin.OPERATOR, "the test says so");
        }
    }

    @Test
    void anAnswerThatLacksAPoolLosesNoneOfItsKnobs() throws Exception {
        host = new PlayedHost(directory);
        PlayedXenstore xenstore = new PlayedXenstore(host);
        for (int id = 1; id <= 3; id++) {
            xenstore.guest(id, UUID + id);
        }
        xl("xl list", () -> { });
        xl("xl sched-credit2", () -> { });
        xl("xl cpupool-list", () -> { });
        xl("xl mem-set 3 96", () -> values.put("m3", "96"));
        host.says("xl sched-credit", "");
        Path file = Files.writeString(directory.resolve("snapshot.json"), "{\"v\":1,\"boot\":\"boot\",\"knobs\":["
                + String.join(",", guest(3, "g4", "memory", 96, "96,80"), pool("Pool-0", "tslice", 30, "30,7")) + "]}");

        Snapshot snapshot = new Snapshot(file, "boot");
        RestoreResult result = restore(snapshot);
        assertThat(result.restored()).as("the others are restored").containsExactly("g4's memory to 96");
        assertThat(result.problems()).singleElement().asString().contains("tslice: xl sched-credit does not list pool Pool-0");
        assertThat(snapshot.all()).as("it is still away").hasSize(1);

        xl("xl sched-credit", () -> { });
        xl("xl sched-credit -s -p Pool-0 -t 30 -r 900", () -> values.put("t", "30"));
        assertThat(restore(snapshot).problems()).isEmpty();
        assertThat(values).containsEntry("t", "30");
        assertThat(snapshot.all()).isEmpty();
    }

    @Test
    void sevenKnobsAreRestoredByFiveOrders() throws Exception {
        host = new PlayedHost(directory);
        PlayedXenstore xenstore = new PlayedXenstore(host);
        for (int id = 1; id <= 3; id++) {
            xenstore.guest(id, UUID + id);
            xenstore.put("/local/domain/" + id + "/memory/target", Integer.toString((id == 3 ? 80 : 96) * 1024));
            xenstore.put("/local/domain/" + id + "/memory/videoram", "0");
        }
        xl("xl list", () -> { });
        xl("xl sched-credit", () -> { });
        xl("xl sched-credit2", () -> { });
        xl("xl cpupool-list", () -> { });
        xl("xl sched-credit -s -p Pool-0 -t 30 -r 1000", () -> values.putAll(Map.of("t", "30", "r", "1000")));
        xl("xl sched-credit -d 1 -w 256", () -> values.put("w1", "256"));
        xl("xl sched-credit -d 2 -w 256", () -> values.put("w2", "256"));
        xl("xl sched-credit -d 3 -w 256 -c 0", () -> values.putAll(Map.of("w3", "256", "c3", "0")));
        xl("xl mem-set 3 96", () -> values.put("m3", "96"));
        Path file = Files.writeString(directory.resolve("snapshot.json"), "{\"v\":1,\"boot\":\"boot\",\"knobs\":["
                + String.join(",", guest(1, "g1", "weight", 256, "256,300"), guest(2, "g2", "weight", 256, "256,300"),
                guest(3, "g4", "weight", 256, "256,1024"), guest(3, "g4", "cap", 0, "600,350"),
                guest(2, "g2", "cap", 500, "500,250"), guest(3, "g4", "memory", 96, "96,80"), pool("Pool-0", "tslice", 30, "30,7"),
                pool("Pool-0", "ratelimit", 1000, "1000,900"), pool("Pool-9", "tslice", 30, "30,7")) + "]}");

        Snapshot snapshot = new Snapshot(file, "boot");
        RestoreResult result = restore(snapshot);

        assertThat(result.problems()).isEmpty();
        assertThat(result.restored()).hasSize(7);
        assertThat(result.foreign()).containsExactly("g2's cap (0)");
        assertThat(values).isEqualTo(Map.of("w1", "256", "w2", "256", "w3", "256", "c2", "0", "c3", "0", "m3", "96", "t", "30", "r", "1000"));
        assertThat(snapshot.all()).hasSize(1);
        assertThat(host.asked()).containsExactly("xl sched-credit", "xl sched-credit2", "xl cpupool-list", "xl list", "xenstore-read"
                + " /local/domain/1/vm /local/domain/1/memory/static-max /local/domain/2/vm /local/domain/2/memory/static-max"
                + " /local/domain/3/vm /local/domain/3/memory/static-max /local/domain/1/memory/target /local/domain/1/memory/videoram"
                + " /local/domain/2/memory/target /local/domain/2/memory/videoram /local/domain/3/memory/target"
                + " /local/domain/3/memory/videoram", "xl mem-set 3 96",
                "xl sched-credit -s -p Pool-0 -t 30 -r 1000", "xl sched-credit -d 1 -w 256", "xl sched-credit -d 2 -w 256",
                "xl sched-credit -d 3 -w 256 -c 0", "xl list", "xl sched-credit");
    }
}
