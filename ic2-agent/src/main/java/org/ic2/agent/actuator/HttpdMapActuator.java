// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.actuator;

import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.ic2.agent.sensor.ServerStatus;
import org.ic2.knowledge.Lever;
import org.ic2.knowledge.Wall;
import org.ic2.runtime.actuator.Actuator;
import org.ic2.runtime.actuator.RestoreRoute;
import org.ic2.runtime.host.Host;
import org.ic2.runtime.host.HttpGet;
import org.ic2.runtime.knob.Knob;
import org.ic2.runtime.knob.Settings;

/**
 * The mitigation level of any httpd and, where the site has one, its wall, without a patch or a reload: lines of a {@link LevelFile},
 * which httpd reads with its next request. What runs is read back from httpd itself, as headers of its status page.
 */
public final class HttpdMapActuator implements Actuator {

    private static final Duration SETTLE_TIME = Duration.ofSeconds(3);

    private final LevelFile file;
    /** The wall's line in the same file. */
    private final LevelFile flag;
    private final boolean wall;
    private final HttpGet page;

    HttpdMapActuator(Host host, String file, boolean wall, HttpGet page) {
        this.file = new LevelFile(host, file, LevelFile.LEVEL);
        this.flag = new LevelFile(host, file, LevelFile.WALL);
        this.wall = wall;
        this.page = page;
    }

    @Override
    public String name() {
        return "httpd-map (" + file.path() + ", " + page.uri() + ")";
    }

    @Override
    public Set<Knob> levers() {
        return levers(wall);
    }

    static Set<Knob> levers(boolean wall) {
        return wall ? Set.of(Lever.MITIGATION, Wall.FLAG) : Set.of(Lever.MITIGATION);
    }

    /** What httpd says; an error where the file says something else, for then httpd does not go by the file. */
    @Override
    public Settings running() throws IOException, InterruptedException {
        Settings level = Settings.of(Lever.MITIGATION, level());
        return wall ? level.with(Wall.FLAG, flag()) : level;
    }

    /** Where httpd says nothing of a wall, nobody can raise it; its line in the file goes for nothing then. */
    private int flag() throws IOException, InterruptedException {
        int said = flagOfHttpd();
        if (flag.read().level() != said) {
            said = flagOfHttpd();       // somebody may have changed it between the two looks
            int written = flag.read().level();
            if (written != said) {
                throw new IOException("httpd takes the wall's flag for " + said + " although " + flag.path() + " says " + written
                        + ": may httpd's user read it, and is it the file of StandbyLevel?");
            }
        }
        return said;
    }

    private int flagOfHttpd() throws IOException, InterruptedException {
        return ServerStatus.of(page).wall().orElseThrow(() -> new IOException(page.uri() + " answers without the header "
                + ServerStatus.WALL + ", by which httpd tells the wall's flag: say \"StandbyWall flag\" in httpd's configuration and"
                + " include status.conf, or leave out \"wall: true\""));
    }

    private int level() throws IOException, InterruptedException {
        int said = saidByHttpd();
        if (file.read().level() != said) {
            // somebody may have changed it between the two looks
            said = saidByHttpd();
            int written = file.read().level();
            if (written != said) {
                throw new IOException("httpd is at level " + said + " although " + file.path() + " says " + written
                        + ": may httpd's user read it, is it the file of MITIGATION_MAP, and has mitigation.conf that level?");
            }
        }
        return said;
    }

    private int saidByHttpd() throws IOException, InterruptedException {
        return ServerStatus.of(page).header().orElseThrow(() -> new IOException(page.uri() + " answers without the header "
                + ServerStatus.LEVEL + ": NUMBER, by which httpd tells its level; say \"Define MITIGATION_MAP " + file.path()
                + "\", include mitigation.conf and status.conf (both in httpd-online/docs), and take that one's address as"
                + " status-url"));
    }

    @Override
    public void apply(Settings values) throws IOException, InterruptedException {
        if (values.has(Lever.MITIGATION)) {
            file.write(values.get(Lever.MITIGATION));
        }
        if (values.has(Wall.FLAG)) {
            flag.write(values.get(Wall.FLAG));
        }
    }

    @Override
    public Optional<RestoreRoute> route() {
        return RestoreRoute.map(file.path(), page.uri(), Lever.MITIGATION,
                wall ? Map.of(Wall.FLAG, new RestoreRoute.Name(LevelFile.WALL, "-", ServerStatus.WALL)) : Map.of());
    }

    @Override
    public void checkMeans() throws IOException, InterruptedException {
        file.check();
        String problem = file.read().problem().orElse("");
        if (!problem.isEmpty()) {
            throw new IOException("httpd takes " + file.path() + " for level 0: " + problem + "; put \"MITIGATION 0\" there");
        }
        if (wall) {
            flagOfHttpd();
        }
    }

    @Override
    public Duration settleTime() {
        return SETTLE_TIME;
    }
}
