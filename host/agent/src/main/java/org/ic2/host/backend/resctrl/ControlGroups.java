// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend.resctrl;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.ic2.host.backend.Capabilities.Range;
import org.ic2.host.backend.resctrl.ThreadGroups.Place;
import org.ic2.runtime.host.BoundedText;
import org.ic2.runtime.host.CommandResult;
import org.ic2.runtime.host.Host;
import org.ic2.runtime.host.NotDoneException;
import org.ic2.runtime.sensor.Decimals;

/**
 * Groups of {@code /sys/fs/resctrl}, one for each setting that is in force: guests of a class share theirs, as a processor has few. A
 * thread that is in somebody else's group is left there. The cache's lowest ways are given, so that masks are contiguous and classes
 * nest. What the kernel refuses it explains in {@code info/last_cmd_status}. It never ran on hardware.
 */
final class ControlGroups {
    static final String ROOT = "/sys/fs/resctrl";
    private static final String CACHE = "\\d{1,4}=\\s*[0-9a-fA-F]{1,16}";
    private static final Pattern LINE = Pattern.compile("\\s*(L3|L3CODE|L3DATA|MB):(" + CACHE + "(?:;" + CACHE + ")*)\\s*");
    private static final Duration DEADLINE = Duration.ofSeconds(10);
    private static final int PASSES = 5;
    private static final int WHOLE = 100;

    /**
     * What the threads of a group may take.
     *
     * @param ways    of the last cache; 0 = all
     * @param percent of memory bandwidth; 0 = all
     */
    record Setting(int ways, int percent) {
        static final Setting NONE = new Setting(0, 0);

        String group() {
            return equals(NONE) ? "" : "ic2-c" + ways + "-m" + percent;
        }
    }

    /** The threads that are to move, as they are now. */
    interface Threads {
        List<Integer> now() throws IOException, InterruptedException;
    }

    private final Host host;
    private final ThreadGroups places;

    ControlGroups(Host host) {
        this.host = host;
        places = new ThreadGroups(host);
    }

    /** Why nothing can be set; empty if it can. */
    Optional<String> lack() throws InterruptedException {
        try {
            host.read(ROOT + "/schemata");
            return Optional.empty();
        } catch (IOException e) {
            return Optional.of("no " + ROOT + ": this processor, or its hypervisor, has no CAT and MBA, or resctrl is not mounted"
                    + " (mount -t resctrl resctrl " + ROOT + ")");
        }
    }

    /** How many ways can be given; empty where the cache cannot be divided. */
    Optional<Range> ways() throws IOException, InterruptedException {
        if (resources("").keySet().stream().noneMatch(name -> name.startsWith("L3"))) {
            return Optional.empty();
        }
        String info = ROOT + "/info/" + (resources("").containsKey("L3") ? "L3" : "L3CODE");
        int all = Long.bitCount(mask(host.read(info + "/cbm_mask").strip(), info));
        int least = number(info + "/min_cbm_bits");
        return least >= all ? Optional.empty() : Optional.of(new Range(least, all - 1, 1));
    }

    /** How much bandwidth can be given; empty where it cannot be divided, or is not counted in per cent. */
    Optional<Range> bandwidth() throws IOException, InterruptedException {
        Map<Integer, String> whole = resources("").get("MB");
        if (whole == null || !whole.values().stream().allMatch(value -> value.equals(Integer.toString(WHOLE)))) {
            return Optional.empty();
        }
        int step = Math.max(1, number(ROOT + "/info/MB/bandwidth_gran"));
        int least = Math.max(step, number(ROOT + "/info/MB/min_bandwidth"));
        return least > WHOLE - step ? Optional.empty() : Optional.of(new Range(least, WHOLE - step, step));
    }

    private int number(String path) throws IOException, InterruptedException {
        String text = host.read(path).strip();
        if (!Decimals.are(text, 6)) {
            throw new IOException("expected a number in " + path + ", got \"" + BoundedText.brief(text) + "\"");
        }
        return Integer.parseInt(text);
    }

    private static long mask(String text, String path) throws IOException {
        if (!text.matches("[0-9a-fA-F]{1,15}")) {
            throw new IOException("expected a mask of ways in " + path + ", got \"" + BoundedText.brief(text) + "\"");
        }
        return Long.parseLong(text, 16);
    }

    private static String directory(String group) {
        return group.isEmpty() ? ROOT : ROOT + "/" + group;
    }

    /** What a group's schemata say, by resource and number of the cache. */
    private Map<String, Map<Integer, String>> resources(String group) throws IOException, InterruptedException {
        String path = directory(group) + "/schemata";
        Map<String, Map<Integer, String>> all = new LinkedHashMap<>();
        for (String line : BoundedText.lines(host.read(path), path)) {
            Matcher resource = LINE.matcher(line);
            if (resource.matches()) {
                Map<Integer, String> caches = new LinkedHashMap<>();
                for (String part : resource.group(2).split(";")) {
                    String[] one = part.split("=");
                    caches.put(Integer.valueOf(one[0]), one[1].strip());
                }
                all.put(resource.group(1), caches);
            } else if (line.strip().matches("(L3|L3CODE|L3DATA|MB):.*")) {
                throw new IOException("expected CACHE=VALUE; in " + path + ", got \"" + BoundedText.brief(line) + "\"");
            }
        }
        return all;
    }

    /** The groups in which threads are; those that have ended are in none. */
    private Set<String> groups(List<Integer> threads) throws IOException, InterruptedException {
        Set<String> groups = new LinkedHashSet<>();
        places.of(threads).values().forEach(place -> groups.add(place.control()));
        return groups;
    }

