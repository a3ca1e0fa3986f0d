// SPDX-License-Identifier: Apache-2.0
/**
 * Xen by its own commands, run in its Dom0: xl, xentop, xentrace with xenalyze, xenstore-read. Commands get numbers of domains,
 * never names, which may hold anything. Output that is not understood is an error that quotes it.
 */
package org.ic2.host.backend.xen;
