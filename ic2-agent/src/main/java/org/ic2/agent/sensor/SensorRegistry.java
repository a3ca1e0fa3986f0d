// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.sensor;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Stream;
import org.ic2.runtime.host.Endpoint;
import org.ic2.runtime.host.HttpGet;
import org.ic2.runtime.plugin.Providers;
import org.ic2.runtime.sensor.CgroupFiles;
import org.ic2.runtime.sensor.LoadAverageSensor;
import org.ic2.runtime.sensor.Sensor;
import org.ic2.runtime.sensor.SensorPlan;
import org.ic2.runtime.sensor.SensorProvider;
import org.ic2.runtime.sensor.SensorType;
import org.ic2.runtime.yaml.ConfigException;
import org.ic2.runtime.yaml.YamlMap;

/**
 * All types of sensors by the name that the configuration file gives them: ours, one line each, and those that a
 * {@link SensorProvider} on the class path brings.
 */
public final class SensorRegistry {

    private static final String CGROUPS = CgroupFiles.ROOT;
    private static final String DEFAULT_LOG_FORMAT = "%h %l %u %t \"%r\" %>s %b \"%{Referer}i\" \"%{User-Agent}i\" %D";

    private static final String ALL_REQUESTS = "all that the server answers";

    private final Map<String, SensorType> types = new TreeMap<>();

    public SensorRegistry() {
        types.put("faban-log", SensorRegistry::fabanLog);
        types.put("mod-status", SensorRegistry::modStatus);
        types.put("accept-queue", SensorRegistry::acceptQueue);
        types.put("access-log", SensorRegistry::accessLog);
        types.put("sysstat", settings -> context -> new SysstatSensor(context.host(), context.interval()));
        types.put("cgroup", SensorRegistry::cgroup);
        types.put("other-groups", SensorRegistry::otherGroups);
        types.put("network", SensorRegistry::network);
        types.put("psi", settings -> context ->
                new PressureSensor(context.host(), "/proc/pressure", context.nanoClock()));
        types.put("run-delay", SensorRegistry::runDelay);
        types.put("php-fpm", SensorRegistry::phpFpm);
        types.put("perf", SensorRegistry::perf);
        types.put("ocount", SensorRegistry::ocount);
        types.put("memory-latency", SensorRegistry::memoryLatency);
        types.put("haproxy", settings -> new HaproxyPlan(HaproxySource.parse(settings)));
        types.put("host-notice", SensorRegistry::hostNotice);
        types.put("load-average", settings -> context -> new LoadAverageSensor(context.host()));
        Providers.addTo(types, SensorProvider.class, SensorProvider::type);
    }

    /** Reads the settings of one sensor, without the key {@code type}'s siblings that are common to all. */
    public SensorPlan parse(YamlMap settings) throws ConfigException {
        String name = settings.text("type");
        SensorType type = types.get(name);
        if (type == null) {
            throw settings.error("type", "expected one of " + String.join(", ", types.keySet()) + ", got \"" + name
                    + "\"");
        }
        SensorPlan plan = type.parse(settings);
        settings.done();
        return plan;
    }

    private static SensorPlan fabanLog(YamlMap settings) throws ConfigException {
        String file = settings.text("file");
        double unit = settings.oneOf("unit", "s", "s", "ms").equals("s") ? 1 : 0.001;
        Optional<String> driver = settings.optionalText("driver");
        return SensorPlan.ofRequests("the users of " + driver.map(name -> name + " in ").orElse("") + file,
                context -> new FabanSensor(context.host().tail(file), file, unit, driver));
    }

    private static SensorPlan modStatus(YamlMap settings) throws ConfigException {
        String url = settings.text("url");
        settings.parsed("url", HttpGet::parse);
        String variable = settings.parsed("mitigation-variable", Function.identity(), "MITIGATION");
        return SensorPlan.ofRequests(ALL_REQUESTS,
                context -> new ModStatusSensor(new HttpGet(context.host(), url), variable, context.nanoClock()));
    }

