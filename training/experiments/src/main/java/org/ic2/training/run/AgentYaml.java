// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.run;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.ic2.knowledge.Lever;
import org.ic2.runtime.knob.Knob;
import org.ic2.runtime.yaml.YamlText;

/** Writes the agent's configuration for a run on the testbed. */
final class AgentYaml {
    /** "timed" of the testbed's configuration files. */
    private static final String LOG_FORMAT =
            "%h %l %u %t \"%r\" %>s %b \"%{Referer}i\" \"%{User-Agent}i\" \"%{cache-status}e\" %{ic2_member}e %D";

    /** The member that the package's own sensor of steal measures: this whole machine, as it has no hypervisor's guest for the tier alone. */
    static final String MACHINE = "machine";
    private static final long MILLIS = 1000;

    private AgentYaml() {
    }

    /**
     * The agent's file.
     *
     * @param folder   of the run
     * @param counters whether the machine has hardware counters, which the agent then reads of the tier's control group
     */
    static String yaml(Testbed testbed, RunPlan plan, Setting setting, Path folder, Path journal, boolean counters)
            throws IOException {
        Map<String, Object> document = machine(testbed, plan, setting, folder, journal, counters);
        String head = "# written by ic2-train for the run " + plan.id() + "\n";
        if (plan.agent().shipped()) {
            said(document, plan.agent(), setting);
            return head + ShippedYaml.read(testbed.home()).completed(document, setting.baseline());
        }
        policy(document, plan.agent(), setting, counters);
        return head + YamlText.of(document);
    }

    /** What the file of an agent says that is no shipped one's. */
    static Map<String, Object> document(Testbed testbed, RunPlan plan, Setting setting, Path folder, Path journal, boolean counters) {
        Map<String, Object> document = machine(testbed, plan, setting, folder, journal, counters);
        policy(document, plan.agent(), setting, counters);
        return document;
    }

    private static Map<String, Object> machine(Testbed testbed, RunPlan plan, Setting setting, Path folder, Path journal,
            boolean counters) {
        AgentArm arm = plan.agent();
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("application", "testbed");
        document.put("interval", time(setting.interval()));
        if (!arm.acts()) {
            document.put("suspicious-interval", "off");     // a recording for training has whole intervals alone
        }
        document.put("mode", arm.acts() ? "act" : "observe");
        Map<String, Object> sensors = sensors(testbed, setting, folder.resolve("load"), counters);
        if (plan.host().isPresent()) {
            sensors.put("host", YamlValues.map("type", "host-notice", "file", HostSide.notice(folder).toString()));
            document.put("tell-host", YamlValues.map("file", HostSide.tenant(folder).toString()));
        }
        if (!arm.acts() && testbed.neighbourhood().layout().equals(Neighbourhood.APART)) {
            sensors.put("canary", canary(testbed));
        }
        Map<String, Object> members = YamlValues.map("web", YamlValues.map("role", "web", "sensors", sensors, "actuators", actuators(testbed, arm)));
        if (arm.shipped() && setting.interval().toMillis() % MILLIS == 0) {
            members.put(MACHINE, YamlValues.map("role", MACHINE, "sensors", YamlValues.map("system", YamlValues.map("type", "sysstat"))));
        }
        document.put("members", members);
        document.put("journal", journal.toString());
        document.put("baseline", values(setting, knob -> YamlValues.value(knob, setting.baseline().get(knob))));
        document.put("bounds", values(setting, knob ->
                List.of(YamlValues.value(knob, setting.lowest().get(knob)), YamlValues.value(knob, setting.highest().get(knob)))));
        if (arm.acts()) {
            document.put("http", YamlValues.map("listen", "127.0.0.1:0"));     // the page, for people who watch the run; recordings have none
        }
        return document;
    }

    /** What takes the place of the shipped configuration: what the command line says, and the ladder alone where nothing else moves. */
    private static void said(Map<String, Object> document, AgentArm arm, Setting setting) {
        detectorAndLevels(document, arm, setting);
        if (arm.actuator().equals(AgentArm.MAP)) {
            document.put("levers", arm.levers().stream().map(Lever::key).toList());
        }
        if (setting.given().target()) {
            document.put("target-response-time", time(setting.target()));
        }
        if (setting.given().coolDown()) {
            document.put("safety", YamlValues.map("cool-down", time(setting.coolDown())));
        }
    }

    private static void detectorAndLevels(Map<String, Object> document, AgentArm arm, Setting setting) {
        arm.classifier().ifPresent(file -> document.put("detector", YamlValues.map("type", "tree", "model",
                file.toAbsolutePath().toString())));
        if (!setting.levels().isEmpty() && arm.levers().contains(Lever.MITIGATION)) {
            document.put("ladder", setting.levels().stream().map(level -> YamlValues.map(Lever.MITIGATION.key(), level)).toList());
        }
    }

    /** What may be decided, as the experiment says. */
    private static void policy(Map<String, Object> document, AgentArm arm, Setting setting, boolean counters) {
        if (arm.manner() == AgentArm.Manner.PAPER) {
            published(document, arm, setting, counters);
            return;
        }
        detectorAndLevels(document, arm, setting);
        document.put("levers", arm.levers().stream().map(Lever::key).toList());
        if (arm.manner() == AgentArm.Manner.ONE_LEVEL) {
            document.put("ladder-step", "one");
        }
        document.put("target-response-time", time(setting.target()));
        document.put("safety", YamlValues.map("cool-down", time(setting.coolDown()), "actions-per-hour", actionsPerHour(setting),
                "on-exit", "restore"));
    }

