// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.ic2.host.model.CpuSets;
import org.ic2.runtime.host.BoundedText;
import org.ic2.runtime.host.CommandResult;
import org.ic2.runtime.host.Host;
import org.ic2.runtime.host.NotDoneException;

/** On which CPUs a thread may run: read from {@code /proc/TID/status}, set by {@code taskset}, which Java cannot do itself. */
public final class ThreadAffinity {
    private static final Duration DEADLINE = Duration.ofSeconds(10);
    private static final Pattern NAME = Pattern.compile("^Name:\t(.*)\n");
    private static final Pattern ALLOWED = Pattern.compile("(?m)^Cpus_allowed_list:\t(.*)$");

    private final Host host;

    public ThreadAffinity(Host host) {
        this.host = host;
    }

    /**
     * A thread.
     *
     * @param name as the kernel shortens it
     * @param cpus on which it may run
     */
    public record Allowed(String name, List<Integer> cpus) {
    }

    /** @throws IOException when there is no such thread, or the kernel says something else */
    public Allowed of(int thread) throws IOException, InterruptedException {
        String path = "/proc/" + thread + "/status";
        String text = host.read(path);
        Matcher name = NAME.matcher(text);
        Matcher allowed = ALLOWED.matcher(text);
        if (!name.find() || !allowed.find()) {
            throw new IOException("expected Name and Cpus_allowed_list in " + path + ", got \"" + BoundedText.brief(text) + "\"");
        }
        try {
            return new Allowed(name.group(1), CpuSets.parse(allowed.group(1)));
        } catch (IllegalArgumentException e) {
            throw new IOException("Cpus_allowed_list in " + path + ": " + e.getMessage(), e);
        }
    }

    /**
     * Lets a thread run on these CPUs only; what it starts later may run on them, too.
     *
     * @param cpus a list such as {@code 0-3,8}
     * @throws NotDoneException when the kernel refuses, or there is no such thread
     */
    public void pin(int thread, String cpus) throws IOException, InterruptedException {
        try {
            if (CpuSets.parse(cpus).isEmpty()) {
                throw new IllegalArgumentException("expected a CPU at least");
            }
        } catch (IllegalArgumentException e) {
            throw new NotDoneException("cannot pin thread " + thread + " to \"" + cpus + "\": " + e.getMessage(), e);
        }
        CommandResult result = host.run(List.of("taskset", "-pc", cpus, Integer.toString(thread)), DEADLINE);
        if (!result.succeeded()) {
            throw NotDoneException.of("taskset -pc " + cpus + " " + thread + " failed", result);
        }
    }
}
