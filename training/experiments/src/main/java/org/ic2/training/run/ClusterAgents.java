// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.run;

import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;

/**
 * The agents of a cluster's servers. All runs begin alike: with agents that know what is normal, and nothing of the runs before. So
 * that is learned once, in a time of its own without interference, and each run's agents start from a copy of it.
 */
final class ClusterAgents {
    /** Samples that an agent needs, and some that may not be fit to learn from. */
    static final int LEARNING = 25;
    private static final String STATE = "state.json";

    private final Testbed testbed;
    private final ClusterRun run;
    private final AgentArm arm;
    private final Setting setting;

    ClusterAgents(Testbed testbed, ClusterRun run, AgentArm arm, Setting setting) {
        this.testbed = testbed;
        this.run = run;
        this.arm = arm;
        this.setting = setting;
    }

    /** Starts one at each server, its files in the folder's {@code webN/}. */
    void start(Path folder, Stage stage) throws IOException {
        List<Testbed> servers = testbed.servers();
        for (int i = 1; i <= servers.size(); i++) {
            Path own = folder.resolve("web" + i);
            Files.createDirectories(own);
            Path config = own.resolve("agent.yaml");
            Files.writeString(config, ClusterYaml.yaml(servers.get(i - 1), "web" + i, run, arm, setting, folder, own.resolve(ClusterRun.JOURNAL),
                    Path.of(testbed.text("files", "haproxy_socket"))));
            stage.need(ChildProcess.start("the agent of web" + i, testbed.agent(AgentArm.Place.OUTSIDE, List.of("run", "-c", config.toString(), "--record",
                    own.resolve(RunCompletion.RECORDING).toString())), own.resolve("agent.log")));
        }
    }

    /** True if each has recorded this number of samples. */
    boolean recorded(Path folder, int samples) throws IOException {
        for (int i = 1; i <= testbed.servers().size(); i++) {
            if (RunCompletion.recorded(folder.resolve("web" + i)) < samples) {
                return false;
            }
        }
        return true;
    }

    /** Removes the recordings of an earlier run. */
    void forgetRecordings(Path folder) throws IOException {
        for (int i = 1; i <= testbed.servers().size(); i++) {
            Files.deleteIfExists(folder.resolve("web" + i).resolve(RunCompletion.RECORDING));
        }
    }

    /** The servers whose agents do not know what is normal, by what lies in a folder in which they have run. */
    List<String> unlearned(Path folder, int enough) throws IOException {
        List<String> missing = new ArrayList<>();
        for (int i = 1; i <= testbed.servers().size(); i++) {
            Path state = folder.resolve("web" + i).resolve(STATE);
            int accepted = Files.exists(state) ? JsonMapper.builder().build().readTree(Files.readString(state)).path("learning")
                    .path("accepted").asInt() : 0;
            if (accepted < enough) {
                missing.add("web" + i + " (" + accepted + " of " + enough + " samples)");
            }
        }
        return missing;
    }

    /** Gives the agents of a run what others have learned. */
    void know(Path learned, Path folder) throws IOException {
        for (int i = 1; i <= testbed.servers().size(); i++) {
            Path own = folder.resolve("web" + i);
            Files.createDirectories(own);
            Files.copy(learned.resolve("web" + i).resolve(STATE), own.resolve(STATE), StandardCopyOption.REPLACE_EXISTING);
        }
    }
}
