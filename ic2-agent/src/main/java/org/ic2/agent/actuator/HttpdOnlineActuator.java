// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.actuator;

import java.io.IOException;
import java.time.Duration;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.ic2.agent.sensor.ServerStatus;
import org.ic2.knowledge.Lever;

/** MaxRequestWorkers, KeepAliveTimeout and the ladder's rung of httpd-online; read back through mod_status. */
public final class HttpdOnlineActuator implements Actuator {

    private static final Duration SETTLE_TIME = Duration.ofSeconds(3);

    private final OnlineHttpd httpd;
    private final String mitigationVariable;

    HttpdOnlineActuator(OnlineHttpd httpd, String mitigationVariable) {
        this.httpd = httpd;
        this.mitigationVariable = mitigationVariable;
    }

    @Override
    public String name() {
        return httpd.name();
    }

    @Override
    public Set<Lever> levers() {
        return Set.of(Lever.MAX_REQUEST_WORKERS, Lever.KEEP_ALIVE_TIMEOUT, Lever.MITIGATION);
    }

    @Override
    public Map<Lever, Integer> running() throws IOException, InterruptedException {
        ServerStatus status = httpd.status();
        Map<Lever, Integer> values = new EnumMap<>(Lever.class);
        status.integer("MaxRequestWorkers").ifPresent(threads -> values.put(Lever.MAX_REQUEST_WORKERS, threads));
        status.integer("KeepAliveTimeoutMs").ifPresent(millis -> values.put(Lever.KEEP_ALIVE_TIMEOUT, millis));
        Integer rung = status.variables().get(mitigationVariable);
        if (rung != null) {
            values.put(Lever.MITIGATION, rung);
        }
        return values;
    }

    @Override
    public void apply(Map<Lever, Integer> values) throws IOException, InterruptedException {
        Map<String, String> assignments = new LinkedHashMap<>();
        for (Map.Entry<Lever, Integer> value : new EnumMap<>(values).entrySet()) {
            switch (value.getKey()) {
                case MAX_REQUEST_WORKERS -> assignments.put("MaxRequestWorkers", value.getValue().toString());
                case KEEP_ALIVE_TIMEOUT -> assignments.put("KeepAliveTimeout", value.getValue() + "ms");
                case MITIGATION -> assignments.put(mitigationVariable, value.getValue().toString());
                default -> throw new IllegalArgumentException(name() + " cannot set " + value.getKey().key());
            }
        }
        httpd.reconfigure(assignments);
    }

    @Override
    public void checkMeans() throws IOException, InterruptedException {
        httpd.checkMeans();
    }

    @Override
    public Duration settleTime() {
        return SETTLE_TIME;
    }
}
