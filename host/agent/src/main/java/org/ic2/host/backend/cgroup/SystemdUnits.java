// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend.cgroup;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.ic2.host.model.KnobKind;
import org.ic2.host.model.Target;
import org.ic2.runtime.host.CommandResult;
import org.ic2.runtime.host.Host;

/**
 * Groups of version 2 that are units of systemd. It is told what is set of them, or a daemon-reload would set what it knows. It keeps
 * that in a file for each property, over restarts of the unit, until the next boot; those that were made for us go with the restore.
 * Of a quota it keeps whole per cents alone.
 */
final class SystemdUnits {
    /** What the agent found before it moved a knob, behind the exact text: no such file, or one of somebody else's. */
    private static final Pattern MARK = Pattern.compile(" systemd:(new|kept)$");
    private static final Pattern UNIT = Pattern.compile("[\\w:.\\\\@-]{1,240}\\.(?:service|scope|slice)");
    private static final Map<KnobKind, GroupFile> KINDS = Map.of(KnobKind.WEIGHT, GroupFile.WEIGHT, KnobKind.CAP, GroupFile.CPU_MAX,
            KnobKind.MEMORY, GroupFile.HIGH, KnobKind.CPUSET, GroupFile.CPUSET_2, KnobKind.MEMORY_LOW, GroupFile.LOW,
            KnobKind.IO_WEIGHT, GroupFile.IO_WEIGHT, KnobKind.IO_MAX, GroupFile.IO_MAX);
    private static final String RUNS = "/run/systemd/system";
    private static final String CONTROL = "/run/systemd/system.control/";
    private static final Duration DEADLINE = Duration.ofSeconds(10);
    private static final int MOST_KNOWN = 4096;
    private static final double WHOLE = 100;

    private final Host host;
    private final boolean wanted;
    /** Groups that are units, and which directories they were when that was asked. */
    private final Map<String, String> known = new HashMap<>();
    private boolean runs;

    /** @param wanted false if it is told nothing, and asked nothing */
    SystemdUnits(Host host, boolean wanted) {
        this.host = host;
        this.wanted = wanted;
    }

    /** Whether systemd runs this machine, and is told. */
    boolean look() throws InterruptedException {
        if (wanted && !runs) {
            try {
                host.list(RUNS);
                runs = true;
            } catch (IOException e) {
                return false;
            }
        }
        return runs;
    }

    /** True if a group may be a unit; asks nobody. */
    boolean mayBe(String group) {
        return runs && UNIT.matcher(name(group)).matches();
    }

    private static String name(String group) {
        return group.substring(group.lastIndexOf('/') + 1);
    }

    /** The unit of a guest's group, if it is one that is told of this file. Of one directory that is asked once. */
    Optional<String> of(Target.OfGuest guest, GroupFile file) throws IOException, InterruptedException {
        String group = guest.id();
        if (!KINDS.containsValue(file) || !look() || !mayBe(group)) {
            return Optional.empty();
        }
        if (guest.uuid().equals(known.get(group))) {
            return Optional.of(name(group));
        }
        CommandResult shown = host.run(List.of("systemctl", "show", "--property=ControlGroup", "--value", "--", name(group)), DEADLINE);
        if (!shown.succeeded()) {
            throw new IOException("systemctl show " + name(group) + " failed with status " + shown.exitStatus() + ": " + shown.lastLine());
        }
        if (!shown.output().strip().equals("/" + group)) {
            return Optional.empty();
        }
        if (known.size() >= MOST_KNOWN) {
            known.clear();
        }
        known.put(group, guest.uuid());
        return Optional.of(name(group));
    }

    /** An exact text with what is to be known of the unit when it is put back. */
    String marked(Target.OfGuest guest, KnobKind kind, GroupFile file, String exact) throws IOException, InterruptedException {
        Optional<String> unit = of(guest, file);
        return unit.isEmpty() ? exact : exact + " systemd:" + (files(unit.get(), kind).isEmpty() ? "new" : "kept");
    }

    static String unmarked(String exact) {
        return MARK.matcher(exact).replaceFirst("");
    }

    /** True if the text is of a unit that systemd was told of. */
    static boolean isMarked(String exact) {
        return MARK.matcher(exact).find();
    }