    /**
     * What is in force for threads, as the kernel has it.
     *
     * @throws IOException also if one is in a control group of somebody else's
     */
    Setting of(List<Integer> threads) throws IOException, InterruptedException {
        String ours = "";
        for (Place place : places.of(threads).values()) {
            place.requireOurControl();
            ours = place.control().isEmpty() ? ours : place.control();
        }
        return ours.isEmpty() ? Setting.NONE : setting(ours);
    }

    private Setting setting(String group) throws IOException, InterruptedException {
        Map<String, Map<Integer, String>> whole = resources("");
        Map<String, Map<Integer, String>> here = resources(group);
        int ways = 0;
        int percent = 0;
        for (Map.Entry<String, Map<Integer, String>> resource : here.entrySet()) {
            List<String> values = resource.getValue().values().stream().distinct().toList();
            if (values.size() != 1) {
                throw new IOException("expected the same of each cache in " + directory(group) + "/schemata, got " + resource);
            }
            boolean all = resource.getValue().equals(whole.get(resource.getKey()));
            if (resource.getKey().equals("MB")) {
                percent = all || !Decimals.are(values.get(0), 6) ? 0 : Integer.parseInt(values.get(0));
            } else {
                ways = all ? 0 : Long.bitCount(mask(values.get(0), directory(group) + "/schemata"));
            }
        }
        return new Setting(ways, percent);
    }

    /** True if a thread of these is in the group above all, while others have a setting: started since, by another. */
    boolean isSplit(List<Integer> threads) throws IOException, InterruptedException {
        return groups(threads).size() > 1;
    }

    /**
     * Threads get a setting.
     *
     * @param back true for a restore: those that are in a group of ours leave it, whoever counts them there, and the others stay
     * @throws NotDoneException if the kernel refuses it, or one is somebody else's; nobody has moved then
     */
    void set(Threads threads, Setting setting, boolean back) throws IOException, InterruptedException {
        String group = setting.group();
        try {
            for (Place place : places.of(threads.now()).values()) {
                place.requireOurControl();
                if (!back && !place.control().equals(group)) {
                    place.requireOurs();
                }
            }
            if (!group.isEmpty()) {
                prepare(group, setting);
            }
        } catch (NotDoneException e) {
            removeEmpty();
            throw e;
        } catch (IOException e) {
            throw new NotDoneException(e.getMessage(), e);
        }
        move(threads, group, back);
        removeEmpty();
    }

    private void prepare(String group, Setting setting) throws IOException, InterruptedException {
        boolean there = host.list(ROOT).contains(group + "/");
        if (!there) {
            CommandResult made = host.run(List.of("mkdir", directory(group)), DEADLINE);
            if (!made.succeeded()) {
                throw new NotDoneException("cannot make " + directory(group) + ": " + status().orElse(made.lastLine()));
            }
        }
        Map<String, Map<Integer, String>> whole = resources("");
        for (Map.Entry<String, Map<Integer, String>> resource : whole.entrySet()) {
            String wanted = resource.getKey().equals("MB") ? setting.percent() == 0 ? "" : Integer.toString(setting.percent())
                    : setting.ways() == 0 ? "" : Long.toHexString((1L << setting.ways()) - 1);
            List<String> parts = new ArrayList<>();
            resource.getValue().forEach((cache, all) -> parts.add(cache + "=" + (wanted.isEmpty() ? all : wanted)));
            String line = resource.getKey() + ":" + String.join(";", parts);
            try {
                host.write(directory(group) + "/schemata", line + "\n");
            } catch (IOException e) {
                throw new NotDoneException("cannot write " + line + " to " + directory(group) + "/schemata: " + status().orElse(e.getMessage()), e);
            }
        }
    }

    /** What the kernel says of the last thing that it refused. */
    private Optional<String> status() throws InterruptedException {
        try {
            String text = host.read(ROOT + "/info/last_cmd_status").strip();
            return text.isEmpty() || text.equals("ok") ? Optional.empty() : Optional.of(BoundedText.brief(text));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /** Threads that are started meanwhile are where the one is that starts them, so it is looked again until none is elsewhere. */
    private void move(Threads threads, String group, boolean back) throws IOException, InterruptedException {
        for (int pass = 0; pass < PASSES; pass++) {
            Map<Integer, Place> elsewhere = places.of(threads.now());
            // who is there already would lose its monitoring group
            elsewhere.values().removeIf(place -> place.control().equals(group) || back && place.control().isEmpty());
            if (elsewhere.isEmpty()) {
                return;
            }
            for (int thread : elsewhere.keySet()) {
                try {
                    host.write(directory(group) + "/tasks", Integer.toString(thread));
                } catch (IOException e) {
                    requireEnded(thread, group, e);
                }
            }
        }
        throw new IOException("threads are still elsewhere than in " + directory(group) + " after " + PASSES + " tries");
    }

    private void requireEnded(int thread, String group, IOException refusal) throws IOException, InterruptedException {
        try {
            host.read("/proc/" + thread + "/comm");
        } catch (IOException ended) {
            return;
        }
        throw new IOException("cannot move thread " + thread + " to " + directory(group) + ": " + status().orElse(refusal.getMessage()), refusal);
    }

    /** Groups of ours in which nobody is go: a processor has few. What cannot be removed now is the next one's to remove. */
    void removeEmpty() throws InterruptedException {
        try {
            for (String entry : host.list(ROOT)) {
                String group = entry.replace("/", "");
                if (Place.isOurs(group) && isEmpty(group)) {
                    host.run(List.of("rmdir", directory(group)), DEADLINE);
                }
            }
        } catch (IOException e) {
            // nothing depends on it
        }
    }

    private boolean isEmpty(String group) throws InterruptedException {
        try {
            return host.read(directory(group) + "/tasks").isBlank();
        } catch (IOException e) {
            return false;
        }
    }
}
