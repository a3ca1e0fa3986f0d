// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.actuator;

import java.io.IOException;
import java.time.Duration;
import java.util.Set;
import org.ic2.runtime.actuator.Actuator;
import org.ic2.runtime.knob.Knob;
import org.ic2.runtime.knob.Settings;

/**
 * This server's share of the requests, as HAProxy asks for it ({@code agent-check}). HAProxy pulls, so no credential for it is
 * needed; the answers are {@code ic2-share}'s, which says the whole share when the agent has gone. In force is what the last
 * of the balancers was told.
 */
final class HaproxyAgentActuator implements Actuator {

    /** HAProxy asks every 2 s unless its agent-inter says more often. */
    private static final Duration SETTLE_TIME = Duration.ofSeconds(6);

    private final ShareResponder responder;
    private final String listen;

    HaproxyAgentActuator(ShareResponder responder, String listen) {
        this.responder = responder;
        this.listen = listen;
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
        return Settings.of(Share.KNOB, report.told());
    }

    @Override
    public void apply(Settings values) throws IOException, InterruptedException {
        responder.want(values.get(Share.KNOB));
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
