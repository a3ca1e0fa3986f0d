// SPDX-License-Identifier: Apache-2.0
/**
 * Hosts that can be measured and moved.
 */
package org.ic2.host.backend;
