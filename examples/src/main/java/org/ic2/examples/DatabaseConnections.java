// SPDX-License-Identifier: Apache-2.0
package org.ic2.examples;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import org.ic2.runtime.actuator.Actuator;
import org.ic2.runtime.actuator.ActuatorPlan;
import org.ic2.runtime.actuator.ActuatorProvider;
import org.ic2.runtime.host.Host;
import org.ic2.runtime.knob.Knob;
import org.ic2.runtime.knob.Settings;
import org.ic2.runtime.yaml.ConfigException;
import org.ic2.runtime.yaml.YamlMap;

/**
 * A lever that IC2 does not ship, with its actuator: how many connections an application keeps to its database. The
 * application reads the number from a file and looks at the file each second.
 *
 * <p>In the configuration: {@code actuators: {pool: {type: database-connections, file: /run/shop/connections}}}.
 */
public final class DatabaseConnections implements ActuatorProvider {
    /** The lever. */
    static final Knob KNOB = new Connections();

    private static final class Connections implements Knob {
        @Override
        public String key() {
            return "database-connections";
        }

        @Override
        public String column() {
            return "database_connections";
        }

        @Override
        public String unit() {
            return "connections";
        }

        @Override
        public int least() {
            return 1;
        }
    }

    @Override
    public String type() {
        return KNOB.key();
    }

    @Override
    public ActuatorPlan parse(YamlMap settings, Optional<String> statusUrl) throws ConfigException {
        String file = settings.text("file");
        return new ActuatorPlan() {
            @Override
            public Set<Knob> levers() {
                return Set.of(KNOB);
            }

            @Override
            public Actuator open(Host host) {
                return new PoolFile(host, file);
            }
        };
    }

    private record PoolFile(Host host, String file) implements Actuator {
        @Override
        public String name() {
            return "database-connections (" + file + ")";
        }

        @Override
        public Set<Knob> levers() {
            return Set.of(KNOB);
        }

        @Override
        public Settings running() throws IOException, InterruptedException {
            String text = host.read(file).strip();
            try {
                return Settings.of(KNOB, KNOB.parse(text));
            } catch (IllegalArgumentException e) {
                throw new IOException(file + ": " + e.getMessage(), e);
            }
        }

        @Override
        public void apply(Settings values) throws IOException, InterruptedException {
            host.replace(file, values.get(KNOB) + "\n");
        }

        @Override
        public void checkMeans() throws IOException, InterruptedException {
            running();
        }

        @Override
        public Duration settleTime() {
            return Duration.ofSeconds(1);
        }
    }
}
