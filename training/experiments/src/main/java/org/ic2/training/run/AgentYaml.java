// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.run;

import java.nio.file.Path;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.ic2.knowledge.Lever;
import org.ic2.runtime.knob.Knob;
import org.ic2.runtime.knob.Settings;

/** Writes the agent's configuration for a run on the testbed. */
final class AgentYaml {
    private AgentYaml() {
    }

    static String yaml(Testbed testbed, RunPlan plan, Setting setting, Path load, Path journal) {
        AgentArm arm = plan.agent();
        return """
                # written by ic2-train for the run %s
                application: testbed
                interval: %dms
                mode: %s
                members:
                  web:
                    role: web
                    sensors:
                %s%s
                    actuators:
                      httpd: %s
                %sbaseline: %s
                bounds: %s
                %slevers: [%s]
                target-response-time: %dms
                safety: {cool-down: %dms, actions-per-hour: %d, on-exit: restore}
                journal: %s
                """.formatted(plan.id(), setting.interval().toMillis(), arm.acts() ? "act" : "observe",
                response(testbed, setting, load), sensors(testbed), actuator(testbed, arm), php(testbed, arm),
                values(setting, knob -> text(setting.baseline(), knob)),
                values(setting, knob -> "[" + text(setting.lowest(), knob) + ", " + text(setting.highest(), knob) + "]"),
                arm.classifier()
                        .map(file -> "detector: {type: tree, model: " + quoted(file.toAbsolutePath()) + "}\n").orElse(""),
                arm.levers().stream().map(Lever::key).collect(Collectors.joining(", ")), setting.target().toMillis(),
                setting.coolDown().toMillis(), actionsPerHour(setting), quoted(journal));
    }

    /** Enough for a neighbour that comes as often as the cool-down allows the ladder to follow (docs/operations.md). */
    private static long actionsPerHour(Setting setting) {
        return Math.max(240, 2_400_000 / Math.max(1, setting.coolDown().toMillis()));
    }

    /** The first sensor that measures a metric counts: Faban's figures come first if they are wanted. */
    private static String response(Testbed testbed, Setting setting, Path load) {
        String status = "      status: {type: mod-status, url: %s}%n".formatted(quoted(testbed.text("urls", "status")));
        String faban = "      response: {type: faban-log, file: %s}%n".formatted(quoted(load.resolve("driver.log")));
        return setting.response().equals("faban-log") ? faban + status : status;
    }

    /** No memory-latency probe: on a shared host its quiet figures are too noisy to tell (docs/results.md). */
    private static String sensors(Testbed testbed) {
        String port = testbed.text("options", "scheme").equals("https") ? "https" : "http";
        return """
                      queue: {type: accept-queue, port: %d}
                      system: {type: cgroup, path: %s, cpus: 1}
                """.formatted(testbed.number("ports", port), quoted(testbed.text("cgroups", "web", "usage")))
                .stripTrailing();
    }

    private static String actuator(Testbed testbed, AgentArm arm) {
        String apachectl = quoted(testbed.text("files", "apachectl"));
        return arm.actuator().equals("httpd-online") ? "{type: httpd-online, apachectl: " + apachectl + "}"
                : "{type: httpd-basic, apachectl: " + apachectl + ", tunables: " + quoted(testbed.text("files", "tunables"))
                        + rest(arm) + "}";
    }

    /** php-fpm reads its files' variables from its environment, so its test of a changed file needs that too. */
    private static String php(Testbed testbed, AgentArm arm) {
        if (!arm.levers().contains(Lever.PHP_MAX_CHILDREN)) {
            return "";
        }
        Path conf = testbed.home().resolve("docker/web/conf");
        String test = ". '" + testbed.text("files", "environment") + "' && exec php-fpm8.2 -c '" + conf.resolve("php.ini")
                + "' -y '" + conf.resolve("php-fpm.conf") + "' \"$@\"";
        return "      php: {type: php-fpm, pool: %s, pid-file: %s, command: [sh, -c, %s, php-fpm], status-listen: %s, "
                .formatted(quoted(testbed.text("files", "php_pool")), quoted(testbed.text("files", "php_pid")), quoted(test),
                        quoted(testbed.text("files", "php_status_socket")))
                + "status-path: /php-status" + rest(arm) + "}\n";
    }

    private static String rest(AgentArm arm) {
        return arm.rest().map(rest -> ", cool-down: " + rest.toSeconds() + "s").orElse("");
    }

    private static String values(Setting setting, Function<Knob, String> text) {
        return setting.baseline().knobs().stream().map(knob -> knob.key() + ": " + text.apply(knob))
                .collect(Collectors.joining(", ", "{", "}"));
    }

    private static String text(Settings values, Knob knob) {
        return knob.format(values.get(knob));
    }

    private static String quoted(Object text) {
        return '"' + text.toString().replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }
}
