// SPDX-License-Identifier: Apache-2.0
package org.ic2.fleet.fit;

import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.functions;
import org.ic2.fleet.store.FleetException;
import org.ic2.fleet.store.FleetSchema;

/**
 * Which tenants judge and do not teach. Whole tenants: seconds of one tenant are alike, and a row whose neighbour has taught is no
 * test. Drawn by a hash of name and seed, so that it is the same on every run and machine.
 */
final class HeldOut {
    private static final String[] KEY = {FleetSchema.TENANT};

    private final Dataset<Row> tenants;
    private final long count;

    private HeldOut(Dataset<Row> tenants, long count) {
        this.tenants = tenants;
        this.count = count;
    }

    /**
     * Draws a share of the tenants of a table, at least one.
     *
     * @param share 0: none
     * @throws FleetException if none would be left to teach
     */
    static HeldOut draw(Dataset<Row> table, double share, long seed) {
        if (!(share >= 0 && share < 1)) {
            throw new IllegalArgumentException("held out: expected a share of 0 to less than 1, got " + share);
        }
        Dataset<Row> all = table.select(FleetSchema.TENANT).distinct();
        long tenants = all.count();
        long count = share == 0 ? 0 : Math.max(1, Math.round(share * tenants));
        if (count >= tenants && tenants > 0) {
            throw new FleetException("held out: expected tenants that teach and others that judge, got " + tenants
                    + (tenants == 1 ? " tenant" : " tenants") + "; ingest more, or hold out none (--held-out 0)");
        }
        Column hash = functions.xxhash64(functions.col(FleetSchema.TENANT), functions.lit(seed));
        return new HeldOut(all.orderBy(hash, functions.col(FleetSchema.TENANT)).limit((int) count).cache(), count);
    }

    /** How many tenants judge. */
    long count() {
        return count;
    }

    /** The rows of a table that teach. */
    Dataset<Row> teaching(Dataset<Row> table) {
        return count == 0 ? table : table.join(functions.broadcast(tenants), KEY, "left_anti");
    }

    /** The rows of a table that judge. */
    Dataset<Row> judging(Dataset<Row> table) {
        return table.join(functions.broadcast(tenants), KEY, "left_semi");
    }
}
