// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.actuator;

import java.net.URI;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.ic2.agent.sensor.PageKeys;
import org.ic2.agent.sensor.PhpFpmSensor;
import org.ic2.knowledge.Lever;
import org.ic2.knowledge.Terms;
import org.ic2.runtime.actuator.Actuator;
import org.ic2.runtime.actuator.ActuatorPlan;
import org.ic2.runtime.actuator.ActuatorProvider;
import org.ic2.runtime.actuator.ActuatorType;
import org.ic2.runtime.actuator.ExecActuator;
import org.ic2.runtime.host.Endpoint;
import org.ic2.runtime.host.Host;
import org.ic2.runtime.host.HttpGet;
import org.ic2.runtime.host.PageAccess;
import org.ic2.runtime.knob.Knob;
import org.ic2.runtime.plugin.Providers;
import org.ic2.runtime.sensor.Sensor;
import org.ic2.runtime.yaml.ConfigException;
import org.ic2.runtime.yaml.YamlMap;

/**
 * All types of actuators by the name that the configuration file gives them: ours, one line each, and those that a
 * {@link ActuatorProvider} on the class path brings.
 */
public final class ActuatorRegistry {

    private static final Duration GRACEFUL_COOL_DOWN = Duration.ofSeconds(60);
    private static final Duration RELOAD_COOL_DOWN = Duration.ofSeconds(120);

    /** Where Debian has the pools, and so the rest. */
    private static final Pattern DEBIAN_POOL = Pattern.compile("/etc/php/(\\d+\\.\\d+)/fpm/pool\\.d/");

    private final Map<String, ActuatorType> types = new TreeMap<>();

    public ActuatorRegistry() {
        types.put("httpd-online", ActuatorRegistry::httpdOnline);
        types.put("httpd-basic", ActuatorRegistry::httpdBasic);
        types.put("httpd-map", ActuatorRegistry::httpdMap);
        types.put("php-fpm", ActuatorRegistry::phpFpm);
        types.put("php-pools", ActuatorRegistry::phpPools);
        types.put("exec", ActuatorRegistry::exec);
        types.put("httpd-balancer", ActuatorRegistry::httpdBalancer);
        types.put("haproxy-agent", (settings, statusUrl) -> HaproxyAgentPlan.parse(settings));
        Providers.addTo(types, ActuatorProvider.class, ActuatorProvider::type);
    }

    /**
     * Reads the settings of one actuator.
     *
     * @param statusUrl the status page that the member's sensors use, taken when the actuator names none
     */
    public ActuatorPlan parse(YamlMap settings, Optional<String> statusUrl) throws ConfigException {
        String name = settings.text("type");
        ActuatorType type = types.get(name);
        if (type == null) {
            throw settings.error("type", "expected one of " + String.join(", ", types.keySet()) + ", got \"" + name
                    + "\"");
        }
        ActuatorPlan plan = type.parse(settings, statusUrl);
        settings.done();
        return plan;
    }

    private static ActuatorPlan httpdOnline(YamlMap settings, Optional<String> statusUrl) throws ConfigException {
        Function<Host, OnlineHttpd> httpd = onlineHttpd(settings, statusUrl);
        String variable = settings.parsed("mitigation-variable", ActuatorRegistry::variableName, "MITIGATION");
        boolean wall = wall(settings);
        return plan(HttpdOnlineActuator.levers(wall), onlineServers(settings, statusUrl),
                host -> new HttpdOnlineActuator(httpd.apply(host), variable, wall));
    }

    /** Whether the site has a wall, which the agent may raise. */
    private static boolean wall(YamlMap settings) throws ConfigException {
        return settings.oneOf("wall", "false", "false", "true").equals("true");
    }

    private static Function<Host, OnlineHttpd> onlineHttpd(YamlMap settings, Optional<String> statusUrl)
            throws ConfigException {
        Optional<Endpoint> helper = settings.optionalParsed("helper", Endpoint::parse);
        List<String> command = helper.isPresent() && !settings.has("apachectl") ? List.of("apachectl")
                : words(settings, "apachectl");
        String url = statusUrl(settings, statusUrl).orElseThrow(() -> settings.error("status-url",
                "missing: httpd's answer is verified through mod_status; give its ?auto URL, here or in a sensor"));
        return host -> new OnlineHttpd(host, command, helper, new HttpGet(host, url));
    }

