// SPDX-License-Identifier: Apache-2.0
/**
 * The simulated host as a backend: a scenario file says what there is, and time passes as it is read.
 */
package org.ic2.host.lab.backend;
