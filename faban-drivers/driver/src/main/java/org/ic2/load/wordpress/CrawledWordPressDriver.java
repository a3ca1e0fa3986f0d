// SPDX-License-Identifier: Apache-2.0
package org.ic2.load.wordpress;

import com.sun.faban.driver.BenchmarkDefinition;
import com.sun.faban.driver.BenchmarkDriver;
import com.sun.faban.driver.CycleType;
import com.sun.faban.driver.MatrixMix;
import com.sun.faban.driver.NegativeExponential;
import com.sun.faban.driver.Row;
import com.sun.faban.driver.RunControl;
import java.util.concurrent.TimeUnit;

/** The same site with crawlers on it, who ask for 40 pages where anonymous visitors ask for 60. */
@BenchmarkDefinition(name = "CrawledWordPressDriver", version = "0.1", runControl = RunControl.TIME, metric = "ops/sec",
        scaleName = "Concurrent Users", scaleUnit = "", maxRunTime = 24, configPrecedence = false)
@BenchmarkDriver(name = "CrawledWordPressDriver", metric = "ops/sec", opsUnit = "operations", threadPerScale = 1,
        percentiles = {"90", "95", "99"}, responseTimeUnit = TimeUnit.MILLISECONDS)
@MatrixMix(
        operations = {"Anonymous", "Member", "Commenter", "Search", "Feed", "Comment", "Crawler"},
        mix = {
            @Row({66, 12, 12, 6, 3, 1, 44}),
            @Row({66, 12, 12, 6, 3, 1, 44}),
            @Row({66, 12, 12, 6, 3, 1, 44}),
            @Row({66, 12, 12, 6, 3, 1, 44}),
            @Row({66, 12, 12, 6, 3, 1, 44}),
            @Row({66, 12, 12, 6, 3, 1, 44}),
            @Row({66, 12, 12, 6, 3, 1, 44})
        },
        deviation = 2)
@NegativeExponential(cycleType = CycleType.THINKTIME, cycleMin = 0, truncateAtMin = true, cycleMean = 3000,
        cycleMax = 15000, cycleDeviation = 2)
public final class CrawledWordPressDriver extends WordPressDriver {
}
