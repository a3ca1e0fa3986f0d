// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.actuator;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.ic2.agent.sensor.HaproxyServers;
import org.ic2.agent.sensor.HaproxySource;
import org.ic2.runtime.actuator.Actuator;
import org.ic2.runtime.actuator.ActuatorPlan;
import org.ic2.runtime.host.Endpoint;
import org.ic2.runtime.host.Host;
import org.ic2.runtime.knob.Bounds;
import org.ic2.runtime.knob.Knob;
import org.ic2.runtime.knob.Settings;
import org.ic2.runtime.yaml.ConfigException;
import org.ic2.runtime.yaml.YamlMap;

/**
 * The settings of {@code haproxy-agent}, checked.
 *
 * @param settings as the file has them, for errors
 * @param listen   where the balancer asks
 * @param allow    networks of those that may ask
 * @param most     the server's connections at the whole share; 0 if nothing is to be said of them
 * @param control  where ic2-share hears the agent
 * @param stats    where HAProxy tells the weight in force; empty: nowhere
 */
public record HaproxyAgentPlan(YamlMap settings, Endpoint.Tcp listen, List<String> allow, int most, Endpoint control,
        Optional<HaproxySource> stats) implements ActuatorPlan {

    private static final String CONTROL = "/run/ic2-share/control.sock";
    private static final int MOST_CONNECTIONS = 1_000_000;
    private static final int MOST_NETWORKS = 32;
    private static final Pattern ADDRESS = Pattern.compile("\\d{1,3}(\\.\\d{1,3}){3}|[0-9a-fA-F:.]*:[0-9a-fA-F:.]*");
    private static final Pattern NETWORK = Pattern.compile("(" + ADDRESS + ")(/\\d{1,3})?");

    static HaproxyAgentPlan parse(YamlMap settings) throws ConfigException {
        Endpoint.Tcp listen = settings.parsed("listen", HaproxyAgentPlan::address);
        List<String> allow = settings.texts("allow");
        for (String network : allow) {
            if (!NETWORK.matcher(network).matches()) {
                throw settings.error("allow", "expected networks such as 10.0.0.0/24 or 10.0.0.7, got \"" + network + "\"");
            }
        }
        if (allow.isEmpty() || allow.size() > MOST_NETWORKS) {
            throw settings.error("allow", "expected 1 to " + MOST_NETWORKS + " networks of the load balancers, got " + allow);
        }
        int most = settings.has("max-connections") ? settings.integer("max-connections") : 0;
        if (settings.has("max-connections") && (most < 1 || most > MOST_CONNECTIONS)) {
            throw settings.error("max-connections", "expected 1 to " + MOST_CONNECTIONS + ", got " + most);
        }
        Optional<HaproxySource> stats = settings.has("socket") || settings.has("url")
                ? Optional.of(HaproxySource.parse(settings)) : Optional.empty();
        return new HaproxyAgentPlan(settings, listen, allow, most, settings.parsed("control", Endpoint::parse, new Endpoint.Unix(CONTROL)),
                stats);
    }

    private static Endpoint.Tcp address(String text) {
        if (Endpoint.parse(text) instanceof Endpoint.Tcp tcp && ADDRESS.matcher(tcp.host()).matches() && tcp.port() > 0) {
            return tcp;
        }
        throw new IllegalArgumentException("expected an address of this machine and a port, such as 10.0.0.11:9777, got \"" + text + "\"");
    }

    @Override
    public Set<Knob> levers() {
        return Set.of(Share.KNOB);
    }

    @Override
    public Set<String> servers() {
        return Set.of("the share told at " + listen);
    }

    /** When the agent has gone the balancer is told the whole share: that is the baseline, whatever the file says. */
    @Override
    public void fit(Settings baseline, Bounds bounds, Set<Knob> levers) throws ConfigException {
        if (levers.contains(Share.KNOB) && baseline.get(Share.KNOB) != Share.WHOLE) {
            throw settings.error("type", "expected a baseline of share: " + Share.WHOLE + ", which the balancer is told when the agent"
                    + " has gone, got " + baseline.get(Share.KNOB) + "; a server's usual part is its weight in the balancer's file");
        }
    }

    @Override
    public Actuator open(Host host) {
        String serve = "serve " + listen.host() + " " + listen.port() + " " + String.join(",", allow) + " " + most;
        return new HaproxyAgentActuator(new ShareResponder(host, control, serve), listen.toString(),
                stats.map(source -> new HaproxyServers(host, source)));
    }
}
