// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.sensor;

import java.io.IOException;
import org.ic2.runtime.host.Host;

/**
 * The smallest sensor, to start a new one from: it reads one file, checks what it got and says which metrics it
 * found. Here: the tasks that wait for a CPU, of those that {@code /proc/loadavg} calls runnable.
 */
public final class LoadAverageSensor implements Sensor {

    private static final String FILE = "/proc/loadavg";

    private final Host host;

    public LoadAverageSensor(Host host) {
        this.host = host;
    }

    @Override
    public String name() {
        return FILE + " of " + host.name();
    }

    @Override
    public Reading read() throws IOException, InterruptedException {
        return parse(host.read(FILE));
    }

    /** Reads {@code 0.20 0.18 0.12 3/80 11206}: three averages, runnable/all tasks, the last process id. */
    static Reading parse(String text) throws IOException {
        String[] words = text.strip().split("[ /]");
        if (words.length != 6 || !words[3].matches("\\d{1,9}")) {
            throw new IOException("expected five words in " + FILE + ", got \"" + text.strip() + "\"");
        }
        return Reading.builder().extra("runnable_tasks", Integer.parseInt(words[3])).build();
    }
}
