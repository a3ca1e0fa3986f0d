// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import org.ic2.knowledge.Lever;
import org.ic2.training.run.RunDriver;
import org.ic2.training.run.Setting;
import org.ic2.training.run.Testbed;
import picocli.CommandLine.Option;

/** Options of every verb that measures on the testbed, those of other modules too. */
public final class TestbedOptions {
    /** Where the project is, set by bin/ic2-train. */
    private static final String HOME = "org.ic2.home";
    private static final int MOST_WORKERS = 240;
    private static final int PHP_UP = 2;
    private static final double WORKERS_PER_USER = 1.2;
    private static final Duration USUAL_TARGET = Duration.ofMillis(100);
    private static final Duration USUAL_COOL_DOWN = Duration.ofSeconds(10);

    @Option(names = "--testbed", paramLabel = "DIR", description = "folder of the running testbed (default: build/testbed)")
    private Path folder;

    @Option(names = "--interval", paramLabel = "T", converter = Times.class, defaultValue = "1s",
            description = "of the agent's samples (default: ${DEFAULT-VALUE}; the paper: 5s)")
    private Duration interval;

    @Option(names = "--settling", paramLabel = "T", converter = Times.class, defaultValue = "30s",
            description = "what counts as TRANSIENT after a start or stop of the neighbour (default: ${DEFAULT-VALUE})")
    private Duration settling;

    @Option(names = "--target", paramLabel = "T", converter = Times.class,
            description = "response time below which an acting agent does nothing (default: 100ms; in arms with the shipped"
                    + " configuration its own, 0.5 s)")
    private Duration target;

    @Option(names = "--cool-down", paramLabel = "T", converter = Times.class,
            description = "least time between two actions of an acting agent (default: 10s, as shipped; with the neighbour's"
                    + " times shortened to a fifth, 2s)")
    private Duration coolDown;

    @Option(names = "--response", paramLabel = "SENSOR", defaultValue = "mod-status",
            description = "where response time and throughput come from: mod-status; faban-log, the load's own figures; or"
                    + " access-log, the pages in httpd's log (default: ${DEFAULT-VALUE})")
    private String response;

    @Option(names = "--users", paramLabel = "N", description = "emulated users (default: as the testbed was started with)")
    private Integer users;

    @Option(names = "--seed", paramLabel = "S", defaultValue = "1",
            description = "of the order of things and of the load (default: ${DEFAULT-VALUE})")
    private long seed;

    /**
     * The running testbed.
     *
     * @throws IOException if there is none in the folder
     */
    public Testbed testbed() throws IOException {
        Testbed testbed = testbed(folder);
        testbed.provides(response);
        return testbed;
    }

    /** The testbed that runs in a folder; null: in the usual one. */
    public static Testbed testbed(Path folder) throws IOException {
        Path home = home();
        return Testbed.find(home, folder == null ? home.resolve("build/testbed") : folder);
    }

    static Path home() {
        String given = System.getProperty(HOME);
        Path home = Path.of(given == null ? "" : given).toAbsolutePath();
        if (!Files.isExecutable(home.resolve("bin/testbed"))) {
            throw new IllegalArgumentException("expected the project's folder, with its bin/testbed, in -D" + HOME + ", got '"
                    + given + "'; what measures on the testbed is started with bin/ic2-train of the sources");
        }
        return home;
    }

    /** The emulated users: as asked, else as the testbed was started with. */
    public int users(Testbed testbed) {
        return users == null ? testbed.number("options", "users") : users;
    }

    /** The seed of all orders and of the load. */
    public long seed() {
        return seed;
    }

    /** The interval of the agent's samples. */
    public Duration interval() {
        return interval;
    }

    /** How the agent and the tier are set. */
    public Setting setting() {
        return Setting.of(interval, settling, target == null ? USUAL_TARGET : target, coolDown == null ? USUAL_COOL_DOWN : coolDown, response)
                .withGiven(new Setting.Given(target != null, coolDown != null));
    }

    /** The same on this testbed: the least MXC above these users, so that no user starves, and room for more PHP children. */
    Setting setting(Testbed testbed, int emulated) {
        Setting usual = setting();
        int children = testbed.number("baseline", "php_children");
        int least = (int) Math.min(MOST_WORKERS, Math.max(usual.lowest().get(Lever.MAX_REQUEST_WORKERS), Math.ceil(WORKERS_PER_USER * emulated)));
        return new Setting(usual.baseline().with(Lever.PHP_MAX_CHILDREN, children),
                usual.lowest().with(Lever.MAX_REQUEST_WORKERS, least).with(Lever.PHP_MAX_CHILDREN, children),
                usual.highest().with(Lever.PHP_MAX_CHILDREN, PHP_UP * children), usual.interval(), usual.settling(), usual.target(),
                usual.coolDown(), usual.response(), usual.levels(), usual.given());
    }

    /** Makes runs; the agents of all runs in a data set share their memory of what is normal. */
    public RunDriver driver(Testbed testbed, Path dataSet) {
        return new RunDriver(testbed, setting(), dataSet.resolve("agent").toAbsolutePath(), InstantSource.system());
    }
}