    /** The httpd behind a status page, and behind a helper or command. */
    private static Set<String> onlineServers(YamlMap settings, Optional<String> statusUrl) throws ConfigException {
        Set<String> servers = new TreeSet<>();
        statusUrl(settings, statusUrl).ifPresent(url -> servers.add(httpdAt(url)));
        servers.add(settings.has("helper") ? "the httpd of " + settings.text("helper")
                : "the httpd of " + String.join(" ", words(settings, "apachectl")));
        return servers;
    }

    private static String httpdAt(String url) {
        URI uri = HttpGet.parse(url);
        String host = uri.getHost().equals("localhost") ? "127.0.0.1" : uri.getHost();
        return "the httpd at " + host + ":" + (uri.getPort() < 0 ? 80 : uri.getPort());
    }

    private static Optional<String> statusUrl(YamlMap settings, Optional<String> otherwise) throws ConfigException {
        Optional<String> own = settings.optionalText("status-url");
        if (own.isPresent()) {
            settings.parsed("status-url", HttpGet::parse);
            return own;
        }
        return otherwise;
    }

    private static ActuatorPlan httpdBasic(YamlMap settings, Optional<String> statusUrl) throws ConfigException {
        List<String> given = words(settings, "apachectl");
        List<String> command = given.size() > 1 ? given : List.of(given.get(0), "-k");
        String tunables = settings.text("tunables");
        Optional<String> url = statusUrl(settings, statusUrl);
        Duration coolDown = settings.duration("cool-down", GRACEFUL_COOL_DOWN);
        Set<String> servers = new TreeSet<>(Set.of("the httpd of " + tunables));
        url.ifPresent(text -> servers.add(httpdAt(text)));
        return plan(Set.of(Lever.MAX_REQUEST_WORKERS, Lever.KEEP_ALIVE_TIMEOUT), servers, host -> new HttpdBasicActuator(host,
                command, tunables, url.map(text -> new HttpGet(host, text)), coolDown));
    }

    private static ActuatorPlan httpdMap(YamlMap settings, Optional<String> statusUrl) throws ConfigException {
        String file = settings.parsed("file", ActuatorRegistry::absolutePath);
        String url = statusUrl(settings, statusUrl).orElseThrow(() -> settings.error("status-url",
                "missing: httpd tells its level as a header of the status page; give its ?auto URL, here or in a sensor"));
        Set<String> servers = new TreeSet<>(Set.of("the level in " + file, httpdAt(url)));
        boolean wall = wall(settings);
        return plan(HttpdMapActuator.levers(wall), servers, host -> new HttpdMapActuator(host, file, wall, new HttpGet(host, url)));
    }

    private static ActuatorPlan phpFpm(YamlMap settings, Optional<String> statusUrl) throws ConfigException {
        String pool = settings.text("pool");
        Matcher debian = DEBIAN_POOL.matcher(pool);
        boolean known = debian.lookingAt();
        String pidFile = known && !settings.has("pid-file") ? "/run/php/php" + debian.group(1) + "-fpm.pid"
                : settings.text("pid-file");
        List<String> command = known && !settings.has("command") ? List.of("/usr/sbin/php-fpm" + debian.group(1))
                : words(settings, "command");
        Optional<Endpoint> listen = settings.optionalParsed("status-listen", Endpoint::parse);
        String path = settings.parsed("status-path", Function.identity(), "/status");
        Duration coolDown = settings.duration("cool-down", RELOAD_COOL_DOWN);
        return plan(Set.of(Lever.PHP_MAX_CHILDREN), Set.of("the pool of " + pool), host -> new PhpFpmActuator(host, pool, pidFile, command,
                listen.<Sensor>map(endpoint -> new PhpFpmSensor(host, endpoint, path)), coolDown));
    }

    private static ActuatorPlan phpPools(YamlMap settings, Optional<String> statusUrl) throws ConfigException {
        Function<Host, OnlineHttpd> httpd = onlineHttpd(settings, statusUrl);
        String variable = settings.parsed("variable", ActuatorRegistry::variableName, "PHPPOOL");
        for (String size : settings.texts("sizes")) {
            if (!size.matches("[1-9]\\d{0,5}")) {
                throw settings.error("sizes", "expected numbers of children such as [50, 400], got \"" + size + "\"");
            }
        }
        List<Integer> sizes = settings.texts("sizes").stream().map(Integer::valueOf).sorted(Comparator.naturalOrder())
                .toList();
        if (sizes.size() < 2) {
            throw settings.error("sizes", "expected at least two pools to choose from, got " + sizes);
        }
        return new PhpPoolsPlan(settings, onlineServers(settings, statusUrl), httpd, variable, sizes);
    }