    private static SensorPlan acceptQueue(YamlMap settings) throws ConfigException {
        int port = settings.integer("port");
        if (port < 1 || port > 65535) {
            throw settings.error("port", "expected a port from 1 to 65535, got " + port);
        }
        Optional<String> pidFile = settings.optionalText("pid-file");
        return context -> new AcceptQueueSensor(context.host(), pidFile, port);
    }

    private static SensorPlan accessLog(YamlMap settings) throws ConfigException {
        String file = settings.text("file");
        LogFormat format = settings.has("format") ? settings.parsed("format", LogFormat::parse)
                : LogFormat.parse(DEFAULT_LOG_FORMAT);
        RequestFilter filter = new RequestFilter(patterns(settings, "include"), patterns(settings, "exclude"));
        if (!filter.isEverything() && !format.hasPath()) {
            throw settings.error("format", "expected a LogFormat with %r or %U, since include and exclude go by the path");
        }
        return SensorPlan.ofRequests(filter.isEverything() ? ALL_REQUESTS : "of " + filter.include() + " without "
                + filter.exclude(), context -> new AccessLogSensor(context.host(), file, format, filter, context.nanoClock()));
    }

    private static List<String> patterns(YamlMap settings, String key) throws ConfigException {
        List<String> patterns = settings.has(key) ? settings.texts(key) : List.of();
        try {
            return new RequestFilter(patterns, List.of()).include();
        } catch (IllegalArgumentException e) {
            throw settings.error(key, e.getMessage());
        }
    }

    private static SensorPlan cgroup(YamlMap settings) throws ConfigException {
        String path = settings.text("path");
        Optional<Double> cpus = settings.has("cpus") ? Optional.of(settings.number("cpus")) : Optional.empty();
        if (cpus.isPresent() && cpus.get() <= 0) {
            throw settings.error("cpus", "expected more than 0, got " + cpus.get());
        }
        return context -> new CgroupSensor(context.host(), CGROUPS, path, cpus, context.nanoClock());
    }

    private static SensorPlan network(YamlMap settings) throws ConfigException {
        Optional<String> pidFile = settings.optionalText("pid-file");
        return context -> new NetworkSensor(context.host(), pidFile, context.nanoClock());
    }

    private static SensorPlan otherGroups(YamlMap settings) throws ConfigException {
        String slice = settings.parsed("slice", name -> {
            if (!name.matches("[A-Za-z0-9_.:@\\\\-]{1,200}(/[A-Za-z0-9_.:@\\\\-]{1,200}){0,5}") || name.contains("..")) {
                throw new IllegalArgumentException("expected a group that has others in it, such as system.slice, got \"" + name + "\"");
            }
            return name;
        }, "system.slice");
        List<String> tier = settings.texts("tier");
        if (tier.isEmpty()) {
            throw settings.error("tier", "expected the groups that are the tier's own, such as [apache2.service, php-fpm.service], got none");
        }
        return context -> new OtherGroupsSensor(context.host(), CGROUPS, slice, tier, context.nanoClock());
    }

    private static SensorPlan runDelay(YamlMap settings) throws ConfigException {
        Optional<String> pidFile = settings.optionalText("pid-file");
        return context -> new RunDelaySensor(context.host(), pidFile, context.nanoClock());
    }

    private static SensorPlan phpFpm(YamlMap settings) throws ConfigException {
        Endpoint endpoint = settings.parsed("status-listen", Endpoint::parse);
        String path = settings.parsed("status-path", SensorRegistry::absolutePath, "/status");
        return context -> new PhpFpmSensor(context.host(), endpoint, path);
    }

    private static SensorPlan perf(YamlMap settings) throws ConfigException {
        YamlMap target = settings.map("target");
        List<String> events = settings.has("events") ? settings.texts("events")
                : List.of("cycles", "instructions", "cache-references", "cache-misses");
        boolean named = settings.has("command");
        if (target.has("cgroup")) {
            return groupCounters(target, named ? settings.texts("command") : List.of("ic2-counters"), events);
        }
        if (named) {
            throw settings.error("command", "expected it with target: {cgroup: NAME} only; a process is counted by perf");
        }
        CounterTarget process = process(target);
        return context -> new CounterSensor(context.host(), process, pid -> List.of("perf", "stat", "-x", ",", "-I",
                Long.toString(context.interval().toMillis()), "-e", String.join(",", events), "-p", pid),
                context.nanoClock());
    }

