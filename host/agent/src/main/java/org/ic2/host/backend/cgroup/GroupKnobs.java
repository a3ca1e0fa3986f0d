// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend.cgroup;

import java.io.IOException;
import java.util.List;
import org.ic2.host.backend.Capabilities.Range;
import org.ic2.host.model.CpuSets;
import org.ic2.host.model.KnobKind;
import org.ic2.runtime.host.NotDoneException;
import org.ic2.runtime.sensor.Decimals;
import org.ic2.runtime.sensor.ProcFiles;

/**
 * A knob's value as the text of a control file and back. Version 1: {@code cpu.shares} = 4 x weight, quota of the period that
 * is set, {@code memory.limit_in_bytes}. Version 2: {@code cpu.weight} = 100 x weight / 256, {@code cpu.max},
 * {@code memory.high}, {@code memory.low}, {@code io.weight}, {@code io.max}. Both: {@code cpuset.cpus}. No limit and no set are 0 here.
 */
final class GroupKnobs {
    private static final double SHARES_BY_WEIGHT = 4;
    private static final double WEIGHT_2_BY_WEIGHT = 100.0 / 256;
    private static final int NORMAL_WEIGHT_2 = 64;
    private static final double MIB = 1024 * 1024;
    /** Version 1 says no limit by a number that is larger than any memory. */
    private static final double NO_LIMIT = 0x1p60;
    private static final double LEAST_QUOTA_MICROS = 1000;
    private static final double USUAL_PERIOD_MICROS = 100_000;

    /** One text for one file. */
    record Write(GroupFile file, String text) {
    }

    private GroupKnobs() {
    }

    /** The file that holds a knob, of which the group has one or none: that of version 2 is looked for first. */
    static GroupFile file(GroupFiles files, KnobKind kind) throws IOException, InterruptedException {
        List<GroupFile> either = switch (kind) {
            case WEIGHT -> List.of(GroupFile.WEIGHT, GroupFile.SHARES);
            case CAP -> List.of(GroupFile.CPU_MAX, GroupFile.QUOTA);
            case MEMORY -> List.of(GroupFile.HIGH, GroupFile.LIMIT);
            case CPUSET -> List.of(GroupFile.CPUSET_2, GroupFile.CPUSET_1);
            case MEMORY_LOW -> List.of(GroupFile.LOW);
            case IO_WEIGHT -> List.of(GroupFile.IO_WEIGHT);
            case IO_MAX -> List.of(GroupFile.IO_MAX);
            default -> throw new IOException("control groups have no " + kind.key());
        };
        for (GroupFile file : either) {
            if (files.has(file)) {
                return file;
            }
        }
        throw new IOException("control group " + files.name() + (either.size() == 1 ? " has no " + either.get(0).file() + " (version 2 has it)"
                : " has neither " + either.get(0).file() + " nor " + either.get(1).file())
                + ": its controller is not mounted, or not enabled in cgroup.subtree_control of its parent");
    }

    /**
     * What a knob's file takes; a weight of version 2 in steps that its whole numbers can tell apart.
     *
     * @param wholePercents true where systemd keeps quotas, which it does in whole per cents
     */
    static Range range(GroupFile file, int cpus, long memory, boolean wholePercents) {
        return switch (file) {
            case SHARES -> new Range(1, 65_535, 1);
            case WEIGHT -> new Range(NORMAL_WEIGHT_2, 25_600, NORMAL_WEIGHT_2);
            case QUOTA, CPU_MAX -> new Range(10, 1000 * cpus, file == GroupFile.CPU_MAX && wholePercents ? 10 : 1);
            case IO_WEIGHT -> new Range(1, KnobKind.IO_WEIGHT.most(), 1);
            case IO_MAX -> new Range(1, KnobKind.IO_MAX.most(), 1);
            default -> new Range(1, (int) (memory / MIB), 1);
        };
    }

    /** CPUs that a group may use, of so many. */
    static int cpus(GroupFiles files, int all) throws IOException, InterruptedException {
        for (GroupFile file : new GroupFile[] {GroupFile.CPUS_1, GroupFile.CPUS_2}) {
            if (files.has(file)) {
                int listed = ProcFiles.cpuCount(files.read(file));
                return listed > 0 ? Math.min(listed, all) : all;
            }
        }
        return all;
    }

    /** The value of a file's text. */
    static int value(GroupFiles files, GroupFile file, String text) throws IOException, InterruptedException {
        return switch (file) {
            case SHARES -> atLeastOne(number(files, file, text) / SHARES_BY_WEIGHT);
            case WEIGHT -> atLeastOne(number(files, file, text) / WEIGHT_2_BY_WEIGHT);
            case QUOTA -> text.equals("-1") ? 0 : cap(number(files, file, text), period(files, file, text));
            case CPUSET_1, CPUSET_2 -> mask(files, file, text);
            case LOW -> text.equals("max") ? Integer.MAX_VALUE : text.equals("0") ? 0 : atLeastOne(number(files, file, text) / MIB);
            case IO_WEIGHT -> (int) number(files, file, usual(text).replaceFirst("^default ", ""));
            case IO_MAX -> GroupDisks.value(text);
            case CPU_MAX -> text.startsWith("max ") ? 0 : cap(number(files, file, text.split(" ")[0]), period(files, file, text));
            default -> {
                double bytes = text.equals("max") ? NO_LIMIT : number(files, file, text);
                yield bytes >= NO_LIMIT ? 0 : atLeastOne(bytes / MIB);
            }
        };
    }

