// SPDX-License-Identifier: Apache-2.0
package org.ic2.fleet.cli;

import org.ic2.fleet.label.AgreementRule;
import picocli.CommandLine.Option;

/** When tenants of a host agree, for the verbs that ask. */
final class AgreementOptions {
    @Option(names = "--agree", paramLabel = "K", defaultValue = "3",
            description = "how many tenants of a host must be slow together (default: ${DEFAULT-VALUE})")
    private int tenants;

    @Option(names = "--window", paramLabel = "S", defaultValue = "5",
            description = "seconds that count as the same (default: ${DEFAULT-VALUE}); a tenant is slow in it if half of its samples are")
    private int window;

    @Option(names = "--least", paramLabel = "N", defaultValue = "2", description = "windows for which they must be (default: ${DEFAULT-VALUE})")
    private int least;

    @Option(names = "--factor", paramLabel = "C", defaultValue = "5",
            description = {"slow is a response time further above the tenant's median of the day than C times the distance of the lower quartile",
                "(equation 1 of the paper; default: ${DEFAULT-VALUE})"})
    private double factor;

    @Option(names = "--agreed-harm", paramLabel = "X", defaultValue = "1.5",
            description = "and at least X times the median (default: ${DEFAULT-VALUE})")
    private double harm;

    @Option(names = "--busier", paramLabel = "X", defaultValue = "1.25",
            description = "its own load has risen if throughput is C times as far above its median, and at least X times it (default: ${DEFAULT-VALUE})")
    private double busier;

    AgreementRule rule() {
        return new AgreementRule(tenants, window, least, factor, harm, busier);
    }
}
