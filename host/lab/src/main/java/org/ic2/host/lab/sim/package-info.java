// SPDX-License-Identifier: Apache-2.0
/**
 * A host in virtual time: Xen's two schedulers, guests with work of several kinds, Dom0 doing their I/O, memory with a knee.
 * Event-driven and deterministic from a seed; no I/O, no clock. It agrees with recorded figures of Xen 4.17 at the points
 * that its tests name; what it says elsewhere is a model's answer.
 */
package org.ic2.host.lab.sim;
