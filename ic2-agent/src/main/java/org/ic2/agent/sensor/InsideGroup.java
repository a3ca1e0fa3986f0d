// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.sensor;

import java.util.List;
import java.util.stream.Stream;

/** Starts a command as a member of a control group, where it gets the CPUs and the CPU time that the group gets. */
final class InsideGroup {
    /** Joins the group wherever one of its name rules or counts CPU time, at each start anew: it may be another one. */
    private static final String SCRIPT = """
            root=$1 group=$2 joined=
            shift 2
            for hierarchy in "" unified/ cpu,cpuacct/ cpuacct,cpu/ cpu/ cpuacct/ cpuset/; do
                members=$root$hierarchy$group/cgroup.procs
                [ -e "$members" ] || continue
                echo $$ >"$members" || exit 1
                joined=yes
            done
            [ "$joined" ] || { echo "no control group \\"$group\\" under $root"; exit 1; }
            exec "$@"
            """;

    private InsideGroup() {
    }

    /**
     * The command that does it.
     *
     * @param root  where control groups are mounted, ends with a slash
     * @param group its name
     */
    static List<String> command(String root, String group, List<String> words) {
        return Stream.concat(Stream.of("sh", "-c", SCRIPT, "ic2-inside", root, group), words.stream()).toList();
    }
}
