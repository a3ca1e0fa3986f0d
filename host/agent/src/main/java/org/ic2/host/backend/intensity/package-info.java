// SPDX-License-Identifier: Apache-2.0
/**
 * Ways to tell which guests take the memory's bandwidth, by counters, by what the provider declares, or by a canary.
 */
package org.ic2.host.backend.intensity;
