// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.cli;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.ic2.agent.cli.Checkup.Finding;
import org.ic2.agent.crawl.Counted;
import org.ic2.agent.sensor.ServerStatus;
import org.ic2.runtime.host.HttpGet;
import org.ic2.runtime.sensor.DeadlineSensor;
import org.ic2.runtime.sensor.Reading;
import org.ic2.runtime.sensor.Sensor;

/** What mod_standby tells an administrator: whether the store works, and what keeps requests and pages from it. */
final class StandbyCheck {

    private static final String WHAT = "standby";
    private static final int MOST = 10;

    private final List<Finding> findings = new ArrayList<>();
    private final boolean acting;
    private final boolean raising;

    /**
     * @param acting  true when the mode needs the store
     * @param raising true when a wall is among the levers
     */
    StandbyCheck(boolean acting, boolean raising) {
        this.acting = acting;
        this.raising = raising;
    }

    /** Asks a status page; one that has nothing of mod_standby adds nothing. */
    List<Finding> look(HttpGet page, Duration deadline) throws InterruptedException {
        AtomicReference<StandbyStatus> found = new AtomicReference<>();
        Reading reading;
        try (DeadlineSensor asked = new DeadlineSensor(WHAT, new StatusPage(page, found))) {
            reading = asked.readWithin(deadline);
        }
        reading.problem().ifPresent(problem -> findings.add(new Finding(false, false, WHAT, problem)));
        if (found.get() != null) {
            say(found.get());
        }
        return findings;
    }

    /** The page, asked for as a sensor is: with a deadline. */
    private record StatusPage(HttpGet page, AtomicReference<StandbyStatus> found) implements Sensor {

        @Override
        public String name() {
            return page.uri().toString();
        }

        @Override
        public Reading read() throws IOException, InterruptedException {
            StandbyStatus.parse(page.fetch()).ifPresent(found::set);
            return Reading.builder().build();
        }
    }

    /** The findings on a status. */
    List<Finding> of(StandbyStatus status) {
        say(status);
        return findings;
    }

    private void say(StandbyStatus status) {
        sayStore(status);
        sayWall(status);
        boolean twins = status.twins().isEmpty() || status.twins().equals("ok");
        if (!twins) {
            findings.add(new Finding(false, acting, WHAT, status.twins() + ": a page is served only after builds for two addresses"
                    + " were the same. Behind a proxy load mod_remoteip, or name the header that tells visitors apart in StandbyClientHeader"));
        }
        note(status.headers(), "header", "if each value is another page, name it in StandbyKeyedHeaders; if each request has"
                + " another value, in StandbyVolatileHeaders");
        note(status.cookies(), "cookie", "if it says nothing of its owner, name it in StandbyHarmlessCookies");
        note(status.differs(), "two visitors get different pages: ", "; not served from the store. If only a known text differs,"
                + " StandbyMask names it");
        note(status.reflects(), "the page holds something of its request: ", "; not stored");
    }

    private void sayWall(StandbyStatus status) {
        if (raising && !status.figures().containsKey(ServerStatus.FLAG)) {
            findings.add(new Finding(false, acting, WHAT, "the agent is to raise a wall, and there is none: " + ServerStatus.NO_WALL));
            return;
        }
        String said = !status.figures().containsKey(ServerStatus.FLAG) ? "there is no wall against crawlers: StandbyWall is off (docs/wall.md)"
                : status.figure(ServerStatus.FLAG) == 0 ? "there is a wall against crawlers, and its flag is not set"
                : "there is a wall against crawlers, and it is up";
        findings.add(new Finding(true, false, WHAT, said));
    }

    private void sayStore(StandbyStatus status) {
        String counts = "level " + status.figure("StandbyLevel") + ", " + Counted.of(status.figure("StandbyHits"), "hit") + ", "
                + Counted.of(status.figure("StandbyBuilds"), "build") + ", " + status.figure("StandbyStored") + " stored, " + status.figure("StandbyProven") + " proven";
        if (status.store().equals("ok")) {
            findings.add(new Finding(true, acting, WHAT, "the store is ready; " + counts));
        } else if (status.store().equals("off")) {
            findings.add(new Finding(false, false, WHAT, "mod_standby is loaded, but has no store: StandbyStore names a directory"));
        } else {
            findings.add(new Finding(false, acting, WHAT, "the store cannot be used: " + status.store() + "; " + counts));
        }
        if (!status.passed().isEmpty() || !status.refused().isEmpty()) {
            findings.add(new Finding(true, false, WHAT, "requests that passed the store by: " + counts(status.passed())
                    + "; answers not stored: " + counts(status.refused())));
        }
    }

    private static String counts(Map<String, Long> counts) {
        return counts.isEmpty() ? "none" : String.join(", ", counts.entrySet().stream().limit(MOST)
                .map(count -> count.getKey() + " " + count.getValue()).toList());
    }

    private void note(Map<String, Long> counts, String kind, String remedy) {
        counts.entrySet().stream().limit(MOST).forEach(count -> findings.add(new Finding(false, false, WHAT, "the " + kind + " "
                + count.getKey() + " kept " + Counted.of(count.getValue(), "request") + " from the store: " + remedy)));
        more(counts.size());
    }

    private void note(List<String> pages, String before, String after) {
        pages.stream().limit(MOST).forEach(page -> findings.add(new Finding(false, false, WHAT, before + page + after)));
        more(pages.size());
    }

    private void more(int all) {
        if (all > MOST) {
            findings.add(new Finding(false, false, WHAT, "and " + (all - MOST) + " more of these"));
        }
    }
}
