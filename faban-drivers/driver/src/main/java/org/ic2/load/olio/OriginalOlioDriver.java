// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.olio;

import com.sun.faban.driver.BenchmarkDefinition;
import com.sun.faban.driver.BenchmarkDriver;
import com.sun.faban.driver.BenchmarkOperation;
import com.sun.faban.driver.CycleType;
import com.sun.faban.driver.MatrixMix;
import com.sun.faban.driver.NegativeExponential;
import com.sun.faban.driver.Row;
import com.sun.faban.driver.RunControl;
import com.sun.faban.driver.Timing;
import java.io.IOException;
import java.util.concurrent.TimeUnit;

/**
 * The load of the original Olio, as far as it is known to us. The web application has to run with {@code OLIO_PROFILE=olio}.
 *
 * <p>Known, and so here: matrix, cycle time and its cut, and that cycle times have minima; a user logs out, really, after AddPerson and at no other time (so that
 * about 7 % of the operations are anonymous); 17 to 21 static files and the pictures of a page inside the operation's time; in 40 %
 * of the sessions the browser is empty, in the others it asks whether its files have changed; PHP sends the pictures; tags are
 * searched by POST and GET; events are chosen by one power law over all that are loaded; uploads of picture and document; one of ten
 * logged-in viewers attends an event; the home page comes from a cache; no compression, no TLS. Two accounts give 17 to 21 and 22
 * to 25 files a page: we take the former and add the pictures.
 *
 * <p>Not known, and so chosen: of which operations the cycle has a minimum, and which one (those with a form to fill in, 3 s, and the
 * rest of the mean above it); which page has how many files, and how large they are; how many pictures (the first ten that the page
 * names; our pages name up to 35, of 64 for all events); sizes of uploads (250 kB and 100 kB); exponent and offset of the power law (ours);
 * whether each search is a POST and a GET or either (both: the form's POST is redirected to the tag's page); that a Login of
 * a user who is logged in begins a new session; that the logout is within the time of AddPerson and ends on the home page; how much
 * more data there are (five times ours). And users have been there before: all but the 7.8 % that the matrix leaves
 * anonymous in the long run log in ahead of their first operation, outside its time, so that a run does not begin with many anonymous
 * operations, as the original's does until everybody has logged in.
 */
@BenchmarkDefinition(name = "OriginalOlioDriver", version = "0.1", runControl = RunControl.TIME, metric = "ops/sec",
        scaleName = "Concurrent Users", scaleUnit = "", maxRunTime = 24, configPrecedence = false)
@BenchmarkDriver(name = "OriginalOlioDriver", metric = "ops/sec", opsUnit = "operations", threadPerScale = 1,
        percentiles = {"90", "95", "99"}, responseTimeUnit = TimeUnit.MILLISECONDS)
@MatrixMix(
        operations = {"HomePage", "Login", "TagSearch", "EventDetail", "PersonDetail", "AddPerson", "AddEvent"},
        mix = {
            @Row({0, 11, 52, 36, 0, 1, 0}),
            @Row({0, 0, 60, 20, 0, 0, 20}),
            @Row({21, 6, 41, 31, 0, 1, 0}),
            @Row({72, 21, 0, 0, 6, 1, 0}),
            @Row({52, 6, 0, 31, 11, 0, 0}),
            @Row({0, 0, 0, 0, 100, 0, 0}),
            @Row({0, 0, 0, 100, 0, 0, 0})
        },
        deviation = 2)
@NegativeExponential(cycleType = CycleType.CYCLETIME, cycleMin = 0, truncateAtMin = true, cycleMean = 5000,
        cycleMax = 25000, cycleDeviation = 2)
public final class OriginalOlioDriver extends OlioDriver {
    /** See {@link OlioDriver}. */
    public OriginalOlioDriver() {
        super(Profile.OLIO);
    }

    @Override
    @BenchmarkOperation(name = "Login", percentileLimits = {1000, 1500, 2000}, timing = Timing.MANUAL, countToMetric = true)
    @NegativeExponential(cycleType = CycleType.CYCLETIME, cycleMin = 3000, truncateAtMin = false, cycleMean = 5000,
            cycleMax = 25000, cycleDeviation = 2)
    public void login() throws IOException {
        super.login();
    }

    @Override
    @BenchmarkOperation(name = "AddPerson", percentileLimits = {3000, 3500, 4000}, timing = Timing.MANUAL, countToMetric = true)
    @NegativeExponential(cycleType = CycleType.CYCLETIME, cycleMin = 3000, truncateAtMin = false, cycleMean = 5000,
            cycleMax = 25000, cycleDeviation = 2)
    public void addPerson() throws IOException {
        super.addPerson();
    }

    @Override
    @BenchmarkOperation(name = "AddEvent", percentileLimits = {4000, 4000, 4000}, timing = Timing.MANUAL, countToMetric = true)
    @NegativeExponential(cycleType = CycleType.CYCLETIME, cycleMin = 3000, truncateAtMin = false, cycleMean = 5000,
            cycleMax = 25000, cycleDeviation = 2)
    public void addEvent() throws IOException {
        super.addEvent();
    }
}
