// SPDX-License-Identifier: Apache-2.0
/**
 * Hosts that were recorded by {@code ic2-host run --record}.
 */
package org.ic2.host.backend.replay;
