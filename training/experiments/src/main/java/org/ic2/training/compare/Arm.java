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
    OFF("off", "IC² off"),
    /** The same once more: what two measurements of one thing differ by. */
    OFF_AGAIN("off-again", "IC² off, measured once more"),
    /** The paper's IC² on httpd-online. */
    PAPER_ONLINE("paper-online", "the paper's IC², httpd-online", AgentArm.ONLINE),
    /** The paper's IC² on an httpd that must restart gracefully. */
    PAPER_GRACEFUL("paper-graceful", "the paper's IC², httpd-basic", AgentArm.BASIC),
    /** The ladder with one level for each action. */
    ONE_LEVEL("one-level", "the ladder with the experiment's settings, a level an action", AgentArm.LEVERS, AgentArm.Manner.ONE_LEVEL),
    /** The ladder and MaxRequestWorkers with the levers, target, times and budget of the experiment. */
    TUNED("tuned", "the ladder with the experiment's settings", AgentArm.LEVERS, AgentArm.Manner.USUAL),
    /** As {@link #LADDER}, but for the agent's place: off the tier's CPU and ahead of others. */
    OWN_CPU("own-cpu", "the ladder as shipped, with an agent that has a CPU of its own", Package.SHIPPED, AgentArm.Manner.SHIPPED),
    /** The ladder as its package configures it, set to act; the agent runs where a tenant's does, on the tier's CPU and share. */
    LADDER("ladder", "the ladder as shipped", Package.SHIPPED, AgentArm.Manner.SHIPPED),
    /**
     * The provider, by one lever each: alone, while the tenant's agent only measures, and tells its response time, and beside the
     * tenant, each with what it can move and the contract between them.
     */
    HOST_CAPS(HostLever.CAPS, false), BOTH_CAPS(HostLever.CAPS, true),
    HOST_WEIGHTS(HostLever.WEIGHTS, false), BOTH_WEIGHTS(HostLever.WEIGHTS, true),
    HOST_PINS(HostLever.PINS, false), BOTH_PINS(HostLever.PINS, true),
    /** Levels of the ladder, each with those below it, that an administrator sets once and for all: what an agent is worth beside that. */
    ALWAYS_1(1), ALWAYS_2(2), ALWAYS_3(3), ALWAYS_4(4), ALWAYS_5(5), ALWAYS_6(6),
    /** A level without those below it. (That of 1 is ALWAYS_1; 5 by itself does nothing, it only lets more visitors have stored pages.) */
    ONLY_2(Only.LEVEL + 2), ONLY_3(Only.LEVEL + 3), ONLY_4(Only.LEVEL + 4), ONLY_6(Only.LEVEL + 6),
    /** What others do against overload: a concurrency limiter that follows response times, and refuses what is too much by 503. */
    LIMIT("limit", "a gradient concurrency limiter in place of IC\u00b2, which answers 503 to what is too much", Only.LIMITER);

    /** Constants that an enum's own constructor may use. */
    private static final class Package {
        private static final List<Lever> SHIPPED = List.of(Lever.MITIGATION, Lever.KEEP_ALIVE_TIMEOUT);
    }

    /** Levels beyond the ladder's own, of docker/web/conf/experiments.conf. */
    private static final class Only {
        private static final int LEVEL = 100;
        private static final int LIMITER = 200;
    }

    /** All names, for messages. */
    public static final String NAMES = Stream.of(values()).map(Arm::key).collect(Collectors.joining(","));

    private final String key;
    private final String title;
    private final List<Lever> levers;
    private final String actuator;
    private final AgentArm.Manner manner;
    private final int level;
    private final Optional<HostLever> host;

    Arm(HostLever host, boolean both) {
        this("host-" + host.key() + (both ? "+ladder" : ""), "ic2-host " + (both ? "and httpd-online with the ladder: " : "alone: ") + host.key() + " of tier and neighbour"
                + (both ? "" : "; the tenant's agent only measures and tells"), both ? AgentArm.LEVERS : List.of(), AgentArm.ONLINE,
                AgentArm.Manner.USUAL, 0, Optional.of(host));
    }

    Arm(String key, String title) {
        this(key, title, List.of(), AgentArm.ONLINE, AgentArm.Manner.USUAL, 0);
    }

    Arm(int level) {
        this((level < Only.LEVEL ? "always-on-" : "only-") + level % Only.LEVEL, "level " + level % Only.LEVEL + (level < Only.LEVEL ? ""
                : " without those below it,") + " all the time, without an agent", List.of(), AgentArm.ONLINE, AgentArm.Manner.USUAL, level);
    }

    Arm(String key, String title, int level) {
        this(key, title, List.of(), AgentArm.ONLINE, AgentArm.Manner.USUAL, level);
    }

    Arm(String key, String title, String actuator) {
        this(key, title, AgentArm.PUBLISHED, actuator, AgentArm.Manner.PAPER, 0);
    }

    Arm(String key, String title, List<Lever> levers, AgentArm.Manner manner) {
        this(key, title, levers, AgentArm.ONLINE, manner, 0);
    }

    Arm(String key, String title, List<Lever> levers, String actuator, AgentArm.Manner manner, int level) {
        this(key, title, levers, actuator, manner, level, Optional.empty());
    }

    Arm(String key, String title, List<Lever> levers, String actuator, AgentArm.Manner manner, int level, Optional<HostLever> host) {
        this.key = key;
        this.title = title;
        this.levers = levers;
        this.actuator = actuator;
        this.manner = manner;
        this.level = level;
        this.host = host;
    }

    /** The arm of a name. */
    public static Arm of(String key) {
        for (Arm arm : values()) {
            if (arm.key.equals(key.strip())) {
                return arm;
            }
        }
        throw new IllegalArgumentException("--arms: expected some of " + NAMES + ", got '" + key.strip() + "'");
    }

    /** Its name in files and on the command line: off, ladder, always-on-3, ... */
    public String key() {
        return key;
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

    /** True if its agent is the paper's. */
    public boolean published() {
        return manner == AgentArm.Manner.PAPER;
    }

    /** True if it is compared with the baseline. */
    boolean compared() {
        return this != OFF;
    }

    /** True if it can be measured on an httpd without a patch, where the ladder alone moves. */
    boolean onStock() {
        return this != PAPER_ONLINE && this != PAPER_GRACEFUL;
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
                this == OWN_CPU ? AgentArm.Place.OUTSIDE : AgentArm.Place.INSIDE) : AgentArm.off();
    }
}
