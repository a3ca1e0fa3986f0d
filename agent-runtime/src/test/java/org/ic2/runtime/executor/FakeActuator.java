// SPDX-License-Identifier: Apache-2.0
package org.ic2.runtime.executor;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import org.ic2.runtime.actuator.Actuator;
import org.ic2.runtime.actuator.RestoreRoute;
import org.ic2.runtime.host.NotDoneException;
import org.ic2.runtime.knob.Knob;
import org.ic2.runtime.knob.Settings;

/** A server in memory that obeys, refuses, ignores, is dead or does not answer, as the test says. */
public final class FakeActuator implements Actuator {

    /** What it does with an order. */
    public enum Manner { OBEYS, REFUSES, IGNORES, DEAD, SILENT, SLOW }

    private final List<Settings> underWay = new ArrayList<>();

    public final Map<Knob, Integer> values = new TreeMap<>(Knob.ORDER);
    public Manner manner = Manner.OBEYS;
    public int orders;
    public int reads;
    public Duration rest = Duration.ZERO;
    public Duration settle = Duration.ofMillis(60);
    public Runnable beforeRead = () -> { };
    public Runnable beforeOrder = () -> { };
    public Optional<RestoreRoute> route = Optional.empty();

    public FakeActuator(Settings running, Knob... levers) {
        for (Knob lever : levers) {
            values.put(lever, running.get(lever));
        }
    }

    @Override
    public String name() {
        return "fake server";
    }

    @Override
    public Set<Knob> levers() {
        return values.keySet();
    }

    @Override
    public Settings running() throws IOException {
        reads++;
        beforeRead.run();
        if (manner == Manner.DEAD) {
            throw new IOException("connection refused");
        }
        return Settings.of(values);
    }

    @Override
    public void apply(Settings wanted) throws IOException, InterruptedException {
        orders++;
        beforeOrder.run();
        switch (manner) {
            case OBEYS -> values.putAll(wanted.values());
            case REFUSES -> throw new NotDoneException("status 1: not with me");
            case SILENT -> {
                underWay.add(wanted);
                throw new IOException("no answer within 12 s");
            }
            case SLOW -> {
                underWay.add(wanted);
                new CountDownLatch(1).await();
            }
            case DEAD -> throw new IOException("connection refused");
            case IGNORES -> { }
        }
    }

    /** What was asked for last without an answer. */
    public Settings sent() {
        return underWay.get(underWay.size() - 1);
    }

    /** What was asked for without an answer comes into force now. */
    public void arrive() {
        underWay.forEach(late -> values.putAll(late.values()));
        underWay.clear();
    }

    @Override
    public void checkMeans() {
        // memory is always there
    }

    @Override
    public Optional<RestoreRoute> route() {
        return route;
    }

    @Override
    public Duration coolDown() {
        return rest;
    }

    @Override
    public Duration settleTime() {
        return settle;
    }
}
