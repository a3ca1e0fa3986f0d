// SPDX-License-Identifier: Apache-2.0
package org.ic2.fleet.features;

import org.ic2.training.data.Row;

/**
 * A row with whose it is.
 *
 * @param tenant      whose web tier
 * @param host        the physical host, null if unknown
 * @param application the web application
 * @param day         UTC, {@code 2026-05-07}
 * @param row         as the tenant's agent would have seen it
 */
public record TenantRow(String tenant, String host, String application, String day, Row row) {
}