    /** By a program of ours: cheaper than perf, and it notices when the group is another one. */
    private static SensorPlan groupCounters(YamlMap target, List<String> command, List<String> events) throws ConfigException {
        CounterTarget group = new CounterTarget.Group(CGROUPS, target.text("cgroup"));
        target.done();
        return context -> new CounterSensor(context.host(), group, directory -> words(command,
                words(List.of(directory, Long.toString(context.interval().toMillis())), events)), context.nanoClock());
    }

    private static List<String> words(List<String> command, List<String> arguments) {
        return Stream.concat(command.stream(), arguments.stream()).toList();
    }

    private static SensorPlan ocount(YamlMap settings) throws ConfigException {
        CounterTarget target = process(settings.map("target"));
        List<String> events = settings.has("events") ? settings.texts("events")
                : List.of("CPU_CLK_UNHALTED", "INST_RETIRED", "LLC_REFS", "LLC_MISSES");
        return context -> new CounterSensor(context.host(), target, pid -> List.of("ocount", "--brief-format",
                "--time-interval", Long.toString(Math.max(1, context.interval().toSeconds())), "--events",
                String.join(",", events), "--process-list", pid), context.nanoClock());
    }

    private static CounterTarget process(YamlMap target) throws ConfigException {
        CounterTarget result;
        if (target.has("pid")) {
            int pid = target.integer("pid");
            if (pid < 1) {
                throw target.error("pid", "expected a process id, got " + pid);
            }
            result = new CounterTarget.Pid(pid);
        } else {
            result = new CounterTarget.PidFile(target.text("pid-file"));
        }
        target.done();
        return result;
    }

    private static SensorPlan hostNotice(YamlMap settings) throws ConfigException {
        Optional<String> file = settings.optionalText("file");
        Optional<String> xenstore = settings.optionalParsed("xenstore", SensorRegistry::xenstorePath);
        Duration period = settings.duration("period", Duration.ofSeconds(3));
        if (file.isPresent() == xenstore.isPresent()) {
            throw settings.error("file", file.isPresent() ? "expected no xenstore beside it" : "missing, and no xenstore: data/ic2/notice in its place");
        }
        return context -> new HostNoticeSensor(context.host(), new HostNoticeSensor.Source(file, xenstore), period, context.nanoClock());
    }

    /** Of the guest itself: relative. */
    public static String xenstorePath(String text) {
        if (!text.matches("[A-Za-z0-9][A-Za-z0-9/_-]{0,100}")) {
            throw new IllegalArgumentException("expected a path below the guest's own, such as data/ic2/notice, got \"" + text + "\"");
        }
        return text;
    }

    private static SensorPlan memoryLatency(YamlMap settings) throws ConfigException {
        List<String> command = settings.has("command") ? settings.texts("command") : List.of("ic2-memlat");
        int size = within(settings, "size-kib", 4096, 64, 1_048_576);
        int duty = within(settings, "duty-per-mille", 1, 1, 100);
        Optional<String> group = settings.optionalText("cgroup");
        return context -> {
            List<String> probe = words(command, List.of(Integer.toString(size), Long.toString(context.interval().toMillis()),
                    Integer.toString(duty)));
            return new MemoryLatencySensor(context.host(), group.map(name -> InsideGroup.command(CGROUPS,
                    new CgroupFiles(context.host(), CGROUPS, name).group(), probe)).orElse(probe), context.nanoClock());
        };
    }

    private static int within(YamlMap settings, String key, int otherwise, int least, int most) throws ConfigException {
        int value = settings.integer(key, otherwise);
        if (value < least || value > most) {
            throw settings.error(key, "expected " + least + " to " + most + ", got " + value);
        }
        return value;
    }

    private static String absolutePath(String text) {
        if (!text.startsWith("/") || text.length() > 100) {
            throw new IllegalArgumentException("expected a path that begins with /, got \"" + text + "\"");
        }
        return text;
    }
}
