// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.run;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.ic2.knowledge.Lever;

/**
 * How the agent takes part in a run.
 *
 * @param role       what it does
 * @param classifier the tree that it decides with; empty: the shipped one
 * @param levers     what it may move
 * @param actuator   {@code httpd-online}, {@code httpd-basic} or {@code httpd-map}
 * @param rest       least time between two graceful restarts, and between two reloads of PHP; empty: the agent's own
 * @param manner     how it is configured
 * @param place      where it runs
 */
public record AgentArm(Role role, Optional<Path> classifier, List<Lever> levers, String actuator,
        Optional<Duration> rest, Manner manner, Place place) {
    /** Not there at all; only measures and records; reconfigures the web tier. */
    public enum Role { OFF, OBSERVES, ACTS }

    /**
     * As the experiment says; the same with one level for each action; by packaging/ic2.yaml, but for what a testbed must say; or as the
     * paper published it, by the agent's profile of that name.
     */
    public enum Manner { USUAL, ONE_LEVEL, SHIPPED, PAPER }

    /** Where a tenant's agent runs: on the tier's CPU, in its control group; or off both and ahead of others, so that nothing starves it. */
    public enum Place { INSIDE, OUTSIDE }

    /** What acting agents may move unless someone says otherwise: PHP gains nothing above the knee. */
    public static final List<Lever> LEVERS = List.of(Lever.MAX_REQUEST_WORKERS, Lever.KEEP_ALIVE_TIMEOUT,
            Lever.MITIGATION);
    /** What the paper's IC² moves, all three at once. */
    public static final List<Lever> PUBLISHED = List.of(Lever.MAX_REQUEST_WORKERS, Lever.KEEP_ALIVE_TIMEOUT, Lever.PHP_MAX_CHILDREN);
    /** httpd that is reconfigured while it runs. */
    public static final String ONLINE = "httpd-online";
    /** httpd that is restarted gracefully. */
    public static final String BASIC = "httpd-basic";
    /** httpd without a patch, which reads its level from a file. */
    public static final String MAP = "httpd-map";

    public AgentArm {
        levers = List.copyOf(levers);
        if (!List.of(ONLINE, BASIC, MAP).contains(actuator)) {
            throw new IllegalArgumentException("agent: expected httpd-online, httpd-basic or httpd-map, got '" + actuator + "'");
        }
    }

    /** One that is configured as the experiment says. */
    public AgentArm(Role role, Optional<Path> classifier, List<Lever> levers, String actuator, Optional<Duration> rest) {
        this(role, classifier, levers, actuator, rest, Manner.USUAL, Place.OUTSIDE);
    }

    /** The same inside the tier. */
    public AgentArm inside() {
        return new AgentArm(role, classifier, levers, actuator, rest, manner, Place.INSIDE);
    }

    /** No agent runs. */
    public static AgentArm off() {
        return new AgentArm(Role.OFF, Optional.empty(), List.of(), ONLINE, Optional.empty());
    }

    /** Only measures. */
    public static AgentArm observer() {
        return new AgentArm(Role.OBSERVES, Optional.empty(), LEVERS, ONLINE, Optional.empty());
    }

    /** Decides with this tree, all usual levers. */
    public static AgentArm acting(Path classifier) {
        return new AgentArm(Role.ACTS, Optional.of(classifier), LEVERS, ONLINE, Optional.empty());
    }

    /** The paper's IC² with this tree, on httpd-online. */
    public static AgentArm published(Path classifier) {
        return new AgentArm(Role.ACTS, Optional.of(classifier), PUBLISHED, ONLINE, Optional.empty(), Manner.PAPER, Place.INSIDE);
    }

    /** The same where httpd has no patch: it moves the ladder alone. */
    public AgentArm onStock() {
        return on() ? new AgentArm(role, classifier, List.of(Lever.MITIGATION), MAP, rest, manner, place) : this;
    }

    /** True if an agent runs. */
    boolean on() {
        return role != Role.OFF;
    }

    /** True if it reconfigures. */
    boolean acts() {
        return role == Role.ACTS;
    }

    /** True if target, cool-down, levers and budget are the shipped ones, except those given on the command line. */
    boolean shipped() {
        return manner == Manner.SHIPPED;
    }

    /** True if httpd is restarted gracefully. */
    boolean graceful() {
        return acts() && actuator.equals(BASIC);
    }
}
