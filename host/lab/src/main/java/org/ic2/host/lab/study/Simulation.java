// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.lab.study;

import java.util.List;
import java.util.function.Consumer;

/** An experiment that the simulator can do. */
public interface Simulation {

    /** Its name on the command line. */
    String name();

    /** What it shows, and of which paper, in one line. */
    String about();

    /**
     * Does it.
     *
     * @param seeds    what is fitted is fitted on the first and judged on the others
     * @param progress told in a line what has been done, when it takes long
     */
    List<Finding> run(List<Long> seeds, Consumer<String> progress) throws InterruptedException;
}