    private static ActuatorPlan httpdBalancer(YamlMap settings, Optional<String> statusUrl) throws ConfigException {
        URI url = settings.parsed("url", PageAccess::uri);
        PageAccess access = PageKeys.access(settings, url);
        if (access.isSeen(url)) {
            throw settings.error("user", "expected an https URL beside it: the password, with which the balancer can be changed, would go to " + url + " in the clear");
        }
        String balancer = settings.parsed("balancer", ActuatorRegistry::balancerName);
        String worker = settings.parsed("worker", ActuatorRegistry::worker);
        int whole = settings.integer("load-factor", HttpdBalancerActuator.MOST);
        if (whole < 1 || whole > HttpdBalancerActuator.MOST) {
            throw settings.error("load-factor", "expected 1 to " + HttpdBalancerActuator.MOST + ", the loadfactor of the worker's BalancerMember; got " + whole);
        }
        return new HttpdBalancerPlan(settings, url, access, balancer, worker, whole);
    }

    private static String worker(String text) {
        if (!text.matches("[a-z0-9]+://[^\\s<>&?#\"]+")) {
            throw new IllegalArgumentException("expected the URL of the server's BalancerMember such as http://10.0.0.11, got \"" + text + "\"");
        }
        return text;
    }

    private static String balancerName(String text) {
        if (!text.matches("[A-Za-z0-9._-]{1,64}")) {
            throw new IllegalArgumentException("expected the name behind balancer://, got \"" + text + "\"");
        }
        return text;
    }

    private static ActuatorPlan exec(YamlMap settings, Optional<String> statusUrl) throws ConfigException {
        Knob lever = settings.parsed("lever", text -> text.equals(Share.KNOB.key()) ? Share.KNOB : Terms.shipped().knob(text)
                .orElseThrow(() -> new IllegalArgumentException("expected one of " + String.join(", ", Terms.shipped().keys()) + ", "
                        + Share.KNOB.key() + ", got \"" + text + "\"")));
        List<String> set = words(settings, "set");
        List<String> get = words(settings, "get");
        Duration coolDown = settings.duration("cool-down", Duration.ZERO);
        if (set.stream().filter(word -> word.contains(ExecActuator.PLACEHOLDER)).count() != 1
                || set.get(0).contains(ExecActuator.PLACEHOLDER)) {
            throw settings.error("set", "expected a command with " + ExecActuator.PLACEHOLDER
                    + " in one of its arguments, got " + set);
        }
        return plan(Set.of(lever), Set.of("the server of " + String.join(" ", set)), host -> new ExecActuator(host, lever, set, get, coolDown));
    }

    /** A command as one word or as a list of words; never a line for a shell. */
    private static List<String> words(YamlMap settings, String key) throws ConfigException {
        List<String> words = settings.textOrTexts(key);
        if (words.isEmpty() || words.get(0).isBlank() || words.size() == 1 && words.get(0).contains(" ")) {
            throw settings.error(key, "expected a command's path, or its words as a list [path, argument], got "
                    + words);
        }
        return words;
    }

    private static String absolutePath(String text) {
        if (!text.matches("(?:/[^/\\p{Cntrl}]+)+")) {
            throw new IllegalArgumentException("expected a file's whole path, such as /var/lib/ic2/ladder/mitigation.map, got \""
                    + text + "\"");
        }
        return text;
    }

    private static String variableName(String text) {
        if (!text.matches("[A-Z][A-Z0-9_]{0,30}")) {
            throw new IllegalArgumentException("expected the name of an online variable, such as MITIGATION, got \""
                    + text + "\"");
        }
        return text;
    }

    private static ActuatorPlan plan(Set<Knob> levers, Set<String> servers, Function<Host, Actuator> open) {
        return new ActuatorPlan() {
            @Override
            public Set<Knob> levers() {
                return levers;
            }

            @Override
            public Set<String> servers() {
                return servers;
            }

            @Override
            public Actuator open(Host host) {
                return open.apply(host);
            }
        };
    }
}
