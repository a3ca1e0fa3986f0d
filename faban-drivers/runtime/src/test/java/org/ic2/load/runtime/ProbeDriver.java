// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.runtime;

import com.sun.faban.driver.BenchmarkDefinition;
import com.sun.faban.driver.BenchmarkDriver;
import com.sun.faban.driver.BenchmarkOperation;
import com.sun.faban.driver.CycleType;
import com.sun.faban.driver.DriverContext;
import com.sun.faban.driver.MatrixMix;
import com.sun.faban.driver.NegativeExponential;
import com.sun.faban.driver.Row;
import com.sun.faban.driver.RunControl;
import com.sun.faban.driver.Timing;
import java.io.Closeable;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import javax.xml.xpath.XPathExpressionException;
import org.ic2.load.http.ServerAddress;
import org.ic2.load.http.HttpUser;
import org.ic2.load.http.Request;
import org.ic2.load.http.Response;
import org.ic2.load.spi.Idling;
import org.ic2.load.spi.LoadObserver;

/** The driver that made the samples of Faban's formats: three operations against a server with exact delays. */
@BenchmarkDefinition(name = "IC2 probe", version = "0.1", runControl = RunControl.TIME, metric = "ops/sec")
@BenchmarkDriver(name = "ProbeDriver", metric = "ops/sec", opsUnit = "operations", threadPerScale = 1,
        percentiles = {"90", "95", "99"}, responseTimeUnit = TimeUnit.MILLISECONDS)
@MatrixMix(operations = {"Home", "Read", "Post"},
        mix = {@Row({.2, .6, .2}), @Row({.3, .5, .2}), @Row({.5, .5, 0})}, deviation = 5)
@NegativeExponential(cycleType = CycleType.THINKTIME, cycleMean = 1500, cycleMax = 7500, cycleDeviation = 5)
public class ProbeDriver implements Idling, Closeable {
    /** For an answer. */
    static final Duration PATIENCE = Duration.ofSeconds(60);

    private final DriverContext context = DriverContext.getContext();
    private final HttpUser user;

    /** A user of the server that the run configuration names. */
    public ProbeDriver() throws XPathExpressionException {
        int port = Integer.parseInt(context.getXPathValue("/probe/serverConfig/port"));
        user = new HttpUser(new HttpUser.Settings(new ServerAddress(false, "127.0.0.1", port), null, true, false,
                PATIENCE), (LoadObserver) context, Clock.systemUTC());
    }

    @BenchmarkOperation(name = "Home", percentileLimits = {500, 1000, 2000}, timing = Timing.MANUAL)
    public void home() throws IOException {
        get("/10");
    }

    @BenchmarkOperation(name = "Read", percentileLimits = {500, 1000, 2000}, timing = Timing.MANUAL)
    public void read() throws IOException {
        get("/20");
    }

    @BenchmarkOperation(name = "Post", percentileLimits = {500, 1000, 2000}, timing = Timing.MANUAL)
    public void post() throws IOException {
        get("/40");
    }

    private void get(String path) throws IOException {
        context.recordTime();
        Response response = user.send(Request.file(path));
        if (response.status() != 200) {
            throw new IOException("GET " + path + ": expected 200, got " + response.status());
        }
        context.recordTime();
    }

    @Override
    public void idle(long untilNanos) {
        user.think(untilNanos);
    }

    @Override
    public void close() {
        user.close();
    }
}
