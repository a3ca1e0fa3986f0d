// SPDX-License-Identifier: Apache-2.0
package org.ic2.training.compare;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.ic2.training.run.Change;

/** What slows a tenant's pages and is no neighbour: nothing may be done about it. It happens in the middle third of a run. */
public enum AlarmScenario {
    /** More users than ever. */
    SURGE("twice the users"),
    /** A release whose pages cost more CPU. */
    DEPLOYMENT("a deployment makes every page dearer"),
    /** As many users as before, who ask for other things. */
    MIX("half of the users do other things"),
    /** A job of the tenant's own that wants CPU now and then. */
    CRON("a cron job on the tier: 5 s of CPU, 10 s of rest"),
    /** One that reads and compresses all the time. */
    BACKUP("a backup on the tier: tar and gzip"),
    /** The tier waits, and has nothing to do. */
    DATABASE("the database answers late");

    /** All names, for messages. */
    public static final String NAMES = Arrays.stream(values()).map(AlarmScenario::label).collect(Collectors.joining(","));

    /** About half more for a page of 6 to 9 ms, and for one of a WordPress. */
    private static final int ADDED_PAGE_ROUNDS = 100;
    private static final int ADDED_WORDPRESS_ROUNDS = 3000;

    private final String text;

    AlarmScenario(String text) {
        this.text = text;
    }

    /** The scenario of a name. */
    public static AlarmScenario of(String name) {
        return Arrays.stream(values()).filter(one -> one.label().equals(name.strip())).findFirst().orElseThrow(() ->
                new IllegalArgumentException("--scenarios: expected some of " + NAMES + ", got '" + name.strip() + "'"));
    }

    /** Its name in files and on the command line. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    String text() {
        return text;
    }

    /** Users of the run's own load. */
    int users(int users) {
        return this == MIX ? users - users / 2 : users;
    }

    /** What happens on the way. */
    List<Change> changes(int users, Duration third, String application) {
        int dearer = application.equals("wordpress") ? ADDED_WORDPRESS_ROUNDS : ADDED_PAGE_ROUNDS;
        String seconds = third.toSeconds() + "s";
        return switch (this) {
            case SURGE -> List.of(new Change.Surge(third, users, third));
            case DEPLOYMENT -> List.of(new Change.PageCost(third, dearer), new Change.PageCost(third.multipliedBy(2), 0));
            case MIX -> List.of(new Change.Crowd(Duration.ZERO, users / 2, third, false), new Change.Crowd(third, users / 2, third, true),
                    new Change.Crowd(third.multipliedBy(2), users / 2, third, false));
            case CRON -> inside(third, seconds, "while :; do timeout 5 sha256sum /dev/zero; sleep 10; done");
            case BACKUP -> inside(third, seconds, "while :; do tar -C / -cf - usr/lib usr/share 2>/dev/null | gzip >/dev/null; done");
            case DATABASE -> List.of(new Change.Disturbance(third, "the slow database", List.of("slow-database", "--for", seconds)));
        };
    }

    private List<Change> inside(Duration at, String seconds, String job) {
        return List.of(new Change.Disturbance(at, "the job", List.of("inside", "--for", seconds, "--", "sh", "-c", job)));
    }
}
