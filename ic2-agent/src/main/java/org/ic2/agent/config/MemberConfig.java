// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.config;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.ic2.knowledge.Metric;
import org.ic2.runtime.actuator.ActuatorPlan;
import org.ic2.runtime.host.SshAddress;
import org.ic2.runtime.knob.Quantity;
import org.ic2.runtime.sensor.SensorPlan;

/**
 * One machine of the application group.
 *
 * @param name      the tenant's name for it: {@code web}
 * @param role      {@code web}, {@code database} or another word; the first web member is the one that is managed
 * @param host      where it is; empty: this machine
 * @param sensors   in the order of the file: of two that measure the same metric the first counts
 * @param actuators in the order of the file
 */
public record MemberConfig(String name, String role, Optional<SshAddress> host, List<SensorConfig> sensors,
        List<ActuatorConfig> actuators) {

    private static final Set<Quantity> OF_REQUESTS = Set.of(Metric.RESPONSE_TIME, Metric.THROUGHPUT, Metric.REQUESTS);

    /** The role of the tier that IC2 reconfigures. */
    public static final String WEB = "web";

    /** The first member of the role {@link #WEB}, which is the one that is managed. */
    static MemberConfig managed(List<MemberConfig> members) {
        return members.stream().filter(member -> member.role().equals(WEB)).findFirst().orElseThrow();
    }

    /** Whose requests count: those of the first sensor that says so, as long as this configuration runs. */
    public Optional<String> requests() {
        return sensors.stream().flatMap(sensor -> sensor.plan().requests().stream()).findFirst();
    }

    /** The labels of sensors that count other requests than {@link #requests}: they do not stand in while that source is silent. */
    public Set<String> strangers() {
        return sensors.stream().filter(sensor -> sensor.plan().requests().isPresent()
                && !sensor.plan().requests().equals(requests())).map(SensorConfig::label).collect(Collectors.toSet());
    }

    /** A sensor's values without those that are of requests. */
    public static Map<Quantity, Double> withoutRequests(Map<Quantity, Double> values) {
        Map<Quantity, Double> rest = new LinkedHashMap<>(values);
        rest.keySet().removeAll(OF_REQUESTS);
        return rest;
    }

    /**
     * One sensor.
     *
     * @param label its place in the file: {@code web.response}
     * @param host  the machine to look from, such as the hypervisor; empty: the member's
     */
    public record SensorConfig(String label, Optional<SshAddress> host, SensorPlan plan) {
    }

    /**
     * One actuator.
     *
     * @param label    its place in the file: {@code web.httpd}
     * @param settings what the file says of it, with the status page that it reads where it names none itself
     */
    public record ActuatorConfig(String label, Map<String, List<String>> settings, ActuatorPlan plan) {
    }
}
