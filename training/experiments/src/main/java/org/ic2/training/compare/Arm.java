// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.compare;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.ic2.knowledge.Lever;
import org.ic2.training.run.AgentArm;

/** What is compared with what. */
public enum Arm {
    /** The interference-agnostic baseline. */
    OFF("a", "IC² off", List.of(), AgentArm.ONLINE),
    /** The paper's IC² on httpd-online. */
    PAPER_ONLINE("b", "httpd-online, the paper's knobs", Paper.KNOBS, AgentArm.ONLINE),
    /** The paper's IC² on an httpd that must restart gracefully. */
    PAPER_BASIC("c", "httpd-basic, the paper's knobs", Paper.KNOBS, AgentArm.BASIC),
    /** IC² as it ships. */
    LADDER("d", "httpd-online, the ladder", AgentArm.LEVERS, AgentArm.ONLINE);

    /** Constants that an enum's own constructor may use. */
    private static final class Paper {
        private static final List<Lever> KNOBS = List.of(Lever.MAX_REQUEST_WORKERS, Lever.KEEP_ALIVE_TIMEOUT,
                Lever.PHP_MAX_CHILDREN);
    }

    private final String letter;
    private final String title;
    private final List<Lever> levers;
    private final String actuator;

    Arm(String letter, String title, List<Lever> levers, String actuator) {
        this.letter = letter;
        this.title = title;
        this.levers = levers;
        this.actuator = actuator;
    }

    /** The arm of a letter. */
    public static Arm of(String letter) {
        for (Arm arm : values()) {
            if (arm.letter.equals(letter.strip())) {
                return arm;
            }
        }
        throw new IllegalArgumentException("--arms: expected letters of a,b,c,d, got '" + letter + "'");
    }

    /** Its name in files and on the command line: a, b, c, d. */
    public String letter() {
        return letter;
    }

    /** Its name for people. */
    public String title() {
        return title;
    }

    /** True if IC² takes part. */
    public boolean on() {
        return this != OFF;
    }

    /**
     * How the agent takes part.
     *
     * @param rest least time between two graceful restarts or reloads of PHP; empty: the agent's own
     */
    AgentArm agent(Optional<Path> classifier, Optional<Duration> rest) {
        return on() ? new AgentArm(AgentArm.Role.ACTS, classifier, levers, actuator, rest) : AgentArm.off();
    }
}
