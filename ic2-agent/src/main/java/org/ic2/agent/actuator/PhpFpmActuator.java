// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.actuator;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.ic2.knowledge.Lever;
import org.ic2.knowledge.Metric;
import org.ic2.runtime.actuator.Actuator;
import org.ic2.runtime.actuator.Prerequisites;
import org.ic2.runtime.host.CommandResult;
import org.ic2.runtime.host.Host;
import org.ic2.runtime.host.NotDoneException;
import org.ic2.runtime.knob.Knob;
import org.ic2.runtime.knob.Settings;
import org.ic2.runtime.sensor.Sensor;

/**
 * {@code pm.max_children} of a pool: edits the pool's file, lets php-fpm check it, and reloads the master with SIGUSR2.
 * A reload costs a stall of seconds (opcache is lost), hence a long cool-down; {@link PhpPoolsActuator} costs none.
 */
public final class PhpFpmActuator implements Actuator {

    private static final Duration COMMAND_DEADLINE = Duration.ofSeconds(10);
    private static final Duration APPLY_TIME = Duration.ofSeconds(15);
    private static final Duration SETTLE_TIME = Duration.ofSeconds(15);
    private static final DirectiveFile CHILDREN = new DirectiveFile("pm.max_children", "=");

    private final Host host;
    private final String pool;
    private final String pidFile;
    private final List<String> command;
    private final Optional<Sensor> status;
    private final Duration coolDown;

    /**
     * @param command php-fpm with the options that it was started with; run with {@code -t} before each reload, because
     *                a master that reloads a bad file dies
     * @param status  the pool's status page; empty: what is read back is the file
     */
    PhpFpmActuator(Host host, String pool, String pidFile, List<String> command, Optional<Sensor> status,
            Duration coolDown) {
        this.host = host;
        this.pool = pool;
        this.pidFile = pidFile;
        this.command = command;
        this.status = status;
        this.coolDown = coolDown;
    }

    @Override
    public String name() {
        return "php-fpm (" + pool + ")";
    }

    @Override
    public Set<Knob> levers() {
        return Set.of(Lever.PHP_MAX_CHILDREN);
    }

    @Override
    public Settings running() throws IOException, InterruptedException {
        masterPid();
        if (status.isPresent()) {
            double processes = status.get().read().get(Metric.PHP);
            if (processes == 0) {
                throw new IOException("php-fpm's status page says that the pool has no children yet (" + status.get().name() + ")");
            }
            if (!Double.isNaN(processes)) {
                return Settings.of(Lever.PHP_MAX_CHILDREN, (int) processes);
            }
        }
        String value = CHILDREN.value(host.read(pool)).orElse("");
        if (!value.matches("[1-9]\\d{0,8}")) {
            throw new IOException("expected a line pm.max_children = NUMBER in " + pool
                    + (value.isEmpty() ? "" : ", got \"" + value + "\""));
        }
        return Settings.of(Lever.PHP_MAX_CHILDREN, Integer.valueOf(value));
    }

    @Override
    public void apply(Settings values) throws IOException, InterruptedException {
        String pid;
        String before;
        try {
            pid = masterPid();
            before = host.read(pool);
        } catch (IOException e) {
            throw new NotDoneException(e.getMessage(), e);
        }
        host.replace(pool, CHILDREN.with(before, Integer.toString(values.get(Lever.PHP_MAX_CHILDREN))));
        List<String> test = new ArrayList<>(command);
        test.add("-t");
        CommandResult checked = host.run(test, COMMAND_DEADLINE);
        if (!checked.succeeded()) {
            host.replace(pool, before);
            throw new NotDoneException("php-fpm refuses the changed file: " + checked.lastLine() + "; " + pool
                    + " was put back");
        }
        CommandResult reloaded = host.run(List.of("kill", "-USR2", pid), COMMAND_DEADLINE);
        if (!reloaded.succeeded()) {
            host.replace(pool, before);
            throw new NotDoneException("cannot signal php-fpm's master " + pid + ": " + reloaded.lastLine() + "; " + pool
                    + " was put back");
        }
    }

    /** The master's process id, when it runs. */
    private String masterPid() throws IOException, InterruptedException {
        String pid = host.read(pidFile).strip();
        if (!pid.matches("[1-9]\\d{0,9}")) {
            throw new IOException("expected a process id in " + pidFile + ", got \"" + pid + "\"");
        }
        try {
            host.head("/proc/" + pid + "/stat", 1);
        } catch (IOException e) {
            throw new IOException("php-fpm is not running: no process " + pid + " (" + pidFile + ")", e);
        }
        return pid;
    }

    @Override
    public void checkMeans() throws IOException, InterruptedException {
        Prerequisites.command(host, command);
        Prerequisites.replaceable(host, pool);
        Prerequisites.signal(host, masterPid());
    }

    @Override
    public Duration applyTime() {
        return APPLY_TIME;
    }

    @Override
    public Duration settleTime() {
        return SETTLE_TIME;
    }

    @Override
    public Duration coolDown() {
        return coolDown;
    }
}
