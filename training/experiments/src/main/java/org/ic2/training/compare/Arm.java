// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.compare;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.ic2.knowledge.Lever;
import org.ic2.training.run.AgentArm;
import org.ic2.training.run.Change;

/** What is compared with what. */
public enum Arm {
    /** The interference-agnostic baseline. */
    OFF("a", "IC² off"),
    /** The same once more: what two measurements of one thing differ by. */
    AGAIN("aa", "IC² off, measured once more"),
    /** The paper's IC² on httpd-online. */
    PAPER_ONLINE("b", "httpd-online, the paper's knobs", Paper.KNOBS, AgentArm.ONLINE),
    /** The paper's IC² on an httpd that must restart gracefully. */
    PAPER_BASIC("c", "httpd-basic, the paper's knobs", Paper.KNOBS, AgentArm.BASIC),
    /** IC² as it ships. */
    LADDER("d", "httpd-online, the ladder", AgentArm.LEVERS, AgentArm.ONLINE),
    /** Rungs of the ladder that an administrator sets once and for all: what an agent is worth beside that. */
    ALWAYS_1(1), ALWAYS_2(2), ALWAYS_3(3), ALWAYS_4(4), ALWAYS_5(5), ALWAYS_6(6);

    /** Constants that an enum's own constructor may use. */
    private static final class Paper {
        private static final List<Lever> KNOBS = List.of(Lever.MAX_REQUEST_WORKERS, Lever.KEEP_ALIVE_TIMEOUT,
                Lever.PHP_MAX_CHILDREN);
    }

    /** All names, for messages. */
    public static final String LETTERS = Stream.of(values()).map(Arm::letter).collect(Collectors.joining(","));

    private final String letter;
    private final String title;
    private final List<Lever> levers;
    private final String actuator;
    private final int rung;

    Arm(String letter, String title) {
        this(letter, title, List.of(), AgentArm.ONLINE, 0);
    }

    Arm(int rung) {
        this("r" + rung, "rung " + rung + " all the time, without an agent", List.of(), AgentArm.ONLINE, rung);
    }

    Arm(String letter, String title, List<Lever> levers, String actuator) {
        this(letter, title, levers, actuator, 0);
    }

    Arm(String letter, String title, List<Lever> levers, String actuator, int rung) {
        this.letter = letter;
        this.title = title;
        this.levers = levers;
        this.actuator = actuator;
        this.rung = rung;
    }

    /** The arm of a letter. */
    public static Arm of(String letter) {
        for (Arm arm : values()) {
            if (arm.letter.equals(letter.strip())) {
                return arm;
            }
        }
        throw new IllegalArgumentException("--arms: expected some of " + LETTERS + ", got '" + letter.strip() + "'");
    }

    /** Its name in files and on the command line: a, b, c, d, r3, ... */
    public String letter() {
        return letter;
    }

    /** Its name for people. */
    public String title() {
        return title;
    }

    /** True if IC² takes part. */
    public boolean on() {
        return !levers.isEmpty();
    }

    /** True if it is compared with the baseline. */
    boolean compared() {
        return this != OFF;
    }

    /** True if it can be measured on an httpd without a patch, where the ladder alone moves. */
    boolean onStock() {
        return this != PAPER_ONLINE && this != PAPER_BASIC;
    }

    /** What an administrator sets before the measured time. */
    List<Change> changes() {
        return rung == 0 ? List.of() : List.of(new Change.SetValues(Duration.ZERO, Map.of("MITIGATION", Integer.toString(rung)),
                OptionalInt.empty()));
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
