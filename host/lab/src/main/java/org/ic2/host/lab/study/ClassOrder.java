// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.lab.study;

import static org.ic2.host.lab.sim.SchedulerKind.CREDIT;
import static org.ic2.host.lab.sim.SchedulerKind.CREDIT2;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.function.Consumer;
import org.ic2.host.learn.SchedulerVector;
import org.ic2.host.model.GuestClass;
import org.ic2.host.lab.study.ItuneHost.Load;
import org.ic2.host.lab.study.ItuneHost.Tried;

/**
 * iTune's figures 11 to 14: whether four alike servers of four classes answer in the order of their classes, with the paper's
 * setting and without, by load, percentile and scheduler.
 */
public final class ClassOrder implements Simulation {
    private static final int SECONDS = 20;
    private static final List<GuestClass> ORDER = List.of(GuestClass.LS1, GuestClass.LS2, GuestClass.LS3, GuestClass.NLS);
    private static final List<String> QUANTILES = List.of("median", "90th", "95th", "99th");

    @Override
    public String name() {
        return "classes";
    }

    @Override
    public String about() {
        return "iTune, figures 11 to 14: response times of four servers by class, with Table 3's weights and with the default";
    }

    @Override
    public List<Finding> run(List<Long> seeds, Consumer<String> progress) {
        List<Finding> findings = new ArrayList<>();
        for (long seed : seeds) {
            for (int batch : new int[] {0, 6}) {
                for (int users : new int[] {250, 500}) {
                    Load load = Load.apache(batch, users);
                    String arm = users + " users" + (batch > 0 ? " +" + batch + " burners" : "");
                    SchedulerVector table3 = SchedulerVector.table3();
                    SchedulerVector credit2 = new SchedulerVector(OptionalInt.empty(), table3.ratelimit(), table3.weights());
                    add(findings, seed, arm + ", default", new ItuneHost(load, CREDIT, false, seed), SchedulerVector.credit1());
                    add(findings, seed, arm + ", Table 3", new ItuneHost(load, CREDIT, false, seed), table3);
                    add(findings, seed, arm + ", Table 3, caps", new ItuneHost(load, CREDIT, true, seed), table3);
                    add(findings, seed, arm + ", credit2, Table 3", new ItuneHost(load, CREDIT2, false, seed), credit2);
                }
            }
            progress.accept("seed " + seed);
        }
        return findings;
    }

    private void add(List<Finding> findings, long seed, String arm, ItuneHost host, SchedulerVector vector) {
        Tried tried = host.measure(vector, SECONDS);
        for (GuestClass of : ORDER) {
            for (int i = 0; i < QUANTILES.size(); i++) {
                double millis = 1000 * tried.responses().get(of).get(i);
                findings.add(new Finding(name(), seed, arm, of + " " + QUANTILES.get(i), millis, "ms"));
            }
            findings.add(new Finding(name(), seed, arm, of + " requests", tried.answered().get(of), "1/s"));
        }
        findings.add(new Finding(name(), seed, arm, "quantiles of 4 in the classes' order", ordered(tried), ""));
    }

    /** How many of the four quantiles rise strictly from class to class. */
    static int ordered(Tried tried) {
        int count = 0;
        for (int i = 0; i < QUANTILES.size(); i++) {
            boolean rises = true;
            for (int of = 1; of < ORDER.size(); of++) {
                rises &= tried.responses().get(ORDER.get(of - 1)).get(i) < tried.responses().get(ORDER.get(of)).get(i);
            }
            count += rises ? 1 : 0;
        }
        return count;
    }
}
