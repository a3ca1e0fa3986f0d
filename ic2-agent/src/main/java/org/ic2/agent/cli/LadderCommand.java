// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.cli;

import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.ic2.agent.application.Applications;
import org.ic2.agent.application.HeaderNames;
import org.ic2.agent.application.LadderLines;
import org.ic2.agent.application.WebApplication;
import org.ic2.runtime.yaml.ConfigException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code ic2 ladder}: httpd's lines for an application. */
@Command(name = "ladder", mixinStandardHelpOptions = true,
        description = {"Prints the lines of httpd's configuration that put the ladder before a web application, or, without one, the"
            + " applications that it knows.",
            "Changes nothing: put the lines into a file that the main server includes."})
final class LadderCommand implements Callable<Integer> {

    static final String OWN = "/etc/ic2/applications.yaml";
    static final String DOCS = "/usr/share/doc/ic2/httpd-online/docs";
    private static final String MAP = "/var/lib/ic2/ladder/mitigation.map";

    @Parameters(index = "0", arity = "0..1", paramLabel = "APPLICATION", description = "Such as wordpress.")
    private String id;

    @Option(names = "--root", paramLabel = "DIR", description = "Where the application lies; each has a usual place.")
    private Path root;

    @Option(names = "--stock", description = "For an httpd without a patch: the mitigation level comes from a file.")
    private boolean stock;

    @Option(names = "--map", paramLabel = "FILE", defaultValue = MAP, description = {"That file; default", "${DEFAULT-VALUE}."})
    private Path map;

    @Option(names = "--docs", paramLabel = "DIR", defaultValue = DOCS,
            description = "Where status.conf lies; default ${DEFAULT-VALUE}.")
    private Path docs;

    @Option(names = "--wall", description = "With the wall against crawlers, which is up while its flag is set.")
    private boolean wall;

    @Option(names = "--applications", paramLabel = "FILE",
            description = {"Further applications, which come before those of the same name; default", OWN + ", if it is there."})
    private Path own;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws ConfigException {
        Applications applications = applications();
        PrintWriter out = spec.commandLine().getOut();
        if (id == null) {
            for (WebApplication each : applications.all()) {
                out.printf("%-12s %s%s%n", each.id(), each.name(), each.cacheable() ? "" : " (no page can be stored)");
            }
            out.flush();
            return 0;
        }
        WebApplication application = applications.find(id).orElseThrow(() -> new ParameterException(spec.commandLine(),
                "expected one of " + applications.all().stream().map(WebApplication::id).collect(Collectors.joining(", "))
                + ", got \"" + id + "\"; one of your own goes into " + OWN));
        String place = plain("--root", root == null ? Path.of(application.root()) : root.toAbsolutePath().normalize());
        LadderLines lines = new LadderLines(stock ? Optional.of(plain("--map", map.toAbsolutePath().normalize())) : Optional.empty(),
                HeaderNames.NONE, wall);
        lines.of(new LadderLines.Placed(application, place), plain("--docs", docs.toAbsolutePath().normalize())).forEach(out::println);
        out.flush();
        if (!Files.exists(Path.of(place, application.frontController()))) {
            spec.commandLine().getErr().println("ic2: there is no " + Path.of(place, application.frontController())
                    + " here, and httpd will not start without it; say --root DIR");
        }
        return 0;
    }

    private Applications applications() throws ConfigException {
        return own == null ? known() : Applications.shipped().with(own);
    }

    /** Ours, and those of the administrator's file if there is one. */
    static Applications known() throws ConfigException {
        Applications shipped = Applications.shipped();
        return Files.exists(Path.of(OWN)) ? shipped.with(Path.of(OWN)) : shipped;
    }

    /** Nothing in it means anything to httpd, in a section's name neither. */
    private String plain(String option, Path path) {
        String text = path.toString();
        if (!text.matches("[^\"$%\\\\*?\\[\\]\\p{Cntrl}]+")) {
            throw new ParameterException(spec.commandLine(), option + ": expected a path without \" $ % * ? [ ] and \\, got " + text);
        }
        return text;
    }
}