    /** The writes that ask for a value. */
    static List<Write> writes(GroupFiles files, GroupFile file, int value) throws IOException, InterruptedException {
        return file == GroupFile.IO_MAX ? each(file, GroupDisks.lines(files.host(), files.read(file), value))
                : List.of(new Write(file, text(files, file, value)));
    }

    private static List<Write> each(GroupFile file, List<String> lines) {
        return lines.stream().map(line -> new Write(file, line)).toList();
    }

    private static String text(GroupFiles files, GroupFile file, int value) throws IOException, InterruptedException {
        return switch (file) {
            case SHARES -> Long.toString(Math.round(value * SHARES_BY_WEIGHT));
            case WEIGHT -> Long.toString(Math.max(1, Math.round(value * WEIGHT_2_BY_WEIGHT)));
            case QUOTA -> value == 0 ? "-1" : quota(files, value, period(files, file, ""));
            case CPU_MAX -> value == 0 ? "max" : quota(files, value, period(files, file, files.read(file)));
            case CPUSET_1, CPUSET_2 -> orNone(CpuSets.format(CpuSets.cpus(value)));
            case IO_WEIGHT -> "default " + value;
            case LOW -> Long.toString(value * (long) MIB);
            case LIMIT -> value == 0 ? "-1" : Long.toString(value * (long) MIB);
            default -> value == 0 ? "max" : Long.toString(value * (long) MIB);
        };
    }

    /** What counts for every disk that has no line of its own. */
    private static String usual(String text) {
        return text.lines().findFirst().orElse("");
    }

    /** A knob in the words of its file; of a quota with its period. */
    static String exact(GroupFiles files, GroupFile file) throws IOException, InterruptedException {
        String text = files.read(file);
        value(files, file, text);
        return switch (file) {
            case QUOTA -> text + " " + files.read(GroupFile.PERIOD);
            case IO_WEIGHT -> usual(text);
            case IO_MAX -> GroupDisks.exact(text);
            default -> text;
        };
    }

    /** The writes that bring back what {@link #exact} gave. */
    static List<Write> back(GroupFiles files, GroupFile file, String exact) throws IOException, InterruptedException {
        if (file == GroupFile.IO_MAX) {
            return each(file, GroupDisks.back(files.host(), files.read(file), exact));
        }
        if (file != GroupFile.QUOTA) {
            return List.of(new Write(file, orNone(exact)));
        }
        String[] words = exact.split(" ");
        if (words.length != 2) {
            throw new IOException("expected a quota and a period, got \"" + exact + "\"");
        }
        Write quota = new Write(file, words[0]);
        // a new period may not fit to the quota that is set
        return words[1].equals(files.read(GroupFile.PERIOD)) ? List.of(quota)
                : List.of(new Write(file, "-1"), new Write(GroupFile.PERIOD, words[1]), quota);
    }

    private static int mask(GroupFiles files, GroupFile file, String text) throws IOException {
        try {
            return CpuSets.mask(CpuSets.parse(text));
        } catch (IllegalArgumentException e) {
            throw new IOException(file.file() + " of control group " + files.name() + ": " + e.getMessage(), e);
        }
    }

    /** Nothing at all would not be written. */
    private static String orNone(String text) {
        return text.isEmpty() ? "\n" : text;
    }

    /** The period that is set stays. */
    private static double period(GroupFiles files, GroupFile file, String present) throws IOException, InterruptedException {
        if (file == GroupFile.QUOTA) {
            return number(files, GroupFile.PERIOD, files.read(GroupFile.PERIOD));
        }
        int space = present.indexOf(' ');
        return space < 0 ? USUAL_PERIOD_MICROS : number(files, GroupFile.CPU_MAX, present.substring(space + 1));
    }

    private static int cap(double quota, double period) {
        return atLeastOne(1000 * quota / period);
    }

    private static String quota(GroupFiles files, int value, double period) throws NotDoneException {
        double quota = value * period / 1000;
        if (quota < LEAST_QUOTA_MICROS) {
            throw new NotDoneException("cap of " + files.name() + ": " + value + " thousandths of a CPU are a quota of "
                    + Math.round(quota) + " us in its period of " + Math.round(period) + " us; the kernel takes 1000"
                    + " us at least");
        }
        return Long.toString(Math.round(quota));
    }

    private static int atLeastOne(double value) {
        return (int) Math.max(1, Math.round(value));
    }

    private static double number(GroupFiles files, GroupFile file, String word) throws IOException {
        if (!Decimals.are(word, 19)) {
            throw new IOException("expected a number in " + file.file() + " of control group " + files.name() + ", got \""
                    + word + "\"");
        }
        return ProcFiles.number(file.file(), word);
    }
}
