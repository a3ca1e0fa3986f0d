// SPDX-License-Identifier: Apache-2.0
/**
 * What host and tenant tell each other: small texts of JSON, in a directory, in two files or in xenstore. What a tenant says is
 * not trusted: it counts for its own guest, within that guest's bounds, and cannot hold up a turn.
 */
package org.ic2.host.contract;
