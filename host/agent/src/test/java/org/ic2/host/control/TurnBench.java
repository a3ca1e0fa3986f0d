// SPDX-License-Identifier: Apache-2.0
package org.ic2.host.control;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.ic2.host.learn.Library;
import org.ic2.host.learn.Region;
import org.ic2.host.learn.RegionSettings;
import org.ic2.host.learn.Scaling;
import org.ic2.host.learn.SchedulerVector;
import org.ic2.host.model.Guest;
import org.ic2.host.model.GuestClass;
import org.ic2.host.model.GuestKnob;
import org.ic2.host.model.GuestMetric;
import org.ic2.host.model.HostMetric;
import org.ic2.host.model.HostView;
import org.ic2.host.model.HostWindow;
import org.ic2.host.model.KnobKind;
import org.ic2.host.model.Readings;
import org.ic2.runtime.knob.Settings;

/**
 * What a turn's decisions cost on a host of 50 guests: the joint controller for all of them, and the observer of regions with a
 * weight for each. Prints the median and the 99th percentile of a turn, and what it allocates. {@code make bench-host}.
 */
public final class TurnBench {
    private static final int GUESTS = 50;
    private static final int WARM = 5_000;
    private static final int TURNS = 20_000;

    private final SplittableRandom random = new SplittableRandom(1);
    private final List<Guest> guests = IntStream.range(0, GUESTS)
            .mapToObj(i -> Hosts.wanting(Hosts.guest("guest" + i, GuestClass.values()[1 + i % 4]), 0.1)).toList();
    private final JointController joint = new JointController(JointSettings.of(bounds()));
    private final RegionObserver observer = new RegionObserver(library(), Duration.ofSeconds(15), 5,
            EnumSet.of(KnobKind.WEIGHT, KnobKind.TSLICE, KnobKind.RATELIMIT));
    private final HostView host = host();
    private final List<HostWindow> windows = IntStream.range(0, 100).mapToObj(i -> window()).toList();
    private JointController.State jointState = joint.begin();
    private RegionObserver.State observerState = observer.begin();

    private TurnBench() {
    }

    public static void main(String[] args) {
        TurnBench bench = new TurnBench();
        for (int i = 0; i < WARM; i++) {
            bench.turn(i);
        }
        ThreadMXBean thread = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long allocated = thread.getCurrentThreadAllocatedBytes();
        long cpu = thread.getCurrentThreadCpuTime();
        double[] micros = new double[TURNS];
        int proposals = 0;
        for (int i = 0; i < TURNS; i++) {
            long begin = System.nanoTime();
            proposals += bench.turn(i);
            micros[i] = (System.nanoTime() - begin) / 1e3;
        }
        allocated = thread.getCurrentThreadAllocatedBytes() - allocated;
        cpu = thread.getCurrentThreadCpuTime() - cpu;
        Arrays.sort(micros);
        System.out.printf(Locale.ROOT,
                "%d guests, %.0f proposals a turn: median %.0f us, 99th percentile %.0f us, CPU %.0f us, %.0f KiB "
                + "allocated (%d turns)%n", GUESTS, (double) proposals / TURNS, micros[TURNS / 2], micros[TURNS * 99 / 100],
                cpu / 1e3 / TURNS, allocated / 1024.0 / TURNS, TURNS);
    }

    /** Both controllers; how many values they want. */
    private int turn(int number) {
        HostWindow window = windows.get(number % windows.size());
        Step<JointController.State> joined = joint.step(jointState, window, host);
        Step<RegionObserver.State> observed = observer.step(observerState, window, host);
        jointState = joined.state();
        observerState = observed.state();
        return joined.proposals().size() + observed.proposals().size();
    }

    private Map<String, CpuBounds> bounds() {
        Map<String, CpuBounds> bounds = new LinkedHashMap<>();
        guests.forEach(guest -> bounds.put(guest.name(), new CpuBounds(0.1, 0.9)));
        return bounds;
    }

    private static Library library() {
        return new Library(new Scaling(Scaling.Kind.NONE, List.of(0.0, 0.0, 0.0, 0.0), List.of(1.0, 1.0, 1.0, 1.0)), 0.8,
                IntStream.rangeClosed(1, 5).mapToObj(i -> new Region(i, List.of(15.0 * i, 2.0, 50.0, 5.0), 10, 500,
                        Optional.of(new RegionSettings(SchedulerVector.table3(), 500, 400, 0.1, "bench")))).toList());
    }

    private HostView host() {
        int[] some = random.ints(GUESTS, 240, 900).toArray();
        return Hosts.view(guests, 30, 32_768, 4096, Hosts.settings(KnobKind.CAP, guests, some),
                Hosts.settings(KnobKind.MEMORY, guests, some), Hosts.settings(KnobKind.WEIGHT, guests, some),
                Settings.of(GuestKnob.of(KnobKind.TSLICE, Hosts.POOL), 30),
                Settings.of(GuestKnob.of(KnobKind.RATELIMIT, Hosts.POOL), 1000));
    }

    private HostWindow window() {
        List<Readings<GuestMetric>> readings = new ArrayList<>();
        for (int i = 0; i < GUESTS; i++) {
            readings.add(Hosts.readings(GuestMetric.CPU_RUN, 0.9 * random.nextDouble(),
                    GuestMetric.MEM_USED, (100 + random.nextInt(800)) * (double) Hosts.MIB, GuestMetric.MEM_ALLOC,
                    512.0 * Hosts.MIB,
                    GuestMetric.MEM_MAJFLT, random.nextInt(30), GuestMetric.MEM_PRESSURE, random.nextDouble() / 15,
                    GuestMetric.APP_RT, random.nextDouble() / 5, GuestMetric.APP_REQUESTS, random.nextInt(200)));
        }
        return Hosts.window(Duration.ofSeconds(3), guests, readings, new Readings<>(HostMetric.class)
                .with(HostMetric.CPU_UTIL, 0.6).with(HostMetric.VCPU_RATIO, 2).with(HostMetric.VM_COUNT, 50)
                .with(HostMetric.NET_RATE, 5));
    }
}
