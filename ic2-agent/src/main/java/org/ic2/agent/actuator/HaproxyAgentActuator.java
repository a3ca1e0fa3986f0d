// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.actuator;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.ic2.agent.sensor.HaproxyServers;
import org.ic2.runtime.actuator.Actuator;
import org.ic2.runtime.actuator.RestoreRoute;
import org.ic2.runtime.knob.Knob;
import org.ic2.runtime.knob.Settings;

/**
 * This server's share of the requests, as HAProxy asks for it ({@code agent-check}). HAProxy pulls, so no credential for it is
 * needed; the answers are {@code ic2-share}'s, which says the whole share when the agent has gone. In force is what the last
 * of the balancers was told; where its statistics are given, the weight that it has in force.
 */
final class HaproxyAgentActuator implements Actuator {

    private static final Logger LOG = Logger.getLogger(HaproxyAgentActuator.class.getName());

    /** HAProxy asks every 2 s unless its agent-inter says more often. */
    private static final Duration SETTLE_TIME = Duration.ofSeconds(6);

    private final ShareResponder responder;
    private final String listen;
    private final Optional<HaproxyServers> stats;

    /** @param stats where HAProxy tells the weight in force; empty: what it was told counts */
    HaproxyAgentActuator(ShareResponder responder, String listen, Optional<HaproxyServers> stats) {
        this.responder = responder;
        this.listen = listen;
        this.stats = stats;
    }

    @Override
    public String name() {
        return "haproxy-agent (" + listen + ")";
    }

    @Override
    public Set<Knob> levers() {
        return Set.of(Share.KNOB);
    }

    @Override
    public Settings running() throws IOException, InterruptedException {
        ShareResponder.Report report = responder.report();
        if (report.balancers() == 0) {
            throw new IOException("no load balancer has asked " + listen + " for the share in the last 30 s; HAProxy asks by"
                    + " \"agent-check agent-addr ADDRESS agent-port PORT agent-inter 500ms\" on this server's line, from an address"
                    + " that \"allow\" names");
        }
        return Settings.of(Share.KNOB, stats.isPresent() ? inForce(stats.get(), report.told()) : report.told());
    }

    /** The share in force: what was told, where HAProxy's weight is that but for its rounding, or its statistics cannot be read. */
    private int inForce(HaproxyServers from, int told) throws InterruptedException {
        HaproxyServers.Server own;
        try {
            own = from.own(from.servers());
        } catch (IOException e) {
            LOG.log(Level.FINE, "what HAProxy was told counts: {0}", e.getMessage());
            return told;
        }
        boolean same = !own.takes() || Math.abs(own.weight() - own.initial() * told / 100.0) < 1;
        return same ? told : Math.max(Share.KNOB.least(), (int) Math.round(Share.WHOLE * own.share()));
    }

    @Override
    public void apply(Settings values) throws IOException, InterruptedException {
        responder.want(values.get(Share.KNOB));
    }

    @Override
    public Optional<RestoreRoute> route() {
        return RestoreRoute.share(responder.endpoint(), Share.KNOB);
    }

    @Override
    public void checkMeans() throws IOException, InterruptedException {
        responder.report();
    }

    @Override
    public Duration settleTime() {
        return SETTLE_TIME;
    }

    @Override
    public void close() {
        responder.close();
    }
}
