// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/**
 * Writes the manual pages {@code ic2(1)}, {@code ic2-run(1)} and so on, and the completion for bash, from the commands
 * themselves, and {@code ic2.yaml(5)} from docs/configuration.md, at build time.
 *
 * <p>Picocli's own generator (picocli-codegen) writes AsciiDoc. A manual page then takes Asciidoctor, and so Ruby, in
 * each build; the subcommand {@code completion}, the files and what to see also would be missing.
 */
final class ManualPages {

    private ManualPages() {
    }

    public static void main(String[] arguments) throws IOException {
        Path directory = Path.of(arguments[0]);
        Files.createDirectories(directory);
        CommandLine root = Ic2.commandLine();
        Path completion = Path.of(arguments[1]);
        Files.createDirectories(completion.getParent());
        // bash reads it and does not run it
        Files.writeString(completion, AutoComplete.bash(root.getCommandName(), root).replaceFirst("^#!.*\n", ""));
        Path reference = Path.of(arguments[2]);
        Files.writeString(directory.resolve("ic2.yaml.5"), configuration(reference.toString(), Files.readString(reference)));
        write(directory, root);
        for (CommandLine sub : root.getSubcommands().values()) {
            if (!sub.getCommandName().equals("help")) {
                write(directory, sub);
            }
        }
    }

    private static void write(Path directory, CommandLine command) throws IOException {
        String name = command.getCommandSpec().qualifiedName("-");
        Files.writeString(directory.resolve(name + ".1"), page(name, command));
    }

    /** The page of the configuration, as roff. */
    static String configuration(String source, String reference) {
        return ".\\\" SPDX-License-Identifier: Apache-2.0\n.TH \"IC2.YAML\" \"5\" \"\" \"IC2\" \"IC2 manual\"\n.nh\n.ad l\n"
                + ".SH NAME\nic2.yaml \\- configuration of the agent that mitigates noisy neighbours\n"
                + ".SH SYNOPSIS\n" + escape(ConfigOption.DEFAULT) + "\n.SH DESCRIPTION\n"
                // the title is the page's own
                + ManualText.of(source, reference.replaceFirst("(?m)^# .*$", ""))
                + ".SH SEE ALSO\n.BR ic2 (1),\n.BR ic2\\-check (1),\n.BR ic2\\-init (1)\n.PP\n"
                + "The pages named above lie in /usr/share/doc/ic2/docs.\n";
    }

    /** The page of one command, as roff. */
    static String page(String name, CommandLine command) {
        CommandSpec spec = command.getCommandSpec();
        StringBuilder page = new StringBuilder(".\\\" SPDX-License-Identifier: Apache-2.0\n.TH \"")
                .append(escape(name.toUpperCase(java.util.Locale.ROOT))).append("\" \"1\" \"\" \"IC2\" \"IC2 manual\"\n.nh\n");
        String[] description = spec.usageMessage().description();
        page.append(".SH NAME\n").append(escape(name)).append(" \\- ")
                .append(escape(summary(spec))).append('\n');
        page.append(".SH SYNOPSIS\n").append(escape(command.getHelp().synopsis(0).strip())).append('\n');
        page.append(".SH DESCRIPTION\n");
        for (String paragraph : description) {
            page.append(paragraph.isBlank() ? "" : escape(paragraph.strip()) + "\n.PP\n");
        }
        arguments(page, spec);
        subcommands(page, command);
        page.append(".SH EXIT STATUS\n0 done; 1 it failed or was refused; 2 usage or bad configuration.\n");
        page.append(".SH FILES\n.TP\n").append(escape(ConfigOption.DEFAULT)).append("\nthe configuration\n");
        page.append(".SH SEE ALSO\n").append(name.equals("ic2") ? ".BR ic2.yaml (5),\n.BR apachectl (8),\n.BR systemd (1)"
                : ".BR ic2 (1),\n.BR ic2.yaml (5)").append('\n');
        return page.toString();
    }

    /** As the list of verbs has it. */
    private static String summary(CommandSpec spec) {
        String[] header = spec.usageMessage().header();
        return firstSentence(header.length > 0 ? header : spec.usageMessage().description());
    }

    private static String firstSentence(String[] description) {
        String first = description.length == 0 ? "" : description[0];
        int end = first.indexOf('.');
        return end < 0 ? first : first.substring(0, end);
    }

    private static void arguments(StringBuilder page, CommandSpec spec) {
        List<ArgSpec> arguments = new ArrayList<>(spec.positionalParameters());
        arguments.addAll(spec.options());
        if (arguments.isEmpty()) {
            return;
        }
        page.append(".SH OPTIONS\n");
        for (ArgSpec argument : arguments) {
            if (argument.hidden()) {
                continue;
            }
            String names = argument instanceof OptionSpec option ? String.join(", ", option.names())
                    : ((PositionalParamSpec) argument).paramLabel();
            String label = argument instanceof OptionSpec option && option.arity().max() > 0
                    ? " " + argument.paramLabel() : "";
            page.append(".TP\n\\fB").append(escape(names)).append("\\fR").append(escape(label)).append('\n');
            for (String text : argument.description()) {
                page.append(escape(text.replace("${DEFAULT-VALUE}", String.valueOf(argument.defaultValue()))))
                        .append('\n');
            }
        }
    }

    private static void subcommands(StringBuilder page, CommandLine command) {
        if (command.getSubcommands().isEmpty()) {
            return;
        }
        page.append(".SH COMMANDS\n");
        command.getSubcommands().forEach((name, sub) -> page.append(".TP\n\\fB").append(escape(name)).append("\\fR\n")
                .append(escape(summary(sub.getCommandSpec()))).append('\n'));
    }

    private static String escape(String text) {
        return ManualText.escape(text);
    }
}
