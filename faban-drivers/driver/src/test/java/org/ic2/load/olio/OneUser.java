// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.olio;

import com.sun.faban.driver.DriverContext;
import com.sun.faban.driver.MatrixMix;
import java.io.IOException;
import java.util.Map;
import java.util.Random;
import java.util.function.Supplier;
import java.util.logging.Logger;
import org.ic2.load.http.Traffic;
import org.ic2.load.spi.LoadObserver;

/** A runtime for one user that only remembers. */
final class OneUser extends DriverContext implements LoadObserver {
    private final Map<String, String> file;
    private final Traffic traffic = new Traffic();
    private int recorded;

    OneUser(Map<String, String> file) {
        this.file = file;
    }

    OlioDriver driver(Supplier<OlioDriver> made) {
        bind();
        try {
            return made.get();
        } finally {
            unbind();
        }
    }

    Traffic traffic() {
        return traffic;
    }

    int recorded() {
        return recorded;
    }

    /** This number of operations, in an order that the matrix allows. */
    static void perform(OlioDriver user, int operations) throws IOException {
        Random random = new Random(1);
        int operation = 0;
        for (int i = 0; i < operations; i++) {
            one(user, operation);
            operation = next(operation, random.nextInt(100));
        }
    }
    private static void one(OlioDriver user, int operation) throws IOException {
        switch (operation) {
            case 0 -> user.homePage();
            case 1 -> user.login();
            case 2 -> user.tagSearch();
            case 3 -> user.eventDetail();
            case 4 -> user.personDetail();
            case 5 -> user.addPerson();
            default -> user.addEvent();
        }
    }

    private static int next(int operation, int percent) {
        double[] row = OlioDriver.class.getAnnotation(MatrixMix.class).mix()[operation].value();
        int to = 0;
        for (double left = percent - row[0]; left >= 0; left -= row[to]) {
            to++;
        }
        return to;
    }

    @Override
    public void recordTime() {
        recorded++;
    }

    @Override
    public int getScale() {
        return 1;
    }

    @Override
    public int getThreadId() {
        return 3;
    }

    @Override
    public Logger getLogger() {
        return Logger.getAnonymousLogger();
    }

    @Override
    public String getXPathValue(String xPath) {
        return file.getOrDefault(xPath, "");
    }

    @Override
    public void connected(boolean again, boolean resumed) {
        traffic.connected(again, resumed);
    }

    @Override
    public void received(long bytes) {
        traffic.received(bytes);
    }

    @Override
    public void leaked() {
        traffic.leaked();
    }

    @Override
    public void page(double age) {
        traffic.page(age);
    }

    @Override
    public void file(boolean unchanged) {
        traffic.file(unchanged);
    }

    @Override
    public void anonymous() {
        traffic.anonymous();
    }
}
