// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.backend.xen;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.ic2.runtime.host.BoundedText;

/**
 * The summary of a scheduler's trace, {@code xenalyze -s --cpu-hz}: times as count and mean in cycles (seconds have two digits
 * only; what is in braces are percentiles weighted by time).
 */
final class Xenalyze {
    private static final String COMMAND = "xenalyze -s";
    private static final Pattern TOTAL = Pattern.compile("Total time: (\\d{1,9}\\.\\d{2}) seconds \\(using cpu speed .*\\)");
    private static final Pattern DOMAIN = Pattern.compile("\\|-- Domain (\\d{1,5}) --\\|");
    private static final Pattern VCPU = Pattern.compile("-- v\\d{1,5} --");
    private static final Pattern STATE = Pattern.compile(
            " +(running|runnable|blocked|offline|lost|wake|preempt|other): +(\\d{1,12}) +\\d+\\.\\d{2}s +(\\d{1,15}) \\{.*}");

    /**
     * What a domain's virtual CPUs did, each by second of the trace.
     *
     * @param running  CPUs in use
     * @param runnable CPUs waited for
     * @param offline  CPUs for which it was parked or paused
     * @param runs     times that one began to run
     * @param wakeups  times that one woke up and could not run at once or at all
     */
    record Times(double running, double runnable, double offline, double runs, double wakeups) {
        private Times plus(Times other) {
            return new Times(running + other.running, runnable + other.runnable, offline + other.offline, runs + other.runs,
                    wakeups + other.wakeups);
        }
    }

    private Xenalyze() {
    }

    /**
     * The times by the number of the domain.
     *
     * @param hertz as xenalyze was told
     * @throws IOException also when the trace is empty
     */
    static Map<Integer, Times> parse(String text, double hertz) throws IOException {
        Map<Integer, Times> byDomain = new HashMap<>();
        double seconds = 0;
        int domain = -1;
        boolean ofVcpu = false;
        for (String line : BoundedText.lines(text, COMMAND)) {
            Matcher total = TOTAL.matcher(line);
            Matcher next = DOMAIN.matcher(line);
            if (total.matches()) {
                seconds = Double.parseDouble(total.group(1));
            } else if (next.matches()) {
                domain = XenText.number(COMMAND, next.group(1));
                byDomain.putIfAbsent(domain, new Times(0, 0, 0, 0, 0));
                ofVcpu = false;
            } else if (VCPU.matcher(line).matches()) {
                ofVcpu = true;
            } else if (ofVcpu && domain >= 0) {
                Times more = state(line, hertz);
                byDomain.merge(domain, more, Times::plus);
            }
        }
        if (seconds <= 0 || byDomain.isEmpty()) {
            throw new IOException(COMMAND + ": expected \"Total time:\" above 0 and a domain, got \""
                    + BoundedText.brief(text) + "\"");
        }
        double length = seconds;
        byDomain.replaceAll((id, times) -> new Times(times.running() / length, times.runnable() / length,
                times.offline() / length,
                times.runs() / length, times.wakeups() / length));
        return byDomain;
    }

    private static Times state(String line, double hertz) throws IOException {
        Matcher state = STATE.matcher(line);
        if (!state.matches()) {
            String name = line.strip();
            if (name.matches("(running|runnable|offline|wake):.*")) {
                throw XenText.unknown(COMMAND, line);
            }
            return new Times(0, 0, 0, 0, 0);
        }
        double count = Double.parseDouble(state.group(2));
        double time = count * Double.parseDouble(state.group(3)) / hertz;
        return switch (state.group(1)) {
            case "running" -> new Times(time, 0, 0, count, 0);
            case "runnable" -> new Times(0, time, 0, 0, 0);
            case "offline" -> new Times(0, 0, time, 0, 0);
            case "wake" -> new Times(0, 0, 0, 0, count);
            default -> new Times(0, 0, 0, 0, 0);
        };
    }
}
