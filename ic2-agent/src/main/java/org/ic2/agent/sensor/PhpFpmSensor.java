// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.sensor;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.ic2.knowledge.Metric;
import org.ic2.runtime.host.BoundedText;
import org.ic2.runtime.host.Endpoint;
import org.ic2.runtime.host.FastCgi;
import org.ic2.runtime.host.Host;
import org.ic2.runtime.sensor.Reading;
import org.ic2.runtime.sensor.Sensor;

/**
 * A PHP pool's processes and queue from php-fpm's status page. The address must be the pool's {@code pm.status_listen}:
 * asked through the pool's own socket, the question would queue behind the very requests it is about.
 */
public final class PhpFpmSensor implements Sensor {

    private final Host host;
    private final Endpoint endpoint;
    private final String path;

    /**
     * @param path the pool's {@code pm.status_path}
     */
    public PhpFpmSensor(Host host, Endpoint endpoint, String path) {
        this.host = host;
        this.endpoint = endpoint;
        this.path = path;
    }

    @Override
    public String name() {
        return "php-fpm status at " + endpoint;
    }

    @Override
    public Reading read() throws IOException, InterruptedException {
        return parse(FastCgi.get(host, endpoint, path));
    }

    static Reading parse(String page) throws IOException {
        Map<String, String> fields = new HashMap<>();
        for (String line : BoundedText.lines(page, "the status page")) {
            int colon = line.indexOf(':');
            if (colon > 0) {
                fields.put(line.substring(0, colon).strip(), line.substring(colon + 1).strip());
            }
        }
        Reading.Builder reading = Reading.builder()
                .extra("php_active", number(fields, "active processes"))
                .extra("php_processes", number(fields, "total processes"))
                .extra("php_queue", number(fields, "listen queue"));
        // Only a static pool always has as many processes as it may have.
        if ("static".equals(fields.get("process manager"))) {
            reading.put(Metric.PHP, number(fields, "total processes"));
        }
        return reading.build();
    }

    private static double number(Map<String, String> fields, String key) throws IOException {
        String text = fields.get(key);
        if (text == null || !text.matches("\\d{1,9}")) {
            throw new IOException("expected php-fpm's status page (pm.status_path) with a number of " + key
                    + ", got " + (fields.isEmpty() ? "another page" : "\"" + BoundedText.brief(String.valueOf(text)) + "\""));
        }
        return Double.parseDouble(text);
    }
}
