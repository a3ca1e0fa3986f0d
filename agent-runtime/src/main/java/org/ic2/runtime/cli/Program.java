// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.cli;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.Set;
import java.util.function.Supplier;
import org.ic2.runtime.daemon.LastingLog;
import org.ic2.runtime.yaml.ConfigException;
import picocli.CommandLine;

/** How a command of ours begins and ends. Exit status: 0 done, 1 it failed or was refused, 2 usage or bad configuration. */
public final class Program {

    /** It failed or was refused. */
    public static final int FAILED = 1;
    /** Usage or bad configuration. */
    public static final int USAGE = 2;

    private Program() {
    }

    /** The version of the jar that a command is in. */
    public abstract static class JarVersion implements CommandLine.IVersionProvider {
        private final Class<?> command;

        protected JarVersion(Class<?> command) {
            this.command = command;
        }

        @Override
        public String[] getVersion() {
            String version = command.getPackage().getImplementationVersion();
            return new String[] {command.getAnnotation(CommandLine.Command.class).name() + " "
                    + (version == null ? "development" : version)};
        }
    }

    /**
     * Has a command line say errors to people: in one line, without a stack trace, unless it is a fault of ours.
     *
     * @param unusable what is a mistake of the person, besides a bad configuration
     */
    public static CommandLine explaining(CommandLine line, Set<Class<? extends Exception>> unusable) {
        String name = line.getCommandName();
        return line.setExecutionExceptionHandler((error, failed, result) -> {
            boolean usage = error instanceof ConfigException || unusable.stream().anyMatch(kind -> kind.isInstance(error));
            if (!usage && !(error instanceof IOException) && !(error instanceof InterruptedException)) {
                throw error;
            }
            failed.getErr().println(name + ": " + DisplayText.clean(words(error)));
            return usage ? USAGE : FAILED;
        });
    }

    private static String words(Exception error) {
        return error instanceof InterruptedException ? "interrupted"
                : error instanceof NoSuchFileException none ? none.getFile() + ": no such file"
                : error.getMessage() == null ? error.toString() : error.getMessage();
    }

    /** Executes a command, and ends the process with its status. */
    public static void main(Supplier<CommandLine> line, String... arguments) {
        // before any logger is asked for: the logging system reads it once
        System.setProperty("java.util.logging.manager", LastingLog.class.getName());
        System.exit(line.get().execute(arguments));
    }
}
