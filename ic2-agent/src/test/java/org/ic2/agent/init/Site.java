// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.init;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.ic2.agent.application.Applications;
import org.ic2.agent.sensor.FakeHost;
import org.ic2.runtime.host.CommandResult;

/** A Debian server with Apache and WordPress below a directory; its commands do as the real ones do with the files there. */
final class Site {

    static final String DOCS = "/usr/share/doc/ic2/httpd-online/docs";
    static final String MODULE = "/usr/lib/apache2/modules/mod_standby.so";
    static final String APACHE = "/etc/apache2";

    final Path root;
    final List<List<String>> ran = new ArrayList<>();
    /** What a command answers in place of what it does. */
    Function<List<String>, CommandResult> instead = command -> null;
    final TargetSystem machine;

    Site(Path root) throws IOException {
        this.root = root;
        for (String directory : List.of("mods-available", "mods-enabled", "conf-available", "conf-enabled")) {
            Files.createDirectories(root.resolve("etc/apache2").resolve(directory));
        }
        for (String file : List.of("/usr/sbin/apache2ctl", "/usr/sbin/a2enmod", "/usr/sbin/a2enconf", "/usr/bin/sar")) {
            put(file, "");
            root.resolve(file.substring(1)).toFile().setExecutable(true);
        }
        put(MODULE, "");
        put(DOCS + "/status.conf", "");
        put("/usr/share/wordpress/index.php", "");
        put("/usr/share/wordpress/wp-login.php", "");
        for (String module : List.of("standby", "deflate", "filter", "headers", "status")) {
            put(APACHE + "/mods-available/" + module + ".load", "");
        }
        put(APACHE + "/envvars", "unset HOME\nexport APACHE_LOG_DIR=/var/log/apache2$SUFFIX\n");
        put(APACHE + "/apache2.conf", "Include mods-enabled/*.load\nKeepAliveTimeout 5\n");
        put(APACHE + "/mods/mpm_event.conf", "# event MPM\nThreadsPerChild\t\t25\nMaxRequestWorkers\t\t150\n");
        put(APACHE + "/sites/000-default.conf", "# the site\n<VirtualHost *:8099>\n\tDocumentRoot /usr/share/wordpress\n"
                + "\tCustomLog ${APACHE_LOG_DIR}/access.log combined\n</VirtualHost>\n");
        machine = new TargetSystem(root, new Commands());
    }

    static String recorded(String name) throws IOException {
        try (var in = Site.class.getResourceAsStream("/recorded/" + name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    void put(String path, String text) throws IOException {
        Path file = root.resolve(path.substring(1));
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    SiteFacts facts() throws Exception {
        return new Discovery(machine, Applications.shipped().all(), DOCS).look();
    }

    InitPlan plan() throws Exception {
        return plan(false);
    }

    InitPlan plan(boolean wall) throws Exception {
        SiteFacts facts = facts();
        return new Planner(facts, seen(facts), DOCS, wall).plan();
    }

    /** As after a look at applications of which some page is the same for everybody. */
    static List<TriedApplication> seen(SiteFacts facts) {
        return facts.applications().stream().map(found -> new TriedApplication(found, found.application().below(found.prefix()), false,
                List.of("2 of 3 addresses have a page that may be stored"), List.of())).toList();
    }

    /** All files with their texts and links with where they lead. */
    Map<String, String> tree() throws IOException {
        Map<String, String> tree = new TreeMap<>();
        try (Stream<Path> files = Files.walk(root)) {
            for (Path file : files.filter(each -> !Files.isDirectory(each)).toList()) {
                tree.put(root.relativize(file).toString(), Files.isSymbolicLink(file) ? "-> " + Files.readSymbolicLink(file)
                        : Files.readString(file));
            }
        }
        return tree;
    }

    List<String> commands() {
        return ran.stream().map(words -> String.join(" ", words.subList(2, words.size()))).toList();
    }

    private final class Commands extends FakeHost {
        @Override
        public String head(String path, int bytes) throws IOException {
            Path file = root.resolve(path.substring(1));
            return Files.exists(file) ? Files.readString(file) : super.head(path, bytes);
        }

        @Override
        public CommandResult run(List<String> words, Duration deadline) {
            ran.add(words);
            List<String> command = words.subList(2, words.size());
            CommandResult other = instead.apply(command);
            if (other != null) {
                return other;
            }
            try {
                return act(command);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        private CommandResult act(List<String> command) throws IOException {
            String last = command.get(command.size() - 1);
            switch (command.get(0).replaceFirst(".*/", "")) {
                case "a2enmod" -> link("mods", last + ".load");
                case "a2enconf" -> link("conf", last + ".conf");
                case "a2dismod" -> Files.delete(root.resolve("etc/apache2/mods-enabled").resolve(last + ".load"));
                case "a2disconf" -> Files.delete(root.resolve("etc/apache2/conf-enabled").resolve(last + ".conf"));
                case "rm" -> {
                    Files.deleteIfExists(root.resolve(last.substring(1)).resolve("made"));
                    Files.deleteIfExists(root.resolve(last.substring(1)));
                }
                default -> {
                    return new CommandResult(0, last.equals("-V") ? recorded("httpd-version.txt")
                            : last.startsWith("DUMP_") ? recorded("httpd-dump.txt") : "Syntax OK\n");
                }
            }
            return new CommandResult(0, "");
        }

        private void link(String kind, String name) throws IOException {
            Files.createSymbolicLink(root.resolve("etc/apache2/" + kind + "-enabled").resolve(name),
                    Path.of("../" + kind + "-available/" + name));
        }
    }

    /** What there is that a first init would not find. */
    static Set<String> without(Map<String, String> more, Map<String, String> less) {
        return more.keySet().stream().filter(path -> !less.containsKey(path)).collect(Collectors.toSet());
    }
}
