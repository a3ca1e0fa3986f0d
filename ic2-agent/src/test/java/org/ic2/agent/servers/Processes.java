// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.servers;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A server's master with its children, of whom none may outlive the test, also when the master was killed first. */
final class Processes {

    private final Process master;
    private final Set<ProcessHandle> seen = new LinkedHashSet<>();

    Processes(Process master) {
        this.master = master;
    }

    /** Waits until the server answers; one that does not is ended. */
    void awaitStart(String what, Waiting.Condition answers) throws Exception {
        boolean up = false;
        try {
            Waiting.until(what, answers);
            up = true;
        } finally {
            if (!up) {
                end();
            }
        }
    }

    boolean alive() {
        return master.isAlive();
    }

    /** Sends a signal to the master and all its children. */
    void signal(String name) throws IOException, InterruptedException {
        look();
        List<String> command = new ArrayList<>(List.of("kill", name, Long.toString(master.pid())));
        seen.stream().filter(ProcessHandle::isAlive).forEach(child -> command.add(Long.toString(child.pid())));
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD).start()
                .waitFor();
    }

    /** Kills the master alone, as {@code kill -9} of an administrator does; its children stay. */
    void killMaster() throws IOException, InterruptedException {
        // Stopped, it can start no child that we have not seen.
        new ProcessBuilder("kill", "-STOP", Long.toString(master.pid())).start().waitFor();
        look();
        master.destroyForcibly().waitFor();
    }

    private void look() {
        master.descendants().forEach(seen::add);
    }

    /** Kills them all and waits until they are gone. */
    void end() throws IOException {
        try {
            if (master.isAlive()) {
                killMaster();
            }
            seen.forEach(ProcessHandle::destroyForcibly);
            for (ProcessHandle child : seen) {
                child.onExit().get(20, TimeUnit.SECONDS);
            }
        } catch (InterruptedException | ExecutionException | TimeoutException e) {
            throw new IOException("left running: " + seen.stream().filter(ProcessHandle::isAlive).toList(), e);
        }
    }
}
