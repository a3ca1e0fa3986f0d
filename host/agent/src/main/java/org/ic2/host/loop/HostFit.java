// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.loop;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.ic2.host.backend.Backend;
import org.ic2.host.backend.Vetoes;
import org.ic2.host.config.HostConfig;
import org.ic2.host.config.JointConfig;
import org.ic2.host.model.Guest;
import org.ic2.host.model.GuestClass;
import org.ic2.host.model.GuestKnob;
import org.ic2.host.model.KnobKind;
import org.ic2.runtime.loop.Mode;

/** What of a configuration does not fit the host on which it is loaded, in one line each, with file, line and key. */
public final class HostFit {

    private static final double MEBIBYTE = 1 << 20;
    /** As libvirt and systemd name the groups of machines. */
    private static final Pattern MACHINE = Pattern.compile("(?:machine-)?qemu-\\d+-(.+?)(?:\\.libvirt-qemu|\\.scope)?");
    private static final int LONG_NAME = 8;

    private HostFit() {
    }

    /** What is wrong, so that no agent may start. */
    public static List<String> problems(HostConfig config, Backend backend) throws IOException, InterruptedException {
        List<String> problems = new ArrayList<>();
        long memory = backend.memory();
        if (config.reserveMemory() >= memory) {
            problems.add(String.format(Locale.ROOT, "%s: expected less than this host's %.0f MiB, got %.0f MiB: nothing would be left for guests",
                    config.at("reserve.memory"), memory / MEBIBYTE, config.reserveMemory() / MEBIBYTE));
        }
        int cpus = backend.pools().stream().mapToInt(pool -> pool.cpus().size()).sum();
        if (config.reserveCpus() >= cpus) {
            problems.add(String.format(Locale.ROOT, "%s: expected less than this host's %d CPUs, got %s: nothing would be left for guests",
                    config.at("reserve.cpus"), cpus, config.reserveCpus()));
        }
        if (config.joint().isEmpty() && config.schedule().isEmpty() && config.placement().isEmpty() && config.byClass().isEmpty()) {
            return problems;    // nobody is asked for
        }
        List<Guest> guests = backend.guests();
        problems.addAll(misspelt(config, guests));
        protectedBeyond(config, guests, memory).ifPresent(problems::add);
        if (config.mode() == Mode.ACT) {
            problems.addAll(machines(config, backend, guests));
        }
        return problems;
    }

    /** Where more is protected than there is, nothing is: the kernel takes from all alike. */
    private static Optional<String> protectedBeyond(HostConfig config, List<Guest> guests, long memory) {
        Map<GuestClass, Integer> byClass = config.byClass().getOrDefault(KnobKind.MEMORY_LOW, Map.of());
        long together = config.merged(guests).stream().mapToLong(guest -> byClass.getOrDefault(guest.guestClass(), 0)).sum();
        double most = (memory - config.reserveMemory()) / MEBIBYTE;
        return together <= most ? Optional.empty() : Optional.of(String.format(Locale.ROOT,
                "%s: expected at most %.0f MiB for the guests that run together (the host's less the reserve), got %d MiB",
                config.at(KnobKind.MEMORY_LOW.byClass()), most, together));
    }

    /** What would be wrong in mode act. */
    public static List<String> notes(HostConfig config, Backend backend) throws IOException, InterruptedException {
        return config.mode() == Mode.ACT ? List.of() : machines(config, backend, backend.guests()).stream()
                .map(why -> "mode act is refused: " + why).toList();
    }

    /** A guest that does not run may be off; one beside which a guest of nearly its name runs, and nobody names that one, is misspelt. */
    private static List<String> misspelt(HostConfig config, List<Guest> guests) {
        List<String> running = guests.stream().map(Guest::name).distinct().toList();
        List<String> others = running.stream().filter(name -> !config.guests().containsKey(name)).toList();
        List<String> problems = new ArrayList<>();
        for (String name : config.guests().keySet()) {
            Optional<String> meant = running.contains(name) ? Optional.empty()
                    : others.stream().filter(other -> isNear(name, other)).findFirst();
            meant.ifPresent(other -> problems.add(config.at("guests." + name) + ": expected the name of a guest, got \"" + name
                    + "\", and none of that name runs; \"" + other + "\" does"));
        }
        return problems;
    }

    private static boolean isNear(String name, String running) {
        Matcher machine = MACHINE.matcher(running);
        if (machine.matches() && machine.group(1).equals(name)) {
            return true;
        }
        String one = plain(name);
        String other = plain(running);
        return digits(one).equals(digits(other)) && distance(one, other) <= (one.length() >= LONG_NAME ? 2 : 1);
    }

    private static String plain(String name) {
        return name.toLowerCase(Locale.ROOT).replaceAll("[^\\p{Alnum}]", "");
    }

    /** web1 and web2 are two guests. */
    private static String digits(String name) {
        return name.replaceAll("\\D", "");
    }

    /** Letters that are put in, left out, taken for another, or swapped with the next. */
    static int distance(String one, String other) {
        int[][] steps = new int[one.length() + 1][other.length() + 1];
        for (int i = 0; i <= one.length(); i++) {
            for (int j = 0; j <= other.length(); j++) {
                if (i == 0 || j == 0) {
                    steps[i][j] = i + j;
                    continue;
                }
                int same = one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1;
                steps[i][j] = Math.min(Math.min(steps[i - 1][j], steps[i][j - 1]) + 1, steps[i - 1][j - 1] + same);
                if (i > 1 && j > 1 && one.charAt(i - 1) == other.charAt(j - 2) && one.charAt(i - 2) == other.charAt(j - 1)) {
                    steps[i][j] = Math.min(steps[i][j], steps[i - 2][j - 2] + 1);
                }
            }
        }
        return steps[one.length()][other.length()];
    }

    /** Guests whose memory is to move, and has no knob here. */
    private static List<String> machines(HostConfig config, Backend backend, List<Guest> guests) throws InterruptedException {
        List<String> problems = new ArrayList<>();
        Optional<JointConfig> joint = config.joint().filter(of -> of.knobs().contains(KnobKind.MEMORY));
        for (Guest guest : joint.isPresent() ? guests : List.<Guest>of()) {
            GuestKnob knob = GuestKnob.of(KnobKind.MEMORY, guest);
            if (joint.get().guests().contains(guest.name()) && !backend.has(knob)) {
                String why = Vetoes.of(backend, Map.of(knob, 1)).getOrDefault(knob, knob.label() + ": cannot be moved on this host");
                problems.add(config.at("guests." + guest.name() + ".memory") + ": " + why + "; its memory moves by its balloon (backend.qmp), or leave"
                        + " memory out of controllers.joint.knobs");
            }
        }
        return problems;
    }
}
