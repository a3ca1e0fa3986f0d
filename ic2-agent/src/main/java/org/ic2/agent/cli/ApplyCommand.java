// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;
import java.util.concurrent.Callable;
import org.ic2.runtime.cli.AgentClient;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code ic2 apply}: values by hand. */
@Command(name = "apply", mixinStandardHelpOptions = true,
        description = {"Sets values by hand, within the bounds, verified and written to the journal.",
            "The agent is then in manual mode until \"ic2 resume\"."})
final class ApplyCommand implements Callable<Integer> {

    @Mixin
    private ConfigOption config;

    @Option(names = "--mxc", paramLabel = "N", description = "MaxRequestWorkers, threads.")
    private Integer mxc;

    @Option(names = "--kat", paramLabel = "T", description = "KeepAliveTimeout with its unit: 15s, 1500ms.")
    private String kat;

    @Option(names = "--php", paramLabel = "N", description = "pm.max_children, processes.")
    private Integer php;

    @Option(names = "--mitigation", paramLabel = "N", description = "Level of the ladder; 0: nothing.")
    private Integer mitigation;

    @Option(names = "--set", paramLabel = "KEY=VALUE",
            description = "Any knob by its key, as in the configuration file; may be given more than once.")
    private Map<String, String> others = Map.of();

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws Exception {
        if (mxc == null && kat == null && php == null && mitigation == null && others.isEmpty()) {
            throw new ParameterException(spec.commandLine(),
                    "Expected at least one of --mxc, --kat, --php, --mitigation, --set");
        }
        ObjectNode request = AgentClient.request("apply");
        put(request, "mxc", mxc);
        put(request, "kat", kat);
        put(request, "php", php);
        put(request, "mitigation", mitigation);
        others.forEach((key, value) -> put(request, key, value));
        return ByHand.send(config.load(), request, spec.commandLine());
    }

    private static void put(ObjectNode request, String name, Object value) {
        if (value != null) {
            request.put(name, value.toString());
        }
    }
}
