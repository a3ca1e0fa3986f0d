// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.init;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.ic2.runtime.host.BoundedText;
import org.ic2.runtime.host.CommandResult;

/** Takes back what an init did, as far as it came; what fails holds up nothing else. */
public final class InitUndo {

    private static final String AGENT = "ic2.service";
    /** Where commands of the agent's user have their locks when the service does not run. */
    private static final String LOCKS = "/tmp/ic2-locks-ic2";
    private static final int STORE_TRIES = 40;
    private static final long STORE_PAUSE_MILLIS = 250;

    private final TargetSystem machine;
    private final Consumer<String> out;
    private final List<String> problems = new ArrayList<>();

    /** @param out gets a line for each step */
    public InitUndo(TargetSystem machine, Consumer<String> out) {
        this.machine = machine;
        this.out = out;
    }

    /** Whether what there is to take back came to its end; empty if nothing was set up. */
    public static Optional<Boolean> isComplete(TargetSystem machine) throws IOException {
        return record(machine).map(InitRecord::complete);
    }

    private static Optional<InitRecord> record(TargetSystem machine) throws IOException {
        if (!machine.has(InitRecord.PATH)) {
            return Optional.empty();
        }
        if (!machine.ours(InitRecord.PATH)) {
            throw new IOException(InitRecord.PATH + " does not belong to who runs this, so nobody knows who wrote it: it is left alone");
        }
        return Optional.of(InitRecord.parse(machine.read(InitRecord.PATH)));
    }

    /**
     * Takes back what the record says.
     *
     * @throws IOException in one line, when something could not be
     */
    public void undo() throws IOException, InterruptedException {
        Optional<InitRecord> record = record(machine);
        if (record.isEmpty()) {
            throw new IOException("there is nothing to remove: ic2 init has set nothing up here");
        }
        if (machine.has("/run/systemd/system") && machine.run(List.of("systemctl", "is-active", "--quiet", AGENT)).succeeded()) {
            throw new IOException("the agent runs, and nothing was removed; first: systemctl disable --now " + AGENT);
        }
        List<String> left = undo(record.get(), true);
        if (!left.isEmpty()) {
            throw new IOException("not all of it could be taken back: " + String.join("; ", left));
        }
    }

    /**
     * The same.
     *
     * @param read httpd may have read what was written, and is to read its configuration again
     * @return what could not be taken back
     */
    List<String> undo(InitRecord record, boolean read) throws InterruptedException {
        disable(record);
        record.files().forEach(this::away);
        String wrong = test(record);
        if (!wrong.isEmpty()) {
            problems.add("httpd's configuration is not valid and was not reloaded: " + wrong);
        } else if (read && machine.process(record.pidFile()).isPresent()) {
            attempt(record.apachectl(), "-k", "graceful");
        }
        record.units().forEach(unit -> attempt("systemctl", "disable", "--now", unit));
        if (!record.store().isEmpty()) {
            empty(record.store());
        }
        if (machine.has(LOCKS)) {
            attempt("rm", "-rf", LOCKS);
        }
        if (!record.log().isEmpty()) {
            attempt("rm", "-f", record.log());
        }
        if (problems.isEmpty()) {
            forget();
        }
        return problems;
    }

    /** httpd's children of before the reload answer their last requests, and may put pages into the store while it is removed. */
    private void empty(String store) throws InterruptedException {
        List<String> command = List.of("rm", "-rf", store);
        out.accept(String.join(" ", command));
        for (int left = STORE_TRIES; left > 0; left--) {
            try {
                machine.succeed(command);
                return;
            } catch (IOException e) {
                if (left == 1) {
                    problems.add(e.getMessage());
                    return;
                }
                Thread.sleep(STORE_PAUSE_MILLIS);
            }
        }
    }

    private void disable(InitRecord record) {
        record.confs().stream().filter(conf -> machine.has("/etc/apache2/conf-enabled/" + conf + ".conf"))
                .forEach(conf -> attempt("/usr/sbin/a2disconf", "-q", "-p", conf));
        List<String> modules = new ArrayList<>(record.modules());
        Collections.reverse(modules);
        modules.removeIf(module -> !machine.has("/etc/apache2/mods-enabled/" + module + ".load"));
        modules.forEach(module -> attempt("/usr/sbin/a2dismod", "-q", "-f", "-p", module));
        if (!modules.isEmpty() && !test(record).isEmpty()) {
            out.accept("kept " + String.join(", ", modules) + ": the configuration does not do without");
            modules.forEach(module -> attempt("/usr/sbin/a2enmod", "-q", module));
        }
    }

    private void away(String path, String digest) {
        try {
            if (!machine.has(path)) {
                return;
            }
            if (InitRecord.digest(machine.read(path)).equals(digest)) {
                out.accept("remove " + path);
                machine.delete(path);
            } else {
                out.accept("kept " + path + ": it was edited since");
            }
        } catch (IOException e) {
            problems.add(e.getMessage());
        }
    }

    /** What is wrong with httpd's configuration; empty when it is valid. */
    private String test(InitRecord record) {
        try {
            CommandResult result = machine.run(List.of(record.apachectl(), "-t"));
            return result.succeeded() ? "" : BoundedText.brief(result.all());
        } catch (IOException e) {
            return e.getMessage();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "interrupted";
        }
    }

    private void forget() {
        try {
            machine.delete(InitRecord.PATH);
        } catch (IOException e) {
            problems.add(e.getMessage());
        }
    }

    private void attempt(String... command) {
        out.accept(String.join(" ", command));
        try {
            machine.succeed(List.of(command));
        } catch (IOException e) {
            problems.add(e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            problems.add(command[0] + " was interrupted");
        }
    }
}
