// SPDX-License-Identifier: Apache-2.0
package org.ic2.fleet;

import org.apache.spark.sql.SparkSession;
import org.ic2.fleet.store.Sessions;

/** The one small Spark of all tests; it ends with the process. */
public final class Spark {
    private Spark() {
    }

    /** The session. */
    public static SparkSession session() {
        System.setProperty("spark.master", "local[2]");
        System.setProperty("spark.driver.host", "127.0.0.1");
        System.setProperty("spark.sql.shuffle.partitions", "2");
        return Sessions.open("tests");
    }
}
