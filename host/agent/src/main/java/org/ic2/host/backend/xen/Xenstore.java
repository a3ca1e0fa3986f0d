// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend.xen;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.LongSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.ic2.runtime.host.BoundedText;
import org.ic2.runtime.host.CommandResult;
import org.ic2.runtime.host.Host;

/** What xenstore says of guests: who they are, what was asked of them, and what they tell themselves. */
final class Xenstore {
    private static final Pattern VM = Pattern.compile("/vm/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})");
    private static final Pattern TOLD = Pattern.compile("(\\d{1,15})\n(\\d{1,15})\n?");

    /**
     * What xenstore says of a domain.
     *
     * @param uuid    the machine's
     * @param mostKib the most memory that it can have
     * @param asked   the memory that was last asked for, MiB as {@code xl mem-set} has it; empty where there is no target
     */
    record Stored(String uuid, long mostKib, OptionalInt asked) {
        /** After an order; where there was no target there is none to compare with. */
        Stored withAsked(int mib) {
            return new Stored(uuid, mostKib, asked.isPresent() ? OptionalInt.of(mib) : asked);
        }
    }

    /** Something, and when it came. */
    private record Dated<T>(T value, long came) {
    }

    private final Host host;
    private final LongSupplier nanos;
    private final Map<Integer, Dated<Stored>> stored = new HashMap<>();
    private final Map<Integer, Dated<OptionalLong>> bound = new HashMap<>();
    private Optional<Dated<Stored>> sending = Optional.empty();

    Xenstore(Host host, LongSupplier nanos) {
        this.host = host;
        this.nanos = nanos;
    }

    /** What xenstore says of guests, asked in one command; targets last, as it stops at the first path that is not there. */
    Map<Integer, Stored> stored(List<Integer> ids) throws IOException, InterruptedException {
        if (ids.isEmpty()) {
            return Map.of();
        }
        List<String> command = new ArrayList<>(List.of("xenstore-read"));
        ids.forEach(id -> command.addAll(List.of("/local/domain/" + id + "/vm", "/local/domain/" + id + "/memory/static-max")));
        ids.forEach(id -> command.addAll(List.of("/local/domain/" + id + "/memory/target", "/local/domain/" + id + "/memory/videoram")));
        long asked = nanos.getAsLong();
        CommandResult result = host.run(command, XenCommands.DEADLINE);
        List<String> lines = result.output().lines().toList();
        if (!result.succeeded() && lines.size() < 2 * ids.size()) {
            throw XenCommands.failed(String.join(" ", command), result);
        }
        if (lines.size() < 2 * ids.size() || lines.size() > 4 * ids.size()) {
            throw notStored("domains " + ids, lines);
        }
        Map<Integer, Stored> all = new HashMap<>();
        for (int i = 0; i < ids.size(); i++) {
            int target = 2 * (ids.size() + i);
            all.put(ids.get(i), stored(ids.get(i), lines.subList(2 * i, 2 * i + 2),
                    target + 2 <= lines.size() ? XenText.mebibytes(lines.get(target), lines.get(target + 1)) : OptionalInt.empty()));
        }
        stored.values().removeIf(dated -> asked - dated.came() >= XenCommands.KNOWN_NANOS);
        all.forEach((id, one) -> stored.put(id, new Dated<>(one, asked)));
        return all;
    }

    private static Stored stored(int id, List<String> lines, OptionalInt asked) throws IOException {
        Matcher vm = VM.matcher(lines.get(0));
        if (!vm.matches() || !lines.get(1).matches("\\d{1,15}")) {
            throw notStored("domain " + id, lines);
        }
        return new Stored(vm.group(1), Long.parseLong(lines.get(1)), asked);
    }

    private static IOException notStored(String whose, List<String> lines) {
        return new IOException("xenstore-read of " + whose + ": expected /vm/UUID and a number of KiB, got \""
                + BoundedText.brief(String.join("\n", lines)) + "\"");
    }

    /** What it says of one guest, or has just said. */
    Stored known(int id) throws IOException, InterruptedException {
        return isKnown(id, XenCommands.KNOWN_NANOS) ? stored.get(id).value() : stored(List.of(id)).get(id);
    }

    private boolean isKnown(int id, long age) {
        return stored.containsKey(id) && nanos.getAsLong() - stored.get(id).came() < Math.min(age, XenCommands.KNOWN_NANOS);
    }

    /** An order of ours goes out: unless it is {@linkplain #sent taken}, what is asked for then is to be asked anew. */
    void sends(int id) {
        sending = Optional.ofNullable(stored.remove(id));
    }

    /** The order was taken. */
    void sent(int id, int mib) {
        sending.ifPresent(one -> stored.put(id, new Dated<>(one.value().withAsked(mib), one.came())));
    }

    /** Asks anew, all in one command. */
    void renew(Collection<Integer> ids) throws InterruptedException {
        try {
            stored(ids.stream().sorted().toList());
        } catch (IOException e) {
            ids.forEach(stored::remove);    // one of them has just ended: who asks of another asks for it alone
        }
    }

    /** The memory that was last asked for, by us or anybody, MiB; what was told so long ago serves. */
    OptionalInt asked(int id, Duration age) throws IOException, InterruptedException {
        if (!isKnown(id, age.toNanos())) {
            renew(stored.containsKey(id) ? List.copyOf(stored.keySet()) : List.of(id));
        }
        return known(id).asked();
    }

    /**
     * Memory that a guest's own agent says is in use and could not be given back, KiB, of the last seconds. Empty where it does not
     * tell what is available: what is free beside the page cache says nothing of what it can do without.
     */
    OptionalLong bound(int id) throws IOException, InterruptedException {
        long now = nanos.getAsLong();
        bound.values().removeIf(dated -> now - dated.came() >= XenCommands.KNOWN_NANOS);
        if (!bound.containsKey(id)) {
            bound.put(id, new Dated<>(told(id, "available"), now));
        }
        return bound.get(id).value();
    }

    /**
     * Memory that a guest's own agent says is in use, KiB; empty if it says nothing, or nothing that makes sense. The names and
     * the unit are those of XenServer's guest utilities and of xen-guest-agent.
     */
    OptionalLong told(int domain) throws IOException, InterruptedException {
        return told(domain, "free");
    }

    private OptionalLong told(int domain, String free) throws IOException, InterruptedException {
        String data = "/local/domain/" + domain + "/data/meminfo_";
        CommandResult result = host.run(List.of("xenstore-read", data + "total", data + free), XenCommands.DEADLINE);
        Matcher told = TOLD.matcher(result.output());
        if (!result.succeeded() || !told.matches()) {
            return OptionalLong.empty();
        }
        long used = Long.parseLong(told.group(1)) - Long.parseLong(told.group(2));
        return used >= 0 ? OptionalLong.of(used) : OptionalLong.empty();
    }
}
