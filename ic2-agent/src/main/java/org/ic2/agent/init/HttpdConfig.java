// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.init;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What stands in httpd's files, in the order in which httpd reads them, without the sections that do not apply as far as that
 * can be told without being httpd ({@code IfModule}, {@code IfDefine}). Variables are filled in. Immutable.
 */
public final class HttpdConfig {

    /** Hands out the text of a file of the configuration. */
    interface Texts {
        String of(String path) throws IOException;
    }

    private static final Pattern VARIABLE = Pattern.compile("\\$\\{([^}:]+)}");
    /** As Debian's envvars has them: {@code export APACHE_LOG_DIR=/var/log/apache2$SUFFIX}. */
    private static final Pattern EXPORT =
            Pattern.compile("(?m)^\\s*export (\\w+)=['\"]?([^'\"\\s;]*?)(?:\\$\\{?SUFFIX}?)?['\"]?\\s*$");

    private final List<HttpdDirective> directives = new ArrayList<>();
    private final Map<String, String> variables = new HashMap<>();
    private final HttpdDump dump;

    private HttpdConfig(HttpdDump dump) {
        this.dump = dump;
    }

    /**
     * Reads the files that httpd has named.
     *
     * @param envvars what is exported before httpd starts, as lines of a shell; may be empty
     */
    static HttpdConfig read(HttpdDump dump, Texts texts, String envvars) throws IOException {
        HttpdConfig config = new HttpdConfig(dump);
        Matcher exported = EXPORT.matcher(envvars);
        while (exported.find()) {
            config.variables.put(exported.group(1), exported.group(2));
        }
        int next = 0;
        while (next < dump.files().size()) {
            next = config.file(next, texts);
        }
        return config;
    }

    /** Adds a file and those that it includes, each at its line; the number of the first file that is not among them. */
    private int file(int number, Texts texts) throws IOException {
        HttpdDump.Included file = dump.files().get(number);
        int next = number + 1;
        for (HttpdDirective directive : HttpdDirective.parse(file.path(), texts.of(file.path()))) {
            while (next < dump.files().size() && dump.files().get(next).depth() > file.depth()
                    && dump.files().get(next).line() <= directive.line()) {
                next = file(next, texts);
            }
            add(directive);
        }
        while (next < dump.files().size() && dump.files().get(next).depth() > file.depth()) {
            next = file(next, texts);
        }
        return next;
    }

    private void add(HttpdDirective directive) {
        if (!directive.sections().stream().allMatch(this::applies)) {
            return;
        }
        HttpdDirective filled = new HttpdDirective(directive.line(), directive.name(),
                directive.arguments().stream().map(this::filled).toList(), directive.sections());
        if (filled.name().equals("define")) {
            variables.put(filled.argument(), filled.arguments().size() < 2 ? "" : filled.arguments().get(1));
        }
        directives.add(filled);
    }

    private boolean applies(HttpdDirective.Section section) {
        boolean not = section.argument().startsWith("!");
        String what = not ? section.argument().substring(1) : section.argument();
        return switch (section.name()) {
            case "ifmodule" -> not != dump.has(what.replaceFirst("^mod_(\\w+)\\.c$", "$1").replaceFirst("_module$", ""));
            case "ifdefine" -> not != variables.containsKey(what);
            default -> true;
        };
    }

    private String filled(String word) {
        Matcher matcher = VARIABLE.matcher(word);
        return matcher.replaceAll(found ->
                Matcher.quoteReplacement(variables.getOrDefault(found.group(1), found.group())));
    }

    /** A variable of the environment or of a Define. */
    Optional<String> variable(String name) {
        return Optional.ofNullable(variables.get(name));
    }

    /** All directives of a name (in small letters). */
    Stream<HttpdDirective> all(String name) {
        return directives.stream().filter(directive -> directive.name().equals(name));
    }

    /** The one of the main server that counts, the last. */
    Optional<String> value(String name) {
        return all(name).filter(HttpdDirective::ofTheServer).map(HttpdDirective::argument).reduce((first, second) -> second);
    }

    /** The same where it is a plain number. */
    OptionalInt number(String name) {
        return value(name).filter(text -> text.matches("\\d{1,9}")).map(text -> OptionalInt.of(Integer.parseInt(text)))
                .orElse(OptionalInt.empty());
    }
}
