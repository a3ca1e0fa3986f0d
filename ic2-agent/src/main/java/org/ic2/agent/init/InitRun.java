// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.init;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.ic2.runtime.host.HttpGet;

/** Does a plan, all of it or nothing. */
public final class InitRun {

    private static final String LEVEL = "IC2-Mitigation";
    private static final Duration LOOK_AGAIN = Duration.ofMillis(100);

    private final TargetSystem machine;
    private final Consumer<String> out;
    private final Duration patience;
    private boolean reloaded;

    /**
     * @param out      gets a line for each step
     * @param patience how long httpd may take to answer after the reload
     */
    public InitRun(TargetSystem machine, Consumer<String> out, Duration patience) {
        this.machine = machine;
        this.out = out;
        this.patience = patience;
    }

    /**
     * Does it. A signal that would end the process has it taken back first.
     *
     * @throws IOException in one line, when something failed; then all is as it was, or the line says what is not
     */
    public void perform(InitPlan plan) throws IOException, InterruptedException {
        for (String path : plan.files().keySet()) {
            if (machine.has(path)) {
                throw new IOException(path + " is there already, and not of ic2 init: nothing was changed; move it away first");
            }
        }
        for (String conf : plan.confs()) {
            if (machine.has("/etc/apache2/conf-enabled/" + conf + ".conf")) {
                throw new IOException("/etc/apache2/conf-enabled/" + conf + ".conf is there already: nothing was changed");
            }
        }
        InitRecord record = InitRecord.of(plan, machine.has(plan.log()), machine.has(plan.store()));
        try (EndSignal signal = new EndSignal()) {
            begin(record);
            try {
                steps(plan);
                machine.write(InitRecord.PATH, record.completed().text());
                if (signal.hold()) {
                    throw new InterruptedException();
                }
            } catch (IOException | InterruptedException e) {
                boolean ended = signal.hold();
                String outcome = (ended || e instanceof InterruptedException ? "interrupted" : e.getMessage()) + "; " + takeBack(record);
                if (ended) {
                    out.accept("ic2: " + outcome);
                    signal.giveWay();
                }
                throw new IOException(outcome, e);
            }
        }
    }

    private void begin(InitRecord record) throws IOException {
        try {
            machine.write(InitRecord.PATH, record.text());
        } catch (IOException e) {
            throw new IOException(e.getMessage() + ": nothing was changed; only root may set a machine up", e);
        }
    }

    /** Says how that went. */
    private String takeBack(InitRecord record) throws InterruptedException {
        List<String> left = new InitUndo(machine, line -> { }).undo(record, reloaded);
        return left.isEmpty() ? "all of it was taken back"
                : "not all of it could be taken back: " + String.join("; ", left) + "; ic2 init --remove tries again";
    }

    private void steps(InitPlan plan) throws IOException, InterruptedException {
        for (String unit : plan.units()) {
            step("systemctl", "enable", "--now", unit);
        }
        for (var file : plan.files().entrySet()) {
            out.accept("write " + file.getKey());
            machine.create(file.getKey(), file.getValue());
        }
        for (String module : plan.modules()) {
            step("/usr/sbin/a2enmod", "-q", module);
        }
        for (String conf : plan.confs()) {
            step("/usr/sbin/a2enconf", "-q", conf);
        }
        step(plan.apachectl(), "-t");
        if (plan.reload()) {
            reloaded = true;
            step(plan.apachectl(), "-k", "graceful");
            awaitLevel(plan.statusUrl());
        }
    }

    private void step(String... command) throws IOException, InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        out.accept(String.join(" ", command));
        machine.succeed(List.of(command));
    }

    /** httpd says its level: then it has read what was written. */
    private void awaitLevel(String url) throws IOException, InterruptedException {
        HttpGet page = new HttpGet(machine.host(), url);
        long end = System.nanoTime() + patience.toNanos();
        String problem;
        do {
            Thread.sleep(LOOK_AGAIN.toMillis());
            try {
                if (page.answer().header(LEVEL).isPresent()) {
                    return;
                }
                problem = "it answers without the header " + LEVEL;
            } catch (IOException e) {
                problem = e.getMessage();
            }
        } while (System.nanoTime() < end);
        throw new IOException("httpd did not come back with " + url + " within " + patience.toSeconds() + " s: " + problem);
    }
}
