// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.sensor;

import java.io.IOException;
import java.util.Optional;
import org.ic2.runtime.host.Host;
import org.ic2.runtime.sensor.CgroupFiles;

/** Whose counters are wanted. */
sealed interface CounterTarget {

    /**
     * What the counting command calls it now: a process id, or a control group's directory.
     *
     * @throws IOException when it is not there
     */
    String find(Host host) throws IOException, InterruptedException;

    /** A fixed process id. */
    record Pid(int number) implements CounterTarget {
        @Override
        public String find(Host host) throws IOException, InterruptedException {
            return alive(host, Integer.toString(number));
        }

        @Override
        public String toString() {
            return "process " + number;
        }
    }

    /** The process id that a file holds at the time. */
    record PidFile(String path) implements CounterTarget {
        @Override
        public String find(Host host) throws IOException, InterruptedException {
            String text = host.read(path).strip();
            if (!text.matches("[1-9]\\d{0,9}")) {
                throw new IOException("expected a process id in " + path + ", got \"" + text + "\"");
            }
            return alive(host, text);
        }

        @Override
        public String toString() {
            return path;
        }
    }

    /**
     * All processes of a control group: of version 1's hierarchy {@code perf_event} where that is mounted, else of
     * version 2, which then counts without a controller.
     *
     * @param root where control groups are mounted, ends with a slash
     * @param path name of the group or its directory in any hierarchy
     */
    record Group(String root, String path) implements CounterTarget {
        private static final String MEMBERS = "cgroup.procs";
        private static final String VERSION_1 = "perf_event";

        @Override
        public String find(Host host) throws IOException, InterruptedException {
            CgroupFiles files = new CgroupFiles(host, root, path);
            boolean old = mounted(host);
            Optional<String> members = old ? files.version1(MEMBERS, VERSION_1) : files.version2(MEMBERS);
            String file = members.orElseThrow(() -> new IOException("no control group \"" + files.group() + "\" under " + root
                    + (old ? VERSION_1 + ", by which this machine counts: put the tier's processes into one of that name there"
                    : ": is the tier running, and is this its group? (cat /proc/PID/cgroup shows it)")));
            return file.substring(0, file.length() - MEMBERS.length() - 1);
        }

        private boolean mounted(Host host) throws InterruptedException {
            try {
                host.head(root + VERSION_1 + "/" + MEMBERS, 1);
                return true;
            } catch (IOException e) {
                return false;
            }
        }

        @Override
        public String toString() {
            return "control group " + path;
        }
    }

    private static String alive(Host host, String pid) throws IOException, InterruptedException {
        try {
            host.head("/proc/" + pid + "/stat", 1);
            return pid;
        } catch (IOException e) {
            throw new IOException("process " + pid + " is not running", e);
        }
    }
}
