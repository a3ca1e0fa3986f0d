// SPDX-License-Identifier: Apache-2.0
package org.ic2.examples;

import org.ic2.runtime.sensor.Reading;
import org.ic2.runtime.sensor.Sensor;
import org.ic2.runtime.sensor.SensorContext;
import org.ic2.runtime.sensor.SensorPlan;
import org.ic2.runtime.sensor.SensorProvider;
import org.ic2.knowledge.Metric;
import org.ic2.runtime.yaml.ConfigException;
import org.ic2.runtime.yaml.YamlMap;

/** Stands for the sensors of a web tier: reads numbers by column from a file that the test writes. */
public final class Figures implements SensorProvider {
    @Override
    public String type() {
        return "figures";
    }

    @Override
    public SensorPlan parse(YamlMap settings) throws ConfigException {
        String file = settings.text("file");
        return context -> sensor(context, file);
    }

    private static Sensor sensor(SensorContext context, String file) {
        return new Sensor() {
            @Override
            public String name() {
                return "figures";
            }

            @Override
            public Reading read() throws java.io.IOException, InterruptedException {
                Reading.Builder reading = Reading.builder();
                for (String line : context.host().read(file).strip().split("\n")) {
                    String[] words = line.split(" ");
                    reading.put(Metric.ofColumn(words[0]).orElseThrow(), Double.parseDouble(words[1]));
                }
                return reading.build();
            }
        };
    }
}