    /** The paper's agent: all that the experiment does not say is the profile's, which detects by the miss rate where there are counters. */
    private static void published(Map<String, Object> document, AgentArm arm, Setting setting, boolean counters) {
        document.put("profile", "paper");
        if (!counters) {
            detectorAndLevels(document, arm, setting);
        }
        document.put("target-response-time", time(setting.target()));
        document.put("safety", YamlValues.map("actions-per-hour", actionsPerHour(setting), "on-exit", "restore"));
    }

    /** Enough for a neighbour that comes as often as the cool-down allows the ladder to follow (docs/operations.md). */
    private static long actionsPerHour(Setting setting) {
        return Math.max(240, 2_400_000 / Math.max(1, setting.coolDown().toMillis()));
    }

    /** A probe of the caches in the tier's group and on its CPU: the testbed pins processes, its groups have no CPUs of their own. */
    private static Map<String, Object> canary(Testbed testbed) {
        return YamlValues.map("type", "memory-latency", "cgroup", testbed.text("cgroups", "web", "usage"), "command", List.of("taskset", "-c",
                Integer.toString(testbed.number("cpus", "web")), testbed.home().resolve("ic2-agent/target/ic2-memlat").toString()));
    }

    /**
     * The first sensor that measures a metric counts: Faban's figures, or the log's, come first if they are wanted. The memory-latency
     * probe is for recordings in the layout apart alone: on a shared host its figures without interference are too noisy to act by (docs/results.md).
     */
    private static Map<String, Object> sensors(Testbed testbed, Setting setting, Path load, boolean counters) {
        Map<String, Object> sensors = new LinkedHashMap<>();
        if (setting.response().equals(Setting.FABAN_LOG)) {
            sensors.put("response", YamlValues.map("type", "faban-log", "file", load.resolve("driver.log").toString(), "unit", "ms"));
        }
        if (setting.response().equals(Setting.ACCESS_LOG)) {
            Map<String, Object> pages = log(testbed.accessLog().orElseThrow());
            pages.put("exclude", List.of("static", "/server-status"));
            sensors.put("pages", pages);
        }
        sensors.put("status", YamlValues.map("type", "mod-status", "url", testbed.text("urls", "status")));
        String port = testbed.text("options", "scheme").equals("https") ? "https" : "http";
        sensors.put("queue", YamlValues.map("type", "accept-queue", "port", testbed.number("ports", port)));
        sensors.put("system", YamlValues.map("type", "cgroup", "path", testbed.text("cgroups", "web", "usage"), "cpus", 1));
        if (!setting.response().equals(Setting.ACCESS_LOG)) {
            testbed.accessLog().ifPresent(file -> sensors.put("log", log(file)));
        }
        if (counters) {
            sensors.put("counters", YamlValues.map("type", "perf", "target", YamlValues.map("cgroup", testbed.text("cgroups", "web", "usage")),
                    "command", List.of(testbed.home().resolve("ic2-agent/target/ic2-counters").toString())));
        }
        return sensors;
    }

    private static Map<String, Object> log(Path file) {
        return YamlValues.map("type", "access-log", "file", file.toString(), "format", LOG_FORMAT);
    }

    private static Map<String, Object> actuators(Testbed testbed, AgentArm arm) {
        if (arm.actuator().equals(AgentArm.MAP)) {
            return YamlValues.map("ladder", YamlValues.map("type", AgentArm.MAP, "file", testbed.text("files", "mitigation_map"), "status-url",
                    testbed.text("urls", "status")));
        }
        Map<String, Object> httpd = YamlValues.map("type", arm.actuator(), "apachectl", testbed.text("files", "apachectl"));
        if (!arm.actuator().equals("httpd-online")) {
            httpd.put("tunables", testbed.text("files", "tunables"));
            rest(arm, httpd);
        }
        Map<String, Object> actuators = YamlValues.map("httpd", httpd);
        if (arm.levers().contains(Lever.PHP_MAX_CHILDREN)) {
            actuators.put("php", php(testbed, arm));
        }
        return actuators;
    }

    /** php-fpm reads its files' variables from its environment, so its test of a changed file needs that too. */
    private static Map<String, Object> php(Testbed testbed, AgentArm arm) {
        Path conf = testbed.home().resolve("docker/web/conf");
        String test = ". '" + testbed.text("files", "environment") + "' && exec \"$IC2_PHP_FPM\" -c '" + conf.resolve("php.ini")
                + "' -y '" + conf.resolve("php-fpm.conf") + "' \"$@\"";
        Map<String, Object> php = YamlValues.map("type", "php-fpm", "pool", testbed.text("files", "php_pool"),
                "pid-file", testbed.text("files", "php_pid"), "command", List.of("sh", "-c", test, "php-fpm"),
                "status-listen", testbed.text("files", "php_status_socket"), "status-path", "/php-status");
        rest(arm, php);
        return php;
    }

    private static void rest(AgentArm arm, Map<String, Object> actuator) {
        arm.rest().ifPresent(rest -> actuator.put("cool-down", time(rest)));
    }

    private static Map<String, Object> values(Setting setting, Function<Knob, Object> value) {
        Map<String, Object> values = new LinkedHashMap<>();
        setting.baseline().knobs().forEach(knob -> values.put(knob.key(), value.apply(knob)));
        return values;
    }

    private static String time(Duration time) {
        return time.toMillis() + "ms";
    }
}
