// SPDX-License-Identifier: Apache-2.0
package org.ic2.agent.actuator;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import org.ic2.agent.sensor.ServerStatus;
import org.ic2.knowledge.Lever;
import org.ic2.runtime.actuator.Actuator;
import org.ic2.runtime.actuator.RestoreRoute;
import org.ic2.runtime.host.Host;
import org.ic2.runtime.host.HttpGet;
import org.ic2.runtime.knob.Knob;
import org.ic2.runtime.knob.Settings;

/**
 * The ladder's rung of any httpd, without a patch or a reload: a {@link LevelFile}, which httpd reads with its next
 * request. What runs is read back from httpd itself, as a header of its status page.
 */
public final class HttpdMapActuator implements Actuator {

    private static final Duration SETTLE_TIME = Duration.ofSeconds(3);

    private final LevelFile file;
    private final HttpGet page;

    HttpdMapActuator(Host host, String file, HttpGet page) {
        this.file = new LevelFile(host, file);
        this.page = page;
    }

    @Override
    public String name() {
        return "httpd-map (" + file.path() + ", " + page.uri() + ")";
    }

    @Override
    public Set<Knob> levers() {
        return Set.of(Lever.MITIGATION);
    }

    /** What httpd says; an error where the file says something else, for then httpd does not go by the file. */
    @Override
    public Settings running() throws IOException, InterruptedException {
        return Settings.of(Lever.MITIGATION, rung());
    }

    private int rung() throws IOException, InterruptedException {
        int said = saidByHttpd();
        if (file.read().rung() != said) {
            // somebody may have changed it between the two looks
            said = saidByHttpd();
            int written = file.read().rung();
            if (written != said) {
                throw new IOException("httpd is at rung " + said + " although " + file.path() + " says " + written
                        + ": may httpd's user read it, is it the file of MITIGATION_MAP, and has mitigation.conf that rung?");
            }
        }
        return said;
    }

    private int saidByHttpd() throws IOException, InterruptedException {
        return ServerStatus.of(page).header().orElseThrow(() -> new IOException(page.uri() + " answers without the header "
                + ServerStatus.RUNG + ": NUMBER, by which httpd tells its rung; say \"Define MITIGATION_MAP " + file.path()
                + "\", include mitigation.conf and status.conf (both in httpd-online/docs), and take that one's address as"
                + " status-url"));
    }

    @Override
    public void apply(Settings values) throws IOException, InterruptedException {
        file.write(values.get(Lever.MITIGATION));
    }

    @Override
    public Optional<RestoreRoute> route() {
        return RestoreRoute.map(file.path(), page.uri(), Lever.MITIGATION);
    }

    @Override
    public void checkMeans() throws IOException, InterruptedException {
        file.check();
        String problem = file.read().problem().orElse("");
        if (!problem.isEmpty()) {
            throw new IOException("httpd takes " + file.path() + " for rung 0: " + problem + "; put \"MITIGATION 0\" there");
        }
    }

    @Override
    public Duration settleTime() {
        return SETTLE_TIME;
    }
}
