// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.cli;

import picocli.CommandLine.Option;

/** {@code --for}: how long manual mode lasts. */
final class ForOption {

    @Option(names = "--for", paramLabel = "TIME", description = "The agent takes over again by itself after this time (30m, 2h), also"
            + " when it is started again meanwhile.")
    private String time;

    /** As it was given; null when it was not. */
    String time() {
        return time;
    }
}
