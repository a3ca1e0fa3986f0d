// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.config;

import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.ic2.host.control.MigrationPlanner;
import org.ic2.runtime.host.BoundedText;
import org.ic2.runtime.host.HttpGet;
import org.ic2.runtime.yaml.ConfigException;
import org.ic2.runtime.yaml.YamlMap;

/**
 * The hosts among which guests may move, and where the status of each one's {@code ic2-host} is.
 *
 * @param source the file
 * @param stale  a host whose figures are older is neither left nor sought
 * @param own    the name of the one on which this file lies; none where it is none of them
 * @param others all others, in the file's order
 */
public record FleetFile(Path source, Duration stale, Optional<String> own, List<Member> others) {
    private static final int MOST_HOSTS = 200;

    public FleetFile {
        others = List.copyOf(others);
    }

    /**
     * Another host. Either a file or a page has its status.
     *
     * @param name its name in the fleet
     * @param file into which the provider's own tools bring it
     * @param url  on loopback, where it is asked for
     */
    public record Member(String name, Optional<Path> file, Optional<String> url) {
        /** Where its figures are, for people. */
        public String where() {
            return file.map(Path::toString).or(() -> url).orElseThrow();
        }
    }

    /** Reads a file, strictly. */
    public static FleetFile load(Path file) throws ConfigException {
        try {
            return parse(file, BoundedText.file(file, BoundedText.SETTINGS_BYTES, StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new ConfigException("cannot read the fleet: " + e.getMessage(), e);
        }
    }

    /** Reads its text; relative paths in it are relative to it. */
    public static FleetFile parse(Path file, String text) throws ConfigException {
        YamlMap root = YamlMap.parse(file.toString(), text);
        Duration stale = root.duration("stale", MigrationPlanner.PERIOD.multipliedBy(3));
        if (stale.compareTo(MigrationPlanner.PERIOD) < 0) {
            throw root.error("stale", "expected at least 30s, which is the time between two looks");
        }
        Optional<String> own = root.optionalText("this");
        YamlMap map = root.map("hosts");
        root.done();
        if (own.isPresent() && !map.names().contains(own.get())) {
            throw root.error("this", "expected one of hosts, " + String.join(", ", map.names()) + ", got \"" + own.get() + "\"");
        }
        List<Member> others = new ArrayList<>();
        for (String name : map.names()) {
            YamlMap one = map.map(name);
            if (name.isBlank() || name.startsWith("-") || name.chars().anyMatch(Character::isISOControl)) {
                throw map.error(name, "expected a name that can be a word of a command, not an option");
            }
            if (own.equals(Optional.of(name))) {
                one.only(List.of());    // it measures itself
            } else {
                others.add(member(file, map, one, name));
            }
        }
        if (others.isEmpty() || others.size() > MOST_HOSTS) {
            throw root.error("hosts", "expected 1 to " + MOST_HOSTS + " other hosts, got " + others.size());
        }
        return new FleetFile(file, stale, own, others);
    }

    private static Member member(Path file, YamlMap map, YamlMap one, String name) throws ConfigException {
        Optional<String> url = one.optionalParsed("url", FleetFile::url);
        Optional<Path> path = one.<Path>optionalParsed("file", Path::of).map(file.toAbsolutePath().getParent()::resolve);
        one.done();
        if (url.isPresent() == path.isPresent()) {
            throw map.error(name, "expected file or url, one of them: where the status of its ic2-host is; or \"this: " + name
                    + "\" above if it is this host");
        }
        return new Member(name, path, url);
    }

    /** What leads to other machines is a tunnel's to secure. */
    private static String url(String text) {
        URI uri = HttpGet.parse(text);
        String host = uri.getHost().replaceAll("^\\[|]$", "");
        try {
            if (host.matches("[0-9.]+|[0-9a-f:]+|localhost") && InetAddress.getByName(host).isLoopbackAddress()) {
                return text;
            }
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException("expected an address such as 127.0.0.1, got \"" + host + "\"", e);
        }
        throw new IllegalArgumentException("expected a page on a loopback address, such as the end of a tunnel,"
                + " http://127.0.0.1:9466/status, got \"" + text + "\"");
    }
}
