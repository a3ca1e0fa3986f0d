// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.sensor;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.ic2.knowledge.control.policy.Sharing;
import org.ic2.runtime.sensor.Reading;
import org.ic2.runtime.sensor.Sensor;

/** The shares that the other servers of the cluster have in force, as HAProxy tells them. Where it does not tell they are unknown. */
final class HaproxySensor implements Sensor {

    private final HaproxyServers stats;
    private final HaproxySource source;

    HaproxySensor(HaproxyServers stats, HaproxySource source) {
        this.stats = stats;
        this.source = source;
    }

    @Override
    public String name() {
        return "haproxy " + source.backend() + " at " + source;
    }

    @Override
    public boolean readsBetween() {
        return true;
    }

    @Override
    public Optional<String> caveat() {
        return source.url().filter(source.access()::isSeen).map(url -> "the password goes to " + url + " in the clear; let HAProxy bind that port"
                + " with ssl, and say https");
    }

    @Override
    public Reading read() throws IOException, InterruptedException {
        List<HaproxyServers.Server> servers = stats.servers();
        HaproxyServers.Server own = stats.own(servers);
        List<HaproxyServers.Server> others = servers.stream().filter(server -> server != own && server.takes()).toList();
        List<HaproxyServers.Server> all = servers.stream().filter(server -> server == own || server.takes()).toList();
        double whole = all.stream().mapToInt(HaproxyServers.Server::initial).sum();
        double now = all.stream().mapToInt(HaproxyServers.Server::weight).sum();
        return Reading.builder().put(Sharing.LOAD, now > 0 ? own.share() * whole / now : Double.NaN)
                .put(Sharing.WHOLE, others.stream().filter(server -> Sharing.isWhole(server.share())).mapToInt(HaproxyServers.Server::initial).sum() / whole)
                .put(Sharing.PEERS, others.stream().mapToDouble(HaproxyServers.Server::share).max().orElse(0))
                .extra("own_share", own.share()).extra("takes_requests", own.takes() ? 1 : 0).extra("peers", others.size())
                .extra("waiting", servers.stream().mapToInt(HaproxyServers.Server::queue).sum()).build();
    }
}
