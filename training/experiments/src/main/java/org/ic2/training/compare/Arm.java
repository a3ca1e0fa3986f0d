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
import org.ic2.training.run.HostLever;

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
    /** The ladder with one rung for each action. */
    ONE_RUNG("one", "the ladder with the experiment's settings, a rung an action", AgentArm.LEVERS, AgentArm.Manner.ONE_RUNG),
    /** The ladder and MaxRequestWorkers with the levers, target, times and budget of the experiment. */
    TUNED("tuned", "the ladder with the experiment's settings", AgentArm.LEVERS, AgentArm.Manner.USUAL),
    /** As {@link #LADDER}, but for the agent's place: off the tier's CPU and ahead of others. */
    HELPED("helped", "the ladder as shipped, with an agent that has a CPU of its own", Paper.SHIPPED, AgentArm.Manner.SHIPPED),
    /** The ladder as its package configures it, set to act; the agent runs where a tenant's does, on the tier's CPU and share. */
    LADDER("d", "the ladder as shipped", Paper.SHIPPED, AgentArm.Manner.SHIPPED),
    /**
     * The provider, by one lever each: alone, while the tenant's agent only measures, and tells its response time, and beside the
     * tenant, each with what it can move and the contract between them.
     */
    HOST_CAPS("h", HostLever.CAPS, false), BOTH_CAPS("hd", HostLever.CAPS, true),
    HOST_WEIGHTS("hw", HostLever.WEIGHTS, false), BOTH_WEIGHTS("hwd", HostLever.WEIGHTS, true),
    HOST_PINS("hp", HostLever.PINS, false), BOTH_PINS("hpd", HostLever.PINS, true),
    /** Rungs of the ladder, each with those below it, that an administrator sets once and for all: what an agent is worth beside that. */
    ALWAYS_1(1), ALWAYS_2(2), ALWAYS_3(3), ALWAYS_4(4), ALWAYS_5(5), ALWAYS_6(6),
    /** A rung without those below it. (That of 1 is r1; 5 by itself does nothing, it only lets more visitors have stored pages.) */
    ONLY_2(Only.RUNG + 2), ONLY_3(Only.RUNG + 3), ONLY_4(Only.RUNG + 4), ONLY_6(Only.RUNG + 6),
    /** What others do against overload: a concurrency limiter that follows response times, and refuses what is too much by 503. */
    LIMIT("limit", "a gradient concurrency limiter in place of IC\u00b2, which answers 503 to what is too much", Only.LIMITER);

    /** Constants that an enum's own constructor may use. */
    private static final class Paper {
        private static final List<Lever> SHIPPED = List.of(Lever.MITIGATION, Lever.KEEP_ALIVE_TIMEOUT);
        private static final List<Lever> KNOBS = List.of(Lever.MAX_REQUEST_WORKERS, Lever.KEEP_ALIVE_TIMEOUT,
                Lever.PHP_MAX_CHILDREN);
    }

    /** Levels beyond the ladder's own, of docker/web/conf/experiments.conf. */
    private static final class Only {
        private static final int RUNG = 100;
        private static final int LIMITER = 200;
    }

    /** All names, for messages. */
    public static final String LETTERS = Stream.of(values()).map(Arm::letter).collect(Collectors.joining(","));

    private final String letter;
    private final String title;
    private final List<Lever> levers;
    private final String actuator;
    private final AgentArm.Manner manner;
    private final int level;
    private final Optional<HostLever> host;

    Arm(String letter, HostLever host, boolean both) {
        this(letter, "ic2-host " + (both ? "and httpd-online with the ladder: " : "alone: ") + host.key() + " of tier and neighbour"
                + (both ? "" : "; the tenant's agent only measures and tells"), both ? AgentArm.LEVERS : List.of(), AgentArm.ONLINE,
                AgentArm.Manner.USUAL, 0, Optional.of(host));
    }

    Arm(String letter, String title) {
        this(letter, title, List.of(), AgentArm.ONLINE, AgentArm.Manner.USUAL, 0);
    }

    Arm(int level) {
        this((level < Only.RUNG ? "r" : "only") + level % Only.RUNG, "rung " + level % Only.RUNG + (level < Only.RUNG ? ""
                : " without those below it,") + " all the time, without an agent", List.of(), AgentArm.ONLINE, AgentArm.Manner.USUAL, level);
    }

    Arm(String letter, String title, int level) {
        this(letter, title, List.of(), AgentArm.ONLINE, AgentArm.Manner.USUAL, level);
    }

    Arm(String letter, String title, List<Lever> levers, String actuator) {
        this(letter, title, levers, actuator, AgentArm.Manner.USUAL, 0);
    }

    Arm(String letter, String title, List<Lever> levers, AgentArm.Manner manner) {
        this(letter, title, levers, AgentArm.ONLINE, manner, 0);
    }

    Arm(String letter, String title, List<Lever> levers, String actuator, AgentArm.Manner manner, int level) {
        this(letter, title, levers, actuator, manner, level, Optional.empty());
    }

    Arm(String letter, String title, List<Lever> levers, String actuator, AgentArm.Manner manner, int level, Optional<HostLever> host) {
        this.letter = letter;
        this.title = title;
        this.levers = levers;
        this.actuator = actuator;
        this.manner = manner;
        this.level = level;
        this.host = host;
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

    /** Its name in files and on the command line: a, b, c, d, r3, only3, ... */
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

    /** True if a level of the ladder is in force all the time, without an agent. */
    boolean alwaysOn() {
        return level > 0 && level != Only.LIMITER;
    }

    /** True if its agent moves the ladder. */
    boolean ladder() {
        return levers.contains(Lever.MITIGATION);
    }

    /** The arm in which the host moves this, alone or beside the tenant. */
    public static Arm of(HostLever host, boolean both) {
        return Stream.of(values()).filter(arm -> arm.host.equals(Optional.of(host)) && arm.on() == both).findFirst().orElseThrow();
    }

    /** What the host's agent moves; empty if it takes no part. */
    public Optional<HostLever> host() {
        return host;
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
        return level == 0 ? List.of() : List.of(new Change.SetValues(Duration.ZERO, Map.of("MITIGATION", Integer.toString(level)),
                OptionalInt.empty()));
    }

    /**
     * How the agent takes part.
     *
     * @param rest least time between two graceful restarts or reloads of PHP; empty: the agent's own
     */
    AgentArm agent(Optional<Path> classifier, Optional<Duration> rest) {
        if (host.isPresent() && !on()) {
            return AgentArm.observer().inside();
        }
        return on() ? new AgentArm(AgentArm.Role.ACTS, classifier, levers, actuator, rest, manner,
                this == HELPED ? AgentArm.Place.OUTSIDE : AgentArm.Place.INSIDE) : AgentArm.off();
    }
}
