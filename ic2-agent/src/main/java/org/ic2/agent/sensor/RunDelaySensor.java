// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.sensor;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.ic2.knowledge.Metric;
import org.ic2.runtime.host.BoundedText;
import org.ic2.runtime.host.Host;
import org.ic2.runtime.sensor.CounterRates;
import org.ic2.runtime.sensor.Reading;
import org.ic2.runtime.sensor.Sensor;

/**
 * Of the time in which threads were ready to run, the share in which they did not: run delay / (run delay + CPU time),
 * from the kernel's scheduler statistics. With a pid file it looks at that process and its children (at
 * most {@link #MOST_TASKS} of them, chosen evenly); without one at the whole machine.
 *
 * <p>The kernel gives a process the figures of its main thread alone. So the processes must do their work there, as
 * php-fpm's do; the main threads of httpd's children only wait, and their few wake-ups say nothing.
 *
 * <p>Threads that wait for each other count too: a busy tier has run delay without any neighbour. It explains
 * interference, but it does not prove it; {@code steal} does.
 */
public final class RunDelaySensor implements Sensor {

    /** Reading one task's file costs about 15 µs here and a round trip over ssh. */
    static final int MOST_TASKS = 24;

    /** With less ready time than this share of the interval, single wake-ups would decide. */
    static final double LEAST_READY = 0.01;

    private static final double NANOS = 1e9;

    /** Children come and go; the choice of tasks is renewed after this many readings. */
    private static final int READINGS_PER_CHOICE = 30;

    private final Host host;
    private final Optional<String> pidFile;
    private final LongSupplier nanoClock;
    private final CounterRates growth = new CounterRates();
    private List<String> tasks = List.of();
    private int age;
    private long lastNanos;

    RunDelaySensor(Host host, Optional<String> pidFile, LongSupplier nanoClock) {
        this.host = host;
        this.pidFile = pidFile;
        this.nanoClock = nanoClock;
    }

    @Override
    public String name() {
        return "run delay of " + pidFile.orElse("all CPUs") + " on " + host.name();
    }

    @Override
    public boolean readsBetween() {
        return true;
    }

    @Override
    public Reading read() throws IOException, InterruptedException {
        long now = nanoClock.getAsLong();
        growth.begin(now);
        double seconds = (now - lastNanos) / NANOS;
        lastNanos = now;
        double ran = 0;
        double waited = 0;
        boolean known = false;
        for (String line : pidFile.isPresent() ? taskLines(pidFile.get()) : cpuLines()) {
            String[] words = line.split("\\s+");
            double ranMore = growth.growth(words[0] + " ran", Double.parseDouble(words[1]));
            double waitedMore = growth.growth(words[0] + " waited", Double.parseDouble(words[2]));
            if (!Double.isNaN(ranMore) && !Double.isNaN(waitedMore)) {
                known = true;
                ran += ranMore;
                waited += waitedMore;
            }
        }
        if (!known) {
            return Reading.missing("first reading: shares need a second one");
        }
        double ready = (ran + waited) / NANOS / seconds;
        if (ready < LEAST_READY) {
            return Reading.missing(tooLittle(ready));
        }
        return Reading.builder().put(Metric.RUN_DELAY, waited / (ran + waited)).build();
    }

    private String tooLittle(double ready) {
        return String.format(Locale.ROOT, "ready to run for %.2f ms per second, too little to judge by%s", ready * 1000,
                pidFile.isPresent() ? "; expected processes that work in their main thread, such as php-fpm's (httpd's"
                        + " do not)" : "");
    }

    /** One line per CPU: its name, ns in which a task ran, ns in which tasks waited. */
    private List<String> cpuLines() throws IOException, InterruptedException {
        String text;
        try {
            text = host.read("/proc/schedstat");
        } catch (IOException e) {
            throw new IOException("the kernel has no /proc/schedstat; name a pid file, or use psi or cgroup instead", e);
        }
        List<String> lines = new ArrayList<>();
        for (String line : BoundedText.lines(text, "/proc/schedstat")) {
            String[] words = line.split("\\s+");
            if (words.length >= 10 && words[0].matches("cpu\\d+") && words[7].matches("\\d{1,18}")
                    && words[8].matches("\\d{1,18}")) {
                lines.add(words[0] + " " + words[7] + " " + words[8]);
            }
        }
        if (lines.isEmpty()) {
            throw new IOException("no cpu line in /proc/schedstat");
        }
        return lines;
    }

    private List<String> taskLines(String file) throws IOException, InterruptedException {
        if (tasks.isEmpty() || ++age >= READINGS_PER_CHOICE) {
            tasks = chooseTasks(host.read(file).strip());
            age = 0;
        }
        List<String> lines = new ArrayList<>();
        for (String task : tasks) {
            try {
                String text = host.read("/proc/" + task + "/schedstat").strip();
                if (text.matches("\\d{1,18} \\d{1,18} \\d{1,18}")) {
                    lines.add(task + " " + text);
                }
            } catch (IOException e) {
                // the task has ended
                age = READINGS_PER_CHOICE;
            }
        }
        if (lines.isEmpty()) {
            tasks = List.of();
            throw new IOException("the process of " + file + " is gone, or the kernel has no schedstat");
        }
        return lines;
    }

    private List<String> chooseTasks(String pid) throws IOException, InterruptedException {
        if (!pid.matches("[1-9]\\d{0,9}")) {
            throw new IOException("expected a process id in the pid file, got \"" + pid + "\"");
        }
        List<String> all = new ArrayList<>(List.of(pid));
        try {
            String children = host.read("/proc/" + pid + "/task/" + pid + "/children").strip();
            for (String child : BoundedText.lines(children.replace(' ', '\n'), "the list of children")) {
                if (child.matches("[1-9]\\d{0,9}")) {
                    all.add(child);
                }
            }
        } catch (IOException e) {
            throw new IOException("process " + pid + " is not running", e);
        }
        List<String> chosen = new ArrayList<>();
        int step = (all.size() + MOST_TASKS - 1) / MOST_TASKS;
        for (int i = 0; i < all.size(); i += step) {
            chosen.add(all.get(i));
        }
        return chosen;
    }
}
