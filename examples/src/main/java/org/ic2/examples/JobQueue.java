// SPDX-License-Identifier: Apache-2.0
package org.ic2.examples;

import java.io.IOException;
import java.util.List;
import org.ic2.runtime.sensor.Reading;
import org.ic2.runtime.sensor.Sensor;
import org.ic2.runtime.sensor.SensorContext;
import org.ic2.runtime.sensor.SensorPlan;
import org.ic2.runtime.sensor.SensorProvider;
import org.ic2.runtime.knob.Quantity;
import org.ic2.runtime.yaml.ConfigException;
import org.ic2.runtime.yaml.YamlMap;

/**
 * A sensor that IC2 does not ship, with a quantity of its own: how many jobs wait in an application's queue. The
 * application writes the number into a file.
 *
 * <p>In the configuration: {@code sensors: {jobs: {type: job-queue, file: /run/shop/jobs}}}. Rules and classifier may
 * then name {@code job_queue}.
 */
public final class JobQueue implements SensorProvider {
    private static final Quantity JOBS = new Quantity() {
        @Override
        public String column() {
            return "job_queue";
        }

        @Override
        public String unit() {
            return "jobs";
        }
    };

    @Override
    public String type() {
        return "job-queue";
    }

    @Override
    public SensorPlan parse(YamlMap settings) throws ConfigException {
        String file = settings.text("file");
        return new SensorPlan() {
            @Override
            public Sensor open(SensorContext context) {
                return new Sensor() {
                    @Override
                    public String name() {
                        return "job-queue (" + file + ")";
                    }

                    @Override
                    public Reading read() throws IOException, InterruptedException {
                        String text = context.host().read(file).strip();
                        if (!text.matches("\\d{1,9}")) {
                            throw new IOException("expected a number of jobs in " + file + ", got \"" + text + "\"");
                        }
                        return Reading.builder().put(JOBS, Integer.parseInt(text)).build();
                    }
                };
            }

            @Override
            public List<Quantity> quantities() {
                return List.of(JOBS);
            }
        };
    }
}