    /**
     * Tells it.
     *
     * @param text what the file of the knob says
     */
    void tell(String unit, GroupFile file, String text) throws IOException, InterruptedException {
        List<String> words = new ArrayList<>(List.of("systemctl", "set-property", "--runtime", "--", unit));
        words.addAll(properties(file, text));
        CommandResult told = host.run(words, DEADLINE);
        if (!told.succeeded()) {
            throw new IOException(String.join(" ", words) + " failed with status " + told.exitStatus() + ": " + told.lastLine());
        }
    }

    /** It knows the baseline by now: what was made for us goes. */
    void forget(String unit, KnobKind kind, String exact) throws IOException, InterruptedException {
        List<String> made = exact.endsWith(":new") ? files(unit, kind) : List.of();
        if (!made.isEmpty()) {
            List<String> words = new ArrayList<>(List.of("rm", "-f", "--"));
            words.addAll(made);
            CommandResult removed = host.run(words, DEADLINE);
            if (!removed.succeeded()) {
                throw new IOException(String.join(" ", words) + " failed with status " + removed.exitStatus() + ": " + removed.lastLine());
            }
        }
    }

    /** The same of one that has stopped, and would begin with what was set of it. */
    void ended(String group, KnobKind kind, String exact) throws IOException, InterruptedException {
        if (isMarked(exact) && !files(name(group), kind).isEmpty()) {
            try {
                tell(name(group), KINDS.get(kind), unmarked(exact).replace(';', '\n'));
            } catch (IOException e) {
                if (!e.getMessage().contains("not found")) {    // a unit that was made at run time is gone for good
                    throw e;
                }
            }
            forget(name(group), kind, exact);
        }
    }

    /** Where it keeps what it was told of a knob, as far as it was. */
    private List<String> files(String unit, KnobKind kind) throws InterruptedException {
        String directory = CONTROL + unit + ".d";
        try {
            List<String> there = host.list(directory);
            return properties(KINDS.get(kind), "max 1").stream().map(property -> "50-" + property.replaceFirst("=.*", "") + ".conf")
                    .filter(there::contains).map(name -> directory + "/" + name).toList();
        } catch (IOException e) {
            return List.of();
        }
    }

    private static List<String> properties(GroupFile file, String text) {
        return switch (file) {
            case WEIGHT -> List.of("CPUWeight=" + text);
            case CPU_MAX -> List.of("CPUQuota=" + percent(text));
            case HIGH -> List.of("MemoryHigh=" + text.replace("max", "infinity"));
            case LOW -> List.of("MemoryLow=" + text.replace("max", "infinity"));
            case CPUSET_2 -> List.of("AllowedCPUs=" + text);
            case IO_WEIGHT -> List.of("IOWeight=" + text.lines().findFirst().orElse("").replace("default ", ""));
            default -> limits(text);
        };
    }

    private static String percent(String quota) {
        String[] words = quota.split(" ");
        if (words[0].equals("max")) {
            return "";
        }
        double percent = WHOLE * Double.parseDouble(words[0]) / Double.parseDouble(words[1]);
        return percent == Math.rint(percent) ? Math.round(percent) + "%" : String.format(Locale.ROOT, "%.2f%%", percent);
    }

    /** What is not named again is limited no more. */
    private static List<String> limits(String text) {
        List<String> properties = new ArrayList<>(List.of("IOReadBandwidthMax=", "IOWriteBandwidthMax=", "IOReadIOPSMax=", "IOWriteIOPSMax="));
        for (String line : text.lines().filter(one -> one.contains("=")).toList()) {
            String[] words = line.strip().split(" ");
            for (int i = 1; i < words.length; i++) {
                String value = words[i].substring(words[i].indexOf('=') + 1);
                String property = switch (words[i].substring(0, words[i].indexOf('='))) {
                    case "rbps" -> "IOReadBandwidthMax";
                    case "wbps" -> "IOWriteBandwidthMax";
                    case "riops" -> "IOReadIOPSMax";
                    default -> "IOWriteIOPSMax";
                };
                if (!value.equals("max")) {
                    properties.add(property + "=/dev/block/" + words[0] + " " + value);
                }
            }
        }
        return properties;
    }
}
