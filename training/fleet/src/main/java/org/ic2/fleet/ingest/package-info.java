// SPDX-License-Identifier: Apache-2.0
/** Recordings as agents write them become a batch of a fleet's samples. Uses {@code store} alone. */
package org.ic2.fleet.ingest;
