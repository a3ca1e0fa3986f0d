// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.runtime;

import com.sun.faban.driver.DriverContext;
import java.util.concurrent.Callable;
import java.util.logging.Logger;
import javax.xml.xpath.XPathExpressionException;
import org.ic2.load.spi.LoadObserver;

/** The context of one user. Used by the user's thread only. */
final class UserContext extends DriverContext implements LoadObserver {
    private final int id;
    private final int scale;
    private final XPaths paths;
    private final Logger logger;
    private final StatsRecorder recorder;
    private final UserState state;
    private boolean started;
    private int records;
    private long start;
    private long end;

    UserContext(int id, int scale, XPaths paths, Logger logger, StatsRecorder recorder) {
        this.id = id;
        this.scale = scale;
        this.paths = paths;
        this.logger = logger;
        this.recorder = recorder;
        this.state = recorder.state(id);
    }

    /** Makes this the context of the calling thread while it does something. */
    <T> T during(Callable<T> work) throws Exception {
        bind();
        try {
            return work.call();
        } finally {
            unbind();
        }
    }

    /** Forgets the times of the operation before; the user wants something from now on. */
    void beginOperation(long now) {
        records = 0;
        start = now;
        end = now;
        state.waitsSince(now);
    }

    /** The next operation's time counts from there, whenever the user comes to it. */
    void startsAt(long wanted) {
        started = true;
        start = wanted;
    }

    /** Whether the operation recorded start and end. */
    boolean timed() {
        return records >= 2;
    }

    /** Start of the operation, ns: as recorded, or when it was invoked. */
    long start() {
        return start;
    }

    /** End of the operation as recorded, ns. */
    long end() {
        return end;
    }

    @Override
    public void recordTime() {
        long now = System.nanoTime();
        if (records++ == 0) {
            start = started ? start : now;
            started = false;
        } else {
            end = now;
        }
    }

    @Override
    public int getScale() {
        return scale;
    }

    @Override
    public int getThreadId() {
        return id;
    }

    @Override
    public Logger getLogger() {
        return logger;
    }

    @Override
    public String getXPathValue(String xPath) throws XPathExpressionException {
        return paths.text(xPath);
    }

    @Override
    public void connected(boolean again, boolean resumed) {
        recorder.connected(again, resumed);
    }

    @Override
    public void received(long bytes) {
        recorder.received(bytes);
    }

    @Override
    public void leaked() {
        recorder.leaked();
    }

    @Override
    public void page(double age) {
        recorder.page(age);
    }

    @Override
    public void pageLeftOut() {
        recorder.pageLeftOut();
    }

    @Override
    public void file(boolean unchanged) {
        recorder.file(unchanged);
    }

    @Override
    public void anonymous() {
        recorder.anonymous();
    }
}
