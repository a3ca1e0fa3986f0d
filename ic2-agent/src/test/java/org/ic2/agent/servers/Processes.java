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
import org.ic2.runtime.testing.Waiting;

/** A server's master with its children, of whom none may outlive the test, also when the master was killed first. */
public final class Processes {

    private final Process master;
    private final Set<ProcessHandle> seen = new LinkedHashSet<>();

    public Processes(Process master) {
        this.master = master;
    }

    /** Waits until the server answers; one that does not is ended. */
    public void awaitStart(String what, Waiting.Condition answers) throws Exception {
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

    public boolean alive() {
        return master.isAlive();
    }

    /** Sends a signal to the master and all its children. */
    public void signal(String name) throws IOException, InterruptedException {
        kill(name, List.of(master.toHandle())); // first: stopped, it can start no child that we have not seen
        look();
        kill(name, seen.stream().filter(ProcessHandle::isAlive).toList());
    }

    private static void kill(String name, List<ProcessHandle> whom) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("kill", name));
        whom.forEach(process -> command.add(Long.toString(process.pid())));
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD).start()
                .waitFor();
    }

    /** Kills the master alone, as {@code kill -9} of an administrator does; its children stay. */
    public void killMaster() throws IOException, InterruptedException {
        kill("-STOP", List.of(master.toHandle()));
        look();
        master.destroyForcibly().waitFor();
    }

    private void look() {
        master.descendants().forEach(seen::add);
    }

    /** Kills them all and waits until they are gone. */
    public void end() throws IOException {
        try {
            if (master.isAlive()) {
                killMaster();
            }
            seen.forEach(ProcessHandle::destroyForcibly);
            for (ProcessHandle child : seen) {
                child.onExit().get(120, TimeUnit.SECONDS);
            }
        } catch (InterruptedException | ExecutionException | TimeoutException e) {
            throw new IOException("left running: " + seen.stream().filter(ProcessHandle::isAlive).toList(), e);
        }
    }
}
