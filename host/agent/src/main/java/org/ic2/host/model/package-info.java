// SPDX-License-Identifier: Apache-2.0
/**
 * What there is on a host, as values: guests, their knobs, what was measured, what a controller proposes. No I/O.
 */
package org.ic2.host.model;
