// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.executor;

import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.StringJoiner;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ThreadLocalRandom;
import java.util.logging.Logger;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.ic2.runtime.actuator.Actuator;
import org.ic2.runtime.actuator.RestoreRoute;
import org.ic2.runtime.journal.Entry;
import org.ic2.runtime.journal.Journal;
import org.ic2.runtime.journal.JournalReplay;
import org.ic2.runtime.journal.Line;
import org.ic2.runtime.knob.Knob;
import org.ic2.runtime.knob.Settings;

/**
 * What {@code ic2-baseline} needs to restore the baseline after the agent's death, as a file beside the journal. It says
 * what the journal says, and is on the disk before the journal's entry, so before the first command. A change that it could
 * not note is not made. The form is described in ic2-baseline.c.
 */
public final class BaselinePlan implements Journal.Companion {

    static final String FORM = "ic2-baseline 1";

    private static final Logger LOG = Logger.getLogger(BaselinePlan.class.getName());
    private static final Pattern WORD = Pattern.compile("[!-~]{1,500}");
    /** As many as the program reads of one knob. */
    private static final int MOST_VALUES = 32;

    private final Path file;
    private final Settings baseline;
    private final boolean restores;
    private final List<String> locks;
    private final List<Part> parts;
    private String written = "";

    /** The knobs of one actuator, and how they are restored without Java; empty where they cannot be. */
    record Part(String label, Set<Knob> knobs, Optional<RestoreRoute> route) {
    }

    /**
     * @param actuators by their label in the configuration
     * @param restores  whether an agent of this configuration restores the baseline when it ends
     * @param local     false where the servers are another machine's
     * @param locks     files that an agent locks as long as it manages the servers
     */
    public BaselinePlan(Path journal, Map<String, Actuator> actuators, Limits limits, boolean restores, boolean local,
            Collection<Path> locks) {
        file = beside(journal);
        baseline = limits.baseline();
        this.restores = restores;
        this.locks = Stream.concat(Stream.of(journal.resolveSibling(journal.getFileName() + ".lock")), locks.stream())
                .map(lock -> lock.toAbsolutePath().toString()).toList();
        boolean sayable = local && this.locks.stream().allMatch(lock -> WORD.matcher(lock).matches());
        ActuatorSet set = new ActuatorSet(actuators, limits.levers(), System::nanoTime);
        parts = set.parts(set.levers()).entrySet().stream().map(part -> new Part(part.getKey(), part.getValue(),
                actuators.get(part.getKey()).route().filter(route -> sayable))).toList();
    }

    /** Where the plan of an agent with this journal is. */
    static Path beside(Path journal) {
        return journal.resolveSibling("baseline.plan");
    }

    @Override
    public void before(List<Line> history, Line next) throws IOException {
        List<Line> lines = new ArrayList<>(history);
        lines.add(next);
        String text = text(lines, JournalReplay.of(lines, baseline).asOf(next.entry().time()));
        if (text.equals(written)) {
            return;
        }
        try {
            write(text);
            written = text;
        } catch (IOException e) {
            written = "";
            if (next.entry() instanceof Entry.Intent) {
                throw new IOException("cannot write " + file + ", from which the baseline is restored if the agent is killed: " + e, e);
            }
            forget(e);
        }
    }

    /** A plan that is not true any more must not be carried out. Without one Java decides, by the journal. */
    private void forget(IOException reason) {
        LOG.severe("cannot write " + file + ": " + reason);
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            LOG.severe("cannot remove " + file + ", remove it: " + e);
        }
    }

    private void write(String text) throws IOException {
        Path fresh = file.resolveSibling(file.getFileName() + ".new");
        Files.deleteIfExists(fresh);
        Files.createFile(fresh, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        String id = Long.toHexString(System.currentTimeMillis()) + "-" + Long.toHexString(ThreadLocalRandom.current().nextLong());
        // no channel, which an interrupt at the agent's end would close
        try (FileOutputStream out = new FileOutputStream(fresh.toFile())) {
            out.write((FORM + "\nid " + id + "\n" + text).getBytes(StandardCharsets.US_ASCII));
            out.getFD().sync();
        }
        Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
    }

    /** All but the first two lines. */
    private String text(List<Line> lines, JournalReplay past) {
        if (!restores || past.leftBehind().isEmpty() || past.manual().isPresent()) {
            return "state baseline\nend\n";
        }
        StringJoiner text = new StringJoiner("\n", "state away\n", "\nend\n");
        if (!past.open().isEmpty()) {
            text.add("open");
        }
        locks.stream().filter(lock -> WORD.matcher(lock).matches()).forEach(lock -> text.add("lock " + lock));
        Map<Knob, SortedSet<Integer>> values = values(lines);
        for (Part part : parts) {
            boolean away = part.knobs().stream().anyMatch(knob -> past.open().stream().anyMatch(sent -> sent.has(knob))
                    || values.get(knob).stream().anyMatch(value -> value != baseline.get(knob)));
            if (away) {
                add(text, part, values);
            }
        }
        return text.toString();
    }

    private void add(StringJoiner text, Part part, Map<Knob, SortedSet<Integer>> values) {
        String label = part.label().replaceAll("[^!-~]", "_");
        List<String> lines = new ArrayList<>();
        part.route().ifPresent(route -> {
            lines.add(route.kind() + " " + label + " " + String.join(" ", route.places()));
            for (Knob knob : part.knobs()) {
                RestoreRoute.Name name = route.names().get(knob);
                lines.add("knob " + knob.key() + " " + baseline.get(knob) + " " + name.order() + " " + name.unit() + " " + name.shown()
                        + " " + values.get(knob).stream().map(String::valueOf).collect(Collectors.joining(",")));
            }
        });
        boolean sayable = part.route().isPresent() && part.route().get().places().stream().allMatch(place -> WORD.matcher(place).matches())
                && part.knobs().stream().allMatch(knob -> values.get(knob).size() <= MOST_VALUES);
        (sayable ? lines : List.of("rest " + label)).forEach(text::add);
    }

    /** What the agent has set of each knob, or may have, since it last knew what runs. */
    private Map<Knob, SortedSet<Integer>> values(List<Line> lines) {
        Map<Knob, SortedSet<Integer>> values = new TreeMap<>(Knob.ORDER);
        parts.forEach(part -> part.knobs().forEach(knob -> values.put(knob, new TreeSet<>(Set.of(baseline.get(knob))))));
        for (Line line : lines) {
            if (line.entry() instanceof Entry.Intent intent) {
                intent.before().ifPresent(before -> add(values, before));
                intent.desired().ifPresent(desired -> add(values, desired));
            } else if (line.entry() instanceof Entry.Applied || line.entry() instanceof Entry.Failed) {
                line.entry().running().ifPresent(running -> {
                    values.values().forEach(SortedSet::clear);
                    add(values, baseline.with(running));
                });
            }
        }
        return values;
    }

    private static void add(Map<Knob, SortedSet<Integer>> values, Settings settings) {
        settings.values().forEach((knob, value) -> values.computeIfPresent(knob, (key, known) -> {
            known.add(value);
            return known;
        }));
    }
}
